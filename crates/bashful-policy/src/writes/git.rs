//! What `git` writes outside of its own repository, and what it is told to run later.

use crate::facts::Argument;
use crate::programs::names_program;

use super::options::{Shape, Style, parse};
use super::programs::Written;
use super::table::Surety;
use super::target::Way;

/// Subcommands that change the directory or repository they are in.
const CHANGING: &[&str] = &[
    "add", "am", "apply", "bisect", "checkout", "cherry-pick", "clean", "clone", "commit", "fetch",
    "filter-branch", "gc", "init", "maintenance", "merge", "mv", "notes", "prune", "pull",
    "rebase", "reset", "restore", "revert", "rm", "stage", "stash", "submodule", "switch",
    "symbolic-ref", "update-index", "update-ref", "worktree",
];

/// Takes the options before the subcommand apart: the directory, other outputs, and the rest.
struct Line {
    directory: Option<Argument>,
    named: Vec<Argument>,
    verb: String,
    rest: Vec<Argument>,
}

fn line(arguments: &[Argument]) -> Line {
    let mut line = Line {
        directory: None,
        named: Vec::new(),
        verb: String::new(),
        rest: Vec::new(),
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.known();
        match text {
            "-C" => line.directory = rest.next().map(|next| from(line.directory.as_ref(), next)),
            "-c" | "--namespace" | "--super-prefix" | "--config-env" | "--attr-source" => {
                rest.next();
            }
            "--git-dir" | "--work-tree" => line.named.extend(rest.next().cloned()),
            _ if text.starts_with("--git-dir=") || text.starts_with("--work-tree=") => {
                let at = text.find('=').map_or(0, |at| at + 1);
                line.named.push(argument.tail(at));
            }
            _ if text.starts_with('-') => {}
            _ => {
                text.clone_into(&mut line.verb);
                line.rest = rest.cloned().collect();
                break;
            }
        }
    }
    line
}

/// A second `-C` is seen from the first.
fn from(before: Option<&Argument>, next: &Argument) -> Argument {
    match before {
        Some(before) if !next.text.starts_with('/') => Argument {
            text: format!("{}/{}", before.text, next.text),
            unknown_from: before
                .unknown_from
                .or(next.unknown_from.map(|at| at + before.text.len() + 1)),
            ..next.clone()
        },
        _ => next.clone(),
    }
}

/// What a `git` command writes.
pub(super) fn written(arguments: &[Argument]) -> Written {
    let line = line(arguments);
    // Where a repository is made is often meant.
    let makes = matches!(
        line.verb.as_str(),
        "init" | "clone" | "worktree" | "submodule"
    );
    // A tree that the run does not see is gone for git, which then forgets the worktree.
    let removes = line.verb == "worktree"
        && line
            .rest
            .first()
            .is_some_and(|verb| ["remove", "move"].contains(&verb.text.as_str()));
    let mut written = Written::new(if makes && !removes {
        Surety::Guess
    } else {
        Surety::Outputs
    });
    let changes = CHANGING.contains(&line.verb.as_str());
    if changes {
        written.add_all(line.named, Way::Write);
        if line.verb != "init" && line.verb != "clone" {
            written.add_here(arguments.first(), Way::Write);
        }
    }
    written.directory = line.directory;
    let shape = Shape {
        short: "obcBmnUSG",
        attached: "",
        long: &[
            "output", "output-directory", "separate-git-dir", "template", "branch", "depth",
            "origin", "format", "prefix", "remote", "file", "config", "reference", "message",
        ],
        style: Style::Getopt,
    };
    let parsed = parse(&line.rest, &shape);
    let operands = &parsed.operands;
    let verb = operands.first().map_or("", |verb| verb.text.as_str());
    let outputs: &[&str] = match line.verb.as_str() {
        "log" | "diff" | "show" | "shortlog" | "whatchanged" | "diff-tree" | "diff-index"
        | "diff-files" | "stash" | "range-diff" | "reflog" | "rev-list" => &["--output"],
        "archive" => &["-o", "--output"],
        "format-patch" => &["-o", "--output-directory", "--output"],
        "bugreport" | "diagnose" => &["-o", "--output-directory"],
        "clone" | "init" => &["--separate-git-dir"],
        "config" => &["-f", "--file"],
        _ => &[],
    };
    let config_file = if line.verb == "config" {
        let shape = Shape {
            short: "f",
            long: &["file", "type", "default", "blob"],
            ..shape
        };
        let parsed = parse(&line.rest, &shape);
        if is_change(&parsed.operands, &line.rest) {
            parsed.values(outputs)
        } else {
            Vec::new()
        }
    } else {
        parsed.values(outputs)
    };
    written.add_all(config_file, Way::Write);
    let places = match (line.verb.as_str(), verb) {
        ("clone", _) | ("worktree", "add") | ("bundle", "create") => operands.get(1),
        ("init", _) => operands.first(),
        ("worktree", "move") | ("submodule", "add") => operands.get(2),
        ("mv", _) => operands.last(),
        _ => None,
    };
    written.add_all(places.cloned(), Way::Write);
    if removes {
        written.add_all(operands.get(1).cloned(), Way::Delete);
    }
    if matches!(line.verb.as_str(), "clone" | "init") && places.is_none() {
        written.add_here(arguments.first(), Way::Write);
    }
    written
}

/// Whether a `git config` changes a setting.
fn is_change(operands: &[Argument], rest: &[Argument]) -> bool {
    const READS: &[&str] = &[
        "--get", "--get-all", "--get-regexp", "--list", "-l", "--get-urlmatch", "--get-color",
        "--get-colorbool", "list", "get",
    ];
    const CHANGES: &[&str] = &[
        "--unset", "--unset-all", "--add", "--replace-all", "--rename-section", "--remove-section",
        "-e", "--edit", "set", "unset", "edit", "rename-section", "remove-section",
    ];
    let has = |names: &[&str]| {
        rest.iter()
            .any(|argument| names.contains(&argument.text.as_str()))
    };
    !has(READS) && (has(CHANGES) || operands.len() > 1)
}

/// Whether a `git config` changes the settings of the user or of all users.
pub(super) fn is_for_all(arguments: &[Argument]) -> bool {
    let line = line(arguments);
    let shape = Shape {
        short: "f",
        long: &["file", "type", "default", "blob"],
        ..Shape::PLAIN
    };
    let parsed = parse(&line.rest, &shape);
    line.verb == "config"
        && parsed.has(&["--global", "--system"])
        && is_change(&parsed.operands, &line.rest)
}

/// The key that a `git config` sets, if git would run its value or read more settings from it.
pub(super) fn running_key(arguments: &[Argument]) -> Option<Argument> {
    let line = line(arguments);
    if line.verb != "config" {
        return None;
    }
    let shape = Shape {
        short: "f",
        long: &["file", "type", "default", "blob", "comment", "value"],
        ..Shape::PLAIN
    };
    let mut operands = parse(&line.rest, &shape).operands;
    if !is_change(&operands, &line.rest) {
        return None;
    }
    if operands.first().is_some_and(|first| first.text == "set") {
        operands.remove(0);
    }
    let key = operands.first()?;
    let value = operands.get(1)?;
    if key.unknown_from.is_some() || runs(&key.text, value) {
        Some(key.clone())
    } else {
        None
    }
}

/// Whether git runs the value of this key, or lets it say where more such values are.
fn runs(key: &str, value: &Argument) -> bool {
    const KEYS: &[&str] = &[
        "credential.helper", "include.path", "protocol.ext.allow", "http.sslverify", "gui.editor",
        "sendemail.smtpserver", "commit.gpgprogram", "safe.directory",
    ];
    const ENDS: &[&str] = &[
        ".clean", ".smudge", ".process", ".defaultkeycommand", ".tocmd", ".cccmd", ".headercmd",
        ".path", ".packobjectshook",
    ];
    let key = key.to_ascii_lowercase();
    if key.starts_with("alias.") {
        return value.known().starts_with('!') || value.unknown_from == Some(0);
    }
    if key.starts_with("submodule.") && key.ends_with(".update") {
        return true;
    }
    names_program(&key) || KEYS.contains(&key.as_str()) || ENDS.iter().any(|end| key.ends_with(end))
}
