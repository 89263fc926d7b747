//! `bashful doctor`: what this host offers, and what will be enforced on it.

use bashful_engine::{Engine, Look};

use crate::cli::DoctorArguments;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::show_diagnosis;

/// The host does not give what the default profile needs.
const NOT_WELL: Exit = Exit::Command(1);

pub(crate) fn doctor(arguments: &DoctorArguments, printer: &Printer) -> anyhow::Result<Exit> {
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
