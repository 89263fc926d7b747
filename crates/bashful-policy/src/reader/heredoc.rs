//! Here-documents: the operator comes first, the body with the next line.

use super::{Level, Reader};
use crate::script::{Command, Redirect, RedirectKind, Span, Word};
use crate::words::Place;

/// Bash itself refuses more than this many at once.
const MAX_PENDING: usize = 16;

/// Here-documents whose body has not been read, or whose command has not ended.
#[derive(Debug, Default)]
pub(super) struct Pending {
    waiting: Vec<HereDocument>,
    /// Bodies that came before their command ended.
    ready: Vec<(usize, Word)>,
    next_id: usize,
}

#[derive(Debug)]
struct HereDocument {
    id: usize,
    delimiter: String,
    /// A quoted delimiter makes the body plain data.
    quoted: bool,
    strip_tabs: bool,
    /// The command and the redirect in it, once the command has ended.
    owner: Option<(usize, usize)>,
}

impl Reader<'_, '_> {
    /// `<<WORD`: the cursor is on the word.
    pub(super) fn here_operator(&mut self, level: &mut Level, strip_tabs: bool) {
        let start = self.position;
        let delimiter = self.word(Place::Command).pop().unwrap_or_default();
        if self.here.waiting.len() >= MAX_PENDING {
            self.give_up();
            return;
        }
        self.script.trouble |= delimiter.span.0 == delimiter.span.1;
        let id = self.here.next_id;
        self.here.next_id += 1;
        self.here.waiting.push(HereDocument {
            id,
            delimiter: delimiter.text,
            quoted: delimiter.quoted,
            strip_tabs,
            owner: None,
        });
        let span = self.span_from(start);
        if level.command.span == (0, 0) {
            level.command.span.0 = span.0;
        }
        level.command.span.1 = span.1;
        let target = Word::default();
        level.command.redirects.push(Redirect {
            kind: RedirectKind::Here,
            target,
            awaits: Some(id),
        });
    }

    /// Connects an ending command with its here-documents.
    pub(super) fn settle_here_documents(&mut self, command: &mut Command) {
        let index = self.script.commands.len();
        for (place, redirect) in command.redirects.iter_mut().enumerate() {
            let Some(id) = redirect.awaits else { continue };
            let ready = self.here.ready.iter().position(|(ready, _)| *ready == id);
            if let Some(position) = ready {
                redirect.target = self.here.ready.swap_remove(position).1;
            }
            for document in self
                .here
                .waiting
                .iter_mut()
                .filter(|document| document.id == id)
            {
                document.owner = Some((index, place));
            }
        }
    }

    /// Reads the bodies of all waiting here-documents; the cursor is at the start of a line.
    pub(super) fn here_documents(&mut self, closer: Option<u8>) {
        for document in std::mem::take(&mut self.here.waiting) {
            let body = self.find_body(&document, closer);
            let word = if document.quoted {
                self.data_body(body.text_end)
            } else {
                let limit = self.narrow(body.text_end);
                let word = self.here_body();
                self.limit = limit;
                word
            };
            self.position = body.next;
            let redirect = document.owner.and_then(|(command, redirect)| {
                self.script
                    .commands
                    .get_mut(command)?
                    .redirects
                    .get_mut(redirect)
            });
            match redirect {
                Some(redirect) => redirect.target = word,
                None => self.here.ready.push((document.id, word)),
            }
        }
    }

    fn data_body(&self, end: usize) -> Word {
        let bytes = self.text.get(self.position..end).unwrap_or_default();
        let span: Span = self.origin.unwrap_or((self.position, end));
        Word {
            text: String::from_utf8_lossy(bytes).into_owned(),
            span,
            ..Word::default()
        }
    }

    fn find_body(&mut self, document: &HereDocument, closer: Option<u8>) -> Body {
        let mut line_start = self.position;
        while line_start < self.limit {
            let rest = self.text.get(line_start..self.limit).unwrap_or_default();
            let newline = rest.iter().position(|&byte| byte == b'\n');
            let length = newline.unwrap_or(rest.len());
            let mut line = rest.get(..length).unwrap_or_default();
            if document.strip_tabs {
                let tabs = line.iter().take_while(|&&byte| byte == b'\t').count();
                line = line.get(tabs..).unwrap_or_default();
            }
            if line == document.delimiter.as_bytes() {
                return Body {
                    text_end: line_start,
                    next: line_start + length + 1,
                };
            }
            // `EOF)` ends a here-document at the end of a substitution.
            let tail = line.strip_prefix(document.delimiter.as_bytes());
            if closer.is_some() && tail.is_some_and(|tail| tail.first() == closer.as_ref()) {
                let next = line_start + length - tail.map_or(0, <[u8]>::len);
                return Body {
                    text_end: line_start,
                    next,
                };
            }
            line_start += length + 1;
        }
        self.script.trouble = true;
        Body {
            text_end: self.limit,
            next: self.limit,
        }
    }
}

/// Where a body ends, and where reading goes on.
struct Body {
    text_end: usize,
    next: usize,
}
