//! A plan in the words of `firejail`, as far as it has words for it.
//!
//! It makes namespaces for processes, IPC and the network, hides and freezes what is named,
//! and leaves the host's tree in view. What may be seen of that is up to Landlock, which our
//! first process puts on the command together with the filter.

use std::fmt::Write as _;

use super::place::Place;
use super::program::{Setuid, WrapperProgram};
use super::{EXECUTABLE, WrapperError};
use crate::launch::{FIRST_INHERITED, Launch};
use crate::plan::{Entry, Plan};
use crate::survey::Identity;
use crate::sys::first::FIRST_ARGUMENT;

/// The options that it must know. `--keep-fd` came with version 0.9.72.
const NEEDED: &[&str] = &[
    "--blacklist",
    "--caps.keep",
    "--deterministic-shutdown",
    "--ipc-namespace",
    "--keep-fd",
    "--net",
    "--nonewprivs",
    "--private-dev",
    "--profile",
    "--read-only",
];

/// The program, if it is there, can be trusted and is new enough.
pub(super) fn find() -> Result<WrapperProgram, WrapperError> {
    let program = WrapperProgram::find("firejail", Setuid::Expected)?;
    program.require(NEEDED)?;
    Ok(program)
}

/// The launch of the program. Every user can read its command line, so all that matters is in
/// a file that no other user can read.
pub(super) fn launch(program: &WrapperProgram, place: &Place) -> Launch {
    Launch::new(&program.path, "firejail")
        .argument("--quiet")
        .argument(format!("--profile={}", place.profile().display()))
        .argument("--")
        .argument(format!("/proc/self/fd/{EXECUTABLE}"))
        .argument(FIRST_ARGUMENT)
}

/// What is in that file.
pub(super) fn profile(plan: &Plan) -> Result<String, WrapperError> {
    let mut text = format!(
        "keep-fd {FIRST_INHERITED},{EXECUTABLE}\n\
         nonewprivs\nipc-namespace\nprivate-dev\ndeterministic-exit-code\ndeterministic-shutdown\n"
    );
    text.push_str(match plan.identity {
        // Not `noroot`: in a user namespace of root's making, only root could look at what was
        // built. No program gains rights anyway.
        Identity::Own { .. } => "caps.drop all\nnogroups\n",
        Identity::SingleId { .. } => "caps.drop all\n",
        // Our first process becomes the other user, and gives these up.
        Identity::Owner { .. } | Identity::Mapped { .. } => "caps.keep setuid,setgid,setpcap\n",
    });
    if plan.network.is_own() {
        text.push_str("net none\n");
    }
    for entry in &plan.view {
        let word = match entry {
            Entry::HideFile { .. } => "blacklist",
            Entry::HideDirectory { path } if path != std::path::Path::new("/dev") => "blacklist",
            Entry::Freeze { .. } | Entry::GitConfig { .. } => "read-only",
            _ => continue,
        };
        // It expands patterns and variables in names, and reads line by line.
        let path = entry.path();
        let plain = path.to_str().filter(|path| {
            let special = |c: char| c.is_control() || "*?[]{}$\"'\\,~".contains(c);
            !path.contains(special) && path.trim() == *path
        });
        let Some(plain) = plain else {
            return Err(WrapperError::Unsayable {
                path: path.to_owned(),
            });
        };
        let _ = writeln!(text, "{word} {plain}");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Backend;
    use crate::profile::Network;
    use crate::profile::{Profile, Protection, Resources, WriteMode, WriteRoot};
    use crate::survey::Survey;

    fn words(hidden: &str) -> Result<String, WrapperError> {
        let directory = tempfile::tempdir().unwrap();
        let workspace = directory.path().canonicalize().unwrap();
        std::fs::write(workspace.join(hidden), "").unwrap();
        std::fs::write(workspace.join(".envrc"), "").unwrap();
        let profile = Profile {
            workspace: workspace.clone(),
            read: Vec::new(),
            write: vec![WriteRoot {
                path: workspace.clone(),
                mode: WriteMode::Direct,
                protect: true,
            }],
            hide: vec![workspace.join(hidden)],
            empty: Vec::new(),
            network: Network::Off,
            hosts: Vec::new(),
            commands: None,
            resources: Resources::default(),
            reporting: crate::Reporting::Usual,
            links: Vec::new(),
            git_obeys: Vec::new(),
            optional: vec![Protection::Filesystem, Protection::Identity],
        };
        let survey = Survey::for_backend(&profile, None, Backend::Firejail).unwrap();
        let text = super::profile(&Plan::compile(&profile, &survey).unwrap())?;
        Ok(text.replace(workspace.to_str().unwrap(), "WORK"))
    }

    #[test]
    fn what_is_hidden_and_frozen_is_named() {
        let text = words("secret").unwrap();
        for line in ["blacklist WORK/secret", "read-only WORK/.envrc", "net none"] {
            assert!(text.lines().any(|it| it == line), "{line}: {text}");
        }
    }

    #[test]
    fn a_name_that_it_would_read_otherwise_is_refused() {
        for name in ["a*b", "a\nblacklist b", "${HOME}", "a,b", "b "] {
            assert!(words(name).is_err(), "{name:?}");
        }
    }
}
