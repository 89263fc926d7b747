//! Facts: what a command would do, as far as its text says so, and what its text does not say.
//!
//! Everything that decides reads these and never the source text.

use std::ops::Range;

mod argument;
mod braces;
mod expand;
mod inherited;
mod output;
mod shadow;
mod simple;
mod state;
#[cfg(test)]
mod tests;
mod unwrap;
mod walk;

pub use argument::Argument;
pub(crate) use unwrap::{ShellProgram, is_shell, is_wrapper, only_checks, shell_program};
pub(crate) use walk::walk;

/// Bytes of the original text, as start and end.
pub type Span = (usize, usize);

/// All that one command line would do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Every program start anywhere in the text: as written, behind wrappers, in substitutions,
    /// functions and traps, and in texts handed to another shell.
    pub calls: Vec<Call>,
    /// Every redirect of a call or of a group of commands.
    pub redirects: Vec<Redirect>,
    /// Every assignment, those for one call alone among them.
    pub assignments: Vec<Assignment>,
    /// Every function definition.
    pub functions: Vec<Function>,
    /// What the text does not show.
    pub unknowns: Vec<Unknown>,
}

/// One start of a program or built-in. A call never has an empty list of arguments.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about a call, no state among them"
)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Where it stands in the original text.
    pub span: Span,
    /// The program and its arguments, after quotes, braces and known variables are gone.
    pub arguments: Vec<Argument>,
    /// Where it can be when it starts, as absolute paths; empty when not known.
    pub directories: Vec<String>,
    /// The programs that start it, the outermost first, such as `sudo` or `xargs`. Each of them
    /// is a call of its own as well.
    pub wrappers: Vec<String>,
    /// Further arguments come at run time, as with `xargs`.
    pub open_ended: bool,
    /// What kind of place it stands in.
    pub place: Place,
    /// What it reads on its standard input.
    pub input: Input,
    /// Whether a pipe or a substitution takes its standard output.
    pub captured: bool,
    /// Whether it runs beside what follows it.
    pub background: bool,
    /// Whether it stands in a loop that has no end of its own.
    pub endless: bool,
    /// Where a redirect, its own or one around it, leads its standard output.
    pub printed: Printed,
    /// Its whole effect is that of other calls here: a wrapper, a function of the text, a shell
    /// whose text is known.
    pub transparent: bool,
    /// Indexes of the assignments made for this call alone.
    pub assignments: Vec<usize>,
    /// Indexes of the redirects of this call.
    pub redirects: Vec<usize>,
}

/// What kind of place a call stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the text itself.
    Text,
    /// In a command or process substitution.
    Substitution,
    /// In the body of a function.
    Function,
    /// In a text that another shell, `eval` or a trap runs.
    Script,
    /// In an option or a variable from which some program may take a command to start.
    Option,
}

/// Where the standard output of a call goes by redirects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Printed {
    /// Into no file.
    #[default]
    Elsewhere,
    /// Into a file that is emptied before.
    Anew,
    /// Into a file that grows: it is appended to, or opened around the call.
    Onto,
}

impl Printed {
    /// The same for what runs inside: the file is opened before, and grows from call to call.
    pub(crate) fn around(self) -> Self {
        match self {
            Self::Elsewhere => Self::Elsewhere,
            Self::Anew | Self::Onto => Self::Onto,
        }
    }
}

/// What a call reads on its standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Whatever the whole command line reads.
    Inherited,
    /// A text written in the command line: a here-document or here-string.
    Text(Argument),
    /// A file, or another place that a redirect names.
    File(Argument),
    /// What these calls print.
    Pipe(Range<usize>),
}

/// One redirect, as the shell would do it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// Where it stands in the original text.
    pub span: Span,
    /// What it does.
    pub kind: RedirectKind,
    /// The descriptor it is about, where one is written.
    pub descriptor: Option<i32>,
    /// The file, the descriptor, or the text of a here-document.
    pub target: Argument,
    /// Where it is resolved from, as absolute paths; empty when not known.
    pub directories: Vec<String>,
}

/// What a redirect does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`, `>& file`
    Write,
    /// `>>`, `&>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `2>&1`, `<&-`
    Duplicate,
    /// `<<` or `<<<`: the target is the text itself.
    Text,
}

impl RedirectKind {
    /// Whether it can change a file.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Append | Self::ReadWrite)
    }
}

/// One assignment, for the shell or for one call alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// Where it stands in the original text.
    pub span: Span,
    /// The variable's name.
    pub name: String,
    /// What it gets; the elements of an array are not kept apart.
    pub value: Argument,
    /// Whether it is made for one call alone, as in `A=1 make` or `env A=1 make`.
    pub for_call: bool,
}

/// One function definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Where it stands in the original text.
    pub span: Span,
    /// Its name; an alias counts as a function.
    pub name: String,
    /// The calls of its body, as read where it is defined.
    pub body: Range<usize>,
}

/// A part of the text that does not show what it would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// Where it stands in the original text.
    pub span: Span,
    /// Why it is not known.
    pub kind: UnknownKind,
    /// The text it is about.
    pub fact: String,
}

/// Kinds of what a text does not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum UnknownKind {
    /// It is not valid shell, or not shell that is understood.
    Syntax,
    /// It passes a limit of the analysis.
    TooComplex,
    /// The name of a program comes from an expansion or a glob.
    DynamicName,
    /// A text that a shell will run comes from an expansion.
    DynamicScript,
    /// A shell runs a file whose content is not in the text.
    ScriptFile,
    /// The shell itself evaluates a string as code, as in `${x@P}` or `let "$x"`.
    StringEvaluation,
    /// A function or alias takes the name of a known command.
    Shadowing,
    /// Characters that look like others or cannot be seen.
    Characters,
    /// More text than a person reads.
    Length,
}

impl UnknownKind {
    /// The word used in JSON and as the name of the rule.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::TooComplex => "too-complex",
            Self::DynamicName => "dynamic-name",
            Self::DynamicScript => "dynamic-script",
            Self::ScriptFile => "script-file",
            Self::StringEvaluation => "string-evaluation",
            Self::Shadowing => "shadowing",
            Self::Characters => "characters",
            Self::Length => "length",
        }
    }
}

impl Call {
    /// The program's name without its directory; empty when it is not known.
    pub fn program(&self) -> &str {
        self.arguments.first().map_or("", Argument::program)
    }

    /// The arguments after the program.
    pub fn operands(&self) -> &[Argument] {
        self.arguments.get(1..).unwrap_or_default()
    }

    /// The command as one line, for reading.
    pub fn line(&self) -> String {
        let texts: Vec<&str> = self
            .arguments
            .iter()
            .map(|argument| argument.text.as_str())
            .collect();
        texts.join(" ")
    }
}

/// Facts of simple texts, for tests of what reads facts.
#[cfg(test)]
pub(crate) mod testing {
    use super::{Argument, Call, Facts, Input, Place, Printed};

    /// A call of these words, split at blanks, in `/home/u/proj`.
    pub(crate) fn call(line: &str) -> Call {
        let arguments = line
            .split_whitespace()
            .map(|word| Argument {
                glob: word.contains(['*', '?']),
                unknown_from: word.find('$'),
                splits: word.contains('$'),
                ..Argument::literal(word, (0, 0))
            })
            .collect();
        Call {
            span: (0, line.len()),
            arguments,
            directories: vec!["/home/u/proj".to_owned()],
            wrappers: Vec::new(),
            open_ended: false,
            place: Place::Text,
            input: Input::Inherited,
            captured: false,
            background: false,
            endless: false,
            printed: Printed::Elsewhere,
            transparent: false,
            assignments: Vec::new(),
            redirects: Vec::new(),
        }
    }

    /// Facts with this one call.
    pub(crate) fn facts(line: &str) -> Facts {
        Facts {
            calls: vec![call(line)],
            ..Facts::default()
        }
    }
}
