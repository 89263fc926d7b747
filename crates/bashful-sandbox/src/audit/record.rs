//! One record: a header of netlink, a time, and fields of text.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// What a record says, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Record {
    /// A filter refused a call.
    Call { pid: i32, number: u32 },
    /// Landlock confined a process for the first time.
    Domain { domain: String, pid: i32 },
    /// Landlock refused an access.
    Access {
        domain: String,
        blockers: String,
        path: Option<PathBuf>,
    },
}

const HEADER_BYTES: usize = 16;
const OF_SECCOMP: u16 = 1326;
const OF_LANDLOCK_ACCESS: u16 = 1423;
const OF_LANDLOCK_DOMAIN: u16 = 1424;
/// What a filter answers when it gives an error.
const WITH_ERROR: &str = "0x50000";

impl Record {
    /// Reads a message; none if it is about another kind of event.
    pub(crate) fn parse(message: &[u8]) -> Option<Self> {
        let kind = u16::from_ne_bytes(message.get(4..6)?.try_into().ok()?);
        let text = std::str::from_utf8(message.get(HEADER_BYTES..)?).ok()?;
        let text = text.trim_end_matches(['\0', '\n']);
        match kind {
            OF_SECCOMP if field(text, "code")? == WITH_ERROR => Some(Self::Call {
                pid: field(text, "pid")?.parse().ok()?,
                number: field(text, "syscall")?.parse().ok()?,
            }),
            OF_LANDLOCK_DOMAIN => Some(Self::Domain {
                domain: field(text, "domain")?.to_owned(),
                pid: field(text, "pid")?.parse().ok()?,
            }),
            OF_LANDLOCK_ACCESS => Some(Self::Access {
                domain: field(text, "domain")?.to_owned(),
                blockers: field(text, "blockers")?.to_owned(),
                path: field(text, "path").and_then(untrusted),
            }),
            _ => None,
        }
    }
}

/// The value of the first field of this name. What programs choose, such as their names, comes
/// later in a record or is quoted, and has no blank in it.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.split(' ').find_map(|word| {
        let (key, value) = word.split_once('=')?;
        (key == name).then_some(value)
    })
}

/// Text that a process chose: quoted, or in hexadecimal digits if it is odd.
fn untrusted(value: &str) -> Option<PathBuf> {
    if let Some(quoted) = value.strip_prefix('"') {
        return quoted.strip_suffix('"').map(PathBuf::from);
    }
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|it| u8::try_from(it).ok())
    };
    let mut bytes = Vec::with_capacity(value.len() / 2);
    let mut pairs = value.as_bytes().chunks_exact(2);
    for pair in &mut pairs {
        let [high, low] = pair else { return None };
        bytes.push(digit(*high)? << 4 | digit(*low)?);
    }
    (pairs.remainder().is_empty() && !bytes.is_empty())
        .then(|| PathBuf::from(OsString::from_vec(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: u16, text: &str) -> Vec<u8> {
        let mut bytes = 0_u32.to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend([0; 10]);
        bytes.extend(text.as_bytes());
        bytes
    }

    #[test]
    fn records_are_read() {
        let call = "audit(1794802228.464:226): auid=4294967295 uid=0 gid=0 ses=4294967295 \
                    pid=25918 comm=\"a\" exe=\"/tmp/a\" sig=0 arch=c000003e syscall=101 compat=0 \
                    ip=0x7ffb7ab44829 code=0x50000";
        assert_eq!(
            Record::parse(&message(1326, call)),
            Some(Record::Call {
                pid: 25918,
                number: 101
            })
        );
        let killed = call.replace("code=0x50000", "code=0x80000000");
        assert_eq!(Record::parse(&message(1326, &killed)), None);
        let domain = "audit(1729738800.349:44): domain=195ba459b status=allocated \
                      mode=enforcing pid=286 uid=0 exe=\"/usr/bin/x\" comm=\"x\"";
        assert_eq!(
            Record::parse(&message(1424, domain)),
            Some(Record::Domain {
                domain: "195ba459b".to_owned(),
                pid: 286
            })
        );
        for (path, expected) in [("\"/usr/bin/x\"", "/usr/bin/x"), ("2F6120622F63", "/a b/c")] {
            let access = format!(
                "audit(1729738800.349:44): domain=195ba459b blockers=fs.execute path={path} dev=\"vda\" ino=2"
            );
            assert_eq!(
                Record::parse(&message(1423, &access)),
                Some(Record::Access {
                    domain: "195ba459b".to_owned(),
                    blockers: "fs.execute".to_owned(),
                    path: Some(expected.into()),
                })
            );
        }
    }

    #[test]
    fn nonsense_is_nothing() {
        for text in ["", "pid=", "pid=x syscall=y code=0x50000", "domain=1"] {
            for kind in [1326, 1423, 1424, 1300, 0] {
                let record = Record::parse(&message(kind, text));
                assert_eq!(record, None, "{kind} {text}");
            }
        }
        assert_eq!(Record::parse(&[]), None);
        assert_eq!(Record::parse(&[0; 15]), None);
        for odd in ["2F6", "2FZZ", "\"/x", ""] {
            assert_eq!(untrusted(odd), None, "{odd}");
        }
    }
}
