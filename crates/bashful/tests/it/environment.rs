//! What a run gets from its caller's environment, and what it must never get.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use crate::support::{Marker, Running, Walls, World, ran};

const PLANTED: [(&str, &str); 5] = [
    ("GITHUB_TOKEN", "ghp_planted0123456789abcdef"),
    ("OPENAI_API_KEY", "sk-planted0123456789abcdef"),
    ("DISCORD_TOKEN", "discord.planted.0123456789"),
    ("AWS_SECRET_ACCESS_KEY", "awsplanted0123456789abcdef"),
    ("UNREMARKABLE", "planted-under-a-plain-name"),
];

fn plant(mut command: Command) -> Command {
    command.envs(PLANTED);
    command
}

/// The planted names and values that occur in this text.
fn found_in(text: &str) -> Vec<&'static str> {
    let all = PLANTED.into_iter().flat_map(|(name, value)| [name, value]);
    all.filter(|secret| text.contains(secret)).collect()
}

#[test]
fn no_token_or_api_key_in_the_environment() {
    let world = World::unjudged();
    // Into a file: what is printed would be masked.
    let command = plant(world.run_command(&["env >seen; cat /proc/$$/environ >>seen"]));
    let outcome = Running::start(command).end().outcome();
    assert_eq!(outcome, world.ran(0, "", ""));
    let seen = world.read("seen");
    assert!(seen.contains("PATH="), "{seen}");
    assert_eq!(found_in(&seen), [] as [&str; 0]);
}

#[test]
fn no_token_or_api_key_in_the_ancestors() {
    for world in World::both() {
        // Without a sandbox bash's parent is the keeper, the keeper's is its guard, and
        // the first process is the machine's. In a sandbox the first process is ours.
        let (above, ours) = match world.walls() {
            Walls::Nothing => (1, 2),
            Walls::Sandbox => (0, 1),
        };
        let walk = format!(
            "pid=$PPID
            while [ \"$pid\" -gt {above} ]; do
                tr '\\0' ' ' </proc/$pid/cmdline >>names; printf '\\n---\\n' >>names
                cat /proc/$pid/environ >>seen 2>/dev/null
                pid=$(sed -n 's/^PPid:[^0-9]*//p' /proc/$pid/status)
            done; echo walked >>seen"
        );
        let command = plant(world.run_command(&[walk]));
        assert_eq!(
            Running::start(command).end().outcome(),
            world.ran(0, "", "")
        );
        let names = world.read("names");
        let found = names
            .split("\n---\n")
            .take_while(|name| name.contains("bashful"));
        assert!(found.count() >= ours, "{names}");
        let seen = world.read("seen");
        assert!(seen.ends_with("walked\n"));
        assert_eq!(found_in(&seen), [] as [&str; 0]);
    }
}

#[test]
fn no_token_or_api_key_anywhere_in_proc() {
    for world in World::both() {
        // A value of our own: other tests run `bashful` at the same time.
        let token = format!("ghp_{}", Marker::fresh().sleep().replace(' ', "_"));
        let mut command =
            world.run_command(&["cat /proc/[0-9]*/environ >seen 2>/dev/null; wc -c <seen"]);
        command.env("GITHUB_TOKEN", &token);
        let outcome = Running::start(command).end().outcome();
        let size: usize = outcome.stdout.trim().parse().unwrap();
        assert!(outcome.code == 0 && size > 0, "{outcome:?}");
        assert!(!world.read("seen").contains(&token));
    }
}

#[test]
fn no_token_or_api_key_in_the_records() {
    let world = World::new();
    let command = plant(world.run_command(&["true"]));
    assert_eq!(Running::start(command).end().outcome(), ran(0, "", ""));
    let mut texts = 0;
    for task in fs::read_dir(world.state().join("tasks")).unwrap() {
        for file in fs::read_dir(task.unwrap().path()).unwrap() {
            let text = fs::read(file.unwrap().path()).unwrap();
            assert_eq!(found_in(&String::from_utf8_lossy(&text)), [] as [&str; 0]);
            texts += 1;
        }
    }
    assert!(texts >= 3, "{texts}");
}

#[test]
fn path_and_home_are_present_and_home_is_the_agents_own() {
    let world = World::new();
    let outcome = world.run(&["echo \"$PATH\"; cd && pwd -P; echo \"$HOME\""]);
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    let [path, place, home] = lines[..] else {
        panic!("{outcome:?}");
    };
    assert_eq!(place, home);
    assert!(home.starts_with(world.path("cache/bashful/homes").to_str().unwrap()));
    // What is installed there is found after everything of the caller's.
    let own = [".local/bin", "go/bin", ".deno/bin", ".bun/bin"];
    let own = own.map(|bin| format!("{home}/{bin}")).join(":");
    assert_eq!(path, format!("{}:{own}", crate::support::PATH));
}

#[test]
fn path_has_a_usual_value_for_a_program_when_the_caller_has_none() {
    let world = World::new();
    let mut command = world.run_command(&["--", "/usr/bin/env"]);
    command.env_remove("PATH");
    let outcome = Running::start(command).end().outcome();
    let has_path = outcome
        .stdout
        .lines()
        .any(|line| line.starts_with("PATH=/"));
    assert!(outcome.code == 0 && has_path, "{outcome:?}");
}

#[test]
fn what_a_network_needs_to_be_known_arrives_where_it_is_open() {
    let world = World::unjudged();
    let bundle = world.path("home/authorities.pem");
    std::fs::write(&bundle, "trusted\n").unwrap();
    let text = "echo \"${HTTPS_PROXY-none} ${no_proxy-none}\"; cat \"${SSL_CERT_FILE-none}\" 2>&1";
    let run = |flags: &[&str]| {
        let mut command = world.run_command(&[flags, &[text]].concat());
        command.env("HTTPS_PROXY", "http://proxy.example:1");
        command
            .env("SSL_CERT_FILE", &bundle)
            .env("no_proxy", "here");
        Running::start(command).end().outcome().stdout
    };
    let closed = run(&[]);
    assert!(closed.starts_with("none none\ncat: none"), "{closed}");
    let open = run(&["--network", "on"]);
    assert_eq!(open, "http://proxy.example:1 here\ntrusted\n");
}

#[test]
fn only_the_allow_list_arrives() {
    for world in World::both() {
        let allowed = [
            "PATH", "HOME", "USER", "LANG", "LC_ALL", "TERM", "SHELL", "TMPDIR",
        ];
        let others = [
            "SSH_AUTH_SOCK",
            "LC_CTYPE",
            "PWD",
            "OLDPWD",
            "EDITOR",
            "LD_LIBRARY_PATH",
            "BASH_ENV",
            "FOO",
            "DBUS_SESSION_BUS_ADDRESS",
            "BASHFUL_SESSION",
            "http_proxy",
        ];
        // A program, because bash adds variables of its own.
        let mut command = plant(world.run_command(&["--", "env"]));
        command.envs(others.map(|name| (name, "x")));
        command.envs(allowed[2..].iter().map(|name| (name, "from-the-caller")));
        let outcome = Running::start(command).end().outcome();
        let names: BTreeSet<&str> = outcome
            .stdout
            .lines()
            .filter_map(|line| Some(line.split_once('=')?.0))
            .collect();
        let caches = [
            "CARGO_HOME",
            "CARGO_INSTALL_ROOT",
            "GOCACHE",
            "GOMODCACHE",
            "GRADLE_USER_HOME",
            "PIP_CACHE_DIR",
            "XDG_CACHE_HOME",
            "npm_config_cache",
            "npm_config_prefix",
        ];
        let mut expected: BTreeSet<&str> = allowed.into_iter().chain(caches).collect();
        if world.walls() == Walls::Sandbox {
            // The caller's temporary directory is not there.
            expected.remove("TMPDIR");
            // Nor is a network.
            expected.extend([
                "PIP_DISABLE_PIP_VERSION_CHECK",
                "npm_config_update_notifier",
            ]);
        } else {
            // Without a sandbox the network is open.
            expected.insert("http_proxy");
        }
        assert_eq!((outcome.code, names), (0, expected));
        let line = "USER=from-the-caller";
        assert!(outcome.stdout.lines().any(|it| it == line), "{outcome:?}");
    }
}

#[test]
fn caches_lie_outside_the_workspace() {
    let world = World::new();
    let outcome = world.run(&["echo $CARGO_HOME; echo $XDG_CACHE_HOME"]);
    let cache = world.path("cache/bashful");
    let inside = |line: &str| std::path::Path::new(line).starts_with(&cache);
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert!(
        lines.len() == 2 && lines.into_iter().all(inside),
        "{outcome:?}"
    );
}

#[test]
fn git_knows_the_user_and_nothing_else() {
    let world = World::new();
    let own = "[user]\n\tname = Ann Example\n\temail = ann@example.org\n[alias]\n\tx = !evil\n";
    fs::write(world.path("home/.gitconfig"), own).unwrap();
    let list = "git config --list --show-scope | grep -e alias -e user";
    let known = "system\tuser.name=Ann Example\nsystem\tuser.email=ann@example.org\n";
    let outcome = world.run(&[list]);
    assert_eq!(outcome, ran(0, known, ""));
    // What a run sets for all its repositories stays in its own home, for the next one as well.
    let set = "git config --global user.name Own; git config --global alias.st status; true";
    assert_eq!(world.run(&[set]), ran(0, "", ""));
    let outcome = world.run(&["git config user.name; git config user.email; git config alias.st"]);
    assert_eq!(outcome, ran(0, "Own\nann@example.org\nstatus\n", ""));
    assert_eq!(
        fs::read_to_string(world.path("home/.gitconfig")).unwrap(),
        own
    );
}
