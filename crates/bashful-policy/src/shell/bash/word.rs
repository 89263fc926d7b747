//! Words: from the parser's parts to our pieces.

use shuck_ast as ast;

use super::{Base, Reader};
use crate::facts::{Span, UnknownKind};
use crate::shell::mark::{Lexeme, Marks, Role, Usage};
use crate::shell::{Direction, Expansion, Operator, Piece, Quoting, Word, ansi};

mod document;
mod expansion;
mod literal;

use literal::{has_bare_brace, has_open_end, is_closed, unescape, unescape_backticks};

impl Word {
    /// A word that is exactly this text.
    pub(crate) fn text(text: &str, span: Span) -> Self {
        Self {
            pieces: vec![Piece::Text(text.to_owned(), Quoting::Quoted)],
            braces: false,
            span,
        }
    }
}

impl Reader<'_> {
    pub(super) fn word(&mut self, word: &ast::Word) -> Word {
        let mut pieces = Vec::with_capacity(word.parts.len());
        let span = (word.span.start.offset(), word.span.end.offset());
        let outer = std::mem::replace(&mut self.marks.word, span);
        self.parts(&word.parts, Quoting::Bare, &mut pieces);
        self.marks.word = outer;
        let text = self.slice(word.span);
        Word {
            braces: text.contains('{') && text.contains('}'),
            pieces,
            span: self.span(word.span),
        }
    }

    fn parts(&mut self, parts: &[ast::WordPartNode], quoting: Quoting, pieces: &mut Vec<Piece>) {
        for part in parts {
            self.part(part, quoting, pieces);
        }
    }

    fn part(&mut self, part: &ast::WordPartNode, quoting: Quoting, pieces: &mut Vec<Piece>) {
        use ast::WordPart as Part;
        let span = part.span;
        let (start, end) = (span.start.offset(), span.end.offset());
        self.check_ends(part);
        if self.has_documents {
            self.documents.part(start, end);
        }
        if let Some(expansion) = self.misread(&part.kind, span) {
            self.refer_to(&expansion, (start, end));
            pieces.push(Piece::Expansion(Box::new(expansion), quoting));
            return;
        }
        match &part.kind {
            Part::Literal(literal) => {
                self.marks.note(start, end, Lexeme::Literal);
                let raw = self.slice(span).to_owned();
                self.refer_to_names(&raw, (start, end));
                // A text that is not in the source was made by the parser; then it is plain.
                if literal.is_source_backed() || !raw.is_empty() {
                    self.seen.literal(start, end, quoting);
                    if self.strict && has_open_end(&raw, quoting) {
                        self.problem(UnknownKind::Syntax, start, end);
                    }
                    unescape(&raw, quoting, pieces);
                } else {
                    let text = literal.as_str(self.text, span).to_owned();
                    pieces.push(Piece::Text(text, quoting));
                }
            }
            Part::SingleQuoted { .. }
                if self.quoted_word && self.slice(span).contains(['$', '`']) =>
            {
                let body = self.quoted_text(span);
                pieces.push(Piece::Command(body, quoting));
            }
            Part::SingleQuoted { dollar, .. } => {
                let lexeme = if *dollar {
                    Lexeme::Ansi
                } else {
                    Lexeme::Single
                };
                let text = self.single_quoted(lexeme, span);
                pieces.push(Piece::Text(text, Quoting::Quoted));
            }
            Part::DoubleQuoted { parts, .. } => {
                // Empty quotes still make a word.
                pieces.push(Piece::Text(String::new(), Quoting::Quoted));
                self.parts(parts, Quoting::Quoted, pieces);
            }
            Part::Variable(name) => {
                self.marks.note(start, end, Lexeme::Variable(quoting));
                self.refer(name.as_str(), Usage::Value, (start, end));
                pieces.push(Piece::Variable(name.as_str().to_owned(), quoting));
            }
            Part::CommandSubstitution { body, syntax } => {
                let body = self.substitution(body, *syntax, span);
                pieces.push(Piece::Command(body, quoting));
            }
            Part::ProcessSubstitution { body, is_input } => {
                pieces.push(self.process(body, *is_input, span));
            }
            Part::ArithmeticExpansion { expression_ast, .. } => {
                self.seen.start(start);
                let strict = std::mem::replace(&mut self.strict, false);
                let expression = self.expression(expression_ast.as_deref(), span);
                self.strict = strict;
                pieces.push(Piece::Arithmetic(expression, quoting));
            }
            Part::ZshQualifiedGlob(_) => {
                self.problem(UnknownKind::Syntax, start, end);
                let text = self.slice(span).to_owned();
                pieces.push(Piece::Text(text, quoting));
            }
            other => {
                let strict = std::mem::replace(&mut self.strict, false);
                let outer = std::mem::replace(&mut self.in_quotes, quoting == Quoting::Quoted);
                let mut expansion = self.expansion(other);
                self.in_quotes = outer;
                self.strict = strict;
                expansion.span = self.span(span);
                self.refer_to(&expansion, (start, end));
                if expansion.operator == Operator::Other
                    && expansion.words.is_empty()
                    && expansion.expressions.is_empty()
                    && let Part::Parameter(parameter) = other
                    && let Some(ast::BourneParameterExpansion::Access { reference }) =
                        parameter.bourne()
                    && reference.subscript.is_none()
                {
                    self.marks.note(start, end, Lexeme::Variable(quoting));
                    pieces.push(Piece::Variable(expansion.name, quoting));
                } else {
                    pieces.push(Piece::Expansion(Box::new(expansion), quoting));
                }
            }
        }
    }

    /// Notes the variables that a text names where it is evaluated as an expression.
    fn refer_to_names(&mut self, text: &str, span: Span) {
        if !self.marks.follows || !matches!(self.marks.role, Role::Arithmetic | Role::Subscript) {
            return;
        }
        for name in names_in(text) {
            self.refer(name, Usage::Value, span);
        }
    }

    /// Notes the variable of an expansion.
    fn refer_to(&mut self, expansion: &Expansion, span: Span) {
        let usage = match expansion.operator {
            // These give a number, or only the word.
            Operator::Length | Operator::Alternative => return,
            Operator::Evaluate => Usage::Prompt,
            Operator::Indirect => Usage::Name,
            _ => Usage::Value,
        };
        self.refer(&expansion.name, usage, span);
    }

    /// `<(…)` or `>(…)`.
    fn process(&mut self, body: &ast::StmtSeq, is_input: bool, span: ast::Span) -> Piece {
        let (start, end) = (span.start.offset(), span.end.offset());
        self.seen.start(start);
        if is_input {
            self.as_role(Role::Target, |reader| reader.substitutes(start, end));
        }
        self.recheck(body, span);
        let substituted = std::mem::replace(&mut self.substituted, true);
        let body = self.statements(body);
        self.substituted = substituted;
        let direction = if is_input {
            Direction::Printed
        } else {
            Direction::Fed
        };
        Piece::Process(body, direction)
    }

    /// What stands in `'…'` or `$'…'`.
    fn single_quoted(&mut self, lexeme: Lexeme, span: ast::Span) -> String {
        let (start, end) = (span.start.offset(), span.end.offset());
        self.seen.whole(start, end);
        self.marks.note(start, end, lexeme);
        let raw = self.slice(span).to_owned();
        self.refer_to_names(&raw, (start, end));
        let inner = raw.strip_prefix('$').unwrap_or(&raw);
        let inner = inner.strip_prefix('\'').unwrap_or(inner);
        let inner = inner.strip_suffix('\'').unwrap_or(inner);
        if lexeme == Lexeme::Ansi {
            ansi::decode(inner)
        } else {
            inner.to_owned()
        }
    }

    /// Single quotes that bash takes for text, so that what stands in them runs.
    fn quoted_text(&mut self, span: ast::Span) -> Vec<crate::shell::Statement> {
        let (start, end) = (span.start.offset(), span.end.offset());
        self.seen.whole(start, end);
        if self.slice(span).contains("END_OF_WORD") {
            self.problem(UnknownKind::Syntax, start, end);
        }
        // A here-document takes all quotes for text.
        let text = format!(": <<END_OF_WORD\n{}\nEND_OF_WORD\n", self.slice(span));
        self.nested(&text, Base::Fixed(self.base.span(start, end)))
    }

    /// Checks that a part ends for bash where it ends for the parser.
    fn check_ends(&mut self, part: &ast::WordPartNode) {
        let text = self.slice(part.span);
        // Bash ends an expansion at the first brace that closes, the parser counts them.
        let counted = text.starts_with("${") && has_bare_brace(text);
        if counted || !is_closed(text, &part.kind) {
            let (start, end) = (part.span.start.offset(), part.span.end.offset());
            self.problem(UnknownKind::Syntax, start, end);
        }
        self.brace_command(part.span);
    }

    /// `${ command; }` and `${| command; }` of newer shells, which the parser does not read.
    fn brace_command(&mut self, span: ast::Span) {
        let inside = self.slice(span).strip_prefix("${").unwrap_or_default();
        if inside.starts_with([' ', '\t', '\n', '|']) {
            self.problem(UnknownKind::Syntax, span.start.offset(), span.end.offset());
        }
    }

    pub(super) fn substitution(
        &mut self,
        body: &ast::StmtSeq,
        syntax: ast::CommandSubstitutionSyntax,
        span: ast::Span,
    ) -> Vec<crate::shell::Statement> {
        let (start, end) = (span.start.offset(), span.end.offset());
        self.substitutes(start, end);
        match syntax {
            ast::CommandSubstitutionSyntax::DollarParen => {
                self.seen.start(start);
                self.recheck(body, span);
                let strict = std::mem::replace(&mut self.strict, true);
                let quoted = std::mem::replace(&mut self.quoted_word, false);
                let substituted = std::mem::replace(&mut self.substituted, true);
                let body = self.statements(body);
                self.substituted = substituted;
                self.quoted_word = quoted;
                self.strict = strict;
                body
            }
            ast::CommandSubstitutionSyntax::Backtick => {
                self.seen.whole(start, end);
                let raw = self.slice(span);
                let inner = raw.strip_prefix('`').unwrap_or(raw);
                let inner = inner.strip_suffix('`').unwrap_or(inner);
                let (text, changed) = unescape_backticks(inner);
                let base = match self.base {
                    Base::Offset(offset) if !changed => Base::Offset(offset + start + 1),
                    base => Base::Fixed(base.span(start, end)),
                };
                // With backslashes, what it says is not what stands there.
                let wanted = match base {
                    Base::Offset(_) if !inner.contains('\\') => self.marks.within(start + 1, end),
                    _ => Vec::new(),
                };
                if wanted.is_empty() {
                    return self.nested(&text, base);
                }
                let marks = Marks::new(wanted);
                let tree = super::parse_nested(&text, base, self.depth + 1, marks);
                self.problems.extend(tree.problems);
                self.marks.adopt(tree.marks, start + 1);
                self.marks.references.extend(tree.references);
                self.marks.substitutions.extend(tree.substitutions);
                tree.body
            }
        }
    }

    pub(super) fn pattern(&mut self, pattern: &ast::Pattern) -> Word {
        let mut word = Word {
            pieces: Vec::new(),
            braces: false,
            span: self.span(pattern.span),
        };
        self.pattern_parts(pattern, &mut word.pieces);
        word
    }

    fn pattern_parts(&mut self, pattern: &ast::Pattern, pieces: &mut Vec<Piece>) {
        for part in &pattern.parts {
            match &part.kind {
                ast::PatternPart::Word(inner) => {
                    let mut inner = self.word(inner);
                    pieces.append(&mut inner.pieces);
                }
                ast::PatternPart::Group { patterns, .. } => {
                    for inner in patterns {
                        self.pattern_parts(inner, pieces);
                    }
                }
                _ => {
                    let (start, end) = (part.span.start.offset(), part.span.end.offset());
                    self.seen.literal(start, end, Quoting::Bare);
                    let text = self.slice(part.span).to_owned();
                    pieces.push(Piece::Text(text, Quoting::Bare));
                }
            }
        }
    }
}

/// The names of variables that a text has.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let fits = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    text.split(move |sign: char| !fits(sign))
        .filter(|word| word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_'))
}
