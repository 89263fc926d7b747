//! Here-documents: that bash begins and ends each of them where the parser does.
//!
//! Text that one takes for data and the other for commands would run unseen. So what bash
//! does is computed here from the original bytes, and whatever is odd is a problem.

use shuck_ast as ast;

use super::Reader;
use crate::facts::UnknownKind;

/// The places of a text that its here-documents depend on.
#[derive(Debug, Default)]
pub(super) struct Documents {
    all: Vec<Document>,
    /// Parts of words that may hold lines, as start and end.
    parts: Vec<(usize, usize)>,
}

/// One here-document, as the parser sees it.
#[derive(Debug, Clone)]
struct Document {
    /// The word behind the operator.
    delimiter: (usize, usize),
    body: (usize, usize),
    /// What the parser takes the word for.
    cooked: String,
    /// `<<-`: tabs before a line do not count.
    strips: bool,
    /// It stands in a substitution.
    substituted: bool,
}

/// A delimiter as bash reads it.
#[derive(Debug, PartialEq, Eq)]
struct Delimiter {
    text: String,
    /// Nothing is expanded or joined in its document.
    quoted: bool,
}

impl Documents {
    /// Notes a part of a word.
    pub(super) fn part(&mut self, start: usize, end: usize) {
        self.parts.push((start, end));
    }
}

impl Reader<'_> {
    /// Notes a here-document, for the end of the text.
    pub(super) fn note_document(&mut self, document: &ast::Heredoc) {
        let place = |span: ast::Span| (span.start.offset(), span.end.offset());
        self.documents.all.push(Document {
            delimiter: place(document.delimiter.span),
            body: place(document.body.span),
            cooked: document.delimiter.cooked.as_str().to_owned(),
            strips: document.delimiter.strip_tabs,
            substituted: self.substituted,
        });
    }

    /// Checks all here-documents of the text.
    pub(super) fn check_documents(&mut self) {
        let mut documents = std::mem::take(&mut self.documents);
        if documents.all.is_empty() {
            return;
        }
        documents.all.sort_by_key(|document| document.delimiter);
        documents.parts.sort_unstable();
        let mut parts = documents.parts.iter().copied().peekable();
        let mut around = Around::default();
        // Where the line of the last operator ends, and where its document does.
        let mut last: Option<(usize, usize)> = None;
        // A line is looked at for each of its documents, so the sum is bounded.
        let mut budget = 8 * self.text.len() + 4096;
        for document in &documents.all {
            let (at, behind) = document.delimiter;
            while let Some((start, end)) = parts.next_if(|part| part.0 <= at) {
                around.enter(start, end);
            }
            let line = self.line_end(document, &mut budget).filter(|&line| {
                let from = documents.parts.partition_point(|part| part.0 < behind);
                let to = documents.parts.partition_point(|part| part.0 < line);
                let rest = documents.parts.get(from..to).unwrap_or_default();
                budget = budget.saturating_sub(rest.len());
                rest.iter().all(|part| part.1 <= line)
            });
            // Several documents of a line follow each other.
            let start = line.map(|line| match last {
                Some((same, end)) if same == line => end,
                _ => line + 1,
            });
            let end = start.and_then(|start| self.document_end(document, start));
            last = line.zip(end);
            if !end.is_some_and(|end| around.holds(at, end)) {
                let (start, end) = document.body;
                self.problem(UnknownKind::Syntax, start, end);
            }
        }
    }

    /// Where the line of an operator ends; none where bash could see another end or one more
    /// operator in it.
    fn line_end(&self, document: &Document, budget: &mut usize) -> Option<usize> {
        let (start, end) = document.delimiter;
        let before = self.text.get(..start)?;
        let operator = before.trim_end_matches([' ', '\t']);
        let operator = if document.strips {
            operator.strip_suffix("<<-")?
        } else {
            operator.strip_suffix("<<")?
        };
        if operator.ends_with(['<', '\\']) {
            return None;
        }
        let from = before.rfind('\n').map_or(0, |newline| newline + 1);
        let after = self.text.get(end..)?;
        let tail = after.get(..after.find('\n')?)?;
        let line = self.text.get(from..end + tail.len())?;
        *budget = budget.checked_sub(line.len())?;
        let odd = ["\\\"", "\\'", "}#", "]#"];
        let brackets = |sign: char| line.matches(sign).count();
        // The parser falls over what is odd, if it was given it.
        let given = self.prepared.get(from..end + tail.len())?;
        let plain = !line.ends_with('\\')
            && !odd.iter().any(|odd| given.contains(odd))
            && brackets('[') == brackets(']')
            && (tail.is_empty() || tail.starts_with([' ', '\t', ';', '|', '&', ')', '<', '>']))
            && is_complete(tail);
        plain.then_some(end + tail.len())
    }

    /// Where bash goes on behind a document whose body starts here; none where that is another
    /// place than the parser's.
    fn document_end(&self, document: &Document, start: usize) -> Option<usize> {
        let (from, to) = document.delimiter;
        let delimiter = Delimiter::read(self.text.get(from..to)?)?;
        if delimiter.text != document.cooked || document.body.0 != start {
            return None;
        }
        let wanted = delimiter.text.as_str();
        let mut at = start;
        loop {
            let rest = self.text.get(at..).filter(|rest| !rest.is_empty())?;
            let (line, length) = first_line(rest, !delimiter.quoted);
            let line = if document.strips {
                line.trim_start_matches('\t')
            } else {
                &line
            };
            if line == wanted {
                return (at == document.body.1).then_some(at + length);
            }
            // In a substitution bash also ends it at a line that only starts with the delimiter.
            let behind = line.strip_prefix(wanted);
            if behind.is_some_and(|behind| document.substituted || behind.contains(')')) {
                return None;
            }
            at += length;
            if at > document.body.1 {
                return None;
            }
        }
    }
}

/// The parts of words that are around a place, the innermost last.
#[derive(Debug, Default)]
struct Around {
    /// Where each ends, and where the first of all of them does.
    open: Vec<(usize, usize)>,
}

impl Around {
    fn leave(&mut self, at: usize) {
        while self.open.last().is_some_and(|part| part.0 <= at) {
            self.open.pop();
        }
    }

    fn enter(&mut self, start: usize, end: usize) {
        self.leave(start);
        let first = self.open.last().map_or(end, |outer| end.min(outer.1));
        self.open.push((end, first));
    }

    /// Whether all of them that are around a place reach to another one.
    fn holds(&mut self, at: usize, end: usize) -> bool {
        self.leave(at);
        self.open.last().is_none_or(|part| end <= part.1)
    }
}

impl Delimiter {
    /// Takes the quotes away as bash does; none for a spelling that is not in ordinary use.
    fn read(raw: &str) -> Option<Self> {
        let mut text = String::with_capacity(raw.len());
        let mut quoted = false;
        let mut bytes = raw.chars();
        while let Some(next) = bytes.next() {
            match next {
                '\'' | '"' => {
                    quoted = true;
                    loop {
                        match bytes.next()? {
                            close if close == next => break,
                            // What it does depends on what follows.
                            '\\' if next == '"' => return None,
                            inner => text.push(plain(inner)?),
                        }
                    }
                }
                '\\' => {
                    quoted = true;
                    text.push(plain(bytes.next()?)?);
                }
                ' ' | '\t' | '|' | '&' | ';' | '(' | ')' | '<' | '>' => return None,
                other => text.push(plain(other)?),
            }
        }
        Some(Self { text, quoted })
    }
}

/// A character that is itself in a delimiter, for bash and for the parser.
fn plain(character: char) -> Option<char> {
    let fine = matches!(character, ' '..='~') && !matches!(character, '$' | '`');
    fine.then_some(character)
}

/// The first line of a text as bash compares it with a delimiter, and how long it is with its end.
fn first_line(text: &str, joins: bool) -> (std::borrow::Cow<'_, str>, usize) {
    let end = text.find('\n').unwrap_or(text.len());
    let line = text.get(..end).unwrap_or_default();
    if !joins || !line.ends_with('\\') {
        return (line.into(), (end + 1).min(text.len()));
    }
    // A backslash takes the end of its line away, unless another one quotes it.
    let mut joined = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\n' => return (joined.into(), at + 1),
            '\\' => match characters.next() {
                Some((_, '\n')) => {}
                Some((_, next)) => joined.extend(['\\', next]),
                None => joined.push('\\'),
            },
            other => joined.push(other),
        }
    }
    (joined.into(), text.len())
}

/// Whether what follows an operator on its line leaves nothing open that would go on behind it.
fn is_complete(tail: &str) -> bool {
    let (mut open, mut ticks) = (0_isize, 0_usize);
    let mut quote = None;
    let mut before = ' ';
    let mut characters = tail.chars();
    while let Some(next) = characters.next() {
        match (next, quote) {
            ('\'', Some('\'')) | ('"', Some('"')) => quote = None,
            (_, Some('\'')) => {}
            ('\\', _) => {
                characters.next();
            }
            ('\'', None) if before == '$' => return false,
            ('\'' | '"', None) => quote = Some(next),
            ('#', None) if matches!(before, ' ' | '\t' | ';' | '|' | '&' | '(' | ')') => break,
            ('(', _) if quote.is_none() || before == '$' => open += 1,
            (')', _) => open -= 1,
            ('`', _) => ticks += 1,
            _ => {}
        }
        before = next;
    }
    quote.is_none() && open <= 0 && ticks.is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_are_what_bash_makes_of_them() {
        let cases = [
            ("EOF", Some(("EOF", false))),
            ("'EOF'", Some(("EOF", true))),
            ("\"EOF\"", Some(("EOF", true))),
            ("\\EOF", Some(("EOF", true))),
            ("E'O'\"F\"", Some(("EOF", true))),
            ("'\\E'", Some(("\\E", true))),
            ("'a b'", Some(("a b", true))),
            ("''", Some(("", true))),
            ("\"a\\b\"", None),
            ("$'E'", None),
            ("$\"E\"", None),
            ("$x", None),
            ("`x`", None),
            ("\u{e9}", None),
            ("'E\nF'", None),
            ("'E", None),
            ("E\\", None),
        ];
        for (raw, expected) in cases {
            let expected = expected.map(|(text, quoted)| Delimiter {
                text: text.to_owned(),
                quoted,
            });
            assert_eq!(Delimiter::read(raw), expected, "{raw}");
        }
    }

    #[test]
    fn lines_are_joined_where_bash_joins_them() {
        let cases = [
            ("a\nb", true, ("a", 2)),
            ("a\\\nb\nc", true, ("ab", 5)),
            ("a\\\nb\nc", false, ("a\\", 3)),
            ("a\\\\\nb", true, ("a\\\\", 4)),
            ("a\\\\\\\nb", true, ("a\\\\b", 6)),
            ("a", true, ("a", 1)),
            ("a\\", true, ("a\\", 2)),
        ];
        for (text, joins, (line, length)) in cases {
            assert_eq!(first_line(text, joins), (line.into(), length), "{text:?}");
        }
    }

    #[test]
    fn what_is_open_at_the_end_of_a_line_is_seen() {
        for tail in ["", " > \"$(date).txt\" | sort", ") | sort 'a (b'", " # it's"] {
            assert!(is_complete(tail), "{tail}");
        }
        for tail in [" 'a", " \"a", " $(a", " (a", " `a", " $'a'", " a#'"] {
            assert!(!is_complete(tail), "{tail}");
        }
    }
}
