//! Outside: the person's own ssh, for exactly what was asked about.

use bashful_sandbox::Launch;

use crate::base::legible::shown;
use crate::model::transfer::{Transfer, Way};

/// What is said to ssh whatever the person's configuration says: nobody is asked, an unknown server
/// is refused, nothing is forwarded, nothing stays, and no other command runs.
const ALWAYS: [&str; 10] = [
    "BatchMode=yes",
    "StrictHostKeyChecking=yes",
    "ClearAllForwardings=yes",
    "PermitLocalCommand=no",
    "RemoteCommand=none",
    "RequestTTY=no",
    "ControlMaster=no",
    "ControlPath=none",
    "Tunnel=no",
    "UpdateHostKeys=no",
];

/// What git asked of ssh, taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
struct Asked<'a> {
    family: Option<&'a str>,
    port: Option<&'a str>,
    destination: &'a str,
    service: &'a str,
}

impl<'a> Asked<'a> {
    /// Reads the words that git gives an ssh of OpenSSH; none if there is anything else.
    fn read(words: &'a [String]) -> Option<Self> {
        let mut asked = Self::default();
        let mut words = words.iter().map(String::as_str);
        loop {
            match words.next()? {
                "-o" if words.next()? == "SendEnv=GIT_PROTOCOL" => {}
                family @ ("-4" | "-6") => asked.family = Some(family),
                "-p" => asked.port = Some(words.next()?),
                option if option.starts_with('-') => return None,
                destination => {
                    asked.destination = destination;
                    asked.service = words.next()?;
                    return words.next().is_none().then_some(asked);
                }
            }
        }
    }

    fn is(&self, transfer: &Transfer) -> bool {
        let port = transfer.port.map(|port| port.to_string());
        transfer.way == Way::Ssh
            && self.port == port.as_deref()
            && self.destination == transfer.destination()
            && self.service == transfer.service()
    }
}

/// The repository that these words lead to, if it is one of these.
fn wanted<'t>(
    words: &[String],
    transfers: &'t [Transfer],
) -> Option<(&'t Transfer, Option<&'static str>)> {
    let asked = Asked::read(words)?;
    let transfer = transfers.iter().find(|transfer| asked.is(transfer))?;
    let family = match asked.family {
        Some("-4") => Some("-4"),
        Some(_) => Some("-6"),
        None => None,
    };
    Some((transfer, family))
}

/// Has ssh do what git asked for; an error says what was asked for and may not be.
///
/// Nothing of the words goes on: what ssh is told comes from what the person said yes to.
pub(super) fn launch(
    launch: Launch,
    words: &[String],
    protocol: Option<&str>,
    transfers: &[Transfer],
) -> Result<Launch, String> {
    let Some((transfer, family)) = wanted(words, transfers) else {
        return Err(refusal(words, transfers));
    };
    let mut launch = connecting(launch, transfer);
    if let Some(option) = family {
        launch = launch.argument(option);
    }
    let versions = ["version=0", "version=1", "version=2"];
    if let Some(protocol) = protocol.filter(|protocol| versions.contains(protocol)) {
        launch = launch
            .variable("GIT_PROTOCOL", protocol)
            .argument("-o")
            .argument("SendEnv=GIT_PROTOCOL");
    }
    Ok(launch
        .argument("--")
        .argument(transfer.destination())
        .argument(transfer.service()))
}

/// The options of every connection, and the port.
pub(super) fn connecting(mut launch: Launch, transfer: &Transfer) -> Launch {
    for option in ["-T", "-a", "-x"] {
        launch = launch.argument(option);
    }
    for option in ALWAYS {
        launch = launch.argument("-o").argument(option);
    }
    if let Some(port) = transfer.port {
        launch = launch.argument("-p").argument(port.to_string());
    }
    launch
}

/// What is told inside about a request that may not be.
pub(super) fn refusal(words: &[String], transfers: &[Transfer]) -> String {
    let wanted = match Asked::read(words) {
        Some(asked) => {
            let port = asked
                .port
                .map_or(String::new(), |port| format!(" (port {port})"));
            format!("`{}` on {}{port}", asked.service, asked.destination)
        }
        None => format!("ssh with `{}`", words.join(" ")),
    };
    let wanted = shown(&wanted);
    let given: Vec<String> = transfers.iter().map(ToString::to_string).collect();
    format!(
        "git asked for {wanted}, but a person was asked about {} only; run git for that in a \
         command of its own",
        given.join(" and ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transfers() -> Vec<Transfer> {
        let of =
            |text: &str, pushes| Transfer::of(bashful_policy::git_address(text).unwrap(), pushes);
        vec![of("ssh://me@host:22/srv/x", true), of("host:y's", false)]
    }

    fn is_wanted(words: &[&str]) -> bool {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        wanted(&words, &transfers()).is_some()
    }

    #[test]
    fn only_what_was_asked_about_is_wanted() {
        let push = "git-receive-pack '/srv/x'";
        assert!(is_wanted(&["-p", "22", "me@host", push]));
        assert!(is_wanted(&[
            "-o",
            "SendEnv=GIT_PROTOCOL",
            "-4",
            "-p",
            "22",
            "me@host",
            push
        ]));
        assert!(is_wanted(&["host", r"git-upload-pack 'y'\''s'"]));
        for words in [
            &["-p", "22", "me@host"][..],
            &["me@host", push],
            &["-p", "23", "me@host", push],
            &["-p", "22", "you@host", push],
            &["-p", "22", "host", push],
            &["-p", "22", "me@other", push],
            &["-p", "22", "me@host", "git-upload-pack '/srv/x'"],
            &["-p", "22", "me@host", "git-receive-pack '/srv/y'"],
            &["-p", "22", "me@host", "git-receive-pack '/srv/x'; id"],
            &["-p", "22", "me@host", "sh -c id"],
            &["-p", "22", "me@host", push, "id"],
            &["-o", "ProxyCommand=id", "-p", "22", "me@host", push],
            &["-oProxyCommand=id", "-p", "22", "me@host", push],
            &["-A", "-p", "22", "me@host", push],
            &["--", "-p", "22", "me@host", push],
            &["-G", "host"],
            &[],
        ] {
            assert!(!is_wanted(words), "{words:?}");
        }
    }
}
