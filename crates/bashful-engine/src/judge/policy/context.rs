//! What the policy has to know about a run: its places, its variables, its rights.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use bashful_policy::{Context, Preset};
use bashful_sandbox::{Backend, Protection, ROOM_DIRECTORY};

use super::Case;
use crate::base::secrets::is_key_like;
use crate::config::{Sandbox, env as variables};
use crate::confine::bounds::own_home;
use crate::confine::profile::write_paths;
use crate::model::error::EngineError;
use crate::request::context::RunContext;
use crate::request::invocation::{Inherit, Invocation};
use crate::request::settings::Settings;

/// Variables of the caller that a run gets unchanged, and that are no secret. `HOME` is not
/// among them: it is another one in the run.
const PASSED_ON: [&str; 5] = ["USER", "LANG", "LC_ALL", "TERM", "SHELL"];

/// Variables that the shell itself sets, whatever it is given.
const OF_THE_SHELL: [&str; 3] = ["HOME", "PWD", "OLDPWD"];

/// A longer value is not worth being looked into.
const LONGEST_VALUE: usize = 4096;

/// What the policy has to know about a run.
pub(super) fn of(case: &Case<'_>, run_context: &RunContext<'_>) -> Result<Context, EngineError> {
    let Case {
        settings,
        invocation,
        shell,
        ..
    } = *case;
    let capabilities = &run_context.granted.capabilities;
    let home = real_home(settings);
    Ok(Context {
        directory: text(&run_context.cwd),
        workspace: text(&run_context.workspace),
        write_roots: write_roots(settings, run_context, home.as_deref())?,
        read_roots: read_roots(run_context, home.as_deref()),
        home: home.as_deref().and_then(text),
        run_home: run_home(case, run_context).as_deref().and_then(text),
        variables: known_variables(settings, invocation, run_context),
        links: BTreeMap::new(),
        openable: BTreeMap::new(),
        repositories: BTreeMap::new(),
        network: capabilities.network.clone(),
        classes: capabilities.classes.clone(),
        enforced: is_enforced(settings, run_context),
        shell: shell.map(|state| state.memory(&settings.mask, &invocation.variables)),
        reading: invocation.reading(),
        terminal: false,
    })
}

/// Whether the kernel fully enforces files and network. Where it cannot, a run that needs it does
/// not start, so what the profile asks for is what the run gets.
fn is_enforced(settings: &Settings, run_context: &RunContext<'_>) -> bool {
    let granted = &run_context.granted;
    let needed = [Protection::Filesystem, Protection::Network];
    settings.sandbox != Sandbox::None
        && granted.preset != Preset::Full
        && !needed.iter().any(|one| granted.optional.contains(one))
}

/// The caller's home as `HOME` has it, made plain.
fn real_home(settings: &Settings) -> Option<PathBuf> {
    let home = Path::new(settings.environment.get(variables::HOME)?);
    let plain = home
        .components()
        .all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    if plain && home.is_absolute() {
        Some(home.components().collect())
    } else {
        home.canonicalize().ok()
    }
}

/// Stands for the task, whose name a home for once has.
const JUDGED: &str = "run";

/// What `HOME` is when the text begins, where the engine sets it to a home of its own and no other
/// voice can set it otherwise.
fn run_home(case: &Case<'_>, run_context: &RunContext<'_>) -> Option<PathBuf> {
    let invocation = case.invocation;
    let is_set = invocation.inherit == Inherit::AllowList
        && !invocation.has_own_rights()
        && !invocation
            .variables
            .iter()
            .any(|(name, _)| name == variables::HOME);
    let home = own_home(case.settings, run_context, JUDGED);
    home.filter(|_| is_set)
}

/// Stands for the directory that `TMPDIR` names where a run has no `/tmp` of its own: where
/// that is, is known only when it starts. It is judged as what lies in `/tmp` is.
const OWN_TMP: &str = "/tmp/.bashful-own";

/// Whether a run has that directory instead of a `/tmp` of its own. To judge is not to run: what
/// is not known yet is not tried for it.
fn has_own_tmp(settings: &Settings) -> bool {
    matches!(
        settings.known_enforcer(),
        Some(Backend::Firejail | Backend::Landlock)
    )
}

/// All that the run may write.
fn write_roots(
    settings: &Settings,
    run_context: &RunContext<'_>,
    home: Option<&Path>,
) -> Result<Vec<String>, EngineError> {
    let declared = &run_context.granted.capabilities.paths_write;
    let declared = match write_paths(declared, &run_context.workspace, home) {
        Ok(paths) => paths,
        // Without a sandbox the engine does not need them to be there.
        Err(_) if settings.sandbox == Sandbox::None => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    // The room's own, and gone with it.
    let private: &[&str] = match settings.sandbox {
        Sandbox::None => &["/tmp"],
        Sandbox::Auto | Sandbox::By(_) if has_own_tmp(settings) => &[OWN_TMP],
        Sandbox::Auto | Sandbox::By(_) => &["/tmp", "/dev/shm", ROOM_DIRECTORY],
    };
    let first = std::iter::once(run_context.workspace.clone());
    let private = private.iter().map(PathBuf::from);
    let own = own_home(settings, run_context, JUDGED);
    let own = std::iter::once(run_context.cache.clone()).chain(own);
    let all = first.chain(private).chain(declared).chain(own);
    let mut roots: Vec<String> = Vec::new();
    for root in all.filter_map(|path| text(&path)) {
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    Ok(roots)
}

/// What was granted for reading by name.
fn read_roots(run_context: &RunContext<'_>, home: Option<&Path>) -> Vec<String> {
    let declared = run_context.granted.capabilities.paths_read.iter();
    let declared = declared.filter_map(|path| match (path.strip_prefix('~'), home) {
        (Some(rest), Some(home)) => Some(home.join(rest.trim_start_matches('/'))),
        (Some(_), None) => None,
        (None, _) => Some(run_context.workspace.join(path)),
    });
    let real = declared.filter_map(|path| path.canonicalize().ok());
    real.filter_map(|path| text(&path)).collect()
}

/// Variables whose values the run is sure to see. Keys are left out: what is known here can show
/// up in a decision.
fn known_variables(
    settings: &Settings,
    invocation: &Invocation,
    run_context: &RunContext<'_>,
) -> BTreeMap<String, String> {
    let mut known = BTreeMap::new();
    if invocation.inherit == Inherit::AllowList {
        let passed = PASSED_ON.iter().filter_map(|name| {
            let value = settings.environment.get(*name)?;
            Some(((*name).to_owned(), value.clone()))
        });
        known.extend(passed);
    }
    for (name, value) in &invocation.variables {
        known.insert(name.clone(), value.clone());
    }
    known.extend(invocation.known_variables().iter().cloned());
    let masked = |value: &String| {
        let mut secrets = settings.mask.iter();
        secrets.any(|secret| value.contains(secret.as_str()))
    };
    known.retain(|name, value| {
        !OF_THE_SHELL.contains(&name.as_str())
            && !is_key_like(name)
            && value.len() <= LONGEST_VALUE
            && !masked(value)
    });
    if has_own_tmp(settings) {
        known.insert("TMPDIR".to_owned(), OWN_TMP.to_owned());
    }
    if let Some(directory) = text(&run_context.cwd) {
        known.insert("PWD".to_owned(), directory);
    }
    known
}

fn text(path: &Path) -> Option<String> {
    path.to_str().map(str::to_owned)
}
