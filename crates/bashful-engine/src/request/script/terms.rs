//! The terms of a request, where a managed script has its own: each is decided here, and what comes
//! after asks for the term and not for what runs.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bashful_policy::{Capabilities, Reading};

use crate::model::cache_owner::CacheOwner;
use crate::request::invocation::Invocation;
use crate::request::script::call::ScriptCall;
use crate::request::settings::{Settings, owner};

impl Invocation {
    /// What runs, as the first part of a task's id.
    pub(crate) fn kind(&self) -> &'static str {
        match self.script {
            Some(_) => "script",
            None => self.action.kind(),
        }
    }

    /// What is called its command in results and records.
    pub(crate) fn as_command(&self) -> String {
        match &self.script {
            Some(script) => script.command(),
            None => self.action.as_command(),
        }
    }

    /// What kind of text is judged.
    pub(crate) fn reading(&self) -> Reading {
        match self.script {
            Some(_) => Reading::Script,
            None => Reading::Command,
        }
    }

    /// Variables of the text whose values are known.
    pub(crate) fn known_variables(&self) -> &[(String, String)] {
        self.script.as_ref().map_or(&[], |script| &script.known)
    }

    /// The longest time that it may be given.
    pub(crate) fn longest_time(&self, settings: &Settings) -> Duration {
        match self.script {
            Some(_) => settings.config.scripts.max_timeout,
            None => settings.config.limits.max_timeout,
        }
    }

    /// Where its tools keep their caches: one place for an agent in a project, whose worktrees share
    /// it. A script has one of its own, wherever it runs.
    pub(crate) fn cache(&self, settings: &Settings, agent: &str, project: &Path) -> PathBuf {
        match &self.script {
            Some(script) => settings.cache(&[script.command_id().as_bytes()]),
            None => settings.cache(&owner(agent, project)),
        }
    }

    /// Whose that cache is, for people.
    pub(crate) fn cache_owner(&self, agent: &str, project: &Path) -> CacheOwner {
        match &self.script {
            Some(script) => CacheOwner::Script {
                script: script.script.name.to_string(),
            },
            None => CacheOwner::Agent {
                agent: agent.to_owned(),
                project: project.to_owned(),
            },
        }
    }

    /// What its keeper is called by. One serves the scripts of a session, wherever they run.
    pub(crate) fn keeper(&self, workspace: &Path) -> String {
        match self.script {
            Some(_) => "managed scripts".to_owned(),
            None => workspace.to_string_lossy().into_owned(),
        }
    }

    /// Whether it has what it declares, and nothing that its agent has besides.
    pub(crate) fn has_own_rights(&self) -> bool {
        self.script.is_some()
    }

    /// Exactly what it may do, where that is not what its agent may.
    pub(crate) fn declared(&self) -> Option<Capabilities> {
        self.script.as_ref().map(|script| script.grants())
    }

    /// The only places where it may run.
    pub(crate) fn fixed_directories(&self) -> Option<[PathBuf; 2]> {
        self.script.as_ref().map(|script| script.directories())
    }

    /// Whether its run is noted with what it runs, in the engine's database.
    pub(crate) fn is_noted(&self) -> bool {
        self.script.is_some()
    }

    /// A directory of its own, which goes with the run.
    pub(crate) fn scratch(&self) -> Option<PathBuf> {
        self.script.as_ref().and_then(|script| script.scratch())
    }

    /// Where its programs are looked for, whatever the caller's `PATH` is.
    pub(crate) fn search_path(&self) -> Option<&str> {
        self.script.as_ref().map(|script| script.path.as_str())
    }

    /// Its `HOME`, which usually is the one of its bounds: what a script declares in the home is
    /// there, under the same name as for its author.
    pub(crate) fn home(&self, settings: &Settings, usual: Option<&Path>) -> Option<PathBuf> {
        match self.script {
            Some(_) => settings.home(),
            None => usual.map(Path::to_owned),
        }
    }

    /// The program and its arguments, where the text that is judged is not what is given to bash:
    /// bash opens what was sealed.
    pub(crate) fn sealed(&self) -> Option<(PathBuf, Vec<String>)> {
        let script = self.script.as_ref()?;
        Some((script.bash.clone(), ScriptCall::arguments()))
    }

    /// What bash opens then.
    pub(crate) fn descriptor(&self) -> io::Result<Option<OwnedFd>> {
        let script = self.script.as_ref();
        script.map(|script| script.descriptor()).transpose()
    }

    /// What an answer is bound to, where that is more than the text that is judged.
    pub(crate) fn own_digest(&self) -> Option<String> {
        self.script.as_ref().map(|script| script.digest())
    }

    /// The directory that an answer is bound to.
    pub(crate) fn bound_directory(&self, cwd: &Path) -> PathBuf {
        match &self.script {
            Some(script) => script.bound_directory(cwd),
            None => cwd.to_owned(),
        }
    }
}
