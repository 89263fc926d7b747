//! What a command, a repository or a program of the workspace tries with a way out that a person
//! opened for one repository. Each has a control: the same leads there where it is opened, or without
//! Bashful.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use super::server::executable;
use super::{Person, check, outside};
use crate::support::{Running, eventually};

/// What a run told that it was refused.
const REFUSED: &str = "but a person was asked about ssh://";

fn errors(outcome: &(i32, Value)) -> &str {
    outcome.1["stderr"].as_str().unwrap()
}

/// A program of the workspace calls what git calls, with words of its own.
#[test]
fn what_the_stub_is_asked_for_is_held_to_what_was_shown() {
    let person = Person::settled();
    let (one, two) = (
        person.server.place("one.git"),
        person.server.place("two.git"),
    );
    let (port, user) = (person.server.port(), person.server.user());
    let (one, two) = (one.display(), two.display());
    let attempts = [
        format!("-p {port} {user}@127.0.0.1 \"git-receive-pack '{two}'\""),
        format!("-p {port} {user}@127.0.0.1 \"git-upload-pack '{one}'\""),
        format!("-p {port} {user}@127.0.0.1 \"git-receive-pack '{one}'; touch {two}/owned\""),
        format!("-p {port} {user}@127.0.0.1 \"touch {two}/owned\""),
        format!("-p {port} {user}@127.0.0.1"),
        format!("{user}@127.0.0.1 \"git-receive-pack '{one}'\""),
        format!(
            "-p {port} -oProxyCommand='touch {two}/owned' {user}@127.0.0.1 \"git-receive-pack '{one}'\""
        ),
        format!("-p {port} -L 1:127.0.0.1:1 {user}@127.0.0.1 \"git-receive-pack '{one}'\""),
        "-G 127.0.0.1".to_owned(),
        "-V".to_owned(),
        format!("-F /dev/null -p {port} {user}@127.0.0.1 \"git-receive-pack '{one}'\""),
        "work \"git-receive-pack 'x'\"".to_owned(),
    ];
    let tries = attempts.iter().map(|words| {
        format!(
            "printf 0000 | eval \"$GIT_SSH_COMMAND\" {} | cat\n",
            quoted(words)
        )
    });
    // The control is the last: the very words that git uses.
    let own = format!("-p {port} {user}@127.0.0.1 \"git-receive-pack '{one}'\"");
    let control = format!(
        "printf 0000 | eval \"$GIT_SSH_COMMAND\" {} | cat\n",
        quoted(&own)
    );
    person.world.write(
        "attack",
        tries.collect::<String>() + "echo control\n" + &control,
    );
    let outcome = person.run_with_a_yes("bash attack; git push origin HEAD:main");
    check(&outcome);
    let told = errors(&outcome).matches(REFUSED).count();
    assert_eq!(told, attempts.len(), "{}", errors(&outcome));
    let (_, said) = outcome.1["stdout"]
        .as_str()
        .unwrap()
        .split_once("control\n")
        .unwrap();
    assert!(said.contains("report-status"), "{said}");
    assert!(!person.server.place("two.git").join("owned").exists());
    assert_eq!(
        (person.log_of("one.git"), person.log_of("two.git")),
        ("first\n".into(), String::new())
    );
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The configuration that was read, and the one that git obeys when the command runs.
#[test]
fn a_remote_that_changes_meanwhile_is_refused_with_its_name() {
    let person = Person::settled();
    let two = person.server.address("two.git");
    for swap in [
        format!("git config remote.origin.url {two}"),
        format!("git config remote.origin.pushurl {two}"),
        format!(
            "git config url.{two}.insteadOf {}",
            person.server.address("one.git")
        ),
        format!(
            "git config url.{two}.pushInsteadOf {}",
            person.server.address("one.git")
        ),
    ] {
        let text = format!(
            "{swap}; git push origin HEAD:main; git config --unset-all {}; true",
            swap.split(' ').nth(2).unwrap()
        );
        let outcome = person.run_with_a_yes(&text);
        check(&outcome);
        assert!(
            errors(&outcome).contains(REFUSED),
            "{swap}: {}",
            errors(&outcome)
        );
        let named = errors(&outcome).contains("two.git'` on ");
        assert!(named, "{swap}: {}", errors(&outcome));
        let world = &person.world;
        let key = swap.split(' ').nth(2).unwrap();
        let _ = world
            .program("git")
            .args(["config", "--unset-all", key])
            .status();
        let one = person.server.address("one.git");
        outside(
            world,
            &world.workspace(),
            &["config", "remote.origin.url", &one],
        );
    }
    assert_eq!(person.log_of("two.git"), "");
    check(&person.run_with_a_yes(&format!("git push {two} HEAD:main")));
    assert_eq!(person.log_of("two.git"), "first\n");
}

/// Programs that the text or the repository's configuration puts in ssh's place, or on the server.
#[test]
fn no_program_of_the_workspace_takes_the_place_of_ssh() {
    let person = Person::settled();
    let world = &person.world;
    executable(
        &world.workspace().join("evil"),
        "#!/bin/sh\ntouch \"$MARK\"\nexit 1\n",
    );
    let mark = world.path("mark");
    let workspace = world.workspace();
    let evil = workspace.join("evil");
    outside(
        world,
        &workspace,
        &["config", "core.sshCommand", evil.to_str().unwrap()],
    );
    let mut control = world.program("git");
    control
        .args(["push", "origin", "HEAD:main"])
        .env("MARK", &mark)
        .stderr(Stdio::null());
    assert!(!control.status().unwrap().success() && mark.exists());
    fs::remove_file(&mark).unwrap();
    check(&person.run_with_a_yes("MARK=made git push origin HEAD:main"));
    assert_eq!(person.log_of("one.git"), "first\n");
    assert!(!mark.exists() && !workspace.join("made").exists());
    for text in [
        "GIT_SSH_COMMAND=./evil git push origin HEAD:main",
        "GIT_SSH=./evil git push origin HEAD:main",
        "git -c core.sshCommand=./evil push origin HEAD:main",
        "git push --receive-pack=./evil origin HEAD:main",
        "git push --exec=./evil origin HEAD:main",
        "git fetch --upload-pack=./evil origin",
        "git push 'ext::./evil' HEAD:main",
        "git push \"$(cat first)\" HEAD:main",
        "git submodule update --init",
        "git push -- -oProxyCommand=./evil:x HEAD:main",
    ] {
        let ask = person.ask(text);
        assert_eq!(ask["opens"]["git"], Value::Null, "{text}: {ask}");
    }
}

/// What the configuration says already, or includes, is not guessed at.
#[test]
fn a_configuration_that_leads_elsewhere_is_asked_about_plainly() {
    let person = Person::settled();
    let world = &person.world;
    let two = person.server.address("two.git");
    let config = world.workspace().join(".git/config");
    let before = fs::read_to_string(&config).unwrap();
    let control = person.ask("git fetch origin");
    assert_eq!(control["opens"]["git"][0]["way"], "ssh");
    for more in [
        format!("[url \"{two}\"]\n\tinsteadOf = ssh://\n"),
        format!("[url \"{two}\"]\n\tpushInsteadOf = ssh://\n"),
        "[include]\n\tpath = ../first\n".to_owned(),
        "[remote \"origin\"]\n\tuploadpack = ./evil\n".to_owned(),
        "[remote \"origin\"]\n\tvcs = evil\n".to_owned(),
        "[remote \"origin\"]\n\turl =\n".to_owned(),
    ] {
        fs::write(&config, format!("{before}{more}")).unwrap();
        let ask = person.ask("git fetch --prune origin");
        assert_eq!(ask["opens"]["git"], Value::Null, "{more}: {ask}");
    }
}

/// Git fetches submodules by itself, from addresses that nobody was asked about.
#[test]
fn submodules_of_other_addresses_are_refused_with_the_host() {
    let person = Person::settled();
    let world = &person.world;
    let workspace = world.workspace();
    let two = person.server.address("two.git");
    check(&person.run_with_a_yes(&format!("git push {two} HEAD:main")));
    let place = person.server.place("two.git");
    let place = place.to_str().unwrap();
    outside(
        world,
        &workspace,
        &[
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "add",
            place,
            "part",
        ],
    );
    let part = workspace.join("part");
    outside(world, &part, &["remote", "set-url", "origin", &two]);
    outside(world, &workspace, &["commit", "-qam", "part"]);
    check(&person.run_with_a_yes("git push origin HEAD:main"));
    let outcome = person.run_with_a_yes("git fetch --recurse-submodules origin");
    assert_ne!(outcome.0, 0, "{}", outcome.1);
    assert!(errors(&outcome).contains(REFUSED), "{}", errors(&outcome));
    assert!(
        errors(&outcome).contains("two.git'` on "),
        "{}",
        errors(&outcome)
    );
    check(&person.run_with_a_yes("git -C part fetch origin"));
}

/// Nothing of the person's enters, and the way out is not to be found by another run.
#[test]
fn no_key_enters_and_no_other_run_has_the_way_out() {
    let person = Person::settled();
    let home = person.world.path("home");
    let look = format!(
        "ls -a ~/.ssh {home}/.ssh 2>&1; env | grep -c -e SSH_AUTH -e AGENT; ls /proc/self/fd | \
         tr '\\n' ' '; cat /proc/net/dev | wc -l; git push -q origin HEAD:main",
        home = home.display()
    );
    let outcome = person.run_with_a_yes(&look);
    check(&outcome);
    let seen = outcome.1["stdout"].as_str().unwrap();
    assert!(
        !seen.contains("known_hosts") && !seen.contains("id.pub"),
        "{seen}"
    );
    // Its own loopback only, and one descriptor more than every run has.
    assert!(
        seen.contains("\n0\n") && seen.contains(" 58 ") && seen.ends_with("3\n"),
        "{seen}"
    );
    let other =
        "ls /proc/self/fd | tr '\\n' ' '; echo ${BASHFUL_GIT_CHANNEL-none} ${GIT_SSH_COMMAND-none}";
    let (_, result) = person.run(other);
    let seen = result["stdout"].as_str().unwrap();
    assert!(
        !seen.contains(" 58 ") && seen.contains("none none"),
        "{seen}"
    );
}

/// While a run with a way out waits, another of the same session looks for it.
#[test]
fn a_run_beside_it_cannot_take_it_along() {
    let person = Person::settled();
    person.world.write(
        "offer.py",
        "import socket, array, os\n\
         if os.path.exists('/tmp/offer'): os.unlink('/tmp/offer')\n\
         s = socket.socket(socket.AF_UNIX); s.bind('/tmp/offer'); s.listen(1); s.settimeout(6)\n\
         open('ready', 'w')\n\
         try:\n c, _ = s.accept(); c.sendmsg([b'x'], [(1, 1, array.array('i', [58]))])\n\
         except TimeoutError: pass\n",
    );
    person.world.write(
        "take.py",
        "import socket\n\
         s = socket.socket(socket.AF_UNIX)\n\
         try: s.connect('/tmp/offer'); print('connected', s.recvmsg(1, 100))\n\
         except OSError as error: print('refused')\n",
    );
    let text = "python3 offer.py; git push -q origin HEAD:main";
    let ask = person.ask(text);
    person.say_yes(&ask, &[]);
    let running = Running::start(person.command(&[text]));
    let ready = person.world.workspace().join("ready");
    let is_ready = eventually(|| ready.exists());
    let (_, result) = person.run("python3 take.py");
    let ended = running.end().outcome();
    assert!(is_ready, "{ended:?}");
    assert_eq!(result["stdout"], "refused\n", "{result}");
    assert_eq!(ended.code, 0, "{ended:?}");
    // The control: without a yes for one of them, the two do connect.
    fs::remove_file(&ready).unwrap();
    let running = Running::start(person.command(&["python3 offer.py"]));
    assert!(eventually(|| ready.exists()));
    let (_, result) = person.run("python3 take.py");
    let said = result["stdout"].as_str().unwrap();
    assert!(said.starts_with("connected"), "{result}");
    running.end();
}

/// Messages that make no sense, and streams that are none, do not get anywhere and end nothing.
#[test]
fn nonsense_on_the_channel_does_nothing() {
    let person = Person::settled();
    let (port, user) = (person.server.port(), person.server.user());
    let one = person.server.place("one.git");
    let words = json!([
        "-p",
        port.to_string(),
        format!("{user}@127.0.0.1"),
        format!("git-receive-pack '{}'", one.display())
    ]);
    let wish = json!({ "ssh": { "words": words, "protocol": null } });
    person.world.write(
        "junk.py",
        format!(
            "import socket, array, os\n\
             s = socket.socket(fileno=os.dup(58))\n\
             wish = r'''{wish}'''.encode()\n\
             r, w = os.pipe(); f = os.open('kept', os.O_RDWR | os.O_CREAT)\n\
             def send(data, fds):\n\
             \x20s.sendmsg([data], [(1, 1, array.array('i', fds))] if fds else [])\n\
             send(b'x', []); send(b'{{}}', [r, w, 2, w]); send(wish, []); send(wish, [r, w])\n\
             send(wish, [r, w, 2, w, w, w]); send(wish, [f, f, 2, w]); send(wish, [r, f, 2, w])\n\
             send(wish, [r, w, 2, f]); send(wish[:40], [r, w, 2, w]); send(b'x' * 70000, [r, w, 2, w])\n\
             print(os.stat('kept').st_size)\n"
        ),
    );
    let outcome =
        person.run_with_a_yes("python3 junk.py; sleep 1; cat kept; git push origin HEAD:main");
    check(&outcome);
    assert_eq!(outcome.1["stdout"], "0\n", "{}", outcome.1);
    assert_eq!(person.log_of("one.git"), "first\n");
}

/// What runs outside ends when the run does, however that ends.
#[test]
fn ssh_ends_with_the_run() {
    let person = Person::settled();
    let hook = person.server.place("one.git").join("hooks/pre-receive");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    executable(&hook, "#!/bin/sh\nsleep 20\n");
    let text = "git push origin HEAD:main";
    let ask = person.ask(text);
    person.say_yes(&ask, &[]);
    let running = Running::start(person.command(&["--timeout", "2s", text]));
    let named = person.server.place("one.git").display().to_string();
    let outside = || {
        let all = fs::read_dir("/proc").unwrap().flatten();
        let lines = all.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
        let lines = lines.map(|line| String::from_utf8_lossy(&line).into_owned());
        let ours = |line: &String| {
            line.contains(&named)
                && (line.starts_with("/usr/bin/ssh\0") || line.contains("bashful-git-carrier"))
        };
        lines.filter(ours).count()
    };
    assert!(
        eventually(|| outside() > 1),
        "the control: it is there while the run is"
    );
    let ended = running.end().outcome();
    assert_eq!(ended.code, 124, "{ended:?}");
    assert!(eventually(|| outside() == 0));
}
