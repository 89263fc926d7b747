//! `bashful tools`: which tools agents have, and calling one.

use std::io::{self, Read};

use anyhow::Context;
use bashful_engine::{CallContext, Dialect, Effects, ToolAnswer, ToolError, ToolRegistry};
use serde_json::{Value, json};

use super::agent::{AgentWish, Waits};
use super::run::SHELLS;
use crate::cli::{CallArguments, ToolsArguments, ToolsCommand};
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;

/// The longest arguments that are read.
const MOST_ARGUMENTS: u64 = 16 << 20;

pub(crate) fn tools(arguments: &ToolsArguments, printer: &Printer) -> anyhow::Result<Exit> {
    if let Some(ToolsCommand::Call(arguments)) = &arguments.what {
        return call(arguments, printer);
    }
    let dialect = arguments.format.map(Dialect::from);
    match dialect.or(arguments.json.then_some(Dialect::Mcp)) {
        Some(dialect) => printer.json(&ToolRegistry::describe(dialect))?,
        None => list(printer)?,
    }
    Ok(Exit::Success)
}

/// The tools for a person.
fn list(printer: &Printer) -> io::Result<()> {
    let mut lines = Vec::new();
    for tool in ToolRegistry::tools() {
        let does = match tool.effects {
            Effects::Reads => "reads only",
            Effects::Runs => "runs commands",
            Effects::Keeps => "saves for later",
            _ => "ends or deletes",
        };
        lines.push(format!("{:16} {} ({does})\n", tool.name, tool.title));
        if !tool.aliases.is_empty() {
            lines.push(format!("{:16} also {}\n", "", tool.aliases.join(", ")));
        }
    }
    printer.data(lines.concat().as_bytes())
}

fn call(arguments: &CallArguments, printer: &Printer) -> anyhow::Result<Exit> {
    if ToolRegistry::find(&arguments.name).is_none() {
        let known: Vec<&str> = ToolRegistry::tools().iter().map(|tool| tool.name).collect();
        let name = arguments.name.escape_debug();
        let problem = format!(
            "there is no tool `{name}`; the tools are {}",
            known.join(", ")
        );
        return Err(UsageError(problem).into());
    }
    let given = given(&arguments.arguments)?;
    let wish = AgentWish {
        caller: &arguments.caller,
        usual_session: bashful_engine::terminal_session().unwrap_or_else(|| {
            // What lasts needs a session that does.
            let lasts = given.get("shell").is_some_and(|shell| !shell.is_null());
            if lasts {
                SHELLS.to_owned()
            } else {
                format!("tools-{}", std::process::id())
            }
        }),
        hidden: None,
        waits: Waits::AsSaid,
    };
    let (engine, _) = wish.engine(printer)?;
    let registry = ToolRegistry::new(&engine);
    let answer = match registry.call_and_wait(&arguments.name, given, CallContext::default()) {
        Ok(answer) => answer,
        Err(error @ (ToolError::Arguments(_) | ToolError::Task(_))) => {
            return Err(UsageError(error.in_full()).into());
        }
        Err(ToolError::Script(problem)) if !problem.is_mistake() => return Err(problem.into()),
        Err(error @ ToolError::Script(_)) => return Err(UsageError(error.in_full()).into()),
        // What there is to do about it is for a model.
        Err(error @ ToolError::Engine(_)) if error.hint().is_some() => {
            return Err(UsageError(error.in_full()).into());
        }
        Err(ToolError::Engine(error)) => return Err(error.into()),
        Err(error) => return Err(error.into()),
    };
    if arguments.json {
        printer.json(&whole(&answer))?;
    } else {
        printer.data(format!("{}\n", answer.text.trim_end_matches('\n')).as_bytes())?;
    }
    Ok(exit(&answer))
}

/// The arguments as JSON.
fn given(text: &str) -> anyhow::Result<Value> {
    let mut read = String::new();
    let text = if text == "-" {
        io::stdin()
            .take(MOST_ARGUMENTS)
            .read_to_string(&mut read)
            .context("cannot read the arguments from standard input")?;
        read.as_str()
    } else {
        text
    };
    let parsed = serde_json::from_str(text);
    Ok(parsed.map_err(|error| {
        UsageError(format!(
            "the arguments are not JSON: {error}; give an object such as '{{\"command\": \"ls\"}}'"
        ))
    })?)
}

fn whole(answer: &ToolAnswer) -> Value {
    json!({
        "v": 1,
        "is_error": answer.is_error,
        "text": answer.text,
        "answer": answer.json,
    })
}

fn exit(answer: &ToolAnswer) -> Exit {
    let status = answer.json.get("status").and_then(Value::as_str);
    match (answer.is_error, status) {
        (true, Some("denied")) => Exit::Denied,
        (true, Some("needs_approval")) => Exit::NeedsApproval,
        (true, _) => Exit::Broken,
        (false, _) => Exit::Success,
    }
}
