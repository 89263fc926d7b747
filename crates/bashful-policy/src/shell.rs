//! The shape of a shell text: our own tree, which knows no parser.
//!
//! `bash` makes it from text; `facts` walks it.

use std::rc::Rc;

use crate::facts::{RedirectKind, Span, UnknownKind};

mod ansi;
mod bash;
mod mark;
mod variables;

pub(crate) use ansi::decode as decode_escapes;
pub(crate) use bash::{Base, parse, parse_marked};
pub(crate) use mark::{Lexeme, Mark, Reference, Role, Substitution, Usage};
pub(crate) use variables::SET_BY_BASH;

/// A parsed text.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) body: Vec<Statement>,
    /// What could not be read, with where it stands.
    pub(crate) problems: Vec<(UnknownKind, Span)>,
    /// What was found about the places that were asked for.
    pub(crate) marks: Vec<Mark>,
    /// All expansions of variables, if places were asked for.
    pub(crate) references: Vec<Reference>,
    /// All command substitutions, if places were asked for.
    pub(crate) substitutions: Vec<Substitution>,
}

/// One statement with the redirects around it.
#[derive(Debug)]
pub(crate) struct Statement {
    pub(crate) node: Node,
    pub(crate) redirects: Vec<RedirectNode>,
    pub(crate) background: bool,
    pub(crate) span: Span,
}

/// What a statement is.
#[derive(Debug)]
pub(crate) enum Node {
    Simple(Simple),
    /// `a && b || c`: each statement with what joins it to the one before.
    List(Vec<(Joint, Statement)>),
    Pipeline(Vec<Statement>),
    Group(Vec<Statement>),
    Subshell(Vec<Statement>),
    /// Conditions with their bodies, and the `else` body.
    If(Vec<(Vec<Statement>, Vec<Statement>)>, Vec<Statement>),
    Loop(Loop),
    Case(Word, Vec<Arm>),
    /// `[[ … ]]`.
    Test(Vec<Operand>),
    /// `(( … ))`.
    Arithmetic(Expression),
    Function(String, Rc<Statement>),
    Coprocess(Box<Statement>),
    /// `time`, alone or before a pipeline.
    Timed(Option<Box<Statement>>),
}

/// What joins a statement of a list to the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joint {
    First,
    And,
    Or,
}

/// A simple command.
#[derive(Debug, Default)]
pub(crate) struct Simple {
    /// `NAME=value` in front.
    pub(crate) assignments: Vec<AssignmentNode>,
    pub(crate) words: Vec<Word>,
    /// The assignments among the words of `declare`, `export` and their kin, which are in
    /// `words` as well.
    pub(crate) declared: Vec<AssignmentNode>,
}

/// Any loop: `for`, `select`, `while`, `until`, and `for ((…))`.
#[derive(Debug, Default)]
pub(crate) struct Loop {
    /// The variable of `for` and `select`.
    pub(crate) variable: Option<String>,
    /// The words it takes; none stands for `"$@"`.
    pub(crate) words: Option<Vec<Word>>,
    /// The three expressions of `for ((…))`.
    pub(crate) expressions: Vec<Expression>,
    /// The condition of `while` and `until`.
    pub(crate) condition: Vec<Statement>,
    pub(crate) body: Vec<Statement>,
}

/// One arm of `case`.
#[derive(Debug)]
pub(crate) struct Arm {
    pub(crate) patterns: Vec<Word>,
    pub(crate) body: Vec<Statement>,
    /// The next arm may run as well: `;&` and `;;&`.
    pub(crate) goes_on: bool,
}

/// One operand in `[[ … ]]`.
#[derive(Debug)]
pub(crate) struct Operand {
    pub(crate) word: Word,
    pub(crate) evaluated: Evaluated,
}

/// What the shell makes of an operand in `[[ … ]]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evaluated {
    /// A text, which the shell does not evaluate.
    Text,
    /// The name of a variable, whose subscript is evaluated.
    Name,
    /// A subscript, which the shell evaluates.
    Subscript,
    /// An arithmetic expression.
    Expression,
}

/// An arithmetic expression: what matters is what it expands and evaluates.
#[derive(Debug, Default)]
pub(crate) struct Expression {
    /// Words in it, whose substitutions run and whose results are evaluated.
    pub(crate) words: Vec<Word>,
    /// Variables whose values are evaluated as expressions.
    pub(crate) names: Vec<String>,
    /// Variables that get a number.
    pub(crate) assigned: Vec<String>,
    pub(crate) span: Span,
}

/// `NAME=value` or `NAME+=value`, or an array.
#[derive(Debug)]
pub(crate) struct AssignmentNode {
    pub(crate) name: String,
    /// What stands in `NAME[…]`.
    pub(crate) subscript: Option<Expression>,
    pub(crate) value: ValueNode,
    pub(crate) append: bool,
    pub(crate) span: Span,
}

/// What is assigned.
#[derive(Debug)]
pub(crate) enum ValueNode {
    Word(Word),
    /// The elements, with the substitutions of keys, and the keys of those that have one.
    Array(Vec<Word>, Vec<Expression>),
}

/// One redirect, as parsed.
#[derive(Debug)]
pub(crate) struct RedirectNode {
    pub(crate) kind: RedirectKind,
    pub(crate) descriptor: Option<i32>,
    /// `{name}>`: the variable that gets the descriptor.
    pub(crate) variable: Option<String>,
    pub(crate) target: Word,
    pub(crate) span: Span,
}

/// One word, before any expansion.
#[derive(Debug, Default)]
pub(crate) struct Word {
    pub(crate) pieces: Vec<Piece>,
    /// It has an unquoted `{a,b}` or `{1..9}`.
    pub(crate) braces: bool,
    pub(crate) span: Span,
}

/// One piece of a word.
#[derive(Debug)]
pub(crate) enum Piece {
    /// Text after quote removal.
    Text(String, Quoting),
    /// `$x`, `${x}`, `$1`, `$@`.
    Variable(String, Quoting),
    /// `$(…)` or backticks.
    Command(Vec<Statement>, Quoting),
    /// `<(…)` or `>(…)`.
    Process(Vec<Statement>, Direction),
    /// `$((…))`.
    Arithmetic(Expression, Quoting),
    /// Any other `${…}`.
    Expansion(Box<Expansion>, Quoting),
}

/// Which way a process substitution is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// `<(…)`: the command around it reads what it prints.
    Printed,
    /// `>(…)`: it reads what the command around it writes.
    Fed,
}

/// Whether a piece stands in quotes, so that it does not split or find files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quoting {
    Bare,
    Quoted,
}

/// A `${…}` with an operator.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    pub(crate) name: String,
    pub(crate) operator: Operator,
    /// Words in it, whose substitutions run.
    pub(crate) words: Vec<Word>,
    /// Expressions in it: subscripts and slices.
    pub(crate) expressions: Vec<Expression>,
    pub(crate) span: Span,
}

/// What an expansion does, as far as it matters.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    /// `:?`: the value, or the end.
    Require,
    /// `:-` and `:=`: the value, or the word.
    Default,
    /// `:=`: as the default, and it stays.
    Assign,
    /// `:+`: the word, or nothing.
    Alternative,
    /// `${x%…}`: without an end.
    Suffix,
    /// `${x##…}`: without a beginning.
    Prefix,
    /// `${#x}`: a number.
    Length,
    /// `@P`: the value is evaluated.
    Evaluate,
    /// `${!x}`: the value is a name.
    Indirect,
    /// Any other operator.
    #[default]
    Other,
}
