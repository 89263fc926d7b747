//! Reading bash text: where commands start and end, and how they connect.
//!
//! Not a full parser. It errs on the side of seeing too many commands: what bash would take for
//! data may show up as a command, what bash would run must not go unseen.

use std::rc::Rc;

use crate::paths;
use crate::script::{Command, Redirect, RedirectKind, Script, Span, Word};
use crate::shells;
use crate::unwrap;
use crate::words::Place;

mod cursor;
mod groups;
mod heredoc;

/// Substitutions, groups and `bash -c` texts may nest this deep. Beyond it, nothing is read.
const MAX_DEPTH: usize = 32;
/// Texts inside texts may have this many bytes together, so that reading them stays quick.
const MAX_NESTED_BYTES: usize = 4 << 20;
/// A directory longer than the kernel's own limit is not followed.
const MAX_PATH: usize = 4096;

/// The redirects, longer ones first. `&>` arrives without its ampersand.
const OPERATORS: &[&[u8]] = &[
    b"<<<", b"<<-", b"<<", b"<>", b"<&", b">>", b">&", b">|", b">", b"<",
];

/// Reads a whole command.
pub(crate) fn read(text: &str) -> Script {
    let mut script = Script::default();
    Reader::new(text.as_bytes(), &mut script).run();
    script
}

/// A cursor over one text, and the script that it fills.
pub(crate) struct Reader<'t, 's> {
    pub(crate) script: &'s mut Script,
    text: &'t [u8],
    pub(crate) position: usize,
    /// Reading stops here: the end of the text, or of the part being read.
    pub(crate) limit: usize,
    depth: usize,
    /// For a text that is not a part of the original: where it came from.
    origin: Option<Span>,
    directory: Option<Rc<str>>,
    here: heredoc::Pending,
    /// Which commands and pipelines of the script are this text's own. Texts inside it have had
    /// their turn: to look at them again on each level would double the work each time.
    commands: Vec<usize>,
    pipelines: Vec<usize>,
}

/// What is being read: one list of commands, with the groups open in it.
struct Level {
    /// The byte that ends it, for a substitution.
    closer: Option<u8>,
    closed: bool,
    command: Command,
    /// `for x in a b`: words that are not a command.
    header: bool,
    /// Where each stage of the current pipeline starts.
    stages: Vec<usize>,
    /// Where the current `a && b || c` starts: what one `&` puts in the background.
    list_start: usize,
    groups: Vec<Group>,
    /// The name of the function whose body comes next.
    function: Option<String>,
}

/// An open compound command.
struct Group {
    kind: GroupKind,
    start: usize,
    start_byte: usize,
    stages: Vec<usize>,
    list_start: usize,
    function: Option<String>,
    directory: Option<Rc<str>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GroupKind {
    Parenthesis,
    Brace,
    If,
    Loop,
    Case,
}

impl<'t, 's> Reader<'t, 's> {
    fn new(text: &'t [u8], script: &'s mut Script) -> Self {
        Self {
            script,
            text,
            position: 0,
            limit: text.len(),
            depth: 0,
            origin: None,
            directory: None,
            here: heredoc::Pending::default(),
            commands: Vec::new(),
            pipelines: Vec::new(),
        }
    }

    /// Reads the whole text, then the texts that it feeds to a shell.
    fn run(&mut self) {
        self.list(None);
        let mut fed = Vec::new();
        for &index in &self.commands {
            let command = self.script.commands.get(index);
            fed.extend(command.map(|command| shells::own_texts(self.script, command)));
        }
        for &index in &self.pipelines {
            let stages = self.script.pipelines.get(index);
            fed.extend(stages.map(|stages| shells::piped_texts(self.script, stages)));
        }
        for (text, span) in fed.into_iter().flatten() {
            self.nested(text.as_bytes(), span);
        }
    }

    /// Reads another text, such as that of `bash -c`, into the same script.
    pub(crate) fn nested(&mut self, text: &[u8], span: Span) {
        self.script.nested_bytes += text.len();
        if self.script.nested_bytes > MAX_NESTED_BYTES {
            self.give_up();
        }
        if self.script.too_complex || !self.enter() {
            return;
        }
        let mut reader = Reader::new(text, self.script);
        reader.depth = self.depth;
        reader.origin = Some(self.origin.unwrap_or(span));
        reader.directory.clone_from(&self.directory);
        reader.run();
        self.leave();
    }

    /// Reads the inside of `$(…)`, `<(…)` or `${ …; }`; the cursor is after the opening.
    pub(crate) fn substitution(&mut self, closer: u8) {
        if self.enter() {
            let directory = self.directory.clone();
            self.list(Some(closer));
            self.directory = directory;
            self.leave();
        }
    }

    /// Reads commands up to the closer.
    fn list(&mut self, closer: Option<u8>) {
        let start = self.script.commands.len();
        let mut level = Level {
            closer,
            closed: false,
            command: Command::default(),
            header: false,
            stages: vec![start],
            list_start: start,
            groups: Vec::new(),
            function: None,
        };
        while !level.closed && !self.script.too_complex {
            self.skip_blanks();
            let Some(byte) = self.peek() else { break };
            match byte {
                b'\n' => self.newline(&mut level),
                b'#' => self.skip_line(),
                b';' => self.semicolon(&mut level),
                b'&' => self.ampersand(&mut level),
                b'|' => self.pipe(&mut level),
                b'(' => self.open_parenthesis(&mut level),
                b')' => self.close_parenthesis(&mut level),
                b'<' | b'>' if self.peek_at(1) != Some(b'(') => self.redirect(&mut level),
                b'0'..=b'9' | b'{' if self.skip_descriptor() => self.redirect(&mut level),
                _ => self.command_word(&mut level),
            }
        }
        self.end_list(&mut level);
        self.script.trouble |= !level.groups.is_empty() || (closer.is_some() && !level.closed);
        // What was opened is still closed, so that the commands in it keep their connections.
        while let Some(group) = level.groups.pop() {
            self.leave_group(&mut level, group);
        }
    }

    fn newline(&mut self, level: &mut Level) {
        self.position += 1;
        // After `a |` the pipeline goes on in the next line.
        let open = level.stages.len() > 1
            && level.command.span == (0, 0)
            && level.stages.last() == Some(&self.script.commands.len());
        self.end_command(level);
        self.here_documents(level.closer);
        if !open {
            self.end_list(level);
        }
    }

    fn semicolon(&mut self, level: &mut Level) {
        self.position += 1;
        self.end_list(level);
        if matches!(self.peek(), Some(b';' | b'&')) {
            self.position += if self.looking_at(b";&") { 2 } else { 1 };
            if level
                .groups
                .last()
                .is_some_and(|group| group.kind == GroupKind::Case)
            {
                self.case_pattern();
            } else {
                self.script.trouble = true;
            }
        }
    }

    fn ampersand(&mut self, level: &mut Level) {
        if self.looking_at(b"&>") {
            self.position += 1;
            self.redirect(level);
        } else if self.looking_at(b"&&") {
            self.position += 2;
            self.end_pipeline(level);
        } else {
            self.position += 1;
            self.end_pipeline(level);
            for command in self.script.commands.iter_mut().skip(level.list_start) {
                command.background = true;
            }
            self.end_list(level);
        }
    }

    fn pipe(&mut self, level: &mut Level) {
        if self.looking_at(b"||") {
            self.position += 2;
            self.end_pipeline(level);
        } else {
            self.position += if self.looking_at(b"|&") { 2 } else { 1 };
            self.end_command(level);
            level.stages.push(self.script.commands.len());
        }
    }

    fn open_parenthesis(&mut self, level: &mut Level) {
        if self.looking_at(b"((")
            && level.command.words.is_empty()
            && let Some(end) = self.arithmetic_end(self.position + 2)
        {
            self.position += 2;
            self.expansions_until(end);
            self.position = end + 2;
            level.header = false;
            return;
        }
        self.position += 1;
        if let [name] = level.command.words.as_slice()
            && self.empty_parentheses()
        {
            level.function = Some(name.text.clone());
            level.command = Command::default();
            self.skip_blanks();
            // Not valid in bash without a blank after it, but a well-known way to write a bomb.
            if self.peek() == Some(b'{') {
                self.position += 1;
                self.open(level, GroupKind::Brace);
            }
            return;
        }
        self.script.trouble |= !level.command.words.is_empty();
        self.end_command(level);
        self.open(level, GroupKind::Parenthesis);
    }

    fn close_parenthesis(&mut self, level: &mut Level) {
        self.position += 1;
        if level
            .groups
            .iter()
            .any(|group| group.kind == GroupKind::Parenthesis)
        {
            while level
                .groups
                .last()
                .is_some_and(|group| group.kind != GroupKind::Parenthesis)
            {
                self.script.trouble = true;
                let kind = level.groups.last().map(|group| group.kind);
                self.close(level, kind);
            }
            self.close(level, Some(GroupKind::Parenthesis));
        } else if level.closer == Some(b')') {
            level.closed = true;
        } else {
            self.script.trouble = true;
            self.end_list(level);
        }
    }

    /// A word: a reserved word, an assignment, the program, or an argument.
    fn command_word(&mut self, level: &mut Level) {
        let start = self.position;
        let words = self.word(Place::Command);
        let command = &level.command;
        let at_start = command.words.is_empty()
            && command.assignments.is_empty()
            && command.redirects.is_empty();
        if let [word] = words.as_slice() {
            // `for x do` and `for ((;;)) do` have no separator before `do`.
            if level.header && command.words.len() == 1 && word.is_bare("do") {
                self.end_command(level);
                return;
            }
            if at_start && !level.header && self.reserved(level, word, start) {
                return;
            }
        }
        for word in words {
            // An unquoted word that expands to nothing is no word.
            if word.text.is_empty() && !word.quoted {
                continue;
            }
            if level.command.span == (0, 0) {
                level.command.span.0 = word.span.0;
            }
            level.command.span.1 = word.span.1;
            if word.assignment && level.command.words.is_empty() {
                level.command.assignments.push(word);
            } else {
                level.command.words.push(word);
            }
        }
    }

    fn redirect(&mut self, level: &mut Level) {
        let start = self.position;
        let found = OPERATORS.iter().find(|operator| self.looking_at(operator));
        let operator = found.copied().unwrap_or(b">");
        self.position += operator.len();
        self.skip_blanks();
        if operator == b"<<" || operator == b"<<-" {
            self.here_operator(level, operator == b"<<-");
            return;
        }
        let mut words = self.word(Place::Command);
        let Some(target) = words.pop() else {
            self.script.trouble = true;
            return;
        };
        self.script.trouble |= target.span.0 == target.span.1;
        let descriptor = target.text.trim_end_matches('-');
        let duplicate =
            operator.ends_with(b"&") && descriptor.bytes().all(|byte| byte.is_ascii_digit());
        let kind = match operator {
            _ if duplicate => RedirectKind::Duplicate,
            b"<<<" => RedirectKind::Here,
            b"<" | b"<&" => RedirectKind::Read,
            _ => RedirectKind::Write,
        };
        if level.command.span == (0, 0) {
            level.command.span = self.span_from(start);
        }
        level.command.span.1 = target.span.1;
        level.command.redirects.push(Redirect {
            kind,
            target,
            awaits: None,
        });
    }

    fn end_list(&mut self, level: &mut Level) {
        self.end_pipeline(level);
        level.list_start = self.script.commands.len();
        if self.origin.is_none() {
            self.script.list_starts.push(self.position);
        }
    }

    fn end_pipeline(&mut self, level: &mut Level) {
        self.end_command(level);
        let end = self.script.commands.len();
        let mut stages = std::mem::replace(&mut level.stages, vec![end]);
        if stages.len() > 1 {
            stages.push(end);
            self.pipelines.push(self.script.pipelines.len());
            self.script.pipelines.push(stages);
        }
    }

    fn end_command(&mut self, level: &mut Level) {
        let mut command = std::mem::take(&mut level.command);
        let header = std::mem::take(&mut level.header);
        let empty = command.words.is_empty()
            && command.assignments.is_empty()
            && command.redirects.is_empty();
        if header || empty {
            return;
        }
        level.function = None;
        self.settle_here_documents(&mut command);
        command.directory.clone_from(&self.directory);
        let unwrapped = unwrap::unwrap(&command.words);
        command.views = unwrapped.views;
        self.follow_directory(&command.words);
        self.commands.push(self.script.commands.len());
        self.script.commands.push(command);
        if unwrapped.too_deep {
            self.give_up();
        }
        for (text, span) in unwrapped.texts {
            self.nested(text.as_bytes(), span);
        }
    }

    /// Follows `cd` as far as it can be known; what cannot makes the directory unknown again.
    fn follow_directory(&mut self, words: &[Word]) {
        let [program, operands @ ..] = words else {
            return;
        };
        if !matches!(program.text.as_str(), "cd" | "pushd" | "popd" | "chdir") {
            return;
        }
        let mut operands = operands
            .iter()
            .filter(|word| !word.text.starts_with('-') || word.text == "-");
        let target = match (program.text.as_str(), operands.next()) {
            ("cd", None) => Some("~".to_owned()),
            ("cd" | "pushd" | "chdir", Some(word)) if word.is_literal() && word.text != "-" => {
                paths::resolve(word, self.directory.as_deref())
            }
            _ => None,
        };
        self.directory = target.filter(|path| path.len() <= MAX_PATH).map(Rc::from);
    }
}
