//! Addresses of unix sockets, as programs pass them to the kernel.

use rustix::io::Errno;

/// Where the address begins, behind the family.
const FAMILY_BYTES: usize = 2;
/// The kernel's `sun_path`.
const MOST_BYTES: usize = 108;

/// An address of a unix socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Address {
    /// The text of a path, absolute or not.
    Path(Vec<u8>),
    /// A name that belongs to no file system.
    Name(Vec<u8>),
}

/// The address in these bytes, which the kernel would understand the same way.
pub(crate) fn parse(bytes: &[u8]) -> Result<Address, Errno> {
    let (family, rest) = bytes
        .split_first_chunk::<FAMILY_BYTES>()
        .ok_or(Errno::INVAL)?;
    let is_unix = i32::from(u16::from_ne_bytes(*family)) == libc::AF_UNIX;
    if !is_unix || rest.len() > MOST_BYTES {
        return Err(Errno::INVAL);
    }
    match rest.split_first() {
        None => Err(Errno::INVAL),
        Some((0, name)) => Ok(Address::Name(name.to_vec())),
        Some(_) => {
            let end = rest.iter().position(|byte| *byte == 0);
            let text = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            Ok(Address::Path(text.to_vec()))
        }
    }
}

/// The bytes of the address of this path, which must be short, or of this name.
pub(super) fn bytes(first: Option<u8>, text: &[u8]) -> Vec<u8> {
    let family = u16::try_from(libc::AF_UNIX).unwrap_or_default();
    let mut bytes = family.to_ne_bytes().to_vec();
    bytes.extend(first);
    bytes.extend_from_slice(text);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_the_kernel_reads_them() {
        let unix = |text: &[u8]| bytes(None, text);
        let path = |text: &[u8]| Ok(Address::Path(text.to_vec()));
        assert_eq!(parse(&unix(b"/tmp/x\0rest")), path(b"/tmp/x"));
        assert_eq!(parse(&unix(b"x")), path(b"x"));
        assert_eq!(parse(&unix(&[b'a'; 108])), path(&[b'a'; 108]));
        let name = |text: &[u8]| Ok(Address::Name(text.to_vec()));
        assert_eq!(parse(&unix(b"\0x\0y")), name(b"x\0y"));
        assert_eq!(parse(&bytes(Some(0), b"x")), name(b"x"));
        assert_eq!(parse(&unix(b"\0")), name(b""));
        for wrong in [
            &[][..],
            &[1],
            &unix(b""),
            &[2, 0, 1, 1],
            &unix(&[b'a'; 109]),
        ] {
            assert_eq!(parse(wrong), Err(Errno::INVAL), "{wrong:?}");
        }
    }
}
