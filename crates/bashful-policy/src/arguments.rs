//! Reading a program's arguments the way `getopt_long` does: bundles, abbreviations, any order.

use crate::facts::Argument;

/// The options of a program that take a value as the next argument.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Valued {
    /// Letters without the dash, such as `ou` for `-o` and `-u`.
    pub(crate) short: &'static str,
    /// Long names without their dashes.
    pub(crate) long: &'static [&'static str],
}

impl Valued {
    pub(crate) const NONE: Self = Self::new("", &[]);

    pub(crate) const fn new(short: &'static str, long: &'static [&'static str]) -> Self {
        Self { short, long }
    }

    /// Whether the argument after this option belongs to it.
    pub(crate) fn takes_next(&self, option: &str) -> bool {
        if let Some(name) = option.strip_prefix("--") {
            return self.long.contains(&name);
        }
        // In `-uname` the value is attached; in `-u` it is the next argument.
        let value = |(_, letter): &(usize, char)| self.short.contains(*letter);
        let mut letters = option.char_indices().skip(1);
        letters
            .find(value)
            .is_some_and(|(at, letter)| at + letter.len_utf8() == option.len())
    }
}

impl Valued {
    /// The same for a program that takes abbreviated names, as most do.
    pub(crate) fn takes_next_abbreviated(&self, option: &str) -> bool {
        let abbreviates = |name: &str| {
            let mut long = self.long.iter();
            !name.is_empty() && long.any(|long| long.starts_with(name))
        };
        self.takes_next(option) || option.strip_prefix("--").is_some_and(abbreviates)
    }
}

/// Whether a flag is given: in a bundle of short ones, or as a long one, abbreviated or not.
pub(crate) fn has_flag(arguments: &[Argument], short: char, long: &str) -> bool {
    options(arguments).any(|option| match option.strip_prefix("--") {
        Some(name) => {
            let name = name.split('=').next().unwrap_or_default();
            !long.is_empty() && !name.is_empty() && long.starts_with(name)
        }
        None => option.chars().skip(1).any(|letter| letter == short),
    })
}

/// The known text of all options, up to `--`.
fn options(arguments: &[Argument]) -> impl Iterator<Item = &str> {
    arguments
        .iter()
        .map(Argument::known)
        .take_while(|text| *text != "--")
        .filter(|text| text.starts_with('-') && text.len() > 1)
}

/// The arguments that are not options, with those after `--`.
pub(crate) fn operands<'a>(arguments: &'a [Argument], valued: &Valued) -> Vec<&'a Argument> {
    let mut operands = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument.text == "--" {
            operands.extend(rest);
            break;
        }
        if !argument.known().starts_with('-') || argument.text == "-" {
            operands.push(argument);
        } else if valued.takes_next(&argument.text) {
            rest.next();
        }
    }
    operands
}

/// The values of an option: `-oVALUE`, `-o VALUE`, `--output=VALUE` or `--output VALUE`, the long
/// name abbreviated or not. An empty `long` or a NUL as `short` means that there is none.
pub(crate) fn values_of(arguments: &[Argument], short: char, long: &str) -> Vec<Argument> {
    let values = values_and_rest(arguments, short, long).into_iter();
    values.map(|(value, _)| value).collect()
}

/// The same, each with the words behind it.
pub(crate) fn values_and_rest<'a>(
    arguments: &'a [Argument],
    short: char,
    long: &str,
) -> Vec<(Argument, &'a [Argument])> {
    let mut found = Vec::new();
    let mut rest = arguments;
    while let Some((argument, after)) = rest.split_first() {
        rest = after;
        let text = argument.text.as_str();
        if text == "--" {
            break;
        }
        // What is attached; none if the value is the next word.
        let attached = if let Some(name) = text.strip_prefix("--") {
            let (name, value) = name
                .split_once('=')
                .map_or((name, None), |(name, value)| (name, Some(value)));
            if long.is_empty() || name.len() <= 1 || !long.starts_with(name) {
                continue;
            }
            value
        } else if let Some(bundle) = text.strip_prefix('-')
            && let Some((_, value)) = bundle.split_once(short)
        {
            Some(value).filter(|value| !value.is_empty())
        } else {
            continue;
        };
        if let Some(value) = attached {
            found.push((argument.tail(text.len() - value.len()), rest));
        } else if let Some((value, after)) = rest.split_first() {
            rest = after;
            found.push((value.clone(), rest));
        }
    }
    found
}
