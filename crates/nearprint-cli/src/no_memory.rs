//! Memory that the system refuses -> a message and exit code 1.
//!
//! Rust ends a process that gets no memory by an abort, which tells a user nothing and looks like a
//! fault of the program. The [`Allocator`] is the system's own, and where that has nothing to give
//! while the command line is at work, it says how much was asked for and what helps, and ends the
//! process at once: no destructor runs, so the finished stages of a run stay on disk, and
//! `--resume` goes on from there. Nothing is allocated on that way.
//!
//! Memory that the system promises and does not have (Linux does so unless told otherwise) is not
//! refused: the kernel kills the process. A bound (`--memory`, or the limit of a container) ends
//! the run before.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering};

/// The system's allocator, which ends the command line with a message where there is no memory.
///
/// In a process that does not run the command line (the Python package as a library) it changes
/// nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Allocator;

/// Whether this process is the command line.
static IS_COMMAND_LINE: AtomicBool = AtomicBool::new(false);

/// Whether the run that is at work can go on later.
static CAN_RESUME: AtomicBool = AtomicBool::new(false);

/// From now on a lack of memory ends the process.
pub(crate) fn end_process() {
    IS_COMMAND_LINE.store(true, Ordering::SeqCst);
}

/// From now on the message names the way to go on.
pub(crate) fn can_resume() {
    CAN_RESUME.store(true, Ordering::SeqCst);
}

// SAFETY: every request is passed on to the system's allocator as it came, and its answer is given
// back as it is.
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

/// Says how much was asked for, and ends the process.
#[cold]
#[inline(never)]
fn end(size: usize) -> ! {
    // Threads that lack memory at the same time say nothing more, and wait for the end.
    static ENDING: AtomicBool = AtomicBool::new(false);
    while ENDING.swap(true, Ordering::SeqCst) {
        std::thread::yield_now();
    }
    let mut digits = [0; 20];
    say(b"nearprint: the system has no memory for ");
    say(decimal(size as u64, &mut digits));
    say(b" more bytes (a limit of the shell, ulimit -v, or of a container may be why); bound the run with --memory, give it more, \
          or deduplicate the input in several runs\n");
    if CAN_RESUME.load(Ordering::SeqCst) {
        say(b"nearprint: what finished stages made, if any, is kept; the same command with --resume goes on from there\n");
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
        // SAFETY: the bytes are there, and as many as is said.
        let written =
            unsafe { libc::write(libc::STDERR_FILENO, bytes.as_ptr().cast(), bytes.len()) };
        // Where nobody listens any more, the process ends all the same.
        let Ok(written @ 1..) = usize::try_from(written) else { return };
        bytes = &bytes[written..];
    }
}

#[cfg(unix)]
fn exit() -> ! {
    // SAFETY: it ends the process without running anything of it.
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
