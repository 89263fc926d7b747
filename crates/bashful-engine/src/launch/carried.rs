//! What a run needs so that git gets to the repositories that a person was asked about.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use crate::base::real::real;
use crate::carry::{Armed, Outside, arm, remember, unknown_server};
use crate::config::Sandbox;
use crate::launch::find_keeper;
use crate::model::error::EngineError;
use crate::model::transfer::ServerKey;
use crate::request::context::RunContext;
use crate::request::settings::Settings;

/// The person's own programs, for a run that is let to repositories elsewhere.
#[derive(Debug)]
pub(crate) struct Carried<'s> {
    settings: &'s Settings,
    /// What runs can write.
    foreign: Vec<PathBuf>,
    /// This executable, which can be started outside.
    executable: PathBuf,
    /// The same as a run sees it.
    inside: PathBuf,
}

impl<'s> Carried<'s> {
    /// For this run; none if it is let to no such repository.
    pub(crate) fn of(
        settings: &'s Settings,
        context: &RunContext<'_>,
    ) -> Result<Option<Self>, EngineError> {
        if context.git.is_empty() {
            return Ok(None);
        }
        let executable = find_keeper::find(settings.named_keeper.as_deref(), settings.path())?;
        let inside = real(&executable).map_err(resources)?;
        let written = context.granted.capabilities.paths_write.iter();
        let written = written.map(|path| context.workspace.join(path));
        let own = [
            &context.workspace,
            &context.own_home,
            &settings.places.cache,
        ];
        let all = own.into_iter().cloned().chain(written);
        Ok(Some(Self {
            settings,
            foreign: all.map(|path| real(&path).unwrap_or(path)).collect(),
            executable,
            inside,
        }))
    }

    /// Lets the run see what git starts.
    pub(crate) fn show(&self, context: &mut RunContext<'_>) {
        if self.settings.sandbox == Sandbox::None {
            return;
        }
        let inside = self.inside.to_string_lossy().into_owned();
        let capabilities = &mut context.granted.capabilities;
        if let Some(commands) = &mut capabilities.commands {
            commands.push(inside.clone());
        }
        capabilities.paths_read.push(inside.clone());
        context.opened.push(inside);
    }

    /// Starts what stands outside, and returns the run's end; the run inherits it after this many
    /// others.
    pub(crate) fn arm(
        &self,
        context: &RunContext<'_>,
        place: usize,
        environment: &mut BTreeMap<String, String>,
    ) -> Result<OwnedFd, EngineError> {
        let armed = arm(&self.outside(), &context.git, place, &self.inside);
        let Armed { theirs, variables } = armed.map_err(resources)?;
        for (name, value) in variables {
            // What the caller gave the run by such a name stays.
            environment.entry(name).or_insert(value);
        }
        Ok(theirs)
    }

    /// A server that ssh does not know, and the key that it shows.
    pub(crate) fn unknown_server(&self, context: &RunContext<'_>) -> Option<ServerKey> {
        unknown_server(&self.outside(), &context.git, &self.settings.places.state)
    }

    /// Adds a key to those that the person's ssh knows.
    pub(crate) fn remember(
        &self,
        context: &RunContext<'_>,
        key: &ServerKey,
    ) -> Result<(), EngineError> {
        remember(&self.outside(), &context.git, key).map_err(|source| EngineError::Resources {
            what: format!("a place for the key of `{}`", key.server),
            source,
        })
    }

    fn outside(&self) -> Outside<'_> {
        Outside {
            environment: &self.settings.environment,
            foreign: &self.foreign,
            executable: Path::new(&self.executable),
        }
    }
}

fn resources(source: io::Error) -> EngineError {
    EngineError::Resources {
        what: "a way to git servers".to_owned(),
        source,
    }
}
