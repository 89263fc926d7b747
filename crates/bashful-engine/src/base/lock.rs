//! Taking a mutex.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // The maps are whole after every statement, so a panic elsewhere did not tear them.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
