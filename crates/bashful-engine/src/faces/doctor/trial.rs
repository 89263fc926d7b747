//! Building a sandbox once with each backend, and asking it from inside.

use bashful_policy::{CapabilityChanges, Class};
use bashful_sandbox::{Backend, Enforcement, Level};
use serde::{Deserialize, Serialize};

use super::checks::{self, Bait, Check};
use crate::config::{Sandbox, Wish};
use crate::engine::backend_choice::{PATIENCE, Scratch, broken, is_of_host, run};
use crate::model::error::EngineError;
use crate::model::result::ExecutionResult;
use crate::request::invocation::{Invocation, Timeout};
use crate::request::settings::Settings;

/// What became of the trial of a backend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Trial {
    /// The trial ran in a sandbox, and this is what it saw.
    Ran(Ran),
    /// No sandbox could be built.
    NotBuilt {
        /// Why the backend built none, in words for people.
        reason: String,
    },
}

/// A trial that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ran {
    pub(super) enforcement: Enforcement,
    pub(super) checks: Vec<Check>,
}

impl Ran {
    /// Whether the sandbox held against everything that it says it holds against.
    pub(super) fn held(&self) -> bool {
        checks::all_held(&self.checks, self.enforcement)
    }

    /// What succeeded though it was said to be in vain.
    pub(super) fn leaks(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let leaks = self.checks.iter().filter(|check| !check.held);
        let unknown = leaks.filter(|check| !check.is_known(self.enforcement));
        unknown.filter_map(Check::describe)
    }
}

/// What became of each backend, the strongest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Trials(pub(super) Vec<(Backend, Trial)>);

impl Trials {
    /// Tries all of them.
    pub(super) fn make(settings: &Settings) -> Result<Self, EngineError> {
        let all = Backend::ALL.into_iter();
        let tried = all.map(|backend| Ok((backend, make(settings, backend)?)));
        tried.collect::<Result<_, _>>().map(Self)
    }

    /// The trial of a backend.
    pub(super) fn of(&self, backend: Backend) -> Option<&Trial> {
        let mut all = self.0.iter();
        all.find_map(|(other, trial)| (*other == backend).then_some(trial))
    }

    /// The backend that runs are confined by, and how it did: the one that is configured, else
    /// the strongest that gives some wall round files, and one round the network.
    pub(super) fn used(&self, configured: Sandbox) -> Option<(Backend, &Ran)> {
        self.0.iter().find_map(|(backend, trial)| match trial {
            Trial::Ran(ran) => {
                let applied = &ran.enforcement;
                let is_used = match configured {
                    Sandbox::By(named) => named == *backend,
                    Sandbox::Auto | Sandbox::None => {
                        applied.filesystem > Level::None && applied.network == Level::Full
                    }
                };
                is_used.then_some((*backend, ran))
            }
            Trial::NotBuilt { .. } => None,
        })
    }

    /// Whether our own sandbox can be built, and if not, why.
    pub(super) fn own(&self) -> Result<(), &str> {
        match self.of(Backend::Native) {
            Some(Trial::Ran(_)) => Ok(()),
            Some(Trial::NotBuilt { reason }) => Err(reason),
            None => Err("it was not tried"),
        }
    }
}

/// Makes the trial: a room of its own, in a directory of its own.
fn make(settings: &Settings, backend: Backend) -> Result<Trial, EngineError> {
    let cache = &settings.places.cache;
    let scratch = Scratch::new(cache, "doctor").map_err(broken(cache))?;
    let workspace = scratch.workspace()?;
    let bait = Bait::lay_out(&scratch.path).map_err(broken(&scratch.path))?;
    let engine = scratch
        .engine(settings, backend)
        // What it runs attacks the sandbox, which is not for the policy to stop.
        .wish(Wish {
            changes: CapabilityChanges {
                classes: Class::ALL.map(|class| class.as_str().to_owned()).to_vec(),
                ..CapabilityChanges::default()
            },
            ..Wish::default()
        })
        .agent("doctor")
        .build()?;
    let mut invocation = Invocation::bash(checks::script())
        .workspace(&workspace)
        .timeout(Timeout::After(PATIENCE))
        .fresh();
    for (name, value) in bait.variables().map_err(broken(&scratch.path))? {
        invocation = invocation.variable(name, value);
    }
    match run(&engine, invocation) {
        Ok(result) => Ok(Trial::Ran(Ran {
            enforcement: levels(&result, backend),
            checks: checks::read(&result.stdout),
        })),
        // What is wrong with a program of others says nothing about us.
        Err(error) if is_of_host(&error) || backend != Backend::Native => Ok(Trial::NotBuilt {
            reason: chain(&error),
        }),
        Err(error) => Err(error),
    }
}

fn levels(result: &ExecutionResult, backend: Backend) -> Enforcement {
    result
        .enforcement
        .map_or(Enforcement::NONE, |applied| Enforcement {
            backend,
            filesystem: applied.filesystem,
            network: applied.network,
            commands: applied.commands,
            processes: applied.processes,
            resources: applied.resources,
            identity: applied.identity,
        })
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        let more = source.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        next = source.source();
    }
    text
}
