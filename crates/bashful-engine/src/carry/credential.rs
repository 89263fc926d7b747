//! Outside: the person's own git, asked for the credential of exactly one repository.

use std::time::Duration;

use bashful_sandbox::Launch;

use crate::base::legible::shown;
use crate::base::process;
use crate::model::transfer::{Transfer, Way};

/// A helper may have to unlock something, or wait for a person.
const PATIENCE: Duration = Duration::from_secs(90);
/// What of the answer goes in.
const ANSWERED: [&str; 5] = [
    "protocol",
    "host",
    "username",
    "password",
    "password_expiry_utc",
];

/// What git asked about, as far as it counts.
#[derive(Debug, Default)]
struct Asked<'a> {
    protocol: &'a str,
    host: &'a str,
    path: &'a str,
    username: Option<&'a str>,
}

impl<'a> Asked<'a> {
    fn read(about: &'a str) -> Self {
        let mut asked = Self::default();
        for line in about.lines() {
            match line.split_once('=') {
                Some(("protocol", value)) => asked.protocol = value,
                Some(("host", value)) => asked.host = value,
                Some(("path", value)) => asked.path = value,
                Some(("username", value)) => asked.username = Some(value),
                _ => {}
            }
        }
        asked
    }

    fn is(&self, transfer: &Transfer) -> bool {
        // A server tells git to use the address with or without its ending.
        transfer.way != Way::Ssh
            && self.protocol == transfer.way.as_str()
            && self.host == transfer.authority()
            && self.path == transfer.path
            && self
                .username
                .is_none_or(|name| transfer.user.as_deref() == Some(name))
    }
}

/// The answer to what git asked; an error is for the stub's standard error.
pub(super) fn answer(
    about: &str,
    transfers: &[Transfer],
    launch: impl FnOnce() -> Option<Launch>,
) -> Result<String, String> {
    let asked = Asked::read(about);
    let Some(transfer) = transfers.iter().find(|transfer| asked.is(transfer)) else {
        return Err(refusal(&asked, transfers));
    };
    let Some(launch) = launch() else {
        return Err("there is no `git` outside to ask for the credential".to_owned());
    };
    // From what the person said yes to, and not from what was asked.
    let user = transfer.user.as_ref();
    let user = user.map_or(String::new(), |user| format!("username={user}\n"));
    let (protocol, host) = (transfer.way.as_str(), transfer.authority());
    let question = format!(
        "protocol={protocol}\nhost={host}\npath={}\n{user}\n",
        transfer.path
    );
    let launch = launch.argument("credential").argument("fill");
    let filled = process::run(launch, question.as_bytes(), PATIENCE).map_err(|error| {
        format!(
            "your git outside has no credential for {transfer} ({error}); a credential helper in \
             your own git configuration would give it one"
        )
    })?;
    let filled = String::from_utf8_lossy(&filled);
    let lines = filled.lines().filter(|line| {
        let name = line.split_once('=').map_or("", |(name, _)| name);
        ANSWERED.contains(&name)
    });
    Ok(lines.flat_map(|line| [line, "\n"]).collect())
}

fn refusal(asked: &Asked<'_>, transfers: &[Transfer]) -> String {
    let wanted = format!("{}://{}/{}", asked.protocol, asked.host, asked.path);
    let wanted = shown(&wanted);
    let given: Vec<String> = transfers.iter().map(ToString::to_string).collect();
    format!(
        "git asked for the credential of {wanted}, but a person was asked about {} only; run git \
         for that in a command of its own",
        given.join(" and ")
    )
}
