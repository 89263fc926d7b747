//! Ways to make the host execute a program, each tried in several disguises.

use super::super::{Hosts, merge, sanitise};
use super::{dangers, git_reads};

const HOST: &str = "[core]\n\tbare = false\n[remote \"o\"]\n\turl = https://e.org/x\n";

/// Texts that a run could leave. `evil` is somewhere in each, as a key that executes or as a
/// part of a harmless value.
const ATTACKS: &[&str] = &[
    "[core]\n\tfsmonitor = evil\n",
    "[core]fsmonitor=evil",
    "[core]\n\tfsmonitor\n\thooksPath=evil\n",
    "[CORE]\n\tFsMonitor = evil\n",
    "[core]\n\tbare = false\n[core]\n\tfsmonitor = evil\n",
    "[user]\n\tname = a \\\n[core]\n\tfsmonitor = evil\n",
    "[user]\n\tname = a # \\\n[core]\n\tfsmonitor = evil\n",
    "[user]\n\tname = a \\\r\n[core]\n\thooksPath = evil\n",
    "[user]\n\tname = \"a\\n[core]\\n\\tfsmonitor = evil\"\n",
    "[user]\n\tname = a\\n[core]\\n\\tfsmonitor = evil\n",
    "[branch \"x\"]\n\tdescription = \"a\\n[core]\\n\\tfsmonitor = evil\\n\"\n",
    "[branch \"x\"]\n\tdescription = a\\\\\n[core]\n\tfsmonitor = evil\n",
    "[branch \"x\"]\n\tdescription = \"a\\\\\"\n[core]\n\tfsmonitor = evil\n",
    "[branch \"x\"]\n\tdescription = \"a\\\\\\\"\\n[core]fsmonitor=evil # \"\n",
    "[branch \"x\"]\n\tdescription = \\\\\n",
    "[branch \"x\\\"]\n[core\"]\n\tfsmonitor = evil\n",
    "[branch \"x\\\"] [core] fsmonitor = evil #\"]\n\tremote = o\n",
    "[branch \"x]\r[core]\rfsmonitor = evil\r#\"]\n\tremote = o\n",
    "# x\r[core]\r\tfsmonitor = evil\n[core]\rfsmonitor = evil\n",
    "[user]\n\tname = a\r[core]\rfsmonitor = evil\n",
    "[user]\n\tname = \"a\r[core]\rfsmonitor = evil\"\n",
    "\u{feff}[core]\n\tfsmonitor = evil\n",
    "[user]\n\tname = \u{feff}a\n\u{feff}",
    "[user] name = a\n[core] fsmonitor = evil\n",
    "[user][core]fsmonitor = evil\n",
    "[alias]\n\tst = !evil\n[alias \"x\"]\n\tcommand = evil\n",
    "[includeIf \"gitdir:/\"]\n\tpath = evil\n[include]\n\tpath = evil\n",
    "[url \"ext::sh -c evil \"]\n\tinsteadOf = https:\n",
    "[remote \"o\"]\n\turl = ext::sh -c evil\n",
    "[remote \"o\"]\n\turl = https://e.org/x\n\tpushurl = ext::sh -c evil\n\tuploadpack = evil\n",
    "[branch \"main\"]\n\tremote = ext::sh -c evil\n\tmerge = refs/heads/main\n",
    "[remote \"ext::sh -c evil\"]\n\tfetch = +refs/heads/*:refs/remotes/e/*\n",
    "[submodule \"s\"]\n\tupdate = !evil\n\turl = -evil\n",
    "[core]\n\tworktree = /evil\n\tattributesFile = evil\n\texcludesFile = evil\n",
    "[extensions]\n\tworktreeConfig = true\n",
    "[filter \"lfs\"]\n\tprocess = evil\n\trequired = true\n",
    "[credential \"https://example.org\"]\n\thelper = !evil\n",
    "fsmonitor = evil\n[core]\n",
    "[core.]\n\tfsmonitor = evil\n[.core]\n\tfsmonitor = evil\n",
    "[core \"\"]\n\tfsmonitor = evil\n",
];

/// Names that make git execute, read or trust what their values name.
fn executes(name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name);
    let prefixes = [
        "alias.",
        "include",
        "url.",
        "filter.",
        "credential",
        "core.fsmonitor",
        "core.hookspath",
        "core.worktree",
        "core.attributesfile",
        "core.excludesfile",
        "extensions.worktreeconfig",
        "core..",
        ".core",
        "fsmonitor",
    ];
    prefixes.iter().any(|prefix| name.starts_with(prefix)) || name.ends_with(".uploadpack")
}

#[test]
fn nothing_that_executes_passes() {
    for attack in ATTACKS {
        let whole = format!("{HOST}{attack}");
        let private = if attack.starts_with('\u{feff}') {
            (*attack).to_owned()
        } else {
            whole
        };
        for host in [HOST, "", "[user]\n\tname = a\\", "# c", "[branch \"x\"]"] {
            let outcome = merge(
                HOST.as_bytes(),
                private.as_bytes(),
                host.as_bytes(),
                &Hosts::Any,
            );
            check(attack, outcome.map(|merged| merged.text).ok());
        }
        check(
            attack,
            sanitise(attack.as_bytes(), &Hosts::Any)
                .map(|merged| merged.text)
                .ok(),
        );
    }
}

/// Asks git what it reads from an outcome.
fn check(attack: &str, text: Option<Vec<u8>>) {
    let Some(text) = text else { return };
    let shown = String::from_utf8_lossy(&text).into_owned();
    assert_eq!(dangers(&text), [], "{attack:?} became {shown:?}");
    for (name, value) in git_reads(&text).unwrap() {
        assert!(!executes(&name), "{attack:?} became {shown:?}");
        let value = value.unwrap_or_default();
        let dangerous = [&b"ext::"[..], b"!", b"-"];
        assert!(
            !dangerous.iter().any(|start| value.starts_with(start)),
            "{attack:?} became {shown:?}"
        );
    }
}

#[test]
fn every_attack_that_is_read_is_reported_or_harmless() {
    for attack in ATTACKS {
        let Ok(outcome) = sanitise(attack.as_bytes(), &Hosts::Any) else {
            assert_eq!(git_reads(attack.as_bytes()), None, "{attack:?}");
            continue;
        };
        let read = git_reads(attack.as_bytes()).unwrap();
        let kept = git_reads(&outcome.text).unwrap();
        assert_eq!(kept.len() + outcome.held.len(), read.len(), "{attack:?}");
    }
}

#[test]
fn a_dangerous_key_of_the_host_is_neither_changed_nor_lost() {
    let host = "[core]\n\tfsmonitor = mine\n\tbare = false\n[alias]\n\tx = !mine\n";
    for private in [
        "",
        "[core]\n\tbare = true\n",
        "[core]\n\tfsmonitor = evil\n\tbare = false\n[alias]\n\tx = !mine\n",
        "[core]\n\tfsmonitor = mine\n\tfsmonitor = evil\n\tbare = false\n",
        "[core]\n\tbare = false\n[alias]\n\tx = !evil\n\ty = !evil\n",
        "[core]\n\tfsmonitor\n",
    ] {
        let outcome = merge(
            host.as_bytes(),
            private.as_bytes(),
            host.as_bytes(),
            &Hosts::Any,
        )
        .unwrap();
        assert_eq!(
            dangers(&outcome.text),
            dangers(host.as_bytes()),
            "{private}"
        );
        assert!(!outcome.held.is_empty(), "{private}");
    }
}
