//! Options that take the next word as their value, of programs with subcommands.

mod table;

use table::{ONE_DASH, TABLE};

/// The options of one program that take a value.
pub(super) struct Options {
    programs: &'static [&'static str],
    /// Before the subcommand.
    global: &'static [&'static str],
    /// After it, those that matter for the flags which rules name.
    later: &'static [&'static str],
}

impl Options {
    /// What comes after an option before the subcommand.
    pub(super) fn before(&self, option: &str) -> Value {
        if option.contains('=') {
            return Value::None;
        }
        if takes(self.global, option) {
            Value::Next
        } else {
            Value::None
        }
    }

    /// What comes after an option behind the subcommand.
    pub(super) fn after(&self, option: &str) -> Value {
        if option.contains('=') {
            return Value::None;
        }
        if self.later.is_empty() {
            Value::Unclear
        } else if takes(self.later, option) {
            Value::Next
        } else {
            Value::None
        }
    }
}

/// Whether the word after an option is its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// The word is the option's value.
    Next,
    /// The word stands for itself.
    None,
    /// The table lists no options of this program, so the word may be either.
    Unclear,
}

/// The options of a program, where they are known.
pub(super) fn options(program: &str) -> Option<&'static Options> {
    let mut table = TABLE.iter();
    table.find(|options| options.programs.contains(&program))
}

/// Whether a program's long options have one dash.
pub(super) fn has_one_dash(program: &str) -> bool {
    let compiler = |name: &str| {
        // `gcc-13` and `x86_64-linux-gnu-g++` are the same programs.
        program.strip_prefix(name).is_some_and(|rest| {
            let version = |next: char| next.is_ascii_digit() || next == '.';
            rest.strip_prefix('-')
                .is_some_and(|rest| rest.chars().all(version))
        }) || program
            .strip_suffix(name)
            .is_some_and(|rest| rest.ends_with('-'))
    };
    ONE_DASH.contains(&program)
        || ["gcc", "g++", "clang", "clang++", "cc"]
            .into_iter()
            .any(compiler)
}

/// Whether an option is in a list, abbreviated or at the end of a bundle.
fn takes(list: &[&str], option: &str) -> bool {
    if option.starts_with("--") {
        return list.iter().any(|name| name.starts_with(option));
    }
    let last = option.chars().last();
    list.iter()
        .filter(|name| !name.starts_with("--"))
        .any(|name| name.chars().nth(1) == last)
}
