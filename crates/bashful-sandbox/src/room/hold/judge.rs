//! Which contents of a repository's small files git obeys in no way that starts a program.
//!
//! What is not known to be harmless is not.

use std::path::Path;

use crate::git_config::values_of;
use crate::left_behind::is_astray;

/// The commands of a todo list that start nothing but git and the person's editor.
const COMMANDS: [&[u8]; 24] = [
    b"pick",
    b"p",
    b"revert",
    b"edit",
    b"e",
    b"reword",
    b"r",
    b"fixup",
    b"f",
    b"squash",
    b"s",
    b"label",
    b"l",
    b"reset",
    b"t",
    b"merge",
    b"m",
    b"update-ref",
    b"u",
    b"noop",
    b"drop",
    b"d",
    b"break",
    b"b",
];

/// The ways of merging that git has itself. It takes any other name for that of a program.
const STRATEGIES: [&[u8]; 6] = [
    b"ort",
    b"recursive",
    b"resolve",
    b"octopus",
    b"ours",
    b"subtree",
];

/// Files in the directory of interrupted work that matter.
pub(super) const INTERRUPTED: [&str; 9] = [
    "git-rebase-todo",
    "git-rebase-todo.backup",
    "strategy",
    "opts",
    "msgnum",
    "end",
    "next",
    "last",
    "apply-opt",
];

/// Whether one of these files is harmless.
pub(super) fn is_interrupted_harmless(name: &str, text: &[u8]) -> bool {
    match name {
        "git-rebase-todo" | "git-rebase-todo.backup" => {
            text.split(|byte| *byte == b'\n').all(is_line_harmless)
        }
        "strategy" => STRATEGIES.contains(&text.trim_ascii()),
        "opts" => {
            // Read as git reads it; what cannot be read is not harmless.
            let strategies = values_of(text, "options", "strategy");
            let named = text.to_ascii_lowercase();
            let names = named.windows(8).any(|part| part == b"strategy");
            let known = |value: &String| STRATEGIES.contains(&value.as_bytes());
            strategies.iter().all(known) && (!strategies.is_empty() || !names)
        }
        // Options of `git apply`, some of which name files.
        "apply-opt" => text.split(u8::is_ascii_whitespace).all(|word| {
            let word = word.strip_prefix(b"'").unwrap_or(word);
            let word = word.strip_suffix(b"'").unwrap_or(word);
            let known: [&[u8]; 4] = [b"", b"--ignore-whitespace", b"--reject", b"-3"];
            known.contains(&word)
                || word.starts_with(b"--whitespace=")
                || [b"-p", b"-C"].iter().any(|name| {
                    let number = word.strip_prefix(&name[..]);
                    number.is_some_and(|number| number.iter().all(u8::is_ascii_digit))
                })
        }),
        // Prompts print these, and some evaluate what they print.
        _ => text.trim_ascii().iter().all(u8::is_ascii_digit),
    }
}

fn is_line_harmless(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let is_end = |byte: &u8| byte.is_ascii_whitespace();
    let command = line.split(is_end).next().unwrap_or_default();
    line.is_empty() || line.starts_with(b"#") || COMMANDS.contains(&command)
}

/// Whether attributes only describe files, and choose no program for them.
pub(super) fn are_attributes_harmless(text: &[u8]) -> bool {
    let mut words = text.split(u8::is_ascii_whitespace);
    !words.any(|word| {
        [&b"filter"[..], b"diff=", b"merge="]
            .iter()
            .any(|name| word.starts_with(name))
    })
}

/// Whether the files whose conflicts git remembers are of the work tree: it reads and writes them.
pub(super) fn are_conflicts_harmless(text: &[u8]) -> bool {
    let mut entries = text
        .split(|byte| *byte == 0)
        .filter(|entry| !entry.is_empty());
    entries.all(|entry| {
        let tab = entry.iter().position(|byte| *byte == b'\t');
        let path = tab.and_then(|tab| entry.get(tab + 1..));
        path.is_some_and(|path| !is_astray(path))
    })
}

/// Whether git takes this file in a repository's directory for a reference.
pub(super) fn is_reference(directory: &Path, name: &[u8]) -> bool {
    let is_pseudo = |byte: &u8| byte.is_ascii_uppercase() || *byte == b'_';
    directory.starts_with("refs")
        || (directory.as_os_str().is_empty() && name.iter().all(is_pseudo))
}

/// Whether a reference leads to no other, or to one with a name that git itself would give. It
/// follows any name, also one with `..` in it: the next commit then writes elsewhere.
pub(super) fn is_reference_harmless(text: &[u8]) -> bool {
    let Some(name) = text.trim_ascii_start().strip_prefix(b"ref:") else {
        return true;
    };
    let name = name.trim_ascii();
    let is_odd = |byte: &u8| byte.is_ascii_control() || b" ~^:?*[\\".contains(byte);
    let is_part = |part: &[u8]| {
        let is_lock = part.ends_with(b".lock");
        !part.is_empty() && !part.starts_with(b".") && !is_lock
    };
    name.starts_with(b"refs/")
        && !name.iter().any(is_odd)
        && !name.windows(2).any(|pair| pair == b".." || pair == b"@{")
        && name.split(|byte| *byte == b'/').all(is_part)
}

/// The path that a `.git` file names, if it is written as git writes it. Git takes blanks for
/// a part of it and ends it at a zero byte; what needs such care is not taken.
pub(super) fn named_directory(text: &[u8]) -> Option<&str> {
    let path = text.strip_prefix(b"gitdir: ")?;
    let path = std::str::from_utf8(path.strip_suffix(b"\n").unwrap_or(path)).ok()?;
    let odd = |character: char| character.is_control();
    let plain = !path.is_empty() && path.trim() == path && !path.contains(odd);
    plain.then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interrupted_work_that_only_picks_is_harmless() {
        for (name, text, harmless) in [
            (
                "git-rebase-todo",
                &b"pick 1234 a\n\n# exec x\nfixup -C 12 x\nlabel onto\nmerge -C 1 a\n"[..],
                true,
            ),
            ("git-rebase-todo", b"pick 1\nexec touch x\n", false),
            ("git-rebase-todo", b"  x touch x", false),
            ("git-rebase-todo", b"\tx\ttouch x", false),
            ("git-rebase-todo", b"future x", false),
            ("git-rebase-todo.backup", b"exec x", false),
            ("strategy", b"ort\n", true),
            ("strategy", b"x/y\n", false),
            ("strategy", b"", false),
            ("opts", b"[options]\n\tstrategy = ort\n", true),
            ("opts", b"[options]\n\tsignoff = true\n", true),
            ("opts", b"[options]\n\tStrategy = x/y\n", false),
            (
                "opts",
                b"[options]\n\tstrategy = ort\n\tstrategy = x/y\n",
                false,
            ),
            ("opts", b"[options\nstrategy = x/y", false),
            ("msgnum", b"3\n", true),
            ("msgnum", b"$(touch x)\n", false),
            ("last", b"", true),
            ("apply-opt", b" '-p1' '--whitespace=fix'\n", true),
            ("apply-opt", b"'--build-fake-ancestor=/any/path'", false),
        ] {
            assert_eq!(
                is_interrupted_harmless(name, text),
                harmless,
                "{name} {text:?}"
            );
        }
    }

    #[test]
    fn attributes_that_choose_a_program_are_not_harmless() {
        for text in [
            "*.c text\n*.png binary\n*.sh eol=lf -diff\n",
            "",
            "* whitespace=fix\n",
        ] {
            assert!(are_attributes_harmless(text.as_bytes()), "{text}");
        }
        for text in [
            "* filter=x",
            "*.c\tdiff=pdf\n",
            "[attr]a merge=x",
            "* text filter",
        ] {
            assert!(!are_attributes_harmless(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn references_that_lead_out_are_not_harmless() {
        for text in [
            "ref: refs/heads/main\n",
            "ref: refs/heads/a.b/c-d",
            "1234abcd\n",
            "",
            "1234\tnot-for-merge\tbranch 'a..b' of x\n",
        ] {
            assert!(is_reference_harmless(text.as_bytes()), "{text}");
        }
        for text in [
            "ref: refs/heads/../../../x\n",
            "ref: ../x",
            "ref:/etc/x",
            "ref: refs/heads/x~\n",
            "ref: refs/heads/.x",
            "ref:\trefs//x",
            "ref: config",
            "ref: refs/heads/x.lock",
            " ref: x",
        ] {
            assert!(!is_reference_harmless(text.as_bytes()), "{text}");
        }
        assert!(is_reference(Path::new("refs/heads"), b"x"));
        assert!(is_reference(Path::new(""), b"MERGE_HEAD"));
        assert!(!is_reference(Path::new(""), b"config"));
        assert!(!is_reference(Path::new("logs/refs"), b"x"));
    }

    #[test]
    fn conflicts_of_other_files_are_not_harmless() {
        assert!(are_conflicts_harmless(
            b"12ab\tsource/file\x0034cd.1\tother\0"
        ));
        for text in [
            &b"12ab\t../.netrc\0"[..],
            b"12\t/etc/passwd\0",
            b"12\ta\x0012\t.git/x\0",
            b"12",
        ] {
            assert!(!are_conflicts_harmless(text), "{text:?}");
        }
    }

    #[test]
    fn a_git_file_is_read_as_git_does_or_not_at_all() {
        assert_eq!(
            named_directory(b"gitdir: ../.git/modules/a b\n"),
            Some("../.git/modules/a b")
        );
        assert_eq!(named_directory(b"gitdir: /a"), Some("/a"));
        for text in [
            &b"gitdir:/a"[..],
            b"gitdir: ",
            b"gitdir:  /a",
            b"gitdir: /a \n",
            b"gitdir: /a\n\n",
            b"gitdir: /a\0b\n",
            b"gitdir: /a\r\n",
            b" gitdir: /a",
            b"",
        ] {
            assert_eq!(named_directory(text), None, "{text:?}");
        }
    }
}
