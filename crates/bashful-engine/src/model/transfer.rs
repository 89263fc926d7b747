//! What git does with a repository elsewhere: what a person is asked about, and what is carried out.

use std::fmt;

use bashful_policy::{GitAddress, GitScheme};
use serde::{Deserialize, Serialize};

/// One repository elsewhere that git is let to. Everything that is done outside is held to it.
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
    /// The host, as the address has it.
    pub host: String,
    /// The port that the address names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// The path of the repository there.
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
}

impl Way {
    /// The word in addresses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ssh => "ssh",
            Self::Https => "https",
            Self::Http => "http",
        }
    }
}

impl Transfer {
    /// What git does there and what of the person's is used for that, for the person.
    pub fn in_words(&self) -> String {
        let does = if self.pushes { "writes" } else { "reads" };
        match self.way {
            Way::Ssh => {
                format!("git {does} {self}; your ssh keys are used outside, nothing of them enters")
            }
            Way::Https | Way::Http => format!(
                "git {does} {self}; the credential that your git has for it enters this run, hooks \
                 included"
            ),
        }
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
    fn the_service_is_quoted_as_git_quotes_it() {
        let address = bashful_policy::git_address("h:it's \"$x\"!;`y`").unwrap();
        let service = Transfer::of(address, true).service();
        assert_eq!(service, r#"git-receive-pack 'it'\''s "$x"'\!';`y`'"#);
    }
}
