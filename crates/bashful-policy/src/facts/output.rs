//! What a substitution prints, where its words say so.

use std::ops::Range;

use super::state::{MAX_VALUES, State, Text};
use super::walk::Walker;
use super::{Argument, Call};

/// What is known of an output.
pub(super) enum Output {
    /// One of these texts.
    Values(Vec<Text>),
    /// A number, or another word that is no option and has no slash.
    Number,
    Unknown,
}

impl Walker<'_> {
    /// What the calls of a substitution print.
    pub(super) fn output(&self, range: &Range<usize>, state: &State) -> Output {
        let calls = self.facts.calls.get(range.clone()).unwrap_or_default();
        let [call] = calls else {
            return Output::Unknown;
        };
        let redirects = call.redirects.iter();
        let mut redirects = redirects.filter_map(|index| self.facts.redirects.get(*index));
        if redirects.any(|redirect| redirect.kind.writes()) || !call.assignments.is_empty() {
            return Output::Unknown;
        }
        let words = call.operands();
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        let literal = words.iter().all(Argument::is_literal);
        match call.program() {
            "nproc" => Output::Number,
            "pwd" if texts.is_empty() && !call.directories.is_empty() => {
                let here = call.directories.iter().map(|path| Text {
                    text: path.clone(),
                    glob: false,
                });
                Output::Values(here.collect())
            }
            "getconf"
                if texts
                    .first()
                    .is_some_and(|name| name.contains("NPROCESSORS")) =>
            {
                Output::Number
            }
            "wc" if !texts.is_empty() && texts.iter().all(|word| word.starts_with('-')) => {
                Output::Number
            }
            "id" if matches!(*texts, ["-u" | "-g"]) => Output::Number,
            "date" if literal && texts.iter().all(|word| is_date(word)) => Output::Number,
            "git" if literal && prints_hash(&texts) => Output::Number,
            "seq" if literal => sequence(&texts),
            // Behind the first number it takes no options, so that it prints numbers or nothing.
            "seq"
                if texts.len() > 1
                    && texts
                        .first()
                        .is_some_and(|first| first.parse::<i64>().is_ok()) =>
            {
                Output::Number
            }
            "mktemp" if literal => self.temporary(&texts, state),
            "dirname" | "basename" => named(call),
            // What is spelled with escapes is not meant to be read.
            "echo" | "printf" if literal && !texts.iter().any(|word| word.contains('\\')) => {
                match Self::printed(call) {
                    Some(text) if text.is_literal() => one(text.text.trim_end_matches('\n'), false),
                    _ => Output::Unknown,
                }
            }
            _ => Output::Unknown,
        }
    }

    /// The path of a fresh file or directory.
    fn temporary(&self, words: &[&str], state: &State) -> Output {
        if state.variable("TMPDIR").is_some() {
            return Output::Unknown;
        }
        let place = self.context.variables.get("TMPDIR");
        let place = place.map_or("/tmp", |place| place.trim_end_matches('/'));
        let mut words = words
            .iter()
            .filter(|word| !matches!(**word, "-d" | "-q" | "--directory"));
        let filled = |template: &str| template.trim_end_matches('X').to_owned() + "*";
        match (words.next(), words.next(), words.next()) {
            (None, ..) => one(&format!("{place}/tmp.*"), true),
            (Some(&"-t"), Some(template), None) if !template.contains('/') => {
                one(&format!("{place}/{}", filled(template)), true)
            }
            (Some(template), None, None)
                if !template.starts_with('-') && template.ends_with("XXX") =>
            {
                one(&filled(template), true)
            }
            _ => Output::Unknown,
        }
    }
}

fn one(text: &str, glob: bool) -> Output {
    Output::Values(vec![Text {
        text: text.to_owned(),
        glob,
    }])
}

/// Whether a format of `date` gives digits, dashes and letters, and nothing that is a path.
fn is_date(word: &str) -> bool {
    match word.strip_prefix('+') {
        Some(format) => {
            const KNOWN: [char; 13] =
                ['Y', 'y', 'm', 'd', 'H', 'M', 'S', 's', 'N', 'F', 'j', 'u', 'V'];
            let mut parts = format.split('%').skip(1);
            format.starts_with('%')
                && !format.contains('/')
                && parts.all(|part| part.starts_with(KNOWN))
        }
        None => matches!(word, "-u" | "--utc"),
    }
}

/// Whether git prints the name of an object.
fn prints_hash(words: &[&str]) -> bool {
    match words {
        ["merge-base" | "write-tree", ..] | ["rev-list", "--count", ..] => true,
        ["rev-parse", rest @ ..] => rest.iter().all(|word| {
            !word.starts_with("--") || matches!(*word, "--short" | "--verify" | "--quiet")
        }),
        _ => false,
    }
}

/// The numbers of `seq`.
fn sequence(words: &[&str]) -> Output {
    let numbers: Option<Vec<i64>> = words.iter().map(|word| word.parse().ok()).collect();
    let (from, to) = match numbers.as_deref() {
        Some([to]) => (1, *to),
        Some([from, to]) => (*from, *to),
        Some([_, _, _]) => return Output::Number,
        _ => return Output::Unknown,
    };
    let count = to.saturating_sub(from).saturating_add(1);
    match usize::try_from(count) {
        Ok(count) if count <= MAX_VALUES => Output::Values(
            (from..=to)
                .map(|number| Text {
                    text: number.to_string(),
                    glob: false,
                })
                .collect(),
        ),
        _ => Output::Number,
    }
}

/// What `dirname` or `basename` makes of one known word.
fn named(call: &Call) -> Output {
    let [word] = call.operands() else {
        return Output::Unknown;
    };
    if !word.is_known() || word.splits || word.text.starts_with('-') {
        return Output::Unknown;
    }
    let path = word.text.trim_end_matches('/');
    let (directory, name) = path.rsplit_once('/').unwrap_or((".", path));
    let text = match call.program() {
        "dirname" if directory.is_empty() => "/",
        "dirname" => directory,
        _ => name,
    };
    if text.is_empty() {
        return Output::Unknown;
    }
    one(text, word.glob && text.contains(['*', '?', '[']))
}
