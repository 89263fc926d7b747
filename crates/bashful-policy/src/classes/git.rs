//! Git commands, and a few of other tools, that lose commits, branches or changes.

use super::View;
use super::line::{Line, has_word};
use crate::arguments::Valued;
use crate::facts::Argument;
use crate::places::{is_within, normal, places};

/// Git's own options that take the next word, before the subcommand.
const GLOBAL: &[&str] = &[
    "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env",
    "--attr-source", "--exec-path",
];

pub(super) fn check(view: &View) -> bool {
    let arguments = view.call.operands();
    if deletes_history(view) {
        return true;
    }
    if let Some((subcommand, rest)) = subcommand(view.name, arguments) {
        return is_destructive(subcommand, rest);
    }
    let line = Line::read(arguments, &Valued::NONE);
    let first = line.operand(0);
    match view.name {
        "gh" | "glab" => {
            let kinds = [
                "repo", "release", "issue", "secret", "variable", "run", "cache", "gist", "label",
                "project", "codespace", "ssh-key", "gpg-key", "workflow",
            ];
            let deletes = matches!(
                line.operand(1),
                "delete" | "remove" | "archive" | "delete-asset"
            );
            (kinds.contains(&first) && deletes)
                || first == "api" && has_word(arguments, &["DELETE", "-XDELETE", "--method=DELETE"])
        }
        "jj" => {
            matches!(first, "abandon")
                || matches!(first, "op" | "operation")
                    && matches!(line.operand(1), "abandon" | "restore")
        }
        "hg" | "chg" => match first {
            "strip" | "purge" | "rollback" | "prune" | "revert" => true,
            "update" | "up" | "checkout" | "co" => line.has("C", &["clean"]),
            "push" => line.has("f", &["force"]),
            _ => false,
        },
        "svn" => first == "revert" || (first == "cleanup" && line.has_name_like("remove-")),
        "bfg" => true,
        _ => false,
    }
}

/// Whether a call deletes the directory of the workspace's repository.
pub(super) fn deletes_history(view: &View) -> bool {
    let line = Line::read(view.call.operands(), &Valued::NONE);
    let deletes = match view.name {
        "rm" | "grm" | "srm" => line.has("rR", &["recursive"]),
        "rimraf" | "del-cli" => true,
        _ => false,
    };
    deletes && line.operands.iter().any(|word| is_history(word, view))
}

fn is_history(argument: &Argument, view: &View) -> bool {
    // What is not known or is a pattern is asked about, as what may take the work along.
    if argument.glob || !argument.is_known() {
        return false;
    }
    let Some(workspace) = view.context.workspace.as_deref() else {
        return normal(argument.known()) == "/.git";
    };
    let places = places(argument, &view.call.directories, view.context);
    let mut paths = places.paths.iter().map(|place| place.text.as_str());
    paths.any(|path| path.ends_with("/.git") && is_within(path, workspace))
}

/// The subcommand of a git command and what follows it.
pub(super) fn subcommand<'a>(
    name: &'a str,
    arguments: &'a [Argument],
) -> Option<(&'a str, &'a [Argument])> {
    if let Some(dashed) = name.strip_prefix("git-") {
        return Some((dashed, arguments));
    }
    if !matches!(name, "git" | "hub" | "git.exe") {
        return None;
    }
    let mut at = 0;
    while let Some(argument) = arguments.get(at) {
        let text = argument.known();
        if !text.starts_with('-') {
            break;
        }
        at += 1 + usize::from(GLOBAL.contains(&text));
    }
    let (first, rest) = arguments.get(at..)?.split_first()?;
    Some((first.known(), rest))
}

fn is_destructive(subcommand: &str, arguments: &[Argument]) -> bool {
    let line = Line::read(arguments, values_of(subcommand));
    let has = |letters: &str, names: &[&str]| line.has(letters, names);
    let first = line.operand(0);
    // People hardly write `--no-dry-run`; where it stands, nothing is dry.
    let dry = has("n", &["dry-run"]) && !line.has_name_like("no-dry");
    match subcommand {
        "push" | "send-pack" | "http-push" => !dry && pushes_hard(&line),
        "reset" => has("", &["hard", "merge", "keep"]),
        "clean" => !dry && !has("h", &["help"]),
        "checkout" | "co" => checkout_discards(&line),
        "restore" => !has("S", &["staged"]) || has("W", &["worktree"]),
        "switch" => has("fC", &["force", "discard-changes", "force-create"]),
        "branch" => has("DMCf", &["force"]),
        "stash" => matches!(first, "drop" | "clear"),
        "reflog" => matches!(first, "expire" | "delete" | "drop") && !dry,
        "gc" => line.values('\0', "prune").next().is_some(),
        "prune" => !dry,
        "update-ref" => has("d", &["delete", "stdin"]),
        "worktree" => first == "remove" && has("f", &["force"]),
        "rm" => has("f", &["force"]) && !has("", &["cached"]) && !dry,
        "submodule" => {
            first == "deinit" && has("f", &["force", "all"]) || foreach_destroys(arguments)
        }
        "notes" => matches!(first, "remove" | "prune") && !dry || has("f", &["force"]),
        "tag" | "replace" => has("df", &["delete", "force"]),
        "symbolic-ref" => has("d", &["delete"]),
        "fetch" | "pull" => {
            !dry && (has("f", &["force"])
                || line
                    .operands
                    .iter()
                    .any(|word| word.known().starts_with('+')))
        }
        "checkout-index" => has("f", &["force"]),
        "read-tree" => has("u", &["reset"]),
        "lfs" => first == "prune" && !has("d", &["dry-run"]),
        "annex" => matches!(first, "drop" | "dropunused") && has("", &["force"]),
        "fast-import" => has("", &["force"]),
        "filter-branch" | "filter-repo" | "obliterate" | "undo" | "delete-branch"
        | "delete-tag" | "delete-submodule" | "reset-file" | "obliterate-file" => true,
        _ => false,
    }
}

/// Whether `git submodule foreach git …` destroys in each; a text is read elsewhere.
fn foreach_destroys(arguments: &[Argument]) -> bool {
    let at = arguments.iter().position(|word| word.text == "foreach");
    let rest = at
        .and_then(|at| arguments.get(at + 1..))
        .unwrap_or_default();
    let options = rest
        .iter()
        .take_while(|word| word.text.starts_with('-'))
        .count();
    let inner = rest.get(options..).and_then(<[Argument]>::split_first);
    let inner = inner.and_then(|(first, rest)| subcommand(first.program(), rest));
    // People do not nest one in another, so this goes no deeper.
    inner.is_some_and(|(name, rest)| name != "submodule" && is_destructive(name, rest))
}

fn pushes_hard(line: &Line) -> bool {
    let names = ["force", "mirror", "delete", "prune"];
    line.has("fd", &names)
        || line.has_name_like("force-")
        || line.operands.iter().skip(1).any(|word| {
            let text = word.known();
            text.starts_with('+') || (text.starts_with(':') && text.len() > 1)
        })
        || line.operand(0).starts_with('+')
}

/// Whether a checkout overwrites files, as far as its words tell branches from files.
fn checkout_discards(line: &Line) -> bool {
    if line.has("fB", &["force", "ours", "theirs", "pathspec-from-file"]) {
        return true;
    }
    if line.has_end && line.operands.len() > line.before_end {
        return true;
    }
    if line.has("bt", &["orphan", "track", "detach"]) {
        return false;
    }
    line.operands.len() > 1 || line.operands.iter().any(|word| looks_like_file(word))
}

fn looks_like_file(argument: &Argument) -> bool {
    let text = argument.known();
    let name = text.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    // Branches can be called `1.x`; few files end so.
    let is_ending = (1..=5).contains(&ending.len())
        && ending != "x"
        && ending.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && ending.chars().all(|letter| letter.is_ascii_alphanumeric());
    argument.glob
        || matches!(text, "." | "..")
        || text.starts_with("./")
        || text.starts_with("../")
        || text.starts_with(":/")
        || text.starts_with(":(")
        || text.starts_with('/')
        || text.ends_with('/')
        || (is_ending && !text.contains("..") && !text.contains(['@', '~', '^']))
}

fn values_of(subcommand: &str) -> &'static Valued {
    match subcommand {
        "push" => &PUSH,
        "clean" => &CLEAN,
        "checkout" | "co" | "switch" => &CHECKOUT,
        "restore" => &RESTORE,
        "tag" => &TAG,
        "branch" => &BRANCH,
        "notes" => &NOTES,
        "fetch" | "pull" => &FETCH,
        "update-ref" | "symbolic-ref" => &REFERENCE,
        _ => &Valued::NONE,
    }
}

const PUSH: Valued = Valued::new("o", &["push-option", "receive-pack", "exec", "repo"]);
const CLEAN: Valued = Valued::new("e", &["exclude"]);
const CHECKOUT: Valued = Valued::new("bc", &["conflict", "orphan", "create"]);
const RESTORE: Valued = Valued::new("s", &["source", "conflict", "pathspec-from-file"]);
pub(super) const TAG: Valued = Valued::new(
    "mFu",
    &["message", "file", "local-user", "sort", "format", "cleanup"],
);
const BRANCH: Valued = Valued::new("u", &["set-upstream-to", "sort", "format", "points-at"]);
const NOTES: Valued = Valued::new("mFCcs", &["message", "file", "ref"]);
const FETCH: Valued = Valued::new(
    "jXso",
    &["depth", "deepen", "shallow-since", "upload-pack", "jobs", "strategy", "refmap"],
);
const REFERENCE: Valued = Valued::new("m", &[]);
