//! Who gave an answer: what is on record about them, and which processes may not answer at all.

use std::fs;

use bashful_keeper::{KEEPER_ARGUMENT, KEEPER_NAME};
use bashful_sandbox::{Mark, Status, kernel_bytes};
use serde::{Deserialize, Serialize};

use crate::base::caller::caller;

/// By which way an answer came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Channel {
    /// The prompt of the run itself.
    Prompt,
    /// `bashful approvals` or `bashful grants` on a terminal.
    Terminal,
    /// The program that embeds Bashful.
    Callback,
    /// The dialogue of an MCP client.
    Client,
    /// A command line that says yes for itself, without a terminal: `scripts approve --yes` in CI.
    CommandLine,
}

/// Who answered, as far as the system tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweredBy {
    /// By which way.
    pub channel: Channel,
    /// The user of the process that answered.
    pub uid: u32,
    /// The process that the answer came from.
    pub pid: i32,
    /// Its controlling terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<String>,
    /// Its ancestors, the parent first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ancestry: Vec<Ancestor>,
    /// The client whose dialogue it was, as it calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
}

/// One ancestor of a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ancestor {
    /// Its process id.
    pub pid: i32,
    /// Its program's name, as the kernel shows it.
    pub name: String,
}

/// Why a process cannot give an answer for a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotAPerson {
    /// There is no terminal, so no person is there to say yes.
    #[error("an answer needs a terminal, and this process has none")]
    NoTerminal,
    /// It runs under Bashful itself.
    #[error(
        "this process was started by Bashful, and a command that Bashful runs cannot answer for a person"
    )]
    RunByBashful,
    /// Where it came from cannot be read.
    #[error("cannot read which processes this one descends from")]
    Unreadable,
}

/// Longer lines of ancestors are a trick.
const MOST_ANCESTORS: usize = 256;

impl AnsweredBy {
    /// The calling process as the one that answered. It must have a terminal, and Bashful must
    /// not have started it.
    pub fn here(channel: Channel) -> Result<Self, NotAPerson> {
        let person = Self::outside(channel)?;
        if person.terminal.is_none() {
            return Err(NotAPerson::NoTerminal);
        }
        Ok(person)
    }

    /// This process as the one that answered, whether or not it has a terminal: for a program that
    /// embeds Bashful and has asked its user in its own way. Bashful did not start it.
    pub fn outside(channel: Channel) -> Result<Self, NotAPerson> {
        let pid = caller();
        let status = Status::of(pid).ok_or(NotAPerson::Unreadable)?;
        if is_marked(pid) {
            return Err(NotAPerson::RunByBashful);
        }
        let person = Self {
            channel,
            uid: rustix::process::getuid().as_raw(),
            pid,
            terminal: terminal(status.terminal),
            ancestry: ancestry(status.parent)?,
            client: None,
        };
        let kept = |ancestor: &Ancestor| is_keeper(ancestor.pid) || is_marked(ancestor.pid);
        if person.ancestry.iter().any(kept) {
            return Err(NotAPerson::RunByBashful);
        }
        Ok(person)
    }

    /// The same, for an answer from the dialogue of this client.
    #[must_use]
    pub fn client(self, name: &str) -> Self {
        let client = Some(name.to_owned());
        Self { client, ..self }
    }
}

/// Whether a process belongs to a run of Bashful's. A run can drop the mark that its processes
/// carry, and cannot change who its ancestors are: a keeper is among them as long as it lives, and
/// its runs die with it. What cannot be read is no stranger.
pub fn is_run_by_bashful(pid: i32) -> bool {
    let Some(status) = Status::of(pid) else {
        return true;
    };
    if is_marked(pid) {
        return true;
    }
    let mut parent = status.parent;
    for _ in 0..=MOST_ANCESTORS {
        // The line ends as that of `ancestry` does.
        let Some(status) = Status::of(parent) else {
            return false;
        };
        if is_keeper(parent) || is_marked(parent) {
            return true;
        }
        parent = status.parent;
    }
    true
}

/// The line of parents, as far as it can be seen from here: in a container it ends at its first
/// process.
fn ancestry(mut parent: i32) -> Result<Vec<Ancestor>, NotAPerson> {
    let mut line = Vec::new();
    while parent > 0 {
        if line.len() == MOST_ANCESTORS {
            return Err(NotAPerson::Unreadable);
        }
        let Some(status) = Status::of(parent) else {
            // A process that other users cannot see is none of ours; the mark tells the rest.
            break;
        };
        let name = fs::read(format!("/proc/{parent}/comm")).unwrap_or_default();
        let name = String::from_utf8_lossy(&name).trim_end().to_owned();
        line.push(Ancestor { pid: parent, name });
        parent = status.parent;
    }
    Ok(line)
}

/// Whether this process is a keeper of Bashful.
fn is_keeper(pid: i32) -> bool {
    let line = kernel_bytes(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let mut words = line.split(|byte| *byte == 0);
    let first = words.next().unwrap_or_default();
    first == KEEPER_NAME.as_bytes() || words.next() == Some(KEEPER_ARGUMENT.as_bytes())
}

/// Whether this process belongs to a run, whatever became of its parents.
fn is_marked(pid: i32) -> bool {
    Mark::of(pid).is_some_and(Mark::is_set)
}

/// The name of a terminal by its number; none for 0.
fn terminal(number: i32) -> Option<String> {
    let number = u32::try_from(number).ok().filter(|number| *number != 0)?;
    let major = (number >> 8) & 0xfff;
    let minor = (number & 0xff) | ((number >> 12) & 0xf_ff00);
    // The kernel's numbers: 136 to 143 are pseudo-terminals, 4 the console's.
    Some(match major {
        136..=143 => format!("pts/{}", (major - 136) * 256 + minor),
        4 if minor < 64 => format!("tty{minor}"),
        4 => format!("ttyS{}", minor - 64),
        _ => format!("{major}:{minor}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_are_named() {
        let number = |major: i32, minor: i32| (major << 8) | (minor & 0xff);
        assert_eq!(terminal(0), None);
        assert_eq!(terminal(number(136, 3)).as_deref(), Some("pts/3"));
        assert_eq!(terminal(number(137, 1)).as_deref(), Some("pts/257"));
        assert_eq!(terminal(number(4, 1)).as_deref(), Some("tty1"));
        assert_eq!(terminal(number(4, 64)).as_deref(), Some("ttyS0"));
    }

    #[test]
    fn the_line_of_ancestors_begins_with_the_parent() {
        let person = AnsweredBy::outside(Channel::Callback).unwrap();
        let parent = rustix::process::getppid().unwrap().as_raw_pid();
        assert_eq!(person.ancestry.first().unwrap().pid, parent);
        assert_eq!(person.ancestry.last().unwrap().pid, 1);
    }
}
