//! Giving a run its way out: a socket that it alone has, and the variables by which git finds it.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use bashful_sandbox::{FIRST_INHERITED, Launch, copy_of_descriptor, reap};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use serde::{Deserialize, Serialize};

use super::{CARRIER, CREDENTIAL, SSH};
use crate::base::programs::{find_trusted, trusted_path};
use crate::model::transfer::{Transfer, Way};

/// The variable that has the number of the run's end.
pub(super) const CHANNEL: &str = "BASHFUL_GIT_CHANNEL";

/// What a carrier is told: all that it may do.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Orders {
    pub(super) transfers: Vec<Transfer>,
    /// The person's own programs.
    pub(super) ssh: Option<PathBuf>,
    pub(super) git: Option<PathBuf>,
}

/// Whose programs and which run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outside<'a> {
    /// The person's environment.
    pub(crate) environment: &'a BTreeMap<String, String>,
    /// What runs can write, real: no program of there is started.
    pub(crate) foreign: &'a [PathBuf],
    /// This executable, as it can be started outside.
    pub(crate) executable: &'a Path,
}

impl Outside<'_> {
    /// The person's program of this name.
    pub(super) fn program(&self, name: &str) -> Option<PathBuf> {
        find_trusted(name, &self.path(), self.foreign)
    }

    fn path(&self) -> String {
        let path = self.environment.get("PATH").map(String::as_str);
        trusted_path(path, self.foreign)
    }

    /// A launch of a program as the person would start it, but that none of its questions is put
    /// to a terminal or a desktop, and that it obeys no repository.
    pub(super) fn launch(&self, program: impl Into<PathBuf>, name: &str) -> Launch {
        let mut launch = Launch::new(program, name).new_session();
        for (name, value) in self.environment {
            // Of git's variables only those that say where the person's own configuration is.
            let own = [
                "GIT_CONFIG_GLOBAL",
                "GIT_CONFIG_SYSTEM",
                "GIT_CONFIG_NOSYSTEM",
            ];
            let foreign = name.starts_with("GIT_") && !own.contains(&name.as_str());
            let asks = name.starts_with("SSH_ASKPASS") || name == "PATH";
            if !foreign && !asks {
                launch = launch.variable(name, value);
            }
        }
        launch
            .variable("PATH", self.path())
            .variable("GIT_TERMINAL_PROMPT", "0")
            .variable("GIT_ASKPASS", "")
            .variable("SSH_ASKPASS_REQUIRE", "never")
    }
}

/// What a run is given.
#[derive(Debug)]
pub(crate) struct Armed {
    /// Its end of the channel.
    pub(crate) theirs: OwnedFd,
    /// What git has to know.
    pub(crate) variables: Vec<(String, String)>,
}

/// Starts a carrier for one run, which is held to these repositories, and returns the run's end.
/// `place` is how many descriptors the run inherits before it, `inside` is this executable as the
/// run sees it.
pub(crate) fn arm(
    outside: &Outside<'_>,
    transfers: &[Transfer],
    place: usize,
    inside: &Path,
) -> io::Result<Armed> {
    let orders = Orders {
        transfers: transfers.to_vec(),
        ssh: outside.program("ssh"),
        git: outside.program("git"),
    };
    let kind = SocketType::SEQPACKET;
    let (ours, theirs) = socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)?;
    let carrier = outside
        .launch(outside.executable, "bashful-carrier")
        .argument(CARRIER)
        .argument(serde_json::to_string(&orders)?)
        .stdin(ours);
    // It leaves a process of its own behind at once.
    let _ = reap(carrier.start().map_err(io::Error::other)?);
    let number = FIRST_INHERITED + i32::try_from(place).map_err(io::Error::other)?;
    Ok(Armed {
        theirs,
        variables: variables(transfers, number, inside),
    })
}

/// The run's end, in the run.
pub(super) fn channel() -> io::Result<OwnedFd> {
    let number = std::env::var(CHANNEL)
        .ok()
        .and_then(|number| number.parse().ok());
    let number: i32 = number.ok_or_else(|| io::Error::other("it was given none"))?;
    if number < FIRST_INHERITED {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let channel = copy_of_descriptor(number)?;
    let kind = rustix::net::sockopt::socket_type(channel.as_fd())?;
    if kind != SocketType::SEQPACKET {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok(channel)
}

/// What has git come here, and nowhere else for a credential.
fn variables(transfers: &[Transfer], number: i32, inside: &Path) -> Vec<(String, String)> {
    let quoted = bashful_policy::escape_arg(&inside.to_string_lossy());
    let mut variables = vec![
        (CHANNEL.to_owned(), number.to_string()),
        ("GIT_SSH_COMMAND".to_owned(), format!("{quoted} {SSH}")),
        ("GIT_SSH_VARIANT".to_owned(), "ssh".to_owned()),
        // Where it is not ours, a home that runs write has no say.
        ("GIT_CONFIG_GLOBAL".to_owned(), "/dev/null".to_owned()),
    ];
    let over_http: Vec<&Transfer> = transfers
        .iter()
        .filter(|transfer| transfer.way != Way::Ssh)
        .collect();
    if !over_http.is_empty() {
        let mut settings = vec![
            ("credential.helper".to_owned(), String::new()),
            (
                "credential.helper".to_owned(),
                format!("!{quoted} {CREDENTIAL}"),
            ),
            ("credential.useHttpPath".to_owned(), "true".to_owned()),
        ];
        // Nothing that the repository says about this very address weakens who is trusted.
        settings.extend(over_http.iter().map(|transfer| {
            let key = format!("http.{transfer}.sslVerify");
            (key, "true".to_owned())
        }));
        variables.push(("GIT_CONFIG_COUNT".to_owned(), settings.len().to_string()));
        for (number, (key, value)) in settings.into_iter().enumerate() {
            variables.push((format!("GIT_CONFIG_KEY_{number}"), key));
            variables.push((format!("GIT_CONFIG_VALUE_{number}"), value));
        }
    }
    variables
}
