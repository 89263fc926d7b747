//! Where the commands of a script begin and end, so that only those with templates are parsed.
//!
//! A parser reads a long script too slowly for every run. What is found here is a guess that may
//! be missing but must not be wrong: whatever is unusual gives nothing, and then the whole script
//! is parsed. When a script is checked, both ways are taken and must agree.

use std::ops::Range;

mod documents;
mod words;

use documents::Delimiter;

/// Nested deeper than this, nothing is guessed.
const MAX_DEPTH: usize = 32;

/// The commands of a script that are not part of others, as whole lines.
pub(super) fn commands(script: &str) -> Option<Vec<Range<usize>>> {
    let mut splitter = Splitter {
        bytes: script.as_bytes(),
        at: 0,
        depth: 0,
        waiting: 0,
        commands: Vec::new(),
    };
    splitter.list(Ends::WithText)?;
    let start = splitter.commands.last().map_or(0, |last| last.end);
    if start < script.len() {
        splitter.commands.push(start..script.len());
    }
    Some(splitter.commands)
}

struct Splitter<'s> {
    bytes: &'s [u8],
    at: usize,
    depth: usize,
    /// Here-documents of the line whose bodies have not begun.
    waiting: usize,
    commands: Vec<Range<usize>>,
}

/// Where a list of commands ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    WithText,
    WithParenthesis,
}

/// What is open around a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    If,
    Loop,
    Group,
    Subshell,
    /// `case`, up to its `in`, with the number of words behind it.
    CaseHead(usize),
    CasePattern,
    CaseBody,
}

/// How far a list is.
#[derive(Debug)]
struct Progress {
    frames: Vec<Frame>,
    documents: Vec<Delimiter>,
    /// A command may start here, so reserved words count.
    at_start: bool,
    /// An operator or the head of a function wants more.
    wants_more: bool,
    /// `function` was read, and its name comes.
    names_function: bool,
}

impl Splitter<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn is_done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(0), b' ' | b'\t') {
            self.at += 1;
        }
    }

    fn line_end(&mut self) {
        while !self.is_done() && self.peek(0) != b'\n' {
            self.at += 1;
        }
    }

    /// Reads commands up to the end; nothing where that is not sure.
    fn list(&mut self, ends: Ends) -> Option<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut progress = Progress {
            frames: Vec::new(),
            documents: Vec::new(),
            at_start: true,
            wants_more: false,
            names_function: false,
        };
        while !self.is_done() {
            match self.peek(0) {
                0 => return None,
                b' ' | b'\t' => self.at += 1,
                b'\\' if self.peek(1) == b'\n' => self.at += 2,
                b'\n' => self.newline(&mut progress, ends)?,
                b'#' => self.line_end(),
                b')' if progress.frames.is_empty() => {
                    self.depth -= 1;
                    self.at += 1;
                    let finished = ends == Ends::WithParenthesis && progress.documents.is_empty();
                    return finished.then_some(());
                }
                b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' => {
                    self.operator(&mut progress)?;
                }
                _ => self.command_word(&mut progress)?,
            }
        }
        self.depth -= 1;
        let open = !progress.frames.is_empty() || !progress.documents.is_empty();
        (ends == Ends::WithText && !open).then_some(())
    }

    fn newline(&mut self, progress: &mut Progress, ends: Ends) -> Option<()> {
        self.at += 1;
        let documents = std::mem::take(&mut progress.documents);
        self.waiting -= documents.len();
        if self.waiting > 0 {
            return None;
        }
        for document in documents {
            self.document(&document, ends)?;
        }
        if progress.names_function || matches!(progress.frames.last(), Some(Frame::CaseHead(_))) {
            return None;
        }
        progress.at_start = true;
        if progress.frames.is_empty() && !progress.wants_more && ends == Ends::WithText {
            let start = self.commands.last().map_or(0, |last| last.end);
            self.commands.push(start..self.at);
        }
        Some(())
    }

    fn operator(&mut self, progress: &mut Progress) -> Option<()> {
        let (first, second) = (self.peek(0), self.peek(1));
        let top = progress.frames.last().copied();
        match (first, second) {
            (b';', b';' | b'&') => {
                if top != Some(Frame::CaseBody) {
                    return None;
                }
                self.at += 2 + usize::from(second == b';' && self.peek(2) == b'&');
                *progress.frames.last_mut()? = Frame::CasePattern;
            }
            (b'|' | b'(', _) if top == Some(Frame::CasePattern) => {
                self.at += 1;
                return Some(());
            }
            (b')', _) if top == Some(Frame::CasePattern) => {
                self.at += 1;
                *progress.frames.last_mut()? = Frame::CaseBody;
                progress.wants_more = false;
            }
            (b'&', b'>') => {
                self.at += 2;
                return Some(());
            }
            (b'&', b'&') | (b'|', b'|' | b'&') => {
                self.at += 2;
                progress.wants_more = true;
            }
            (b'|', _) => {
                self.at += 1;
                progress.wants_more = true;
            }
            (b';' | b'&', _) => self.at += 1,
            (b'(', _) if progress.at_start && !progress.wants_more && second == b'(' => {
                self.at += 2;
                self.arithmetic()?;
                progress.wants_more = false;
            }
            (b'(', _) if progress.at_start && !(progress.wants_more && second == b')') => {
                self.at += 1;
                progress.frames.push(Frame::Subshell);
                progress.wants_more = false;
            }
            (b'(', _) => {
                // The head of a function.
                self.at += 1;
                self.blanks();
                if self.peek(0) != b')' {
                    return None;
                }
                self.at += 1;
                progress.wants_more = true;
            }
            (b')', _) => {
                if progress.frames.pop() != Some(Frame::Subshell) {
                    return None;
                }
                self.at += 1;
            }
            (b'<' | b'>', b'(') => {
                self.at += 2;
                self.list(Ends::WithParenthesis)?;
                progress.at_start = false;
                return Some(());
            }
            (b'<', b'<') if self.peek(2) == b'<' => {
                self.at += 3;
                return Some(());
            }
            (b'<', b'<') => {
                self.at += 2;
                progress.documents.push(self.delimiter()?);
                self.waiting += 1;
                return Some(());
            }
            _ => {
                self.at += 1 + usize::from(matches!(second, b'<' | b'>' | b'&' | b'|'));
                return Some(());
            }
        }
        progress.at_start = true;
        Some(())
    }

    fn command_word(&mut self, progress: &mut Progress) -> Option<()> {
        let start = self.at;
        let is_plain = self.word()?;
        let bytes = self.bytes;
        let word = bytes.get(start..self.at)?;
        progress.wants_more = false;
        if std::mem::take(&mut progress.names_function) {
            progress.wants_more = true;
            progress.at_start = true;
            return Some(());
        }
        match progress.frames.last_mut() {
            Some(Frame::CaseHead(0)) => {
                *progress.frames.last_mut()? = Frame::CaseHead(1);
                return Some(());
            }
            Some(Frame::CaseHead(_)) if word == b"in" => {
                *progress.frames.last_mut()? = Frame::CasePattern;
                return Some(());
            }
            Some(Frame::CaseHead(_)) => return None,
            Some(Frame::CasePattern) if word == b"esac" => {
                progress.frames.pop();
                progress.at_start = true;
                return Some(());
            }
            Some(Frame::CasePattern) => return Some(()),
            _ => {}
        }
        if !progress.at_start || !is_plain {
            progress.at_start = false;
            return Some(());
        }
        self.reserved(word, progress)
    }

    fn reserved(&mut self, word: &[u8], progress: &mut Progress) -> Option<()> {
        let frames = &mut progress.frames;
        let top = frames.last().copied();
        let expect = |frame: Frame| (top == Some(frame)).then_some(());
        match word {
            b"if" => frames.push(Frame::If),
            b"then" | b"else" | b"elif" => expect(Frame::If)?,
            b"while" | b"until" => frames.push(Frame::Loop),
            b"for" | b"select" => {
                frames.push(Frame::Loop);
                self.blanks();
                if self.peek(0) == b'(' && self.peek(1) == b'(' {
                    self.at += 2;
                    self.arithmetic()?;
                } else {
                    progress.at_start = false;
                }
            }
            b"do" => expect(Frame::Loop)?,
            b"case" => frames.push(Frame::CaseHead(0)),
            b"{" => frames.push(Frame::Group),
            b"fi" | b"done" | b"}" | b"esac" => {
                expect(match word {
                    b"fi" => Frame::If,
                    b"done" => Frame::Loop,
                    b"}" => Frame::Group,
                    _ => Frame::CaseBody,
                })?;
                frames.pop();
            }
            b"!" | b"time" => {}
            b"function" => progress.names_function = true,
            b"[[" => {
                self.test()?;
            }
            b"coproc" | b"in" | b"]]" => return None,
            _ => progress.at_start = false,
        }
        Some(())
    }
}
