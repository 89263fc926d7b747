//! What is known about git: what only reads, what changes this repository alone, and which
//! options start programs.

use crate::context::Context;
use crate::facts::{Argument, Call};
use crate::places::places;

use super::shape::{Shape, has_shape, may_be_a_flag};
use super::verdict::Verdict;

mod address;
mod config;
mod local;
mod reading;
mod transfer;

pub use address::{GitAddress, GitScheme, git_address, git_path};
pub(crate) use config::{executes as config_executes, names_program};
pub use transfer::{GitRemote, GitTransfer, git_transfers};

/// One call of git, taken apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GitCommand<'a> {
    /// The options before the subcommand, with their values.
    pub(crate) globals: &'a [Argument],
    /// The subcommand, such as `push`.
    pub(crate) name: &'a str,
    /// What follows it.
    pub(crate) arguments: &'a [Argument],
}

/// The parts of a call of git; none if there is no subcommand or it is not known.
pub(crate) fn subcommand(call: &Call) -> Option<GitCommand<'_>> {
    let arguments = call.operands();
    let mut at = 0;
    while let Some(argument) = arguments.get(at) {
        if !argument.known().starts_with('-') {
            return argument.is_literal().then(|| GitCommand {
                globals: arguments.get(..at).unwrap_or_default(),
                name: &argument.text,
                arguments: arguments.get(at + 1..).unwrap_or_default(),
            });
        }
        at += 1 + usize::from(takes_next(&argument.text));
    }
    None
}

/// Whether a global option has its value in the next word.
fn takes_next(option: &str) -> bool {
    [
        "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env",
        "--super-prefix", "--attr-source",
    ]
    .contains(&option)
}

/// What the tables say about a call of git.
pub(super) fn judge(call: &Call, context: &Context) -> Option<Verdict> {
    let command = match subcommand(call) {
        Some(command) => command,
        None if call.open_ended => return None,
        None => return without_subcommand(call.operands()),
    };
    match globals(call, &command, context) {
        Globals::Executes => {
            return Some(Verdict::asks(
                "exec-sink",
                "sets an option of git that can start a program",
                Some("leave out `-c`"),
            ));
        }
        // Subcommands that execute do so wherever they are.
        Globals::Elsewhere => return executes(&command),
        Globals::Harmless => {}
    }
    if let Some(verdict) = executes(&command) {
        return Some(verdict);
    }
    if command.name == "config" {
        return config::judge(call, &command, context);
    }
    if reads(call, &command) {
        return Some(Verdict::READS);
    }
    local::judge(call, &command, context)
}

/// `git --version` and its like.
fn without_subcommand(arguments: &[Argument]) -> Option<Verdict> {
    let harmless = |argument: &Argument| {
        argument.is_literal()
            && [
                "--version", "-v", "--help", "-h", "--no-pager", "--exec-path", "--html-path",
                "--man-path", "--info-path",
            ]
            .contains(&argument.text.as_str())
    };
    arguments.iter().all(harmless).then_some(Verdict::READS)
}

fn reads(call: &Call, command: &GitCommand<'_>) -> bool {
    has_shape(
        reading::SUBCOMMANDS,
        command.name,
        command.arguments,
        call.open_ended,
    ) || has_shape_of_verb(reading::NESTED, command, call)
}

/// Shapes of subcommands with verbs of their own: the subcommand, and those verbs that share one.
type Nested = &'static [(&'static str, &'static [&'static str], Shape)];

/// Whether a subcommand with a verb has one of these shapes.
fn has_shape_of_verb(table: Nested, command: &GitCommand<'_>, call: &Call) -> bool {
    let Some((verb, rest)) = command.arguments.split_first() else {
        return false;
    };
    table.iter().any(|(name, verbs, shape)| {
        *name == command.name
            && verb.is_literal()
            && verbs.contains(&verb.text.as_str())
            && shape.fits(rest, call.open_ended)
    })
}

/// What the options before the subcommand do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Globals {
    Harmless,
    /// Another repository or work tree is meant, or the text does not say which.
    Elsewhere,
    Executes,
}

fn globals(call: &Call, command: &GitCommand<'_>, context: &Context) -> Globals {
    let mut result = Globals::Harmless;
    let mut rest = command.globals.iter();
    while let Some(option) = rest.next() {
        let text = option.known();
        let value = if takes_next(text) { rest.next() } else { None };
        match text {
            "--no-pager"
            | "-P"
            | "--no-optional-locks"
            | "--literal-pathspecs"
            | "--glob-pathspecs"
            | "--noglob-pathspecs"
            | "--icase-pathspecs"
            | "--bare"
            | "--no-replace-objects"
            | "--no-lazy-fetch"
            | "--no-advice"
                if option.is_literal() => {}
            "-c" if value.is_some_and(config::is_harmless_for_once) => {}
            "-C" if value.is_some_and(|value| is_inside(value, call, context)) => {}
            "-C" | "--namespace" | "--attr-source" => result = Globals::Elsewhere,
            _ if text.starts_with("--git-dir")
                || text.starts_with("--work-tree")
                || text.starts_with("--namespace=") =>
            {
                result = Globals::Elsewhere;
            }
            // `-p` starts a pager, `--exec-path=` brings programs along, and what is not known
            // here may do either.
            _ => return Globals::Executes,
        }
    }
    result
}

/// Whether a path certainly lies where this run may write.
fn is_inside(path: &Argument, call: &Call, context: &Context) -> bool {
    let places = places(path, &call.directories, context);
    !places.unknown
        && !places.paths.is_empty()
        && places
            .paths
            .iter()
            .all(|place| place.is_within_any(&context.write_roots))
}

/// Whether the call certainly works on a repository in which this run may write.
fn is_at_home(call: &Call, context: &Context) -> bool {
    !call.directories.is_empty()
        && call.directories.iter().all(|directory| {
            context
                .write_roots
                .iter()
                .any(|root| crate::places::is_within(directory, root))
        })
}

/// Options of subcommands that start a program, with all their abbreviations: the subcommand,
/// letters, names.
const EXECUTING: &[(&str, &str, &[&str])] = &[
    ("archive", "", &["exec"]),
    ("clone", "uc", &["upload-pack", "config", "template"]),
    ("column", "", &["command"]),
    ("diff", "", &["ext-diff"]),
    ("difftool", "x", &["extcmd", "tool"]),
    ("fetch", "", &["upload-pack"]),
    ("fetch-pack", "", &["upload-pack", "exec"]),
    ("format-patch", "", &["ext-diff"]),
    ("grep", "O", &["open-files-in-pager"]),
    ("help", "w", &["web"]),
    ("init", "", &["template"]),
    ("log", "", &["ext-diff"]),
    ("ls-remote", "", &["upload-pack", "exec"]),
    ("pull", "", &["upload-pack"]),
    ("push", "", &["receive-pack", "exec"]),
    ("rebase", "x", &["exec"]),
    ("send-pack", "", &["receive-pack", "exec"]),
    ("shortlog", "", &["ext-diff"]),
    ("show", "", &["ext-diff"]),
    ("stash", "", &["ext-diff"]),
];

/// Letters of those subcommands that take a value, so that what follows is no letter.
fn valued_letters(name: &str) -> &'static str {
    match name {
        "clone" => "boj",
        "grep" => "efABCmO",
        "rebase" => "sXCS",
        "difftool" => "tGSUx",
        _ => "",
    }
}

/// What starts programs that the command line names.
fn executes(command: &GitCommand<'_>) -> Option<Verdict> {
    let GitCommand {
        name, arguments, ..
    } = *command;
    let first = arguments.first().map_or("", Argument::known);
    let runs = match name {
        "bisect" => first == "run",
        "submodule" => {
            let verb = arguments
                .iter()
                .map(Argument::known)
                .find(|word| !word.starts_with('-'));
            verb == Some("foreach")
        }
        "filter-branch" | "difftool" | "mergetool" | "for-each-repo" | "hook" | "daemon"
        | "instaweb" | "send-email" | "web--browse" | "credential" | "gui" | "citool"
        | "remote-ext" | "remote-fd" | "shell" | "cvsimport" | "svn" | "p4" | "imap-send"
        | "merge-index" | "quiltimport" | "http-backend" | "upload-pack" | "receive-pack" => true,
        _ => false,
    };
    let option = EXECUTING
        .iter()
        .filter(|(subcommand, ..)| *subcommand == name)
        .any(|(_, letters, names)| {
            arguments
                .iter()
                .take_while(|argument| argument.text != "--")
                .any(|argument| starts_program(argument.known(), name, letters, names))
        });
    // `ext::` and `fd::` addresses are commands.
    let address = matches!(
        name,
        "clone" | "fetch" | "pull" | "push" | "ls-remote" | "remote" | "submodule" | "archive"
    ) && arguments.iter().any(|argument| {
        let text = argument.known();
        text.starts_with("ext::") || text.contains("=ext::")
    });
    (runs || option || address).then_some(Verdict::asks(
        "exec-sink",
        "has git start a program that the command names",
        Some("run the program itself"),
    ))
}

fn starts_program(option: &str, name: &str, letters: &str, names: &[&str]) -> bool {
    if let Some(long) = option.strip_prefix("--") {
        let long = long.split('=').next().unwrap_or_default();
        // An abbreviation has to be longer than what other options begin with as well.
        return long.len() > 2 && names.iter().any(|name| name.starts_with(long));
    }
    let Some(bundle) = option.strip_prefix('-') else {
        return false;
    };
    let valued = valued_letters(name);
    for letter in bundle.chars() {
        if letters.contains(letter) {
            return true;
        }
        if valued.contains(letter) {
            return false;
        }
    }
    false
}

/// Whether no word of a call can turn out to be a flag.
fn flags_are_known(call: &Call, arguments: &[Argument]) -> bool {
    !call.open_ended
        && !arguments
            .iter()
            .take_while(|argument| argument.text != "--")
            .any(may_be_a_flag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted() {
        for table in [reading::SUBCOMMANDS, local::SUBCOMMANDS] {
            assert!(table.is_sorted_by_key(|(names, _)| names.first()));
        }
        assert!(config::HARMLESS.is_sorted());
    }

    #[test]
    fn a_call_is_taken_apart() {
        let call = crate::facts::testing::call("git -C sub --no-pager log -3");
        let command = subcommand(&call).unwrap();
        assert_eq!((command.name, command.globals.len()), ("log", 3));
        assert_eq!(command.arguments.len(), 1);
        assert!(subcommand(&crate::facts::testing::call("git $x")).is_none());
    }
}
