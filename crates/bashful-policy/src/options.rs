//! Reading a program's arguments the way `getopt_long` does: bundles, abbreviations, any order.

use crate::script::Word;

/// Whether a flag is given: in a bundle of short ones, or as a long one, abbreviated or not.
pub(crate) fn has_flag(arguments: &[Word], short: char, long: &str) -> bool {
    options(arguments).any(|option| match option.strip_prefix("--") {
        Some(name) => {
            let name = name.split('=').next().unwrap_or_default();
            !long.is_empty() && !name.is_empty() && long.starts_with(name)
        }
        None => option.chars().skip(1).any(|letter| letter == short),
    })
}

/// The text of all options, up to `--`.
pub(crate) fn options(arguments: &[Word]) -> impl Iterator<Item = &str> {
    arguments
        .iter()
        .map(Word::known)
        .take_while(|text| *text != "--")
        .filter(|text| text.starts_with('-') && text.len() > 1)
}

/// The arguments that are not options, with those after `--`. The options in `valued` take the
/// next argument: letters for short ones, names for long ones.
pub(crate) fn operands<'w>(arguments: &'w [Word], valued: &Valued) -> Vec<&'w Word> {
    let mut operands = Vec::new();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if word.text == "--" {
            operands.extend(rest);
            break;
        }
        if !word.text.starts_with('-') || word.text == "-" {
            operands.push(word);
        } else if valued.takes_next(&word.text) {
            rest.next();
        }
    }
    operands
}

/// The value of an option: `-oVALUE`, `-o VALUE`, `--output=VALUE` or `--output VALUE`.
pub(crate) fn value_of(arguments: &[Word], short: char, long: &str) -> Option<Word> {
    let mut rest = arguments.iter().take_while(|word| word.text != "--");
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if let Some(name) = text.strip_prefix("--") {
            let (name, value) = name
                .split_once('=')
                .map_or((name, None), |(name, value)| (name, Some(value)));
            if !long.is_empty() && name.len() > 1 && long.starts_with(name) {
                return value
                    .map(|value| tail(word, value))
                    .or_else(|| rest.next().cloned());
            }
        } else if let Some(bundle) = text.strip_prefix('-')
            && let Some((_, value)) = bundle.split_once(short)
        {
            return if value.is_empty() {
                rest.next().cloned()
            } else {
                Some(tail(word, value))
            };
        }
    }
    None
}

/// The end of a word as a word of its own.
pub(crate) fn tail(word: &Word, text: &str) -> Word {
    let cut = word.text.len().saturating_sub(text.len());
    Word {
        text: text.to_owned(),
        unknown_from: word.unknown_from.map(|from| from.saturating_sub(cut)),
        home: text == "~" || text.starts_with("~/"),
        ..word.clone()
    }
}

/// The options of a program that take a value as the next argument.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Valued {
    pub(crate) short: &'static str,
    pub(crate) long: &'static [&'static str],
}

impl Valued {
    pub(crate) const NONE: Self = Self {
        short: "",
        long: &[],
    };

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
