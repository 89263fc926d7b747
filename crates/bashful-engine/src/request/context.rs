//! Where a run stands: its directories, its profile, and what it was granted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bashful_policy::{CapabilityChanges, NetworkCapability};

use crate::config::{Granted, HomeMode, Profile};
use crate::model::cache_owner::CacheOwner;
use crate::model::error::{EngineError, InvalidInvocation};
use crate::model::grant::Opening;
use crate::model::transfer::{Transfer, Way};
use crate::request::invocation::Invocation;
use crate::request::project::project_of;
use crate::request::root::project_root;
use crate::request::settings::Settings;
use crate::request::workspace::{lies_in, real_directory};

/// Where a run stands.
#[derive(Debug, Clone)]
pub(crate) struct RunContext<'a> {
    /// The writable root, real.
    pub(crate) workspace: PathBuf,
    /// The directory it starts in, real.
    pub(crate) cwd: PathBuf,
    /// The name of its agent's profile.
    pub(crate) profile_name: &'a str,
    /// The profile of that name, as the configuration has it.
    pub(crate) profile: &'a Profile,
    /// What it may do.
    pub(crate) granted: Granted,
    /// Paths of that which a person opened: they lead to no other place.
    pub(crate) opened: Vec<String>,
    /// Links that a person opened with a program, with where each leads.
    pub(crate) links: BTreeMap<String, String>,
    /// The project of the workspace.
    pub(crate) project: PathBuf,
    /// Where its tools may cache.
    pub(crate) cache: PathBuf,
    /// Whose that is.
    pub(crate) cache_owner: CacheOwner,
    /// The home that is kept for its agent in the project.
    pub(crate) own_home: PathBuf,
    /// Repositories elsewhere that a person let git to with what is outside.
    pub(crate) git: Vec<Transfer>,
    /// Whether a person opened more than it has otherwise: what earlier runs left must not act
    /// with that.
    pub(crate) is_widened: bool,
}

impl<'a> RunContext<'a> {
    /// Finds out where a run stands, and checks that it may.
    pub(crate) fn of(
        settings: &'a Settings,
        invocation: &Invocation,
        agent: &str,
        shell_directory: Option<&Path>,
    ) -> Result<Self, EngineError> {
        let (workspace, cwd) = directories(settings, invocation, shell_directory)?;
        let project = project_of(&workspace);
        let cache = invocation.cache(settings, agent, &project);
        let cache_owner = invocation.cache_owner(agent, &project);
        let own_home = settings.own_home(agent, &project);
        let config = &settings.config;
        let profile_name = match &settings.profile {
            None => config.profile_name(agent),
            Some(asked) => {
                config.check_profile(agent, asked)?;
                asked
            }
        };
        let profile = config
            .profile_named(profile_name)
            .map_err(InvalidInvocation::UnknownProfile)?;
        if let Some(declared) = invocation.declared() {
            let granted = profile.grant_script(&declared)?;
            // Another process may have put another one there since it was looked at.
            let fixed = invocation.fixed_directories();
            if fixed.is_some_and(|fixed| fixed.each_ref() != [&workspace, &cwd]) {
                return Err(InvalidInvocation::OutsideWorkspace {
                    path: cwd,
                    workspace,
                }
                .into());
            }
            let opened = &granted.capabilities;
            let opened = opened.paths_read.iter().chain(&opened.paths_write);
            let opened = opened.filter(|path| *path != ".").cloned().collect();
            return Ok(Self {
                workspace,
                cwd,
                profile_name,
                profile,
                granted,
                opened,
                links: BTreeMap::new(),
                project,
                cache,
                cache_owner,
                own_home,
                git: Vec::new(),
                is_widened: false,
            });
        }
        let wish = invocation.wish.as_ref().unwrap_or(&settings.wish);
        for class in &wish.changes.classes {
            let known = profile.check_class(class);
            known.map_err(InvalidInvocation::UnknownClass)?;
        }
        let mut granted = profile.grant(wish)?;
        if let (Some(usual), None) = (invocation.usual_home, wish.home)
            && profile.home == HomeMode::default()
        {
            granted.home = usual;
        }
        if !cwd.starts_with(&workspace) {
            let root = other_root(invocation, &cwd);
            let root = root.to_string_lossy().into_owned();
            granted.capabilities.paths_write.push(root);
        }
        Ok(Self {
            workspace,
            cwd,
            profile_name,
            profile,
            granted,
            opened: Vec::new(),
            links: BTreeMap::new(),
            project,
            cache,
            cache_owner,
            own_home,
            git: Vec::new(),
            is_widened: false,
        })
    }

    /// The same context with what a person opened, and nothing else; none if the admin does not
    /// give that, or if a path is not what the person saw.
    pub(crate) fn widened(&self, opening: &Opening) -> Option<Self> {
        let granted = self.profile.widen(&self.granted, &opening.changes()).ok()?;
        let mut carried = opening.git.iter().filter(|one| one.way != Way::Path);
        if carried.clone().next().is_some() {
            // What is carried out reaches the network all the same.
            let network = CapabilityChanges {
                network: Some(NetworkCapability::On),
                ..CapabilityChanges::default()
            };
            self.profile.widen(&granted, &network).ok()?;
        }
        let paths = opening.paths_read.iter().chain(&opening.paths_write);
        let as_seen = |path: &&String| {
            let path = Path::new(path);
            path.canonicalize().is_ok_and(|real| real == path)
        };
        if !paths.clone().all(|path| as_seen(&path)) {
            return None;
        }
        let opened = self.opened.iter().chain(paths).cloned();
        let mut git = self.git.clone();
        git.extend(carried.by_ref().cloned());
        git.sort();
        git.dedup();
        let mut links = self.links.clone();
        links.extend(opening.links.clone());
        Some(Self {
            workspace: self.workspace.clone(),
            cwd: self.cwd.clone(),
            granted,
            opened: opened.collect(),
            links,
            project: self.project.clone(),
            cache: self.cache.clone(),
            cache_owner: self.cache_owner.clone(),
            own_home: self.own_home.clone(),
            git,
            is_widened: true,
            ..*self
        })
    }
}

/// The workspace of a request, real.
pub(crate) fn workspace_of(
    settings: &Settings,
    invocation: &Invocation,
) -> Result<PathBuf, EngineError> {
    let named = invocation
        .workspace
        .as_ref()
        .or(settings.workspace.as_ref());
    let workspace = if let Some(named) = named {
        real_directory("workspace", named)?
    } else {
        let here = real_directory("workspace", Path::new("."))?;
        project_root(&here, settings.environment.get("HOME").map(Path::new))
    };
    let is_home = || {
        let home = settings.environment.get("HOME");
        home.and_then(|home| Path::new(home).canonicalize().ok())
            .is_some_and(|home| home == workspace)
    };
    // Everything, or all that is private: only if the caller said so.
    if named.is_none() && (workspace == Path::new("/") || is_home()) {
        return Err(InvalidInvocation::WorkspaceTooWide { path: workspace }.into());
    }
    Ok(workspace)
}

/// Whether a request may start in this directory, which is real.
pub(crate) fn is_inside(directory: &Path, workspace: &Path, invocation: &Invocation) -> bool {
    let mut roots = invocation.roots.clone();
    roots.push(workspace.to_owned());
    directory.is_dir() && lies_in(directory, &roots)
}

/// The workspace and the working directory inside it, both real.
fn directories(
    settings: &Settings,
    invocation: &Invocation,
    shell_directory: Option<&Path>,
) -> Result<(PathBuf, PathBuf), EngineError> {
    let workspace = workspace_of(settings, invocation)?;
    let is_named = invocation.workspace.is_some() || settings.workspace.is_some();
    let cwd = match invocation.cwd.as_deref().or(shell_directory) {
        None if is_named => workspace.clone(),
        // The project is around where the caller is, and the caller stays there.
        None => real_directory("working directory", Path::new("."))?,
        Some(path) => {
            let cwd = real_directory("working directory", &workspace.join(path))?;
            let mut roots = invocation.roots.clone();
            roots.push(workspace.clone());
            if !lies_in(&cwd, &roots) {
                return Err(InvalidInvocation::OutsideWorkspace {
                    path: cwd,
                    workspace,
                }
                .into());
            }
            cwd
        }
    };
    Ok((workspace, cwd))
}

/// Another root of the embedder's, in which a run starts: that is writable like the workspace.
fn other_root(invocation: &Invocation, cwd: &Path) -> PathBuf {
    let roots = invocation.roots.iter();
    let real = roots.filter_map(|root| root.canonicalize().ok());
    let around = real.filter(|root| cwd.starts_with(root) && root.parent().is_some());
    let widest = around.min_by_key(|root| root.components().count());
    widest.unwrap_or_else(|| cwd.to_owned())
}
