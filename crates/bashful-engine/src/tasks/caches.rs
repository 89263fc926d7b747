//! What tools cached for agents and managed scripts: looking at it, removing it, and its quota.
//!
//! What goes is the whole cache of a tool at a time: with a part of it gone, a tool would take the
//! rest for all there is.

mod measure;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use bashful_keeper::TaskDirectory;
use serde::Serialize;

use self::measure::{Held, measure};
use crate::base::clock::millis;
use crate::base::removal::remove;
use crate::engine::Engine;
use crate::model::cache_owner::CacheOwner;
use crate::model::task_ids::task_ids;
use crate::record::standing::Standing;
use crate::request::project::project_of;
use crate::request::settings::{Settings, owner};

/// What was used a shorter time ago may be in use by a run of another state directory.
const RECENT: Duration = Duration::from_secs(600);

/// What one agent's tools cached in one project, or those of a managed script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Cache {
    /// Whose it is, if that was noted when it was made.
    pub owner: Option<CacheOwner>,
    /// Where it is.
    pub path: PathBuf,
    /// How much it takes on the disk.
    pub bytes: u64,
    /// When a file in it was last read or written, in milliseconds since 1970; file systems note reading
    /// about once a day. Absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_ms: Option<u64>,
    /// Whether a task runs that may use it.
    pub in_use: bool,
    #[serde(skip)]
    tools: Vec<Tool>,
}

/// What one tool has in a cache.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Tool {
    name: OsString,
    held: Held,
}

/// Which caches are meant: all, unless told otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheFilter {
    /// Those of this agent.
    pub agent: Option<String>,
    /// Those of the project of this workspace.
    pub workspace: Option<PathBuf>,
}

/// What was removed of caches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CleanedCaches {
    /// The caches of tools that went.
    pub removed: Vec<PathBuf>,
    /// How much they took on the disk.
    pub freed_bytes: u64,
    /// Those that stay because a task runs that may use them.
    pub in_use: Vec<PathBuf>,
    /// Those of which something could not be removed.
    pub stuck: Vec<PathBuf>,
}

impl CacheFilter {
    /// Only those of this agent.
    #[must_use]
    pub fn agent(mut self, agent: impl Into<String>) -> Self {
        self.agent = Some(agent.into());
        self
    }

    /// Only those of the project that this directory belongs to.
    #[must_use]
    pub fn workspace(mut self, workspace: impl Into<PathBuf>) -> Self {
        let workspace = workspace.into();
        self.workspace = Some(workspace.canonicalize().unwrap_or(workspace));
        self
    }

    fn takes(&self, cache: &Cache) -> bool {
        let project = self.workspace.as_deref().map(project_of);
        match (&cache.owner, &self.agent, project) {
            (_, None, None) => true,
            (
                Some(CacheOwner::Agent {
                    agent,
                    project: theirs,
                }),
                wanted,
                project,
            ) => {
                wanted.as_ref().is_none_or(|wanted| wanted == agent)
                    && project.is_none_or(|project| project == *theirs)
            }
            _ => false,
        }
    }
}

impl Engine {
    /// The caches that the filter names and that hold something, the largest first.
    pub fn caches(&self, filter: &CacheFilter) -> Vec<Cache> {
        let users = Users::look(self.settings());
        let places = &self.settings().places;
        let entries = fs::read_dir(places.caches()).into_iter().flatten();
        let directories = entries.flatten().filter(|entry| {
            let kind = entry.file_type();
            kind.is_ok_and(|kind| kind.is_dir())
        });
        let caches = directories.map(|entry| {
            let path = entry.path();
            let owner = CacheOwner::of(places, &path);
            let in_use = users.may_use(&path, owner.as_ref());
            Cache::look(path, owner, in_use)
        });
        let mut caches: Vec<Cache> = caches
            .filter(|cache| !cache.tools.is_empty() && filter.takes(cache))
            .collect();
        caches.sort_by(|one, other| (other.bytes, &one.path).cmp(&(one.bytes, &other.path)));
        caches
    }

    /// Empties the caches that the filter names, but for those that a task may use.
    pub fn clean_caches(&self, filter: &CacheFilter, dry_run: bool) -> CleanedCaches {
        let mut cleaned = CleanedCaches::default();
        for cache in self.caches(filter) {
            if self.is_in_use(&cache) {
                cleaned.in_use.push(cache.path);
                continue;
            }
            for tool in &cache.tools {
                cleaned.take(&cache.path, tool, dry_run);
            }
        }
        cleaned
    }

    /// Removes what is beyond the quota of each cache, and in no use: what was not used for the longest
    /// time goes first.
    pub(super) fn keep_cache_quota(&self) {
        let quota = self.config().caches.quota;
        let mut cleaned = CleanedCaches::default();
        let caches = self.caches(&CacheFilter::default()).into_iter();
        for mut cache in caches.filter(|cache| cache.bytes > quota) {
            if self.is_in_use(&cache) {
                continue;
            }
            cache.tools.sort_by_key(|tool| tool.held.last_used);
            let mut held = cache.bytes;
            for tool in cache.tools.iter().filter(|tool| !tool.is_recent()) {
                if held <= quota {
                    break;
                }
                held = held.saturating_sub(tool.held.bytes);
                cleaned.take(&cache.path, tool, false);
            }
        }
    }

    /// Looked at anew: to measure caches takes its time.
    fn is_in_use(&self, cache: &Cache) -> bool {
        Users::look(self.settings()).may_use(&cache.path, cache.owner.as_ref())
    }
}

impl Cache {
    fn look(path: PathBuf, owner: Option<CacheOwner>, in_use: bool) -> Self {
        let entries = fs::read_dir(&path).into_iter().flatten().flatten();
        let tools = entries.map(|entry| Tool {
            held: measure(&entry.path()),
            name: entry.file_name(),
        });
        let tools: Vec<Tool> = tools.collect();
        let last_used = tools.iter().filter_map(|tool| tool.held.last_used).max();
        Self {
            owner,
            path,
            bytes: tools.iter().map(|tool| tool.held.bytes).sum(),
            last_used_ms: last_used.map(since_1970),
            in_use,
            tools,
        }
    }
}

impl Tool {
    fn is_recent(&self) -> bool {
        let age = |used: SystemTime| SystemTime::now().duration_since(used).unwrap_or_default();
        self.held.last_used.is_some_and(|used| age(used) < RECENT)
    }
}

impl CleanedCaches {
    fn take(&mut self, cache: &Path, tool: &Tool, dry_run: bool) {
        let path = cache.join(&tool.name);
        if dry_run || remove(&path) {
            self.freed_bytes = self.freed_bytes.saturating_add(tool.held.bytes);
            self.removed.push(path);
        } else {
            self.stuck.push(path);
        }
    }
}

/// Which caches the tasks may use that run now.
struct Users {
    caches: BTreeSet<PathBuf>,
    /// A task runs that is not known, or which tasks there are is not.
    unknown: bool,
    /// A managed script runs, whose cache is its own.
    scripts: bool,
}

impl Users {
    fn look(settings: &Settings) -> Self {
        let state = &settings.places.state;
        let mut users = Self {
            caches: BTreeSet::new(),
            unknown: false,
            scripts: false,
        };
        let Ok(ids) = task_ids(state) else {
            users.unknown = true;
            return users;
        };
        for id in ids {
            let directory = TaskDirectory::of(state, &id);
            // The lock is held from before the command begins until its end is on record, and a moment
            // longer.
            let is_over = || matches!(Standing::of(&directory), Ok(Some(it)) if it.state.is_over());
            if !directory.is_owned() || is_over() {
                continue;
            }
            match directory.read_spec() {
                Ok(_) if id.as_str().starts_with("script-") => users.scripts = true,
                Ok(spec) => {
                    let project = project_of(&spec.workspace);
                    let cache = settings.cache(&owner(&spec.agent, &project));
                    users.caches.insert(cache);
                }
                Err(_) => users.unknown = true,
            }
        }
        users
    }

    fn may_use(&self, cache: &Path, owner: Option<&CacheOwner>) -> bool {
        let is_script = !matches!(owner, Some(CacheOwner::Agent { .. }));
        self.unknown || self.caches.contains(cache) || (self.scripts && is_script)
    }
}

fn since_1970(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, millis)
}
