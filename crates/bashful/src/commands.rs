//! One file per verb.

pub(crate) mod approvals;
pub(crate) mod audit;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod grants;
pub(crate) mod policy;
pub(crate) mod run;
pub(crate) mod status;
pub(crate) mod stop;

use std::path::Path;

use bashful_engine::Places;
use bashful_engine::config::{Config, Loaded, Lookups, Sources, env};

use crate::errors::UsageError;
use crate::printer::Printer;

/// The configuration for a workspace; what was said in vain is told.
fn load_config(workspace: &Path, printer: &Printer) -> anyhow::Result<Loaded> {
    let loaded = Config::load(&sources(workspace))
        .map_err(|error| anyhow::Error::new(UsageError(chain(&error))))?;
    for warning in &loaded.warnings {
        printer.note("warning", &warning.to_string());
    }
    Ok(loaded)
}

fn sources(workspace: &Path) -> Sources {
    let lookups = Lookups {
        xdg_config_home: std::env::var_os(env::XDG_CONFIG_HOME),
        home: std::env::var_os(env::HOME),
    };
    Sources::standard(&lookups, workspace)
}

fn places() -> anyhow::Result<Places> {
    Ok(Places::from_environment(|name| std::env::var(name).ok())?)
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        text.push_str(": ");
        text.push_str(&source.to_string());
        next = source.source();
    }
    text
}
