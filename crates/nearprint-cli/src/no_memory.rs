//! Out of memory -> a message and exit code 1.
//!
//! Rust aborts a process that gets no memory, which looks like a crash to the user. The
//! [`Allocator`] is the system's own. If it fails while the command line runs, it prints the
//! requested size and a remedy, and ends the process at once: no destructor runs, so the finished
//! stages of a run stay on disk for the next one. This path allocates nothing.
//!
//! By default Linux promises more memory than it has and later kills the process, without a failed
//! allocation. A limit (`--memory`, or that of a container) ends the run before that.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering};

/// The system's allocator, which ends the command line with a message if an allocation fails.
///
/// It changes nothing in a process that does not run the command line (the Python package).
#[derive(Debug, Clone, Copy, Default)]
pub struct Allocator;

/// True if this process is the command line.
static IS_COMMAND_LINE: AtomicBool = AtomicBool::new(false);

/// True if the current run can be resumed.
static CAN_RESUME: AtomicBool = AtomicBool::new(false);

/// From now on a failed allocation ends the process.
pub(crate) fn end_process() {
    IS_COMMAND_LINE.store(true, Ordering::SeqCst);
}

/// From now on the message says that the run can go on.
pub(crate) fn can_resume() {
    CAN_RESUME.store(true, Ordering::SeqCst);
}

// SAFETY: every request goes unchanged to the system's allocator, and its answer comes back
// unchanged.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of this very function.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of this very function.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of this very function.
        checked(unsafe { System.realloc(pointer, layout, size) }, size)
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of this very function.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[inline]
fn checked(pointer: *mut u8, size: usize) -> *mut u8 {
    if pointer.is_null() && IS_COMMAND_LINE.load(Ordering::Relaxed) {
        end(size);
    }
    pointer
}

/// Prints the requested size, and ends the process.
#[cold]
#[inline(never)]
fn end(size: usize) -> ! {
    // Other threads that run out of memory at the same time print nothing and wait for the end.
    static ENDING: AtomicBool = AtomicBool::new(false);
    while ENDING.swap(true, Ordering::SeqCst) {
        std::thread::yield_now();
    }
    let mut digits = [0; 20];
    say(b"nearprint: out of memory: the system refused ");
    say(decimal(size as u64, &mut digits));
    say(b" bytes; check the limits of the shell (ulimit -v) and of the container, limit the run \
        with --memory, or deduplicate the input in several runs\n");
    if CAN_RESUME.load(Ordering::SeqCst) {
        say(b"nearprint: finished stages are kept; to continue, run the same command\n");
    }
    exit()
}

/// A number in digits, without an allocation.
fn decimal(mut number: u64, digits: &mut [u8; 20]) -> &[u8] {
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &digits[start..];
        }
    }
}

/// Writes to standard error past Rust's own, which another thread may hold.
#[cfg(unix)]
fn say(mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: the pointer and the length are those of one slice.
        let written =
            unsafe { libc::write(libc::STDERR_FILENO, bytes.as_ptr().cast(), bytes.len()) };
        // The process ends even if standard error is closed.
        let Ok(written @ 1..) = usize::try_from(written) else { return };
        bytes = &bytes[written..];
    }
}

#[cfg(unix)]
fn exit() -> ! {
    // SAFETY: it ends the process without running any of its code.
    unsafe { libc::_exit(1) }
}

#[cfg(not(unix))]
fn say(bytes: &[u8]) {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), bytes);
}

#[cfg(not(unix))]
fn exit() -> ! {
    std::process::exit(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_written_in_digits() {
        for number in [0, 7, 10, 4_194_304, u64::MAX] {
            assert_eq!(decimal(number, &mut [0; 20]), number.to_string().as_bytes());
        }
    }

    #[test]
    fn a_process_that_is_not_the_command_line_gets_the_systems_answer() {
        assert!(checked(std::ptr::null_mut(), 1).is_null());
    }
}
