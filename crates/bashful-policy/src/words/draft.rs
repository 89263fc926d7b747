//! A word while it is read: its bytes, and how each of them came to be there.

use std::ops::Range;

use crate::script::{Span, Word};

/// How one byte of a word came to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Written without quotes, so it may be a glob, a brace or a tilde.
    Plain,
    /// Quoted or escaped: means itself.
    Quoted,
    /// Stands for an expansion whose value is not known.
    Unknown,
    /// Stands for the home directory.
    Home,
}

/// A word while it is read: its bytes, and a mark for each.
#[derive(Debug, Default, Clone)]
pub(crate) struct Draft {
    pub(crate) bytes: Vec<u8>,
    pub(crate) marks: Vec<Mark>,
    pub(super) quoted: bool,
}

impl Draft {
    pub(crate) fn push(&mut self, byte: u8, mark: Mark) {
        self.bytes.push(byte);
        self.marks.push(mark);
    }

    /// A part of it, with its marks.
    pub(crate) fn slice(&self, range: Range<usize>) -> Self {
        Self {
            bytes: self.bytes.get(range.clone()).unwrap_or_default().to_vec(),
            marks: self.marks.get(range).unwrap_or_default().to_vec(),
            quoted: self.quoted,
        }
    }

    pub(crate) fn append(&mut self, other: &Self) {
        self.bytes.extend_from_slice(&other.bytes);
        self.marks.extend_from_slice(&other.marks);
    }

    /// The value of a variable: only the home directory is known.
    pub(super) fn push_variable(&mut self, name: &[u8]) {
        if name == b"HOME" {
            self.push(b'~', Mark::Home);
        } else {
            self.push(b'$', Mark::Unknown);
            self.extend(name, Mark::Unknown);
        }
    }

    pub(super) fn extend(&mut self, bytes: &[u8], mark: Mark) {
        for &byte in bytes {
            self.push(byte, mark);
        }
    }

    fn at(&self, index: usize) -> Option<(u8, Mark)> {
        self.bytes
            .get(index)
            .copied()
            .zip(self.marks.get(index).copied())
    }

    pub(super) fn has_plain(&self, wanted: &[u8]) -> bool {
        let mut pairs = self.bytes.iter().zip(&self.marks);
        pairs.any(|(byte, mark)| *mark == Mark::Plain && wanted.contains(byte))
    }

    /// `NAME=`, `NAME+=` or `NAME[…]=` at the start, unquoted.
    pub(super) fn is_assignment(&self) -> bool {
        let mut index = 0;
        while let Some((byte, mark)) = self.at(index) {
            match byte {
                _ if byte == b'=' && index > 0 => return mark == Mark::Plain,
                b'0'..=b'9' if index == 0 => return false,
                b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'0'..=b'9' if mark == Mark::Plain => index += 1,
                b'[' if index > 0 => {
                    let rest = self.bytes.get(index..).unwrap_or_default();
                    let Some(close) = rest.iter().position(|&byte| byte == b']') else {
                        return false;
                    };
                    index += close + 1;
                }
                b'+' if index > 0 && self.at(index + 1).is_some_and(|(byte, _)| byte == b'=') => {
                    index += 1;
                }
                _ => return false,
            }
        }
        false
    }

    pub(super) fn finish(mut self, span: Span) -> Word {
        let assignment = self.is_assignment();
        let home = self.settle_home();
        let unknown = |mark: &Mark| matches!(mark, Mark::Unknown);
        Word {
            unknown_from: self.marks.iter().position(unknown),
            // A `[` alone is the program of that name, or the start of `[[`.
            glob: self.has_plain(b"*?") || (self.has_plain(b"[") && self.has_plain(b"]")),
            text: String::from_utf8_lossy(&self.bytes).into_owned(),
            quoted: self.quoted,
            assignment,
            span,
            home,
            inner: 0..0,
        }
    }

    /// Makes a leading `~`, `~name` or `$HOME` one `~`, and marks a home elsewhere as unknown.
    fn settle_home(&mut self) -> bool {
        let slash = self.bytes.iter().position(|&byte| byte == b'/');
        let end = slash.unwrap_or(self.bytes.len());
        let prefix = self.bytes.get(..end).unwrap_or_default();
        let marks = self.marks.get(..end).unwrap_or_default();
        let tilde = prefix.first() == Some(&b'~') && marks.iter().all(|&mark| mark == Mark::Plain);
        // `~+`, `~-` and `~1` are directories of the shell, which we do not follow.
        let account = prefix
            .get(1)
            .is_none_or(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        let home = (tilde && account) || marks == [Mark::Home];
        if home {
            self.bytes.splice(..end, [b'~']);
            self.marks.splice(..end, [Mark::Plain]);
        } else if tilde {
            self.marks
                .iter_mut()
                .take(1)
                .for_each(|mark| *mark = Mark::Unknown);
        }
        for mark in &mut self.marks {
            if *mark == Mark::Home {
                *mark = Mark::Unknown;
            }
        }
        home
    }
}
