//! `bashful policy check`: whether a command would run, and why.

use std::path::Path;

use bashful_engine::{Action, Effect, Engine, Invocation};

use super::facts;
use crate::cli::CheckArguments;
use crate::commands::load_config;
use crate::commands::place::Place;
use crate::commands::run::{read_command, sandbox};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::show_judgement;

pub(super) fn check(arguments: &CheckArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let place = Place::of(arguments.workspace.as_ref(), arguments.cwd.as_ref())?;
    let loaded = load_config(place.root(), printer)?;
    let sandbox = sandbox(&loaded, arguments.bounds.sandbox)?;
    let builder = Engine::builder().config(loaded.config).sandbox(sandbox);
    let mut builder = arguments.bounds.judged(builder);
    if let Some(agent) = &arguments.agent {
        builder = builder.agent(agent);
    }
    let text = match arguments.command.as_str() {
        "-" => read_command(Path::new("-"))?,
        text => text.to_owned(),
    };
    let mut invocation = Invocation::new(Action::Bash(text)).wish(arguments.bounds.wish());
    invocation = place.applied_to(invocation);
    for (name, value) in &arguments.env {
        invocation = invocation.variable(name, value);
    }
    let checked = builder.build()?.check(invocation)?;
    if arguments.json {
        printer.json(&facts::json(&checked))?;
    } else {
        let mut out = Vec::new();
        show_judgement(&checked, printer.data_style(), &mut out);
        printer.data(&out)?;
    }
    Ok(match checked.judgement.decision.effect {
        Effect::Allow => Exit::Success,
        Effect::Ask => Exit::NeedsApproval,
        Effect::Deny => Exit::Denied,
    })
}
