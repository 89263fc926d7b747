//! Git's own way through a configuration, character by character.

use super::{Document, Entry, Header, SyntaxError, is_space};

/// The largest number of entries, and of headers.
const ITEM_LIMIT: usize = 20_000;
/// The longest stem and the longest key, in bytes.
const NAME_LIMIT: usize = 4096;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A syntax error whose line is not known yet.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fault {
    Malformed,
    TooMany,
    NameTooLong,
}

impl Fault {
    pub(super) fn at(self, line: usize) -> SyntaxError {
        match self {
            Self::Malformed => SyntaxError::Malformed { line },
            Self::TooMany => SyntaxError::TooManyEntries { line },
            Self::NameTooLong => SyntaxError::NameTooLong { line },
        }
    }
}

/// The characters of a text as git's reader sees them: CR LF is one line end, a lone CR
/// is itself, and the end of the text is an endless supply of line ends.
pub(super) struct Reader<'a> {
    text: &'a [u8],
    position: usize,
    ended: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            position: 0,
            ended: false,
        }
    }

    /// How far it has read.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    fn next(&mut self) -> u8 {
        let Some(byte) = self.text.get(self.position).copied() else {
            self.ended = true;
            return b'\n';
        };
        self.position += 1;
        if byte == b'\r' && self.text.get(self.position) == Some(&b'\n') {
            self.position += 1;
            return b'\n';
        }
        byte
    }

    /// Reads everything into a document.
    pub(super) fn document(&mut self, document: &mut Document) -> Result<(), Fault> {
        if self.text.starts_with(BYTE_ORDER_MARK) {
            self.position = BYTE_ORDER_MARK.len();
        }
        loop {
            let start = self.position;
            let byte = self.next();
            if self.ended {
                return Ok(());
            }
            match byte {
                b'#' | b';' => while self.next() != b'\n' {},
                b'[' => {
                    let stem = self.stem()?;
                    if document.headers.len() == ITEM_LIMIT {
                        return Err(Fault::TooMany);
                    }
                    document.headers.push(Header {
                        stem,
                        start,
                        end: self.position,
                    });
                }
                _ if is_space(byte) => {}
                _ if byte.is_ascii_alphabetic() => {
                    if document.entries.len() == ITEM_LIMIT {
                        return Err(Fault::TooMany);
                    }
                    let header = document.headers.len().checked_sub(1);
                    let entry = self.entry(start, header)?;
                    document.entries.push(entry);
                    document.ends_in_entry = self.ended;
                }
                _ => return Err(Fault::Malformed),
            }
        }
    }

    /// Reads from behind `[` to behind `]`.
    fn stem(&mut self) -> Result<Vec<u8>, Fault> {
        let mut stem = Vec::new();
        loop {
            let byte = self.next();
            if self.ended {
                return Err(Fault::Malformed);
            }
            match byte {
                b']' if stem.is_empty() => return Err(Fault::Malformed),
                b']' => break,
                _ if is_space(byte) => {
                    self.subsection(byte, &mut stem)?;
                    break;
                }
                _ if is_key_byte(byte) || byte == b'.' => stem.push(byte.to_ascii_lowercase()),
                _ => return Err(Fault::Malformed),
            }
        }
        if stem.len() > NAME_LIMIT {
            return Err(Fault::NameTooLong);
        }
        Ok(stem)
    }

    /// Reads a quoted subsection and what closes the header, `byte` being the space
    /// behind the section.
    fn subsection(&mut self, mut byte: u8, stem: &mut Vec<u8>) -> Result<(), Fault> {
        while is_space(byte) {
            if byte == b'\n' {
                return Err(Fault::Malformed);
            }
            byte = self.next();
        }
        if byte != b'"' {
            return Err(Fault::Malformed);
        }
        stem.push(b'.');
        loop {
            match self.next() {
                b'\n' => return Err(Fault::Malformed),
                b'"' => break,
                b'\\' => match self.next() {
                    b'\n' => return Err(Fault::Malformed),
                    escaped => stem.push(escaped),
                },
                plain => stem.push(plain),
            }
        }
        if self.next() == b']' {
            Ok(())
        } else {
            Err(Fault::Malformed)
        }
    }

    /// Reads an entry whose first letter, at `start`, was read already.
    fn entry(&mut self, start: usize, header: Option<usize>) -> Result<Entry, Fault> {
        let key_length = self
            .text
            .iter()
            .skip(start)
            .take_while(|b| is_key_byte(**b));
        let key_end = start + key_length.count();
        let spelling = self.text.get(start..key_end).unwrap_or_default().to_vec();
        if spelling.len() > NAME_LIMIT {
            return Err(Fault::NameTooLong);
        }
        self.position = key_end;
        let mut body_end = self.position;
        let mut byte = self.next();
        while byte == b' ' || byte == b'\t' {
            body_end = self.position;
            byte = self.next();
        }
        let value = match byte {
            b'\n' => None,
            b'=' => {
                let (value, value_end) = self.value()?;
                body_end = value_end;
                Some(value)
            }
            _ => return Err(Fault::Malformed),
        };
        Ok(Entry {
            header,
            key: spelling.to_ascii_lowercase(),
            spelling,
            value,
            start,
            key_end,
            body_end,
            end: self.position,
        })
    }

    /// Reads from behind `=` to behind the line end, and says where that line end was.
    fn value(&mut self) -> Result<(Vec<u8>, usize), Fault> {
        let mut value = Vec::new();
        let mut in_quotes = false;
        // How long the value is if the space at its end turns out to be the last of it.
        let mut trimmed = None;
        loop {
            let before = self.position;
            match self.next() {
                b'\n' if in_quotes => return Err(Fault::Malformed),
                b'\n' => {
                    value.truncate(trimmed.unwrap_or(value.len()));
                    return Ok((value, before));
                }
                space if is_space(space) && !in_quotes => {
                    if !value.is_empty() {
                        trimmed.get_or_insert(value.len());
                        value.push(space);
                    }
                }
                b'#' | b';' if !in_quotes => {
                    let mut before = self.position;
                    while self.next() != b'\n' {
                        before = self.position;
                    }
                    value.truncate(trimmed.unwrap_or(value.len()));
                    return Ok((value, before));
                }
                other => {
                    // Git forgets the space to trim here even if nothing follows it, as
                    // behind a continued line.
                    trimmed = None;
                    match other {
                        b'\\' => match self.next() {
                            b'\n' => {}
                            b't' => value.push(b'\t'),
                            b'b' => value.push(8),
                            b'n' => value.push(b'\n'),
                            escaped @ (b'\\' | b'"') => value.push(escaped),
                            _ => return Err(Fault::Malformed),
                        },
                        b'"' => in_quotes = !in_quotes,
                        plain => value.push(plain),
                    }
                }
            }
        }
    }
}

fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}
