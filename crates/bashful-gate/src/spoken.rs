//! What a client says first, and whether it names the host that was opened.

use std::io::Read;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use bashful_policy::{Host, HostName};

use crate::decide::{Destination, Refused, Speech};
use crate::http::{self, Head, Request};
use crate::tls::{self, Hello};

/// A client that has begun is to come to a point within this time.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// What a client said first, with all bytes that have come.
#[derive(Debug)]
pub(crate) enum Spoken {
    Tls(Option<String>, Vec<u8>),
    Http(Box<Head>, Vec<u8>),
    Other(Vec<u8>),
    /// It begins like one of the two, and could be read in several ways.
    Broken,
    /// The client hung up, or kept silent for too long.
    Nothing,
}

/// Whether a client that says nothing is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum First {
    Soon,
    /// In some protocols the server begins.
    Whenever,
}

/// Hears what a client says first; some bytes may have come already.
pub(crate) fn hear(client: &mut TcpStream, mut bytes: Vec<u8>, first: First) -> Spoken {
    let mut until = Instant::now() + PATIENCE;
    let mut buffer = [0; 4096];
    loop {
        if let Some(spoken) = classify(&mut bytes) {
            return spoken;
        }
        let patience = match until.checked_duration_since(Instant::now()) {
            _ if bytes.is_empty() && first == First::Whenever => None,
            Some(left) if !left.is_zero() => Some(left),
            _ => return Spoken::Nothing,
        };
        if client.set_read_timeout(patience).is_err() {
            return Spoken::Nothing;
        }
        match client.read(&mut buffer) {
            Ok(0) if bytes.is_empty() => return Spoken::Nothing,
            Ok(0) => return Spoken::Broken,
            Ok(length) => {
                if bytes.is_empty() && first == First::Whenever {
                    until = Instant::now() + PATIENCE;
                }
                bytes.extend(buffer.get(..length).unwrap_or_default());
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return Spoken::Nothing,
        }
    }
}

/// What these bytes are; none if more of them will tell.
fn classify(bytes: &mut Vec<u8>) -> Option<Spoken> {
    let first = *bytes.first()?;
    if first == tls::HANDSHAKE {
        return match tls::read(bytes) {
            Hello::Part => None,
            Hello::Whole(name) => Some(Spoken::Tls(name, std::mem::take(bytes))),
            Hello::Broken => Some(Spoken::Broken),
        };
    }
    match http::read(bytes) {
        Request::Part => None,
        Request::Whole(head) => Some(Spoken::Http(Box::new(head), std::mem::take(bytes))),
        Request::Broken => Some(Spoken::Broken),
        Request::Other => Some(Spoken::Other(std::mem::take(bytes))),
    }
}

/// Whether what was said may go to a host that was opened.
pub(crate) fn check(spoken: &Spoken, to: &Destination, speech: Speech) -> Result<(), Refused> {
    let (Host::Name(name), Speech::Web | Speech::Any) = (&to.host, speech) else {
        return Ok(());
    };
    match spoken {
        Spoken::Tls(Some(told), _) => match HostName::parse(told) {
            Ok(told) if told == *name => Ok(()),
            _ => Err(Refused::Misnamed(told.clone())),
        },
        Spoken::Http(head, _) => {
            let told = head.host.iter().chain(&head.authority);
            for told in told {
                match http::authority(told, to.port) {
                    Ok((Host::Name(told), port)) if told == *name && port == to.port => {}
                    _ => return Err(Refused::Misnamed(told.clone())),
                }
            }
            head.host.is_some().then_some(()).ok_or(Refused::Speech)
        }
        Spoken::Tls(None, _) | Spoken::Other(_) if speech == Speech::Any => Ok(()),
        Spoken::Tls(None, _) | Spoken::Other(_) | Spoken::Broken | Spoken::Nothing => {
            Err(Refused::Speech)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tls::tests::hello;

    #[test]
    fn the_host_that_is_named_is_the_one_that_was_opened() {
        let record = |names: &[&str]| {
            let hello = hello(names);
            let length = u16::try_from(hello.len()).unwrap().to_be_bytes();
            [&[22, 3, 1][..], &length, &hello].concat()
        };
        let text = |text: &str| text.as_bytes().to_vec();
        let cases = [
            (record(&["a.example"]), true, true),
            (record(&["A.EXAMPLE"]), true, true),
            (record(&["b.example"]), false, false),
            (record(&["a.example\0"]), false, false),
            (record(&[]), false, true),
            (
                text("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"),
                true,
                true,
            ),
            (
                text("GET / HTTP/1.1\r\nHost: a.example:80\r\n\r\n"),
                true,
                true,
            ),
            (
                text("GET / HTTP/1.1\r\nHost: a.example:81\r\n\r\n"),
                false,
                false,
            ),
            (
                text("GET / HTTP/1.1\r\nHost: b.example\r\n\r\n"),
                false,
                false,
            ),
            (
                text("GET http://b.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
                false,
                false,
            ),
            (text("GET / HTTP/1.1\r\n\r\n"), false, false),
            (
                text("\r\nGET / HTTP/1.1\r\nHost: b.example\r\n\r\n"),
                false,
                false,
            ),
            (text("SSH-2.0-x\r\n"), false, true),
            (vec![0, 0, 0, 8, 4, 210, 22, 47], false, true),
        ];
        let host = Host::parse("a.example").unwrap();
        let to = Destination { host, port: 80 };
        for (bytes, web, any) in cases {
            let spoken = classify(&mut bytes.clone()).unwrap();
            let is_ok = |speech| check(&spoken, &to, speech).is_ok();
            let told = String::from_utf8_lossy(&bytes);
            assert_eq!(
                (is_ok(Speech::Web), is_ok(Speech::Any)),
                (web, any),
                "{told:?}"
            );
        }
    }
}
