//! Carrying bytes between a client and a server, with as much memory for each connection, however much
//! passes.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc;

use crate::http::Body;
use crate::serve::spawn;

/// What is read at once.
const PIECE: usize = 32 << 10;

/// The way from the server to the client, which a thread of its own goes.
#[derive(Debug)]
pub(crate) struct Down(mpsc::Receiver<u64>);

impl Down {
    /// Carries what the server says from now on.
    pub(crate) fn begin(server: &TcpStream, client: &TcpStream) -> io::Result<Self> {
        let (mut from, mut to) = (server.try_clone()?, client.try_clone()?);
        let (told, hears) = mpsc::channel();
        spawn(move || {
            let _ = told.send(carry(&mut from, &mut to));
        })?;
        Ok(Self(hears))
    }

    /// Waits for its end; how many bytes were carried.
    pub(crate) fn finish(self) -> u64 {
        self.0.recv().unwrap_or_default()
    }
}

/// Carries all until one end has no more; how many bytes those were.
pub(crate) fn carry(from: &mut TcpStream, to: &mut TcpStream) -> u64 {
    let mut buffer = vec![0; PIECE];
    let mut carried = 0;
    loop {
        match from.read(&mut buffer) {
            Ok(0) => {
                let _ = to.shutdown(Shutdown::Write);
                return carried;
            }
            Ok(length)
                if to
                    .write_all(buffer.get(..length).unwrap_or_default())
                    .is_ok() =>
            {
                carried += length as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => {
                // The other way has no end to wait for.
                let _ = from.shutdown(Shutdown::Both);
                let _ = to.shutdown(Shutdown::Both);
                return carried;
            }
        }
    }
}

/// Carries the body of a request and nothing behind it. Some of it has come already.
pub(crate) fn carry_body(
    come: &[u8],
    body: Body,
    client: &mut TcpStream,
    server: &mut TcpStream,
) -> io::Result<u64> {
    let mut from = come.chain(client);
    match body {
        Body::Bytes(length) => copy(&mut from, server, length),
        Body::Chunks => carry_chunks(&mut from, server),
    }
}

fn copy(from: &mut impl Read, to: &mut impl Write, length: u64) -> io::Result<u64> {
    let copied = io::copy(&mut from.take(length), to)?;
    if copied < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(copied)
}

/// Carries chunks, each with its length in front, up to the empty one. What may stand behind a
/// length, or behind the last chunk, is left out.
fn carry_chunks(from: &mut impl Read, to: &mut impl Write) -> io::Result<u64> {
    let mut carried = 0;
    loop {
        let line = line(from)?;
        let digits = line.split(';').next().unwrap_or_default().trim_end();
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let length = u64::from_str_radix(digits, 16).ok().filter(|_| plain);
        let length = length.ok_or(io::ErrorKind::InvalidData)?;
        if length == 0 {
            while !line_of_end(from)? {}
            to.write_all(b"0\r\n\r\n")?;
            return Ok(carried);
        }
        to.write_all(format!("{length:x}\r\n").as_bytes())?;
        carried += copy(from, to, length)?;
        if !line_of_end(from)? {
            return Err(io::ErrorKind::InvalidData.into());
        }
        to.write_all(b"\r\n")?;
    }
}

/// Reads a line; whether it is empty.
fn line_of_end(from: &mut impl Read) -> io::Result<bool> {
    line(from).map(|line| line.is_empty())
}

fn line(from: &mut impl Read) -> io::Result<String> {
    const MOST: usize = 4096;
    let mut line = Vec::new();
    let mut byte = [0];
    while !line.ends_with(b"\r\n") {
        from.read_exact(&mut byte)?;
        line.extend(byte);
        if line.len() > MOST || byte == *b"\n" && !line.ends_with(b"\r\n") {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
    line.truncate(line.len() - 2);
    String::from_utf8(line).map_err(|_| io::ErrorKind::InvalidData.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_end_with_the_empty_one() {
        let carried = |text: &str| {
            let mut from = text.as_bytes();
            let mut to = Vec::new();
            let outcome = carry_chunks(&mut from, &mut to).ok();
            (outcome, String::from_utf8(to).unwrap(), from.len())
        };
        let (length, to, left) =
            carried("3;x=y\r\nabc\r\n0A\r\n0123456789\r\n0\r\nX: y\r\n\r\nGET / HTTP/1.1");
        assert_eq!((length, left), (Some(13), "GET / HTTP/1.1".len()));
        assert_eq!(to, "3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n");
        for text in [
            "\r\n",
            "x\r\n",
            "+1\r\na\r\n0\r\n\r\n",
            "1\r\nab\r\n",
            "1\na\n0\n\n",
            "5\r\nab",
        ] {
            assert_eq!(carried(text).0, None, "{text:?}");
        }
    }
}
