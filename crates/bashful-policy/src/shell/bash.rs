//! From text to our tree. This file and those below it are the only ones that know the parser.

use std::borrow::Cow;

use shuck_ast as ast;
use shuck_parser::parser::Parser;

use super::mark::{Lexeme, Marks, Reference, Role, Substitution, Usage};
use super::{Node, Simple, Statement, Tree};
use crate::facts::{Span, UnknownKind};

mod compound;
mod documents;
mod expression;
mod guard;
mod prepare;
mod redirect;
mod simple;
mod word;

/// Where the bytes of a text stand in the original one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Base {
    /// The text is a part of the original that starts here.
    Offset(usize),
    /// The text was made from what stands here.
    Fixed(Span),
}

impl Base {
    fn span(self, start: usize, end: usize) -> Span {
        match self {
            Self::Offset(offset) => (offset + start, offset + end),
            Self::Fixed(span) => span,
        }
    }
}

/// Texts made from texts nest at most this deep.
const MAX_NESTING: usize = 24;

/// Loops of `select` without a list that one text may have.
const MAX_SELECTS: usize = 16;
/// What the parser says of one.
const NO_LIST: &str = "expected 'in' in select";

/// Parses a text. What cannot be parsed is a problem in the tree, next to what could be.
pub(crate) fn parse(text: &str, base: Base) -> Tree {
    parse_nested(text, base, 0, Marks::default())
}

/// Parses a text, and says where these places stand in its tree. They are in order.
pub(crate) fn parse_marked(text: &str, wanted: Vec<usize>) -> Tree {
    parse_nested(text, Base::Offset(0), 0, Marks::new(wanted))
}

fn parse_nested(text: &str, base: Base, depth: usize, marks: Marks) -> Tree {
    let mut prepared = prepare::for_parser(text);
    // The parser's limits are checked before it starts.
    let is_fit = depth <= MAX_NESTING && !prepare::is_too_complex(text);
    let mut parsed = is_fit.then(|| Parser::new(&prepared).parse());
    for _ in 0..MAX_SELECTS {
        let error = parsed.as_ref().and_then(|parsed| {
            let error = parsed.terminal_error.as_ref()?.to_string();
            let at = parsed.diagnostics.first()?.span.start.offset();
            error.contains(NO_LIST).then_some(at)
        });
        let Some(changed) = error.and_then(|at| prepare::with_for(&prepared, at)) else {
            break;
        };
        prepared = Cow::Owned(changed);
        parsed = Some(Parser::new(&prepared).parse());
    }
    let mut reader = Reader {
        text,
        prepared: &prepared,
        base,
        depth,
        problems: Vec::new(),
        seen: guard::Seen::default(),
        documents: documents::Documents::default(),
        has_documents: text.contains("<<"),
        quoted_word: false,
        substituted: false,
        in_quotes: false,
        strict: true,
        marks,
    };
    let Some(parsed) = parsed else {
        reader.problem(UnknownKind::TooComplex, 0, text.len());
        return Tree {
            problems: reader.problems,
            ..Tree::default()
        };
    };
    if parsed.is_err() {
        let at = parsed
            .diagnostics
            .first()
            .map_or(0, |first| first.span.start.offset());
        let kind = match &parsed.terminal_error {
            Some(error) if prepare::is_limit(&error.to_string()) => UnknownKind::TooComplex,
            _ => UnknownKind::Syntax,
        };
        reader.problem(kind, at.min(text.len()), text.len());
    }
    let mut body = reader.statements(&parsed.file.body);
    reader.guard();
    reader.check_documents();
    let is_syntax = |(kind, _): &(UnknownKind, Span)| *kind == UnknownKind::Syntax;
    if reader.problems.iter().any(is_syntax)
        && let Some(looser) = prepare::with_blanks(text)
    {
        // Bash refuses it, but other shells do not, and a reader takes it for what it looks like.
        let whole = base.span(0, text.len());
        let tree = parse_nested(&looser, Base::Fixed(whole), depth + 1, Marks::default());
        let functions = tree.body.into_iter();
        body.extend(functions.filter(|one| matches!(one.node, Node::Function(..))));
    }
    Tree {
        body,
        problems: reader.problems,
        marks: reader.marks.found,
        references: reader.marks.references,
        substitutions: reader.marks.substitutions,
    }
}

/// Turns the parser's tree of one text into ours.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says where in the text the reader is, and they nest independently"
)]
struct Reader<'t> {
    text: &'t str,
    /// What the parser was given for it.
    prepared: &'t str,
    base: Base,
    depth: usize,
    problems: Vec<(UnknownKind, Span)>,
    seen: guard::Seen,
    documents: documents::Documents,
    /// The text may hold here-documents.
    has_documents: bool,
    /// The word of a `${x:-…}` in double quotes, in which `'` quotes nothing.
    quoted_word: bool,
    /// The expansion that is read stands in double quotes or in a here-document.
    in_quotes: bool,
    /// It stands in a command substitution.
    substituted: bool,
    /// Words are those of commands; in `[[ … ]]` and arithmetic they may hold anything.
    strict: bool,
    /// The places that the caller asked about.
    marks: Marks,
}

impl Reader<'_> {
    fn problem(&mut self, kind: UnknownKind, start: usize, end: usize) {
        // The parser's spans can pass the end of what is not closed.
        let start = floor(self.text, start);
        let end = floor(self.text, end.max(start));
        self.problems.push((kind, self.base.span(start, end)));
    }

    /// Grammar of other shells: bash reads it some other way.
    fn not_bash(&mut self, span: ast::Span) {
        self.problem(UnknownKind::Syntax, span.start.offset(), span.end.offset());
    }

    fn span(&self, span: ast::Span) -> Span {
        // The parser's spans can pass the end of what is not closed.
        let start = floor(self.text, span.start.offset());
        let end = floor(self.text, span.end.offset().max(start));
        self.base.span(start, end)
    }

    /// A statement's place without the operator behind it.
    fn trimmed(&self, span: ast::Span) -> Span {
        let start = floor(self.text, span.start.offset());
        let end = floor(self.text, span.end.offset().max(start));
        let text = self.text.get(start..end).unwrap_or_default();
        let operator = |next: char| next.is_whitespace() || matches!(next, '&' | '|' | ';');
        self.base
            .span(start, start + text.trim_end_matches(operator).len())
    }

    /// The text of a span; empty when it lies outside, which no clean parse gives.
    fn slice(&self, span: ast::Span) -> &str {
        self.text
            .get(span.start.offset()..span.end.offset())
            .unwrap_or_default()
    }

    /// Reads a text that was made from what stands at a span, and keeps its problems.
    fn nested(&mut self, text: &str, base: Base) -> Vec<Statement> {
        let tree = parse_nested(text, base, self.depth + 1, self.marks.part_of());
        self.problems.extend(tree.problems);
        self.marks.references.extend(tree.references);
        self.marks.substitutions.extend(tree.substitutions);
        tree.body
    }

    fn statements(&mut self, sequence: &ast::StmtSeq) -> Vec<Statement> {
        let comments = sequence.leading_comments.iter();
        for comment in comments.chain(&sequence.trailing_comments) {
            self.comment(*comment);
        }
        for pair in sequence.stmts.windows(2) {
            if let [first, next] = pair
                && first.terminator.is_none()
                && !self.is_apart(first, next)
            {
                self.not_bash(next.span);
            }
        }
        sequence
            .stmts
            .iter()
            .map(|statement| self.statement(statement))
            .collect()
    }

    fn comment(&mut self, comment: ast::Comment) {
        self.seen.comment(comment);
        let range = comment.range;
        self.marks
            .note(range.start().into(), range.end().into(), Lexeme::Comment);
    }

    /// Notes an expansion of a variable, if the caller follows them.
    fn refer(&mut self, name: &str, usage: Usage, (start, end): Span) {
        if !self.marks.follows {
            return;
        }
        self.marks.references.push(Reference {
            name: name.to_owned(),
            span: self.base.span(start, end),
            role: self.marks.role,
            target: self.marks.target.clone(),
            usage,
        });
    }

    /// Notes a command substitution, if the caller follows them.
    fn substitutes(&mut self, start: usize, end: usize) {
        if !self.marks.follows {
            return;
        }
        self.marks.substitutions.push(Substitution {
            span: self.base.span(start, end),
            role: self.marks.role,
            target: self.marks.target.clone(),
        });
    }

    /// Reads a part of the text in another role.
    fn as_role<T>(&mut self, role: Role, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.marks.role, role);
        let outcome = read(self);
        self.marks.role = outer;
        outcome
    }

    /// Reads what a variable is given.
    fn as_target<T>(&mut self, name: Option<&str>, read: impl FnOnce(&mut Self) -> T) -> T {
        let name = name.map(str::to_owned);
        let outer = std::mem::replace(&mut self.marks.target, name);
        let outcome = read(self);
        self.marks.target = outer;
        outcome
    }

    /// Whether a line ends between two statements. The parser reads `a(b)` as two of them.
    fn is_apart(&self, first: &ast::Stmt, next: &ast::Stmt) -> bool {
        let (from, to) = (first.span.start.offset(), next.span.start.offset());
        let text = self.text.get(from..to).unwrap_or_default();
        text.contains(['\n', ';', '&'])
    }

    fn statement(&mut self, statement: &ast::Stmt) -> Statement {
        let comments = statement.leading_comments.iter();
        for comment in comments.chain(statement.inline_comment.as_ref()) {
            self.comment(*comment);
        }
        let background = matches!(
            statement.terminator,
            Some(ast::StmtTerminator::Background(_))
        );
        let (node, redirects) = self.as_role(Role::Argument, |reader| {
            reader.as_target(None, |reader| {
                let node = reader.command(&statement.command);
                let redirects = statement.redirects.iter();
                let redirects = redirects.map(|redirect| reader.redirect(redirect));
                (node, redirects.collect())
            })
        });
        Statement {
            node,
            redirects,
            background,
            span: self.trimmed(statement.span),
        }
    }

    fn command(&mut self, command: &ast::Command) -> Node {
        match command {
            ast::Command::Simple(simple) => {
                let assignments = self.assignments(&simple.assignments);
                let mut words = Vec::with_capacity(simple.args.len() + 1);
                // Assignments alone have an empty word as their name.
                if !self.slice(simple.name.span).is_empty() {
                    words.push(self.word(&simple.name));
                }
                for word in &simple.args {
                    words.push(self.word(word));
                }
                Node::Simple(Simple {
                    assignments,
                    words,
                    declared: Vec::new(),
                })
            }
            ast::Command::Builtin(builtin) => self.builtin(builtin),
            ast::Command::Decl(declaration) => self.declaration(declaration),
            ast::Command::Binary(binary) => self.binary(binary),
            ast::Command::Compound(compound) => self.compound(compound),
            ast::Command::Function(function) => {
                let name = function
                    .header
                    .entries
                    .first()
                    .map(|entry| self.slice(entry.word.span).to_owned());
                let body = self.statement(&function.body);
                Node::Function(name.unwrap_or_default(), body.into())
            }
            ast::Command::AnonymousFunction(function) => {
                self.not_bash(function.span);
                let body = self.statement(&function.body);
                Node::Group(vec![body])
            }
        }
    }
}

/// The place itself, or the nearest one before it where a character starts.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
