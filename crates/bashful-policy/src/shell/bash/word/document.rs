//! Here-documents: their bodies as words.

use shuck_ast as ast;

use super::literal::unescape;
use crate::facts::UnknownKind;
use crate::shell::bash::{Base, Reader};
use crate::shell::{Piece, Quoting, Word};

impl Reader<'_> {
    /// The body of a here-document as a word.
    pub(in crate::shell::bash) fn here_document(&mut self, document: &ast::Heredoc) -> Word {
        let body = &document.body;
        let (start, end) = (body.span.start.offset(), body.span.end.offset());
        let delimiter = self.slice(document.delimiter.span).to_owned();
        let quoted = delimiter.contains(['\'', '"', '\\', '$']);
        if !self.is_plain_document(document) {
            self.problem(UnknownKind::Syntax, start, end);
        }
        let mut word = Word {
            pieces: Vec::new(),
            braces: false,
            span: self.span(body.span),
        };
        if quoted {
            self.seen.whole(start, end);
            let text = self.slice(body.span).to_owned();
            word.pieces.push(Piece::Text(text, Quoting::Quoted));
            return word;
        }
        if matches!(body.mode, ast::HeredocBodyMode::Literal)
            && self.slice(body.span).contains(['$', '`'])
        {
            // The second document of a line is taken as quoted by the parser, so it is read again
            // as the first one of a text of its own.
            self.seen.whole(start, end);
            let text = format!("<<END_OF_BODY\n{}\nEND_OF_BODY\n", self.slice(body.span));
            let base = Base::Fixed(self.base.span(start, end));
            let mut statements = self.nested(&text, base);
            let redirect = statements.pop().and_then(|mut only| only.redirects.pop());
            if let Some(redirect) = redirect {
                return redirect.target;
            }
            self.problem(UnknownKind::Syntax, start, end);
            return word;
        }
        for part in &body.parts {
            self.here_part(part, &mut word.pieces);
        }
        word
    }

    /// Whether the parser and bash see the same document: its line ends where it seems to, nothing
    /// on that line confuses the parser, and the delimiter stands behind the body.
    fn is_plain_document(&self, document: &ast::Heredoc) -> bool {
        let delimiter = document.delimiter.span;
        let at = delimiter.start.offset();
        let before = self.text.get(..at).unwrap_or_default();
        let from = before.rfind('\n').map_or(0, |newline| newline + 1);
        let rest = self.text.get(from..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        let after = self.text.get(delimiter.end.offset()..).unwrap_or_default();
        let after = after.split('\n').next().unwrap_or_default();
        let odd = ["\\\"", "\\'", "}#", "]#"];
        let brackets = |sign: char| line.matches(sign).count();
        if line.ends_with('\\')
            || self.slice(delimiter).contains('\n')
            || odd.iter().any(|odd| line.contains(odd))
            || brackets('[') != brackets(']')
            || after.starts_with('\\')
        {
            return false;
        }
        let body = document.body.span;
        if self.slice(body).ends_with("\\\n") {
            // Unless it is quoted, this joins the delimiter to the last line.
            return false;
        }
        let wanted = document.delimiter.cooked.as_str();
        let stripped = |line: &'_ str| {
            let tabs = document.delimiter.strip_tabs;
            if tabs {
                line.trim_start_matches('\t').len()
            } else {
                line.len()
            }
        };
        let plain = |line: &'_ str| {
            line.get(line.len() - stripped(line)..)
                .unwrap_or_default()
                .to_owned()
        };
        let behind = self.text.get(body.end.offset()..).unwrap_or_default();
        let ends = behind.is_empty()
            || plain(behind.split('\n').next().unwrap_or_default()).starts_with(wanted);
        // In a substitution bash also ends it at a line that only starts with the delimiter.
        let early = self.substituted
            && self
                .slice(body)
                .lines()
                .any(|line| plain(line).starts_with(wanted));
        ends && !early
    }

    fn here_part(&mut self, part: &ast::HeredocBodyPartNode, pieces: &mut Vec<Piece>) {
        use ast::HeredocBodyPart as Part;
        let span = part.span;
        match &part.kind {
            Part::Literal(_) => {
                let (start, end) = (span.start.offset(), span.end.offset());
                self.seen.literal(start, end, Quoting::Quoted);
                let raw = self.slice(span).to_owned();
                unescape(&raw, Quoting::Quoted, pieces);
            }
            Part::Variable(name) => {
                pieces.push(Piece::Variable(name.as_str().to_owned(), Quoting::Quoted));
            }
            Part::CommandSubstitution { body, syntax } => {
                let body = self.substitution(body, *syntax, span);
                pieces.push(Piece::Command(body, Quoting::Quoted));
            }
            Part::ArithmeticExpansion { expression_ast, .. } => {
                self.seen.start(span.start.offset());
                let expression = self.expression(expression_ast.as_deref(), span);
                pieces.push(Piece::Arithmetic(expression, Quoting::Quoted));
            }
            Part::Parameter(parameter) => {
                let part = ast::WordPart::Parameter(parameter.clone());
                let node = ast::WordPartNode::new(part, span);
                self.part(&node, Quoting::Quoted, pieces);
            }
        }
    }
}
