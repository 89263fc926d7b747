//! Which addresses and values are harmless.

use super::super::address::host_of;
use super::super::{Attempt, Hosts, harmless, merge, sanitise, syntax};
use crate::profile::Network;

#[test]
fn addresses_name_hosts() {
    for (address, host) in [
        ("https://example.org/a.git", "example.org"),
        ("https://user:p%40ss@Example.ORG:8443/a", "example.org"),
        ("ssh://git@example.org:22/a.git", "example.org"),
        ("ssh://git@[::1]:22/a.git", "::1"),
        ("git://example.org/a", "example.org"),
        ("git://example.org", "example.org"),
        ("git@example.org:team/a.git", "example.org"),
        ("example.org:a", "example.org"),
        ("[example.org]:a", "example.org"),
        ("me@[::1]:a", "::1"),
    ] {
        let found = host_of(address.as_bytes());
        assert_eq!(found.as_deref(), Some(host.as_bytes()), "{address}");
    }
    for address in [
        "",
        "http://example.org/a",
        "git+ssh://example.org/a",
        "file:///srv/a.git",
        "/srv/a.git",
        "../a",
        "./-a",
        "./a:b",
        ".",
        "origin",
        "a b/c",
        "dir/ext::sh",
        "ext::sh -c id",
        "EXT::sh -c id",
        "fd::3",
        "::x",
        "a+b::c",
        "https::https://example.org/",
        "ext://x",
        "HTTPS://example.org/",
        "codecommit://x",
        "://x",
        "https:///a",
        "https://u@/a",
        "-oProxyCommand=id",
        "--upload-pack=id",
        "-x:y",
        "ssh://-oProxyCommand=id/x",
        "ssh://user@-oProxyCommand=id/x",
        "ssh://%2doProxyCommand=id/x",
        "ssh://user@%2Dx/y",
        "user@-oProxyCommand=id:x",
        "[-oProxyCommand=id]:x",
        "https://example.org/\nhost=evil",
        "a\rb",
        "a\x1b[2Jb:c",
    ] {
        assert_eq!(host_of(address.as_bytes()), None, "{address:?}");
    }
}

#[test]
fn a_new_host_is_for_a_person_to_accept() {
    let known = "[remote \"o\"]\n\turl = https://example.org/a\n";
    let own = || Hosts::for_runs_with(Network::Off);
    let changed = |private: &str, hosts: &Hosts| {
        merge(
            known.as_bytes(),
            private.as_bytes(),
            known.as_bytes(),
            hosts,
        )
        .unwrap()
    };
    let same_host = "[remote \"o\"]\n\turl = git@example.org:b\n";
    let merged = changed(same_host, &own());
    assert_eq!(
        (merged.text.as_slice(), merged.held.len()),
        (same_host.as_bytes(), 0)
    );
    let told: Vec<_> = merged
        .addresses
        .iter()
        .map(|told| (told.value.as_str(), told.attempt))
        .collect();
    assert_eq!(
        told,
        [
            ("git@example.org:b", Attempt::Set),
            ("https://example.org/a", Attempt::Remove)
        ]
    );
    let other = "[remote \"o\"]\n\turl = https://evil.example/?data\n";
    let merged = changed(other, &own());
    assert!(
        !merged.changed && merged.held.len() == 1 && merged.addresses.is_empty(),
        "{merged:?}"
    );
    // A run with the network could have gone there itself.
    assert!(changed(other, &Hosts::Any).changed);
    assert_eq!(sanitise(other.as_bytes(), &own()).unwrap().held.len(), 1);
    assert_eq!(
        sanitise(same_host.as_bytes(), &own()).unwrap().held.len(),
        1
    );
}

/// Whether the one entry of a text is harmless.
fn is_harmless(text: &str) -> bool {
    let document = syntax::parse(text.as_bytes()).unwrap();
    assert_eq!(document.entries.len(), 1, "{text}");
    harmless::exceptions(&document).count() == 0
}

#[test]
fn harmless_entries_pass() {
    for text in [
        "[core]bare",
        "[Core]FileMode = TRUE",
        "[core]repositoryformatversion = 1",
        "[core]logAllRefUpdates = always",
        "[core]autocrlf = input",
        "[core]commentChar = %",
        "[core]whitespace = trailing-space,tabwidth=4",
        "[core]abbrev = 12",
        "[core]compression = -1",
        "[core]untrackedCache = keep",
        "[extensions]objectFormat = sha256",
        "[user]name = Ann O'Nym <x>; $(id)",
        "[author]email = a@b",
        "[branch \"x\"]remote = .",
        "[branch \"x\"]merge = refs/heads/x",
        "[branch.x]rebase = merges",
        "[branch \"x\"]description = a\\nb",
        "[branch \"x\"]pushRemote = fork",
        "[branch]autoSetupMerge = always",
        "[remote \"o\"]url = git@example.org:a",
        "[remote \"o\"]fetch = +refs/heads/*:refs/remotes/o/*",
        "[remote \"o\"]tagOpt = --no-tags",
        "[remote]pushDefault = o",
        "[push]default = current",
        "[pull]ff = only",
        "[color]ui = auto",
        "[color \"diff\"]new = bold #00ff00",
        "[column]ui = auto,column",
        "[submodule \"a/b\"]url = ssh://example.org/x",
        "[submodule \"a\"]update = none",
        "[submodule]active = .",
        "[lfs]repositoryformatversion = 0",
        "[advice]detachedHead = false",
        "[log]date = iso",
        "[log]excludeDecoration = refs/heads/*",
        "[gc]auto = 0",
        "[rerere]enabled",
    ] {
        assert!(is_harmless(text), "{text}");
    }
}

#[test]
fn everything_else_is_held() {
    let long = format!("[user]name = {}", "x".repeat(4097));
    for text in [
        "bare = true",
        "[core \"\"]bare = true",
        "[core \"x\"]bare = true",
        "[core]commentChar = ab",
        "[core]repositoryformatversion = 2",
        "[core]fsmonitor",
        "[core]fsmonitor = false",
        "[core]hooksPath = .githooks",
        "[core]sshCommand = x",
        "[core]editor = x",
        "[core]pager = x",
        "[core]askPass = x",
        "[core]gitProxy = x",
        "[core]attributesFile = x",
        "[core]excludesFile = x",
        "[core]worktree = /",
        "[core]alternateRefsCommand = x",
        "[core]protectNTFS = false",
        "[extensions]worktreeConfig = true",
        "[alias]x = !id",
        "[filter \"x\"]smudge = id",
        "[diff]external = id",
        "[diff \"x\"]textconv = id",
        "[merge]tool = x",
        "[merge \"x\"]driver = id",
        "[mergetool \"x\"]cmd = id",
        "[credential]helper = !id",
        "[gpg]program = x",
        "[include]path = x",
        "[includeIf \"gitdir:/\"]path = x",
        "[url \"ext::\"]insteadOf = https:",
        "[protocol \"ext\"]allow = always",
        "[http]proxy = x",
        "[sequence]editor = x",
        "[pager]log = id",
        "[log]showSignature = true",
        "[log]date = $(id)",
        "[status]future = /bin/evil",
        "[uploadpack]packObjectsHook = id",
        "[safe]directory = *",
        "[user]signingKey = /x",
        "[user]email",
        "[user]name = a\\nb",
        "[branch \"x\"]rebase = interactive",
        "[branch \"x\"]mergeOptions = --strategy=x",
        "[branch \"x\"]remote = ext::id",
        "[branch \"x\"]remote = ./evil",
        "[branch \"x\"]remote = ..",
        "[branch \"x\"]pushRemote = https://example.org/x",
        "[extensions]partialClone = origin",
        "[remote \"o\"]promisor = true",
        "[remote \"o\"]partialclonefilter = blob:none",
        "[remote \"o\"]mirror = true",
        "[remote \"o\"]url = /srv/x",
        "[remote \"o\"]url = ../x",
        "[remote \"o\"]pushurl = file:///srv/x",
        "[remote \"o\"]url = http://example.org/x",
        "[remote \"./evil\"]fetch = a",
        "[remote \"evil/x\"]fetch = a",
        "[remote]pushDefault = ./evil",
        "[submodule \"a\"]url = ../x",
        "[url \"https://evil.example/\"]insteadOf = https://example.org/",
        "[fetch]bundleURI = https://evil.example/",
        "[branch \"x\"]merge = --upload-pack=id",
        "[branch \"\"]remote = o",
        "[branch \"a\rb\"]remote = o",
        "[remote \"o\"]url",
        "[remote \"o\"]url =",
        "[remote \"o\"]url = ext::sh -c id",
        "[remote \"ext::sh -c id\"]fetch = a",
        "[remote \"-x\"]url = a",
        "[remote \"o\"]uploadpack = id",
        "[remote \"o\"]receivepack = id",
        "[remote \"o\"]proxy = x",
        "[remote \"o\"]vcs = ext",
        "[remote \"o\"]tagOpt = --upload-pack=id",
        "[remote]pushDefault = ext::id",
        "[submodule \"x\"]update = !id",
        "[submodule \"../x\"]url = a",
        "[submodule \"x\"]url = ext::id",
        "[trailer \"x\"]command = id",
        "[commit]template = x",
        "[maintenance]strategy = incremental",
        &long,
    ] {
        assert!(!is_harmless(text), "{text}");
    }
}
