//! What really runs: behind `sudo`, `env`, `xargs` and their kin, and in texts for other shells.

use std::ops::Range;

use super::simple::{Site, is_given, joined};
use super::state::{Attribute, State, Value};
use super::walk::{Frame, Walker};
use super::{Argument, Input, Place, UnknownKind};
use crate::arguments::{Valued, operands, values_and_rest};

mod shells;
mod table;
mod xargs;

pub(crate) use shells::{Program as ShellProgram, is_shell, only_checks, program as shell_program};
use table::{Kind, Wrapper, wrapper};

/// Whether a program runs what its arguments name, as `sudo` and `timeout` do.
pub(crate) fn is_wrapper(name: &str) -> bool {
    wrapper(name).is_some()
}

impl Walker<'_> {
    /// Follows what a program runs besides itself.
    pub(super) fn unwrap(
        &mut self,
        name: &str,
        argv: &[Argument],
        index: usize,
        site: &Site,
        state: &mut State,
        frame: &Frame,
    ) -> Option<State> {
        if is_shell(name) {
            self.shell(name, argv, index, state, frame);
            return None;
        }
        match name {
            "find" | "fd" | "fdfind" => {
                for range in find_commands(name, argv) {
                    let mut own = state.clone();
                    self.inner(
                        name,
                        argv,
                        range,
                        Kind::Repeats,
                        index,
                        site,
                        &mut own,
                        frame,
                    );
                }
                return None;
            }
            "git" => {
                self.git_texts(argv, state, frame);
                return None;
            }
            "crontab" | "at" | "batch" => {
                self.scheduled(name, state, frame);
                return None;
            }
            _ => {}
        }
        let runs = |word: &Argument| word.known().starts_with('-') && word.text.contains('x');
        if name == "jobs" && !argv.iter().any(runs) {
            return None;
        }
        self.text_options(name, argv, state, frame);
        self.perhaps(name, argv, index, site, state, frame);
        let found = wrapper(name)?;
        if let Some(verb) = table::verb(name)
            && argv
                .iter()
                .skip(1)
                .find(|word| !word.text.starts_with('-'))?
                .text
                != verb
        {
            return None;
        }
        match program_at(found, name, argv) {
            Program::At(at) => {
                let range = at..argv.len();
                // `command` and `builtin` run in this shell, the others in a process of their own.
                if matches!(name, "command" | "builtin") {
                    return self.inner(name, argv, range, found.kind, index, site, state, frame);
                }
                let mut own = state.clone();
                self.wrapper_assignments(name, argv, at, &mut own);
                self.inner(name, argv, range, found.kind, index, site, &mut own, frame);
            }
            Program::Text(text) => self.script(&text, &mut state.clone(), frame),
            // `env` alone prints, `exec` alone redirects: they are judged as they are.
            Program::Nothing => {}
        }
        None
    }

    /// Follows a command that probably stands in the arguments, where options that no table knows
    /// hide its place.
    fn perhaps(
        &mut self,
        name: &str,
        argv: &[Argument],
        index: usize,
        site: &Site,
        state: &State,
        frame: &Frame,
    ) {
        // Once is enough: a guess in a guess would double the work at each level.
        if !table::may_start(name) || frame.place == Place::Option {
            return;
        }
        let Some(at) = table::harmful_at(argv) else {
            return;
        };
        let known = wrapper(name).map(|found| program_at(found, name, argv));
        if matches!(known, Some(Program::At(place)) if place == at) {
            return;
        }
        // `start-stop-daemon --exec /bin/rm -- -rf x` has a word between the two.
        let mut command = argv.get(at..).unwrap_or_default().to_vec();
        if command.get(1).is_some_and(|word| word.text == "--") {
            command.remove(1);
        }
        let mut own = state.clone();
        let option = frame.for_option();
        let range = 0..command.len();
        self.inner(
            name,
            &command,
            range,
            Kind::Opaque,
            index,
            site,
            &mut own,
            &option,
        );
    }

    /// Follows the command that stands in a wrapper's arguments.
    #[expect(
        clippy::too_many_arguments,
        reason = "what a call is made of, handed on once"
    )]
    fn inner(
        &mut self,
        name: &str,
        argv: &[Argument],
        range: Range<usize>,
        kind: Kind,
        index: usize,
        site: &Site,
        state: &mut State,
        frame: &Frame,
    ) -> Option<State> {
        let inner = argv.get(range).filter(|inner| !inner.is_empty())?;
        if kind != Kind::Opaque && !matches!(name, "find" | "fd" | "fdfind") {
            self.make_transparent(index);
        }
        let mut site = site.clone();
        site.wrappers.push(name.to_owned());
        let supplied;
        let mut inner = inner;
        if name == "xargs" {
            let (words, more) = xargs::supplied(argv, inner, &frame.input);
            site.open_ended |= more == xargs::More::Unknown;
            supplied = words;
            inner = &supplied;
        }
        // Redirects belong to the outermost call, where they are judged.
        site.redirects.clear();
        if let Some(directory) = table::directory_option(name, argv) {
            let places = crate::places::places(&directory, &state.directories, self.context);
            let known = !places.unknown;
            let paths = places.paths.into_iter().map(|place| place.text);
            state.go(if known { paths.collect() } else { Vec::new() });
        }
        let frame = Frame {
            // What it reads is what the wrapper leaves, and `xargs` and `find` leave nothing.
            input: if kind == Kind::Repeats {
                Input::Text(Argument::default())
            } else {
                frame.input.clone()
            },
            ..frame.clone()
        };
        if table::joins_as_text(name) {
            let text = joined(inner.iter());
            self.script(&text, state, &frame);
            return None;
        }
        self.call(inner, &site, state, &frame)
    }

    /// `env A=1 program`: an assignment for that call.
    fn wrapper_assignments(
        &mut self,
        name: &str,
        argv: &[Argument],
        end: usize,
        state: &mut State,
    ) {
        if !table::takes_assignments(name) {
            return;
        }
        for word in argv.get(1..end).unwrap_or_default() {
            if let Some((variable, value)) = word.text.split_once('=')
                && table::is_name(variable)
            {
                let value = word.tail(word.text.len() - value.len());
                state.set(variable, Value::of(&value));
                state.mark(variable, Attribute::Exported);
                self.note_assignment(word.span, variable, value, true);
            } else if word.known().starts_with('-') {
                // `env -i`, `env -u NAME`, `sudo -i`: it may not get what is exported.
                state.hide_exports();
            }
        }
    }

    /// Options that hold a shell's text: `su -c TEXT`, `flock FILE -c TEXT`, `env -S TEXT`.
    fn text_options(&mut self, name: &str, argv: &[Argument], state: &State, frame: &Frame) {
        let arguments = argv.get(1..).unwrap_or_default();
        let (short, long) = match name {
            "su" | "runuser" | "script" | "flock" | "sg" | "asciinema" | "chokidar" => {
                ('c', "command")
            }
            "env" => ('S', "split-string"),
            "compgen" | "complete" => ('C', ""),
            "nix-shell" => ('\0', "run"),
            "entr" => ('s', ""),
            "nodemon" => ('x', "exec"),
            "hyperfine" | "concurrently" | "cross-env-shell" => {
                // Each operand is a text of its own.
                for text in operands(arguments, &table::TEXTS) {
                    self.script(text, &mut state.clone(), frame);
                }
                ('p', "prepare")
            }
            "cargo" if arguments.first().is_none_or(|verb| verb.text != "watch") => return,
            "cargo" | "cargo-watch" => ('s', "shell"),
            "tsup" => ('\0', "onSuccess"),
            "split" => ('\0', "filter"),
            "sort" => ('\0', "compress-program"),
            "tar" | "gtar" | "bsdtar" => ('I', "use-compress-program"),
            "rsync" => ('e', "rsh"),
            "tmux" | "screen" | "byobu" => {
                self.multiplexer(argv, state, frame);
                return;
            }
            _ => return,
        };
        for (text, after) in values_and_rest(arguments, short, long) {
            let text = if name == "env" {
                joined(std::iter::once(&text).chain(after))
            } else {
                text
            };
            self.script(&text, &mut state.clone(), frame);
        }
    }

    /// `tmux new -d 'text'`: the operands after the subcommand are a shell's text.
    fn multiplexer(&mut self, argv: &[Argument], state: &State, frame: &Frame) {
        const VALUED: Valued = Valued::new("cefFLnSstTxyp", &[]);
        let words = operands(argv.get(1..).unwrap_or_default(), &VALUED);
        let tmux = argv.first().is_some_and(|word| word.program() == "tmux");
        let skip = usize::from(tmux);
        if words.len() > skip {
            let text = joined(words.into_iter().skip(skip));
            self.script(&text, &mut state.clone(), frame);
        }
    }

    /// `crontab -` and `at` read commands from their input.
    fn scheduled(&mut self, name: &str, state: &State, frame: &Frame) {
        if !is_given(&frame.input) {
            return;
        }
        for text in self.input_texts(&frame.input) {
            let mut script = text.clone();
            if name == "crontab" {
                script.text = text
                    .text
                    .lines()
                    .map(cron_command)
                    .collect::<Vec<_>>()
                    .join("\n");
            }
            self.script(&script, &mut state.clone(), frame);
        }
    }

    /// Texts that git hands to a shell.
    fn git_texts(&mut self, argv: &[Argument], state: &State, frame: &Frame) {
        let frame = frame.for_option();
        for text in table::git_texts(argv) {
            self.script(&text, &mut state.clone(), &frame);
        }
    }

    /// Variables whose values programs run as commands.
    pub(super) fn assigned_scripts(&mut self, site: &Site, state: &State, frame: &Frame) {
        let option = frame.for_option();
        for index in &site.assignments {
            let Some(assignment) = self.facts.assignments.get(*index) else {
                continue;
            };
            if !table::is_command_variable(&assignment.name) || !assignment.value.is_known() {
                continue;
            }
            // An editor is started for sure where one is asked for; a pager may not be.
            let sure = assignment.name.ends_with("EDITOR") || assignment.name == "VISUAL";
            let text = assignment.value.clone();
            let around = if sure { frame } else { &option };
            self.script(&text, &mut state.clone(), around);
        }
    }

    /// The same for a variable that an earlier call of the shell left.
    pub(super) fn inherited_script(&mut self, assignment: usize, state: &State) {
        let site = Site {
            span: (0, 0),
            wrappers: Vec::new(),
            open_ended: false,
            assignments: vec![assignment],
            declared: Vec::new(),
            redirects: Vec::new(),
        };
        self.assigned_scripts(&site, state, &Frame::new());
    }

    /// Flags that a shell runs commands that are not in the text.
    fn flag_script(&mut self, kind: UnknownKind, word: &Argument) {
        self.unknown(kind, word.span, &word.text);
    }
}

/// Where a wrapper names its program.
enum Program {
    At(usize),
    Text(Argument),
    Nothing,
}

fn program_at(found: &Wrapper, name: &str, argv: &[Argument]) -> Program {
    let mut skip = found.operands;
    if name == "setarch" && !argv.iter().skip(1).any(table::is_architecture) {
        skip = 0;
    }
    let mut index = 1;
    let mut options = true;
    while let Some(word) = argv.get(index) {
        let text = word.known();
        if options && word.text == "--" {
            options = false;
        } else if options && text.starts_with('-') && word.text.len() > 1 {
            if found.looks_up(text) {
                return Program::Nothing;
            }
            index += usize::from(found.valued.takes_next_abbreviated(&word.text));
        } else if table::takes_assignments(name)
            && word
                .text
                .split_once('=')
                .is_some_and(|(variable, _)| table::is_name(variable))
            || word.text == "-" && name == "env"
        {
            // A variable for the program, or `env -`.
        } else if skip > 0 {
            skip -= 1;
            // What follows the last operand is the program, also when it starts with a dash.
            options = skip > 0 || name == "flock";
        } else if found.kind == Kind::Text {
            return Program::Text(joined(argv.iter().skip(index)));
        } else {
            return Program::At(index);
        }
        index += 1;
    }
    Program::Nothing
}

/// The commands that `find` runs on what it finds.
fn find_commands(name: &str, argv: &[Argument]) -> Vec<Range<usize>> {
    let runs = |text: &str| {
        if name == "find" {
            matches!(text, "-exec" | "-execdir" | "-ok" | "-okdir")
        } else {
            matches!(text, "-x" | "-X" | "--exec" | "--exec-batch")
        }
    };
    let mut found = Vec::new();
    let mut start = None;
    for (index, word) in argv.iter().enumerate() {
        match start {
            None if runs(&word.text) => start = Some(index + 1),
            Some(from) if word.text == ";" || word.text == "+" => {
                found.push(from..index);
                start = None;
            }
            _ => {}
        }
    }
    found.extend(start.map(|from| from..argv.len()));
    found
}

/// The command in a line of a crontab.
fn cron_command(line: &str) -> String {
    let line = line.trim();
    let skip = if line.starts_with('@') { 1 } else { 5 };
    line.split_whitespace()
        .skip(skip)
        .collect::<Vec<_>>()
        .join(" ")
}
