//! Writing the script anew, with variables in the places of templates.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::facts::Span;
use crate::templates::name::Candidate;
use crate::templates::site::Form;

/// Whether a variable holds several words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Text,
    Words,
}

/// What is to be changed in a script.
pub(super) struct Edits<'s> {
    script: &'s str,
    /// What comes instead of which bytes.
    changes: Vec<(Range<usize>, String)>,
    /// Here-documents that expand nothing and have bound templates: bodies with delimiters.
    documents: BTreeMap<Span, Span>,
}

impl<'s> Edits<'s> {
    pub(super) fn new(script: &'s str) -> Self {
        Self {
            script,
            changes: Vec::new(),
            documents: BTreeMap::new(),
        }
    }

    /// Puts a variable in the place of a template.
    pub(super) fn replace(
        &mut self,
        candidate: &Candidate,
        form: Form,
        (variable, holds): (&str, Holds),
    ) {
        let (before, after) = match form {
            Form::Bare => ("\"", "\""),
            Form::Quoted | Form::Number | Form::Document { .. } => ("", ""),
            Form::Single => ("'\"", "\"'"),
            Form::Ansi => ("'\"", "\"$'"),
        };
        let every = match holds {
            Holds::Text => "",
            Holds::Words => "[@]",
        };
        let text = [before, "${", variable, every, "}", after].concat();
        self.changes.push((candidate.start..candidate.end, text));
        if let Form::Document { delimiter, body } = form {
            self.documents.insert(body, delimiter);
        }
    }

    /// The script with all changes.
    pub(super) fn finish(mut self) -> String {
        for (body, delimiter) in std::mem::take(&mut self.documents) {
            self.expand_document(body, delimiter);
        }
        self.changes.sort_by_key(|(range, _)| range.start);
        let added: usize = self.changes.iter().map(|(_, text)| text.len()).sum();
        let mut written = String::with_capacity(self.script.len() + added);
        let mut at = 0;
        for (range, text) in &self.changes {
            written.push_str(self.script.get(at..range.start).unwrap_or_default());
            written.push_str(text);
            at = range.end;
        }
        written.push_str(self.script.get(at..).unwrap_or_default());
        written
    }

    /// Makes a here-document one that expands, and quotes everything in it but what is bound.
    fn expand_document(&mut self, body: Span, delimiter: Span) {
        let word = self
            .script
            .get(delimiter.0..delimiter.1)
            .unwrap_or_default();
        let plain = plain_delimiter(word).unwrap_or(word).to_owned();
        let bound: Vec<Range<usize>> = self
            .changes
            .iter()
            .map(|(range, _)| range.clone())
            .filter(|range| body.0 <= range.start && range.end <= body.1)
            .collect();
        let mut bound = bound.into_iter().peekable();
        let text = self.script.get(body.0..body.1).unwrap_or_default();
        for (index, sign) in text.match_indices(['$', '`', '\\']) {
            let at = body.0 + index;
            while bound.next_if(|range| range.end <= at).is_some() {}
            if !bound.peek().is_some_and(|range| range.contains(&at)) {
                self.changes.push((at..at + 1, format!("\\{sign}")));
            }
        }
        self.changes.push((delimiter.0..delimiter.1, plain));
    }
}

/// The delimiter without its quotes, if it is one plain word in one pair of quotes or behind one
/// backslash. Only then is it known what bash takes for the end of the document.
pub(in crate::templates) fn plain_delimiter(word: &str) -> Option<&str> {
    let within = |quote: char| word.strip_prefix(quote)?.strip_suffix(quote);
    let plain = within('\'')
        .or_else(|| within('"'))
        .or_else(|| word.strip_prefix('\\'))?;
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (!plain.is_empty() && plain.bytes().all(fits)).then_some(plain)
}
