//! Telling a person that a new ask waits: through the desktop, or a command of the user's.
//!
//! The program that tells them runs away from the caller: a run is neither delayed nor broken by
//! it, and nothing is left to be reaped, because the shell that starts the program in the
//! background ends.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use bashful_sandbox::{Launch, LaunchError, ProgramError, reap, resolve_program};
use rustix::fs::MemfdFlags;

use crate::base::legible::is_legible;
use crate::config::Approvals;
use crate::model::ask::Ask;

/// What a notification sees of the caller's environment, besides `PATH`.
const PASSED: [&str; 6] = [
    "HOME",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "LANG",
];

/// Where programs are if the caller does not say.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The shell that starts the program that tells a person, and ends.
const SHELL: &str = "/bin/sh";

/// Its whole program. A shell gives what it starts in the background `/dev/null` to read unless
/// told otherwise. Nothing of an ask is in it: what is to be started are its arguments.
const START_AND_LEAVE: &str = r#"exec 3<&0; "$@" <&3 3<&- &"#;

/// Asks to end after ten seconds, and ends by force two later.
const IN_TIME: [&str; 4] = ["timeout", "-k", "2", "10"];

/// How many characters of a command the desktop shows.
const MOST_SHOWN: usize = 200;

/// Why no person was told of an ask. The ask waits all the same.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotifyError {
    /// The program that is to tell a person is not there.
    #[error("cannot find the program that announces an ask")]
    NoProgram(#[source] ProgramError),
    /// The ask cannot be handed over.
    #[error("cannot hand an ask to the program that announces it")]
    Handing(#[source] io::Error),
    /// It cannot be started.
    #[error("cannot start the program that announces an ask")]
    Start(#[source] LaunchError),
}

/// Tells the desktop and the user's command about a new ask, as far as they are to be told.
///
/// Both are tried; the first failure is returned, for a warning. It waits for nothing but the
/// start. `environment` is the caller's own.
pub(crate) fn notify(
    approvals: &Approvals,
    ask: &Ask,
    environment: &BTreeMap<String, String>,
) -> Result<(), NotifyError> {
    let notifier = Notifier {
        path: trusted_path(environment.get("PATH"), &ask.workspace),
        environment,
    };
    let desktop = if approvals.notify_desktop {
        notifier.tell_desktop(ask)
    } else {
        Ok(())
    };
    let command = match approvals.notify_command.as_str() {
        "" => Ok(()),
        command => notifier.tell_command(ask, command),
    };
    desktop.and(command)
}

/// Starts programs that tell a person.
struct Notifier<'a> {
    path: String,
    environment: &'a BTreeMap<String, String>,
}

impl Notifier<'_> {
    fn tell_desktop(&self, ask: &Ask) -> Result<(), NotifyError> {
        let body = format!(
            "{}\n\nbashful approvals show {}",
            for_desktop(&ask.command),
            ask.id
        );
        let words = [
            "notify-send",
            "--app-name=Bashful",
            "--",
            "Bashful: an agent asks to run a command",
            &body,
        ];
        self.start(&words, None)
    }

    fn tell_command(&self, ask: &Ask, command: &str) -> Result<(), NotifyError> {
        let input = in_memory(&line(ask)?).map_err(NotifyError::Handing)?;
        self.start(&["sh", "-c", command], Some(input))
    }

    /// Starts a program that is on the path, away from us.
    fn start(&self, words: &[&str], input: Option<OwnedFd>) -> Result<(), NotifyError> {
        if let Some(program) = words.first() {
            self.find(program).map_err(NotifyError::NoProgram)?;
        }
        let mut launch = Launch::new(SHELL, "sh")
            .argument("-c")
            .argument(START_AND_LEAVE)
            .argument("sh")
            .variable("PATH", &self.path)
            // Without a terminal the program cannot answer for a person, nor write over a prompt.
            .new_session();
        let in_time = self.find(IN_TIME[0]).map_or(&[][..], |()| &IN_TIME);
        for word in in_time.iter().chain(words) {
            launch = launch.argument(word);
        }
        for name in PASSED {
            if let Some(value) = self.environment.get(name) {
                launch = launch.variable(name, value);
            }
        }
        if let Some(input) = input {
            launch = launch.stdin(input);
        }
        let shell = launch.start().map_err(NotifyError::Start)?;
        // It ends at once. Where the host has its children reaped by the kernel, there is
        // nothing to reap.
        let _ = reap(shell);
        Ok(())
    }

    fn find(&self, program: &str) -> Result<(), ProgramError> {
        resolve_program(program, &self.path, Path::new("/")).map(drop)
    }
}

/// The caller's path without what lies in the workspace: programs there are an agent's, and what
/// is started here is outside any sandbox.
fn trusted_path(path: Option<&String>, workspace: &Path) -> String {
    let within = |entry: &Path| {
        let canonical = entry.canonicalize().unwrap_or_else(|_| entry.to_owned());
        entry.starts_with(workspace) || canonical.starts_with(workspace)
    };
    let path = path.map_or(USUAL_PATH, String::as_str);
    let entries = path.split(':').map(PathBuf::from);
    let kept: Vec<_> = entries
        .filter(|entry| entry.is_absolute() && !within(entry))
        .map(|entry| entry.to_string_lossy().into_owned())
        .collect();
    if kept.is_empty() {
        return USUAL_PATH.to_owned();
    }
    kept.join(":")
}

/// The ask as one line of JSON.
fn line(ask: &Ask) -> Result<Vec<u8>, NotifyError> {
    let unfit = |error: serde_json::Error| NotifyError::Handing(error.into());
    let mut value = serde_json::to_value(ask).map_err(unfit)?;
    if let Some(fields) = value.as_object_mut() {
        fields.insert("v".to_owned(), 1.into());
    }
    let mut line = serde_json::to_vec(&value).map_err(unfit)?;
    line.push(b'\n');
    Ok(line)
}

/// A file in memory with these bytes: no process has to write while the program reads it.
fn in_memory(bytes: &[u8]) -> io::Result<OwnedFd> {
    let mut file = File::from(rustix::fs::memfd_create("ask", MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file.into())
}

/// A command as the body of a notification: nothing hides in it, and nothing of it is obeyed.
///
/// `notify-send` undoes backslashes, and desktops understand some HTML.
fn for_desktop(command: &str) -> String {
    let visible = |next: char| {
        let plain = is_legible(next);
        let escaped = (!plain).then(|| next.escape_default());
        let plain = plain.then_some(next);
        plain.into_iter().chain(escaped.into_iter().flatten())
    };
    let mut shown = String::new();
    let mut characters = command.chars().flat_map(visible);
    for next in characters.by_ref().take(MOST_SHOWN) {
        match next {
            '\\' => shown.push_str(r"\\"),
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            _ => shown.push(next),
        }
    }
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests;
