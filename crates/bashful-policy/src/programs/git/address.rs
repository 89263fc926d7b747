//! Addresses of repositories, as git reads them: only those of which nothing is left open.

use std::fmt;

/// A repository elsewhere, as its address names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct GitAddress {
    /// How git gets there.
    pub scheme: GitScheme,
    /// The user that the address names.
    pub user: Option<String>,
    /// The host, as it is written; for ssh it may be a name of the person's configuration.
    pub host: String,
    /// The port that the address names.
    pub port: Option<u16>,
    /// The path of the repository, as the server is given it.
    pub path: String,
}

/// How git gets to a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GitScheme {
    /// Through ssh.
    Ssh,
    /// Over TLS.
    Https,
    /// Over an open connection.
    Http,
}

impl GitScheme {
    /// The word in addresses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ssh => "ssh",
            Self::Https => "https",
            Self::Http => "http",
        }
    }
}

impl fmt::Display for GitScheme {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// What an address leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Destination {
    /// A repository elsewhere.
    Elsewhere(GitAddress),
    /// A path of this machine.
    Here,
    /// A plain name, which can be that of a remote.
    Name,
    /// Anything else: other transports, programs, what git would decode first.
    Unclear,
}

/// Reads an address of ssh, https or http of which no part is left open; none for all else.
pub fn git_address(text: &str) -> Option<GitAddress> {
    match destination(text) {
        Destination::Elsewhere(address) => Some(address),
        _ => None,
    }
}

/// The whole path of this machine that an address of the configuration stands for; none where it is
/// something else, or is read from somewhere.
pub fn git_path(text: &str) -> Option<&str> {
    let is_here = destination(text) == Destination::Here;
    let path = text.strip_prefix("file://").unwrap_or(text);
    // What git would decode is not read here.
    (is_here && path.starts_with('/') && !path.contains('%')).then_some(path)
}

/// What git would make of a word in the place of a repository.
pub(crate) fn destination(text: &str) -> Destination {
    let is_open = |letter: char| letter.is_control() || !letter.is_ascii();
    let is_transport = |(name, _): (&str, &str)| {
        let usual = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
        name.chars().all(usual)
    };
    let odd = text.is_empty() || text.starts_with('-') || text.contains(is_open);
    if odd || text.split_once("::").is_some_and(is_transport) {
        return Destination::Unclear;
    }
    if let Some((scheme, rest)) = text.split_once("://") {
        let scheme = match scheme {
            "ssh" | "git+ssh" | "ssh+git" => GitScheme::Ssh,
            "https" => GitScheme::Https,
            "http" => GitScheme::Http,
            "file" => return Destination::Here,
            _ => return Destination::Unclear,
        };
        return url(scheme, rest).map_or(Destination::Unclear, Destination::Elsewhere);
    }
    let front = text.split('/').next().unwrap_or_default();
    match front.split_once(':') {
        Some((authority, _)) => {
            let path = text.get(authority.len() + 1..).unwrap_or_default();
            let read = remote_path(path).and_then(|path| {
                let (user, host) = user_and_host(authority)?;
                Some(GitAddress {
                    scheme: GitScheme::Ssh,
                    user,
                    host: host_name(host)?,
                    port: None,
                    path,
                })
            });
            read.map_or(Destination::Unclear, Destination::Elsewhere)
        }
        None if text.starts_with(['.', '/', '~']) || text.contains('/') => Destination::Here,
        None => Destination::Name,
    }
}

/// What stands behind `://`.
fn url(scheme: GitScheme, rest: &str) -> Option<GitAddress> {
    // Git decodes these before it looks at anything.
    if rest.contains(['%', '\\']) {
        return None;
    }
    let (authority, path) = rest.split_at(rest.find('/')?);
    let (user, place) = user_and_host(authority)?;
    let (host, port) = match place.strip_prefix('[') {
        Some(inside) => {
            let (host, behind) = inside.split_once(']')?;
            let is_numbers =
                |letter: char| letter.is_ascii_hexdigit() || letter == ':' || letter == '.';
            if host.is_empty() || !host.chars().all(is_numbers) {
                return None;
            }
            let port = match behind.strip_prefix(':') {
                Some(port) => Some(port),
                None if behind.is_empty() => None,
                None => return None,
            };
            (host.to_owned(), port)
        }
        None => match place.split_once(':') {
            Some((host, port)) => (host_name(host)?, Some(port)),
            None => (host_name(place)?, None),
        },
    };
    let port = match port {
        Some(digits) if digits.starts_with(['+', '0']) => return None,
        Some(digits) => Some(digits.parse().ok()?),
        None => None,
    };
    let path = match scheme {
        GitScheme::Ssh => remote_path(path)?,
        GitScheme::Https | GitScheme::Http => {
            let path = path.trim_matches('/');
            let plain = !path.is_empty() && !path.contains(['?', '#', ' ', '"']);
            plain.then(|| path.to_owned())?
        }
    };
    Some(GitAddress {
        scheme,
        user,
        host,
        port,
        path,
    })
}

/// The path that the server is given: one of a home begins with its `~`.
fn remote_path(path: &str) -> Option<String> {
    let path = match path.strip_prefix('/') {
        Some(rest) if rest.starts_with('~') => rest,
        _ => path,
    };
    let plain = !path.is_empty() && path != "/" && !path.starts_with('-');
    plain.then(|| path.to_owned())
}

/// The user before `@`, without a password, and what stands behind it.
fn user_and_host(authority: &str) -> Option<(Option<String>, &str)> {
    let Some((user, host)) = authority.rsplit_once('@') else {
        return Some((None, authority));
    };
    let usual = |letter: char| letter.is_ascii_alphanumeric() || "-_.+".contains(letter);
    let plain = !user.is_empty() && !user.starts_with('-') && user.chars().all(usual);
    plain.then(|| (Some(user.to_owned()), host))
}

fn host_name(host: &str) -> Option<String> {
    let usual = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let plain = !host.is_empty() && !host.starts_with('-') && host.chars().all(usual);
    plain.then(|| host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_git_reads_them() {
        let shown = |text: &str| match destination(text) {
            Destination::Elsewhere(address) => {
                let user = address
                    .user
                    .map_or(String::new(), |user| format!("{user}@"));
                let port = address
                    .port
                    .map_or(String::new(), |port| format!(" {port}"));
                format!(
                    "{} {user}{}{port} {}",
                    address.scheme, address.host, address.path
                )
            }
            other => format!("{other:?}"),
        };
        for (text, expected) in [
            ("git@github.com:me/x.git", "ssh git@github.com me/x.git"),
            ("work:x", "ssh work x"),
            ("host:/srv/x", "ssh host /srv/x"),
            ("host:~me/x", "ssh host ~me/x"),
            ("ssh://host/~me/x", "ssh host ~me/x"),
            ("ssh://me@host:2222/srv/a b", "ssh me@host 2222 /srv/a b"),
            ("ssh://[::1]:22/x", "ssh ::1 22 /x"),
            ("https://host/me/x.git/", "https host me/x.git"),
            ("http://me@127.0.0.1:80/x", "http me@127.0.0.1 80 x"),
            ("../x", "Here"),
            ("/srv/a:b", "Here"),
            ("file:///x", "Here"),
            ("origin", "Name"),
            ("-oProxyCommand=x:y", "Unclear"),
            ("ssh://-oProxyCommand=x/y", "Unclear"),
            ("-x@host:y", "Unclear"),
            ("-h:y", "Unclear"),
            ("a@-h:y", "Unclear"),
            ("host:-x", "Unclear"),
            ("host:", "Unclear"),
            ("ext::sh -c x", "Unclear"),
            ("ext://x/y", "Unclear"),
            ("ssh://host%20x/y", "Unclear"),
            ("https://me:secret@host/x", "Unclear"),
            ("https://host/x?y", "Unclear"),
            ("ssh://host:022/x", "Unclear"),
            ("ssh://host:99999/x", "Unclear"),
            ("ho st:x", "Unclear"),
            ("host:a\nb", "Unclear"),
            ("hóst:x", "Unclear"),
            ("git://host/x", "Unclear"),
            ("[::1]:x", "Unclear"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
