//! Which programs are tried, and in which order.

use super::leaves::{LEAVES, Leaf};
use super::place::{Kind, Place};
use super::{odd, scripts, structure, words};

/// The first number: longer than any number that a program has for another reason.
const FIRST: usize = 1_000_000;

/// One program and what is known about it.
pub(crate) struct Program {
    /// The places, for messages.
    pub(crate) name: String,
    /// What bash gets.
    pub(crate) text: String,
    /// How much of it can be known from the text.
    pub(crate) kind: Kind,
    /// What the marker writes down.
    pub(crate) number: String,
    /// A place or a spelling by itself.
    pub(crate) is_alone: bool,
}

/// Every place that another can stand in.
pub(crate) fn places() -> Vec<Place> {
    [structure::PLACES, words::PLACES, scripts::PLACES].concat()
}

/// All programs: every place, every odd word and every spelling by itself, then each place and
/// spelling inside each place. The order is always the same, and the first few thousand have some
/// of each kind.
pub(crate) fn programs() -> impl Iterator<Item = Program> + Clone {
    let places = places();
    let plain = LEAVES[0];
    let mut inner: Vec<(Vec<Place>, Leaf)> = Vec::new();
    inner.extend(places.iter().map(|place| (vec![*place], plain)));
    inner.extend(LEAVES.iter().map(|leaf| (vec![], *leaf)));
    let mut alone = inner.clone();
    alone.extend(odd::places().iter().map(|place| (vec![*place], plain)));
    let count = places.len() * inner.len();
    // A step that shares no factor with the count visits each pair once, spread over all.
    let mut steps = (7_919..8_919).step_by(2);
    let step = steps.find(|step| coprime(*step, count)).unwrap_or(1);
    let pairs = (0..count).map(move |index| {
        let index = index * step % count;
        let (mut around, leaf) = inner[index % inner.len()].clone();
        around.insert(0, places[index / inner.len()]);
        (around, leaf)
    });
    alone
        .into_iter()
        .chain(pairs)
        .enumerate()
        .map(|(index, (around, leaf))| program(&around, &leaf, FIRST + index))
}

fn coprime(one: usize, other: usize) -> bool {
    let (mut one, mut other) = (one, other);
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one == 1
}

/// The marker with this number inside these places, the outermost first.
fn program(around: &[Place], leaf: &Leaf, number: usize) -> Program {
    let mut text = leaf.with(number);
    let mut kind = leaf.kind;
    let mut names = Vec::new();
    for (depth, place) in around.iter().enumerate().rev() {
        text = place.around(&text, depth + 1);
        kind = kind.max(place.kind);
        names.insert(0, place.name.to_owned());
    }
    if around.is_empty() || !leaf.is_plain() {
        names.push(leaf.with(0));
    }
    Program {
        name: names.join(" > "),
        text,
        kind,
        number: number.to_string(),
        is_alone: around.is_empty() || around.len() == 1 && leaf.is_plain(),
    }
}
