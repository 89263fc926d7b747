//! A small world of directories for the tests of this module, and what a profile shows.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use bashful_policy::{Capabilities, CapabilityChanges, Preset};
use bashful_sandbox::Profile;

use crate::config::HomeMode;
use crate::model::places::Places;

use super::view::{is_below, is_system};
use super::{ConfineError, ConfineRequest, Confined, confine};

/// A home with a workspace in it, and a place elsewhere.
pub(super) struct World {
    _directory: tempfile::TempDir,
    pub(super) base: PathBuf,
    pub(super) home: PathBuf,
    pub(super) workspace: PathBuf,
    pub(super) places: Places,
    pub(super) cache: PathBuf,
    pub(super) caller: BTreeMap<String, String>,
    pub(super) path: String,
    pub(super) preset: Preset,
    pub(super) mode: HomeMode,
    pub(super) own_home: Option<PathBuf>,
    pub(super) is_widened: bool,
    /// What the engine wants writable besides the cache.
    pub(super) further: Vec<PathBuf>,
}

impl World {
    pub(super) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let home = base.join("home");
        let world = Self {
            workspace: home.join("project"),
            places: Places {
                state: home.join(".local/state/bashful"),
                runtime: base.join("run/bashful"),
                cache: home.join(".cache/bashful"),
            },
            cache: home.join(".cache/bashful/projects/p"),
            caller: BTreeMap::new(),
            path: "/usr/bin:/bin".to_owned(),
            preset: Preset::Workspace,
            mode: HomeMode::Workspace,
            own_home: None,
            is_widened: false,
            further: Vec::new(),
            _directory: directory,
            base,
            home,
        };
        for path in [
            &world.workspace,
            &world.places.state,
            &world.places.runtime,
            &world.cache,
        ] {
            fs::create_dir_all(path).unwrap();
        }
        world
    }

    /// Makes a file with what is above it, and gives its path.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        let path = self.base.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, name).unwrap();
        path
    }

    pub(super) fn directory(&self, name: &str) -> PathBuf {
        let path = self.base.join(name);
        fs::create_dir_all(&path).unwrap();
        path
    }

    pub(super) fn program(&self, name: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.file(name);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    pub(super) fn link(&self, target: impl AsRef<Path>, name: &str) {
        let path = self.base.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    }

    /// Confines with the preset, changed by what the JSON says.
    pub(super) fn confine(&self, changes: &str) -> Result<Confined, ConfineError> {
        let changes: CapabilityChanges = serde_json::from_str(changes).unwrap();
        self.confine_with(&self.preset.capabilities().with(&changes))
    }

    pub(super) fn confine_with(
        &self,
        capabilities: &Capabilities,
    ) -> Result<Confined, ConfineError> {
        let configuration = self.home.join(".config/bashful");
        let cache = std::iter::once(&self.cache).chain(&self.own_home);
        let writes: Vec<PathBuf> = cache.chain(&self.further).cloned().collect();
        confine(&ConfineRequest {
            scratch: None,
            as_seen: &[],
            links: &std::collections::BTreeMap::new(),
            capabilities,
            preset: self.preset,
            optional: &[bashful_sandbox::Protection::Resources],
            home: self.mode,
            own_home: self.own_home.as_deref(),
            is_widened: self.is_widened,
            workspace: &self.workspace,
            directory: &self.workspace,
            real_home: Some(&self.home),
            path_variable: &self.path,
            caller: &self.caller,
            places: &self.places,
            configuration: Some(&configuration),
            engine_reads: &[],
            engine_writes: &writes,
        })
    }

    /// The profile, which must exist.
    pub(super) fn profile(&self, changes: &str) -> Profile {
        match self.confine(changes) {
            Ok(confined) => confined.profile,
            Err(error) => panic!("{changes}: {error}"),
        }
    }

    /// What goes wrong: the kind, and the message without the directory.
    pub(super) fn refusal(&self, changes: &str) -> (String, String) {
        match self.confine(changes) {
            Ok(confined) => panic!("{changes}: {:?}", confined.profile),
            Err(error) => {
                let base = self.base.display().to_string();
                let message = error.to_string().replace(&base, "");
                assert!(error.hint().is_some(), "{message}");
                (error.kind().to_owned(), message)
            }
        }
    }

    /// Paths without the directory, for comparing.
    pub(super) fn short<'a>(&self, paths: impl IntoIterator<Item = &'a PathBuf>) -> Vec<String> {
        let short = |path: &PathBuf| {
            let inside = path.strip_prefix(&self.base);
            inside.unwrap_or(path).display().to_string()
        };
        paths
            .into_iter()
            .filter(|path| path.starts_with(&self.base))
            .map(short)
            .collect()
    }
}

/// Whether a profile lets this existing, canonical path be read.
pub(super) fn is_readable(profile: &Profile, path: &Path) -> bool {
    let write = profile.write.iter().map(|root| &root.path);
    let roots = write.chain(&profile.read).chain([&profile.workspace]);
    (is_below(path, roots) || is_system(path)) && !is_below(path, &profile.hide)
}

/// Whether a profile lets this existing, canonical path be written.
pub(super) fn is_writable(profile: &Profile, path: &Path) -> bool {
    let roots = profile.write.iter().map(|root| &root.path);
    is_below(path, roots) && !is_below(path, &profile.hide)
}
