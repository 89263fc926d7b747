//! The name in the first message of TLS.

/// What the first bytes of a connection are, as far as they have come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Hello {
    /// More bytes will tell.
    Part,
    /// A whole first message, with the name in it, if there is one.
    Whole(Option<String>),
    /// It begins like TLS and is not.
    Broken,
}

/// The first byte of a record of the handshake.
pub(crate) const HANDSHAKE: u8 = 22;
const CLIENT_HELLO: u8 = 1;
/// No client says more before it is answered.
const MOST: usize = 32 << 10;

/// Reads the first message. It may come in any number of records.
pub(crate) fn read(bytes: &[u8]) -> Hello {
    let mut message = Vec::new();
    let mut rest = bytes;
    loop {
        if let Some(whole) = whole(&message) {
            return name(whole).unwrap_or(Hello::Broken);
        }
        if message.len() > MOST {
            return Hello::Broken;
        }
        let Some((header, after)) = rest.split_at_checked(5) else {
            let fits = rest.first().is_none_or(|first| *first == HANDSHAKE);
            return if fits { Hello::Part } else { Hello::Broken };
        };
        let length = usize::from(u16::from_be_bytes([header[3], header[4]]));
        if header[0] != HANDSHAKE || header[1] != 3 || length == 0 || length > 1 << 14 {
            return Hello::Broken;
        }
        let Some((part, after)) = after.split_at_checked(length) else {
            // A message that ends in this record begins the same way.
            return Hello::Part;
        };
        message.extend(part);
        if message.first().is_some_and(|kind| *kind != CLIENT_HELLO) {
            return Hello::Broken;
        }
        rest = after;
    }
}

/// The body of the message, if all of it is there.
fn whole(message: &[u8]) -> Option<&[u8]> {
    let (header, body) = message.split_at_checked(4)?;
    let length = u32::from_be_bytes([0, header[1], header[2], header[3]]);
    body.get(..usize::try_from(length).ok()?)
}

/// Bytes that are taken from the front.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self, bytes: usize) -> Option<usize> {
        let taken = self.take(bytes)?;
        Some(
            taken
                .iter()
                .fold(0, |number, byte| number << 8 | usize::from(*byte)),
        )
    }

    /// A list of bytes with its length before it.
    fn list(&mut self, bytes: usize) -> Option<Self> {
        let length = self.number(bytes)?;
        self.take(length).map(Reader)
    }
}

/// The name that the message asks for; none if it cannot be read.
fn name(body: &[u8]) -> Option<Hello> {
    const SERVER_NAME: usize = 0;
    const HOST_NAME: usize = 0;
    let mut body = Reader(body);
    // Version and random numbers; session, ciphers, compressions.
    body.take(34)?;
    body.list(1)?;
    body.list(2)?;
    body.list(1)?;
    if body.0.is_empty() {
        return Some(Hello::Whole(None));
    }
    let mut extensions = body.list(2)?;
    let mut found = None;
    while !extensions.0.is_empty() {
        let kind = extensions.number(2)?;
        let mut data = extensions.list(2)?;
        if kind != SERVER_NAME {
            continue;
        }
        let mut names = data.list(2)?;
        let is_host = names.number(1)? == HOST_NAME;
        let name = names.list(2)?;
        // Two names could be read as either.
        if !is_host || !names.0.is_empty() || !data.0.is_empty() || found.is_some() {
            return None;
        }
        found = Some(String::from_utf8(name.0.to_vec()).ok()?);
    }
    Some(Hello::Whole(found))
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A first message with these names.
    pub(crate) fn hello(names: &[&str]) -> Vec<u8> {
        let sized = |bytes: &[u8]| {
            [
                &u16::try_from(bytes.len()).unwrap().to_be_bytes()[..],
                bytes,
            ]
            .concat()
        };
        let mut extensions = [&[0, 43][..], &sized(&[2, 3, 4])].concat();
        for name in names {
            let entry = [&[0][..], &sized(name.as_bytes())].concat();
            extensions.extend([&[0, 0][..], &sized(&sized(&entry))].concat());
        }
        let mut body = vec![3, 3];
        body.extend([7; 32]);
        body.extend([0, 0, 2, 19, 1, 1, 0]);
        body.extend(sized(&extensions));
        let length = u32::try_from(body.len()).unwrap().to_be_bytes();
        [&[CLIENT_HELLO][..], &length[1..], &body].concat()
    }

    fn records(message: &[u8], size: usize) -> Vec<u8> {
        let record = |part: &[u8]| {
            let length = u16::try_from(part.len()).unwrap().to_be_bytes();
            [&[HANDSHAKE, 3, 1][..], &length, part].concat()
        };
        message.chunks(size).flat_map(record).collect()
    }

    #[test]
    fn the_name_is_found_however_it_is_cut() {
        let whole = Hello::Whole(Some("a.example".to_owned()));
        for size in [1, 2, 7, 4000] {
            let bytes = records(&hello(&["a.example"]), size);
            assert_eq!(read(&bytes), whole, "{size}");
            assert_eq!(
                read(bytes.get(..bytes.len() - 1).unwrap()),
                Hello::Part,
                "{size}"
            );
        }
        assert_eq!(read(&records(&hello(&[]), 99)), Hello::Whole(None));
        assert_eq!(read(&records(&hello(&["a", "b"]), 99)), Hello::Broken);
        assert_eq!(read(&[HANDSHAKE, 3, 1, 0, 1, 2]), Hello::Broken);
        assert_eq!(read(&[HANDSHAKE, 3, 1, 0, 0]), Hello::Broken);
    }

    proptest! {
        #[test]
        fn no_bytes_do_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = read(&records(&bytes, 50));
            let _ = read(&bytes);
        }
    }
}
