//! What a run in a sandbox tries, to see whether the sandbox holds.
//!
//! The attempts are made by bash alone, since a host may lack every other program, and
//! they change nothing even where they succeed.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use bashful_sandbox::{Enforcement, Level};
use serde::{Deserialize, Serialize};

/// The attempts, each with what it means if the sandbox holds and if it does not.
const ATTEMPTS: [(&str, &str, &str); 7] = [
    (
        "processes",
        "sees only its own processes",
        "sees processes of the host",
    ),
    (
        "files",
        "cannot read a file outside",
        "can read a file outside the workspace",
    ),
    ("system", "cannot write to /usr", "can write to /usr"),
    (
        "network",
        "cannot reach the host's loopback",
        "can reach a server on the host's loopback",
    ),
    (
        "identity",
        "is not root and has no special rights",
        "is root, or has rights of root",
    ),
    ("tmp", "has its own /tmp", "sees the host's /tmp"),
    (
        "calls",
        "has its system calls filtered",
        "can make every system call",
    ),
];

/// Prints a line for each attempt: its name, and `ok` or `failed`.
const SCRIPT: &str = r#"
say() { if (($2)); then printf '%s ok\n' "$1"; else printf '%s failed\n' "$1"; fi; }
seen=(/proc/[0-9]*)
# A program that wraps us may have processes of its own there.
say processes $((${#seen[@]} <= 3))
kept=1; { read -r _ < "$TRIAL_CANARY"; } 2>/dev/null && kept=0
say files $kept
for file in /usr/lib/os-release /usr/share/*/* /usr/bin/env; do
  [[ -f $file && ! -L $file ]] && break
done
# Opening it changes nothing. Who may not write may be told otherwise than by the mode.
kept=1; (exec 3>>"$file") 2>/dev/null && kept=0
say system $kept
powerless=0 filtered=0
while read -r key value; do
  case $key in
    CapEff:) [[ $value =~ ^0+$ ]] && powerless=1 ;;
    Seccomp:) [[ $value == 2 ]] && filtered=1 ;;
  esac
done < /proc/self/status
say identity $((EUID != 0 && powerless))
say calls $filtered
kept=1; [[ -e $TRIAL_TMP ]] && kept=0
say tmp $kept
kept=1; (exec 3<>"/dev/tcp/127.0.0.1/$TRIAL_PORT") 2>/dev/null && kept=0
say network $kept
"#;

/// What became of one attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Check {
    pub(super) name: String,
    pub(super) held: bool,
}

impl Check {
    /// Whether it is told already that this does not hold: the protection that would is not
    /// enforced in full.
    pub(super) fn is_known(&self, applied: Enforcement) -> bool {
        let level = match self.name.as_str() {
            "processes" => applied.processes,
            // Landlock keeps files from being opened; that they are there can be seen.
            "tmp" => applied.filesystem,
            "identity" => applied.identity,
            // Whichever backend enforces, these hold.
            _ => Level::Full,
        };
        level < Level::Full
    }

    /// What it means.
    pub(super) fn describe(&self) -> Option<(&'static str, &'static str)> {
        let (name, held, broken) = ATTEMPTS.iter().find(|(name, ..)| *name == self.name)?;
        Some((name, if self.held { held } else { broken }))
    }
}

/// Things of the host that a run must not see or reach. They go when this does.
#[derive(Debug)]
pub(super) struct Bait {
    canary: PathBuf,
    tmp: PathBuf,
    /// It never accepts; a connection succeeds all the same.
    server: TcpListener,
}

impl Bait {
    /// Lays them out; the canary goes into this directory.
    pub(super) fn lay_out(directory: &Path) -> io::Result<Self> {
        let canary = directory.join("canary");
        plant(&canary)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.unwrap_or_default().as_nanos();
        let tmp = PathBuf::from(format!("/tmp/.bashful-doctor-{}-{now}", std::process::id()));
        let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        plant(&tmp)?;
        Ok(Self {
            canary,
            tmp,
            server,
        })
    }

    /// Where they are, as the script wants to know it.
    pub(super) fn variables(&self) -> io::Result<[(&'static str, String); 3]> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        Ok([
            ("TRIAL_CANARY", text(&self.canary)),
            ("TRIAL_TMP", text(&self.tmp)),
            ("TRIAL_PORT", self.server.local_addr()?.port().to_string()),
        ])
    }
}

impl Drop for Bait {
    fn drop(&mut self) {
        // The caller that made the canary's directory removes it.
        let _ = std::fs::remove_file(&self.tmp);
    }
}

/// A file that everybody may read, so that only the sandbox keeps a run from it.
fn plant(path: &Path) -> io::Result<()> {
    let mut file: File = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o644)
        .open(path)?;
    file.write_all(b"sings\n")
}

/// The text that makes all attempts.
pub(super) fn script() -> &'static str {
    SCRIPT
}

/// What the script printed. An attempt that it does not tell of did not end well.
pub(super) fn read(printed: &str) -> Vec<Check> {
    let held = |name: &str| printed.lines().any(|line| line == format!("{name} ok"));
    ATTEMPTS
        .iter()
        .map(|(name, ..)| Check {
            name: (*name).to_owned(),
            held: held(name),
        })
        .collect()
}

/// Whether each attempt was made, and none succeeded that was said to be in vain.
pub(super) fn all_held(checks: &[Check], applied: Enforcement) -> bool {
    let held = |name: &str| {
        let mut of_name = checks.iter().filter(|check| check.name == name).peekable();
        of_name.peek().is_some() && of_name.all(|check| check.held || check.is_known(applied))
    };
    ATTEMPTS.iter().all(|(name, ..)| held(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The control: without a sandbox, what must not succeed does.
    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "the control runs without the door that would confine it"
    )]
    fn the_attempts_succeed_without_a_sandbox() {
        let directory = tempfile::tempdir().unwrap();
        let bait = Bait::lay_out(directory.path()).unwrap();
        let printed = std::process::Command::new("bash")
            .args(["--noprofile", "--norc", "-c", script()])
            .envs(bait.variables().unwrap())
            .output()
            .unwrap();
        let checks = read(&String::from_utf8_lossy(&printed.stdout));
        let held: Vec<&str> = checks
            .iter()
            .filter(|check| check.held)
            .map(|check| check.name.as_str())
            .collect();
        // An ordinary user is no root and cannot write there anyway.
        let expected: &[&str] = if rustix::process::geteuid().is_root() {
            &[]
        } else {
            &["system", "identity"]
        };
        assert_eq!(held, expected, "{printed:?}");
    }

    #[test]
    fn silence_is_no_success() {
        assert!(read("").iter().all(|check| !check.held));
        assert!(
            read("files okay\n ok\nfiles failed\n")
                .iter()
                .all(|check| !check.held)
        );
        let held: Vec<String> = read("files ok\n")
            .into_iter()
            .filter(|check| check.held)
            .map(|check| check.name)
            .collect();
        assert_eq!(held, ["files"]);
    }

    #[test]
    fn the_bait_is_taken_in() {
        let directory = tempfile::tempdir().unwrap();
        let bait = Bait::lay_out(directory.path()).unwrap();
        let tmp = bait.tmp.clone();
        assert!(tmp.exists());
        drop(bait);
        assert!(!tmp.exists());
    }
}
