//! Reading a configuration exactly as git does, with the place of everything.
//!
//! A name is flat to git: `[remote "a.b"] url` and `[remote.a "b"] url` are the same
//! variable. So a header is known by its stem, the text before the last dot of the names
//! below it, and nothing else.

mod reader;

use thiserror::Error;

use self::reader::Reader;

/// The largest text that is read, in bytes.
const TEXT_LIMIT: usize = 4 << 20;

/// A configuration that was read.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) headers: Vec<Header>,
    pub(super) entries: Vec<Entry>,
    /// Whether the text ended inside an entry, so that a new line would belong to it.
    pub(super) ends_in_entry: bool,
}

/// The head of a section.
#[derive(Debug)]
pub(super) struct Header {
    /// The section in lower case and, after a dot, the subsection.
    pub(super) stem: Vec<u8>,
    /// Where `[` is.
    pub(super) start: usize,
    /// Behind `]`.
    pub(super) end: usize,
}

/// A key with or without a value.
#[derive(Debug)]
pub(super) struct Entry {
    /// The header above it, if there is one.
    pub(super) header: Option<usize>,
    /// The key in lower case.
    pub(super) key: Vec<u8>,
    /// The key as it was spelled.
    pub(super) spelling: Vec<u8>,
    /// The value; none if there is no `=`.
    pub(super) value: Option<Vec<u8>>,
    /// Where the key begins.
    pub(super) start: usize,
    /// Behind the key.
    pub(super) key_end: usize,
    /// Before the line end that ends the entry.
    pub(super) body_end: usize,
    /// Behind that line end.
    pub(super) end: usize,
}

/// The name of a variable: what two entries share if git takes them for the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Name<'a> {
    /// The stem; none for a key above the first header.
    pub(super) stem: Option<&'a [u8]>,
    /// The key in lower case.
    pub(super) key: &'a [u8],
}

/// Why a text is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum SyntaxError {
    /// The text is longer than we look at.
    #[error("text of {length} bytes is too long")]
    TextTooLong {
        /// The length of the text, in bytes.
        length: usize,
    },
    /// There are more entries or headers than we look at.
    #[error("too many entries at line {line}")]
    TooManyEntries {
        /// Counted from 1.
        line: usize,
    },
    /// A name is longer than we look at.
    #[error("name too long at line {line}")]
    NameTooLong {
        /// Counted from 1.
        line: usize,
    },
    /// There is a NUL, at which git would silently cut a value.
    #[error("NUL byte at line {line}")]
    Nul {
        /// Counted from 1.
        line: usize,
    },
    /// Git would refuse it.
    #[error("bad syntax at line {line}")]
    Malformed {
        /// Counted from 1.
        line: usize,
    },
}

impl Document {
    /// The name of an entry of this document.
    pub(super) fn name<'a>(&'a self, entry: &'a Entry) -> Name<'a> {
        Name {
            stem: entry
                .header
                .and_then(|index| self.headers.get(index))
                .map(|header| header.stem.as_slice()),
            key: &entry.key,
        }
    }
}

/// Reads a whole text.
pub(super) fn parse(text: &[u8]) -> Result<Document, SyntaxError> {
    if text.len() > TEXT_LIMIT {
        return Err(SyntaxError::TextTooLong { length: text.len() });
    }
    if let Some(position) = text.iter().position(|byte| *byte == 0) {
        let line = line_of(text, position);
        return Err(SyntaxError::Nul { line });
    }
    let mut reader = Reader::new(text);
    let mut document = Document {
        headers: Vec::new(),
        entries: Vec::new(),
        ends_in_entry: false,
    };
    reader
        .document(&mut document)
        .map_err(|fault| fault.at(line_of(text, reader.position())))?;
    Ok(document)
}

fn line_of(text: &[u8], position: usize) -> usize {
    let before = text.iter().take(position);
    before.filter(|byte| **byte == b'\n').count() + 1
}

/// What git takes for space, which is less than what C does.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
