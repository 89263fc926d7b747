//! The clients that can be set up, and what each of them needs to stand in which file.
//!
//! A client is one file and one row in [`all`]. It says what is to hold; how a file is read,
//! changed and written is the same for all of them.

mod change;
mod claude;
mod codex;
mod cursor;
mod document;
mod edit;
mod file;
mod json_document;
mod receipt;
mod standing;
mod toml_document;
mod user_environment;
mod vscode;

use std::path::PathBuf;

use clap::ValueEnum;

pub(crate) use change::{Change, Format, What};
pub(crate) use document::{Document, Misfit, parse};
pub(crate) use edit::{Kind, Step, TakenBack, holds, make, take_back};
pub(crate) use file::{FileError, Found, Written, read, write};
pub(crate) use receipt::{Receipt, Receipts};
pub(crate) use standing::{ClientStanding, ShellState, standing};
pub(crate) use user_environment::UserEnvironment;

/// What our server is called in every client.
pub(crate) const SERVER: &str = "bashful";
/// The folder that is open, in the words of VS Code and its kin.
const WORKSPACE_FOLDER: &str = "${workspaceFolder}";

/// A client by the name it is called on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClientName {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Visual Studio Code.
    Vscode,
    /// Cursor.
    Cursor,
}

impl ClientName {
    pub(crate) fn client(self) -> &'static dyn Client {
        match self {
            Self::Claude => &claude::Claude,
            Self::Codex => &codex::Codex,
            Self::Vscode => &vscode::VsCode,
            Self::Cursor => &cursor::Cursor,
        }
    }
}

/// All clients that we know.
pub(crate) fn all() -> impl Iterator<Item = &'static dyn Client> {
    ClientName::value_variants().iter().map(|it| it.client())
}

/// What we know of one client.
pub(crate) trait Client: Sync {
    /// What it is called on the command line; also the agent that its commands belong to.
    fn name(&self) -> &'static str;
    /// What people call it.
    fn title(&self) -> &'static str;
    /// Its programs, as they are found on PATH.
    fn programs(&self) -> &'static [&'static str];
    /// Where it keeps its files for this user.
    fn directory(&self, user: &UserEnvironment) -> PathBuf;
    /// What makes it start our server.
    fn server(&self, wanted: &SetUp, user: &UserEnvironment) -> FileEdit;
    /// What switches its own shell off, as far as a file can.
    fn shell(&self, wanted: &SetUp, user: &UserEnvironment) -> Option<Switch>;
    /// What sends its own shell through us, if it has hooks for that.
    fn hook(&self, _wanted: &SetUp, _user: &UserEnvironment) -> Option<FileEdit> {
        None
    }
    /// What a person should know besides.
    fn notes(&self, wanted: &SetUp) -> Vec<String>;
}

/// How far a set-up reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// All projects of this user.
    User,
    /// The project in the current directory.
    Project,
}

impl Reach {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// What becomes of a client's own shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnShell {
    /// It is switched off.
    Off,
    /// It stays as it is.
    Kept,
    /// It stays, and a hook sends what it runs through us.
    Hook,
}

/// What a person wants of a set-up.
#[derive(Debug, Clone)]
pub(crate) struct SetUp {
    pub(crate) reach: Reach,
    pub(crate) agent: String,
    pub(crate) workspace: Option<String>,
    pub(crate) profile: Option<String>,
    pub(crate) shell: OwnShell,
}

impl SetUp {
    /// What a client has unless the person asks for another set-up.
    pub(crate) fn usual(client: &dyn Client, reach: Reach) -> Self {
        Self {
            reach,
            agent: client.name().to_owned(),
            workspace: None,
            profile: None,
            shell: OwnShell::Off,
        }
    }

    /// The arguments with which a client starts our server. Most start it in the project; those
    /// that do not have a word for the folder that is open.
    fn arguments(&self, folder: Option<&str>) -> Vec<String> {
        let mut arguments = vec!["mcp".to_owned(), "--agent".to_owned(), self.agent.clone()];
        let mut add = |flag: &str, value: Option<&str>| {
            if let Some(value) = value {
                arguments.extend([flag.to_owned(), value.to_owned()]);
            }
        };
        add("--workspace", self.workspace.as_deref().or(folder));
        add("--profile", self.profile.as_deref());
        arguments
    }
}

/// What is to hold in one file.
#[derive(Debug, Clone)]
pub(crate) struct FileEdit {
    pub(crate) path: PathBuf,
    pub(crate) format: Format,
    pub(crate) changes: Vec<Change>,
}

/// What switches a client's own shell off.
#[derive(Debug)]
pub(crate) struct Switch {
    pub(crate) edits: Vec<FileEdit>,
    /// How many of the first changes say whether it is off; the rest is comfort.
    deciding: usize,
    pub(crate) effect: SwitchEffect,
    /// Why a person should want that.
    pub(crate) offer: &'static str,
    /// What is left for a person to do.
    pub(crate) by_hand: Option<&'static str>,
}

/// What a switch does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SwitchEffect {
    /// The model does not have the shell any more, or each use is refused.
    Off,
    /// A person is asked each time.
    Asks,
}
