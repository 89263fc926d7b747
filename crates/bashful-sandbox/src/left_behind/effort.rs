//! How much may be spent on a search before it must stop.
//!
//! The keeper has one thread, and runs decide how much there is to look at. So it looks at little
//! itself, and what is more is looked at in a process of its own.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// What may be spent.
#[derive(Debug)]
pub struct Effort {
    /// Entries of directories, and pieces of files.
    left: Cell<usize>,
    until: Instant,
    is_spent: Cell<bool>,
}

/// It is spent: the search must stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spent;

/// A piece of a file that takes about as long as an entry of a directory.
const PIECE: u64 = 128;
/// How many entries are looked at between two looks at the clock.
const TICK: usize = 32;

impl Effort {
    /// What the keeper spends at a time.
    pub fn small() -> Self {
        Self {
            left: Cell::new(4096),
            ..Self::of(Duration::from_millis(4))
        }
    }

    /// What a process of its own spends.
    pub fn of(patience: Duration) -> Self {
        Self {
            left: Cell::new(usize::MAX),
            until: Instant::now() + patience,
            is_spent: Cell::new(false),
        }
    }

    /// Spends this many entries.
    pub(crate) fn spend(&self, entries: usize) -> Result<(), Spent> {
        let left = self.left.get();
        let rest = left.saturating_sub(entries);
        let is_late = left / TICK != rest / TICK && Instant::now() > self.until;
        if self.is_spent.get() || is_late || left < entries {
            self.is_spent.set(true);
            return Err(Spent);
        }
        self.left.set(rest);
        Ok(())
    }

    /// Spends what it takes to read this many bytes.
    pub(crate) fn spend_bytes(&self, bytes: u64) -> Result<(), Spent> {
        let pieces = usize::try_from(bytes / PIECE).unwrap_or(usize::MAX);
        self.spend(pieces.saturating_add(1))
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.is_spent.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_stays_spent() {
        let effort = Effort::small();
        assert_eq!(effort.spend(4000), Ok(()));
        assert_eq!(effort.spend(97), Err(Spent));
        assert_eq!(effort.spend(1), Err(Spent));
        assert!(effort.is_spent());
        let effort = Effort::of(Duration::from_millis(5));
        assert_eq!(effort.spend_bytes(u64::MAX / 4), Ok(()));
        std::thread::sleep(Duration::from_millis(10));
        let late = (0..=TICK).find(|_| effort.spend(1).is_err());
        assert!(late.is_some());
    }
}
