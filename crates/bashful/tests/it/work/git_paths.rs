//! Git and repositories of this machine: after one yes a run has the directory of the one that was shown,
//! to read for a fetch and to write for a push, and what is around it stays out of reach.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::git::outside;
use crate::support::{Terminal, World};

/// A workspace with a commit, and repositories outside of all that a run sees.
struct Person {
    world: World,
    elsewhere: tempfile::TempDir,
}

impl Person {
    fn new() -> Self {
        let mut builder = tempfile::Builder::new();
        let elsewhere = builder.prefix("outside").tempdir_in("/var/tmp").unwrap();
        let person = Self {
            world: World::new(),
            elsewhere,
        };
        let workspace = person.world.workspace();
        person.git(&workspace, &["init", "-q", "-b", "main"]);
        person.commit(&workspace, "own");
        person.git(
            &person.at(""),
            &["init", "-q", "--bare", "-b", "main", "remote.git"],
        );
        fs::create_dir(person.at("library")).unwrap();
        person.git(&person.at("library"), &["init", "-q", "-b", "main"]);
        person.commit(&person.at("library"), "lib");
        person
    }

    fn git(&self, directory: &Path, arguments: &[&str]) -> String {
        outside(&self.world, directory, arguments)
    }

    fn commit(&self, directory: &Path, name: &str) {
        fs::write(directory.join(name), "text\n").unwrap();
        self.git(directory, &["add", name]);
        self.git(directory, &["commit", "-qm", name]);
    }

    fn at(&self, name: &str) -> PathBuf {
        self.elsewhere.path().canonicalize().unwrap().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.at(name).to_str().unwrap().to_owned()
    }

    fn set_origin(&self, address: &str) {
        let workspace = self.world.workspace();
        self.git(&workspace, &["config", "remote.origin.url", address]);
        let refs = "+refs/heads/*:refs/remotes/origin/*";
        self.git(&workspace, &["config", "remote.origin.fetch", refs]);
    }

    fn run(&self, text: &str) -> (i32, Value) {
        self.world.json(&["--session", "talk", text])
    }

    /// The ask about a command.
    fn ask(&self, text: &str) -> Value {
        let (code, result) = self.run(text);
        assert_eq!(code, 121, "{text}: {result}");
        let id = result["approval"]["id"].as_str().unwrap();
        let (_, shown) = self.world.call(&["approvals", "show", "--json", id]).json();
        shown["ask"].clone()
    }

    fn say_yes(&self, ask: &Value, flags: &[&str]) {
        let id = ask["id"].as_str().unwrap();
        let words = [&["approvals", "allow", id], flags].concat();
        let (code, screen) = Terminal::bashful(&self.world, &words).end();
        assert_eq!(code, 0, "{screen}");
    }

    fn works_after_a_yes(&self, text: &str) -> Value {
        let ask = self.ask(text);
        self.say_yes(&ask, &[]);
        let (code, result) = self.run(text);
        assert_eq!(code, 0, "{text}: {result}");
        ask
    }
}

#[test]
fn after_one_yes_a_repository_of_this_machine_is_reached() {
    let person = Person::new();
    person.set_origin(&person.text("remote.git"));
    let (remote, library) = (person.text("remote.git"), person.text("library/.git"));
    let to_library = format!("{}/", person.text("library"));
    for (text, read, written) in [
        ("git push -qu origin main", None, Some(&remote)),
        ("git fetch", Some(&remote), None),
        ("git pull --ff-only", Some(&remote), None),
        ("git ls-remote origin", Some(&remote), None),
        (
            &format!("git push -q {remote} HEAD:other"),
            None,
            Some(&remote),
        ),
        (
            &format!("git clone -q {to_library} copy && ls copy/lib"),
            Some(&library),
            None,
        ),
        (
            &format!("git clone -q file://{to_library} again"),
            Some(&library),
            None,
        ),
        (
            &format!("git -C copy fetch -q {to_library} && git -C copy log -1"),
            Some(&library),
            None,
        ),
        (
            &format!("git push -q {to_library} HEAD:new"),
            None,
            Some(&library),
        ),
    ] {
        let ask = person.works_after_a_yes(text);
        let opens = &ask["opens"];
        let list = |path: Option<&String>| path.map_or(Value::Null, |path| json!([path]));
        assert_eq!(opens["paths_read"], list(read), "{text}: {ask}");
        assert_eq!(opens["paths_write"], list(written), "{text}: {ask}");
        assert_eq!(opens["network"], Value::Null, "{text}: {ask}");
        assert_eq!(opens["git"][0]["way"], "path", "{text}: {ask}");
        // It was for this one call.
        assert_eq!(person.run(text).0, 121, "{text}");
    }
    let log = person.git(
        &person.at("remote.git"),
        &["log", "--format=%s", "other", "main"],
    );
    assert_eq!(log, "own\n");
    let branch = person.git(&person.at("library"), &["log", "--format=%s", "new"]);
    assert_eq!(branch, "own\n");
}

#[test]
fn what_the_run_has_anyway_is_no_question() {
    let person = Person::new();
    let workspace = person.world.workspace();
    person.git(&workspace, &["clone", "-q", "--bare", ".", "mine.git"]);
    person.git(&workspace, &["clone", "-q", ".", "sub"]);
    person.set_origin("mine.git");
    for text in [
        "git fetch -q",
        "git fetch -q ./mine.git",
        "git -C sub pull -q",
        "git clone -q sub two",
    ] {
        let (code, result) = person.run(text);
        assert_eq!(code, 0, "{text}: {result}");
    }
    // So is what a flag opens.
    person.set_origin(&person.text("library"));
    let library = person.text("library");
    let flags = ["--session", "talk", "--read", &library, "git fetch -q"];
    let (code, result) = person.world.json(&flags);
    assert_eq!(code, 0, "{result}");
}

#[test]
fn some_directories_are_no_yes_away() {
    let person = Person::new();
    // A home somewhere else, one that leads to a repository, and no repository at all.
    fs::create_dir(person.at("library/.ssh")).unwrap();
    fs::create_dir(person.at("plain")).unwrap();
    let hidden = person.at(".hidden");
    person.git(
        &person.at(""),
        &["clone", "-q", "--bare", "remote.git", ".hidden"],
    );
    assert!(hidden.join("HEAD").exists());
    for place in [
        "/".to_owned(),
        "/etc".to_owned(),
        person.text("library"),
        person.text("plain"),
        person.text(".hidden"),
        person.text("missing"),
    ] {
        person.set_origin(&place);
        for text in ["git fetch", "git push origin main"] {
            let ask = person.ask(text);
            let opens = &ask["opens"];
            let paths = [&opens["paths_read"], &opens["paths_write"]];
            assert_eq!(paths, [&Value::Null; 2], "{place}: {ask}");
        }
    }
    // A link is shown as what it leads to.
    symlink(person.at("remote.git"), person.world.path("workspace/link")).unwrap();
    person.set_origin("link");
    let text = "git push -q ./link HEAD:there";
    let ask = person.works_after_a_yes(text);
    assert_eq!(
        ask["opens"]["paths_write"],
        json!([person.text("remote.git")])
    );
}

#[test]
fn a_lasting_yes_is_for_the_repository_that_was_shown() {
    let person = Person::new();
    person.set_origin(&person.text("remote.git"));
    let ask = person.ask("git push origin main");
    person.say_yes(&ask, &["--scope", "project"]);
    assert_eq!(person.run("git push origin main").0, 0);
    assert_eq!(person.run("git push origin main:more").0, 0);
    person.set_origin(&person.text("library"));
    let ask = person.ask("git push origin main:more");
    assert_eq!(
        ask["opens"]["paths_write"],
        json!([person.text("library/.git")])
    );
    let branches = person.git(
        &person.at("library"),
        &["branch", "--format=%(refname:short)"],
    );
    assert_eq!(branches, "main\n");
}

#[test]
fn what_would_execute_in_the_other_repository_stays_as_it_is() {
    let person = Person::new();
    let hook = person.at("remote.git/hooks/post-receive");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    let ran_in = person.text("ran-outside");
    fs::write(
        &hook,
        format!("#!/bin/sh\ntouch {ran_in}\necho the hook ran >&2\n"),
    )
    .unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let before = fs::read_to_string(person.at("remote.git/config")).unwrap();
    person.world.write(
        "plant",
        "cd \"$1\" || exit\n\
         echo evil > hooks/post-receive; echo evil > hooks/update; rm -rf hooks; mv hooks hooks2\n\
         git config --file config core.fsmonitor evil; rm -f config\n\
         echo '[core] hooksPath = /evil' > config.worktree\n\
         echo '* filter=evil' > info/attributes\n\
         ls -A ..\n",
    );
    let remote = person.text("remote.git");
    let text = format!("git push {remote} main; bash plant {remote}; true");
    let ask = person.ask(&text);
    person.say_yes(&ask, &[]);
    let (code, result) = person.run(&text);
    assert_eq!(code, 0, "{result}");
    // The hook ran in the sandbox: it spoke, and what it made outside is not there.
    assert!(
        result["stderr"].as_str().unwrap().contains("the hook ran"),
        "{result}"
    );
    assert!(!person.at("ran-outside").exists());
    assert_eq!(
        result["stdout"], "remote.git\n",
        "what lies beside it is not seen"
    );
    let spared = [
        fs::read_to_string(&hook).unwrap().contains("the hook ran"),
        !person.at("remote.git/hooks/update").exists(),
        fs::read_to_string(person.at("remote.git/config")).unwrap() == before,
        !person.at("remote.git/info/attributes").exists(),
    ];
    assert_eq!(spared, [true; 4], "{result}");
    let configured = person.git(&person.at("remote.git"), &["config", "--list"]);
    assert!(!configured.contains("evil"), "{configured}");
    // The same without the sandbox changes all of it.
    let (code, result) = person.world.json(&[
        "--sandbox",
        "none",
        "--policy",
        "none",
        &format!("bash plant {remote}; true"),
    ]);
    assert_eq!(code, 0, "{result}");
    assert!(!hook.exists() && person.at("remote.git/info/attributes").exists());
}
