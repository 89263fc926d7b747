//! Git and repositories elsewhere: asked about, said yes to, and then really done. The servers are
//! real ones, on the loopback: an sshd of the user who runs the tests, and git behind a web server.

mod attacks;
mod https;
mod server;

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::git::outside;
use crate::support::{Running, Terminal, World, eventually};
use server::Server;

/// A world whose user has a key for a server, and a repository with a commit in the workspace.
struct Person {
    world: World,
    server: Server,
}

impl Person {
    fn new() -> Self {
        let world = World::new();
        let server = Server::start(&world);
        let workspace = world.workspace();
        outside(&world, &workspace, &["init", "-q"]);
        world.write("first", "one\n");
        outside(&world, &workspace, &["add", "first"]);
        outside(&world, &workspace, &["commit", "-qm", "first"]);
        Self { world, server }
    }

    /// One whose ssh knows the server, and whose repository has a remote there.
    fn settled() -> Self {
        let person = Self::new();
        person.server.introduce(&person.world);
        person.set_remote("origin", &person.server.address("one.git"));
        person
    }

    fn set_remote(&self, name: &str, address: &str) {
        let workspace = self.world.workspace();
        outside(&self.world, &workspace, &["remote", "add", name, address]);
    }

    fn command(&self, flags: &[&str]) -> Command {
        let mut command = self.world.run_command(&["--json", "--session", "talk"]);
        command.args(flags);
        self.server.environment(&mut command);
        command
    }

    fn run(&self, text: &str) -> (i32, Value) {
        let mut command = self.command(&[]);
        command.arg(text);
        Running::start(command).end().outcome().json()
    }

    /// What is asked about a command, the ask as it is listed.
    fn ask(&self, text: &str) -> Value {
        let (code, result) = self.run(text);
        assert_eq!(code, 121, "{result}");
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

    /// Asked once, said yes, run.
    fn run_with_a_yes(&self, text: &str) -> (i32, Value) {
        let ask = self.ask(text);
        self.say_yes(&ask, &[]);
        self.run(text)
    }

    /// What is at the branch there.
    fn log_of(&self, repository: &str) -> String {
        let place = self.server.place(repository);
        let place = place.to_str().unwrap();
        let arguments = ["--git-dir", place, "log", "--format=%s", "--all"];
        outside(&self.world, &self.world.workspace(), &arguments)
    }
}

fn check(outcome: &(i32, Value)) {
    assert_eq!(outcome.0, 0, "{}", outcome.1);
}

#[test]
fn a_push_is_asked_about_and_then_done() {
    let person = Person::settled();
    let ask = person.ask("git push -u origin HEAD:main");
    let opens = &ask["opens"];
    assert_eq!(opens["network"], Value::Null, "{ask}");
    let transfer = &opens["git"][0];
    let found = json!([
        transfer["way"],
        transfer["pushes"],
        transfer["host"],
        transfer["path"]
    ]);
    let path = person.server.place("one.git");
    assert_eq!(found, json!(["ssh", true, "127.0.0.1", path]));
    let card = person
        .world
        .call(&["approvals", "show", ask["id"].as_str().unwrap()])
        .stdout;
    let card: String = card
        .split(['│', '\n'])
        .map(str::trim)
        .collect::<Vec<_>>()
        .join(" ");
    let card = card.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        card.contains("your ssh keys are used outside; nothing of them enters"),
        "{card}"
    );
    assert!(card.contains("Network off"), "{card}");
    person.say_yes(&ask, &[]);
    check(&person.run("git push -u origin HEAD:main"));
    assert_eq!(person.log_of("one.git"), "first\n");
    // It was for this one time.
    person.ask("git push -u origin HEAD:main");
}

#[test]
fn everything_that_reaches_a_server_works_after_a_yes() {
    let person = Person::settled();
    let address = person.server.address("one.git");
    check(&person.run_with_a_yes("git push -q origin HEAD:main"));
    for text in [
        "git fetch -q",
        "git -C . fetch origin",
        "git fetch --all",
        "git pull -q --no-rebase origin main",
        "git ls-remote --heads origin",
        &format!("git ls-remote {address}"),
        &format!("git clone -q {address} copy && git -C copy log --oneline"),
        &format!("git remote add again {address} && git fetch -q again"),
        "echo two > two && git add two && git commit -qm two && git push origin HEAD:main",
        "timeout 60 git push origin HEAD:other 2>&1 | tail -3",
    ] {
        check(&person.run_with_a_yes(text));
    }
    assert_eq!(person.log_of("one.git"), "two\nfirst\n");
    assert_eq!(person.world.read("copy/first"), "one\n");
}

#[test]
fn names_that_need_quotes_arrive_as_they_are() {
    let person = Person::new();
    person.server.introduce(&person.world);
    let name = "it's \"one\" $HOME `id`;!.git";
    person.server.make(&person.world, name);
    person.set_remote("origin", &person.server.short_address(name));
    check(&person.run_with_a_yes("git push origin HEAD:main"));
    assert_eq!(person.log_of(name), "first\n");
}

#[test]
fn a_new_server_is_a_question_of_its_own() {
    let person = Person::new();
    person.set_remote("origin", &person.server.address("one.git"));
    let text = "git push origin HEAD:main";
    let ask = person.ask(text);
    person.say_yes(&ask, &[]);
    let known = person.world.path("home/.ssh/known_hosts");
    let ask = person.ask(text);
    assert_eq!(ask["ground"]["rule"], "git-server-key", "{ask}");
    let fingerprint = person.server.fingerprint();
    let reason = ask["ground"]["reason"].as_str().unwrap();
    assert!(reason.contains(&fingerprint), "{reason} {fingerprint}");
    assert!(!known.exists(), "nothing was written before the yes");
    person.say_yes(&ask, &[]);
    check(&person.run(text));
    assert_eq!(person.log_of("one.git"), "first\n");
    assert!(fs::read_to_string(&known).unwrap().contains("ssh-ed25519"));
    // The yes to the server was none to a second push.
    let ask = person.ask(text);
    assert_eq!(ask["ground"]["rule"], "git-push");
    person.say_yes(&ask, &[]);
    check(&person.run(text));
}

#[test]
fn a_server_with_another_key_is_refused_and_not_asked_about() {
    let person = Person::settled();
    let known = person.world.path("home/.ssh/known_hosts");
    let text = fs::read_to_string(&known).unwrap();
    let (before, _) = text.trim().rsplit_once(' ').unwrap();
    let other = person.server.other_key();
    fs::write(&known, format!("{before} {other}\n")).unwrap();
    let (code, result) = person.run_with_a_yes("git push origin HEAD:main");
    assert_eq!(code, 128, "{result}");
    let errors = result["stderr"].as_str().unwrap();
    assert!(
        errors.contains("REMOTE HOST IDENTIFICATION HAS CHANGED"),
        "{errors}"
    );
    assert_eq!(person.log_of("one.git"), "");
}

#[test]
fn a_lasting_yes_is_for_the_repository_that_was_shown() {
    let person = Person::settled();
    let ask = person.ask("git push origin HEAD:main");
    person.say_yes(&ask, &["--scope", "project"]);
    check(&person.run("git push origin HEAD:main"));
    check(&person.run("git push origin HEAD:second"));
    let world = &person.world;
    let two = person.server.address("two.git");
    outside(
        world,
        &world.workspace(),
        &["remote", "set-url", "origin", &two],
    );
    let ask = person.ask("git push origin HEAD:main");
    let path = person.server.place("two.git");
    assert_eq!(ask["opens"]["git"][0]["path"], json!(path));
    assert_eq!(person.log_of("two.git"), "");
}

#[test]
fn a_person_can_open_the_way_before_anything_asks() {
    let person = Person::settled();
    let world = &person.world;
    let address = person.server.address("one.git");
    let shape = ["--command", "git push origin …", "--git-push", &address];
    let words = [&["grants", "add", "--scope", "project"], &shape[..]].concat();
    let (code, screen) = Terminal::bashful(world, &words).end();
    assert_eq!(code, 0, "{screen}");
    check(&person.run("git push origin HEAD:main"));
    assert_eq!(person.log_of("one.git"), "first\n");
    // Another repository, or reading this one, is another question.
    let two = person.server.address("two.git");
    let set = ["remote", "set-url", "origin", &two];
    outside(world, &world.workspace(), &set);
    person.ask("git push origin HEAD:main");
    person.ask("git fetch origin");
    for odd in [&["ext::sh -c x"][..], &["git://host/x"], &["../x"]] {
        let words = [
            "grants",
            "add",
            "--scope",
            "project",
            "--command",
            "git push …",
        ];
        let words = [&words[..], &["--git-push"], odd].concat();
        assert_eq!(Terminal::bashful(world, &words).end().0, 2, "{odd:?}");
    }
    let words = [
        "grants",
        "add",
        "--scope",
        "project",
        "--git-push",
        &address,
    ];
    assert_eq!(Terminal::bashful(world, &words).end().0, 2);
}

#[test]
fn a_shell_that_lasts_pushes_as_well() {
    let person = Person::settled();
    let run = || {
        let mut command = person.command(&["--shell", "main"]);
        command.arg("git push origin HEAD:main");
        Running::start(command).end().outcome().json()
    };
    let (code, result) = run();
    assert_eq!(code, 121, "{result}");
    person.say_yes(&json!({ "id": result["approval"]["id"] }), &[]);
    check(&run());
    assert_eq!(person.log_of("one.git"), "first\n");
}

#[test]
fn a_push_in_the_background_outlives_who_started_it() {
    let person = Person::settled();
    let text = "sleep 1; git push origin HEAD:main";
    let ask = person.ask(text);
    person.say_yes(&ask, &[]);
    let mut command = person
        .world
        .run_command(&["--background", "--session", "talk", text]);
    person.server.environment(&mut command);
    let outcome = Running::start(command).end().outcome();
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let done = || person.log_of("one.git") == "first\n";
    assert!(eventually(done), "{outcome:?}");
}

#[test]
fn a_resident_engine_pushes_as_well() {
    let person = Person::settled();
    let text = "git push origin HEAD:main";
    let run = |text: &str| {
        let mut command = person.command(&[text]);
        command.env_remove("BASHFUL_ALONE");
        Running::start(command).end().outcome().json()
    };
    for _ in 0..2 {
        check(&run("true"));
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    let (code, result) = run(text);
    assert_eq!(code, 121, "{result}");
    person.say_yes(&json!({ "id": result["approval"]["id"] }), &[]);
    check(&run(text));
    assert_eq!(person.log_of("one.git"), "first\n");
    assert_eq!(person.world.call(&["stop", "--all"]).code, 0);
}

/// Whoever holds the run.
#[test]
fn other_walls_have_the_same_way_out() {
    let person = Person::settled();
    person.world.configure(
        "[profile.default]\noptional = ['filesystem', 'processes', 'resources', 'identity']\n",
    );
    for backend in ["bubblewrap", "landlock", "none"] {
        let text = format!("git push origin HEAD:{backend}");
        let run = || {
            let command = person.command(&["--sandbox", backend, &text]);
            Running::start(command).end().outcome().json()
        };
        let (code, result) = run();
        assert_eq!(code, 121, "{backend}: {result}");
        person.say_yes(&json!({ "id": result["approval"]["id"] }), &[]);
        check(&run());
    }
}
