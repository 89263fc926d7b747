//! Here-documents: their bodies as words.

use shuck_ast as ast;

use super::literal::unescape_document;
use crate::facts::UnknownKind;
use crate::shell::bash::{Base, Reader};
use crate::shell::mark::{Lexeme, Role, Usage};
use crate::shell::{Piece, Quoting, Word};

impl Reader<'_> {
    /// The body of a here-document as a word.
    pub(in crate::shell::bash) fn here_document(&mut self, document: &ast::Heredoc) -> Word {
        let span = document.body.span;
        let (start, end) = (span.start.offset(), span.end.offset());
        let delimiter = self.slice(document.delimiter.span).to_owned();
        let quoted = delimiter.contains(['\'', '"', '\\']);
        self.note_document(document);
        let outer = std::mem::replace(&mut self.marks.word, (start, end));
        let word = self.as_role(Role::Document, |reader| {
            reader.document_body(document, quoted)
        });
        self.marks.word = outer;
        word
    }

    fn document_body(&mut self, document: &ast::Heredoc, quoted: bool) -> Word {
        let body = &document.body;
        let (start, end) = (body.span.start.offset(), body.span.end.offset());
        let mut word = Word {
            pieces: Vec::new(),
            braces: false,
            span: self.span(body.span),
        };
        if quoted {
            self.seen.whole(start, end);
            let delimiter = document.delimiter.span;
            let delimiter = (delimiter.start.offset(), delimiter.end.offset());
            self.marks
                .note(start, end, Lexeme::QuotedDocument { delimiter });
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
            let text = self.slice(body.span);
            let within = text.contains("END_OF_BODY");
            let text = format!("<<END_OF_BODY\n{text}\nEND_OF_BODY\n");
            let base = Base::Fixed(self.base.span(start, end));
            let mut statements = self.nested(&text, base);
            if let [only] = statements.as_mut_slice()
                && only.redirects.len() == 1
                && let Some(redirect) = only.redirects.pop()
                && !within
            {
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

    fn here_part(&mut self, part: &ast::HeredocBodyPartNode, pieces: &mut Vec<Piece>) {
        use ast::HeredocBodyPart as Part;
        let span = part.span;
        match &part.kind {
            Part::Literal(_) => {
                let (start, end) = (span.start.offset(), span.end.offset());
                self.seen.literal(start, end, Quoting::Quoted);
                self.marks.note(start, end, Lexeme::Literal);
                let text = unescape_document(self.slice(span));
                pieces.push(Piece::Text(text, Quoting::Quoted));
            }
            Part::Variable(name) => {
                let (start, end) = (span.start.offset(), span.end.offset());
                self.marks
                    .note(start, end, Lexeme::Variable(Quoting::Quoted));
                self.refer(name.as_str(), Usage::Value, (start, end));
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
