//! Brace expansion: `{a,b}` makes several words of one.

use super::expand::Atom;
use crate::shell::Quoting;

/// More words than this from one word is not ordinary work.
const MAX_WORDS: usize = 512;
/// Nor is more text than this.
const MAX_UNITS: usize = 1 << 18;
/// A longer sequence is not written out.
const MAX_SEQUENCE: i64 = 64;

/// One character outside quotes, or a piece that braces do not look into.
#[derive(Debug, Clone)]
enum Unit {
    Bare(char),
    Other(Atom),
}

/// The words that one word expands to; one word when there is nothing to expand, nothing when
/// that passes the limits.
pub(super) fn expand(atoms: &[Atom]) -> Option<Vec<Vec<Atom>>> {
    let mut units = Vec::new();
    for atom in atoms {
        match atom {
            Atom::Text(text, Quoting::Bare) => units.extend(text.chars().map(Unit::Bare)),
            other => units.push(Unit::Other(other.clone())),
        }
    }
    let mut words = Vec::new();
    let mut queue = vec![units];
    let mut total = 0;
    while let Some(units) = queue.pop() {
        total += units.len();
        if queue.len() + words.len() > MAX_WORDS || total > MAX_UNITS {
            return None;
        }
        match first_brace(&units) {
            // The queue is last in, first out, so alternatives go in backwards to keep their order.
            Some(alternatives) => queue.extend(alternatives.into_iter().rev()),
            None => words.push(atoms_of(units)),
        }
    }
    Some(words)
}

/// The words after the first brace that expands, if one does.
fn first_brace(units: &[Unit]) -> Option<Vec<Vec<Unit>>> {
    let mut open: Vec<Vec<usize>> = Vec::new();
    let mut found: Option<Vec<usize>> = None;
    for (index, unit) in units.iter().enumerate() {
        match (unit, open.last_mut()) {
            (Unit::Bare('{'), _) => open.push(vec![index]),
            (Unit::Bare(','), Some(cuts)) => cuts.push(index),
            (Unit::Bare('}'), Some(cuts)) => {
                cuts.push(index);
                let cuts = open.pop().unwrap_or_default();
                let starts = |cuts: &[usize]| cuts.first().copied().unwrap_or_default();
                let earlier = found
                    .as_ref()
                    .is_none_or(|found| starts(&cuts) < starts(found));
                if earlier && (cuts.len() > 2 || sequence(units, &cuts).is_some()) {
                    found = Some(cuts);
                }
                if open.is_empty() && found.is_some() {
                    break;
                }
            }
            _ => {}
        }
    }
    let cuts = found?;
    let (start, end) = (*cuts.first()?, *cuts.last()?);
    let around = |middle: &[Unit]| {
        let mut word = units.get(..start).unwrap_or_default().to_vec();
        word.extend_from_slice(middle);
        word.extend_from_slice(units.get(end + 1..).unwrap_or_default());
        word
    };
    if cuts.len() > 2 {
        let pairs = cuts.iter().zip(cuts.iter().skip(1));
        let parts = pairs.map(|(from, to)| around(units.get(from + 1..*to).unwrap_or_default()));
        return Some(parts.collect());
    }
    let texts = sequence(units, &cuts)?;
    let parts = texts.into_iter().map(|text| {
        let middle: Vec<Unit> = text.chars().map(Unit::Bare).collect();
        around(&middle)
    });
    Some(parts.collect())
}

/// The texts of `{1..9}` or `{a..e}`; one that is too long becomes a single glob.
fn sequence(units: &[Unit], cuts: &[usize]) -> Option<Vec<String>> {
    let (start, end) = (*cuts.first()?, *cuts.last()?);
    let text: Option<String> = units
        .get(start + 1..end)?
        .iter()
        .map(|unit| match unit {
            Unit::Bare(character) => Some(*character),
            Unit::Other(_) => None,
        })
        .collect();
    let text = text?;
    let mut parts = text.split("..");
    let (from, to, step) = (parts.next()?, parts.next()?, parts.next());
    if parts.next().is_some() {
        return None;
    }
    let step = match step {
        Some(step) => step.parse::<i64>().ok()?.unsigned_abs().max(1),
        None => 1,
    };
    let single = |text: &str| {
        let mut characters = text.chars();
        let first = characters.next().filter(char::is_ascii)?;
        characters
            .next()
            .is_none()
            .then_some(i64::from(u32::from(first)))
    };
    let (numbers, from, to) = match (from.parse::<i64>(), to.parse::<i64>()) {
        (Ok(from), Ok(to)) => (true, from, to),
        _ => (false, single(from)?, single(to)?),
    };
    let distance = from.abs_diff(to) / step;
    if distance > MAX_SEQUENCE.unsigned_abs() {
        return Some(vec!["*".to_owned()]);
    }
    let step = i64::try_from(step).ok()?;
    let step = if from > to { -step } else { step };
    let count = i64::try_from(distance).ok()?;
    let value = |index: i64| from.saturating_add(step.saturating_mul(index));
    let show = |value: i64| {
        if numbers {
            value.to_string()
        } else {
            let code = u32::try_from(value).unwrap_or_default();
            char::from_u32(code).unwrap_or_default().to_string()
        }
    };
    Some((0..=count).map(|index| show(value(index))).collect())
}

fn atoms_of(units: Vec<Unit>) -> Vec<Atom> {
    let mut atoms: Vec<Atom> = Vec::new();
    for unit in units {
        match (unit, atoms.last_mut()) {
            (Unit::Bare(character), Some(Atom::Text(text, Quoting::Bare))) => text.push(character),
            (Unit::Bare(character), _) => {
                atoms.push(Atom::Text(character.to_string(), Quoting::Bare));
            }
            (Unit::Other(atom), _) => atoms.push(atom),
        }
    }
    atoms
}
