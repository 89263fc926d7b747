//! `bashful grants add`: gives a grant before any run asks.

use std::path::Path;

use anyhow::Context as _;
use bashful_engine::approvals::{
    AnsweredBy, ApprovalQueue, Channel, Grant, GrantWish, Opening, Scope, SubjectWish,
    version_of_policy,
};
use bashful_engine::config::{Config, Wish, env};
use bashful_engine::{Engine, Invocation, Transfer, terminal_session};

use super::shape;
use crate::cli::AddArguments;
use crate::commands::load_config;
use crate::commands::place::here;
use crate::errors::UsageError;
use crate::printer::Printer;

pub(super) fn add(
    queue: &ApprovalQueue,
    arguments: &AddArguments,
    printer: &Printer,
) -> anyhow::Result<Grant> {
    let by = AnsweredBy::here(Channel::Terminal)?;
    let usage = |problem: String| UsageError(problem);
    let workspace = arguments.workspace.clone();
    let workspace = workspace.map_or_else(here, Ok)?;
    let workspace = workspace
        .canonicalize()
        .map_err(|error| usage(format!("cannot use `{}`: {error}", workspace.display())))?;
    let config = load_config(&workspace, printer)?.config;
    let agent = arguments.agent.clone().unwrap_or(config.agent.clone());
    let policy = version_of_policy(&config, &agent, arguments.profile.as_deref())
        .map_err(|error| usage(error.to_string()))?;
    let name = arguments.profile.as_deref();
    let name = name.unwrap_or_else(|| config.profile_name(&agent));
    let profile = config.profile_named(name);
    let profile = profile.map_err(|error| usage(error.to_string()))?;
    for class in &arguments.class {
        let known = profile.check_class(class);
        known.map_err(|error| usage(error.to_string()))?;
    }
    let subject = match (&arguments.command, &arguments.exact) {
        (Some(text), _) => SubjectWish::Shape(shape::read(text).map_err(usage)?),
        (None, Some(text)) if text.is_empty() => {
            return Err(usage("an empty text is not a command".to_owned()).into());
        }
        (None, Some(text)) => SubjectWish::Command(text.clone()),
        (None, None) => SubjectWish::Any,
    };
    let git = repositories(arguments)?;
    let needs_network = git.iter().any(Transfer::needs_network);
    let network = needs_network.then(|| "on".to_owned());
    let wish = GrantWish {
        scope: arguments.scope,
        subject,
        opens: Opening {
            network: arguments
                .network
                .as_ref()
                .map(ToString::to_string)
                .or(network),
            classes: arguments.class.clone(),
            paths_read: paths(&arguments.read)?,
            paths_write: paths(&arguments.write)?,
            git,
            ..Opening::default()
        },
        agent,
        session: session(arguments)?,
        workspace,
        policy,
        expires: arguments.expires,
    };
    check(&wish, config)?;
    Ok(queue.give(&wish, &by)?)
}

/// The repositories that git is let to: the grant counts for commands that lead to exactly these.
fn repositories(arguments: &AddArguments) -> Result<Vec<Transfer>, UsageError> {
    let fetched = arguments.git_fetch.iter().map(|address| (address, false));
    let pushed = arguments.git_push.iter().map(|address| (address, true));
    let all = fetched.chain(pushed).map(|(address, pushes)| {
        Transfer::to(address, pushes).ok_or_else(|| {
            UsageError(format!(
                "`{address}` is no plain address of ssh or https; give it as git has it, such as \
                 `git@host:path` or `https://host/path`"
            ))
        })
    });
    let mut all: Vec<Transfer> = all.collect::<Result<_, _>>()?;
    if !all.is_empty() && arguments.command.is_none() && arguments.exact.is_none() {
        let problem = "`--git-fetch` and `--git-push` go with `--command` or `--exact`";
        return Err(UsageError(problem.to_owned()));
    }
    all.sort();
    all.dedup();
    Ok(all)
}

/// Refuses what no run could be given: otherwise every run that leans on it would fail.
fn check(wish: &GrantWish, config: Config) -> anyhow::Result<()> {
    let with = Wish {
        changes: wish.opens.changes(),
        ..Wish::default()
    };
    let engine = Engine::builder()
        .config(config)
        .agent(&wish.agent)
        .workspace(&wish.workspace)
        .wish(with)
        .build()?;
    engine
        .explain(Invocation::bash("true"))
        .context("no run could be given these rights")?;
    Ok(())
}

/// The session that is meant, for a grant that belongs to one.
fn session(arguments: &AddArguments) -> Result<Option<String>, UsageError> {
    if arguments.scope != Scope::Session {
        return match &arguments.session {
            Some(_) => Err(UsageError(
                "`--session` goes with `--scope session`".to_owned(),
            )),
            None => Ok(None),
        };
    }
    let named = arguments.session.clone();
    let named = named.or_else(|| std::env::var(env::BASHFUL_SESSION).ok());
    let session = named.filter(|name| !name.is_empty());
    let session = session.or_else(terminal_session);
    let none = || UsageError("no session is known here; name one with `--session`".to_owned());
    session.ok_or_else(none).map(Some)
}

/// Paths as they are: a grant does not follow links that a run makes later.
fn paths(named: &[String]) -> Result<Vec<String>, UsageError> {
    let real = |path: &String| {
        let home = || std::env::var(env::HOME).ok();
        let full = match path.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                home().map(|home| format!("{home}{rest}"))
            }
            _ => Some(path.clone()),
        };
        let full = full.unwrap_or_else(|| path.clone());
        let usage =
            |problem: String| UsageError(format!("cannot use the path `{path}`: {problem}"));
        let real = Path::new(&full).canonicalize();
        let real = real.map_err(|error| usage(error.to_string()))?;
        let text = real.into_os_string().into_string();
        text.map_err(|_| usage("it is not valid UTF-8".to_owned()))
    };
    named.iter().map(real).collect()
}
