//! `bashful doctor`: what this host offers, and what will be enforced on it.

use anyhow::Context;
use bashful_engine::approvals::{AnsweredBy, Channel};
use bashful_engine::config::Config;
use bashful_engine::{Engine, Finding, FindingState, Look, Places, in_full};
use serde_json::json;

use crate::cli::DoctorArguments;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::{show_diagnosis, show_repaired};

mod clients;

/// The host does not give what the profile needs.
const NOT_WELL: Exit = Exit::Command(1);

pub(crate) fn doctor(arguments: &DoctorArguments, printer: &Printer) -> anyhow::Result<Exit> {
    if arguments.repair {
        return repair(arguments, printer);
    }
    let look = if arguments.again {
        Look::Again
    } else {
        Look::Remembered
    };
    let (config, configuration) = configured();
    // What is configured here has no say in what the host can do, only in what will be used.
    let engine = Engine::builder()
        .config(config)
        .keeper_by_fork()
        .one_call()
        .build()?;
    let mut diagnosis = engine.doctor(look)?;
    diagnosis.ok &= configuration.state != FindingState::Failed;
    diagnosis.used.push(configuration);
    diagnosis.clients = clients::findings();
    if arguments.json {
        printer.json(&serde_json::to_value(&diagnosis)?)?;
    } else {
        let mut out = Vec::new();
        show_diagnosis(&diagnosis, printer.data_style(), &mut out);
        printer.data(&out)?;
    }
    Ok(if diagnosis.ok {
        Exit::Success
    } else {
        NOT_WELL
    })
}

/// The configuration of this directory, or the built-in one where it cannot be read.
fn configured() -> (Config, Finding) {
    let told = |state, words: String| Finding::new("configuration", state, words);
    let loaded = super::place::here()
        .map_err(|error| format!("{error:#}"))
        .and_then(|place| Config::load(&super::sources(&place)).map_err(|error| in_full(&error)));
    match loaded {
        Ok(loaded) => {
            let warning = loaded.warnings.first();
            let finding = match warning {
                Some(warning) => told(
                    FindingState::Weak,
                    format!("the configuration can be read, but: {warning}"),
                ),
                None => told(FindingState::Ok, "the configuration can be read".to_owned()),
            };
            (loaded.config, finding)
        }
        Err(error) => {
            let words = format!("the configuration cannot be read, so nothing runs: {error}");
            (Config::default(), told(FindingState::Failed, words))
        }
    }
}

/// Mends the database. What Bashful runs cannot: grants come back with it.
fn repair(arguments: &DoctorArguments, printer: &Printer) -> anyhow::Result<Exit> {
    if let Err(refused) = AnsweredBy::outside(Channel::Terminal) {
        let message = format!("cannot mend the database from here: {refused}");
        printer.note("error", &message);
        if arguments.json {
            let error = json!({ "kind": "denied", "message": message });
            printer
                .json(&json!({ "v": 1, "status": "denied", "success": false, "error": error }))?;
        }
        return Ok(Exit::Denied);
    }
    let places = Places::from_environment(|name| std::env::var(name).ok())?;
    let repaired = bashful_engine::repair(&places).context("nothing was mended")?;
    if arguments.json {
        printer.json(&serde_json::to_value(&repaired)?)?;
    } else {
        let mut out = Vec::new();
        show_repaired(&repaired, printer.data_style(), &mut out);
        printer.data(&out)?;
    }
    Ok(Exit::Success)
}
