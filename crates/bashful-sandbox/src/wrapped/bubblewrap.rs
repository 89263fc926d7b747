//! A plan in the words of `bwrap`: arguments as data, nothing is done here.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::place::Place;
use super::program::{Setuid, WrapperProgram};
use super::{ARGUMENTS, EXECUTABLE, FILTER, WrapperError, is_own};
use crate::launch::Launch;
use crate::plan::{Access, Entry, Plan, Private};
use crate::survey::Identity;
use crate::sys::first::FIRST_ARGUMENT;

/// The options that it must know. `--perms` came with version 0.5.
const NEEDED: &[&str] = &[
    "--args",
    "--as-pid-1",
    "--bind",
    "--cap-drop",
    "--clearenv",
    "--dev",
    "--die-with-parent",
    "--perms",
    "--proc",
    "--remount-ro",
    "--ro-bind",
    "--seccomp",
    "--unshare-cgroup-try",
];

/// The program, if it is there, can be trusted and is new enough.
pub(super) fn find() -> Result<WrapperProgram, WrapperError> {
    let program = WrapperProgram::find("bwrap", Setuid::Refused)?;
    program.require(NEEDED)?;
    Ok(program)
}

/// The launch of the program. Every user can read its command line, so all that matters
/// comes through a descriptor.
pub(super) fn launch(program: &WrapperProgram) -> Launch {
    let executable = format!("/proc/self/fd/{EXECUTABLE}");
    around(program, &[&executable, FIRST_ARGUMENT])
}

/// The same around any command.
pub(super) fn around(program: &WrapperProgram, command: &[&str]) -> Launch {
    let launch = Launch::new(&program.path, "bwrap")
        .argument("--args")
        .argument(ARGUMENTS.to_string())
        .argument("--");
    command.iter().fold(launch, Launch::argument)
}

/// What is written behind that descriptor.
pub(super) fn arguments(plan: &Plan, place: &Place, program: &WrapperProgram) -> Vec<OsString> {
    let mut words = Words(Vec::new());
    words.plain(&[
        "--die-with-parent",
        "--as-pid-1",
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
        "--clearenv",
        "--chdir",
        "/",
    ]);
    if plan.network.is_own() {
        words.plain(&["--unshare-net"]);
    }
    words.identity(plan.identity);
    words.plain(&["--seccomp", &FILTER.to_string()]);
    let mut tree = Tree {
        words,
        plan,
        place,
        has_size: program.knows("--size"),
        texts: 0,
        read_only: Vec::new(),
    };
    for (index, entry) in plan.view.iter().enumerate() {
        let before = plan.view.get(..index).unwrap_or_default();
        tree.put(entry, before);
    }
    tree.close()
}

struct Words(Vec<OsString>);

impl Words {
    fn plain(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(OsString::from));
    }

    /// An option with one path.
    fn at(&mut self, option: &str, path: &Path) {
        self.0.extend([option.into(), path.into()]);
    }

    /// An option with two.
    fn from(&mut self, option: &str, source: &Path, path: &Path) {
        self.0.extend([option.into(), source.into(), path.into()]);
    }

    fn identity(&mut self, identity: Identity) {
        self.plain(&["--cap-drop", "ALL"]);
        let (user, group) = match identity {
            Identity::Own { user, group } => (user, group),
            Identity::SingleId { user } => (user, user),
            // Root itself builds, and the first process becomes the other user.
            Identity::Owner { .. } | Identity::Mapped { .. } => {
                for right in ["CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"] {
                    self.plain(&["--cap-add", right]);
                }
                return;
            }
        };
        self.plain(&["--unshare-user", "--uid", &user.to_string()]);
        self.plain(&["--gid", &group.to_string()]);
    }
}

struct Tree<'a> {
    words: Words,
    plan: &'a Plan,
    place: &'a Place,
    /// Whether it can be given the size of a file system in memory.
    has_size: bool,
    texts: usize,
    /// What becomes read-only when everything is in its place.
    read_only: Vec<PathBuf>,
}

impl Tree<'_> {
    fn put(&mut self, entry: &Entry, before: &[Entry]) {
        let path = entry.path();
        let in_devices = path.starts_with("/dev");
        match entry {
            Entry::Directory { .. } | Entry::HideDirectory { .. } if path == Path::new("/dev") => {
                self.words.at("--dev", path);
                self.read_only.push(path.to_owned());
            }
            Entry::Private {
                which: Private::SharedMemory,
                ..
            } => self.shared_memory(path),
            // The program makes those itself.
            _ if in_devices => {}
            Entry::Directory { .. } => {
                if is_own(path, before) {
                    self.words.plain(&["--perms", "0755"]);
                    self.words.at("--dir", path);
                }
            }
            Entry::Link { target, .. } => {
                if is_own(path, before) {
                    self.words.from("--symlink", target, path);
                }
            }
            Entry::Text { .. } => {
                let text = self.place.text(self.texts);
                self.texts += 1;
                self.words.from("--ro-bind", &text, path);
            }
            Entry::Bind { access, .. } => self.words.from(option(*access), path, path),
            // An overlay is beyond it: the list of commands holds in part only.
            Entry::Without { .. } => {}
            Entry::Private { which, .. } => self.private(*which, path),
            Entry::Pin { .. } => {
                // What lies in a directory of the run's own is elsewhere on the host.
                if is_own(path, before) {
                    let source = self.place.on_host(path);
                    self.words.from("--bind", &source, path);
                } else {
                    self.words.from("--bind", path, path);
                }
            }
            Entry::Freeze { .. } | Entry::GitConfig { .. } => {
                // A link cannot be covered by it; what takes its place is held back.
                if !self.plan.is_link(path) {
                    self.words.from("--ro-bind", path, path);
                }
            }
            Entry::HideDirectory { .. } => {
                self.in_memory(path, "0755", None);
                self.read_only.push(path.to_owned());
            }
            Entry::HideFile { .. } => {
                let nothing = self.place.nothing();
                self.words.from("--ro-bind", &nothing, path);
            }
        }
    }

    fn private(&mut self, which: Private, path: &Path) {
        match which {
            Private::Tmp | Private::Room => {
                let source = self.place.on_host(path);
                self.words.from("--bind", &source, path);
            }
            Private::Proc => {
                self.words.at("--proc", path);
                // Keys of the same user are listed there, also those of other sessions.
                for name in ["keys", "key-users"] {
                    let file = path.join(name);
                    let nothing = self.place.nothing();
                    if file.exists() {
                        self.words.from("--ro-bind", &nothing, &file);
                    }
                }
                self.read_only.push(path.to_owned());
            }
            // Among the devices, and handled there.
            Private::SharedMemory | Private::Terminals => {}
        }
    }

    /// It takes no limit on the names in a file system in memory, and an older one no size. Where
    /// no control group counts them, they go to disk, as those in `/tmp` do.
    fn shared_memory(&mut self, path: &Path) {
        if self.has_size && self.plan.uncounted_memory().is_none() {
            self.in_memory(path, "1777", Some(self.plan.storage.tmp));
        } else {
            let source = self.place.on_host(path);
            self.words.from("--bind", &source, path);
        }
    }

    fn in_memory(&mut self, path: &Path, mode: &str, size: Option<u64>) {
        self.words.plain(&["--perms", mode]);
        if let Some(size) = size.filter(|_| self.has_size) {
            self.words.plain(&["--size", &size.to_string()]);
        }
        self.words.at("--tmpfs", path);
    }

    fn close(mut self) -> Vec<OsString> {
        for path in &self.read_only {
            self.words.at("--remount-ro", path);
        }
        let whole = self.plan.view.first().map(Entry::path) == Some(Path::new("/"));
        if !whole {
            self.words.at("--remount-ro", Path::new("/"));
        }
        self.words.0
    }
}

fn option(access: Access) -> &'static str {
    match access {
        Access::Read | Access::Data | Access::Program => "--ro-bind",
        Access::Write | Access::WriteData => "--bind",
        Access::Device => "--dev-bind",
    }
}

#[cfg(test)]
mod tests;
