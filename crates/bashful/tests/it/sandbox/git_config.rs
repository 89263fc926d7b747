//! `.git/config` is a private copy: harmless keys reach the host, keys that execute do not.

use serde_json::json;

use super::{kinds, told};
use crate::support::World;

pub(super) fn repository() -> World {
    let world = World::unjudged();
    for arguments in [
        &["init", "-q", "-b", "main"][..],
        &["commit", "-q", "--allow-empty", "-m", "first"],
    ] {
        let status = world
            .program("git")
            .args(["-c", "user.name=Host", "-c", "user.email=h@example.org"])
            .args(arguments)
            .status()
            .unwrap();
        assert!(status.success());
    }
    world
}

/// What git outside reads.
pub(super) fn outside(world: &World, key: &str) -> String {
    let mut command = world.program("git");
    let output = command
        .args(["config", "--local", "--get-all", key])
        .output();
    String::from_utf8(output.unwrap().stdout).unwrap()
}

#[test]
fn harmless_keys_reach_the_host() {
    let world = repository();
    let add = ["remote", "add", "origin", "https://example.org/one.git"];
    assert!(world.program("git").args(add).status().unwrap().success());
    let text = "git config user.email worker@example.org && git config user.name 'A Worker' && \
                git remote set-url origin ssh://example.org/other.git && \
                git config branch.main.remote origin && git config branch.main.merge refs/heads/main && \
                git checkout -q -b feature && git branch -q --set-upstream-to=main && \
                git config pull.rebase true && git config --unset pull.rebase";
    let (code, result) = world.json(&[text]);
    // A known host with another address is merged, and told.
    let expected = json!([0, ["git_config", "git_config"]]);
    assert_eq!(json!([code, kinds(&result)]), expected, "{result}");
    let found = [
        "user.email",
        "user.name",
        "remote.origin.url",
        "remote.origin.fetch",
        "branch.main.remote",
        "branch.main.merge",
        "branch.feature.merge",
        "pull.rebase",
    ]
    .map(|key| outside(&world, key));
    assert_eq!(
        found,
        [
            "worker@example.org\n",
            "A Worker\n",
            "ssh://example.org/other.git\n",
            "+refs/heads/*:refs/remotes/origin/*\n",
            "origin\n",
            "refs/heads/main\n",
            "refs/heads/main\n",
            "",
        ]
    );
}

const EVIL: &[(&str, &str)] = &[
    ("core.fsmonitor", "./evil"),
    ("core.hooksPath", "evil-hooks"),
    ("core.sshCommand", "./evil"),
    ("core.editor", "./evil"),
    ("core.pager", "./evil"),
    ("core.gitProxy", "./evil"),
    ("core.attributesFile", "evil"),
    ("alias.st", "!./evil"),
    ("filter.x.clean", "./evil"),
    ("filter.x.smudge", "./evil"),
    ("diff.external", "./evil"),
    ("diff.x.textconv", "./evil"),
    ("merge.x.driver", "./evil"),
    ("include.path", "evil-config"),
    ("includeIf.gitdir:/.path", "evil-config"),
    ("credential.helper", "!./evil"),
    ("gpg.program", "./evil"),
    ("sequence.editor", "./evil"),
    ("remote.origin.uploadpack", "./evil"),
    ("remote.origin.vcs", "evil"),
    ("url.ext::./evil.insteadOf", "https://"),
    ("protocol.ext.allow", "always"),
    ("submodule.x.update", "!./evil"),
    ("uploadpack.packObjectsHook", "./evil"),
    ("browser.x.cmd", "./evil"),
    ("sendemail.smtpServer", "./evil"),
];

#[test]
fn keys_that_execute_stay_inside_and_are_told() {
    let world = repository();
    let before = world.read(".git/config");
    let set: Vec<String> = EVIL
        .iter()
        .map(|(key, value)| format!("git config '{key}' '{value}'"))
        .collect();
    // Some of them would break the next command of git, so the copy is read as a file.
    let text = format!("{}; cat .git/config", set.join("; "));
    let (_, result) = world.json(&[&text]);
    assert_eq!(world.read(".git/config"), before, "{result}");
    let inside = result["stdout"].as_str().unwrap();
    assert!(inside.contains("fsmonitor = ./evil"), "{inside}");
    assert!(
        kinds(&result)
            .iter()
            .all(|kind| ["git_config", "unlisted"].contains(kind)),
        "{result}"
    );
    let told = told(&result).to_lowercase();
    for key in [
        "core.fsmonitor",
        "core.hookspath",
        "core.sshcommand",
        "alias.st",
        "diff.external",
    ] {
        assert!(told.contains(key), "{key} in {told}");
    }
}

#[test]
fn each_key_that_executes_is_held_alone() {
    let world = repository();
    let before = world.read(".git/config");
    for (key, value) in EVIL {
        let (_, result) = world.json(&[format!("git config '{key}' '{value}'")]);
        assert_eq!(world.read(".git/config"), before, "{key}");
        assert_eq!(kinds(&result), ["git_config"], "{key}: {result}");
    }
}

#[test]
fn a_mixture_is_taken_apart() {
    let world = repository();
    let text = "git config user.name Mixed; git config core.fsmonitor ./evil; \
                git remote add origin ./r; git config branch.main.remote origin; git config remote.origin.uploadpack ./evil";
    let (_, result) = world.json(&[text]);
    let found = [
        "user.name",
        "core.fsmonitor",
        "remote.origin.url",
        "branch.main.remote",
        "remote.origin.uploadpack",
    ]
    .map(|key| outside(&world, key));
    assert_eq!(found, ["Mixed\n", "", "", "origin\n", ""], "{result}");
    assert_eq!(kinds(&result), ["git_config"; 3]);
}

#[test]
fn dangerous_values_of_harmless_keys_are_held() {
    let world = repository();
    let before = world.read(".git/config");
    for address in [
        "ext::sh -c evil",
        "--upload-pack=evil",
        "-oProxyCommand=evil",
        "fd::3",
        "./evil",
        "/srv/evil",
        "file:///srv/evil",
        "https://evil.example/?data",
        "http://example.org/",
    ] {
        let text = format!("git config remote.origin.url '{address}'");
        let (_, result) = world.json(&[&text]);
        assert_eq!(world.read(".git/config"), before, "{address}: {result}");
    }
}
