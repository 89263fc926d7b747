//! What the caller knows and the text does not say: places, variables, rights, enforcement.

use std::collections::BTreeMap;

use crate::capabilities::NetworkCapability;
use crate::facts::Span;
use crate::shell_memory::ShellMemory;

/// What kind of text is read, which decides how far it is followed before the reader gives up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reading {
    /// A command that the caller gave just now: one that is out of the ordinary is refused.
    #[default]
    Command,
    /// A script that is kept, and that a person approves as a whole. It may be long: what is
    /// followed grows with the text.
    Script,
}

/// What a decision depends on besides the text and the rules. All paths are absolute, without
/// `.`, `..` and double slashes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Context {
    /// The directory the command starts in; none if the caller does not know it.
    pub directory: Option<String>,
    /// The workspace; none if the run has none.
    pub workspace: Option<String>,
    /// Everything that may be written, the workspace among it.
    pub write_roots: Vec<String>,
    /// What was granted for reading by name, also where secrets lie.
    pub read_roots: Vec<String>,
    /// The caller's real home directory.
    pub home: Option<String>,
    /// What `HOME` is when the text begins, where that is known and neither the real home nor the
    /// workspace; absent: it is judged as both of them, and the stricter counts.
    pub run_home: Option<String>,
    /// Variables whose values the command will see.
    pub variables: BTreeMap<String, String>,
    /// Where paths of [`crate::Facts::paths`] really lead, for those that lead elsewhere.
    pub links: BTreeMap<String, String>,
    /// What a person's yes could open of paths outside the roots: of those of
    /// [`crate::Facts::paths`], where they really lead. What is not in here, no yes opens.
    pub openable: BTreeMap<String, Openable>,
    /// Calls of git that talk to repositories of this machine alone, and to which; found by the
    /// caller, who can read what a remote's name leads to.
    pub repositories: BTreeMap<Span, LocalRepositories>,
    /// What the run may reach on the network.
    pub network: NetworkCapability,
    /// The classes that are open: names of [`crate::Class`].
    pub classes: Vec<String>,
    /// Whether the kernel fully enforces files and network for this run.
    pub enforced: bool,
    /// What the shell that reads the text remembers; none if it is a new one.
    pub shell: Option<ShellMemory>,
    /// What kind of text it is.
    pub reading: Reading,
    /// Whether a terminal is there for a program that wants to talk to a person.
    pub terminal: bool,
}

/// What a yes could open so that one path can be written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Openable {
    /// The directory to open, so that the path is written or something is made in it.
    pub write: Option<Directory>,
    /// The same, so that it can go away.
    pub delete: Option<Directory>,
}

/// The repositories of this machine that one call of git talks to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LocalRepositories {
    /// They can be reached: no network is needed, and nothing has to be opened.
    Open,
    /// They lie outside of what the run sees; what git does with them, for a person.
    Closed(String),
}

/// A directory that a yes opens for writing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Directory {
    /// Where it is, absolute and without links.
    pub path: String,
    /// It is not there, and is made after the yes.
    pub missing: bool,
}

impl Context {
    /// The homes: the caller's own, and that of the run.
    pub(crate) fn homes(&self) -> impl Iterator<Item = &String> + Clone {
        self.home.iter().chain(&self.run_home)
    }

    /// The context of a script of which nothing else is known.
    pub(crate) fn of_script() -> Self {
        Self {
            reading: Reading::Script,
            ..Self::default()
        }
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::Context;

    /// In a project below a home, where it and `/tmp` may be written.
    pub(crate) fn in_project() -> Context {
        let project = "/home/u/proj".to_owned();
        Context {
            directory: Some(project.clone()),
            workspace: Some(project.clone()),
            write_roots: vec![project, "/tmp".to_owned()],
            home: Some("/home/u".to_owned()),
            ..Context::default()
        }
    }
}
