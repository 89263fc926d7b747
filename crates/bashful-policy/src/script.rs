//! The shape a command's text is read into: a flat list of simple commands and how they connect.

use std::ops::Range;
use std::rc::Rc;

/// Bytes of the original text, as start and end.
pub(crate) type Span = (usize, usize);

/// Everything that one text runs, as far as it can be read without running it.
#[derive(Debug, Default)]
pub(crate) struct Script {
    /// Every simple command, also those in substitutions, function bodies and `bash -c` texts. A
    /// command follows the substitutions in its words and precedes the texts that it runs.
    pub(crate) commands: Vec<Command>,
    /// For each pipeline, where each stage starts in `commands`, and the end of the last one.
    pub(crate) pipelines: Vec<Vec<usize>>,
    /// Function definitions.
    pub(crate) functions: Vec<Function>,
    /// Where in the original text a command or a list of them can start, after the first.
    pub(crate) list_starts: Vec<usize>,
    /// How much text inside texts was read.
    pub(crate) nested_bytes: usize,
    /// Something was not valid shell, or not understood: the reading may be incomplete.
    pub(crate) trouble: bool,
    /// A limit of the analysis was met. Callers must deny: a limit never weakens a decision.
    pub(crate) too_complex: bool,
}

/// A function definition, with the commands of its body.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) body: Range<usize>,
    pub(crate) span: Span,
}

/// One simple command.
#[derive(Debug, Default)]
pub(crate) struct Command {
    /// `NAME=value` words in front.
    pub(crate) assignments: Vec<Word>,
    /// The program and its arguments.
    pub(crate) words: Vec<Word>,
    pub(crate) redirects: Vec<Redirect>,
    /// The parts of `words` that run as a command: all of them, then what wrappers such as `sudo` run.
    pub(crate) views: Vec<Range<usize>>,
    /// Where a `cd` earlier in the same text leaves this command, when known.
    pub(crate) directory: Option<Rc<str>>,
    pub(crate) background: bool,
    pub(crate) span: Span,
}

impl Command {
    /// The command as written and as each of its wrappers runs it.
    pub(crate) fn views(&self) -> impl Iterator<Item = &[Word]> {
        self.views
            .iter()
            .filter_map(|range| self.words.get(range.clone()))
    }

    /// Text given on standard input by a here-document or here-string.
    pub(crate) fn here_text(&self) -> Option<&Word> {
        let here = |redirect: &&Redirect| redirect.kind == RedirectKind::Here;
        self.redirects
            .iter()
            .rev()
            .find(here)
            .map(|redirect| &redirect.target)
    }
}

/// Where a command reads from or writes to.
#[derive(Debug)]
pub(crate) struct Redirect {
    pub(crate) kind: RedirectKind,
    pub(crate) target: Word,
    /// The here-document that is still to come, until its body is read.
    pub(crate) awaits: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>>`, `>|`, `&>`, `<>`
    Write,
    /// `2>&1`, `<&-`
    Duplicate,
    /// `<<` or `<<<`: the target is the text itself.
    Here,
}

/// One word after quote removal.
#[expect(
    clippy::struct_excessive_bools,
    reason = "four independent facts about a word, no state among them"
)]
#[derive(Debug, Clone, Default)]
pub(crate) struct Word {
    /// What the program gets. An expansion that cannot be known stays as a short source form
    /// (`$x`, `$()`), and the home directory is `~`.
    pub(crate) text: String,
    pub(crate) span: Span,
    /// Where in `text` the first unknown expansion starts.
    pub(crate) unknown_from: Option<usize>,
    /// It has an unquoted `*`, `?` or `[`.
    pub(crate) glob: bool,
    /// It starts with the home directory.
    pub(crate) home: bool,
    /// Some of it was quoted.
    pub(crate) quoted: bool,
    /// It reads `NAME=…`.
    pub(crate) assignment: bool,
    /// The commands in its substitutions.
    pub(crate) inner: Range<usize>,
}

impl Word {
    /// The text up to the first unknown expansion.
    pub(crate) fn known(&self) -> &str {
        let end = self.unknown_from.unwrap_or(self.text.len());
        self.text.get(..end).unwrap_or_default()
    }

    /// Whether the program gets exactly `text`.
    pub(crate) fn is_literal(&self) -> bool {
        self.unknown_from.is_none() && !self.glob
    }

    /// The name of the program this word starts, without its directory; empty when not known.
    pub(crate) fn program(&self) -> &str {
        if self.is_literal() {
            self.text.rsplit('/').next().unwrap_or_default()
        } else {
            ""
        }
    }

    /// Whether it is exactly this, written without quotes, as reserved words must be.
    pub(crate) fn is_bare(&self, text: &str) -> bool {
        !self.quoted && self.is_literal() && self.text == text
    }
}

/// The name of the program that a view runs; empty when not known.
pub(crate) fn program(view: &[Word]) -> &str {
    view.first().map_or("", Word::program)
}
