//! A program's options and operands, told apart by which options take a value.

use crate::arguments::Valued;
use crate::facts::Argument;

/// What `getopt_long` would make of a program's arguments.
pub(super) struct Line<'a> {
    letters: Vec<char>,
    names: Vec<&'a str>,
    /// What the options that take a value got, in the order of the text.
    values: Vec<(Name<'a>, &'a str)>,
    pub(super) operands: Vec<&'a Argument>,
    /// Whether a `--` stands in it.
    pub(super) has_end: bool,
    /// How many operands stand before the `--`.
    pub(super) before_end: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Name<'a> {
    Letter(char),
    Word(&'a str),
}

impl<'a> Line<'a> {
    pub(super) fn read(arguments: &'a [Argument], valued: &Valued) -> Self {
        let mut line = Self {
            letters: Vec::new(),
            names: Vec::new(),
            values: Vec::new(),
            operands: Vec::new(),
            has_end: false,
            before_end: 0,
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let text = argument.known();
            if argument.text == "--" {
                line.has_end = true;
                line.before_end = line.operands.len();
                line.operands.extend(rest);
                return line;
            }
            if let Some(word) = text.strip_prefix("--") {
                let (name, value) = word
                    .split_once('=')
                    .map_or((word, None), |(name, value)| (name, Some(value)));
                line.names.push(name);
                let takes = || valued.long.contains(&name);
                let value = match value {
                    None if takes() => rest.next().map(Argument::known),
                    value => value,
                };
                line.values
                    .extend(value.map(|value| (Name::Word(name), value)));
            } else if text.len() > 1
                && let Some(bundle) = text.strip_prefix('-')
            {
                line.read_bundle(bundle, valued, &mut rest);
            } else {
                line.operands.push(argument);
            }
        }
        line.before_end = line.operands.len();
        line
    }

    fn read_bundle(
        &mut self,
        bundle: &'a str,
        valued: &Valued,
        rest: &mut std::slice::Iter<'a, Argument>,
    ) {
        for (at, letter) in bundle.char_indices() {
            self.letters.push(letter);
            if valued.short.contains(letter) {
                let attached = bundle.get(at + letter.len_utf8()..).unwrap_or_default();
                let value = if attached.is_empty() {
                    rest.next().map_or("", Argument::known)
                } else {
                    attached
                };
                self.values.push((Name::Letter(letter), value));
                return;
            }
        }
    }

    /// Whether one of these letters is given.
    pub(super) fn has_letter(&self, letters: &str) -> bool {
        self.letters.iter().any(|letter| letters.contains(*letter))
    }

    /// Whether a long option is given, abbreviated or not.
    pub(super) fn has_name(&self, wanted: &str) -> bool {
        let mut names = self.names.iter();
        names.any(|name| !name.is_empty() && wanted.starts_with(name))
    }

    /// Whether one of these letters or names is given.
    pub(super) fn has(&self, letters: &str, names: &[&str]) -> bool {
        self.has_letter(letters) || names.iter().any(|name| self.has_name(name))
    }

    /// Whether a long option that starts like this is given.
    pub(super) fn has_name_like(&self, start: &str) -> bool {
        self.names.iter().any(|name| name.starts_with(start))
    }

    /// The values of an option.
    pub(super) fn values(&self, letter: char, wanted: &str) -> impl Iterator<Item = &'a str> {
        let fits = move |name: &Name| match name {
            Name::Letter(given) => *given == letter,
            Name::Word(given) => !given.is_empty() && wanted.starts_with(given),
        };
        let found = self.values.iter().filter(move |(name, _)| fits(name));
        found.map(|(_, value)| *value)
    }

    /// The known text of an operand; empty when there is none.
    pub(super) fn operand(&self, index: usize) -> &'a str {
        self.operands
            .get(index)
            .map_or("", |argument| argument.known())
    }
}

/// Whether any of the arguments is exactly one of these words.
pub(super) fn has_word(arguments: &[Argument], words: &[&str]) -> bool {
    let mut texts = arguments.iter().map(|argument| argument.text.as_str());
    texts.any(|text| words.contains(&text))
}

/// Whether a program is only asked what it is.
pub(super) fn only_asks(arguments: &[Argument]) -> bool {
    arguments
        .first()
        .is_some_and(|first| matches!(first.text.as_str(), "--help" | "--version" | "-help"))
}
