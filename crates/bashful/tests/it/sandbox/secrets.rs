//! Secrets are not there, whatever was declared around them, unless named exactly.

use std::fs;

use serde_json::json;

use super::{output, printed, text};
use crate::support::World;

const SECRETS: &[&str] = &[
    ".ssh/id_ed25519",
    ".aws/credentials",
    ".gnupg/private",
    ".netrc",
    ".git-credentials",
    ".docker/config.json",
    ".kube/config",
    ".config/gcloud/token",
    ".config/gh/hosts.yml",
    ".npmrc",
    ".pypirc",
    ".cargo/credentials.toml",
    ".pgpass",
    ".bash_history",
    ".claude.json",
    ".codex/auth.json",
    "projects/other/.env",
    "projects/other/.env.production",
    "projects/deep/er/than/that/.env.local",
    ".env",
];

fn world() -> World {
    let world = World::unjudged();
    let home = world.path("home");
    for secret in SECRETS
        .iter()
        .chain(&["notes.txt", "projects/other/main.c"])
    {
        let file = home.join(secret);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, format!("content of {secret}\n")).unwrap();
    }
    world
}

/// Which of these can be read inside.
fn readable(world: &World, flags: &[&str]) -> Vec<String> {
    let home = world.path("home");
    let names: Vec<String> = SECRETS
        .iter()
        .chain(&["notes.txt", "projects/other/main.c"])
        .map(|name| format!("'{}/{name}'", home.display()))
        .collect();
    let text = format!(
        "for file in {}; do cat \"$file\" 2> /dev/null; done; true",
        names.join(" ")
    );
    let seen = output(world, flags, &text);
    seen.lines().map(str::to_owned).collect()
}

const OPEN: [&str; 2] = ["content of notes.txt", "content of projects/other/main.c"];

#[test]
fn a_wider_root_does_not_show_secrets() {
    let world = world();
    let home = world.path("home");
    assert_eq!(readable(&world, &[]), [] as [&str; 0]);
    assert_eq!(readable(&world, &["--read", "~"]), OPEN);
    assert_eq!(readable(&world, &["--write", text(&home)]), OPEN);
    let above = home.parent().unwrap();
    assert_eq!(readable(&world, &["--read", text(above)]), OPEN);
    assert_eq!(readable(&world, &["--home", "real-masked"]), OPEN);
}

#[test]
fn a_secret_that_is_named_exactly_is_shown() {
    let world = world();
    let flags = ["--read", "~", "--read", "~/.netrc", "--read", "~/.aws"];
    let mut seen = readable(&world, &flags);
    seen.sort();
    let mut expected = OPEN.map(str::to_owned).to_vec();
    expected.extend(["content of .netrc", "content of .aws/credentials"].map(str::to_owned));
    expected.sort();
    assert_eq!(seen, expected);
    let flags = ["--read", "~/projects/other/.env"];
    assert_eq!(readable(&world, &flags), ["content of projects/other/.env"]);
}

#[test]
fn secrets_below_a_writable_root_cannot_be_moved_into_sight() {
    let world = world();
    let home = world.path("home");
    printed(
        &world,
        &["--write", "~"],
        &format!(
            "cd {}; mv .ssh ssh; mv .netrc netrc; cp -r .aws aws; ln .npmrc npmrc; \
             mv projects/other elsewhere; cat ssh/* netrc aws/* npmrc elsewhere/.env",
            home.display()
        ),
    );
    let found = json!([
        fs::read_to_string(home.join(".netrc")).unwrap(),
        fs::read_to_string(home.join(".ssh/id_ed25519")).unwrap(),
        home.join("npmrc").exists(),
    ]);
    assert_eq!(
        found,
        json!(["content of .netrc\n", "content of .ssh/id_ed25519\n", false])
    );
}

#[test]
fn the_workspaces_own_environment_file_is_there() {
    let world = World::unjudged();
    world.write(".env", "PORT=1\n");
    assert_eq!(output(&world, &[], "cat .env"), "PORT=1\n");
}

#[test]
fn the_real_home_appears_empty() {
    let world = world();
    let home = world.path("home");
    let look = format!(
        "ls -A {0} | wc -l; cd {0} && pwd; touch {0}/x; true",
        home.display()
    );
    let expected = format!("0\n{}\n", home.display());
    assert_eq!(output(&world, &[], &look), expected);
    assert!(!home.join("x").exists());
}

#[test]
fn a_workspace_in_the_home_shows_nothing_beside_it() {
    let world = world();
    let project = world.path("home/projects/other");
    let workspace = ["--workspace", text(&project)];
    let seen = output(&world, &workspace, "cat main.c .env; ls -A ..; ls -A ../..");
    let expected = "content of projects/other/main.c\ncontent of projects/other/.env\n\
                    other\nprojects\n";
    assert_eq!(seen, expected);
}

#[test]
fn bashfuls_own_state_is_not_there() {
    let world = World::unjudged();
    world.configure("[keeper]\nidle = \"60s\"\n");
    output(&world, &["--session", "s"], "echo first");
    let above = world.path("home");
    let above = above.parent().unwrap();
    let look = format!(
        "ls -A {0}/state/bashful {0}/config/bashful {0}/run/bashful 2> /dev/null | grep -v ':$\\|^$'; \
         cat {0}/config/bashful/config.toml",
        above.display()
    );
    for flags in [
        &["--session", "s"][..],
        &["--read", text(above)],
        &["--write", text(above)],
    ] {
        assert_eq!(printed(&world, flags, &look), "", "{flags:?}");
    }
}
