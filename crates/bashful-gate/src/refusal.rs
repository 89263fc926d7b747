//! Saying no in the words of the protocol, so that the program prints something.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use crate::decide::{Destination, Refused};
use crate::spoken::{First, Spoken, hear};

/// Fatal: access denied.
const ALERT: [u8; 7] = [21, 3, 3, 0, 2, 2, 49];

/// Refuses a connection on which nothing was answered yet.
pub(crate) fn refuse(mut client: TcpStream, to: &Destination, why: &Refused) {
    let spoken = hear(&mut client, Vec::new(), First::Soon);
    refuse_spoken(client, &spoken, to, why);
}

/// The same where it is known what the client said.
pub(crate) fn refuse_spoken(client: TcpStream, spoken: &Spoken, to: &Destination, why: &Refused) {
    match spoken {
        Spoken::Tls(..) => say(client, &ALERT),
        Spoken::Http(..) => say(client, &answer(to, why)),
        Spoken::Other(_) | Spoken::Broken | Spoken::Nothing => reset(&client),
    }
}

/// Refuses what a proxy was asked for.
pub(crate) fn refuse_request(client: TcpStream, to: &Destination, why: &Refused) {
    say(client, &answer(to, why));
}

/// Says a line to a client that asks nothing of a proxy.
pub(crate) fn not_a_server(client: TcpStream) {
    let text =
        "HTTP/1.1 400 This is a proxy (bashful)\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    say(client, text.as_bytes());
}

fn answer(to: &Destination, why: &Refused) -> Vec<u8> {
    let code = match why {
        Refused::Unknown | Refused::Silent => 502,
        _ => 403,
    };
    // What another named may hold anything.
    let plain = |letter: char| {
        if letter.is_ascii_graphic() {
            letter
        } else {
            ' '
        }
    };
    let reason: String = format!("bashful: {to} {why}")
        .chars()
        .map(plain)
        .take(300)
        .collect();
    let length = reason.len() + 1;
    format!(
        "HTTP/1.1 {code} {reason}\r\ncontent-type: text/plain\r\ncontent-length: {length}\r\n\
         connection: close\r\n\r\n{reason}\n"
    )
    .into_bytes()
}

/// Says it, and waits for the other end to have heard it: what comes unread would tear it away.
fn say(mut client: TcpStream, words: &[u8]) {
    const PATIENCE: Duration = Duration::from_millis(500);
    const MOST_READ: usize = 16;
    if client.write_all(words).is_err() || client.shutdown(Shutdown::Write).is_err() {
        return;
    }
    let mut buffer = [0; 4096];
    let _ = client.set_read_timeout(Some(PATIENCE));
    for _ in 0..MOST_READ {
        if !matches!(client.read(&mut buffer), Ok(1..)) {
            return;
        }
    }
}

/// Has the client's connection break.
pub(crate) fn reset(client: &TcpStream) {
    let _ = rustix::net::sockopt::set_socket_linger(client, Some(Duration::ZERO));
}
