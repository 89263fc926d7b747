//! What real git does to a repository's configuration, merged.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::super::{Hosts, Merged, merge, sanitise};
use super::{git, git_reads, set};

/// A repository with one commit, a bare one to push to, and the host's copy of the
/// repository's configuration.
struct Repository {
    directory: TempDir,
    host: Vec<u8>,
}

impl Repository {
    fn new() -> Self {
        let directory = TempDir::new().unwrap();
        run(directory.path(), &["init", "-q", "--bare", "bare.git"]);
        run(directory.path(), &["init", "-q", "-b", "main", "work"]);
        let mut repository = Self {
            directory,
            host: Vec::new(),
        };
        repository.git(&[
            "-c",
            "user.name=a",
            "-c",
            "user.email=b",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "m",
        ]);
        repository.host = repository.config();
        repository
            .host
            .extend_from_slice(b"# mine\n[alias]\n\tx = !y ; z\n");
        fs::write(repository.config_path(), &repository.host).unwrap();
        repository
    }

    fn config_path(&self) -> std::path::PathBuf {
        self.directory.path().join("work/.git/config")
    }

    fn config(&self) -> Vec<u8> {
        fs::read(self.config_path()).unwrap()
    }

    fn git(&self, arguments: &[&str]) {
        run(&self.directory.path().join("work"), arguments);
    }

    /// Lets git work and merges what it did into the host's copy.
    fn merge(&mut self, arguments: &[&str]) -> Merged {
        let base = self.config();
        self.git(arguments);
        let merged = merge(&base, &self.config(), &self.host, &Hosts::Any).unwrap();
        self.host.clone_from(&merged.text);
        merged
    }

    /// Whether the host's copy says what git left, in any order.
    fn agrees(&self) -> bool {
        let sorted = |text: &[u8]| {
            let mut pairs = git_reads(text).unwrap();
            pairs.sort();
            pairs
        };
        sorted(&self.host) == sorted(&self.config())
    }
}

fn run(directory: &Path, arguments: &[&str]) {
    // A host that is here.
    let here = "url.../bare.git.insteadOf=https://e.org/bare.git";
    let output = git(directory)
        .args(["-c", here])
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

#[test]
fn ordinary_work_reaches_the_host() {
    let mut repository = Repository::new();
    let works: &[&[&str]] = &[
        &["remote", "add", "origin", "https://e.org/bare.git"],
        &["push", "-q", "-u", "origin", "main"],
        &["checkout", "-q", "-b", "x", "--track", "origin/main"],
        &["config", "user.email", "a@b # c"],
        &["config", "user.name", " A \"B\" \\ ; C "],
        &["config", "branch.x.description", "one\ntwo\n"],
        &[
            "remote",
            "set-url",
            "--add",
            "--push",
            "origin",
            "https://e.org/elsewhere",
        ],
        &["remote", "rename", "origin", "upstream"],
        &["remote", "set-branches", "--add", "upstream", "dev"],
        &["branch", "-m", "x", "y\"z"],
        &["config", "pull.rebase", "false"],
        &["config", "--unset", "user.name"],
        &["checkout", "-q", "main"],
        &["branch", "-D", "y\"z"],
        &["remote", "remove", "upstream"],
    ];
    for work in works {
        let merged = repository.merge(work);
        assert_eq!(merged.held, [], "{work:?}");
        let changes = *work != ["checkout", "-q", "main"];
        assert_eq!(merged.changed, changes, "{work:?}");
        assert!(repository.agrees(), "{work:?}");
    }
    let host = String::from_utf8(repository.host).unwrap();
    assert!(host.contains("# mine\n[alias]\n\tx = !y ; z\n"), "{host}");
    assert!(!host.contains("upstream"), "{host}");
}

#[test]
fn work_that_executes_is_held() {
    let mut repository = Repository::new();
    let host = repository.host.clone();
    let works: &[(&[&str], &str, &str)] = &[
        (
            &["config", "core.fsmonitor", "evil"],
            "core.fsmonitor",
            "evil",
        ),
        (&["config", "core.hooksPath", ".h"], "core.hookspath", ".h"),
        (&["config", "alias.co", "!evil"], "alias.co", "!evil"),
        (&["config", "alias.x", "!evil"], "alias.x", "!evil"),
        (&["config", "include.path", "e"], "include.path", "e"),
        (
            &["remote", "add", "e", "ext::sh -c evil"],
            "remote.e.url",
            "ext::sh -c evil",
        ),
    ];
    for (work, key, value) in works {
        let merged = repository.merge(work);
        assert_eq!(merged.held, [set(key, value)], "{work:?}");
    }
    let host = String::from_utf8(host).unwrap();
    assert_eq!(
        String::from_utf8(repository.host).unwrap(),
        format!("{host}[remote \"e\"]\n\tfetch = +refs/heads/*:refs/remotes/e/*\n")
    );
}

#[test]
fn what_init_and_clone_write_stays() {
    let repository = Repository::new();
    let directory = repository.directory.path();
    run(directory, &["init", "-q", "one"]);
    run(directory, &["init", "-q", "--bare", "two"]);
    run(
        directory,
        &["init", "-q", "--object-format=sha256", "three"],
    );
    for name in ["one/.git", "two", "three/.git"] {
        let text = fs::read(directory.join(name).join("config")).unwrap();
        let outcome = sanitise(&text, &Hosts::Any).unwrap();
        let shown = String::from_utf8(text.clone()).unwrap();
        assert_eq!(outcome.held, [], "{name}: {shown}");
        assert_eq!(
            git_reads(&outcome.text),
            git_reads(&text),
            "{name}: {shown}"
        );
        assert_eq!(String::from_utf8(outcome.text).unwrap(), shown, "{name}");
    }
}

#[test]
fn of_a_clone_the_path_is_held_and_what_fetches_unasked() {
    let repository = Repository::new();
    let directory = repository.directory.path();
    run(directory, &["clone", "-q", "work", "four"]);
    run(directory, &["clone", "-q", "--mirror", "work", "five"]);
    let partial = [
        "clone",
        "-q",
        "--no-local",
        "--filter=blob:none",
        "work",
        "six",
    ];
    run(directory, &partial);
    let expected = [
        ("four/.git", &["remote.origin.url"][..]),
        ("five", &["remote.origin.url", "remote.origin.mirror"]),
        (
            "six/.git",
            &[
                "remote.origin.url",
                "remote.origin.promisor",
                "remote.origin.partialclonefilter",
            ],
        ),
    ];
    for (name, keys) in expected {
        let text = fs::read(directory.join(name).join("config")).unwrap();
        let outcome = sanitise(&text, &Hosts::Any).unwrap();
        let mut held: Vec<&str> = outcome.held.iter().map(|held| held.key.as_str()).collect();
        let mut keys = keys.to_vec();
        held.sort_unstable();
        keys.sort_unstable();
        assert_eq!(held, keys, "{name}");
    }
}

#[test]
fn a_working_tree_elsewhere_is_held() {
    let repository = Repository::new();
    let directory = repository.directory.path();
    run(directory, &["init", "-q", "one"]);
    run(
        &directory.join("one"),
        &["config", "core.worktree", "/evil"],
    );
    run(
        &directory.join("one"),
        &["config", "core.sshCommand", "evil"],
    );
    let text = fs::read(directory.join("one/.git/config")).unwrap();
    let outcome = sanitise(&text, &Hosts::Any).unwrap();
    assert_eq!(
        outcome.held,
        [
            set("core.worktree", "/evil"),
            set("core.sshcommand", "evil")
        ]
    );
    assert!(outcome.changed);
    fs::write(directory.join("one/.git/config"), &outcome.text).unwrap();
    run(&directory.join("one"), &["status"]);
    assert_eq!(
        git_reads(&outcome.text).unwrap().len() + 2,
        git_reads(&text).unwrap().len()
    );
}
