//! The head of a request in HTTP, read strictly and written anew.
//!
//! What a server could read in another way is no request here: two hosts, two lengths, folded lines,
//! bare line ends. One connection carries one request, so that no second one names another host.

use std::fmt::Write as _;

use bashful_policy::{Host, HostError};

/// No head is longer.
pub(crate) const MOST_HEAD: usize = 64 << 10;

/// The head of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) method: String,
    /// Where the request says that it goes, if it does: `http://HOST:PORT/…`, or CONNECT.
    pub(crate) authority: Option<String>,
    /// The target without that.
    path: String,
    version: String,
    pub(crate) host: Option<String>,
    headers: Vec<(String, String)>,
    pub(crate) body: Body,
    /// How many bytes it took.
    pub(crate) length: usize,
}

/// What follows a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    Bytes(u64),
    Chunks,
}

/// What the first bytes of a connection are, as far as they have come.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Request {
    Part,
    Whole(Head),
    Broken,
    /// It is something else.
    Other,
}

/// Reads the head of a request.
pub(crate) fn read(bytes: &[u8]) -> Request {
    // Some servers pass over empty lines before a request.
    if bytes
        .first()
        .is_some_and(|first| matches!(first, b'\r' | b'\n'))
    {
        return Request::Broken;
    }
    let line = bytes.iter().position(|byte| *byte == b'\n');
    let first = bytes.get(..line.unwrap_or(bytes.len())).unwrap_or_default();
    if !first
        .iter()
        .all(|byte| matches!(byte, b' '..=b'~' | b'\r' | b'\t' | 128..))
    {
        return Request::Other;
    }
    if line.is_none() {
        return if bytes.len() > MOST_HEAD {
            Request::Broken
        } else {
            Request::Part
        };
    }
    let first = String::from_utf8_lossy(first);
    let mut words = first.trim_end_matches('\r').rsplit(' ');
    if !words
        .next()
        .is_some_and(|version| version.to_ascii_uppercase().starts_with("HTTP/"))
    {
        return Request::Other;
    }
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        let bare = bytes.windows(2).any(|two| two == b"\n\n") || bytes.len() > MOST_HEAD;
        return if bare { Request::Broken } else { Request::Part };
    };
    let text = bytes
        .get(..end)
        .and_then(|head| std::str::from_utf8(head).ok());
    let head = text.and_then(|text| parse(text, end + 4));
    head.map_or(Request::Broken, Request::Whole)
}

fn parse(text: &str, length: usize) -> Option<Head> {
    let mut lines = text.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() || !is_token(method) || !matches!(version, "HTTP/1.0" | "HTTP/1.1") {
        return None;
    }
    let mut headers = Vec::new();
    for line in lines {
        let (name, value) = line.split_once(':')?;
        let value = value.trim_matches([' ', '\t']);
        let plain = |letter: char| letter == '\t' || !letter.is_control();
        if !is_token(name) || !value.chars().all(plain) {
            return None;
        }
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let all = |name: &str| -> Vec<&str> {
        let named = headers.iter().filter(|(known, _)| known == name);
        named.map(|(_, value)| value.as_str()).collect()
    };
    let host = match all("host")[..] {
        [] => None,
        [host] => Some(host.to_owned()),
        _ => return None,
    };
    let body = match (&all("content-length")[..], &all("transfer-encoding")[..]) {
        ([], []) => Body::Bytes(0),
        ([digits], []) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Body::Bytes(digits.parse().ok()?)
        }
        ([], [coding]) if coding.eq_ignore_ascii_case("chunked") => Body::Chunks,
        _ => return None,
    };
    let (authority, path) = if method == "CONNECT" {
        (Some(target), "")
    } else if target.starts_with('/') || target == "*" {
        (None, target)
    } else {
        let rest = target.strip_prefix("http://")?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(end)?;
        (Some(authority), path)
    };
    if path.contains('#') {
        return None;
    }
    Some(Head {
        method: method.to_owned(),
        authority: authority.map(str::to_owned),
        path: if path.starts_with('/') || path == "*" {
            path.to_owned()
        } else {
            format!("/{path}")
        },
        version: version.to_owned(),
        host,
        headers,
        body,
        length,
    })
}

fn is_token(text: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(letter)
}

impl Head {
    /// The same for the server itself: it answers, and hangs up.
    pub(crate) fn for_server(&self) -> Vec<u8> {
        let mut text = format!("{} {} {}\r\n", self.method, self.path, self.version);
        let between = |name: &str| {
            matches!(
                name,
                "connection" | "keep-alive" | "upgrade" | "http2-settings"
            ) || name.starts_with("proxy-")
        };
        for (name, value) in self.headers.iter().filter(|(name, _)| !between(name)) {
            let _ = write!(text, "{name}: {value}\r\n");
        }
        text.push_str("connection: close\r\n\r\n");
        text.into_bytes()
    }
}

/// A host with its port, or this port where none is said.
pub(crate) fn authority(text: &str, usual: u16) -> Result<(Host, u16), HostError> {
    let ported = text
        .rsplit_once(':')
        .filter(|(host, _)| !host.contains(':') || host.ends_with(']'));
    match ported {
        Some((host, digits)) => {
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            match digits.parse() {
                Ok(port) if plain => Ok((Host::parse(host)?, port)),
                // It is read as a name, which says what is wrong.
                _ => Ok((Host::parse(text)?, usual)),
            }
        }
        None => Ok((Host::parse(text)?, usual)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn head(text: &str) -> Option<Head> {
        match read(text.as_bytes()) {
            Request::Whole(head) => Some(head),
            _ => None,
        }
    }

    #[test]
    fn a_request_is_written_anew_for_the_server() {
        let text = "POST http://a.example:80/x?y HTTP/1.1\r\nHost: a.example\r\nConnection: keep-alive\r\n\
                    Proxy-Authorization: secret\r\nContent-Length: 3\r\n\r\nabc";
        let head = head(text).unwrap();
        assert_eq!(head.authority.as_deref(), Some("a.example:80"));
        assert_eq!((head.body, head.length), (Body::Bytes(3), text.len() - 3));
        let written = String::from_utf8(head.for_server()).unwrap();
        assert_eq!(
            written,
            "POST /x?y HTTP/1.1\r\nhost: a.example\r\ncontent-length: 3\r\nconnection: close\r\n\r\n"
        );
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_no_request() {
        let line = "GET / HTTP/1.1\r\n";
        for headers in [
            "Host: a\r\nHost: b",
            "Host : a",
            " Host: a",
            "Host: a\r\n b",
            "Host: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked",
            "Host: a\r\nContent-Length: 1\r\nContent-Length: 2",
            "Host: a\r\nContent-Length: +1",
            "Host: a\r\nTransfer-Encoding: gzip, chunked",
            "Host: a\nX: b",
            "Host: a\rX: b",
        ] {
            let text = format!("{line}{headers}\r\n\r\n");
            assert_eq!(head(&text), None, "{text:?}");
        }
        for line in [
            "GET  / HTTP/1.1",
            "GET / HTTP/2.0",
            "PRI * HTTP/2.0",
            "GET x HTTP/1.1",
            "G(T / HTTP/1.1",
        ] {
            assert_eq!(head(&format!("{line}\r\n\r\n")), None, "{line}");
        }
        assert_eq!(read(b"SSH-2.0-x\r\n"), Request::Other);
        assert_eq!(read(b"GET / HT"), Request::Part);
    }

    #[test]
    fn hosts_have_ports() {
        let read = |text| {
            authority(text, 80)
                .ok()
                .map(|(host, port)| (format!("{host:?}"), port))
        };
        assert_eq!(read("a.example").unwrap().1, 80);
        assert_eq!(read("a.example:81").unwrap().1, 81);
        assert_eq!(read("[::1]:81").unwrap().1, 81);
        assert_eq!(read("[::1]").unwrap().1, 80);
        for text in [
            "a.example:",
            "a.example:+1",
            "a.example:99999",
            "a:b:1",
            "u@a.example",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_do_harm(bytes in prop::collection::vec(any::<u8>(), 0..300), text in "(GET|X) [a-z/:.]{0,9} HTTP/1.[01]\r\n([a-z]{1,3}:[a-z]?\r\n){0,4}\r\n") {
            let _ = read(&bytes);
            if let Request::Whole(head) = read(text.as_bytes()) {
                prop_assert!(matches!(read(&head.for_server()), Request::Whole(_)));
            }
        }
    }
}
