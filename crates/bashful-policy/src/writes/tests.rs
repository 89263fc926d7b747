//! Tables of what is refused, asked and allowed.

use std::collections::BTreeMap;

use super::{judge, redirects};
use crate::context::testing::in_project;
use crate::decision::Effect;
use crate::facts::testing::{call, facts};
use crate::facts::{Argument, Facts, Input, Redirect, RedirectKind};

/// The strictest effect for the last call of these facts.
fn effect_of(facts: &Facts) -> Option<Effect> {
    let findings = judge(facts, facts.calls.len() - 1, &in_project());
    findings.iter().map(|finding| finding.effect).max()
}

/// The facts of a line in which `␣` stands for a blank inside a word and `＄` for a dollar.
fn table_facts(line: &str) -> Facts {
    let mut facts = facts(line);
    for argument in &mut facts.calls[0].arguments {
        argument.text = argument.text.replace('␣', " ").replace('＄', "$");
    }
    facts
}

fn check(table: &str, expected: Option<Effect>) {
    let mut wrong = Vec::new();
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let facts = table_facts(line);
        let effect = effect_of(&facts);
        if effect != expected {
            wrong.push(format!("{effect:?}: {line}"));
        }
    }
    assert!(wrong.is_empty(), "not {expected:?}:\n{}", wrong.join("\n"));
}

#[test]
fn writes_outside_are_refused() {
    let mut wrong = Vec::new();
    for line in include_str!("tests/denied.txt").lines() {
        let facts = table_facts(line.trim());
        let findings = judge(&facts, facts.calls.len() - 1, &in_project());
        let outside = |finding: &crate::Finding| {
            // What programs of their own kind write outside is asked, and the same class opens it.
            finding.effect > Effect::Allow
                && finding.capability.as_deref() == Some("write-outside-roots")
        };
        if !findings.iter().any(outside) {
            wrong.push(line);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn everyday_programs_are_refused_and_others_asked() {
    check(
        "cp a /etc/x\nsed -i s/a/b/ /etc/hosts\ntee /etc/x",
        Some(Effect::Deny),
    );
    check(
        "strace -o /etc/x ls\nuniq a /etc/x\nunzip a.zip -d /etc",
        Some(Effect::Ask),
    );
}

#[test]
fn what_is_not_known_or_wipes_is_asked() {
    check(include_str!("tests/asked.txt"), Some(Effect::Ask));
}

#[test]
fn writes_inside_are_allowed() {
    check(include_str!("tests/allowed.txt"), Some(Effect::Allow));
}

#[test]
fn reading_is_nobodys_business_here() {
    check(include_str!("tests/silent.txt"), None);
}

fn redirect(target: Argument, kind: RedirectKind, directory: &str) -> Option<Effect> {
    let facts = Facts {
        redirects: vec![Redirect {
            span: (0, 1),
            kind,
            descriptor: None,
            target,
            directories: [directory]
                .iter()
                .filter(|directory| !directory.is_empty())
                .map(|&directory| directory.to_owned())
                .collect(),
        }],
        ..Facts::default()
    };
    let findings = redirects(&facts, &in_project());
    findings.iter().map(|finding| finding.effect).max()
}

#[test]
fn redirects_are_writes() {
    let deny = [
        "/etc/x",
        "../x",
        "/home/u/.bashrc",
        "/dev/fd/../../etc/x",
        "/dev/shm/x",
        "/proc/self/cwd/x",
        "/proc/self/cwd/../../../etc/x",
        "/proc/self/root/tmp/x",
        "/proc/1/root/x",
        "/proc/self/cwd/../../../../tmp/x",
        "/tmp/../etc/x",
        "/tmpfile",
        "/home/u/project2/x",
        "/sys/kernel/x",
        "/dev/fd/x",
        "/proc/self/fd/../cwd/x",
        "/proc/sys/kernel/core_pattern",
        "/dev/kmsg",
        "/dev/pts/0",
        "/",
        "..",
        "a/../../x",
        "/home/u/proj/../y",
    ];
    let fine = [
        "x", "./x", "a/b/c", "/tmp/x", "/home/u/proj/x", "/dev/null", "/dev/stdout", "/dev/stderr",
        "/dev/tty", "/dev/fd/3", "/proc/self/fd/2", "/dev/full", "a/../b", "/tmp/../tmp/x",
        "/home/u/proj", "..x", ".gitignore", ".env", ".github/workflows/ci.yml", "/dev/sda",
        "/dev/tcp/host/1",
    ];
    let ask = [
        ".git/hooks/pre-commit", ".git/config", ".vscode/tasks.json", ".envrc", ".bashrc",
        ".claude/settings.json", ".mcp.json", ".bashful.toml", "sub/.git/hooks/x", "/tmp/.bashrc",
        ".husky/pre-commit", ".idea/x.xml", ".cursor/rules", ".git/HEAD", "x/../.git/config",
    ];
    let cases = deny.iter().map(|text| (text, Some(Effect::Deny)));
    let cases = cases.chain(fine.iter().map(|text| (text, None)));
    for (text, expected) in cases.chain(ask.iter().map(|text| (text, Some(Effect::Ask)))) {
        for kind in [RedirectKind::Write, RedirectKind::Append, RedirectKind::ReadWrite] {
            let argument = Argument::literal(*text, (0, 0));
            assert_eq!(redirect(argument, kind, "/home/u/proj"), expected, "{text}");
        }
        let read = Argument::literal(*text, (0, 0));
        assert_eq!(redirect(read, RedirectKind::Read, "/home/u/proj"), None);
    }
}

#[test]
fn redirects_that_are_not_known_are_asked() {
    let unknown = |text: &str, from| Argument {
        unknown_from: Some(from),
        ..Argument::literal(text, (0, 0))
    };
    let write = RedirectKind::Write;
    assert_eq!(
        redirect(unknown("$f", 0), write, "/home/u/proj"),
        Some(Effect::Ask)
    );
    assert_eq!(
        redirect(unknown("out/$f", 4), write, "/home/u/proj"),
        Some(Effect::Ask)
    );
    assert_eq!(
        redirect(unknown("/etc/$f", 5), write, "/home/u/proj"),
        Some(Effect::Deny)
    );
    assert_eq!(
        redirect(unknown("/$f", 1), write, "/home/u/proj"),
        Some(Effect::Ask)
    );
    assert_eq!(
        redirect(Argument::literal("x", (0, 0)), write, ""),
        Some(Effect::Ask)
    );
    assert_eq!(
        redirect(Argument::literal("/tmp/x", (0, 0)), write, ""),
        None
    );
    assert_eq!(
        redirect(Argument::literal("hosts", (0, 0)), write, "/etc"),
        Some(Effect::Deny)
    );
}

#[test]
fn links_are_followed() {
    let mut context = in_project();
    context.links = BTreeMap::from([
        ("/home/u/proj/out".to_owned(), "/etc".to_owned()),
        ("/var/cache/x".to_owned(), "/tmp/cache".to_owned()),
    ]);
    let effect = |line: &str| {
        let findings = judge(&facts(line), 0, &context);
        findings.iter().map(|finding| finding.effect).max()
    };
    assert_eq!(effect("rm -rf out/x"), Some(Effect::Deny));
    assert_eq!(effect("rm -f out/*"), Some(Effect::Deny));
    assert_eq!(effect("touch out/../x"), Some(Effect::Deny));
    assert_eq!(effect("touch /var/cache/x/y"), Some(Effect::Allow));
    assert_eq!(effect("touch build/../x"), Some(Effect::Allow));
}

/// Facts of a program that `find` or `xargs` starts.
fn started(outer: &str, inner: &str, producer: Option<&str>) -> Facts {
    let mut facts = Facts::default();
    if let Some(producer) = producer {
        let mut producer = call(producer);
        producer.span = (0, 1);
        facts.calls.push(producer);
    }
    let mut outer_call = call(&format!("{outer} {inner}"));
    outer_call.span = (2, 100);
    if producer.is_some() {
        outer_call.input = Input::Pipe(0..1);
    }
    let mut inner_call = call(inner);
    inner_call.span = (50, 100);
    inner_call.wrappers = vec![outer_call.program().to_owned()];
    inner_call.open_ended = producer.is_some() && !outer.contains("-I");
    facts.calls.extend([outer_call, inner_call]);
    facts
}

#[test]
fn what_find_starts_is_judged_by_where_it_starts() {
    let cases = [
        ("find . -name *.log -exec", "rm {} +", Effect::Allow),
        (
            "find . -type d -name __pycache__ -exec",
            "rm -rf {} +",
            Effect::Allow,
        ),
        ("find build -type f -exec", "rm {} ;", Effect::Allow),
        ("find . -type f -exec", "rm {} +", Effect::Ask),
        ("find . -name * -exec", "rm {} +", Effect::Ask),
        ("find . ! -name x -exec", "rm {} +", Effect::Ask),
        ("find . -name .git -exec", "rm -rf {} +", Effect::Ask),
        ("find /etc -name x -exec", "rm {} +", Effect::Deny),
        ("find / -name x -exec", "rm {} +", Effect::Deny),
        ("find .. -name x -exec", "rm {} +", Effect::Deny),
        ("find $d -name x -exec", "rm {} +", Effect::Ask),
        ("find . -name x -exec", "cp {} /tmp/out ;", Effect::Allow),
        ("find . -name x -exec", "cp {} /etc/ ;", Effect::Deny),
        ("find . -name x -exec", "mv {} {}.bak ;", Effect::Allow),
        ("find . -name *.sh -exec", "chmod +x {} +", Effect::Allow),
        ("find . -type f -exec", "chmod 644 {} +", Effect::Allow),
        (
            "find . -name *.c -exec",
            "sed -i s/a/b/ {} +",
            Effect::Allow,
        ),
        ("find . -type f -exec", "sed -i s/a/b/ {} +", Effect::Ask),
        ("find . -mtime +7 -exec", "rm {} ;", Effect::Allow),
        ("find . -name a -o -exec", "rm {} ;", Effect::Ask),
        (
            "find . ( -name a -o -name b ) -exec",
            "rm {} ;",
            Effect::Allow,
        ),
    ];
    for (outer, inner, expected) in cases {
        let facts = started(outer, inner, None);
        assert_eq!(effect_of(&facts), Some(expected), "{outer} {inner}");
    }
}

#[test]
fn what_xargs_starts_is_judged_by_what_it_reads() {
    let cases = [
        ("find . -name *.o", "xargs", "rm", Effect::Allow),
        (
            "find . -name *.o -print0",
            "xargs -0",
            "rm -f",
            Effect::Allow,
        ),
        ("find . -type f", "xargs", "rm", Effect::Ask),
        ("find /etc -name x", "xargs", "rm", Effect::Deny),
        ("git ls-files", "xargs", "rm", Effect::Ask),
        ("git ls-files *.py", "xargs", "sed -i s/a/b/", Effect::Allow),
        (
            "grep -rl foo .",
            "xargs",
            "sed -i s/foo/bar/",
            Effect::Allow,
        ),
        (
            "grep -rl foo /etc",
            "xargs",
            "sed -i s/foo/bar/",
            Effect::Deny,
        ),
        ("grep -r foo .", "xargs", "rm", Effect::Ask),
        ("rg -l foo", "xargs", "sed -i s/foo/bar/", Effect::Allow),
        ("echo /etc/x", "xargs", "touch", Effect::Deny),
        ("echo a b", "xargs", "touch", Effect::Allow),
        ("cat list", "xargs", "rm", Effect::Ask),
        ("ls", "xargs", "rm", Effect::Ask),
        ("ls *.o", "xargs", "rm", Effect::Allow),
        ("cat list", "xargs -I{}", "cp {} /tmp/x", Effect::Allow),
        ("cat list", "xargs -I %", "mv % /tmp/x", Effect::Ask),
        ("cat list", "xargs", "cp -t /etc", Effect::Deny),
        ("cat list", "xargs", "cp -t out", Effect::Allow),
    ];
    for (producer, outer, inner, expected) in cases {
        let facts = started(outer, inner, Some(producer));
        assert_eq!(
            effect_of(&facts),
            Some(expected),
            "{producer} | {outer} {inner}"
        );
    }
}

#[test]
fn all_paths_are_listed_once_and_bounded() {
    let mut facts = facts("cp ./a /tmp/b ../c/../d --to=/etc/x -C/opt x*/y $z/w");
    let paths = facts.paths("", &in_project()).unwrap();
    for path in
        ["/home/u/proj/a", "/tmp/b", "/home/u/d", "/home/u/c", "/etc/x", "/opt", "/home/u/proj"]
    {
        assert!(paths.contains(&path.to_owned()), "{path} in {paths:?}");
    }
    let many: Vec<String> = (0..2000).map(|number| format!("f{number}")).collect();
    facts.calls.push(call(&format!("rm {}", many.join(" "))));
    assert_eq!(facts.paths("", &in_project()), None);
    // A script may name as many as fit into its text.
    let script = crate::Context {
        reading: crate::Reading::Script,
        ..in_project()
    };
    assert!(facts.paths(&many.join(" "), &script).is_some());
    assert_eq!(facts.paths(&"x".repeat(4000), &script), None);
}

#[test]
fn nothing_panics_on_odd_words() {
    for program in ["rm", "tar", "sed", "git", "find", "dd", "cp", "chmod", "awk", "date", "7z"] {
        for word in
            ["", "-", "--", "-ü", "--=", "ü", "=", "-i", "é*", "s/ü", "\\", "[", "{}", "-C", "of="]
        {
            let mut facts = facts(program);
            facts.calls[0]
                .arguments
                .push(Argument::literal(word, (0, 0)));
            facts.calls[0].arguments.push(Argument {
                unknown_from: Some(0),
                ..Argument::literal(word, (0, 0))
            });
            let _ = judge(&facts, 0, &in_project());
            let _ = facts.paths("", &in_project());
        }
    }
}

/// What redirects and calls of a whole text lead to, the strictest first.
fn strictest(text: &str) -> Option<Effect> {
    let context = in_project();
    let facts = crate::read::read(text, &context);
    let calls = (0..facts.calls.len()).flat_map(|index| judge(&facts, index, &context));
    let findings = redirects(&facts, &context).into_iter().chain(calls);
    findings.map(|finding| finding.effect).max()
}

#[test]
fn whole_texts_are_judged() {
    let mut wrong = Vec::new();
    for line in include_str!("tests/texts.txt").lines() {
        let (expected, text) = line.split_once(' ').unwrap();
        let effect = strictest(text).map_or("none", Effect::as_str);
        if effect != expected {
            wrong.push(format!("{effect}: {line}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn much_text_comes_to_an_end() {
    let many = |word: &str, count: usize| word.repeat(count);
    let texts = [
        format!("cp {} {}/", many("a ", 20_000), many("b/", 20_000)),
        format!(
            "find {} {} -delete",
            many("a ", 5_000),
            many("-name x -o ", 5_000)
        ),
        format!("find . {}", many("-exec rm {} ; ", 2_000)),
        format!("touch {}", many("/..", 40_000)),
        format!("rm {}", many("a/../ ", 20_000)),
        format!("sed -i s/{}/x/ f", many("[[:", 20_000)),
        format!("rm {}", many("*?[", 20_000)),
        format!("tar xf a {}", many("-C b ", 2_000)),
    ];
    for text in texts {
        let facts = facts(&text);
        let _ = judge(&facts, 0, &in_project());
        let _ = facts.paths(&text, &in_project());
    }
}
