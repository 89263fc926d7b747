//! Names of templates, and where they stand in a text.

use std::fmt;

/// What every variable of ours begins with. Scripts that use it are refused.
pub(super) const RESERVED: &str = "__bashful_";

/// The dotted name of a template: `trigger.file.path`.
///
/// ```
/// use bashful_policy::TemplateName;
///
/// assert!(TemplateName::parse("trigger.file.path").is_some());
/// // A name without a dot is a variable of the shell.
/// assert!(TemplateName::parse("HOME").is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TemplateName(String);

impl TemplateName {
    /// Reads a name: at least two identifiers with dots between them.
    pub fn parse(text: &str) -> Option<Self> {
        let dotted = text.contains('.') && text.split('.').all(is_identifier);
        dotted.then(|| Self(text.to_owned()))
    }

    /// The name as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The identifiers between the dots.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('.')
    }
}

impl fmt::Display for TemplateName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Whether this is a name that the shell takes for a variable's.
pub(super) fn is_identifier(text: &str) -> bool {
    let starts = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.as_bytes().first().is_some_and(starts) && text.bytes().all(fits)
}

/// A part of a text that is written like a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) name: TemplateName,
}

/// All that is written like a template, in order.
pub(super) fn candidates(text: &str) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (start, _) in text.match_indices("${") {
        let rest = text.get(start + 2..).unwrap_or_default();
        let inside = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
        let length = rest
            .bytes()
            .position(|byte| !inside(byte))
            .unwrap_or(rest.len());
        if rest.as_bytes().get(length) != Some(&b'}') {
            continue;
        }
        if let Some(name) = rest.get(..length).and_then(TemplateName::parse) {
            found.push(Candidate {
                start,
                end: start + length + 3,
                name,
            });
        }
    }
    found
}

/// The text with a plain variable of the same length for each of these, which a parser can read.
pub(super) fn masked(text: &str, candidates: &[Candidate]) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut at = 0;
    for candidate in candidates {
        masked.push_str(text.get(at..candidate.start).unwrap_or_default());
        masked.push_str("${_");
        masked.extend(std::iter::repeat_n(
            'Q',
            candidate.end - candidate.start - 4,
        ));
        masked.push('}');
        at = candidate.end;
    }
    masked.push_str(text.get(at..).unwrap_or_default());
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dotted_names_are_templates() {
        let cases: [(&str, &[&str]); 12] = [
            ("${a.b}", &["a.b"]),
            (
                "x${trigger.file.path}y${a.b}",
                &["trigger.file.path", "a.b"],
            ),
            ("${x:-${a.b}}", &["a.b"]),
            (
                "${HOME} ${x:-y} ${a[0]} ${x/a.b/c} ${!x} ${#x} ${x:-a.b}",
                &[],
            ),
            ("${a.b:-c}", &[]),
            ("${.a} ${a.} ${a..b} ${a.1} ${1.a}", &[]),
            ("${#a.b} ${!a.b}", &[]),
            ("$ {a.b} $a.b {a.b}", &[]),
            ("${a.b", &[]),
            ("${a.é}", &[]),
            ("${ a.b }", &[]),
            ("${_a._b}", &["_a._b"]),
        ];
        for (text, expected) in cases {
            let found = candidates(text);
            let names: Vec<&str> = found.iter().map(|found| found.name.as_str()).collect();
            assert_eq!(names, expected, "{text}");
            let masked = masked(text, &found);
            assert_eq!(masked.len(), text.len());
            assert!(candidates(&masked).is_empty());
        }
    }
}
