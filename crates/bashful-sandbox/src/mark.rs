//! A mark that shows which run a process belongs to, whatever it does to itself.
//!
//! A process can leave its session, its process group and its parent, and can
//! clear its environment. It keeps its resource limits, and so do its children.
//! The budget for real-time scheduling (`RLIMIT_RTTIME`) is one that programs
//! leave alone and that, at the huge values used here, limits nothing: a random
//! value of it names a run. Without a sandbox this finds the honest and the
//! careless; a program that lowers this limit itself loses its mark, and the
//! keeper treats it as a stray. In a sandbox the process namespace decides.

use std::io;

use crate::sys::limits::realtime_budget;

/// The mark of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mark(u64);

/// Far beyond any real budget (in microseconds), far below infinity.
const CEILING: u64 = 1 << 62;

/// Below this, marks would not be different from each other.
const LEAST: u64 = 1 << 32;

impl Mark {
    /// A mark that nothing else has. It lies below our own limit, so that an
    /// ordinary user may set it, also inside another marked run.
    pub fn fresh() -> io::Result<Self> {
        let (_, hard) = realtime_budget(0)?;
        let ceiling = hard.min(CEILING);
        let mut random = [0_u8; 8];
        rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())?;
        let half = (ceiling / 2).max(LEAST);
        Ok(Self(half + u64::from_ne_bytes(random) % half))
    }

    /// Whether our own limit leaves room for it.
    pub fn can_be_set(self) -> bool {
        realtime_budget(0).is_ok_and(|(_, hard)| self.0 <= hard)
    }

    /// The mark that this process carries, or what stands in its place.
    /// A process that has ended keeps it until it is reaped.
    pub fn of(pid: i32) -> Option<Self> {
        if let Ok((_, hard)) = realtime_budget(pid) {
            return Some(Self(hard));
        }
        // A process of another user may still show its limits here.
        let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).ok()?;
        let line = limits
            .lines()
            .find(|line| line.starts_with("Max realtime timeout"))?;
        let hard = line.split_whitespace().rev().nth(1)?;
        hard.parse().ok().map(Self)
    }

    /// Whether this is a mark, and not the limit of a process that never had one.
    pub fn is_set(self) -> bool {
        (LEAST..=CEILING).contains(&self.0)
    }

    pub(crate) fn value(self) -> u64 {
        self.0
    }
}
