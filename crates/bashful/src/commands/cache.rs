//! `bashful cache`: what tools cached for agents, and removing it.

use std::path::Path;

use bashful_engine::{Cache, CacheFilter, CacheOwner, CleanedCaches, Engine};
use serde_json::json;

use super::place::{here, project_around};
use super::{load_config, places};
use crate::cli::{CacheArguments, CacheCommand, WhichCaches};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::prompt::now_ms;
use crate::view::{CacheRow, show_caches, size};

/// Something is left that was to go.
const LEFT: Exit = Exit::Command(1);

pub(crate) fn cache(arguments: &CacheArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let loaded = load_config(&here()?, printer)?;
    let quota = loaded.config.caches.quota;
    let engine = Engine::builder().places(places()?).config(loaded.config);
    let engine = engine.build()?;
    match &arguments.what {
        CacheCommand::Show { which, json } => {
            let caches = engine.caches(&filter(which, None)?);
            show(&caches, quota, *json, printer)?;
            Ok(Exit::Success)
        }
        CacheCommand::Clean {
            which,
            all,
            dry_run,
            json,
        } => {
            let usual = (!all).then(here).transpose()?;
            let filter = filter(which, usual.as_deref())?;
            let cleaned = engine.clean_caches(&filter, *dry_run);
            tell(&cleaned, *dry_run, *json, printer)
        }
    }
}

/// What the flags name; where they name no project, this one, if there is one.
fn filter(which: &WhichCaches, usual: Option<&Path>) -> anyhow::Result<CacheFilter> {
    let mut filter = CacheFilter::default();
    if let Some(agent) = &which.agent {
        filter = filter.agent(agent);
    }
    if let Some(directory) = &which.project {
        filter = filter.workspace(project_around(directory)?);
    } else if let Some(usual) = usual {
        filter = filter.workspace(usual);
    }
    Ok(filter)
}

fn show(caches: &[Cache], quota: u64, as_json: bool, printer: &Printer) -> anyhow::Result<()> {
    if as_json {
        return Ok(printer.json(&json!({ "v": 1, "caches": caches, "quota": quota }))?);
    }
    let rows: Vec<CacheRow> = caches.iter().map(row).collect();
    let mut out = Vec::new();
    show_caches(rows, now_ms(), printer.data_style(), &mut out);
    if !caches.is_empty() {
        let whole = caches.iter().map(|cache| cache.bytes).sum();
        let text = format!(
            "{} together; the quota of each is {}.\n",
            size(whole),
            size(quota)
        );
        out.extend(text.as_bytes());
    }
    Ok(printer.data(&out)?)
}

fn row(cache: &Cache) -> CacheRow {
    let (agent, project) = match &cache.owner {
        Some(CacheOwner::Agent { agent, project }) => (agent.clone(), in_words(project)),
        Some(CacheOwner::Script { script }) => (String::new(), format!("script {script}")),
        // It was made by an older version, or with other directories of state.
        _ => (
            String::new(),
            format!("not known: {}", cache.path.display()),
        ),
    };
    CacheRow {
        agent,
        project,
        bytes: cache.bytes,
        last_used_ms: cache.last_used_ms,
        in_use: cache.in_use,
    }
}

/// What a repository's worktrees have in common is its `.git`; people know the directory around it.
fn in_words(project: &Path) -> String {
    let around = project.parent().filter(|_| project.ends_with(".git"));
    let directory = around.unwrap_or(project);
    let gone = if project.exists() { "" } else { " (gone)" };
    format!("{}{gone}", directory.display())
}

fn tell(
    cleaned: &CleanedCaches,
    dry_run: bool,
    as_json: bool,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    let is_whole = cleaned.in_use.is_empty() && cleaned.stuck.is_empty();
    let exit = if is_whole { Exit::Success } else { LEFT };
    if as_json {
        let mut value = serde_json::to_value(cleaned)?;
        value["v"] = 1.into();
        value["dry_run"] = dry_run.into();
        printer.json(&value)?;
        return Ok(exit);
    }
    let verb = if dry_run { "Would remove" } else { "Removed" };
    let mut text = format!("{verb} {}.\n", size(cleaned.freed_bytes));
    if dry_run {
        let paths = cleaned.removed.iter();
        text.extend(paths.map(|path| format!("  {}\n", path.display())));
    }
    printer.data(text.as_bytes())?;
    for path in &cleaned.in_use {
        let text = format!(
            "`{}` stays: a task runs that may use it; `bashful tasks` lists them",
            path.display()
        );
        printer.note("note", &text);
    }
    for path in &cleaned.stuck {
        let text = format!("`{}` cannot be removed: remove it yourself", path.display());
        printer.note("error", &text);
    }
    Ok(exit)
}
