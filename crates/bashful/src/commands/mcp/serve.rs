//! `bashful mcp` without a verb: serves the tools to a client.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use bashful_engine::{Interrupts, in_full};
use bashful_server::mcp::{
    HttpOptions, McpServer, ServeError, ServerOptions, Token, serve_http, serve_stdio,
};

use crate::cli::{ServeArguments, ToolsFlag};
use crate::commands::agent::{AgentWish, Waits, named_session};
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;

/// How long a yes for a session without an end holds.
const SESSION_YES: Duration = Duration::from_secs(12 * 60 * 60);

pub(super) fn serve(arguments: &ServeArguments, printer: &Printer) -> anyhow::Result<Exit> {
    // First of all: a server that is told to end while it starts takes its token away again.
    let interrupts = Interrupts::catch().context("cannot catch interrupts")?;
    let token = match (&arguments.http, &arguments.token_file) {
        (None, _) => None,
        (Some(_), Some(path)) => {
            let token = Token::read(path).map_err(|error| UsageError(in_full(&error)))?;
            Some((token, None))
        }
        (Some(_), None) => {
            let (token, file) = fresh_token()?;
            Some((token, Some(file)))
        }
    };
    let wish = AgentWish {
        caller: &arguments.caller,
        // Clients that show the token share its session; without one it is this process's own.
        usual_session: token
            .as_ref()
            .map_or_else(own_session, |(token, _)| token.session()),
        hidden: arguments.token_file.as_ref(),
        waits: Waits::Never,
    };
    let (engine, config) = wish.engine(printer)?;
    let mut options = ServerOptions::default();
    // A session that others can join has no end of its own: one that is named, or the token's.
    let lasts = arguments.http.is_some() || named_session(&arguments.caller).is_some();
    options.session_yes = lasts.then_some(SESSION_YES);
    options.all_tools = arguments.tools == ToolsFlag::All;
    options.output_schemas = arguments.output_schemas;
    options.wait = arguments.caller.wait.unwrap_or(config.approvals.wait);
    options
        .out_of_band
        .clone_from(&config.approvals.out_of_band);
    let server = McpServer::new(&engine, options)?;
    let (Some(address), Some((token, fresh))) = (arguments.http, token) else {
        serve_stdio(&server, interrupts)?;
        return Ok(Exit::Success);
    };
    let mut http = HttpOptions::new(address, token);
    http.remote = arguments.allow_remote;
    http.hosts.clone_from(&arguments.allow_host);
    http.origins.clone_from(&arguments.allow_origin);
    let served = serve_http(&server, http, interrupts, |address| {
        printer.note("serving", &format!("http://{address}/mcp"));
        if let Some(TokenFile(path)) = &fresh {
            printer.note("token", &format!("in {}", path.display()));
        }
    });
    match served {
        Err(error @ ServeError::NotLoopback { .. }) => {
            let problem = format!("{error}; if that is intended, add `--allow-remote`");
            return Err(UsageError(problem).into());
        }
        served => served?,
    }
    Ok(Exit::Success)
}

/// A name for the session of this process.
fn own_session() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let since = since.unwrap_or_default().as_millis();
    format!("mcp-{since:x}-{}", std::process::id())
}

/// A token for this start, in a private file that the person can read it from.
fn fresh_token() -> anyhow::Result<(Token, TokenFile)> {
    let token = Token::fresh()?;
    let directory = crate::commands::places()?.state;
    std::fs::create_dir_all(&directory)
        .with_context(|| format!("cannot make `{}`", directory.display()))?;
    let path = directory.join(format!("mcp-{}.token", std::process::id()));
    let _ = std::fs::remove_file(&path);
    token.write(&path)?;
    Ok((token, TokenFile(path)))
}

/// The file of a token that is good for this start only, and goes with it.
struct TokenFile(PathBuf);

impl Drop for TokenFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
