//! Locks that hold after a panic: what they guard is whole between two statements.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a mutex guards.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
