//! `bashful uninstall`: what Bashful keeps on this machine goes; what it did not make stays.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use bashful_engine::approvals::is_run_by_bashful;
use bashful_engine::{Places, StopWhich, dismiss_resident, stop};
use serde_json::json;

use crate::cli::UninstallArguments;
use crate::clients::Receipts;
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::visible;

/// What Bashful makes in its state directory.
const STATE: [&str; 27] = [
    "activity",
    "asks.wake",
    "backends",
    "background",
    "bashful.db",
    "bashful.db-journal",
    "bashful.db-shm",
    "bashful.db-wal",
    "caches",
    "caches.cleaned",
    "clients.json",
    "damaged-tasks",
    "drafts",
    "git-identity",
    "grants.some",
    "grants.told",
    "late.lock",
    "policies",
    "rooms",
    "run",
    "shells",
    "tasks",
    "tasks.cleaned",
    "token",
    "trail.head",
    "trail.jsonl",
    "trail.lock",
];
/// The same in its directory of caches.
const CACHE: [&str; 7] = [
    "doctor.json",
    "git-identity",
    "homes",
    "homes-for-once",
    "projects",
    "sandbox",
    "scripts",
];

pub(crate) fn uninstall(arguments: &UninstallArguments, printer: &Printer) -> anyhow::Result<Exit> {
    if is_run_by_bashful(std::process::id().cast_signed()) {
        let problem = "what Bashful runs cannot remove it";
        return Err(UsageError(problem.to_owned()).into());
    }
    let places = super::places()?;
    let sources = super::sources(&super::place::here()?);
    let plan = Plan::of(&places, sources.user.as_deref());
    let clients = Receipts::load(&places).is_ok_and(|receipts| !receipts.is_empty());
    if !arguments.yes {
        plan.show(clients, arguments.json, printer)?;
        return Ok(Exit::Success);
    }
    if clients {
        let problem = "a client is still set up to use Bashful: `bashful mcp status` says which, \
                       `bashful mcp install --remove CLIENT` takes it out; nothing was removed";
        return Err(UsageError(problem.to_owned()).into());
    }
    // Whatever runs ends first, or it would go on without its records.
    dismiss_resident(&places).context("cannot dismiss the resident engine")?;
    let outcome = stop(&places.state, &StopWhich::All).context("cannot stop what runs")?;
    if !outcome.still_running.is_empty() {
        let problem = "some tasks did not end in time: `bashful status`; nothing was removed";
        return Err(UsageError(problem.to_owned()).into());
    }
    let mut removed = Vec::new();
    for path in &plan.goes {
        remove(path).with_context(|| format!("cannot remove `{}`", path.display()))?;
        removed.push(path.clone());
    }
    for directory in &plan.directories {
        // One in which something else lies stays.
        let _ = fs::remove_dir(directory);
    }
    if arguments.json {
        printer.json(&json!({ "v": 1, "removed": removed, "left": plan.left() }))?;
    } else {
        printer.data(format!("Removed {}.\n", removed.len()).as_bytes())?;
        plan.say_left(printer)?;
    }
    Ok(Exit::Success)
}

/// What goes, and what stays.
struct Plan {
    goes: Vec<PathBuf>,
    /// Where that lies, the innermost first.
    directories: Vec<PathBuf>,
    /// What lies there and is not Bashful's.
    strange: Vec<PathBuf>,
    configuration: Option<PathBuf>,
    program: Option<PathBuf>,
}

impl Plan {
    fn of(places: &Places, configuration: Option<&Path>) -> Self {
        let mut plan = Self {
            goes: Vec::new(),
            directories: Vec::new(),
            strange: Vec::new(),
            configuration: configuration.and_then(Path::parent).map(Path::to_owned),
            program: std::env::current_exe().ok(),
        };
        plan.configuration.take_if(|path| !path.exists());
        if !places.runtime.starts_with(&places.state) {
            plan.add_whole(&places.runtime);
        }
        plan.add(&places.cache, &CACHE);
        plan.add(&places.state, &STATE);
        plan
    }

    /// What is known in a directory, if that is ours.
    fn add(&mut self, directory: &Path, known: &[&str]) {
        let Some(entries) = own_entries(directory) else {
            return;
        };
        for entry in entries {
            let name = entry.file_name().and_then(|name| name.to_str());
            let is_ours = name.is_some_and(|name| {
                known.contains(&name) || known.iter().any(|one| is_kept_aside(name, one))
            });
            let list = if is_ours {
                &mut self.goes
            } else {
                &mut self.strange
            };
            list.push(entry);
        }
        self.directories.push(directory.to_owned());
    }

    /// Sockets, of which none has a name that is known before.
    fn add_whole(&mut self, directory: &Path) {
        if let Some(entries) = own_entries(directory) {
            self.goes.extend(entries);
            self.directories.push(directory.to_owned());
        }
    }

    fn left(&self) -> Vec<&PathBuf> {
        let all = self.strange.iter().chain(&self.configuration);
        all.chain(&self.program).collect()
    }

    fn show(&self, clients: bool, as_json: bool, printer: &Printer) -> anyhow::Result<()> {
        if as_json {
            let whole =
                json!({ "v": 1, "removes": self.goes, "left": self.left(), "clients": clients });
            printer.json(&whole)?;
            return Ok(());
        }
        let heading = if self.goes.is_empty() {
            "There is nothing to remove."
        } else {
            "With --yes this ends whatever runs, and removes:"
        };
        let rows = self.goes.iter().map(|path| format!("  {}", shown(path)));
        let rows: Vec<String> = std::iter::once(heading.to_owned()).chain(rows).collect();
        let text = rows.join("\n") + "\n";
        printer.data(text.as_bytes())?;
        self.say_left(printer)?;
        if clients {
            printer.note(
                "note",
                "a client is set up to use Bashful: `bashful mcp status` says which",
            );
        }
        Ok(())
    }

    fn say_left(&self, printer: &Printer) -> anyhow::Result<()> {
        let strange = self.strange.iter();
        let strange =
            strange.map(|path| format!("Left, because Bashful did not make it: {}\n", shown(path)));
        let own = self.configuration.iter();
        let own = own.map(|path| format!("Left, because it is yours: {}\n", shown(path)));
        let program = self.program.iter();
        let program = program.map(|path| {
            let path = shown(path);
            format!("The program itself: remove {path} as it was installed\n")
        });
        let text: Vec<String> = strange.chain(own).chain(program).collect();
        let text = text.concat();
        printer.data(text.as_bytes())?;
        Ok(())
    }
}

fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy())
}

/// What lies in a directory that is ours and no link.
fn own_entries(directory: &Path) -> Option<Vec<PathBuf>> {
    use std::os::unix::fs::MetadataExt as _;
    let found = fs::symlink_metadata(directory).ok()?;
    let ours = found.is_dir() && found.uid() == rustix::process::geteuid().as_raw();
    let entries = fs::read_dir(directory).ok().filter(|_| ours)?;
    let mut all: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    all.sort();
    Some(all)
}

/// Whether it is what a repair set aside of this.
fn is_kept_aside(name: &str, known: &str) -> bool {
    name.strip_prefix(known)
        .is_some_and(|rest| rest.starts_with(".damaged"))
}

/// Links are removed and never followed.
fn remove(path: &Path) -> std::io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        return fs::remove_dir_all(path);
    }
    fs::remove_file(path)
}
