//! Visual Studio Code, with Copilot's agent.

use std::path::PathBuf;

use bashful_engine::config::env;

use super::change::{Change, Format, Value};
use super::{
    Client, FileEdit, Reach, SERVER, SetUp, Switch, SwitchEffect, UserEnvironment, WORKSPACE_FOLDER,
};

pub(super) struct VsCode;

impl Client for VsCode {
    fn name(&self) -> &'static str {
        "vscode"
    }

    fn title(&self) -> &'static str {
        "VS Code"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["code"]
    }

    fn directory(&self, user: &UserEnvironment) -> PathBuf {
        let config = user.variable(env::XDG_CONFIG_HOME);
        let config = config.unwrap_or_else(|| user.home.join(".config"));
        config.join("Code/User")
    }

    fn server(&self, wanted: &SetUp, user: &UserEnvironment) -> FileEdit {
        let entry = Value::Table(vec![
            ("type", Value::text("stdio")),
            ("command", Value::text(&user.executable)),
            ("args", Value::texts(wanted.arguments(None))),
            ("cwd", Value::text(WORKSPACE_FOLDER)),
        ]);
        FileEdit {
            path: self.place(wanted.reach, user).join("mcp.json"),
            format: Format::JsonWithComments,
            changes: vec![Change::entry(&["servers", SERVER], entry)],
        }
    }

    fn shell(&self, wanted: &SetUp, user: &UserEnvironment) -> Option<Switch> {
        let setting = &["chat.tools.terminal.enableAutoApprove"];
        Some(Switch {
            edits: vec![FileEdit {
                path: self.place(wanted.reach, user).join("settings.json"),
                format: Format::JsonWithComments,
                changes: vec![Change::setting(setting, Value::Flag(false))],
            }],
            deciding: 1,
            effect: SwitchEffect::Asks,
            offer: "VS Code's own terminal tool bypasses Bashful, and no setting takes it away. \
                    With this one, VS Code asks before each command that it runs itself.",
            by_hand: Some(
                "To take the terminal tool away: open the Chat view, press Configure Tools, and \
                 untick the tools that run commands in the terminal or as tasks.",
            ),
        })
    }

    fn notes(&self, _wanted: &SetUp) -> Vec<String> {
        vec![
            "The server gets the open folder as its workspace; without an open folder it does not \
             start."
                .to_owned(),
            "VS Code profiles other than the default have files of their own.".to_owned(),
        ]
    }
}

impl VsCode {
    fn place(&self, reach: Reach, user: &UserEnvironment) -> PathBuf {
        match reach {
            Reach::Project => user.project.join(".vscode"),
            Reach::User => self.directory(user),
        }
    }
}
