//! When an engine looks again whether tasks are to be cleaned.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// When an engine looks again whether it is time to clean: not before it can be.
#[derive(Debug, Default)]
pub(crate) struct NextCleaning(Mutex<Option<Instant>>);

impl NextCleaning {
    /// Whether it is time, by a look that says how long it still is.
    pub(crate) fn is_due(&self, look: impl FnOnce() -> Duration) -> bool {
        let mut next = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if next.is_some_and(|next| now < next) {
            return false;
        }
        let left = look();
        *next = now.checked_add(left);
        left.is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_looks_before_it_can_be_time() {
        let next = NextCleaning::default();
        let long = Duration::from_secs(1000);
        assert!(next.is_due(|| Duration::ZERO));
        // It was cleaned now.
        assert!(!next.is_due(|| long));
        assert!(!next.is_due(|| unreachable!()));
        let soon = NextCleaning::default();
        assert!(!soon.is_due(|| Duration::from_millis(1)));
        std::thread::sleep(Duration::from_millis(2));
        assert!(soon.is_due(|| Duration::ZERO));
    }
}
