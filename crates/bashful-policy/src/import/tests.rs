//! Tests of importing.

use super::{ImportError, Imported, claude, codex};
use crate::decision::Layer;
use crate::rule::parse_rules;

/// The `command` or `action` line of each rule, with its effect; checks that the import loads.
fn shapes(imported: &Imported) -> Vec<String> {
    let rules = parse_rules(&imported.rules_toml, "x", Layer::User).unwrap();
    assert_eq!(rules.len(), imported.rules.len());
    let lines = imported.rules_toml.lines();
    let lines = lines.filter(|line| line.starts_with("command") || line.starts_with("action"));
    let shapes = lines.map(|line| line.split_once(" = ").unwrap().1);
    let effects = rules.iter().map(|rule| rule.effect);
    effects
        .zip(shapes)
        .map(|(effect, shape)| format!("{effect} {shape}"))
        .collect()
}

#[test]
fn settings_of_claude_code() {
    let text = r#"{
        "permissions": {
            "allow": ["Bash(npm run test:*)", "Bash(npm run lint)", "Bash(npm run *)",
                      "Bash(git log *)", "Bash(python:*)", "Bash", "Bash(ls && rm x)",
                      "Bash(FOO=1 make:*)", "Bash(curl http://github.com/:*)", "Bash(git * main)",
                      "WebFetch(domain:example.com)", "Read(~/.zshrc)", "Edit(src/**)", "mcp__x__y",
                      "Bash(git commit -m 'a b')", "Bash(x"],
            "ask": ["Bash(git push:*)"],
            "deny": ["Read(./.env)", "Bash(curl:*)", "Bash(rm -rf *)", "Bash(*)", 7],
            "defaultMode": "acceptEdits",
            "additionalDirectories": ["../docs/"],
            "disableBypassPermissionsMode": "disable"
        },
        "hooks": {}
    }"#;
    let imported = claude(text).unwrap();
    let expected = [
        r#"deny ["curl", "…"]"#,
        r#"deny ["rm", "-rf", "…"]"#,
        r#"deny "tool:bash:*""#,
        r#"ask ["git", "push", "…"]"#,
        r#"allow ["npm", "run", "test", "…"]"#,
        r#"allow ["npm", "run", "lint"]"#,
        r#"allow ["npm", "run", "…"]"#,
        r#"allow ["git", "log", "…"]"#,
        r#"allow ["curl", "http://github.com/*", "…"]"#,
        r#"allow ["git", "…", "main"]"#,
        r#"allow ["git", "commit", "-m", "a b"]"#,
    ];
    assert_eq!(shapes(&imported), expected);
    let about = |text: &str| imported.notes.iter().any(|note| note.contains(text));
    for text in [
        "`Bash(python:*)`: was left out",
        "`Bash`: was left out",
        "`Bash(ls && rm x)`",
        "`Bash(FOO=1 make:*)`",
        "example.com",
        "`Read(~/.zshrc)`",
        "`Edit(src/**)`",
        "`mcp__x__y`",
        "`Bash(x`: has no closing bracket",
        "`./.env` to `paths_deny`",
        "is not a string",
        "`acceptEdits`",
        "`../docs/`",
        "disableBypassPermissionsMode",
        "hooks",
    ] {
        assert!(about(text), "{text}: {:#?}", imported.notes);
    }
    assert_eq!(imported.notes.len(), 15, "{:#?}", imported.notes);
    let line = claude("{\n x").unwrap_err();
    assert!(matches!(line, ImportError::Syntax { line: 2, .. }));
    assert_eq!(claude("{}").unwrap().notes.len(), 1);
}

#[test]
fn rules_of_codex() {
    let text = r#"
# A comment with prefix_rule(
GIT = ["git"]
prefix_rule(
    pattern = ["gh", "pr", ["view", 'list']],
    decision = "prompt",
    justification = "use the \"web\"",
    match = ["gh pr view 7888", ["gh", "pr", "list"]],
    not_match = ["gh pr --repo a/b view 1", "gh pr create"],
)
prefix_rule(pattern=GIT + ["status"])
prefix_rule(pattern=["git", "push"], decision="forbidden", tag=1)
prefix_rule(pattern=["python3"], decision="allow")
prefix_rule(pattern=[], decision="allow")
prefix_rule(pattern=["x"], decision="maybe")
host_executable(name = "git", paths = ["/usr/bin/git"])
network_rule(host = "example.com", protocol = "https", decision = "allow")
def helper(x):
    return x
prefix_rule(pattern=["a" "b",
  "c"], decision="prompt")
"#;
    let imported = codex(text).unwrap();
    let expected = [
        r#"ask ["gh", "pr", ["view", "list"], "…"]"#,
        r#"allow ["git", "status", "…"]"#,
        r#"deny ["git", "push", "…"]"#,
        r#"ask ["ab", "c", "…"]"#,
    ];
    assert_eq!(shapes(&imported), expected);
    assert_eq!(imported.rules[0].advice.as_deref(), Some("use the \"web\""));
    assert_eq!(
        imported.rules[0].examples,
        ["gh pr view 7888", "gh pr list"]
    );
    assert_eq!(imported.rules[0].counterexamples, ["gh pr create"]);
    let about = |text: &str| imported.notes.iter().any(|note| note.contains(text));
    for text in [
        "the example `gh pr --repo a/b view 1` is matched here",
        "`tag` has no equivalent",
        "`python3` can do anything",
        "its pattern is not a list of words",
        "`maybe` is not a decision",
        "line 16: `host_executable` for `git`",
        "line 17: `network_rule` for `example.com`",
        "line 18: `def helper(x):`",
    ] {
        assert!(about(text), "{text}: {:#?}", imported.notes);
    }
}

#[test]
fn the_configuration_of_codex() {
    let text = "approval_policy = \"untrusted\"\nsandbox_mode = \"workspace-write\"\n\
        [sandbox_workspace_write]\nnetwork_access = true\nwritable_roots = [\"/a\"]\nodd = 1\n";
    let imported = codex(text).unwrap();
    assert!(imported.rules.is_empty());
    assert_eq!(imported.notes.len(), 5, "{:#?}", imported.notes);
    assert_eq!(codex("model = \"x\"").unwrap().notes.len(), 1);
    assert!(matches!(
        codex("a = 1\nb"),
        Err(ImportError::Syntax { line: 2, .. })
    ));
}

#[test]
fn broken_files_end() {
    for text in [
        "prefix_rule(",
        "prefix_rule(pattern=[[[[[[[[[[[[[[\"a\"",
        "prefix_rule(pattern=[\"a",
        "prefix_rule(pattern=\"\"\"a",
        "prefix_rule(pattern=['a'] + )",
        "prefix_rule(pattern=['a\\",
        "prefix_rule()\n)))]]",
    ] {
        assert!(codex(text).unwrap().rules.is_empty(), "{text}");
    }
}
