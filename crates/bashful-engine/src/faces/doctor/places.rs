//! The directories in which Bashful keeps its things, and the keepers that live there.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use bashful_policy::escape_arg;
use rustix::fs::Access;

use super::kept::REPAIR;
use super::{Finding, State};
use crate::model::places::Places;

/// With less than this, records may not be written any more.
const LEAST_SPACE: u64 = 16 << 20;

/// Looks at all of them. Nothing is made or mended.
pub(super) fn look(places: &Places) -> Vec<Finding> {
    let all = [
        ("state", &places.state),
        ("runtime", &places.runtime),
        ("cache", &places.cache),
    ];
    all.into_iter()
        .map(|(name, path)| directory(name, path))
        .chain([super::keepers::look(places)])
        .collect()
}

/// How a directory is, and what mends it.
fn directory(name: &'static str, path: &Path) -> Finding {
    let shown = path.display();
    let quoted = escape_arg(&path.to_string_lossy());
    let told = |state, words: &str| {
        Finding::new(name, state, format!("the {name} directory {shown} {words}"))
    };
    let about = match fs::metadata(path) {
        Ok(about) => about,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return absent(name, path),
        Err(error) => return told(State::Failed, &format!("cannot be looked at: {error}")),
    };
    if !about.is_dir() {
        return told(State::Failed, "is not a directory")
            .mended_by([format!("mv {quoted}{{,.old}}")]);
    }
    if about.uid() != rustix::process::geteuid().as_raw() {
        return told(State::Failed, "belongs to another user")
            .mended_by([format!("sudo chown -R \"$(id -u)\" {quoted}")]);
    }
    let all = Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK;
    if let Err(errno) = rustix::fs::access(path, all) {
        let words = format!("cannot be written: {}", io::Error::from(errno));
        return told(State::Failed, &words).mended_by([format!("chmod u+rwx {quoted}")]);
    }
    let (others, write) = (about.mode() & 0o077, about.mode() & 0o022);
    if others != 0 {
        // Sockets are refused in a directory that others can enter.
        let (state, words) = match (name, write) {
            ("runtime", _) => (State::Failed, "can be entered by others"),
            (_, 0) => (State::Weak, "can be read by others"),
            _ => (State::Failed, "can be changed by others"),
        };
        let close = format!("chmod 700 {quoted}");
        // What others could write is for a person to look at first.
        return match write {
            0 => told(state, words).mended_by([REPAIR.to_owned(), close]),
            _ => told(state, words).mended_by([format!("ls -la {quoted}"), close]),
        };
    }
    let space = rustix::fs::statvfs(path).map(|about| about.f_bavail * about.f_frsize);
    if space.is_ok_and(|space| space < LEAST_SPACE) {
        return told(State::Weak, "has hardly any space left").mended_by(["bashful tasks clean"]);
    }
    told(State::Ok, "is yours alone")
}

/// A directory that is not there yet: it can be made if what is above it lets us.
fn absent(name: &'static str, path: &Path) -> Finding {
    let shown = path.display();
    let above = path.ancestors().skip(1).find(|above| above.exists());
    let access = Access::WRITE_OK | Access::EXEC_OK;
    let writable = above.is_some_and(|above| rustix::fs::access(above, access).is_ok());
    if writable {
        let words = format!("the {name} directory {shown} is made when it is needed");
        return Finding::new(name, State::Ok, words);
    }
    let words = format!("the {name} directory {shown} is not there and cannot be made");
    let variable = match name {
        "runtime" => "XDG_RUNTIME_DIR",
        "cache" => "XDG_CACHE_HOME",
        _ => "XDG_STATE_HOME",
    };
    Finding::new(name, State::Failed, words).mended_by([format!(
        "make it, or let {variable} name a directory of yours"
    )])
}

#[cfg(test)]
mod tests;
