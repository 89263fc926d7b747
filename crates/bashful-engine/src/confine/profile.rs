//! From what was granted to what the sandbox enforces: the only bridge between the two.
//!
//! Everything that a run will see or write is decided here, once, on canonical paths. What
//! cannot be decided safely is an error, and nothing starts. The claim to check: what the
//! resulting profile shows lies in what was granted or in the system directories, and nothing
//! denied or secret is in it. `confine/tests_laws.rs` holds this module to the claim on random
//! trees.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bashful_policy::{Capabilities, HostRules, NetworkCapability, Preset};
use bashful_sandbox::{AbsentNames, Network, Profile, Protection, Reporting, WriteMode, WriteRoot};

use crate::base::real::real;
use crate::config::HomeMode;
use crate::model::places::Places;

mod aliases;
mod breadth;
mod commands;
mod deny;
mod git;
mod glob;
mod limits;
mod links;
mod listed;
mod looked_at;
mod paths;
mod roots;
mod search_path;
mod secrets;
mod toolchains;
mod view;
mod walk;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_laws;
#[cfg(test)]
mod tests_looked_at;
#[cfg(test)]
mod tests_secrets;
#[cfg(test)]
mod tests_support;
#[cfg(test)]
mod tests_toolchains;

pub use crate::model::error::confine::ConfineError;

pub(crate) use looked_at::{Fingerprint, LookedAt};

use deny::Denied;
use git::GitObeys;
use listed::Listed;
use paths::Resolver;
use roots::Roots;
use search_path::SearchPath;
use toolchains::Toolchains;

/// What is to be confined, and where.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConfineRequest<'a> {
    /// What was granted, the preset's own capabilities included.
    pub(crate) capabilities: &'a Capabilities,
    /// The preset, which also says which toolchains are seen and whether secrets are hidden.
    pub(crate) preset: Preset,
    /// Paths of those capabilities that a person opened: they lead to no other place.
    pub(crate) as_seen: &'a [String],
    /// Links that a person opened with a program, with where each leads.
    pub(crate) links: &'a BTreeMap<String, String>,
    /// Protections that the run may go without.
    pub(crate) optional: &'a [Protection],
    /// What the run's home is.
    pub(crate) home: HomeMode,
    /// The home that the engine keeps or makes for the run, if it is one of these.
    pub(crate) own_home: Option<&'a Path>,
    /// Whether a person opened more for the run than others of its agent have.
    pub(crate) is_widened: bool,
    /// The workspace, canonical.
    pub(crate) workspace: &'a Path,
    /// The directory that the run starts in, canonical. Where it is not to be seen, it is there
    /// and empty.
    pub(crate) directory: &'a Path,
    /// The workspace, if that is a directory that Bashful made for this run; canonical.
    pub(crate) scratch: Option<&'a Path>,
    /// The caller's own home, if there is one.
    pub(crate) real_home: Option<&'a Path>,
    /// The run's PATH.
    pub(crate) path_variable: &'a str,
    /// The caller's variables, which say where toolchains are.
    pub(crate) caller: &'a dyn Caller,
    /// Where Bashful keeps its own things.
    pub(crate) places: &'a Places,
    /// Where Bashful's user configuration is.
    pub(crate) configuration: Option<&'a Path>,
    /// Existing files and directories that the engine itself wants readable, such as git's
    /// idea of who the user is.
    pub(crate) engine_reads: &'a [PathBuf],
    /// Existing directories that the engine itself wants writable: the project's caches. What
    /// does not lie in [`Places::cache`] counts as declared by the caller.
    pub(crate) engine_writes: &'a [PathBuf],
}

/// The caller's environment.
pub(crate) trait Caller: std::fmt::Debug {
    /// The value of a variable.
    fn variable(&self, name: &str) -> Option<&str>;
}

impl Caller for std::collections::BTreeMap<String, String> {
    fn variable(&self, name: &str) -> Option<&str> {
        self.get(name).map(String::as_str)
    }
}

/// A run's bounds, ready for the sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Confined {
    /// What the sandbox enforces.
    pub(crate) profile: Profile,
    /// Secrets that must not be seen should they come into being.
    pub(crate) absent: AbsentNames,
    /// Variables that let toolchains be found though the home is another.
    pub(crate) environment: Vec<(String, String)>,
    /// Directories on `PATH` that runs can write, and that therefore come last now.
    pub(crate) put_last: Vec<PathBuf>,
    /// What `HOME` is to be.
    pub(crate) home: HomeDirectory,
    /// All that was looked at on the host for bounds like these; none if that was more than can be
    /// looked at again for every run.
    pub(crate) looked_at: Option<LookedAt>,
}

/// What `HOME` is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HomeDirectory {
    /// This directory of the host.
    At(PathBuf),
    /// A directory of the room's own, which the sandbox makes.
    Scratch,
}

/// Turns what was granted into what the sandbox enforces.
pub(crate) fn confine(request: &ConfineRequest<'_>) -> Result<Confined, ConfineError> {
    let capabilities = request.capabilities;
    let home = real_home(request)?;
    let (network, hosts) = network(&capabilities.network)?;
    let resources = limits::resources(&capabilities.resources)?;

    let mut resolver =
        Resolver::new(request.workspace, home.as_deref()).not_following(request.as_seen);
    let mut roots = Roots::declared(request, &mut resolver, home.as_deref())?;
    let denied = Denied::resolve(request, &mut resolver)?;
    denied.check(request, &roots)?;
    let mut listed = Listed::default();
    let mut tools = match request.preset {
        Preset::Workspace | Preset::Build => {
            toolchains::add(request, home.as_deref(), &denied, &mut roots, &mut listed)?
        }
        _ => Toolchains::default(),
    };
    let search_path = match request.preset {
        // All that the user may write can be written.
        Preset::Full => SearchPath::default(),
        _ => search_path::ordered(request, &roots),
    };
    let mut environment = std::mem::take(&mut tools.environment);
    let mut path_variable = request.path_variable;
    if request.preset != Preset::Full && search_path.text != path_variable {
        environment.push(("PATH".to_owned(), search_path.text.clone()));
        path_variable = &search_path.text;
    }
    let commands = commands::resolve(request, path_variable)?;

    let of_tools = std::mem::take(&mut tools.secrets);
    let secrets::Secrets {
        mut hide,
        absent,
        searched,
        lists,
    } = secrets::find(request, home.as_deref(), &mut roots, of_tools, &mut listed)?;
    let git = GitObeys::find(request);
    let looked_at = (!searched).then(|| LookedAt::of(request, &git, tools, lists));
    hide.extend(denied.hidden(&roots)?);
    if request.is_widened {
        hide.extend(planted(request, &roots));
    }
    view::simplify(&mut hide);
    for path in &hide {
        paths::check_text(path)?;
    }

    let home_setting = match (request.home, &home) {
        (HomeMode::Project, _) => match request.own_home.and_then(|home| real(home).ok()) {
            Some(home) => HomeDirectory::At(home),
            None => HomeDirectory::Scratch,
        },
        (HomeMode::Workspace, _) => HomeDirectory::At(request.workspace.to_owned()),
        (HomeMode::Private, _) => HomeDirectory::Scratch,
        (HomeMode::RealMasked, Some(home)) => HomeDirectory::At(home.clone()),
        (HomeMode::RealMasked, None) => return Err(ConfineError::NoRealHome),
    };
    let empty = home.filter(|home| roots.leave_empty(home));
    let start = Some(request.directory.to_owned());
    let start =
        start.filter(|start| !roots.show(start) && empty.as_ref().is_none_or(|home| home != start));
    Ok(Confined {
        absent,
        profile: Profile {
            workspace: request.workspace.to_owned(),
            links: links_to_show(request, &roots),
            read: roots.read_list(&hide),
            write: roots.write_list(),
            hide,
            empty: empty.into_iter().chain(start).collect(),
            network,
            hosts,
            commands,
            resources,
            optional: request.optional.to_vec(),
            reporting: Reporting::default(),
            git_obeys: git.paths,
        },
        environment,
        put_last: search_path.put_last,
        home: home_setting,
        looked_at,
    })
}

/// The paths that a run was granted to write, resolved as its sandbox does.
pub(crate) fn write_paths(
    declared: &[String],
    workspace: &Path,
    home: Option<&Path>,
) -> Result<Vec<PathBuf>, ConfineError> {
    let mut resolver = Resolver::new(workspace, home);
    let named = resolver.resolve("paths_write", declared)?;
    Ok(named.into_iter().map(|named| named.path).collect())
}

/// The links that a person opened, where nothing that the run sees has them already. A link opens
/// nothing: what it leads to has to be there by itself.
fn links_to_show(request: &ConfineRequest<'_>, roots: &Roots) -> Vec<(PathBuf, PathBuf)> {
    let links = request.links.iter();
    let links = links.map(|(name, target)| (PathBuf::from(name), PathBuf::from(target)));
    let is_free = |path: &Path| !roots.show(path) && path.parent().is_some();
    links.filter(|(name, _)| is_free(name)).collect()
}

/// What earlier runs may have left in the caches that programs obey, and that must not act with what
/// a person opened for this run.
fn planted(request: &ConfineRequest<'_>, roots: &Roots) -> Vec<PathBuf> {
    const OBEYED: [&str; 4] = ["config", "config.toml", "credentials.toml", "bin"];
    let caches = roots.engine_writes.iter().filter(|place| {
        let home = request.own_home.and_then(|home| real(home).ok());
        home.as_ref() != Some(place)
    });
    let named = caches.flat_map(|cache| OBEYED.map(|name| cache.join("cargo").join(name)));
    // What a link leads to is hidden where it is seen; a link that leads nowhere does nothing.
    let real = named.filter_map(|path| real(&path).ok());
    real.filter(|path| roots.lets_write(path)).collect()
}

/// The caller's home, canonical; none if there is no such directory.
fn real_home(request: &ConfineRequest<'_>) -> Result<Option<PathBuf>, ConfineError> {
    let home = request.real_home.filter(|home| home.is_absolute());
    let Some(home) = home.and_then(|home| real(home).ok()) else {
        return Ok(None);
    };
    paths::check_text(&home)?;
    Ok(Some(home))
}

/// What the network is, and the hosts of one by name. No hosts are no network.
fn network(wished: &NetworkCapability) -> Result<(Network, Vec<String>), ConfineError> {
    match wished {
        NetworkCapability::Off => Ok((Network::Off, Vec::new())),
        NetworkCapability::On => Ok((Network::On, Vec::new())),
        NetworkCapability::Hosts(hosts) => {
            let mut hosts = HostRules::parse(hosts)?.texts();
            // The same hosts are the same room.
            hosts.sort_unstable();
            if hosts.is_empty() {
                return Ok((Network::Off, hosts));
            }
            Ok((Network::Named, hosts))
        }
    }
}

fn write_root(path: PathBuf, protect: Protect) -> WriteRoot {
    WriteRoot {
        path,
        mode: WriteMode::Direct,
        protect: protect == Protect::Yes,
    }
}

/// Whether what would execute on the host later is protected in a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protect {
    Yes,
    No,
}
