//! An engine for an agent that calls tools: made from flags.

use std::path::PathBuf;
use std::time::Duration;

use bashful_engine::config::{Config, env};
use bashful_engine::{Engine, hide_from_commands};

use super::place::here;
use super::run::{announce, preset, sandbox};
use crate::cli::CallerArguments;
use crate::errors::UsageError;
use crate::printer::Printer;

/// Who calls tools, where and with which rights.
pub(crate) struct AgentWish<'a> {
    pub(crate) caller: &'a CallerArguments,
    /// The session unless one is named.
    pub(crate) usual_session: String,
    /// What its commands must not see.
    pub(crate) hidden: Option<&'a PathBuf>,
    /// Whether the engine itself waits for answers.
    pub(crate) waits: Waits,
}

/// How long an engine waits for answers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Waits {
    /// Not at all: a server does that by itself.
    Never,
    /// As long as the flag says, else the configuration.
    AsSaid,
}

impl AgentWish<'_> {
    /// The engine, and the configuration that it goes by.
    pub(crate) fn engine(self, printer: &Printer) -> anyhow::Result<(Engine, Config)> {
        let CallerArguments {
            agent,
            workspace,
            wait,
            bounds,
            ..
        } = self.caller;
        let workspace = workspace.as_ref().map(std::path::absolute).transpose()?;
        let place = workspace.clone().map_or_else(here, Ok)?;
        let loaded = super::load_config(&place, printer)?;
        let sandbox = sandbox(&loaded, bounds.sandbox)?;
        let preset = preset(&loaded.config, agent.as_deref(), bounds);
        announce(bounds, sandbox, preset, printer);
        let wait = match self.waits {
            Waits::Never => Duration::ZERO,
            Waits::AsSaid => wait.unwrap_or(loaded.config.approvals.wait),
        };
        let mut wish = bounds.wish();
        if let Some(hidden) = self.hidden {
            let real = hidden.canonicalize()?;
            if real.starts_with(place.canonicalize()?) {
                let problem = "a token in the workspace is one that every command can read: \
                    keep it elsewhere";
                return Err(UsageError(problem.to_owned()).into());
            }
            wish.changes
                .paths_deny
                .push(real.to_string_lossy().into_owned());
        }
        let session = named_session(self.caller);
        let mut builder = Engine::builder()
            .config(loaded.config.clone())
            .sandbox(sandbox)
            .wish(wish)
            .session(session.unwrap_or(self.usual_session))
            .wait_for_answers(wait);
        builder = bounds.judged(builder);
        if let Some(agent) = agent {
            builder = builder.agent(agent);
        }
        if let Some(workspace) = workspace {
            builder = builder.workspace(workspace);
        }
        let engine = builder.build()?;
        // The engine knows all it needs; what runs must not find our tokens in /proc.
        hide_from_commands()?;
        Ok((engine, loaded.config))
    }
}

/// The session that was named, by the flag or the environment.
pub(crate) fn named_session(caller: &CallerArguments) -> Option<String> {
    let named = caller.session.clone();
    let named = named.or_else(|| std::env::var(env::BASHFUL_SESSION).ok());
    named.filter(|name| !name.is_empty())
}
