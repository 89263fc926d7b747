//! What git reads of the tree is either looked at, or was reviewed: real git under a tracer.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::host::Place;

const COMMANDS: &str = include_str!("reads.sh");
/// Where the names are that the search looks at.
const LOOKED_AT: &str =
    include_str!("../../../../../bashful-sandbox/src/left_behind/repository.rs");

/// Names below a repository's directory that need no look, each with the reason. A star at the end
/// stands for any rest.
const REVIEWED: [(&str, &str); 42] = [
    ("", "a directory, listed"),
    ("HEAD", "a reference"),
    (
        "*_HEAD",
        "a reference, or lines that only `git pull` reads which just wrote them",
    ),
    ("AUTO_MERGE", "a tree"),
    ("refs*", "references"),
    ("packed-refs*", "references"),
    (
        "logs*",
        "records of references; links among them are looked at",
    ),
    (
        "objects",
        "a directory, listed; links among objects are looked at",
    ),
    ("objects/??", "a directory of objects, listed"),
    ("objects/??/*", "objects, whose names are their digests"),
    ("objects/pack*", "objects, and what finds them"),
    ("objects/info", "a directory, listed"),
    ("objects/info/commit-graph*", "numbers about commits"),
    (
        "objects/info/packs*",
        "names of packs, for servers without git",
    ),
    ("objects/tmp_obj_*", "an object that git is writing"),
    ("objects/maintenance.lock", "empty"),
    ("info", "a directory, listed"),
    ("info/exclude", "patterns of names"),
    ("info/grafts", "commits"),
    ("info/refs*", "references, for servers without git"),
    ("info/sparse-checkout", "patterns of names"),
    ("info/rev-cache", "of versions long gone, and removed"),
    ("shallow", "commits"),
    ("gc.pid", "a process that may be asked whether it lives"),
    ("gc.log", "text that is shown"),
    ("COMMIT_EDITMSG", "text"),
    ("MERGE_MSG", "text"),
    (
        "MERGE_MODE",
        "a word of options of a merge, which names no program",
    ),
    ("MERGE_AUTOSTASH", "a commit"),
    ("SQUASH_MSG", "text"),
    (
        "BISECT_*",
        "commits, names of terms and of paths; no command is kept",
    ),
    ("hooks/*", "looked at as a directory"),
    (
        "gitdir",
        "where a worktree is: only `worktree repair` and `remove` act there",
    ),
    ("locked", "text"),
    ("worktrees", "a directory, listed"),
    ("modules", "a directory, entered by name"),
    (
        "sequencer/*",
        "looked at as far as it names a program: todo lists of picks cannot",
    ),
    (
        "rebase-merge/*",
        "looked at: what is not in the list of `INTERRUPTED` is commits and text",
    ),
    ("rebase-apply/*", "the same"),
    ("rr-cache*", "conflicts, by their digests"),
    ("index.stash*", "an index that git is writing"),
    ("next-index*", "an index that git is writing"),
];

/// Names in a work tree that git obeys.
const OF_WORK_TREES: [(&str, &str); 5] = [
    (".git", "looked at"),
    (".gitmodules", "looked at"),
    (
        ".gitattributes",
        "chooses among filters of the person's own: SECURITY.md",
    ),
    (".gitignore", "patterns of names"),
    (".mailmap", "names of people"),
];

#[test]
fn what_git_reads_is_looked_at_or_was_reviewed() {
    let place = Place::furnished();
    let prepared = place.shell(
        "set -e; submodule library; git worktree add -q -b tree trees/one; diverge\n\
         git checkout -q main; echo more > new; mkdir -p .git/hooks\n\
         cp /bin/true .git/hooks/pre-commit",
    );
    assert!(prepared.status.success(), "{prepared:?}");
    let commands: Vec<&str> = COMMANDS
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let mut read = BTreeSet::new();
    for command in &commands {
        let trace = place.world.path("trace");
        let traced = place.shell(&format!(
            "strace -f -y -qq -s 4096 -e trace=open,openat,execve -o {} git {command} < /dev/null",
            trace.display()
        ));
        assert_ne!(traced.status.code(), Some(127), "{command}: {traced:?}");
        let text = fs::read_to_string(&trace).unwrap();
        read.extend(text.lines().filter_map(opened));
    }
    assert!(commands.len() > 40 && read.len() > 200, "{}", read.len());
    let workspace = place.world.workspace();
    let inside = read
        .iter()
        .filter_map(|path| path.strip_prefix(&workspace).ok());
    let unknown: BTreeSet<&Path> = inside.filter(|path| !is_known(path)).collect();
    assert!(
        unknown.is_empty(),
        "git reads what is neither looked at nor reviewed: {unknown:#?}"
    );
    // What matters most was read: otherwise nothing was seen.
    for name in [
        "config",
        "hooks/pre-commit",
        "index",
        "info/attributes",
        "remotes/nowhere",
    ] {
        let path = workspace.join(".git").join(name);
        assert!(read.contains(&path), "{name} was not read");
    }
}

/// The path that a line of the tracer is about, whether it is there or not.
fn opened(line: &str) -> Option<PathBuf> {
    let (_, call) = line.split_once(' ')?;
    let call = call.trim_start();
    let (around, rest) = match call.strip_prefix("openat(") {
        Some(rest) => {
            let (around, rest) = rest.split_once('<')?.1.split_once('>')?;
            (around, rest)
        }
        None => ("/", call.strip_prefix("execve(")?),
    };
    let path = rest.split_once('"')?.1.split_once('"')?.0;
    let mut plain = PathBuf::new();
    for part in Path::new(around).join(path).components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    Some(plain)
}

/// Whether a path below the workspace is looked at after a run, or was reviewed.
fn is_known(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let text = path.to_string_lossy();
    let Some(of_git) = of_repository(&text) else {
        return OF_WORK_TREES.iter().any(|(known, _)| *known == name) || !name.starts_with('.');
    };
    let is_looked_at = LOOKED_AT.contains(&format!("(\"{of_git}\", "));
    let held_by_directory = ["remotes/", "branches/"];
    is_looked_at
        || held_by_directory.iter().any(|directory| of_git.starts_with(directory))
        // Git makes them, and never reads them.
        || of_git.strip_suffix(".lock").is_some()
        || of_git.starts_with("sharedindex.")
        || REVIEWED.iter().any(|(known, _)| matches(known, of_git))
}

/// What follows a repository's own directory in a path, where it has one in it.
fn of_repository(path: &str) -> Option<&str> {
    let rest = path
        .strip_prefix(".git/")
        .or_else(|| (path == ".git").then_some(""));
    let mut rest = rest?;
    for inner in ["modules/library", "worktrees/one"] {
        if let Some(own) = rest.strip_prefix(inner) {
            rest = own.strip_prefix('/').unwrap_or(own);
        }
    }
    Some(rest)
}

/// Whether a name is of this form: stars at its ends, and question marks for any letter.
fn matches(form: &str, name: &str) -> bool {
    if let Some(end) = form.strip_prefix('*') {
        return name.ends_with(end) && !name.contains('/');
    }
    let (begin, any) = match form.strip_suffix('*') {
        Some(begin) => (begin, true),
        None => (form, false),
    };
    let same = |(one, other): (u8, u8)| one == b'?' || one == other;
    (name.len() == begin.len() || (any && name.len() > begin.len()))
        && begin.bytes().zip(name.bytes()).all(same)
}

#[test]
fn a_new_name_is_neither() {
    for (path, known) in [
        (".git/config", true),
        (".git/modules/library/hooks/pre-push", true),
        (".git/worktrees/one/config.worktree", true),
        (".git/objects/ab/cdef", true),
        (".git/rebase-merge/git-rebase-todo", true),
        ("source/deeper/file", true),
        ("library/.gitattributes", true),
        (".git/new-programs", false),
        (".git/info/programs", false),
        (".git/objects/info/programs", false),
        ("library/.gitprograms", false),
    ] {
        assert_eq!(is_known(Path::new(path)), known, "{path}");
    }
}
