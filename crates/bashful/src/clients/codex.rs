//! Codex: one file for everything.

use std::path::PathBuf;

use bashful_engine::config::env;

use super::change::{Change, Format, Value};
use super::{Client, FileEdit, Reach, SERVER, SetUp, Switch, SwitchEffect, UserEnvironment};

/// Names another directory for all of its files.
const CONFIG_DIRECTORY: &str = "CODEX_HOME";
/// A server gets only a few variables from Codex. With these, it finds the same places as the
/// person who answers its asks at a terminal.
const PLACES: &[&str] = &[
    env::XDG_CONFIG_HOME,
    env::XDG_STATE_HOME,
    env::XDG_CACHE_HOME,
    env::XDG_RUNTIME_DIR,
];

pub(super) struct Codex;

impl Client for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn title(&self) -> &'static str {
        "Codex"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["codex"]
    }

    fn directory(&self, user: &UserEnvironment) -> PathBuf {
        user.variable(CONFIG_DIRECTORY)
            .unwrap_or_else(|| user.home.join(".codex"))
    }

    fn server(&self, wanted: &SetUp, user: &UserEnvironment) -> FileEdit {
        let entry = Value::Table(vec![
            ("command", Value::text(&user.executable)),
            ("args", Value::texts(wanted.arguments(None))),
            ("env_vars", Value::texts(PLACES.iter().copied())),
        ]);
        let changes = vec![Change::entry(&["mcp_servers", SERVER], entry)];
        self.file(wanted.reach, user, changes)
    }

    fn shell(&self, wanted: &SetUp, user: &UserEnvironment) -> Option<Switch> {
        let off = Change::setting(&["features", "shell_tool"], Value::Flag(false));
        let approve = Change::setting(
            &["mcp_servers", SERVER, "default_tools_approval_mode"],
            Value::text("approve"),
        );
        Some(Switch {
            edits: vec![self.file(wanted.reach, user, vec![off, approve])],
            deciding: 1,
            effect: SwitchEffect::Off,
            offer: "Codex's own shell bypasses Bashful. This takes that shell away from the model, \
                    and lets the model use Bashful's tools without a second question from Codex.",
            by_hand: None,
        })
    }

    fn notes(&self, wanted: &SetUp) -> Vec<String> {
        let mut notes = Vec::new();
        if wanted.reach == Reach::Project {
            notes.push(
                "Codex reads this file only in projects that you told it to trust.".to_owned(),
            );
        }
        notes.push("Open sessions need a restart.".to_owned());
        notes
    }
}

impl Codex {
    fn file(&self, reach: Reach, user: &UserEnvironment, changes: Vec<Change>) -> FileEdit {
        let directory = match reach {
            Reach::Project => user.project.join(".codex"),
            Reach::User => self.directory(user),
        };
        FileEdit {
            path: directory.join("config.toml"),
            format: Format::Toml,
            changes,
        }
    }
}
