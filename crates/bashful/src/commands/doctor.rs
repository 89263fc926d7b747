//! `bashful doctor`: what this host offers, and what will be enforced on it.

use anyhow::Context;
use bashful_engine::approvals::{Channel, Witness};
use bashful_engine::{Engine, Look, Places};
use serde_json::json;

use crate::cli::DoctorArguments;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::{show_diagnosis, show_repaired};

/// The host does not give what the default profile needs.
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
    // What is configured here has no say in what the host can do.
    let engine = Engine::builder().keeper_by_fork().one_call().build()?;
    let diagnosis = engine.doctor(look)?;
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

/// Mends the database. What Bashful runs cannot: grants come back with it.
fn repair(arguments: &DoctorArguments, printer: &Printer) -> anyhow::Result<Exit> {
    if let Err(refused) = Witness::outside(Channel::Terminal) {
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
