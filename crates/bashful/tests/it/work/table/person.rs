//! Who runs the commands: a user with a home and tools, who says yes once or does what the first
//! message says.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use regex_lite::Regex;

use super::line::{Check, Line};
use super::project::Project;
use super::report::Came;
use crate::support::{Outcome, PATH, Running, Terminal, World};

/// A directory with `.cargo` and `.rustup` that the user can read, where that is not the home.
const TOOLS: &str = "BASHFUL_TEST_TOOLS";

pub(super) struct Person<'a> {
    world: &'a World,
    tools: Option<PathBuf>,
}

/// What a message says that helps.
enum Advice {
    /// This ask can be answered with a yes.
    Answer(String),
    /// The same again, with these before it.
    Flags(Vec<String>),
    /// More is said about this run.
    Explain(String),
}

impl<'a> Person<'a> {
    pub(super) fn new(world: &'a World) -> Self {
        let config = "[user]\n\tname = A Person\n\temail = person@example.org\n\
                      [init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n";
        fs::write(world.path("home/.gitconfig"), config).unwrap();
        let named = std::env::var_os(TOOLS).or_else(|| std::env::var_os("HOME"));
        let tools = named.map(PathBuf::from);
        let tools = tools.filter(|folder| folder.join(".cargo/bin/cargo").exists());
        Self { world, tools }
    }

    pub(super) fn home(&self) -> PathBuf {
        self.world.path("home")
    }

    pub(super) fn has_tool(&self, program: &str) -> bool {
        let tools = self.tools.as_ref();
        tools.is_some_and(|tools| tools.join(".cargo/bin").join(program).exists())
    }

    /// A program as this person starts it, outside.
    pub(super) fn program(&self, program: &str) -> Command {
        self.equipped(self.world.program(program))
    }

    /// With the tools on the path, and what a desktop's session has in its environment.
    fn equipped(&self, mut command: Command) -> Command {
        command
            .env("LANG", "C.UTF-8")
            .env("TERM", "xterm-256color")
            .env("USER", "person");
        if let Some(tools) = &self.tools {
            let bin = tools.join(".cargo/bin");
            command
                .env("PATH", format!("{}:{PATH}", bin.display()))
                .env("RUSTUP_HOME", tools.join(".rustup"));
        }
        command
    }

    fn run(&self, project: &Project, line: &Line, flags: &[String]) -> Outcome {
        let mut command = self.equipped(self.world.run_command(flags));
        command.args(["--timeout", "90s"]).arg(&line.text);
        command.current_dir(project.place());
        Running::start(command).end().outcome()
    }

    /// Runs it, and if need be once more.
    pub(super) fn attempts(&self, project: &Project, line: &Line) -> Came {
        project.renew();
        let first = self.run(project, line, &[]);
        let Err(why) = is_done(project, line, &first) else {
            return Came::Worked;
        };
        let said = told(&first, &why);
        // Before the yes, which can make a directory beside the project.
        project.renew();
        let Some(advice) = advice_in(&first.stderr) else {
            return if names_another_way(&first.stderr) {
                Came::Failed(said)
            } else {
                Came::Silent(said)
            };
        };
        // Before the answer: a yes may make a directory beside the project.
        project.renew();
        let Some((flags, step)) = self.follow(project, advice) else {
            return Came::Failed(said);
        };
        let second = self.run(project, line, &flags);
        match is_done(project, line, &second) {
            Ok(()) => Came::After(step),
            Err(why) => Came::Failed(format!("{said}\n  after {step}: {}", told(&second, &why))),
        }
    }

    /// Does what was said: the flags of the next run, and what was done.
    fn follow(&self, project: &Project, advice: Advice) -> Option<(Vec<String>, String)> {
        match advice {
            Advice::Answer(id) => {
                let (code, screen) =
                    Terminal::bashful(self.world, &["approvals", "allow", &id]).end();
                let done = format!("a yes{}", if code == 0 { String::new() } else { screen });
                Some((Vec::new(), done))
            }
            Advice::Flags(flags) => {
                let done = format!("`{}`", flags.join(" "));
                Some((flags, done))
            }
            Advice::Explain(task) => {
                let mut command = self.equipped(self.world.bashful(&["explain", &task]));
                command.current_dir(project.place());
                let said = Running::start(command).end().outcome();
                let advice = advice_in(&said.stdout).or_else(|| advice_in(&said.stderr))?;
                match advice {
                    Advice::Explain(_) => None,
                    other => self.follow(project, other),
                }
            }
        }
    }
}

/// Whether a message of ours says what to use in the place of what no flag permits.
fn names_another_way(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| line.starts_with("bashful: "));
    lines.any(|line| line.ends_with(" instead"))
}

/// The first thing that a message says to do.
fn advice_in(text: &str) -> Option<Advice> {
    // A card breaks its lines where the terminal ends.
    let joined = Regex::new(r"\n│? +").unwrap().replace_all(text, " ");
    let known = "`?bashful approvals allow (ask-[a-z0-9]+)|`?bashful explain (bash-[a-z0-9]+)`?\
                 |(--(?:allow|write|read|network|timeout|memory|processes|command|tmp-size|file-size|open-files|cpu-time|env|preset)) \
                 ([^\\s`,]+)|(--(?:stdin|background|tty))";
    let found = Regex::new(known).unwrap().captures(&joined)?;
    let group = |number: usize| found.get(number).map(|it| it.as_str().to_owned());
    if let Some(id) = group(1) {
        return Some(Advice::Answer(id));
    }
    if let Some(task) = group(2) {
        return Some(Advice::Explain(task));
    }
    let flags = [group(3), group(4), group(5)];
    Some(Advice::Flags(flags.into_iter().flatten().collect()))
}

/// Whether it did what it is for.
fn is_done(project: &Project, line: &Line, outcome: &Outcome) -> Result<(), String> {
    if outcome.code != line.code() {
        return Err(format!("exit {} and not {}", outcome.code, line.code()));
    }
    for check in &line.checks {
        let (held, what) = match check {
            Check::Exit(_) => (true, String::new()),
            Check::Prints(text) => (
                outcome.stdout.contains(text) || outcome.stderr.contains(text),
                format!("does not print `{text}`"),
            ),
            Check::File(name) => (
                project.place().join(name).symlink_metadata().is_ok(),
                format!("`{name}` is not there"),
            ),
        };
        if !held {
            return Err(what);
        }
    }
    Ok(())
}

/// What a reader of the report needs of an outcome.
fn told(outcome: &Outcome, why: &str) -> String {
    let text = format!("{}{}", outcome.stdout, outcome.stderr);
    let lines: Vec<&str> = text.lines().collect();
    let last = &lines[lines.len().saturating_sub(12)..];
    format!("{why}\n    {}", last.join("\n    "))
}
