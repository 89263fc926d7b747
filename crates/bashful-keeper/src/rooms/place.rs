//! A run's place in its room: what is asked of it while it runs.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use bashful_sandbox::{
    AbsentNames, Backend, Confined, Enforcement, Freshness, Line, Lookout, Notices, Plan, Terminal,
    Violation, children,
};

use super::diary::Page;

/// Violations that are told of one run; more are held back and counted. Addresses that were let
/// through are told all.
const MOST_HELD: usize = 100;

/// A run's place in its room.
#[derive(Debug)]
pub(crate) struct InRoom {
    pub(super) number: u64,
    pub(super) plan: Rc<Plan>,
    pub(super) freshness: Freshness,
    pub(crate) confined: Confined,
    /// The keeper reads what the kernel's audit records about it.
    pub(super) recorded: bool,
    /// Secrets that it must not see should they come into being.
    pub(super) absent: AbsentNames,
    /// What was held back so far.
    pub(super) held: Vec<Violation>,
    /// What more was held back.
    pub(super) untold: usize,
    /// That it is going on, by root.
    pub(super) pages: Vec<Page>,
    /// How many calls that change files it had made at the last looks, the newest first.
    pub(super) changes: [Option<u64>; 2],
    /// The table of its mounts, which tells when a cover was torn off.
    pub(super) mounts: Option<File>,
    /// Where its `/tmp` is, if that is on disk.
    pub(super) on_disk: Option<PathBuf>,
    /// A cover was torn off, and told: what is there now may be the user's.
    pub(super) torn: bool,
    /// What lay bare when that was noticed.
    pub(super) bare: Vec<PathBuf>,
}

impl InRoom {
    /// Holds back what appeared and would execute on the host. What appeared while the run did
    /// nothing is the person's.
    pub(crate) fn hold_back(&mut self, tag: &str) {
        let changes = self.changes();
        if changes.is_some() && self.changes == [changes; 2] {
            return self.freshness.accept();
        }
        let found = self.freshness.hold_back(tag);
        self.tell_all(found);
    }

    /// The same at a regular look: twice without a call in between means that the run did
    /// nothing, for what it called before has long been carried out.
    pub(crate) fn look_after(&mut self, tag: &str) {
        self.hold_back(tag);
        self.changes = [self.changes(), self.changes[0]];
    }

    /// Adds what was held back.
    pub(crate) fn tell_all(&mut self, found: Vec<Violation>) {
        for violation in found {
            // What cannot be helped is told once.
            if self.held.contains(&violation) {
                continue;
            }
            let is_let_through = violation.kind == "git_config" && violation.missing.is_empty();
            if self.held.len() < MOST_HELD || is_let_through {
                self.held.push(violation);
            } else {
                self.untold += 1;
            }
        }
    }

    /// How many calls it made that could change files; none if the kernel does not tell.
    pub(crate) fn changes(&self) -> Option<u64> {
        let notices = self.confined.notices.as_ref();
        notices.map(Notices::changes)
    }

    /// The number of its room.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Whether this port is its end of a connection.
    pub(crate) fn has_port(&self, port: u16) -> bool {
        let notices = self.confined.notices.as_ref();
        notices.is_some_and(|notices| notices.has_port(port))
    }

    /// Whether it may have changed a file, or given one a name.
    pub(crate) fn may_have_changed_files(&self) -> bool {
        self.changes() != Some(0)
    }

    /// The roots in which it may have left files for the host to execute.
    pub(crate) fn freshness(&self) -> &Freshness {
        &self.freshness
    }

    /// The command has executed. From there on no mount of it changes, unless the host replaces a
    /// file or directory that is covered in it.
    pub(crate) fn watch_mounts(&mut self) {
        self.mounts = File::open(format!("/proc/{}/mountinfo", self.confined.first())).ok();
    }

    /// Its command: the only child of its first process so far.
    pub(crate) fn command(&self) -> Option<i32> {
        children(self.confined.first()).first().copied()
    }

    /// Whether none of its processes can be anywhere but below its first one.
    pub(crate) fn is_closed(&self) -> bool {
        self.plan.backend() != Backend::Landlock
    }

    /// Lets calls go on that the kernel tells about, and looks at them; whether more may come.
    pub(crate) fn serve_notices(&mut self, may_allocate: &mut dyn FnMut(u64) -> bool) -> Line {
        let notices = self.confined.notices.as_mut();
        notices.map_or(Line::Closed, |notices| {
            notices.serve(&self.plan, may_allocate)
        })
    }

    /// Whether the kernel told of this process as one of the run's.
    pub(crate) fn knows(&self, pid: i32) -> bool {
        let notices = self.confined.notices.as_ref();
        notices.is_some_and(|notices| notices.knows(pid))
    }

    /// Adds what was learnt elsewhere about the run.
    pub(crate) fn add(&mut self, violation: Violation) {
        if let Some(notices) = &mut self.confined.notices {
            notices.add(violation);
        }
    }

    /// The keeper's end of its terminal.
    pub(crate) fn take_terminal(&mut self) -> Option<Terminal> {
        self.confined.take_terminal()
    }

    pub(crate) fn mounts(&self) -> Option<&File> {
        self.mounts.as_ref()
    }

    /// Notes what lies bare, as long as the run's mounts are there.
    pub(crate) fn note_bare(&mut self) {
        self.bare = self
            .plan
            .uncovered(self.confined.first())
            .unwrap_or_default();
    }

    /// Tells what was replaced on the host, and so is no longer covered. The run did not ask for
    /// anything, so nothing is missing.
    pub(crate) fn tell_replaced(&mut self) {
        self.torn = true;
        let mut replaced = std::mem::take(&mut self.bare);
        if replaced.is_empty() {
            replaced = self.freshness.replaced();
        }
        if replaced.is_empty() {
            // It looks the same by now; which one it was cannot be told.
            replaced.push(PathBuf::new());
        }
        for path in replaced {
            self.held.push(Violation {
                kind: "protected".to_owned(),
                path: Some(path).filter(|path| !path.as_os_str().is_empty()),
                missing: String::new(),
                source: "keeper".to_owned(),
                note: Some(
                    "it was replaced outside while the run was going on, which took its protection away; Bashful ended the run, which may have changed it: look at it"
                        .to_owned(),
                ),
                ..Violation::default()
            });
        }
    }

    pub(crate) fn enforcement(&self) -> Enforcement {
        self.plan.enforcement
    }

    /// What was looked at so far. What the kernel records is told only beside the calls.
    pub(crate) fn watched(&self) -> Lookout {
        let notices = self.confined.notices.as_ref();
        notices.map_or_else(Lookout::default, |notices| Lookout {
            record: self.recorded,
            ..notices.watched()
        })
    }

    /// How much processor time it may use.
    pub(crate) fn cpu_limit_ms(&self) -> Option<u64> {
        self.plan.group.cpu_time_ms
    }

    /// Whether it has used up its processor time.
    pub(crate) fn is_out_of_time(&self) -> bool {
        let Some(limit) = self.plan.group.cpu_time_ms else {
            return false;
        };
        let used = self.confined.cpu_time().unwrap_or_default();
        used.as_millis() >= u128::from(limit)
    }

    /// The memory limit that only the keeper holds all its processes to.
    pub(crate) fn uncounted_memory(&self) -> Option<u64> {
        self.plan.uncounted_memory()
    }

    /// What it may add to disks, and where it can.
    pub(crate) fn disk_bound(&self) -> Option<(u64, Vec<PathBuf>)> {
        let limit = self.plan.disk_size?;
        let written = self.plan.written().map(Path::to_owned);
        Some((limit, written.chain(self.on_disk.clone()).collect()))
    }

    /// The secrets that it must not see should they come into being.
    pub(crate) fn absent(&self) -> Option<&AbsentNames> {
        Some(&self.absent).filter(|absent| !absent.is_empty())
    }

    /// Adds what the keeper stopped it at.
    pub(crate) fn tell(&mut self, violation: Violation) {
        self.held.push(violation);
    }

    /// Whether a clock must look after its processor time.
    pub(crate) fn is_timed(&self) -> bool {
        self.plan.group.cpu_time_ms.is_some()
    }
}
