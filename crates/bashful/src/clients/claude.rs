//! Claude Code: its servers, the rules for its tools, and its hooks.

use std::path::PathBuf;

use bashful_engine::{build_safe_command, escape_arg};
use serde_json::Value as Json;

use super::change::{Change, Format, Value};
use super::{
    Client, FileEdit, OwnShell, Reach, SERVER, SetUp, Switch, SwitchEffect, UserEnvironment,
};

/// Names another directory for all of its files.
const CONFIG_DIRECTORY: &str = "CLAUDE_CONFIG_DIR";
/// The tools with which it runs commands. A rule without a pattern takes the tool itself away:
/// the model is not even told of it.
const SHELL_TOOLS: &[&str] = &["Bash", "PowerShell", "Monitor"];
/// All tools of our server.
const OUR_TOOLS: &str = "mcp__bashful";

pub(super) struct Claude;

impl Client for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn title(&self) -> &'static str {
        "Claude Code"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["claude"]
    }

    fn directory(&self, user: &UserEnvironment) -> PathBuf {
        user.variable(CONFIG_DIRECTORY)
            .unwrap_or_else(|| user.home.join(".claude"))
    }

    fn server(&self, wanted: &SetUp, user: &UserEnvironment) -> FileEdit {
        let path = match wanted.reach {
            Reach::Project => user.project.join(".mcp.json"),
            Reach::User => user
                .variable(CONFIG_DIRECTORY)
                .unwrap_or_else(|| user.home.clone())
                .join(".claude.json"),
        };
        let entry = Value::Table(vec![
            ("type", Value::text("stdio")),
            ("command", Value::text(&user.executable)),
            ("args", Value::texts(wanted.arguments(None))),
            ("env", Value::Table(Vec::new())),
        ]);
        FileEdit {
            path,
            format: Format::Json,
            changes: vec![Change::entry(&["mcpServers", SERVER], entry)],
        }
    }

    fn shell(&self, wanted: &SetUp, user: &UserEnvironment) -> Option<Switch> {
        let deny = SHELL_TOOLS.iter();
        let mut changes: Vec<Change> = deny
            .map(|tool| Change::word(&["permissions", "deny"], tool))
            .collect();
        changes.push(Change::word(&["permissions", "allow"], OUR_TOOLS));
        Some(Switch {
            edits: vec![self.settings(wanted.reach, user, changes)],
            deciding: SHELL_TOOLS.len(),
            effect: SwitchEffect::Off,
            offer: "Claude Code's own shell bypasses Bashful. This rule takes that shell away from \
                    the model, and lets the model use Bashful's tools without a second question \
                    from Claude Code.",
            by_hand: None,
        })
    }

    fn hook(&self, wanted: &SetUp, user: &UserEnvironment) -> Option<FileEdit> {
        let mut words = vec!["hook".to_owned(), "claude".to_owned()];
        let mut add = |flag: &str, value: Option<String>| {
            words.extend(value.map(|value| format!("{flag}={value}")));
        };
        add(
            "--agent",
            Some(wanted.agent.clone()).filter(|it| it != "claude"),
        );
        add("--workspace", wanted.workspace.clone());
        add("--profile", wanted.profile.clone());
        let quoted = escape_arg(&user.executable);
        let command = build_safe_command(&quoted, &words);
        // Where the program is gone, the shell's own code would let the command pass.
        let command = format!("{command} || exit 2");
        let call = Value::Table(vec![
            ("type", Value::text("command")),
            ("command", Value::text(command)),
        ]);
        let item = Value::Table(vec![
            ("matcher", Value::text("Bash|PowerShell|Monitor")),
            ("hooks", Value::List(vec![call])),
        ]);
        let change = Change::item(&["hooks", "PreToolUse"], item, is_our_hook);
        Some(self.settings(wanted.reach, user, vec![change]))
    }

    fn notes(&self, wanted: &SetUp) -> Vec<String> {
        let mut notes = Vec::new();
        if wanted.reach == Reach::Project {
            let words = [
                "Claude Code asks once, in the project, whether you trust the project and its \
                 `.mcp.json`.",
                "Claude Code reads these rules only when it is started in this very directory; \
                 started in a directory below, it has its own shell. Without --project the rules \
                 hold everywhere.",
            ];
            notes.extend(words.map(str::to_owned));
        }
        if wanted.shell == OwnShell::Hook {
            notes.push(
                "The hook sends each command of Claude Code's own shell through `bashful run`."
                    .to_owned(),
            );
        }
        notes.push("Open sessions need a restart.".to_owned());
        notes
    }
}

impl Claude {
    fn settings(&self, reach: Reach, user: &UserEnvironment, changes: Vec<Change>) -> FileEdit {
        let directory = match reach {
            Reach::Project => user.project.join(".claude"),
            Reach::User => self.directory(user),
        };
        FileEdit {
            path: directory.join("settings.json"),
            format: Format::Json,
            changes,
        }
    }
}

/// Whether this is a hook that we wrote, for this executable or another.
fn is_our_hook(item: &Json) -> bool {
    let calls = item.get("hooks").and_then(Json::as_array);
    let mut calls = calls.into_iter().flatten();
    calls.any(|call| {
        let command = call.get("command").and_then(Json::as_str);
        command.is_some_and(|it| it.contains("bashful") && it.contains("' 'hook' 'claude'"))
    })
}
