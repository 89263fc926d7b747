//! The host around an act: its directories, its listeners, its witnesses.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use bashful_sandbox::{Network, Profile, Protection, Reporting, Resources, WriteMode, WriteRoot};

use crate::owner::{Owner, give_away, overlay, remove_overlay};
use crate::tripwire::{self, Tripwires};

/// Directories of the host, made for one act.
///
/// Their modes let every user do everything, so that it is never a mode that keeps an act
/// out of a place.
pub(crate) struct Scene {
    /// Goes away with the scene.
    temporary: tempfile::TempDir,
    owner: Owner,
    /// The directory that the act works in and may write.
    pub(crate) workspace: PathBuf,
    /// A directory that the profile does not name.
    pub(crate) host: PathBuf,
    /// A directory that may be read.
    pub(crate) shared: PathBuf,
    /// A directory that is to appear empty.
    pub(crate) home: PathBuf,
    /// What acts that read try to get. It is in our environment and in our memory, too.
    pub(crate) secret: String,
    /// By this, processes that outlive their run are found.
    pub(crate) marker: String,
    pub(crate) variables: Vec<(String, String)>,
    /// The standard input of the act, where it is not empty.
    pub(crate) stdin: Option<OwnedFd>,
    /// Descriptors that every process we start would inherit.
    pub(crate) leaks: Vec<OwnedFd>,
    /// Asks each whether a process has called. There are no threads: a room is opened by a
    /// process with one.
    listeners: Vec<Box<dyn Fn() -> Option<&'static str>>>,
    watched: Vec<PathBuf>,
    /// Files of which only the content counts.
    contents: Vec<(PathBuf, Vec<u8>)>,
    tripwires: Tripwires,
    /// Files with rights of their own that the host itself has put there.
    dangerous: Vec<String>,
}

impl Scene {
    pub(crate) fn new(owner: Owner) -> Self {
        Self::below(&std::env::temp_dir(), owner)
    }

    /// The same where no room has anything of its own, so that one can be copied from another.
    pub(crate) fn for_copies(owner: Owner) -> Self {
        Self::below(Path::new("/var/tmp"), owner)
    }

    fn below(place: &Path, owner: Owner) -> Self {
        let temporary = tempfile::Builder::new()
            .prefix("escape")
            .permissions(fs::Permissions::from_mode(0o755))
            .tempdir_in(place)
            .expect("a scene needs a directory");
        let mut root = temporary.path().canonicalize().expect("a path");
        if owner == Owner::OnOverlay {
            root = overlay(&root);
        }
        let marker = format!("marker-{}", temporary.path().file_name().unwrap().display());
        let secret = std::env::var(crate::SECRET).expect("the case has a secret");
        let mut scene = Self {
            temporary,
            owner,
            workspace: root.join("workspace"),
            host: root.join("host"),
            shared: root.join("shared"),
            home: root.join("home"),
            secret,
            marker,
            variables: Vec::new(),
            stdin: None,
            leaks: Vec::new(),
            listeners: Vec::new(),
            watched: Vec::new(),
            contents: Vec::new(),
            tripwires: Tripwires::default(),
            dangerous: Vec::new(),
        };
        let directories = [
            scene.workspace.clone(),
            scene.host.clone(),
            scene.shared.clone(),
            scene.home.clone(),
        ];
        for directory in &directories {
            scene.directory(directory);
        }
        let secret = scene.secret.clone();
        for directory in directories.iter().skip(1) {
            scene.file(&directory.join("file"), &secret);
        }
        scene.watched = directories.into_iter().skip(1).collect();
        let words = [
            ("WORKSPACE", scene.workspace.clone()),
            ("HOST", scene.host.clone()),
            ("SHARED", scene.shared.clone()),
            ("HOME", scene.home.clone()),
        ];
        for (name, path) in words {
            scene.tell(name, path.display());
        }
        scene.tell("SECRET", scene.secret.clone());
        scene.tell("MARKER", scene.marker.clone());
        scene
    }

    /// Tells the act a value, as a variable of its environment.
    pub(crate) fn tell(&mut self, name: &str, value: impl std::fmt::Display) {
        self.variables.push((name.to_owned(), value.to_string()));
    }

    /// A directory that every user may write.
    #[expect(clippy::unused_self, reason = "what is made belongs to the scene")]
    pub(crate) fn directory(&self, path: &Path) {
        fs::create_dir_all(path).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    }

    /// A file that every user may write.
    pub(crate) fn file(&self, path: &Path, text: &str) {
        if let Some(parent) = path.parent()
            && !parent.exists()
        {
            self.directory(parent);
        }
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o666)).unwrap();
    }

    /// A file in the workspace that the host feels a change of.
    pub(crate) fn protected(&mut self, name: &str, text: &str) {
        let path = self.workspace.join(name);
        self.file(&path, text);
        self.watched.push(path);
    }

    /// A witness that says, without waiting, whether the act has reached it.
    pub(crate) fn listener(&mut self, heard: impl Fn() -> Option<&'static str> + 'static) {
        self.listeners.push(Box::new(heard));
    }

    /// A file, or a directory with all that is below it, that the host feels a change of.
    pub(crate) fn watch(&mut self, path: &Path) {
        self.watched.push(path.to_owned());
    }

    /// A file that may be exchanged as long as it says the same.
    pub(crate) fn watch_content(&mut self, path: &Path) {
        self.contents
            .push((path.to_owned(), fs::read(path).unwrap()));
    }

    /// What the act may do, unless its case says otherwise.
    pub(crate) fn profile(&self) -> Profile {
        Profile {
            workspace: self.workspace.clone(),
            read: vec![self.shared.clone()],
            write: vec![WriteRoot {
                path: self.workspace.clone(),
                mode: WriteMode::Direct,
                protect: true,
            }],
            hide: Vec::new(),
            empty: vec![self.home.clone()],
            network: Network::Off,
            hosts: Vec::new(),
            commands: None,
            resources: Resources::default(),
            optional: vec![Protection::Resources, Protection::Identity],
            reporting: Reporting::Usual,
            links: Vec::new(),
            git_obeys: Vec::new(),
        }
    }

    /// Everything is in its place: gives the workspace away, and looks at what must not change.
    pub(crate) fn set(&mut self) {
        if self.owner == Owner::SomebodyElse {
            give_away(&self.workspace);
        }
        self.tripwires = Tripwires::of(&self.watched);
        self.dangerous = tripwire::dangerous(&self.workspace);
    }

    /// What the host has felt of the act.
    pub(crate) fn felt(&self) -> Vec<String> {
        let mut felt = self.tripwires.changes(&Tripwires::of(&self.watched));
        felt.extend(
            self.listeners
                .iter()
                .filter_map(|heard| heard())
                .map(str::to_owned),
        );
        felt.extend(self.contents.iter().filter_map(|(path, before)| {
            let same = fs::read(path).is_ok_and(|now| now == *before);
            (!same).then(|| format!("{} says something else", path.display()))
        }));
        let planted = tripwire::dangerous(&self.workspace);
        felt.extend(
            planted
                .into_iter()
                .filter(|it| !self.dangerous.contains(it)),
        );
        let survivors = crate::process::marked(&self.marker);
        felt.extend(
            survivors
                .iter()
                .map(|pid| format!("process {pid} lives on")),
        );
        felt
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        for pid in crate::process::marked(&self.marker) {
            crate::process::kill(pid);
        }
        if self.owner == Owner::OnOverlay {
            remove_overlay(self.temporary.path());
        }
    }
}

impl std::fmt::Debug for Scene {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_tuple("Scene")
            .field(&self.temporary)
            .finish()
    }
}
