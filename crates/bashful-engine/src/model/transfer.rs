//! What git does with another repository: what a person is asked about, and what is carried out or
//! opened for it.

use std::fmt;

use bashful_policy::{GitAddress, GitScheme};
use serde::{Deserialize, Serialize};

/// One other repository that git is let to. Everything that is done outside is held to it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Transfer {
    /// How git gets there.
    pub way: Way,
    /// Whether it writes there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pushes: bool,
    /// The user that the address names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The host, as the address has it; empty for a path of this machine.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// The port that the address names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// The path of the repository there; of one of this machine, its directory without links.
    pub path: String,
}

/// How git gets to a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// The person's own ssh, which runs outside.
    Ssh,
    /// Git itself over TLS, with a credential from outside.
    Https,
    /// Git itself over an open connection, with a credential from outside.
    Http,
    /// Git itself, in a directory of this machine that is opened for the run.
    Path,
}

impl Way {
    /// The word in addresses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ssh => "ssh",
            Self::Https => "https",
            Self::Http => "http",
            Self::Path => "path",
        }
    }
}

impl Transfer {
    /// The repository of an address of ssh, https or http; none for all else.
    pub fn to(address: &str, pushes: bool) -> Option<Self> {
        bashful_policy::git_address(address).map(|address| Self::of(address, pushes))
    }

    /// Whether git itself needs the network to get there.
    pub fn needs_network(&self) -> bool {
        matches!(self.way, Way::Https | Way::Http)
    }

    /// A repository of this machine.
    pub(crate) fn here(directory: String, pushes: bool) -> Self {
        Self {
            way: Way::Path,
            pushes,
            user: None,
            host: String::new(),
            port: None,
            path: directory,
        }
    }

    /// What git does there, for the person.
    pub fn in_words(&self) -> String {
        let does = if self.pushes { "writes" } else { "reads" };
        format!("git {does} {self}")
    }

    /// What of the person's is used for these, as rows with a name.
    pub fn used(transfers: &[Self]) -> Vec<(&'static str, &'static str)> {
        let over = |ways: &[Way]| transfers.iter().any(|one| ways.contains(&one.way));
        let mut rows = Vec::new();
        if over(&[Way::Ssh]) {
            rows.push((
                "Your keys",
                "your ssh keys are used outside; nothing of them enters",
            ));
        }
        if over(&[Way::Https, Way::Http]) {
            rows.push((
                "Credential",
                "what your git has for it enters this run, hooks included",
            ));
        }
        rows
    }

    pub(crate) fn of(address: GitAddress, pushes: bool) -> Self {
        Self {
            way: match address.scheme {
                GitScheme::Ssh => Way::Ssh,
                GitScheme::Https => Way::Https,
                GitScheme::Http => Way::Http,
            },
            pushes,
            user: address.user,
            host: address.host,
            port: address.port,
            path: address.path,
        }
    }

    /// Who is connected to, as ssh is told it.
    pub(crate) fn destination(&self) -> String {
        match &self.user {
            Some(user) => format!("{user}@{}", self.host),
            None => self.host.clone(),
        }
    }

    /// What the server is told to run, quoted as git quotes it.
    pub(crate) fn service(&self) -> String {
        let program = if self.pushes {
            "git-receive-pack"
        } else {
            "git-upload-pack"
        };
        let quoted = self.path.replace('\'', r"'\''").replace('!', r"'\!'");
        format!("{program} '{quoted}'")
    }

    /// The host and the port, as git asks for a credential.
    pub(crate) fn authority(&self) -> String {
        let host = if self.host.contains(':') {
            format!("[{}]", self.host)
        } else {
            self.host.clone()
        };
        match self.port {
            Some(port) => format!("{host}:{port}"),
            None => host,
        }
    }
}

impl fmt::Display for Transfer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.way == Way::Path {
            return formatter.write_str(&self.path);
        }
        // From the home there and from the root there are different places.
        if self.way == Way::Ssh && self.port.is_none() && !self.path.starts_with(['/', '~']) {
            return write!(formatter, "{}:{}", self.destination(), self.path);
        }
        let (way, path) = (self.way.as_str(), self.path.trim_start_matches('/'));
        let user = self.user.as_ref();
        let user = user.map_or(String::new(), |user| format!("{user}@"));
        write!(formatter, "{way}://{user}{}/{path}", self.authority())
    }
}

/// A server's key that a person is asked to trust: the lines that ssh keeps of it, and what it
/// looks like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerKey {
    /// What is added to the person's file of known hosts.
    pub lines: String,
    /// The fingerprint, for the person.
    pub fingerprint: String,
    /// Which server showed it.
    pub server: String,
}

impl ServerKey {
    /// What becomes of it, for the person.
    pub fn in_words(&self) -> String {
        let Self {
            server,
            fingerprint,
            ..
        } = self;
        format!("{server} with the key {fingerprint} joins your known hosts")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_sees_where_a_path_begins() {
        for text in [
            "git@h:me/x.git",
            "ssh://me@h:22/srv/x",
            "ssh://h/~me/x",
            "ssh://h/srv/x",
            "https://h:1/me/x.git",
        ] {
            let address = bashful_policy::git_address(text).unwrap();
            assert_eq!(Transfer::of(address, false).to_string(), text);
        }
    }

    #[test]
    fn the_service_is_quoted_as_git_quotes_it() {
        let address = bashful_policy::git_address("h:it's \"$x\"!;`y`").unwrap();
        let service = Transfer::of(address, true).service();
        assert_eq!(service, r#"git-receive-pack 'it'\''s "$x"'\!';`y`'"#);
    }
}
