//! The kernel's own record of what it refused. Only root may read it, and only on the host's own
//! network: elsewhere there is none, and a run's report lacks it.
//!
//! It covers the whole machine. The process that a record names shows which run it is about.

mod record;

use std::fs;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::net::netlink::{self, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, bind, recv, socket_with};

pub(crate) use record::Record;

use crate::profile::Violation;
use crate::seccomp::call_name;

/// Records that are read before others have their turn.
const MOST_AT_ONCE: usize = 64;
/// The longest record that the kernel makes.
const MOST_BYTES: usize = 9 << 10;
/// Domains of Landlock that are remembered.
const MOST_DOMAINS: usize = 256;
/// The netlink group of processes that only read.
const READERS: u32 = 1;

/// The kernel's record, as it is written.
#[derive(Debug)]
pub struct Audit {
    socket: OwnedFd,
    /// Which process a domain of Landlock was made by, the newest last.
    domains: Vec<(String, i32)>,
}

/// An attempt that the kernel refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The process that tried, or the first of those that are confined like it.
    pub pid: i32,
    /// What it tried.
    pub violation: Violation,
}

impl Audit {
    /// Begins to read; none where that is not for us. Records name processes as the whole machine
    /// numbers them. Where our numbers are different, one run would get the report of another.
    pub fn open() -> Option<Self> {
        if !is_of_whole_machine(&fs::read_link("/proc/self/ns/pid").ok()?) {
            return None;
        }
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let kind = SocketType::RAW;
        let socket = socket_with(AddressFamily::NETLINK, kind, flags, Some(netlink::AUDIT)).ok()?;
        bind(&socket, &SocketAddrNetlink::new(0, READERS)).ok()?;
        Some(Self {
            socket,
            domains: Vec::new(),
        })
    }

    /// What was written since, as far as it is a refusal; no more than a fair share. What the
    /// kernel had to drop is lost.
    pub fn read(&mut self) -> Vec<Refused> {
        let mut refused = Vec::new();
        let mut bytes = vec![0; MOST_BYTES];
        for _ in 0..MOST_AT_ONCE {
            let Ok((length, _)) = recv(&self.socket, &mut *bytes, RecvFlags::DONTWAIT) else {
                break;
            };
            let record = bytes.get(..length).and_then(Record::parse);
            refused.extend(record.and_then(|record| self.attribute(record)));
        }
        refused
    }

    fn attribute(&mut self, record: Record) -> Option<Refused> {
        match record {
            Record::Call { pid, number } => Some(Refused {
                pid,
                violation: Violation {
                    kind: "syscall".to_owned(),
                    syscall: Some(call_name(number)?.to_owned()),
                    source: "audit".to_owned(),
                    note: Some("no run may call this".to_owned()),
                    ..Violation::default()
                },
            }),
            Record::Domain { domain, pid } => {
                if self.domains.len() >= MOST_DOMAINS {
                    self.domains.remove(0);
                }
                self.domains.push((domain, pid));
                None
            }
            Record::Access {
                domain,
                blockers,
                path,
            } => {
                let mut known = self.domains.iter().rev();
                let (_, pid) = known.find(|(known, _)| *known == domain)?;
                let (kind, missing) = meaning(&blockers);
                Some(Refused {
                    pid: *pid,
                    violation: Violation {
                        kind: kind.to_owned(),
                        path,
                        missing: missing.to_owned(),
                        source: "landlock".to_owned(),
                        note: Some(format!("Landlock refused {blockers}")),
                        ..Violation::default()
                    },
                })
            }
        }
    }
}

impl AsFd for Audit {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Whether this namespace of processes is the machine's first, whose number is fixed.
fn is_of_whole_machine(namespace: &Path) -> bool {
    namespace == Path::new("pid:[4026531836]")
}

/// Of what kind an access is that Landlock refuses, and what would permit it.
fn meaning(blockers: &str) -> (&'static str, &'static str) {
    let first = blockers.split(',').next().unwrap_or_default();
    match first.split_once('.') {
        Some(("fs", "execute")) => ("command", "commands"),
        Some(("fs", access)) if access.starts_with("read") => ("read", "paths_read"),
        Some(("fs", _)) => ("write", "paths_write"),
        Some(("net", _)) => ("network", "network"),
        _ => ("process", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn audit() -> Audit {
        let (socket, _) = rustix::net::socketpair(
            AddressFamily::UNIX,
            SocketType::DGRAM,
            SocketFlags::CLOEXEC,
            None,
        )
        .unwrap();
        Audit {
            socket,
            domains: Vec::new(),
        }
    }

    #[test]
    fn an_access_is_found_by_its_domain() {
        let mut audit = audit();
        let access = |domain: &str, blockers: &str| Record::Access {
            domain: domain.to_owned(),
            blockers: blockers.to_owned(),
            path: Some("/usr/bin/x".into()),
        };
        assert_eq!(audit.attribute(access("7", "fs.execute")), None);
        for (domain, pid) in [("7", 70), ("8", 80)] {
            let domain = domain.to_owned();
            assert_eq!(audit.attribute(Record::Domain { domain, pid }), None);
        }
        let refused = audit.attribute(access("7", "fs.execute")).unwrap();
        assert_eq!(
            (refused.pid, refused.violation.kind.as_str()),
            (70, "command")
        );
        let refused = audit
            .attribute(access("8", "fs.make_reg,fs.refer"))
            .unwrap();
        assert_eq!(
            (refused.pid, refused.violation.missing.as_str()),
            (80, "paths_write")
        );
    }

    #[test]
    fn records_are_read_only_where_processes_have_the_same_numbers() {
        assert!(is_of_whole_machine(Path::new("pid:[4026531836]")));
        for other in ["pid:[4026532201]", "pid:[1]", ""] {
            assert!(!is_of_whole_machine(Path::new(other)), "{other}");
        }
    }

    #[test]
    fn domains_are_forgotten_in_time() {
        let mut audit = audit();
        for pid in 0..10_000 {
            let domain = pid.to_string();
            audit.attribute(Record::Domain { domain, pid });
        }
        assert_eq!(audit.domains.len(), MOST_DOMAINS);
    }
}
