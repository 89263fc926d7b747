//! Everything that a run can reach by name: what was declared, and what comes with it.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use bashful_policy::Preset;
use bashful_sandbox::WriteRoot;

use crate::base::real::real;
use crate::config::HomeMode;
use crate::model::places::{SCRATCH, make_private, other_scratch};

use super::breadth::{check_breadth, is_for_the_system};
use super::paths::{Named, Resolver, check_text};
use super::view::{SYSTEM, is_below, is_system, simplify};
use super::{ConfineRequest, Protect, write_root};
use crate::model::error::confine::ConfineError;

/// Everything that a run can reach by name besides the system directories.
#[derive(Debug)]
pub(super) struct Roots {
    workspace: PathBuf,
    /// What was declared to be read.
    pub(super) read: Vec<Named>,
    /// What was declared to be written.
    pub(super) write: Vec<Named>,
    /// The real home, if it is to be seen.
    pub(super) home: Option<PathBuf>,
    /// Toolchains that the run may read.
    pub(super) tools: Vec<PathBuf>,
    /// The lists of what the system has installed.
    pub(super) databases: Vec<PathBuf>,
    /// What the engine wants readable.
    engine_reads: Vec<PathBuf>,
    /// What the engine wants writable.
    pub(super) engine_writes: Vec<PathBuf>,
    /// Bashful's own directories, which are never to be seen below another.
    pub(super) own: Vec<PathBuf>,
    protect: Protect,
}

impl Roots {
    /// Resolves and checks what was declared.
    pub(super) fn declared(
        request: &ConfineRequest<'_>,
        resolver: &mut Resolver<'_>,
        home: Option<&Path>,
    ) -> Result<Self, ConfineError> {
        let capabilities = request.capabilities;
        let masked = home.filter(|_| request.home == HomeMode::RealMasked);
        let mut roots = Self {
            workspace: request.workspace.to_owned(),
            read: resolver.resolve("paths_read", &capabilities.paths_read)?,
            write: resolver.resolve("paths_write", &capabilities.paths_write)?,
            home: masked.map(Path::to_owned),
            tools: Vec::new(),
            databases: Vec::new(),
            engine_reads: canonical(request.engine_reads),
            engine_writes: Vec::new(),
            own: Vec::new(),
            protect: match request.preset {
                Preset::Full => Protect::No,
                _ => Protect::Yes,
            },
        };
        roots.add_engine_writes(request)?;
        roots.own = roots.own_directories(request);
        let others = roots.of_other_owners(request);
        roots.own.extend(others);
        roots.check(request)?;
        Ok(roots)
    }

    /// Adds what the engine wants writable. Only its caches are its own business: anything else
    /// counts as declared, with all that this means.
    fn add_engine_writes(&mut self, request: &ConfineRequest<'_>) -> Result<(), ConfineError> {
        for given in request.engine_writes {
            let path = existing(given)?;
            if given.starts_with(&request.places.cache) {
                self.engine_writes.push(path);
            } else {
                let written = given.display().to_string();
                self.write.push(Named { written, path });
            }
        }
        Ok(())
    }

    fn check(&self, request: &ConfineRequest<'_>) -> Result<(), ConfineError> {
        let own = |named: &Named, key| ConfineError::OwnDirectory {
            key,
            written: named.written.clone(),
            resolved: named.path.clone(),
        };
        for named in &self.write {
            check_breadth(named, "paths_write", request.preset)?;
            if request.preset != Preset::Full && is_for_the_system(&named.path) {
                return Err(ConfineError::SystemDirectory {
                    key: "paths_write",
                    written: named.written.clone(),
                    resolved: named.path.clone(),
                });
            }
            if is_below(&named.path, &self.own) {
                return Err(own(named, "paths_write"));
            }
        }
        for named in &self.read {
            check_breadth(named, "paths_read", request.preset)?;
        }
        if is_below(&self.workspace, &self.own) {
            let workspace = Named {
                written: ".".to_owned(),
                path: self.workspace.clone(),
            };
            return Err(own(&workspace, "workspace"));
        }
        Ok(())
    }

    /// Bashful's own directories. One that does not exist but could be made by the run is made
    /// now, so that it can be hidden: a run that writes Bashful's configuration sets its own
    /// bounds.
    fn own_directories(&self, request: &ConfineRequest<'_>) -> Vec<PathBuf> {
        let mut own = Vec::new();
        for directory in &own_places(request) {
            // What another user put into a place that is open to all is not ours.
            if *directory == other_scratch() && !is_ours(directory) {
                continue;
            }
            if let Ok(real) = real(directory) {
                // A run's own scratch is out of the reach of everything that it declares, so what
                // lies beside it is not in view.
                if request
                    .scratch
                    .is_none_or(|scratch| !scratch.starts_with(&real))
                {
                    own.push(real);
                }
            } else if self.could_make(directory)
                && make_private(directory).is_ok()
                && let Ok(real) = real(directory)
            {
                own.push(real);
            }
        }
        own
    }

    /// The homes and caches that other agents have, or this one in other projects, where a root
    /// that was declared would show them.
    fn of_other_owners(&self, request: &ConfineRequest<'_>) -> Vec<PathBuf> {
        let places = request.places;
        let all = [
            places.homes(),
            places.homes_for_once(),
            places.all_homes_for_once(),
            places.caches(),
        ];
        let declared = self.declared_paths();
        let shown = all.iter().filter_map(|place| real(place).ok());
        let shown = shown.filter(|place| is_below(place, declared.iter().copied()));
        let each = shown.filter_map(|place| std::fs::read_dir(place).ok());
        let each = each.flatten().flatten();
        let each = each.filter_map(|entry| real(&entry.path()).ok());
        let holds_own = |place: &PathBuf| {
            let mut own = self.engine_writes.iter();
            own.any(|own| own.starts_with(place))
        };
        each.filter(|place| !holds_own(place)).collect()
    }

    /// Whether a directory that does not exist would appear below a writable one.
    fn could_make(&self, directory: &Path) -> bool {
        let parent = directory
            .ancestors()
            .skip(1)
            .find_map(|above| real(above).ok());
        parent.is_some_and(|parent| is_below(&parent, self.write.iter().map(|root| &root.path)))
    }

    /// Every root, whether it may be read or written.
    pub(super) fn all(&self) -> impl Iterator<Item = &Path> {
        let named = self.read.iter().chain(&self.write).map(|named| &named.path);
        let rest = self
            .tools
            .iter()
            .chain(&self.databases)
            .chain(&self.engine_reads)
            .chain(&self.engine_writes)
            .chain(&self.home);
        std::iter::once(&self.workspace)
            .chain(named)
            .chain(rest)
            .map(PathBuf::as_path)
    }

    /// The workspace and what was declared.
    pub(super) fn declared_paths(&self) -> Vec<&Path> {
        let named = self.read.iter().chain(&self.write);
        named
            .map(|named| named.path.as_path())
            .chain(std::iter::once(self.workspace.as_path()))
            .collect()
    }

    /// Whether a path would be seen if nothing were hidden.
    pub(super) fn show(&self, path: &Path) -> bool {
        is_system(path) || is_below(path, self.all())
    }

    /// Whether a run may write there, so that what appears may be its own.
    pub(super) fn lets_write(&self, path: &Path) -> bool {
        let written = self.write.iter().map(|named| &named.path);
        path.starts_with(&self.workspace) || is_below(path, written.chain(&self.engine_writes))
    }

    /// Whether a path was declared exactly.
    pub(super) fn name(&self, path: &Path) -> bool {
        let named = self.read.iter().chain(&self.write);
        path == self.workspace || named.map(|named| &named.path).any(|named| named == path)
    }

    /// Whether more is seen than the workspace, the system, what is the engine's, and toolchains.
    pub(super) fn are_wide(&self) -> bool {
        let named = self.read.iter().chain(&self.write);
        self.home.is_some()
            || named
                .map(|named| &named.path)
                .any(|named| !named.starts_with(&self.workspace))
    }

    /// Whether the real home is to be there and empty: not if it is seen, and not if it holds
    /// what every run needs.
    pub(super) fn leave_empty(&self, home: &Path) -> bool {
        let needed = SYSTEM
            .iter()
            .any(|system| Path::new(system).starts_with(home));
        !needed && !is_below(home, self.all())
    }

    /// What may be read besides the workspace and what may be written.
    pub(super) fn read_list(&self, hide: &[PathBuf]) -> Vec<PathBuf> {
        let writable = self.write.iter().map(|named| &named.path);
        let seen: Vec<&PathBuf> = writable
            .chain(&self.engine_writes)
            .chain(std::iter::once(&self.workspace))
            .collect();
        let declared = self.read.iter().map(|named| &named.path);
        let mut list: Vec<PathBuf> = declared
            .chain(&self.home)
            .chain(&self.tools)
            .chain(&self.databases)
            // The engine can do without what a secret hides.
            .chain(
                self.engine_reads
                    .iter()
                    .filter(|path| !is_below(path, hide)),
            )
            .filter(|path| !is_below(path, seen.iter().copied()))
            .cloned()
            .collect();
        simplify(&mut list);
        list
    }

    /// What may be written.
    pub(super) fn write_list(&self) -> Vec<WriteRoot> {
        let mut list: Vec<WriteRoot> = Vec::new();
        let declared = self.write.iter().map(|named| (&named.path, self.protect));
        let engine = self.engine_writes.iter().map(|path| (path, Protect::No));
        for (path, protect) in declared.chain(engine) {
            // Below a protected root a second one may open what the first protects.
            let covered = |root: &WriteRoot| {
                root.path == *path || (!root.protect && path.starts_with(&root.path))
            };
            if !list.iter().any(covered) {
                list.push(write_root(path.clone(), protect));
            }
        }
        list
    }
}

/// Where Bashful's own directories are, if they are there.
pub(super) fn own_places(request: &ConfineRequest<'_>) -> Vec<PathBuf> {
    let cache = &request.places.cache;
    let mut places = vec![
        request.places.state.clone(),
        request.places.runtime.clone(),
        // What is found out about the host, and what scripts work with.
        cache.join("sandbox"),
        cache.join(SCRATCH),
        other_scratch(),
    ];
    places.extend(request.configuration.map(Path::to_owned));
    places
}

/// Whether a directory, if it is there, is one that we made.
fn is_ours(directory: &Path) -> bool {
    let us = rustix::process::geteuid().as_raw();
    directory
        .symlink_metadata()
        .is_ok_and(|about| about.is_dir() && about.uid() == us)
}

/// Those that exist.
fn canonical(paths: &[PathBuf]) -> Vec<PathBuf> {
    let real = paths.iter().filter_map(|path| real(path).ok());
    real.collect()
}

/// The canonical path of what has to exist.
fn existing(path: &Path) -> Result<PathBuf, ConfineError> {
    let real = real(path);
    let real = real.map_err(|source| ConfineError::UnreadablePath {
        key: "caches",
        written: path.display().to_string(),
        resolved: path.to_owned(),
        source,
    })?;
    check_text(&real)?;
    Ok(real)
}
