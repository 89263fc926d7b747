//! The file tree that a run would see.

use std::path::PathBuf;

use bashful_sandbox::{Access, Backend, Entry, Holding, Plan};
use serde::Serialize;

/// One thing in the tree of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Seen {
    /// Where the run sees it.
    pub path: PathBuf,
    /// What it is to the run.
    pub what: SeenAs,
    /// Whether programs in it can be executed; absent where that makes no sense.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executable: Option<bool>,
    /// Where a link leads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<PathBuf>,
    /// How many programs were taken out of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_programs: Option<usize>,
}

/// What a file or directory in the tree is to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub enum SeenAs {
    /// The host's; it can be read.
    #[serde(rename = "read-only")]
    ReadOnly,
    /// The host's; writes take effect at once.
    #[serde(rename = "writable (direct)")]
    Writable,
    /// The room's own, and gone with it.
    #[serde(rename = "private")]
    Private,
    /// There, and empty and closed.
    #[serde(rename = "hidden")]
    Hidden,
    /// In a writable place, and cannot be changed.
    #[serde(rename = "protected")]
    Protected,
    /// A directory that cannot be moved away, because of what is in it.
    #[serde(rename = "pinned")]
    Pinned,
    /// A copy; harmless changes of it are carried over afterwards.
    #[serde(rename = "private copy")]
    PrivateCopy,
    /// A program that may run.
    #[serde(rename = "program")]
    Program,
    /// A device, such as `/dev/null`.
    #[serde(rename = "device")]
    Device,
    /// A symbolic link.
    #[serde(rename = "link")]
    Link,
    /// A file that the sandbox wrote.
    #[serde(rename = "generated")]
    Generated,
    /// An empty directory.
    #[serde(rename = "empty directory")]
    Empty,
}

/// Those things of a plan that become this.
pub(super) fn held(plan: &Plan, holding: Holding) -> Vec<Seen> {
    let all = plan.view.iter();
    let chosen = all.filter(|entry| plan.holding(entry) == holding);
    let mut seen: Vec<Seen> = chosen.map(Seen::from).collect();
    if plan.backend() != Backend::Native {
        // Only we copy it. For the others, it can be read and not changed.
        for one in &mut seen {
            if one.what == SeenAs::PrivateCopy {
                one.what = SeenAs::Protected;
            }
        }
    }
    seen
}

impl From<&Entry> for Seen {
    fn from(entry: &Entry) -> Self {
        let (what, executable) = match entry {
            Entry::Directory { .. } => (SeenAs::Empty, None),
            Entry::Link { .. } => (SeenAs::Link, None),
            Entry::Text { .. } => (SeenAs::Generated, None),
            Entry::Bind { access, .. } => match access {
                Access::Read => (SeenAs::ReadOnly, Some(true)),
                Access::Data => (SeenAs::ReadOnly, Some(false)),
                Access::Write => (SeenAs::Writable, Some(true)),
                Access::WriteData => (SeenAs::Writable, Some(false)),
                Access::Device => (SeenAs::Device, None),
                Access::Program => (SeenAs::Program, Some(true)),
            },
            Entry::Without { .. } => (SeenAs::ReadOnly, None),
            Entry::Private { .. } => (SeenAs::Private, None),
            Entry::Pin { .. } => (SeenAs::Pinned, None),
            Entry::Freeze { .. } => (SeenAs::Protected, None),
            Entry::HideDirectory { .. } | Entry::HideFile { .. } => (SeenAs::Hidden, None),
            Entry::GitConfig { .. } => (SeenAs::PrivateCopy, None),
        };
        Self {
            path: entry.path().to_owned(),
            what,
            executable,
            target: match entry {
                Entry::Link { target, .. } => Some(target.clone()),
                _ => None,
            },
            without_programs: match entry {
                Entry::Without { programs, .. } => Some(programs.len()),
                _ => None,
            },
        }
    }
}
