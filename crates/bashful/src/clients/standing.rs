//! How a client stands: found, set up, and whether its own shell is still on.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::document::{Document, parse};
use super::edit::{Standing, standing as stands};
use super::user_environment::is_program;
use super::{Change, Client, FileEdit, Reach, SetUp, SwitchEffect, UserEnvironment, file};

/// All that can be told about one client from its files.
#[derive(Debug)]
pub(crate) struct ClientStanding {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// Its program on PATH.
    pub(crate) program: Option<PathBuf>,
    /// Where it keeps its files, if that is there.
    pub(crate) directory: Option<PathBuf>,
    /// Where it is told to start our server.
    pub(crate) entries: Vec<Entry>,
    pub(crate) shell: ShellState,
    /// Files that cannot be understood.
    pub(crate) problems: Vec<String>,
}

/// An entry that starts a server of our name.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) reach: Reach,
    pub(crate) file: PathBuf,
    /// The program that it starts, as the file says.
    pub(crate) command: String,
    /// Whether that program is there.
    pub(crate) runs: bool,
}

/// What is known about a client's own shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShellState {
    Off,
    /// A person is asked each time.
    Asks,
    /// What it runs goes through us.
    Hooked,
    On,
    Unknown,
}

impl ShellState {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Asks => "asks",
            Self::Hooked => "hooked",
            Self::On => "on",
            Self::Unknown => "unknown",
        }
    }
}

impl ClientStanding {
    pub(crate) fn is_found(&self) -> bool {
        self.program.is_some() || self.directory.is_some()
    }

    /// What to type next, if anything.
    pub(crate) fn next(&self) -> Option<String> {
        let works = self.entries.iter().any(|entry| entry.runs);
        let open = matches!(self.shell, ShellState::On);
        let wanted = self.is_found() && self.problems.is_empty() && (!works || open);
        wanted.then(|| format!("bashful mcp install {}", self.name))
    }
}

pub(crate) fn standing(client: &dyn Client, user: &UserEnvironment) -> ClientStanding {
    let mut look = Look {
        client,
        user,
        problems: Vec::new(),
        unread: false,
    };
    let reaches = [Reach::Project, Reach::User];
    let entries = reaches.iter().filter_map(|reach| look.entry(*reach));
    let entries = entries.collect();
    let shell = look.shell();
    let directory = client.directory(user);
    ClientStanding {
        name: client.name(),
        title: client.title(),
        program: user.find(client.programs()),
        directory: directory.is_dir().then_some(directory),
        entries,
        shell,
        problems: look.problems,
    }
}

struct Look<'a> {
    client: &'a dyn Client,
    user: &'a UserEnvironment,
    problems: Vec<String>,
    /// Whether a file could not be understood since this was last set.
    unread: bool,
}

impl Look<'_> {
    fn entry(&mut self, reach: Reach) -> Option<Entry> {
        let edit = self
            .client
            .server(&SetUp::usual(self.client, reach), self.user);
        let document = self.open(&edit, reach)?;
        let change = edit.changes.first()?;
        let entry = self.tell(&edit.path, document.get(&change.at))??;
        let command = entry.get("command").and_then(Json::as_str);
        let command = command.unwrap_or_default().to_owned();
        Some(Entry {
            reach,
            file: edit.path,
            runs: is_program(Path::new(&command)),
            command,
        })
    }

    fn shell(&mut self) -> ShellState {
        self.unread = false;
        for reach in [Reach::Project, Reach::User] {
            if let Some(state) = self.shell_in(reach) {
                return state;
            }
        }
        if self.unread {
            return ShellState::Unknown;
        }
        ShellState::On
    }

    /// What the files of one reach say about the shell; none if they leave it open.
    fn shell_in(&mut self, reach: Reach) -> Option<ShellState> {
        let usual = SetUp::usual(self.client, reach);
        let switch = self.client.shell(&usual, self.user)?;
        let edit = switch.edits.first()?;
        if let Some(document) = self.open(edit, reach) {
            let deciding: Vec<&Change> = edit.changes.iter().take(switch.deciding).collect();
            let states = deciding.iter().map(|change| stands(&*document, change));
            let states: Result<Vec<Standing>, _> = states.collect();
            let states = self.tell(&edit.path, states)?;
            // A hook for another executable of ours refuses just as well.
            let is_on = |state: &Standing| *state != Standing::Holds;
            if !states.iter().any(is_on) {
                return Some(match switch.effect {
                    SwitchEffect::Off => ShellState::Off,
                    SwitchEffect::Asks => ShellState::Asks,
                });
            }
            if states.contains(&Standing::Differs) {
                return Some(ShellState::On);
            }
        }
        let hook = self.client.hook(&usual, self.user)?;
        let document = self.open(&hook, reach)?;
        let change = hook.changes.first()?;
        let state = self.tell(&hook.path, stands(&*document, change))?;
        (state != Standing::Absent).then_some(ShellState::Hooked)
    }

    /// The document, if there is one that can be read.
    fn open(&mut self, edit: &FileEdit, reach: Reach) -> Option<Box<dyn Document>> {
        let found = file::read(&edit.path, reach, &self.user.project);
        let text = self.tell(&edit.path, found)?.text?;
        let document = parse(edit.format, &text);
        self.tell(&edit.path, document)
    }

    fn tell<T, E: std::fmt::Display>(&mut self, path: &Path, result: Result<T, E>) -> Option<T> {
        result
            .map_err(|error| {
                self.unread = true;
                let problem = format!("{}: {error}", path.display());
                if !self.problems.contains(&problem) {
                    self.problems.push(problem);
                }
            })
            .ok()
    }
}
