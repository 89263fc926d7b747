//! Cursor.

use std::path::PathBuf;

use bashful_engine::{build_safe_command, escape_arg};
use serde_json::Value as Json;

use super::change::{Change, Format, Value};
use super::{
    Client, FileEdit, Reach, SERVER, SetUp, Switch, SwitchEffect, UserEnvironment, WORKSPACE_FOLDER,
};

pub(super) struct Cursor;

impl Client for Cursor {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn title(&self) -> &'static str {
        "Cursor"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["cursor", "cursor-agent"]
    }

    fn directory(&self, user: &UserEnvironment) -> PathBuf {
        user.home.join(".cursor")
    }

    fn server(&self, wanted: &SetUp, user: &UserEnvironment) -> FileEdit {
        let entry = Value::Table(vec![
            ("command", Value::text(&user.executable)),
            (
                "args",
                Value::texts(wanted.arguments(Some(WORKSPACE_FOLDER))),
            ),
        ]);
        FileEdit {
            path: self.place(wanted.reach, user).join("mcp.json"),
            format: Format::JsonWithComments,
            changes: vec![Change::entry(&["mcpServers", SERVER], entry)],
        }
    }

    /// Cursor has no setting that takes its shell away. It has hooks, and one that always says no
    /// comes to the same.
    fn shell(&self, wanted: &SetUp, user: &UserEnvironment) -> Option<Switch> {
        let quoted = escape_arg(&user.executable);
        let command = build_safe_command(&quoted, &["hook", "cursor"]);
        // Where the program is gone, the shell's own code would let the command pass.
        let command = format!("{command} || exit 2");
        let hook = Value::Table(vec![
            ("command", Value::text(command)),
            ("failClosed", Value::Flag(true)),
        ]);
        Some(Switch {
            edits: vec![FileEdit {
                path: self.place(wanted.reach, user).join("hooks.json"),
                format: Format::JsonWithComments,
                changes: vec![
                    Change::needed(&["version"], Value::Number(1)),
                    Change::item(&["hooks", "beforeShellExecution"], hook, is_our_hook),
                ],
            }],
            deciding: 2,
            effect: SwitchEffect::Off,
            offer: "Cursor's own shell bypasses Bashful. This hook refuses each of its commands, \
                    and tells the model to use Bashful's tools.",
            by_hand: Some(
                "Check in Cursor's settings, under Hooks, that the hook is listed: Cursor has no \
                 setting that takes its shell away, and old versions have no hooks.",
            ),
        })
    }

    fn notes(&self, _wanted: &SetUp) -> Vec<String> {
        vec!["Switch the server on under MCP in Cursor's settings, and restart Cursor.".to_owned()]
    }
}

impl Cursor {
    fn place(&self, reach: Reach, user: &UserEnvironment) -> PathBuf {
        match reach {
            Reach::Project => user.project.join(".cursor"),
            Reach::User => self.directory(user),
        }
    }
}

/// Whether this is a hook that we wrote, for this executable or another.
fn is_our_hook(item: &Json) -> bool {
    let command = item.get("command").and_then(Json::as_str);
    command.is_some_and(|it| it.contains("bashful") && it.contains("' 'hook' 'cursor'"))
}
