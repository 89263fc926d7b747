//! Marks: where given places of a text stand in its tree, for a caller that wants to replace them.

use super::Quoting;
use crate::facts::Span;

/// One part of a word, a here-document or a comment that holds a wanted place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) span: Span,
    pub(crate) lexeme: Lexeme,
    pub(crate) role: Role,
    /// The variable that is given what stands here.
    pub(crate) target: Option<String>,
    /// The word around it.
    pub(crate) word: Span,
    /// It stands in backticks, in which quotes and backslashes are read twice.
    pub(crate) in_backticks: bool,
}

/// One expansion of a variable, or its name in an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) name: String,
    /// Where it stands in the original text.
    pub(crate) span: Span,
    pub(crate) role: Role,
    /// The variable that is given what stands here.
    pub(crate) target: Option<String>,
    pub(crate) usage: Usage,
}

/// What an expansion makes of the value of its variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Usage {
    /// Its text, or a part of that.
    Value,
    /// The name of another variable: `${!x}`.
    Name,
    /// A prompt, in which commands run: `${x@P}`.
    Prompt,
}

/// One command substitution, and what becomes of its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Substitution {
    pub(crate) span: Span,
    pub(crate) role: Role,
    /// The variable that is given what it prints.
    pub(crate) target: Option<String>,
}

/// What a marked part is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lexeme {
    /// `${name}` and nothing else.
    Variable(Quoting),
    /// Text outside of single quotes.
    Literal,
    /// `'…'`
    Single,
    /// `$'…'`
    Ansi,
    /// A here-document that expands nothing, with the word behind its operator.
    QuotedDocument { delimiter: Span },
    /// A `#` and the rest of its line.
    Comment,
}

/// What a marked part is to bash.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A word of a simple command.
    #[default]
    Argument,
    /// One of the words that a loop takes.
    LoopWord,
    /// An element of an array.
    Element,
    /// The value of an assignment.
    Value,
    /// The file of a redirect.
    Target,
    /// The word of `>&` and `<&`, which bash expands twice.
    Duplicate,
    /// `<<< word`
    HereString,
    /// The body of a here-document.
    Document,
    /// The word of `case`.
    Subject,
    /// A pattern of `case`, `[[ … ]]` or `${x#…}`.
    Pattern,
    /// The right side of `=~`.
    Regex,
    /// An operand of `[[ … ]]`.
    Operand,
    /// An operand of `[[ … ]]` that is the name of a variable.
    TestedName,
    /// The word of `${x:-…}` and its kin.
    Default,
    /// The same in double quotes or in a here-document.
    QuotedDefault,
    /// The second word of `${x/…/…}`.
    Replacement,
    /// The same where what comes out is split into words.
    SplitReplacement,
    /// Anything that is evaluated as a number.
    Arithmetic,
    /// What stands in `name[…]`.
    Subscript,
}

impl Role {
    /// Whether bash evaluates what stands there, so that everything in it is judged by that.
    pub(crate) const fn is_evaluated(self) -> bool {
        matches!(
            self,
            Self::Arithmetic | Self::Subscript | Self::TestedName | Self::Duplicate
        )
    }

    /// This role for a part inside an outer role: what is evaluated stays so.
    pub(super) const fn inside(self, outer: Self) -> Self {
        if outer.is_evaluated() { outer } else { self }
    }
}

/// The places that are looked for, and what was found about them.
#[derive(Debug, Default)]
pub(super) struct Marks {
    wanted: Vec<usize>,
    /// References and substitutions are noted as well.
    pub(super) follows: bool,
    pub(super) references: Vec<Reference>,
    pub(super) substitutions: Vec<Substitution>,
    pub(super) found: Vec<Mark>,
    pub(super) role: Role,
    pub(super) target: Option<String>,
    pub(super) word: Span,
}

impl Marks {
    /// Looks for these places, which are in order.
    pub(super) fn new(wanted: Vec<usize>) -> Self {
        Self {
            wanted,
            follows: true,
            ..Self::default()
        }
    }

    /// The wanted places in a range, counted from its start.
    pub(super) fn within(&self, start: usize, end: usize) -> Vec<usize> {
        let from = self.wanted.partition_point(|at| *at < start);
        let rest = self.wanted.get(from..).unwrap_or_default().iter();
        rest.take_while(|at| **at < end)
            .map(|at| at - start)
            .collect()
    }

    /// The same, for a part that was made from what stands here.
    pub(super) fn part_of(&self) -> Self {
        Self {
            follows: self.follows,
            ..Self::default()
        }
    }

    /// Notes a part that holds a wanted place.
    pub(super) fn note(&mut self, start: usize, end: usize, lexeme: Lexeme) {
        let next = self.wanted.partition_point(|at| *at < start);
        if self.wanted.get(next).is_some_and(|at| *at < end) {
            self.found.push(Mark {
                span: (start, end),
                lexeme,
                role: self.role,
                target: self.target.clone(),
                word: self.word,
                in_backticks: false,
            });
        }
    }

    /// Takes over what was found in a part that was read on its own.
    pub(super) fn adopt(&mut self, found: Vec<Mark>, offset: usize) {
        let by = |span: Span| (span.0 + offset, span.1 + offset);
        self.found.extend(found.into_iter().map(|mark| Mark {
            span: by(mark.span),
            word: by(mark.word),
            lexeme: match mark.lexeme {
                Lexeme::QuotedDocument { delimiter } => Lexeme::QuotedDocument {
                    delimiter: by(delimiter),
                },
                lexeme => lexeme,
            },
            in_backticks: true,
            ..mark
        }));
    }
}
