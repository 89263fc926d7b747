//! `bashful shells`: shells that last, what they remember, and making them forget.

use std::path::Path;

use bashful_engine::{Engine, Shell};
use serde_json::json;

use super::run::SHELLS;
use crate::cli::{ShellsArguments, ShellsCommand, WhoseShells};
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::prompt::now_ms;
use crate::view::{shell_entries, show_block, show_shells};

pub(crate) fn shells(arguments: &ShellsArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let config = super::load_config(&super::place::here()?, printer)?.config;
    let usual_agent = config.agent.clone();
    let engine = Engine::builder().config(config).one_call().build()?;
    let one = |name: &str, whose: &WhoseShells| one(&engine, &usual_agent, name, whose);
    match &arguments.what {
        ShellsCommand::List { whose, json } => {
            let shells = chosen(&engine, None, whose)?;
            if *json {
                printer.json(&json!({ "v": 1, "shells": shells }))?;
            } else {
                let mut out = Vec::new();
                show_shells(&shells, now_ms(), printer.data_style(), &mut out);
                printer.data(&out)?;
            }
        }
        ShellsCommand::Show {
            name,
            values,
            whose,
            json,
        } => {
            let mut shell = one(name, whose)?;
            if *values {
                shell = engine.shell_values(&shell)?;
            }
            if *json {
                printer.json(&json!({ "v": 1, "shell": shell }))?;
            } else {
                let mut out = Vec::new();
                let entries = shell_entries(&shell, now_ms());
                show_block("A shell", &entries, printer.data_style(), &mut out);
                printer.data(&out)?;
            }
        }
        ShellsCommand::Reset { name, whose, json } => {
            let shell = one(name, whose)?;
            engine.reset_shell(&shell)?;
            tell(("reset", "Reset"), &[shell], *json, printer)?;
        }
        ShellsCommand::End {
            name, whose, json, ..
        } => {
            let shells = match name {
                Some(name) => vec![one(name, whose)?],
                None => chosen(&engine, None, whose)?,
            };
            for shell in &shells {
                engine.end_shell(shell)?;
            }
            tell(("ended", "Ended"), &shells, *json, printer)?;
        }
    }
    Ok(Exit::Success)
}

fn tell(
    (key, word): (&str, &str),
    shells: &[Shell],
    as_json: bool,
    printer: &Printer,
) -> std::io::Result<()> {
    if as_json {
        let names: Vec<&str> = shells.iter().map(|shell| shell.name.as_str()).collect();
        return printer.json(&json!({ "v": 1, key: names }));
    }
    let count = match shells.len() {
        1 => "1 shell".to_owned(),
        count => format!("{count} shells"),
    };
    printer.data(format!("{word} {count}.\n").as_bytes())
}

/// The shells that the flags choose.
fn chosen(engine: &Engine, name: Option<&str>, whose: &WhoseShells) -> anyhow::Result<Vec<Shell>> {
    let workspace = whose.workspace.as_ref();
    let workspace = workspace.map(std::fs::canonicalize).transpose()?;
    let workspace = workspace.map(|path| path.to_string_lossy().into_owned());
    let is = |wanted: Option<&str>, value: &str| wanted.is_none_or(|wanted| wanted == value);
    let mut shells = engine.shells()?;
    shells.retain(|shell| {
        is(name, &shell.name)
            && is(whose.agent.as_deref(), &shell.agent)
            && is(whose.session.as_deref(), &shell.session)
            && is(workspace.as_deref(), &shell.workspace)
    });
    Ok(shells)
}

/// The one shell that a name and the flags mean: the one here, as `run --shell` would use it, or
/// one that the flags leave no doubt about. Others' shells are not met by chance.
fn one(
    engine: &Engine,
    usual_agent: &str,
    name: &str,
    whose: &WhoseShells,
) -> anyhow::Result<Shell> {
    let mut shells = chosen(engine, Some(name), whose)?;
    let agent = whose.agent.as_deref().unwrap_or(usual_agent);
    let session = super::run::named_session(whose.session.as_deref());
    let session = session.unwrap_or_else(|| SHELLS.to_owned());
    let here = super::place::here()?.canonicalize()?;
    let is_here = |shell: &Shell| {
        let place = whose.workspace.is_some() || Path::new(&shell.workspace) == here;
        shell.agent == agent && shell.session == session && place
    };
    if let Some(index) = shells.iter().position(is_here) {
        return Ok(shells.swap_remove(index));
    }
    let shown = name.escape_debug();
    let chooses = whose.agent.is_some() || whose.session.is_some() || whose.workspace.is_some();
    let problem = match &shells[..] {
        [shell] if chooses => return Ok(shell.clone()),
        [] => format!("there is no shell `{shown}`"),
        [other, ..] => format!(
            "there is no shell `{shown}` of this agent, session and workspace; agent `{}` has one \
             in session `{}` and workspace `{}`: say which is meant with --agent, --session and \
             --workspace",
            other.agent.escape_debug(),
            other.session.escape_debug(),
            other.workspace.escape_debug(),
        ),
    };
    Err(UsageError(problem).into())
}
