//! What a run may do, from its agent's profile, its own wish and its places.

use crate::base::real::real;
use crate::confine::environment::{USUAL_PATH, git_identity};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bashful_keeper::RoomRequest;
use bashful_policy::Preset;
use bashful_sandbox::{AbsentNames, Profile, ROOM_DIRECTORY, SYSTEM_DIRECTORIES};
use serde::{Deserialize, Serialize};

use crate::config::{Granted, HomeMode, Sandbox};
use crate::confine::profile::{ConfineError, ConfineRequest, Fingerprint, HomeDirectory, confine};
use crate::model::error::EngineError;
use crate::request::context::RunContext;
use crate::request::invocation::{Action, Invocation};
use crate::request::settings::Settings;

pub(crate) mod lessons;
mod remembered;

use lessons::Surroundings;
pub(crate) use remembered::Remembered;
use remembered::{Known, Purpose};

/// The bounds of one run, or of several that are alike.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Bounds {
    pub(crate) profile: Arc<Profile>,
    /// Secrets that must not be seen should they come into being.
    absent: AbsentNames,
    /// What `HOME` is.
    pub(crate) home: PathBuf,
    /// Variables that let toolchains be found.
    environment: Vec<(String, String)>,
    /// Directories on `PATH` that runs can write, and that therefore come last now.
    pub(crate) put_last: Vec<PathBuf>,
}

/// Whether nothing is named that would have to be looked for anew.
fn is_plain(granted: &Granted, invocation: &Invocation) -> bool {
    let capabilities = &granted.capabilities;
    let paths = [
        &capabilities.paths_read,
        &capabilities.paths_write,
        &capabilities.paths_deny,
    ];
    let usual = granted.preset.capabilities();
    let usual = [&usual.paths_read, &usual.paths_write, &usual.paths_deny];
    let here = |list: &&Vec<String>| list.iter().all(|path| path == ".");
    let as_usual = if invocation.has_own_rights() {
        paths.iter().all(here)
    } else {
        paths == usual
    };
    as_usual
        && capabilities.commands.is_none()
        && granted.preset != Preset::Full
        && matches!(granted.home, HomeMode::Workspace | HomeMode::Project)
        && invocation.variables.is_empty()
}

/// The home that a run is given of the engine's, if it has one of these: a new one where a person
/// opened more for the run.
pub(crate) fn own_home(
    settings: &Settings,
    ground: &RunContext<'_>,
    task: &str,
) -> Option<PathBuf> {
    if ground.granted.home != HomeMode::Project {
        return None;
    }
    Some(if ground.is_widened {
        settings.places.homes_for_once().join(task)
    } else {
        ground.own_home.clone()
    })
}

/// The bounds of a run; none without a sandbox.
pub(crate) fn bounds(
    settings: &Settings,
    invocation: &Invocation,
    ground: &RunContext<'_>,
    own_home: Option<&Path>,
) -> Result<Option<Arc<Bounds>>, EngineError> {
    if settings.sandbox == Sandbox::None {
        own_home.map_or(Ok(()), make_private_directory)?;
        return Ok(None);
    }
    let RunContext {
        workspace,
        cwd,
        granted,
        cache,
        ..
    } = ground;
    let plain = is_plain(granted, invocation) && !ground.is_widened;
    let purpose = Purpose {
        workspace: workspace.clone(),
        cache: cache.clone(),
        home: own_home.map(Path::to_owned),
        granted: granted.clone(),
    };
    let surroundings = Surroundings {
        settings,
        invocation,
        ground,
        own_home,
    };
    // What another process told is for the very same call.
    let mark = plain.then(|| surroundings.mark()).flatten();
    let known = if plain {
        let remembered = settings.kept.of::<Remembered>();
        remembered
            .find(&purpose)
            .or_else(|looked_at| lessons::find(mark.as_deref()).map_err(|told| looked_at.or(told)))
    } else {
        Err(None)
    };
    let looked_at = match known {
        Ok(bounds) => return Ok(Some(bounds)),
        Err(looked_at) => looked_at,
    };
    if workspace.parent().is_none() && granted.preset != Preset::Full {
        return Err(ConfineError::WholeFileSystem {
            key: "workspace",
            written: workspace.to_string_lossy().into_owned(),
        }
        .into());
    }
    if !cache.is_dir() {
        make_private_directory(cache)?;
        ground.cache_owner.note(&settings.places, cache);
    }
    own_home.map_or(Ok(()), make_private_directory)?;
    // Before anything is found, so that what changes meanwhile is seen by the next run.
    let fingerprint = looked_at.map(Fingerprint::of);
    let reads: Vec<PathBuf> = git_identity(settings)
        .into_iter()
        .map(Path::to_owned)
        .collect();
    let writes: Vec<PathBuf> = std::iter::once(cache.as_path())
        .chain(own_home)
        .map(Path::to_owned)
        .collect();
    let configuration = settings.configuration();
    let scratch = invocation.scratch();
    let confined = confine(&ConfineRequest {
        capabilities: &granted.capabilities,
        as_seen: &ground.opened,
        links: &ground.links,
        preset: granted.preset,
        optional: &granted.optional,
        home: granted.home,
        own_home,
        is_widened: ground.is_widened,
        workspace,
        scratch: scratch.as_deref(),
        directory: cwd,
        real_home: settings.environment.get("HOME").map(Path::new),
        path_variable: path_variable(settings, invocation),
        caller: &settings.environment,
        places: &settings.places,
        configuration: configuration.as_deref(),
        engine_reads: &reads,
        engine_writes: &writes,
    })?;
    let home = match confined.home {
        HomeDirectory::At(path) => path,
        HomeDirectory::Scratch => Path::new(ROOM_DIRECTORY).join("home"),
    };
    let bounds = Arc::new(Bounds {
        profile: Arc::new(confined.profile),
        absent: confined.absent,
        home,
        environment: confined.environment,
        put_last: confined.put_last,
    });
    if plain {
        let known = Known::of(fingerprint, confined.looked_at);
        if let Some(mark) = mark {
            lessons::learn(mark, &known, &bounds);
        }
        let remembered = settings.kept.of::<Remembered>();
        remembered.keep(purpose, known, &bounds);
    }
    Ok(Some(bounds))
}

/// Where the programs of a run are looked for, before it is ordered.
fn path_variable<'a>(settings: &'a Settings, invocation: &'a Invocation) -> &'a str {
    let mut injected = invocation.variables.iter().rev();
    let injected = injected.find(|(name, _)| name == "PATH");
    invocation
        .search_path()
        .or_else(|| injected.map(|(_, value)| value.as_str()))
        .or_else(|| settings.environment.get("PATH").map(String::as_str))
        .unwrap_or(USUAL_PATH)
}

impl Bounds {
    /// Adapts the environment to what the run sees; what the caller injected stays.
    pub(crate) fn adapt(
        &self,
        environment: &mut BTreeMap<String, String>,
        injected: &[(String, String)],
    ) {
        let is_injected = |name: &str| injected.iter().any(|(other, _)| other == name);
        // The caller's own temporary directory is not there.
        if !is_injected("TMPDIR") {
            environment.remove("TMPDIR");
        }
        for (name, value) in &self.environment {
            if !is_injected(name) {
                environment.insert(name.clone(), value.clone());
            }
        }
    }

    /// Leaves out of `PATH` what the run cannot open. Where the host's tree is in view, a program
    /// that is there and closed would be found, and not the next of its name.
    pub(crate) fn shorten_path(
        &self,
        environment: &mut BTreeMap<String, String>,
        injected: &[(String, String)],
    ) {
        if injected.iter().any(|(name, _)| name == "PATH") {
            return;
        }
        let Some(path) = environment.get_mut("PATH") else {
            return;
        };
        let profile = &self.profile;
        let open = |entry: &Path| {
            let written = profile.write.iter().map(|root| root.path.as_path());
            let read = profile.read.iter().map(PathBuf::as_path);
            let mut roots = SYSTEM_DIRECTORIES
                .iter()
                .map(Path::new)
                .chain([profile.workspace.as_path()])
                .chain(written)
                .chain(read);
            let real = real(entry);
            // What is not there does no harm.
            real.map_or(true, |real| roots.any(|root| real.starts_with(root)))
        };
        let kept = path.split(':').filter(|entry| open(Path::new(entry)));
        let kept: Vec<&str> = kept.collect();
        *path = kept.join(":");
    }

    /// The room for a run of this program.
    pub(crate) fn room(
        &self,
        program: &Path,
        invocation: &Invocation,
        settings: &Settings,
    ) -> RoomRequest {
        let mut profile = Profile::clone(&self.profile);
        // The shell runs with any list of commands: its built-ins stay.
        if let (Some(commands), Action::Bash(_)) = (&mut profile.commands, &invocation.action) {
            commands.push(program.to_owned());
        }
        profile.reporting = invocation.reporting;
        RoomRequest {
            backend: settings.enforcer().unwrap_or_default(),
            profile,
            absent: self.absent.clone(),
            fresh: invocation.fresh,
            cache: Some(settings.places.cache.join("sandbox")),
        }
    }
}

/// Tools cache here; it must be there before the sandbox is built around it.
fn make_private_directory(path: &Path) -> Result<(), EngineError> {
    if path.is_dir() {
        return Ok(());
    }
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|source| EngineError::StateDirectory {
            path: path.to_owned(),
            source,
        })
}
