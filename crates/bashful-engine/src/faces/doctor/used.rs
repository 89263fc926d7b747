//! What will be used for a run here, as it is configured.

use bashful_sandbox::{Backend, Level, Protection};

use super::trial::Ran;
use super::{Finding, State};
use crate::config::{Choice as _, Profile, Sandbox};
use crate::explain::Explanation;
use crate::model::error::{EngineError, going_without};
use crate::model::result::Enforcement;
use crate::request::settings::Settings;

/// What the configured profile asks of a backend, and what becomes of that.
#[derive(Debug)]
pub(super) struct Demand<'a> {
    /// The protections that it can do without.
    pub(super) optional: &'a [Protection],
    /// What a run of it would be enforced, where that can be told.
    pub(super) planned: Option<Enforcement>,
    /// Why a run of it would not start: what is not enforced, and what to do.
    pub(super) refused: Option<(String, Vec<String>)>,
}

impl<'a> Demand<'a> {
    pub(super) fn of(settings: &'a Settings, planned: &Result<Explanation, EngineError>) -> Self {
        let plan = planned.as_ref().ok().and_then(|it| it.plan.as_ref());
        Self {
            optional: &profile(settings).1.optional,
            planned: plan.map(|plan| plan.enforcement),
            refused: match planned {
                Err(error @ EngineError::Unenforceable { short, .. }) => {
                    let advice = going_without(short);
                    Some((error.to_string(), advice.into_iter().collect()))
                }
                _ => None,
            },
        }
    }

    #[cfg(test)]
    pub(super) const USUAL: Demand<'static> = Demand {
        optional: &[Protection::Resources],
        planned: None,
        refused: None,
    };
}

/// What is enforced less than a profile demands.
pub(super) fn falls_short(
    applied: bashful_sandbox::Enforcement,
    optional: &[Protection],
) -> Vec<Protection> {
    let all = Protection::ALL.iter().map(|(_, protection)| *protection);
    all.filter(|protection| {
        let enough = match protection {
            Protection::Identity => Level::Partial,
            _ => Level::Full,
        };
        applied.of(*protection) < enough && !optional.contains(protection)
    })
    .collect()
}

/// The backend and the profile.
pub(super) fn look(
    settings: &Settings,
    demand: &Demand<'_>,
    used: Option<(Backend, &Ran)>,
) -> Vec<Finding> {
    vec![
        backend(settings.sandbox, used.map(|(backend, _)| backend)),
        told(settings, demand),
    ]
}

fn backend(configured: Sandbox, used: Option<Backend>) -> Finding {
    let told = |state, words: String| Finding::new("backend", state, words);
    match (configured, used) {
        (Sandbox::None, _) => told(
            State::Weak,
            "no backend: the configuration says that nothing is enforced".to_owned(),
        )
        .mended_by(["take `sandbox = \"none\"` out of the configuration (`bashful config`)"]),
        (Sandbox::Auto, Some(Backend::Native)) | (Sandbox::By(_), Some(_)) => {
            let name = used.unwrap_or_default();
            told(State::Ok, format!("the backend {name} confines runs"))
        }
        (Sandbox::Auto, Some(weaker)) => told(
            State::Weak,
            format!("the backend {weaker} confines runs: it is the strongest that works here"),
        ),
        (Sandbox::By(named), None) => told(
            State::Failed,
            format!("the backend {named}, which is configured, does not work here"),
        )
        .mended_by(["take `sandbox` out of the configuration (`bashful config`)"]),
        (Sandbox::Auto, None) => told(
            State::Failed,
            "no backend works here: runs are refused, unless they ask for no sandbox".to_owned(),
        ),
    }
}

/// The profile that a run would have here.
fn profile(settings: &Settings) -> (&str, &Profile) {
    let (config, agent) = (&settings.config, settings.agent.as_str());
    let asked = settings.profile.as_deref();
    let name = asked.unwrap_or_else(|| config.profile_name(agent));
    let profile = config.profile_named(name);
    (name, profile.unwrap_or_else(|_| config.profile_for(agent)))
}

fn told(settings: &Settings, demand: &Demand<'_>) -> Finding {
    let (name, profile) = profile(settings);
    let words: Vec<&str> = profile.optional.iter().map(|one| one.as_str()).collect();
    let without = match words.as_slice() {
        [] => "and needs every protection in full".to_owned(),
        words => format!("and can do without: {}", words.join(", ")),
    };
    let words = format!(
        "the agent {} has the profile {name}, {without}",
        settings.agent
    );
    match &demand.refused {
        None => Finding::new("profile", State::Ok, words),
        Some((why, mend)) => Finding::new(
            "profile",
            State::Failed,
            format!("{words}; it does not run: {why}"),
        )
        .mended_by(mend),
    }
}
