//! Answering questions for names, over datagrams and connections.
//!
//! Nothing of a question goes on to the host's name servers: a name alone can carry a secret out.

use std::io::{Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::time::Duration;

use bashful_policy::HostName;

use crate::names::Given;
use crate::serve::Gate;

const ADDRESS: u16 = 1;
const INTERNET: u16 = 1;
const HEADER: usize = 12;
/// A question without its extras; no name is longer.
const MOST_QUESTION: usize = 512;
/// The address of a name never changes in a room, but rooms do.
const SECONDS: u32 = 30;
const PATIENCE: Duration = Duration::from_secs(20);

const NO_ERROR: u16 = 0;
const FORMAT_ERROR: u16 = 1;
const SERVER_FAILED: u16 = 2;
const NO_SUCH_NAME: u16 = 3;
const NOT_IMPLEMENTED: u16 = 4;

/// Answers what is asked over datagrams, for ever.
pub(crate) fn answer_datagrams(gate: &Gate, socket: &UdpSocket) {
    let mut buffer = [0; 2048];
    loop {
        let Ok((length, from)) = socket.recv_from(&mut buffer) else {
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        let question = buffer.get(..length).unwrap_or_default();
        if let Some(answer) = answer(gate, question) {
            let _ = socket.send_to(&answer, from);
        }
    }
}

/// Answers what is asked on one connection.
pub(crate) fn answer_connection(gate: &Gate, mut stream: TcpStream) {
    if stream.set_read_timeout(Some(PATIENCE)).is_err() {
        return;
    }
    let mut length = [0; 2];
    while stream.read_exact(&mut length).is_ok() {
        let mut question = vec![0; usize::from(u16::from_be_bytes(length))];
        if stream.read_exact(&mut question).is_err() {
            return;
        }
        let Some(answer) = answer(gate, &question) else {
            return;
        };
        let length = u16::try_from(answer.len()).unwrap_or_default();
        if stream
            .write_all(&[&length.to_be_bytes()[..], &answer].concat())
            .is_err()
        {
            return;
        }
    }
}

/// The answer to one question; none if these bytes are none.
fn answer(gate: &Gate, bytes: &[u8]) -> Option<Vec<u8>> {
    let header = bytes.get(..HEADER)?;
    let word = |at: usize| Some(u16::from_be_bytes(header.get(at..at + 2)?.try_into().ok()?));
    let flags = word(2)?;
    // An answer is not answered.
    if flags & 0x8000 != 0 {
        return None;
    }
    let question = (word(4)? == 1).then(|| question(bytes)).flatten();
    let Some(question) = question else {
        return Some(reply(header, flags, &[], FORMAT_ERROR, None));
    };
    let asked = bytes.get(HEADER..question.end)?;
    let say = |code, address| Some(reply(header, flags, asked, code, address));
    if flags & 0x7800 != 0 || question.class != INTERNET {
        return say(NOT_IMPLEMENTED, None);
    }
    let Ok(name) = HostName::parse(&question.name) else {
        return say(NO_SUCH_NAME, None);
    };
    match gate.names.address(&name, gate.decider.rules()) {
        Given::Nothing => say(NO_SUCH_NAME, None),
        Given::Full => say(SERVER_FAILED, None),
        Given::Address(address) if question.kind == ADDRESS => {
            say(NO_ERROR, Some(address.octets()))
        }
        // There is such a name, and nothing of this kind: also no address of version 6.
        Given::Address(_) => say(NO_ERROR, None),
    }
}

struct Question {
    name: String,
    kind: u16,
    class: u16,
    end: usize,
}

fn question(bytes: &[u8]) -> Option<Question> {
    let mut at = HEADER;
    let mut labels = Vec::new();
    loop {
        let length = usize::from(*bytes.get(at)?);
        at += 1;
        match length {
            0 => break,
            // No question points elsewhere.
            64.. => return None,
            _ => {}
        }
        let label = bytes.get(at..at + length)?;
        // What is no letter of a name is seen as such by whoever reads the name.
        labels.push(String::from_utf8_lossy(label).replace('.', "\0"));
        at += length;
        if at > MOST_QUESTION {
            return None;
        }
    }
    let word = |at: usize| Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    Some(Question {
        name: labels.join("."),
        kind: word(at)?,
        class: word(at + 2)?,
        end: at + 4,
    })
}

fn reply(header: &[u8], flags: u16, asked: &[u8], code: u16, address: Option<[u8; 4]>) -> Vec<u8> {
    const POINTER_TO_QUESTION: u16 = 0xc00c;
    let mut reply = header.get(..2).unwrap_or_default().to_vec();
    // An answer, with recursion as it was wanted, and available.
    let words = [
        0x8080 | flags & 0x0100 | code,
        u16::from(!asked.is_empty()),
        u16::from(address.is_some()),
        0,
        0,
    ];
    reply.extend(words.into_iter().flat_map(u16::to_be_bytes));
    reply.extend(asked);
    if let Some(address) = address {
        let words = [POINTER_TO_QUESTION, ADDRESS, INTERNET];
        reply.extend(words.into_iter().flat_map(u16::to_be_bytes));
        reply.extend(SECONDS.to_be_bytes());
        reply.extend(4_u16.to_be_bytes());
        reply.extend(address);
    }
    reply
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_question_is_read_whole_or_not() {
        let mut bytes = vec![0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        bytes.extend(b"\x01a\x07example\0\0\x01\0\x01");
        let read = question(&bytes).unwrap();
        assert_eq!(
            (read.name.as_str(), read.kind, read.class),
            ("a.example", 1, 1)
        );
        assert_eq!(read.end, bytes.len());
        for length in 0..bytes.len() {
            assert!(question(bytes.get(..length).unwrap()).is_none());
        }
        // A dot within a label is no dot between labels.
        bytes.truncate(HEADER);
        bytes.extend(b"\x09a.example\0\0\x01\0\x01");
        assert!(HostName::parse(&question(&bytes).unwrap().name).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_do_harm(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            let _ = question(&bytes);
        }
    }
}
