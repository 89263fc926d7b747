//! `bashful mcp`: serves the tools, and sets clients up to use them.

use crate::cli::{McpArguments, McpCommand, SetUpArguments};
use crate::clients::{Client, OwnShell, Reach, SetUp, UserEnvironment};
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;

mod config;
mod consent;
mod draft;
mod install;
mod remove;
mod serve;
mod status;

pub(crate) fn mcp(arguments: &McpArguments, printer: &Printer) -> anyhow::Result<Exit> {
    match &arguments.what {
        None => serve::serve(&arguments.serve, printer),
        Some(McpCommand::Config(arguments)) => config::config(arguments, printer),
        Some(McpCommand::Install(arguments)) => install::install(arguments, printer),
        Some(McpCommand::Status { json }) => status::status(*json, printer),
    }
}

/// What the flags ask for.
fn wanted(
    client: &dyn Client,
    arguments: &SetUpArguments,
    user: &UserEnvironment,
) -> anyhow::Result<SetUp> {
    let reach = if arguments.project {
        user.check_project()?;
        Reach::Project
    } else {
        Reach::User
    };
    let workspace = match &arguments.workspace {
        Some(directory) => {
            let odd =
                |why: &str| UsageError(format!("the workspace `{}` {why}", directory.display()));
            let directory = directory.canonicalize();
            let directory = directory.map_err(|error| odd(&format!("cannot be used: {error}")))?;
            let text = directory.into_os_string().into_string();
            Some(text.map_err(|_| odd("is not valid UTF-8"))?)
        }
        None => None,
    };
    let agent = arguments.agent.clone();
    let shell = match (arguments.keep_shell, arguments.hook) {
        (false, _) => OwnShell::Off,
        (true, false) => OwnShell::Kept,
        (true, true) => OwnShell::Hook,
    };
    Ok(SetUp {
        reach,
        agent: agent.unwrap_or_else(|| client.name().to_owned()),
        workspace,
        profile: arguments.profile.clone(),
        shell,
    })
}
