//! One file per verb.

pub(crate) mod action;
pub(crate) mod agent;
pub(crate) mod approvals;
pub(crate) mod attach;
pub(crate) mod audit;
pub(crate) mod cache;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod grants;
pub(crate) mod hook;
pub(crate) mod kill;
pub(crate) mod logs;
pub(crate) mod mcp;
mod place;
pub(crate) mod policy;
pub(crate) mod run;
pub(crate) mod scripts;
pub(crate) mod send;
pub(crate) mod shells;
pub(crate) mod status;
pub(crate) mod stop;
pub(crate) mod tasks;
pub(crate) mod tools;
pub(crate) mod uninstall;
pub(crate) mod wait;

use std::path::Path;

use bashful_engine::config::{Config, Loaded, Lookups, Sources, env};
use bashful_engine::{Places, in_full};

use crate::errors::UsageError;
use crate::printer::Printer;

/// The configuration for a workspace; its warnings are told.
fn load_config(workspace: &Path, printer: &Printer) -> anyhow::Result<Loaded> {
    let loaded = Config::load(&sources(workspace))
        .map_err(|error| anyhow::Error::new(UsageError(in_full(&error))))?;
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
