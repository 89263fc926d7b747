//! A program's arguments, taken apart into options with their values and operands.

use crate::facts::Argument;

/// Which options of a program take values.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// Letters whose value is attached or the next argument.
    pub(super) short: &'static str,
    /// Letters whose value, if any, is attached.
    pub(super) attached: &'static str,
    /// Names, without their dashes, whose value follows `=` or is the next argument.
    pub(super) long: &'static [&'static str],
    /// How options are written.
    pub(super) style: Style,
}

/// How options are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Bundles of letters after one dash and names after two, in any order with operands.
    Getopt,
    /// Names after one dash or two, no bundles.
    Words,
}

impl Shape {
    pub(super) const PLAIN: Self = Self {
        short: "",
        attached: "",
        long: &[],
        style: Style::Getopt,
    };
}

/// One option that a call gives, with what belongs to it.
#[derive(Debug, Clone)]
pub(super) struct Given {
    /// With its dashes: `-o`, `--output`; a long one as it was written.
    pub(super) name: String,
    /// Its value, attached or as the next argument; none for a flag.
    pub(super) value: Option<Argument>,
}

/// Arguments taken apart.
#[derive(Debug, Clone, Default)]
pub(super) struct Parsed {
    pub(super) options: Vec<Given>,
    pub(super) operands: Vec<Argument>,
}

impl Parsed {
    /// Whether one of these options is given. Names of long options may be abbreviated.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options
            .iter()
            .any(|given| names.iter().any(|name| is_option(&given.name, name)))
    }

    /// The values of these options.
    pub(super) fn values(&self, names: &[&str]) -> Vec<Argument> {
        let wanted = |given: &&Given| names.iter().any(|name| is_option(&given.name, name));
        self.options
            .iter()
            .filter(wanted)
            .filter_map(|given| given.value.clone())
            .collect()
    }
}

/// Whether a written option means this one.
fn is_option(written: &str, name: &str) -> bool {
    written == name || (written.len() > 3 && written.starts_with("--") && name.starts_with(written))
}

/// Takes a program's arguments apart.
pub(super) fn parse(arguments: &[Argument], shape: &Shape) -> Parsed {
    let mut parsed = Parsed::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.known();
        if argument.text == "--" {
            parsed.operands.extend(rest.cloned());
            break;
        }
        if !text.starts_with('-') || argument.text == "-" {
            parsed.operands.push(argument.clone());
        } else if shape.style == Style::Words || text.starts_with("--") {
            let name = text.trim_start_matches('-');
            let dashes = text.len() - name.len();
            let name = name.split('=').next().unwrap_or_default();
            let end = dashes + name.len();
            let value = if text.get(end..).is_some_and(|rest| rest.starts_with('=')) {
                Some(argument.tail(end + 1))
            } else if takes_next(shape, name) {
                rest.next().cloned()
            } else {
                None
            };
            let name = text.get(..end).unwrap_or_default().to_owned();
            parsed.options.push(Given { name, value });
        } else {
            bundle(argument, shape, &mut rest, &mut parsed);
        }
    }
    parsed
}

/// Whether the argument after a long option belongs to it.
fn takes_next(shape: &Shape, name: &str) -> bool {
    let abbreviates =
        |long: &&str| shape.style == Style::Getopt && name.len() > 1 && long.starts_with(name);
    shape.long.contains(&name) || shape.long.iter().any(abbreviates)
}

/// A bundle such as `-xzf`.
fn bundle<'a>(
    argument: &Argument,
    shape: &Shape,
    rest: &mut impl Iterator<Item = &'a Argument>,
    parsed: &mut Parsed,
) {
    for (at, letter) in argument.known().char_indices().skip(1) {
        let end = at + letter.len_utf8();
        let name = format!("-{letter}");
        let is_last = end == argument.text.len();
        if shape.attached.contains(letter) {
            let value = (!is_last).then(|| argument.tail(end));
            parsed.options.push(Given { name, value });
            return;
        }
        if shape.short.contains(letter) {
            let value = if is_last {
                rest.next().cloned()
            } else {
                Some(argument.tail(end))
            };
            parsed.options.push(Given { name, value });
            return;
        }
        parsed.options.push(Given { name, value: None });
    }
}
