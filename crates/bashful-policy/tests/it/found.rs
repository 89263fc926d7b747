//! What globs find: whatever really prints a secret, or empties what is there, is not allowed.
//!
//! Real bash runs each command in a home of its own: it does do what the policy keeps it from.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests compare with real bash; the crate itself starts nothing and reads no file"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bashful_policy::{Context, Effect, Policy, judge};

/// What stands in each file that must not be read or lost.
const CONTENT: &str = "a-very-private-content";

/// Commands that print `~/.ssh/id_rsa`; `H` is the home.
const PRINTS: &[&str] = &[
    "cat ~/.ssh/id_rsa",
    "cat ~/.ss*/id_*",
    "cat ~/.ss?/id_rsa",
    "cat ~/.s[s]h/id_rsa",
    "cat ~/.s[[:alpha:]]h/id_rsa",
    "cat ~/.s[]s]h/id_rsa",
    "cat ~/.s[!x]h/id_rsa",
    "cat ~/.{ssh,x}/id_rsa",
    "cat {~,x}/.ssh/id_rsa",
    "cat ~{,x}/.ssh/id_rsa",
    "cat H/.ss*/id_rsa",
    "cat H/.*/id_rsa",
    "cat < ~/.ss*/id_rsa",
    "cd; cat .ss*/id_rsa",
    "cd ~/.ss?; cat id_rsa",
    "for f in ~/.ss*/id_*; do cat \"$f\"; done",
    "f=~/.ss*/id_rsa; cat $f",
    "shopt -s extglob\ncat ~/.ss@(h)/id_rsa",
    "shopt -s extglob\ncat ~/.+(s)h/id_rsa",
    "shopt -s extglob\ncat ~/.ss!(x)/id_rsa",
    "shopt -s globstar dotglob; cat ~/**/id_rsa",
    "echo ~/.ssh/id_rsa > list; cat $(<list)",
    "echo ~/.ssh/id_rsa > list; cat $(cat list)",
    "echo ~/.ssh/id_rsa > list; xargs -a list cat",
    "echo ~/.ssh/id_rsa > list; xargs cat < list",
    "echo ~/.ssh/id_rsa > list; cat list | xargs cat",
    "echo ~/.ssh/id_rsa > list; tar -T list -c 2>/dev/null",
    "printf '%s\\0' ~/.ssh/id_rsa > list; sort --files0-from=list",
    "file -f ~/.ssh/id_rsa 2>&1",
    "wc --files0-from=H/.ssh/id_rsa 2>&1",
    "du --files0-from=H/.ssh/id_rsa 2>&1",
];

/// Commands that empty or replace `a.txt` and `b.txt`.
const EMPTIES: &[&str] = &[
    "for f in *; do > \"$f\"; done",
    "for f in *; do : > $f; done",
    "for f in *; do : > ./\"$f\"; done",
    "for f in *; do : > \"$PWD/$f\"; done",
    "for f in *.txt; do : >| \"$f\"; done",
    "for f in ./*; do cat /dev/null > \"$f\"; done",
    "for f in *; do cp /dev/null \"$f\"; done",
    "for f in *; do install /dev/null \"$f\"; done",
    "for f in *; do ln -sf /dev/null \"$f\"; done",
    "for f in *; do truncate -s0 \"$f\"; done",
    "for f in *; do dd if=/dev/null of=\"$f\"; done",
    "for f in *; do tee \"$f\" < /dev/null; done",
    "tee * < /dev/null",
    "tee *.txt < /dev/null",
    "truncate -s 0 *",
    "truncate -s 0 *.txt",
    "g() { for f; do : > \"$f\"; done; }; g *",
    "set -- *; for f; do : > \"$f\"; done",
    "for f in *; do exec > \"$f\"; done",
    "ls | while read -r f; do > \"$f\"; done",
    "find . -type f -exec truncate -s0 {} +",
    "find . -type f -exec cp /dev/null {} \\;",
];

/// A home with a secret and a project of two files.
fn home(name: &str) -> PathBuf {
    let root = std::env::temp_dir().join(format!("bashful-found-{name}-{}", std::process::id()));
    fs::create_dir_all(root.join(".ssh")).unwrap();
    fs::create_dir(root.join("project")).unwrap();
    fs::write(root.join(".ssh/id_rsa"), CONTENT).unwrap();
    for file in ["a.txt", "b.txt"] {
        fs::write(root.join("project").join(file), CONTENT).unwrap();
    }
    root
}

fn run(command: &str, home: &Path) -> String {
    let output = Command::new("bash")
        .args(["--norc", "-c", command])
        .env("HOME", home)
        .current_dir(home.join("project"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn is_allowed(command: &str, home: &Path) -> bool {
    let home = home.to_str().unwrap().to_owned();
    let workspace = format!("{home}/project");
    let context = Context {
        directory: Some(workspace.clone()),
        workspace: Some(workspace.clone()),
        write_roots: vec![workspace],
        home: Some(home),
        ..Context::default()
    };
    judge(command, &Policy::careful(), &context).decision.effect == Effect::Allow
}

/// Whether there is a bash to compare with.
fn has_bash() -> bool {
    let works = Command::new("bash").args(["-c", ":"]).status();
    let works = works.is_ok_and(|status| status.success());
    if !works {
        eprintln!("skipped: bash is not installed");
    }
    works
}

#[test]
fn what_prints_a_secret_is_not_allowed() {
    if !has_bash() {
        return;
    }
    let mut wrong = Vec::new();
    for (index, command) in PRINTS.iter().enumerate() {
        let home = home(&format!("read-{index}"));
        let command = command.replace('H', home.to_str().unwrap());
        if is_allowed(&command, &home) {
            wrong.push(format!("allowed: {command}"));
        }
        let program = command.split_whitespace().next().unwrap_or_default();
        if program != "file" && !run(&command, &home).contains(CONTENT) {
            wrong.push(format!("prints nothing: {command}"));
        }
        fs::remove_dir_all(&home).unwrap();
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_empties_what_is_there_is_not_allowed() {
    if !has_bash() {
        return;
    }
    let mut wrong = Vec::new();
    for (index, command) in EMPTIES.iter().enumerate() {
        let home = home(&format!("write-{index}"));
        if is_allowed(command, &home) {
            wrong.push(format!("allowed: {command}"));
        }
        run(command, &home);
        for file in ["a.txt", "b.txt"] {
            if fs::read_to_string(home.join("project").join(file)).unwrap() == CONTENT {
                wrong.push(format!("leaves {file}: {command}"));
            }
        }
        fs::remove_dir_all(&home).unwrap();
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
