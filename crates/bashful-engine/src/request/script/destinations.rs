//! Where the paths that a script declares lead. A person says yes to what they lead to at that
//! moment: a link that another process puts in their place later opens nothing, and asks again.

use crate::model::script::Destinations;
use std::path::{Path, PathBuf};

use bashful_policy::Capabilities;

use crate::base::digest::digest;
use crate::base::real::real;
use crate::model::script::Script;
use crate::request::settings::Settings;

/// Where the declared paths lead now.
pub(crate) fn destinations(settings: &Settings, capabilities: &Capabilities) -> Destinations {
    let real = |path: &String| {
        let real = real(&expanded(settings, path)?).ok()?;
        Some((path.clone(), real))
    };
    declared(capabilities).filter_map(real).collect()
}

/// The first declared path that leads elsewhere now than it did.
pub(crate) fn led_astray(
    settings: &Settings,
    capabilities: &Capabilities,
    [then, now]: [&Destinations; 2],
) -> Option<String> {
    let moved = |path: &&String| {
        let now = now.get(*path);
        // What was not there then is what its name says, and no link.
        let then = then.get(*path).cloned();
        let then = then.or_else(|| expanded(settings, path));
        now.is_some_and(|now| then.as_ref() != Some(now))
    };
    declared(capabilities).find(moved).cloned()
}

/// A digest of what a person saw: the script, and where a path of it leads elsewhere than its name
/// says.
pub(crate) fn seen_digest(settings: &Settings, script: &Script, now: &Destinations) -> String {
    let astray = now
        .iter()
        .filter(|(path, real)| expanded(settings, path).as_ref() != Some(real));
    let astray: Vec<_> = astray.collect();
    if astray.is_empty() {
        return script.digest();
    }
    let leads = serde_json::json!(astray).to_string();
    digest(&[script.digest().as_bytes(), leads.as_bytes()])
}

/// These capabilities with every path in the place of the name for it.
pub(crate) fn as_they_lead(capabilities: &Capabilities, reach: &Destinations) -> Capabilities {
    // A call may write the same path a little differently.
    let led = |path: &String| {
        let same = |(root, _): &(&String, &PathBuf)| Path::new(root) == Path::new(path);
        let found = reach.iter().find(same);
        found.map_or_else(
            || path.clone(),
            |(_, real)| real.to_string_lossy().into_owned(),
        )
    };
    Capabilities {
        paths_read: capabilities.paths_read.iter().map(led).collect(),
        paths_write: capabilities.paths_write.iter().map(led).collect(),
        ..capabilities.clone()
    }
}

/// A declared path with the home in its place; none for one that is where the script is run.
pub(crate) fn expanded(settings: &Settings, path: &str) -> Option<PathBuf> {
    let home = settings.environment.get("HOME");
    match (path.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            let home = Path::new(home);
            let home = real(home).unwrap_or_else(|_| home.to_owned());
            Some(home.join(rest.trim_start_matches('/')))
        }
        _ => path.starts_with('/').then(|| PathBuf::from(path)),
    }
}

fn declared(capabilities: &Capabilities) -> impl Iterator<Item = &String> {
    let paths = capabilities.paths_read.iter();
    paths.chain(&capabilities.paths_write)
}
