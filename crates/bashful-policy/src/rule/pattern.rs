//! Rules with a regular expression over the words of a call.

use std::sync::Arc;

use regex_lite::Regex;

use super::Fit;
use crate::facts::Call;
use crate::quote::escape_arg;

/// A regular expression over the words of a call, joined by blanks. A word with special characters
/// is quoted, so that no word can pass for two.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    pub(crate) source: String,
    /// Finds the expression anywhere.
    search: Arc<Regex>,
    /// Matches it from the first character to the last.
    whole: Arc<Regex>,
}

impl Pattern {
    pub(super) fn new(source: &str) -> Result<Self, regex_lite::Error> {
        let whole = Regex::new(&format!(r"\A(?:{source})\z"))?;
        Ok(Self {
            source: source.to_owned(),
            search: Arc::new(Regex::new(source)?),
            whole: Arc::new(whole),
        })
    }

    /// Whether it matches all of a call whose words are known.
    pub(super) fn allows(&self, call: &Call) -> bool {
        self.whole.is_match(&line(call, call.program()))
    }

    /// Whether it matches some of a call, the program with or without its directory.
    pub(super) fn restricts(&self, call: &Call) -> Fit {
        let written = call
            .arguments
            .first()
            .map_or("", |first| first.text.as_str());
        let lines = [line(call, written), line(call, call.program())];
        if lines.iter().any(|line| self.search.is_match(line)) {
            return Fit::Yes;
        }
        let all_known = call
            .arguments
            .iter()
            .all(crate::facts::Argument::is_literal);
        if all_known && !call.open_ended {
            return Fit::No;
        }
        // What is not known could be what the expression looks for, unless it starts differently.
        let wanted = self.start();
        let known = known_start(call);
        Fit::possible(wanted.starts_with(&known) || known.starts_with(wanted))
    }

    /// The text with which every match starts; empty if there is none.
    fn start(&self) -> &str {
        let Some(rest) = self.source.strip_prefix('^') else {
            return "";
        };
        // An alternative outside all groups could start in another way.
        if top_level_alternative(rest) {
            return "";
        }
        let plain = |next: char| next.is_ascii_alphanumeric() || " _/:=-".contains(next);
        let end = rest.find(|next| !plain(next)).unwrap_or(rest.len());
        let (start, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        if after.starts_with(['*', '?', '{']) {
            // The last character may be missing.
            let mut characters = start.chars();
            characters.next_back();
            return characters.as_str();
        }
        start
    }
}

/// Whether an expression has a `|` outside all groups and sets.
fn top_level_alternative(source: &str) -> bool {
    let mut depth = 0_usize;
    let mut set = false;
    let mut characters = source.chars();
    while let Some(next) = characters.next() {
        match next {
            '\\' => {
                characters.next();
            }
            '[' => set = true,
            ']' => set = false,
            '(' if !set => depth += 1,
            ')' if !set => depth = depth.saturating_sub(1),
            '|' if !set && depth == 0 => return true,
            _ => {}
        }
    }
    false
}

/// The words of a call as one line, with another name for the program.
fn line(call: &Call, program: &str) -> String {
    let mut line = word(program);
    for argument in call.operands() {
        line.push(' ');
        line.push_str(&word(&argument.text));
    }
    line
}

fn word(text: &str) -> String {
    let plain = |next: char| next.is_alphanumeric() || "_-+=:,./@%^~".contains(next);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        escape_arg(text)
    }
}

/// The line up to the first part that is not known.
fn known_start(call: &Call) -> String {
    let mut start = String::new();
    for (index, argument) in call.arguments.iter().enumerate() {
        if index > 0 {
            start.push(' ');
        }
        if !argument.is_literal() {
            let known = if argument.unknown_from.is_some() {
                argument.known()
            } else {
                argument
                    .text
                    .split(['*', '?', '['])
                    .next()
                    .unwrap_or_default()
            };
            let base = if index == 0 {
                known.rsplit('/').next().unwrap_or_default()
            } else {
                known
            };
            start.push_str(base);
            break;
        }
        let text = if index == 0 {
            argument.program()
        } else {
            argument.text.as_str()
        };
        start.push_str(&word(text));
    }
    start
}
