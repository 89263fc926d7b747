//! Here-documents: their delimiters and bodies.

use super::{Ends, Splitter};

/// What ends a here-document.
#[derive(Debug)]
pub(super) struct Delimiter {
    text: Vec<u8>,
    is_quoted: bool,
    strips_tabs: bool,
}

impl Splitter<'_> {
    /// Reads the word behind `<<`.
    pub(super) fn delimiter(&mut self) -> Option<Delimiter> {
        let strips_tabs = self.peek(0) == b'-';
        self.at += usize::from(strips_tabs);
        self.blanks();
        let mut text = Vec::new();
        let mut is_quoted = false;
        loop {
            match self.peek(0) {
                quote @ (b'\'' | b'"') => {
                    is_quoted = true;
                    self.at += 1;
                    while self.peek(0) != quote {
                        match self.peek(0) {
                            0 | b'\n' | b'\\' | b'$' | b'`' => return None,
                            byte => text.push(byte),
                        }
                        self.at += 1;
                    }
                    self.at += 1;
                }
                b'\\' if self.peek(1).is_ascii_alphanumeric() => {
                    is_quoted = true;
                    text.push(self.peek(1));
                    self.at += 2;
                }
                byte if byte.is_ascii_alphanumeric() || b"_.-!%+=:,@/".contains(&byte) => {
                    text.push(byte);
                    self.at += 1;
                }
                b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b')' | b'<' | b'>' => break,
                _ => return None,
            }
        }
        (!text.is_empty()).then_some(Delimiter {
            text,
            is_quoted,
            strips_tabs,
        })
    }

    /// Passes the body of a here-document and the line that ends it.
    pub(super) fn document(&mut self, delimiter: &Delimiter, ends: Ends) -> Option<()> {
        while !self.is_done() {
            let start = self.at;
            self.line_end();
            let mut line = self.bytes.get(start..self.at)?;
            // The next line goes on with this one, and is no delimiter.
            let joins = !delimiter.is_quoted && line.ends_with(b"\\");
            self.at += 1;
            if delimiter.strips_tabs {
                let tabs = line.iter().take_while(|byte| **byte == b'\t').count();
                line = line.get(tabs..)?;
            }
            if line == delimiter.text {
                self.at = self.at.min(self.bytes.len());
                return Some(());
            }
            if joins || ends == Ends::WithParenthesis && line.starts_with(&delimiter.text) {
                return None;
            }
        }
        None
    }
}
