//! Grants that were given under rules that changed since: they hold no more, which is told once, with
//! what gives them again.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use bashful_engine::approvals::{
    ApprovalQueue, Grant, Scope, Subject, WhichGrants, version_of_policy,
};
use bashful_engine::config::Config;

use crate::printer::Printer;
use crate::view::{shape, visible};

/// Names the ids that were told, below the state directory.
const TOLD: &str = "grants.told";

/// Lists those that were not listed before.
pub(crate) fn tell(queue: &ApprovalQueue, printer: &Printer) -> anyhow::Result<()> {
    let here = crate::commands::place::here()?;
    let held = queue.grants(WhichGrants::Holding)?;
    if held.iter().all(|grant| grant.policy.is_none()) {
        return Ok(());
    }
    let config = crate::commands::load_config(&here, printer)?.config;
    let path = crate::commands::places()?.state.join(TOLD);
    let told = fs::read_to_string(&path).unwrap_or_default();
    let told: BTreeSet<&str> = told.lines().collect();
    let is_new = |grant: &&Grant| !told.contains(grant.id.as_str()) && is_older(&config, grant);
    let new: Vec<&Grant> = held.iter().filter(is_new).collect();
    if new.is_empty() {
        return Ok(());
    }
    let count = new.len();
    let sentence = format!(
        "the rules have changed since {count} of the grants were given, so that they hold no more; \
         to give them again:"
    );
    printer.note("note", &sentence);
    for grant in &new {
        printer.talk(format!("  {}\n", visible(&again(grant))).as_bytes());
    }
    let ids = told
        .into_iter()
        .chain(new.iter().map(|grant| grant.id.as_str()));
    let text = ids.collect::<Vec<_>>().join("\n");
    // Told twice is better than not at all.
    let _ = fs::write(&path, text);
    Ok(())
}

/// Whether it is for rules that no profile has any more.
fn is_older(config: &Config, grant: &Grant) -> bool {
    let Some(policy) = &grant.policy else {
        return false;
    };
    let mut names = config.profile_names();
    !names.any(|name| {
        version_of_policy(config, &grant.agent, Some(name)).is_ok_and(|now| now == *policy)
    })
}

/// The command that gives it again.
fn again(grant: &Grant) -> String {
    let mut words = vec!["bashful".to_owned(), "grants".to_owned(), "add".to_owned()];
    let mut add = |flag: &str, value: &str| {
        words.push(flag.to_owned());
        words.push(shape(&[value.to_owned()]));
    };
    match &grant.subject {
        Subject::Command { text, .. } => add("--exact", text),
        Subject::Shapes(shapes) => {
            if let Some(first) = shapes.first() {
                add("--command", &shape(first));
            }
        }
        _ => {}
    }
    add("--scope", grant.scope.as_str());
    if let Some(session) = grant
        .session
        .as_ref()
        .filter(|_| grant.scope == Scope::Session)
    {
        add("--session", session);
    }
    add("--agent", &grant.agent);
    let place = grant.directory.as_deref().or(grant.project.as_deref());
    // A repository is named by its own directory.
    let place = place.map(|place| match place.file_name() {
        Some(name) if name == ".git" => place.parent().unwrap_or(place),
        _ => place,
    });
    if let Some(place) = place.and_then(Path::to_str) {
        add("--workspace", place);
    }
    let opens = &grant.opens;
    opens
        .network
        .iter()
        .for_each(|network| add("--network", network));
    opens.classes.iter().for_each(|class| add("--class", class));
    opens.paths_read.iter().for_each(|path| add("--read", path));
    opens
        .paths_write
        .iter()
        .for_each(|path| add("--write", path));
    words.join(" ")
}
