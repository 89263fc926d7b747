//! What a merge makes of the host's text, as tables.

use super::super::{ConfigError, Hosts, Side, SyntaxError, merge, sanitise};
use super::{git_reads, merged, removed, set, we_read};

struct Case {
    name: &'static str,
    base: &'static str,
    private: &'static str,
    host: &'static str,
    outcome: &'static str,
}

const CASES: &[Case] = &[
    Case {
        name: "an added section comes at the end",
        base: "[core]\n\tbare = false\n",
        private: "[core]\n\tbare = false\n[remote \"o\"]\n\turl = https://e.org/x\n\tfetch = +a:b\n",
        host: "# mine\n[core]\n  bare = false ; so\n[alias]\n\tx = !y\n",
        outcome: "# mine\n[core]\n  bare = false ; so\n[alias]\n\tx = !y\n[remote \"o\"]\n\turl = https://e.org/x\n\tfetch = +a:b\n",
    },
    Case {
        name: "an added key goes into its section",
        base: "[user]\n\tname = a\n",
        private: "[user]\n\tname = a\n\temail = b\n",
        host: "[USER]\n\tname = a\n# next\n[core]\n\tbare = false\n",
        outcome: "[USER]\n\tname = a\n\temail = b\n# next\n[core]\n\tbare = false\n",
    },
    Case {
        name: "a changed key keeps its place and its spelling",
        base: "[User]\n\tName = a\n\temail = c\n",
        private: "[User]\n\tname = \"b # c\"\n\temail = c\n",
        host: "[User]\n    Name=a # me\n\temail = c\n",
        outcome: "[User]\n    Name = \"b # c\"\n\temail = c\n",
    },
    Case {
        name: "the run wins over the user",
        base: "[user]\nname = a\n",
        private: "[user]\nname = b\n",
        host: "[user]\nname = c\n",
        outcome: "[user]\nname = b\n",
    },
    Case {
        name: "a removal does not win over the user",
        base: "[user]\nname = a\n",
        private: "",
        host: "[user]\nname = c\n",
        outcome: "[user]\nname = c\n",
    },
    Case {
        name: "a removed section goes whole",
        base: "[branch \"x\"]\n\tremote = o\n\tmerge = refs/heads/x\n[core]\n\tbare = false\n",
        private: "[core]\n\tbare = false\n",
        host: "[branch \"x\"]\n\tremote = o\n\tmerge = refs/heads/x\n\n[core]\n\tbare = false\n",
        outcome: "\n[core]\n\tbare = false\n",
    },
    Case {
        name: "a comment keeps its section",
        base: "[branch \"x\"]\n\tremote = o\n",
        private: "",
        host: "[branch \"x\"]\n\t# dear\n\tremote = o\n",
        outcome: "[branch \"x\"]\n\t# dear\n",
    },
    Case {
        name: "a held key keeps its section",
        base: "[remote \"o\"]\n\turl = https://e.org/a\n\tuploadpack = x\n",
        private: "",
        host: "[remote \"o\"]\n\turl = https://e.org/a\n\tuploadpack = x\n",
        outcome: "[remote \"o\"]\n\tuploadpack = x\n",
    },
    Case {
        name: "keys on the line of a header",
        base: "[a][user] name = a\n[b] [core] bare\n",
        private: "[user]email = e\n[core]\nbare = false\n",
        host: "[a][user] name = a\n[b] [core] bare\n",
        outcome: "[a][user] \n\temail = e\n[b] [core] bare = false\n",
    },
    Case {
        name: "a removed header on the line of another",
        base: "[a][user] name = a\n[core] bare\n",
        private: "[core] bare\n",
        host: "[a][user] name = a\n[core] bare\n",
        outcome: "[a][core] bare\n",
    },
    Case {
        name: "a header without entries, something behind it",
        base: "",
        private: "[user]\nname = a\n",
        host: "[user][alias]\nx = !y\n",
        outcome: "[user]\n\tname = a\n[alias]\nx = !y\n",
    },
    Case {
        name: "a header without entries and a comment",
        base: "",
        private: "[user]\nname = a\n",
        host: "[user] # c\n",
        outcome: "[user]\n\tname = a\n # c\n",
    },
    Case {
        name: "no line end at the end",
        base: "",
        private: "[user]\nname = a\n",
        host: "[alias]\nx = y",
        outcome: "[alias]\nx = y\n[user]\n\tname = a\n",
    },
    Case {
        name: "no line end after a header",
        base: "",
        private: "[user]\nname = a\n",
        host: "[user]",
        outcome: "[user]\n\tname = a\n",
    },
    Case {
        name: "no line end after a comment",
        base: "",
        private: "[user]\nname = a\n",
        host: "# c \\",
        outcome: "# c \\\n\n[user]\n\tname = a\n",
    },
    Case {
        name: "a backslash at the end",
        base: "",
        private: "[user]\nname = a\n",
        host: "[alias]\nx = y\\",
        outcome: "[alias]\nx = y\\\n\n[user]\n\tname = a\n",
    },
    Case {
        name: "a continued line at the end",
        base: "",
        private: "[alias]\n[user]\nname = a\n",
        host: "[alias]\nx = y \\\n",
        outcome: "[alias]\nx = y \\\n\n[user]\n\tname = a\n",
    },
    Case {
        name: "line ends of the other kind",
        base: "[user]\nname = a\n",
        private: "[user]\nname = b\nemail = c\n[push]\ndefault = simple\n",
        host: "[user]\r\n\tname = a\r\n",
        outcome: "[user]\r\n\tname = b\r\n\temail = c\r\n[push]\r\n\tdefault = simple\r\n",
    },
    Case {
        name: "a mark of the byte order",
        base: "",
        private: "\u{feff}[user]\nname = a\n",
        host: "\u{feff}",
        outcome: "\u{feff}\n[user]\n\tname = a\n",
    },
    Case {
        name: "one of many is added on both sides",
        base: "[remote \"o\"]\nurl = https://e.org/a\nfetch = 1\n",
        private: "[remote \"o\"]\nurl = https://e.org/a\nfetch = 1\nfetch = 2\n",
        host: "[remote \"o\"]\nurl = https://e.org/a\nfetch = 1\nfetch = 3\n",
        outcome: "[remote \"o\"]\nurl = https://e.org/a\nfetch = 1\nfetch = 3\n\tfetch = 2\n",
    },
    Case {
        name: "one of many is removed",
        base: "[remote \"o\"]\nfetch = 1\nfetch = 2\nfetch = 3\n",
        private: "[remote \"o\"]\nfetch = 1\nfetch = 3\n",
        host: "[remote \"o\"]\nfetch = 1\nfetch = 2\nfetch = 3 # c\nfetch = 4\n",
        outcome: "[remote \"o\"]\nfetch = 1\nfetch = 3 # c\nfetch = 4\n",
    },
    Case {
        name: "one comes in front of many",
        base: "[remote \"o\"]\nfetch = 1\n",
        private: "[remote \"o\"]\nfetch = 0\nfetch = 1\n",
        host: "[remote \"o\"]\nfetch = 1\nprune\n",
        outcome: "[remote \"o\"]\nfetch = 0\n\tfetch = 1\nprune\n",
    },
    Case {
        name: "many over several sections",
        base: "[remote \"o\"]\nurl = https://e.org/1\n[remote \"o\"]\nurl = https://e.org/2\n",
        private: "[remote \"o\"]\nurl = https://e.org/2\n",
        host: "[remote \"o\"]\nurl = https://e.org/1\n[alias]\nx = y\n[remote \"o\"]\nurl = https://e.org/2\n",
        outcome: "[alias]\nx = y\n[remote \"o\"]\nurl = https://e.org/2\n",
    },
    Case {
        name: "an odd subsection is written with escapes",
        base: "",
        private: "[branch \"a\\\"b\\\\c]#\"]\ndescription = \"  o;\\\"\\\\ \"\n",
        host: "",
        outcome: "[branch \"a\\\"b\\\\c]#\"]\n\tdescription = \"  o;\\\"\\\\ \"\n",
    },
    Case {
        name: "a dotted header is the same section",
        base: "",
        private: "[branch \"x\"]\nremote = o\n",
        host: "[branch.X]\n\tmerge = refs/heads/x\n",
        outcome: "[branch.X]\n\tmerge = refs/heads/x\n\tremote = o\n",
    },
    Case {
        name: "the user did the same",
        base: "",
        private: "[core]\nfsmonitor = x\n[user]\nname = a\n",
        host: "[user]\nname=a\n[core]\nfsmonitor=x\n",
        outcome: "[user]\nname=a\n[core]\nfsmonitor=x\n",
    },
];

#[test]
fn harmless_changes_reach_the_host() {
    for case in CASES {
        let merged = merged(case.base, case.private, case.host);
        let text = String::from_utf8(merged.text.clone()).unwrap();
        assert_eq!(text, case.outcome, "{}", case.name);
        assert_eq!(merged.changed, case.outcome != case.host, "{}", case.name);
        assert_eq!(
            git_reads(&merged.text),
            we_read(&merged.text),
            "{}",
            case.name
        );
    }
}

#[test]
fn half_of_a_change_is_not_made() {
    let base = "[remote \"o\"]\n\turl = codecommit::x\n";
    let private = "[remote \"o\"]\n\turl = https://example.org/\n";
    let outcome = merged(base, private, base);
    assert_eq!(outcome.text, base.as_bytes());
    assert_eq!(outcome.held, [set("remote.o.url", "https://example.org/")]);

    let outcome = merged(private, base, private);
    assert_eq!(outcome.text, private.as_bytes());
    assert_eq!(outcome.held, [set("remote.o.url", "codecommit::x")]);

    let outcome = merged(
        "",
        "[remote \"o\"]\nurl = https://e.org/a\nurl = ext::id\n",
        "",
    );
    assert_eq!(outcome.text, b"[remote \"o\"]\n\turl = https://e.org/a\n");
    assert_eq!(outcome.held, [set("remote.o.url", "ext::id")]);
}

#[test]
fn what_protects_the_user_stays() {
    let base = "[core]\n\thooksPath = /a\n\thooksPath = /b\n[safe]\n\tbareRepository = explicit\n";
    let private = "[core]\n\thooksPath = /b\n\thooksPath = /a\n";
    let outcome = merged(base, private, base);
    assert_eq!(outcome.text, base.as_bytes());
    assert!(!outcome.changed);
    assert_eq!(
        outcome.held,
        [
            set("core.hookspath", "/a"),
            removed("safe.barerepository", "explicit"),
        ]
    );
}

#[test]
fn held_values_are_fit_to_be_shown() {
    let text = format!(
        "[alias \"\x1b\"]\nx = \"!a\\n\x1b[2J{}\"\n",
        "z".repeat(9000)
    );
    let outcome = sanitise(text.as_bytes(), &Hosts::Any).unwrap();
    let [held] = outcome.held.as_slice() else {
        panic!("one is held: {:?}", outcome.held);
    };
    assert_eq!(held.key, "alias.\\u{1b}.x");
    assert!(held.value.starts_with("!a\\n\\u{1b}[2Jzz"));
    assert!(held.value.ends_with("z…"));
    assert!(held.value.chars().count() < 180);
    assert_eq!(outcome.text, b"");
    assert!(outcome.changed);
}

#[test]
fn what_cannot_be_read_is_not_merged() {
    let bad = b"[user]\nname = \"a\n";
    let good = b"[user]\nname = a\n";
    let error = |side, line| ConfigError::Unreadable {
        side,
        source: SyntaxError::Malformed { line },
    };
    assert_eq!(
        merge(bad, good, good, &Hosts::Any),
        Err(error(Side::Base, 3))
    );
    assert_eq!(
        merge(good, bad, good, &Hosts::Any),
        Err(error(Side::Private, 3))
    );
    assert_eq!(
        merge(good, good, bad, &Hosts::Any),
        Err(error(Side::Host, 3))
    );
    assert!(sanitise(b"[user]\nname = a\0b\n", &Hosts::Any).is_err());

    let mut full = b"[alias]\n".to_vec();
    full.extend(b"x = y\n".repeat(20_000));
    let ConfigError::Unreadable { side, .. } = merge(b"", good, &full, &Hosts::Any).unwrap_err()
    else {
        panic!("the outcome is too large");
    };
    assert_eq!(side, Side::Outcome);
}

#[test]
fn large_texts_are_merged_in_time() {
    use std::fmt::Write as _;

    let stem = "b".repeat(100);
    let (mut base, mut private) = (String::new(), String::new());
    for number in 0..10_000 {
        writeln!(base, "[branch \"{stem}{number}\"]\n\tremote = o").unwrap();
        writeln!(
            private,
            "[branch \"{stem}{}\"]\n\tremote = o",
            number + 5000
        )
        .unwrap();
    }
    let outcome = merged(&base, &private, &base);
    assert_eq!(outcome.text, private.as_bytes());

    let many = |word: &str| {
        let mut text = "[remote \"o\"]\n".to_owned();
        for number in 0..20_000 {
            writeln!(text, "\tfetch = {word}{number}").unwrap();
        }
        text
    };
    let outcome = merged(&many("a"), &many("b"), &many("a"));
    assert_eq!(outcome.text, many("b").as_bytes());
}
