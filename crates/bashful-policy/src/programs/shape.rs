//! Shapes of calls: which flags and how many operands a harmless call of a program has.
//!
//! A shape lists what is harmless. Whatever it does not list makes the call unknown.

use std::slice::Iter;

use crate::facts::Argument;

/// One harmless form of a program.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// Letters as `getopt` has them: `n` is a flag, `n:` takes a value, `n?` an attached one if
    /// any, `n!` is one of those without which the form is not harmless. `#` stands for digits.
    short: &'static str,
    /// Names without dashes: `name`, `name=`, `name?` and `name!` as above. A leading `-` marks a
    /// name that does harm; it is listed so that no abbreviation of it passes.
    long: &'static str,
    operands: Operands,
    words: Words,
    needs: Needs,
}

/// Whether one of the marked flags has to be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needs {
    Marked,
    Nothing,
}

/// Which operands are harmless.
#[derive(Debug, Clone, Copy)]
enum Operands {
    Any,
    AtMost(usize),
    /// The position and the operand; it may also be dynamic.
    Each(fn(usize, &Argument) -> bool),
}

/// What an unknown word can do to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    /// No flag of this program does harm, so an unknown word may be one.
    Free,
    /// A word that may turn out to be a flag makes the call unknown.
    Guarded,
}

/// The shapes of programs or subcommands, each with the names that share it; sorted by the first.
pub(super) type Shapes = &'static [(&'static [&'static str], Shape)];

/// Whether a call with these arguments has one of the shapes of this name.
pub(super) fn has_shape(
    shapes: Shapes,
    name: &str,
    arguments: &[Argument],
    open_ended: bool,
) -> bool {
    shapes
        .iter()
        .any(|(names, shape)| names.contains(&name) && shape.fits(arguments, open_ended))
}

/// A shape that takes any number of operands, of a program without harmful flags.
pub(super) const fn shape(short: &'static str, long: &'static str) -> Shape {
    Shape {
        short,
        long,
        operands: Operands::Any,
        words: Words::Free,
        needs: Needs::Marked,
    }
}

/// A shape of a program some of whose flags write or execute.
pub(super) const fn guarded(short: &'static str, long: &'static str) -> Shape {
    Shape {
        words: Words::Guarded,
        ..shape(short, long)
    }
}

impl Shape {
    /// Does without the flags that are marked as needed.
    pub(super) const fn relaxed(mut self) -> Self {
        self.needs = Needs::Nothing;
        self
    }

    /// Takes no more operands than this.
    pub(super) const fn at_most(mut self, count: usize) -> Self {
        self.operands = Operands::AtMost(count);
        self
    }

    /// Takes operands of this kind alone.
    pub(super) const fn each(mut self, check: fn(usize, &Argument) -> bool) -> Self {
        self.operands = Operands::Each(check);
        self
    }

    /// Whether a call with these arguments has this shape. `open_ended` says that more arguments
    /// come at run time.
    pub(super) fn fits(&self, arguments: &[Argument], open_ended: bool) -> bool {
        let guarded = self.words == Words::Guarded;
        if open_ended && (guarded || !matches!(self.operands, Operands::Any)) {
            return false;
        }
        let mut needed =
            self.needs == Needs::Nothing || (!self.short.contains('!') && !self.long.contains('!'));
        let mut operands = 0;
        let mut options_over = false;
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if guarded && !options_over && may_be_a_flag(argument) {
                return false;
            }
            let known = argument.known();
            if options_over || !known.starts_with('-') || argument.text == "-" {
                if !self.takes(operands, argument) {
                    return false;
                }
                operands += 1;
            } else if argument.text == "--" {
                options_over = true;
            } else {
                match self.option(argument, known, &mut rest) {
                    Some(Given::Needed) => needed = true,
                    Some(Given::Other) => {}
                    None => return false,
                }
            }
        }
        needed
    }

    fn takes(&self, position: usize, argument: &Argument) -> bool {
        match self.operands {
            Operands::Any => true,
            Operands::AtMost(most) => position < most && !argument.splits && !argument.glob,
            Operands::Each(check) => check(position, argument),
        }
    }

    /// Reads one word of options, and its value from the next word where it has one.
    fn option(
        &self,
        argument: &Argument,
        known: &str,
        rest: &mut Iter<'_, Argument>,
    ) -> Option<Given> {
        if let Some(long) = known.strip_prefix("--") {
            let (name, attached) = match long.split_once('=') {
                Some((name, _)) => (name, true),
                // The name itself goes on with a part that is not known.
                None if !argument.is_literal() => return None,
                None => (long, false),
            };
            let (kind, given) = self.long(name)?;
            if kind == Kind::Value && !attached {
                self.value(rest.next())?;
            }
            return Some(given);
        }
        let mut given = Given::Other;
        let letters = known.get(1..)?;
        for (at, letter) in letters.char_indices() {
            let (kind, this) = self.letter(letter)?;
            if this == Given::Needed {
                given = this;
            }
            match kind {
                Kind::Flag => {}
                Kind::Attached => return Some(given),
                Kind::Value => {
                    let is_last = at + letter.len_utf8() == letters.len();
                    if is_last && argument.is_literal() {
                        self.value(rest.next())?;
                    }
                    return Some(given);
                }
            }
        }
        // A bundle that goes on with an unknown part can hold any letter.
        argument.is_literal().then_some(given)
    }

    /// The value of an option: it may be anything, but must not turn into several words where
    /// those could be flags.
    fn value(&self, argument: Option<&Argument>) -> Option<()> {
        let splits = argument.is_some_and(|argument| argument.splits);
        (self.words == Words::Free || !splits).then_some(())
    }

    fn letter(&self, letter: char) -> Option<(Kind, Given)> {
        if letter.is_ascii_digit() && self.short.contains('#') {
            return Some((Kind::Flag, Given::Other));
        }
        if matches!(letter, '#' | ':' | '?' | '!') {
            return None;
        }
        let (_, after) = self.short.split_once(letter)?;
        Some(kind(after))
    }

    /// The option of this name or abbreviation; none if it could also mean a harmful one.
    fn long(&self, name: &str) -> Option<(Kind, Given)> {
        let mut found = None;
        let mut clear = !name.is_empty();
        for word in self.long.split_ascii_whitespace() {
            let harmful = word.starts_with('-');
            let bare = word.trim_start_matches('-');
            let Some(after) = bare.strip_prefix(name) else {
                continue;
            };
            let abbreviates = after.starts_with(|letter: char| !"=?!".contains(letter));
            if !abbreviates {
                return (!harmful).then(|| kind(after));
            }
            clear &= !harmful;
            let suffix = after.trim_start_matches(|letter: char| !"=?!".contains(letter));
            match found {
                None => found = Some(kind(suffix)),
                Some(earlier) if earlier == kind(suffix) => {}
                Some(_) => clear = false,
            }
        }
        found.filter(|_| clear)
    }
}

/// What an option does with the words after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Flag,
    Value,
    Attached,
}

/// Whether an option is one of those that a form needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Given {
    Needed,
    Other,
}

fn kind(after: &str) -> (Kind, Given) {
    let (kind, rest) = match after.chars().next() {
        Some(':' | '=') => (Kind::Value, after.get(1..).unwrap_or_default()),
        Some('?') => (Kind::Attached, after.get(1..).unwrap_or_default()),
        _ => (Kind::Flag, after),
    };
    let given = if rest.starts_with('!') {
        Given::Needed
    } else {
        Given::Other
    };
    (kind, given)
}

/// Whether a word that is not known can turn out to be a flag. What a glob finds is a file.
pub(super) fn may_be_a_flag(argument: &Argument) -> bool {
    !argument.is_known() && !argument.is_pipe && (argument.splits || argument.known().is_empty())
}
