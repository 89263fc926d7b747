//! `bashful explain`: what a command would be allowed to do.

mod denials;

use bashful_engine::{Action, Decision, Effect, Engine, Invocation};

use super::place::Place;
use super::run::sandbox;
use crate::cli::ExplainArguments;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::{Detail, Refusal, show_plan};

pub(crate) fn explain(arguments: &ExplainArguments, printer: &Printer) -> anyhow::Result<Exit> {
    if let Some(exit) = denials::explain(arguments, printer)? {
        return Ok(exit);
    }
    let place = Place::of(arguments.workspace.as_ref(), arguments.cwd.as_ref())?;
    let loaded = super::load_config(place.root(), printer)?;
    let sandbox = sandbox(&loaded, arguments.bounds.sandbox)?;
    let builder = Engine::builder().config(loaded.config).sandbox(sandbox);
    let mut builder = arguments.bounds.judged(builder);
    if let Some(agent) = &arguments.agent {
        builder = builder.agent(agent);
    }
    let mut invocation = Invocation::new(action(arguments)).wish(arguments.bounds.wish());
    invocation = place.applied_to(invocation);
    for (name, value) in &arguments.env {
        invocation = invocation.variable(name, value);
    }
    if arguments.allow_startup_env {
        invocation = invocation.allow_startup_variables();
    }
    let explanation = builder.build()?.explain(invocation)?;
    if arguments.json {
        printer.json(&serde_json::to_value(&explanation)?)?;
    }
    if let Some(decision) = &explanation.decision
        && decision.effect != Effect::Allow
    {
        return Ok(refused(&explanation.command, decision, printer));
    }
    if let (Some(plan), false) = (&explanation.plan, arguments.json) {
        let detail = if arguments.all {
            Detail::All
        } else {
            Detail::Short
        };
        let mut out = Vec::new();
        show_plan(
            &explanation.command,
            explanation.decision.as_ref(),
            plan,
            detail,
            printer.data_style(),
            &mut out,
        );
        printer.data(&out)?;
    }
    Ok(Exit::Success)
}

fn action(arguments: &ExplainArguments) -> Action {
    match (&arguments.command, arguments.program.split_first()) {
        (None, Some((program, rest))) => Action::Program {
            program: program.clone(),
            arguments: rest.to_vec(),
        },
        (command, _) => Action::Bash(command.clone().unwrap_or_default()),
    }
}

/// The command would not run, and that is all there is to say about it.
fn refused(command: &str, decision: &Decision, printer: &Printer) -> Exit {
    let mut out = Vec::new();
    Refusal {
        command,
        decision,
        approval: None,
        is_script: false,
    }
    .write(printer.style(), &mut out);
    printer.talk(&out);
    match decision.effect {
        Effect::Ask => Exit::NeedsApproval,
        Effect::Allow | Effect::Deny => Exit::Denied,
    }
}
