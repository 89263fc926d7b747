//! `bashful config`: what is in force, where it comes from, and changing it.

use std::path::Path;

use bashful_engine::config::DEFAULT_TOML;
use serde_json::json;

use crate::cli::{ConfigArguments, ConfigCommand};
use crate::exit::Exit;
use crate::printer::Printer;

mod change;

pub(crate) fn config(arguments: &ConfigArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let here = super::place::here()?;
    match &arguments.what {
        ConfigCommand::Show { default: true, .. } => printer.data(DEFAULT_TOML.as_bytes())?,
        ConfigCommand::Show { json, .. } => {
            let loaded = super::load_config(&here, printer)?;
            if *json {
                printer.json(&json!({ "v": 1, "settings": loaded.settings() }))?;
            } else {
                printer.data(loaded.to_toml_with_origins().as_bytes())?;
            }
        }
        ConfigCommand::Set { key, value, .. } => {
            return change::set(&super::sources(&here), key, value.as_deref(), printer);
        }
        ConfigCommand::Edit => return change::edit(&super::sources(&here), printer),
        ConfigCommand::Path => {
            let sources = super::sources(&here);
            let mut text = line("admin", &sources.admin);
            for (layer, path) in [("user", &sources.user), ("project", &sources.project)] {
                text.push_str(
                    &path
                        .as_ref()
                        .map(|path| line(layer, path))
                        .unwrap_or_default(),
                );
            }
            printer.data(text.as_bytes())?;
        }
    }
    Ok(Exit::Success)
}

fn line(layer: &str, path: &Path) -> String {
    let state = if path.exists() { "" } else { "  (absent)" };
    format!("{layer:<8} {}{state}\n", path.display())
}
