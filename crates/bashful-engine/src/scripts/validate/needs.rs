//! What a script seems to need, from our own reading of it: what it runs, reads, writes, reaches.

use std::collections::BTreeMap;

use bashful_policy::{
    Argument, Call, Capabilities, Context, Effect, Facts, NetworkCapability, Policy, Reading,
    RedirectKind, UnknownKind, decide, read as read_text,
};
use serde::Serialize;

use super::archive::archive;
use super::paths::Home;
use super::{line_of, passing};
use crate::base::programs::is_executable;
use crate::base::programs::on_path;
use crate::model::script::finding::{ScriptFinding, Severity};
use crate::request::settings::Settings;

/// What a script seems to need. What it does not say in its text is not here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Needs {
    /// Programs that it runs.
    pub commands: Vec<String>,
    /// Paths that it names, outside of the system and of its working directory, and does not
    /// seem to write.
    pub reads: Vec<String>,
    /// Paths that it writes, outside of its working directory.
    pub writes: Vec<String>,
    /// Whether it reaches out.
    pub network: bool,
    /// Classes of commands that are refused unless they are declared.
    pub classes: Vec<String>,
    /// Whether some of what it runs is not known before it runs.
    pub dynamic: bool,
}

/// What was read.
pub(super) struct Read {
    pub(super) needs: Needs,
    pub(super) findings: Vec<ScriptFinding>,
    /// The lines in which the network and classes are needed for the first time.
    pub(super) lines: BTreeMap<String, usize>,
    /// Files that go with the run, and where they are written.
    pub(super) passing: Vec<(String, usize)>,
    /// The line in which a program gets a value that could be a path.
    pub(super) by_value: Option<usize>,
}

/// Where a script is thought to run. No host has such a directory.
pub(super) const HERE: &str = "/bashful-scratch";

/// What every run sees anyway, or has of its own.
const SEEN: [&str; 12] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/dev", "/proc", "/sys", "/tmp", "/opt",
    HERE,
];

/// Programs whose operands are written, made or taken away.
const WRITERS: [&str; 16] = [
    "touch", "mkdir", "rm", "rmdir", "tee", "truncate", "chmod", "chown", "mkfifo", "mknod",
    "unlink", "shred", "install", "ln", "mv", "cp",
];

/// Those of them whose last operand alone is written.
const INTO_LAST: [&str; 3] = ["cp", "install", "ln"];

/// What bash does itself, so that no program is needed for it.
const BUILTINS: [&str; 58] = [
    ".",
    ":",
    "[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "cd",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "declare",
    "dirs",
    "disown",
    "echo",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "test",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unset",
];

/// Reads a text.
pub(super) fn read(settings: &Settings, text: &str) -> Read {
    let home = settings.environment.get("HOME").cloned();
    let context = Context {
        directory: Some(HERE.to_owned()),
        workspace: Some(HERE.to_owned()),
        write_roots: vec![HERE.to_owned(), "/tmp".to_owned()],
        home,
        enforced: true,
        reading: Reading::Script,
        ..Context::default()
    };
    let facts = read_text(text, &context);
    let mut read = Read {
        needs: Needs::default(),
        findings: unknowns(text, &facts),
        lines: BTreeMap::new(),
        passing: passing::look(text, &facts),
        by_value: passing::names_paths_by_value(text, &facts.calls),
    };
    read.needs.dynamic = facts.unknowns.iter().any(|unknown| {
        use UnknownKind::{DynamicName, DynamicScript, ScriptFile, Syntax, TooComplex};
        matches!(
            unknown.kind,
            DynamicName | DynamicScript | ScriptFile | Syntax | TooComplex
        )
    });
    commands(settings, text, &facts, &mut read);
    for redirect in &facts.redirects {
        use RedirectKind::{Duplicate, Read as Reads, Text};
        match redirect.kind {
            Duplicate | Text => {}
            Reads => add_path(&mut read.needs.reads, &redirect.target, text),
            _ => add_path(&mut read.needs.writes, &redirect.target, text),
        }
    }
    for call in &facts.calls {
        operands(call, text, &mut read.needs);
    }
    let written = read.needs.writes.clone();
    read.needs
        .reads
        .retain(|path| path != "." && !written.contains(path));
    capabilities(text, &facts, &context, &mut read);
    let lists = [
        &mut read.needs.commands,
        &mut read.needs.reads,
        &mut read.needs.writes,
        &mut read.needs.classes,
    ];
    for list in lists {
        list.sort();
        list.dedup();
    }
    read
}

impl Needs {
    /// Capabilities that give this and no more, as far as it can be declared today. Classes are
    /// left out: what is refused for a reason is opened by a person who thought about it.
    pub(super) fn capabilities(&self, home: &Home) -> Capabilities {
        let existing = |paths: &[String]| -> Vec<String> {
            let mut found: Vec<String> = paths.iter().map(|path| home.existing(path)).collect();
            found.sort();
            found.dedup();
            found
        };
        let mut reads = existing(&self.reads);
        let writes = existing(&self.writes);
        reads.retain(|path| !writes.contains(path));
        Capabilities {
            paths_read: reads,
            paths_write: writes,
            network: if self.network {
                NetworkCapability::On
            } else {
                NetworkCapability::Off
            },
            // A list would stop commands that the script only makes up as it runs.
            commands: (!self.dynamic).then(|| self.commands.clone()),
            ..Capabilities::default()
        }
    }
}

/// What the text does not tell.
fn unknowns(text: &str, facts: &Facts) -> Vec<ScriptFinding> {
    // What passes a limit is refused, and told as that.
    let known = facts.unknowns.iter();
    let known = known.filter(|unknown| unknown.kind != UnknownKind::TooComplex);
    let told = known.map(|unknown| {
        let severity = match unknown.kind {
            UnknownKind::Length | UnknownKind::Shadowing => Severity::Info,
            _ => Severity::Warning,
        };
        let what = match unknown.kind {
            UnknownKind::Syntax => "is not understood when Bashful reads it",
            UnknownKind::DynamicName => "decides what runs while it runs",
            UnknownKind::DynamicScript => "runs a text that is made while it runs",
            UnknownKind::ScriptFile => "runs a file whose content is not in the script",
            UnknownKind::StringEvaluation => "has bash evaluate a text as code",
            UnknownKind::Shadowing => "takes the name of a known command",
            UnknownKind::Characters => "has characters that look like others or cannot be seen",
            UnknownKind::Length => "is longer than a person reads",
            _ => "is not known before it runs",
        };
        let fact: String = unknown.fact.chars().take(120).collect();
        ScriptFinding::own(severity, unknown.kind.as_str(), format!("`{fact}` {what}"))
            .at_line(Some(line_of(text, unknown.span.0)))
    });
    told.collect()
}

fn commands(settings: &Settings, text: &str, facts: &Facts, read: &mut Read) {
    let own = |name: &str| facts.functions.iter().any(|function| function.name == name);
    for call in &facts.calls {
        let Some(first) = call.arguments.first() else {
            continue;
        };
        let name = first.text.as_str();
        if !first.is_literal() || BUILTINS.contains(&name) || own(name) {
            continue;
        }
        let known = read.needs.commands.iter().any(|one| one == name);
        if known {
            continue;
        }
        let there = if name.contains('/') {
            name.starts_with('/') && is_executable(std::path::Path::new(name))
        } else {
            on_path(name, settings.path())
                .iter()
                .any(|one| is_executable(one))
        };
        if !there {
            let message = format!("`{name}` does not exist on this machine");
            let finding = ScriptFinding::own(Severity::Warning, "no-program", message);
            let line = Some(line_of(text, call.span.0));
            read.findings.push(finding.at_line(line));
        }
        read.needs.commands.push(name.to_owned());
    }
}

/// Paths among the words of a command.
fn operands(call: &Call, source: &str, needs: &mut Needs) {
    let program = call.program();
    if let Some(archive) = archive(call) {
        let list = if archive.written {
            &mut needs.writes
        } else {
            &mut needs.reads
        };
        add_path(list, &archive.file, source);
    }
    let plain = |word: &&Argument| !word.text.starts_with('-');
    let operands: Vec<&Argument> = call.operands().iter().filter(plain).collect();
    let writes = WRITERS.contains(&program);
    for (index, word) in operands.iter().enumerate() {
        let is_last = index + 1 == operands.len();
        let is_archive = needs.writes.contains(&word.text);
        if writes && (is_last || !INTO_LAST.contains(&program)) {
            // The first word of these is a mode or an owner.
            let is_setting = index == 0 && matches!(program, "chmod" | "chown");
            if !is_setting {
                add_path(&mut needs.writes, word, source);
            }
        } else if !is_archive && (word.text.contains('/') || home_path(word, source).is_some()) {
            add_path(&mut needs.reads, word, source);
        }
    }
}

/// Adds a path, if it is known and not one that every run sees.
fn add_path(paths: &mut Vec<String>, word: &Argument, source: &str) {
    if let Some(path) = home_path(word, source) {
        paths.push(path);
        return;
    }
    let text = word.text.as_str();
    if !word.is_known() || word.is_pipe || text.contains("://") || text.is_empty() {
        return;
    }
    let seen = SEEN.iter().any(|root| {
        let below = text.strip_prefix(root);
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    if !text.starts_with('/') {
        // Its working directory is its own.
    } else if !seen && text != "/" {
        paths.push(text.to_owned());
    }
}

/// A path in the home, as a script declares it. Which home that is, is not known to a reading.
fn home_path(word: &Argument, source: &str) -> Option<String> {
    let written = source.get(word.span.0..word.span.1)?;
    let written = written.trim_matches('"');
    let rest = ["~/", "$HOME/", "${HOME}/"]
        .iter()
        .find_map(|home| written.strip_prefix(home))?;
    let plain = |next: char| next.is_alphanumeric() || "-_./+@, ".contains(next);
    rest.chars().all(plain).then(|| format!("~/{rest}"))
}

/// What the policy would want to be declared.
fn capabilities(text: &str, facts: &Facts, context: &Context, read: &mut Read) {
    let judgement = decide(facts, &Policy::confined(), context);
    let stopped = judgement
        .findings
        .iter()
        .filter(|finding| finding.effect != Effect::Allow);
    for finding in stopped {
        for name in [&finding.capability, &finding.needs].into_iter().flatten() {
            let line = line_of(text, finding.span.0);
            read.lines.entry(name.to_string()).or_insert(line);
            match name.as_ref() {
                "network" => read.needs.network = true,
                // Declared paths open these.
                "write-outside-roots" => {}
                class => read.needs.classes.push(class.to_owned()),
            }
        }
    }
}
