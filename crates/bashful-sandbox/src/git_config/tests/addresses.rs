//! Which addresses and values are harmless.

use super::super::address::is_place;
use super::super::{harmless, syntax};

#[test]
fn addresses_name_places() {
    for address in [
        "https://example.org/a.git",
        "https://user:p%40ss@example.org:8443/a",
        "http://[::1]:8080/a",
        "ssh://git@example.org:22/a.git",
        "git+ssh://example.org/a",
        "git://example.org/a",
        "file:///srv/a.git",
        "git@example.org:team/a.git",
        "example.org:a",
        "[example.org:22]:a",
        "/srv/a.git",
        "../a",
        "./-a",
        ".",
        "origin",
        "C:/a",
        "a b/c",
        "dir/ext::sh",
    ] {
        assert!(is_place(address.as_bytes()), "{address}");
    }
    for address in [
        "",
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
        "a\x1b[2Jb",
    ] {
        assert!(!is_place(address.as_bytes()), "{address:?}");
    }
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
        "[extensions]partialClone = origin",
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
        "[remote \"o\"]partialclonefilter = blob:none",
        "[remote]pushDefault = o",
        "[push]default = current",
        "[pull]ff = only",
        "[color]ui = auto",
        "[color \"diff\"]new = bold #00ff00",
        "[column]ui = auto,column",
        "[submodule \"a/b\"]url = ../x",
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
