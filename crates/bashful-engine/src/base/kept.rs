//! What the rooms of an engine remember from run to run, each by a type of its own.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// One value of each type that a room asks for, made when it is first asked for. So the settings of an
/// engine know nothing of what is kept.
#[derive(Debug, Default)]
pub(crate) struct Kept(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl Kept {
    /// The value of this type.
    pub(crate) fn of<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = all
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Arc::<T>::default());
        // Under its own type there is nothing else.
        Arc::clone(kept).downcast().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

    use super::*;

    #[test]
    fn each_type_has_one_value() {
        let kept = Kept::default();
        kept.of::<AtomicU32>().store(7, Ordering::Relaxed);
        assert_eq!(kept.of::<AtomicU32>().load(Ordering::Relaxed), 7);
        assert_eq!(kept.of::<AtomicU64>().load(Ordering::Relaxed), 0);
    }
}
