//! The pages of an SQLite file -> the same on disk, each with the hash of its bytes and its number
//! in its last eight bytes.
//!
//! A flipped byte is noticed when its page is read, wherever it lies: in an index of the store,
//! too, where it would hide a document without a trace. A page that lies in another's place, or
//! behind the end of a file that was cut, is noticed as well.
//!
//! It is a layer between SQLite and the system's files ("VFS"), which passes on all but the pages
//! of the main file and those read from the log. The former get their hash when they are written,
//! and are compared with it when they are read. SQLite leaves the last bytes of each page free for
//! that ([`reserve`]). The log has a checksum of SQLite's own in each frame, which SQLite compares
//! only when it recovers; here it is compared whenever a page is read from there.
//!
//! Cost: a third of a microsecond for each page that is read from the file or written to it, about
//! three for each one that is read from the log.
//!
//! Sources: <https://sqlite.org/cksumvfs.html>, whose hash is weaker and does not know the number
//! of the page;
//! <https://sqlite.org/fileformat2.html>, sections 4.1 and 4.2, for the log.

// SQLite calls these functions with pointers.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::slice;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::frames::{Log, PAGE, is_of_frame};
use rusqlite::Connection;
use rusqlite::ffi::{self, sqlite3_file, sqlite3_int64, sqlite3_io_methods, sqlite3_vfs};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Bytes of its hash.
const HASH: usize = 8;

/// Reads of fewer bytes are of the head of the file, before the size of its pages is known.
const LEAST_PAGE: c_int = 512;

/// The layer of the system's files.
static BELOW: AtomicPtr<sqlite3_vfs> = AtomicPtr::new(ptr::null_mut());

/// The name by which SQLite knows this layer. Where it could not be put in, SQLite says so when it
/// is asked for.
pub fn layer() -> &'static CStr {
    const NAME: &CStr = c"nearprint-pages";
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: SQLite's own layer is valid as long as the process, and is copied; what it is
        // registered by lives as long.
        unsafe {
            let below = ffi::sqlite3_vfs_find(ptr::null());
            if below.is_null() {
                return;
            }
            BELOW.store(below, Ordering::Release);
            // All but `xOpen` are those of the layer below, which find their data in the copy.
            let own = sqlite3_vfs {
                szOsFile: (*below).szOsFile + size_of::<Head>() as c_int,
                pNext: ptr::null_mut(),
                zName: NAME.as_ptr(),
                xOpen: Some(open),
                ..*below
            };
            ffi::sqlite3_vfs_register(Box::leak(Box::new(own)), 0);
        }
    });
    NAME
}

/// Leaves room for the hashes in a file that has no page yet.
pub fn reserve(connection: &Connection) -> bool {
    reserved(connection, HASH as c_int).is_some()
}

/// Whether the pages of a file have room for their hashes, as it says itself. Those of other
/// programs have none.
pub fn has_hashes(connection: &Connection) -> bool {
    // What is below 0 changes nothing.
    reserved(connection, -1) == Some(HASH as c_int)
}

/// The reserved bytes of a page; from now on this number of them.
fn reserved(connection: &Connection, bytes: c_int) -> Option<c_int> {
    let mut bytes = bytes;
    // SAFETY: the connection is open, and SQLite reads and writes the number while it is called.
    unsafe {
        let argument = ptr::from_mut(&mut bytes).cast::<c_void>();
        let what = ffi::SQLITE_FCNTL_RESERVE_BYTES;
        let done = ffi::sqlite3_file_control(connection.handle(), c"main".as_ptr(), what, argument);
        (done == ffi::SQLITE_OK).then_some(bytes)
    }
}

/// The hash of a page, whose place in the file is its number.
fn hash(page: &[u8], offset: sqlite3_int64) -> [u8; HASH] {
    xxh3_64_with_seed(&page[..PAGE - HASH], offset as u64).to_le_bytes()
}

fn is_page(amount: c_int, offset: sqlite3_int64) -> bool {
    amount == PAGE as c_int && offset % PAGE as sqlite3_int64 == 0
}

/// A file of this layer is this head, and behind it that of the layer below.
#[repr(C)]
struct Head {
    file: sqlite3_file,
    log: Log,
}

static METHODS_OF_PAGES: sqlite3_io_methods = METHODS;
static METHODS_OF_LOG: sqlite3_io_methods =
    sqlite3_io_methods { xRead: Some(read_log), xWrite: Some(write_log), ..METHODS };

const METHODS: sqlite3_io_methods = sqlite3_io_methods {
    // Without `xFetch`: what is mapped would not be read here.
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
};

/// The file of the layer below.
///
/// # Safety
/// The file must be one that [`open`] has opened for pages or for a log.
unsafe fn below(file: *mut sqlite3_file) -> *mut sqlite3_file {
    // SAFETY: SQLite gives `szOsFile` bytes for a file, which are those of a head and of a file
    // below.
    unsafe { file.cast::<Head>().add(1).cast() }
}

unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    // SAFETY: as SQLite promises of what it calls this with; the layer below is told of itself.
    // Files other than the main one and its log need no head: there is more room than they take.
    unsafe {
        let layer = BELOW.load(Ordering::Acquire);
        let Some(open) = layer.as_ref().and_then(|layer| layer.xOpen) else {
            return ffi::SQLITE_CANTOPEN;
        };
        let methods = match () {
            () if flags & ffi::SQLITE_OPEN_MAIN_DB != 0 => &METHODS_OF_PAGES,
            () if flags & ffi::SQLITE_OPEN_WAL != 0 => &METHODS_OF_LOG,
            () => return open(layer, name, file, flags, out),
        };
        let own = below(file);
        (*own).pMethods = ptr::null();
        let opened = open(layer, name, own, flags, out);
        // A file with methods is closed later.
        let methods = if (*own).pMethods.is_null() { ptr::null() } else { ptr::from_ref(methods) };
        file.cast::<Head>()
            .write(Head { file: sqlite3_file { pMethods: methods }, log: Log::default() });
        opened
    }
}

/// Functions that pass on to the file below; where it lacks one, that is an error.
macro_rules! pass_on {
    ($($name:ident = $method:ident($($argument:ident: $type:ty),*) or $otherwise:expr;)+) => {
        $(unsafe extern "C" fn $name(file: *mut sqlite3_file, $($argument: $type),*) -> c_int {
            // SAFETY: SQLite calls this with a file that was opened here, and as it would call the
            // layer below.
            unsafe {
                let own = below(file);
                match (*(*own).pMethods).$method {
                    Some(method) => method(own, $($argument),*),
                    None => $otherwise,
                }
            }
        })+
    };
}

pass_on! {
    close = xClose() or ffi::SQLITE_IOERR;
    read_below = xRead(to: *mut c_void, amount: c_int, offset: sqlite3_int64) or ffi::SQLITE_IOERR;
    write_below = xWrite(from: *const c_void, amount: c_int, offset: sqlite3_int64) or ffi::SQLITE_IOERR;
    truncate = xTruncate(size: sqlite3_int64) or ffi::SQLITE_IOERR;
    sync = xSync(flags: c_int) or ffi::SQLITE_IOERR;
    file_size = xFileSize(size: *mut sqlite3_int64) or ffi::SQLITE_IOERR;
    lock = xLock(kind: c_int) or ffi::SQLITE_IOERR;
    unlock = xUnlock(kind: c_int) or ffi::SQLITE_IOERR;
    check_reserved_lock = xCheckReservedLock(out: *mut c_int) or ffi::SQLITE_IOERR;
    file_control = xFileControl(what: c_int, argument: *mut c_void) or ffi::SQLITE_NOTFOUND;
    sector_size = xSectorSize() or 0;
    characteristics_below = xDeviceCharacteristics() or 0;
    shm_map = xShmMap(region: c_int, size: c_int, extend: c_int, out: *mut *mut c_void) or ffi::SQLITE_IOERR;
    shm_lock = xShmLock(offset: c_int, count: c_int, flags: c_int) or ffi::SQLITE_IOERR;
    shm_unmap = xShmUnmap(delete: c_int) or ffi::SQLITE_OK;
}

unsafe extern "C" fn shm_barrier(file: *mut sqlite3_file) {
    // SAFETY: as in `pass_on`.
    unsafe {
        let own = below(file);
        if let Some(method) = (*(*own).pMethods).xShmBarrier {
            method(own);
        }
    }
}

unsafe extern "C" fn device_characteristics(file: *mut sqlite3_file) -> c_int {
    // SAFETY: as in `pass_on`. A part of a page cannot be compared with its hash.
    unsafe { characteristics_below(file) & !ffi::SQLITE_IOCAP_SUBPAGE_READ }
}

unsafe extern "C" fn read(
    file: *mut sqlite3_file,
    to: *mut c_void,
    amount: c_int,
    offset: sqlite3_int64,
) -> c_int {
    // SAFETY: as in `pass_on`; there is room for `amount` bytes, which are all written where a read
    // succeeds or comes to the end of the file.
    unsafe {
        let done = read_below(file, to, amount, offset);
        let is_read = done == ffi::SQLITE_OK || done == ffi::SQLITE_IOERR_SHORT_READ;
        if amount < LEAST_PAGE || !is_read {
            return done;
        }
        let page = slice::from_raw_parts(to.cast::<u8>(), amount as usize);
        // A new file has nothing yet.
        let is_new = done == ffi::SQLITE_IOERR_SHORT_READ
            && offset == 0
            && page.iter().all(|byte| *byte == 0);
        let is_whole = || is_page(amount, offset) && page[PAGE - HASH..] == hash(page, offset);
        if is_new || is_whole() { done } else { ffi::SQLITE_CORRUPT }
    }
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    from: *const c_void,
    amount: c_int,
    offset: sqlite3_int64,
) -> c_int {
    // SAFETY: as in `pass_on`; `amount` bytes are there.
    unsafe {
        if !is_page(amount, offset) {
            return write_below(file, from, amount, offset);
        }
        // SQLite's own page stays as it is.
        let mut page = [0; PAGE];
        page.copy_from_slice(slice::from_raw_parts(from.cast::<u8>(), PAGE));
        let hash = hash(&page, offset);
        page[PAGE - HASH..].copy_from_slice(&hash);
        write_below(file, page.as_ptr().cast(), amount, offset)
    }
}

unsafe extern "C" fn read_log(
    file: *mut sqlite3_file,
    to: *mut c_void,
    amount: c_int,
    offset: sqlite3_int64,
) -> c_int {
    // SAFETY: as in `read`.
    unsafe {
        let done = read_below(file, to, amount, offset);
        let is_compared = (*file.cast::<Head>()).log.compares(amount as usize, offset);
        if done != ffi::SQLITE_OK || !is_compared {
            return done;
        }
        let page = slice::from_raw_parts(to.cast::<u8>(), PAGE);
        let head = |offset, head: &mut [u8]| {
            read_below(file, head.as_mut_ptr().cast(), head.len() as c_int, offset)
                == ffi::SQLITE_OK
        };
        match is_of_frame(page, offset, head) {
            Some(true) => done,
            Some(false) => ffi::SQLITE_IOERR_DATA,
            None => ffi::SQLITE_IOERR_READ,
        }
    }
}

unsafe extern "C" fn write_log(
    file: *mut sqlite3_file,
    from: *const c_void,
    amount: c_int,
    offset: sqlite3_int64,
) -> c_int {
    // SAFETY: as in `write`.
    unsafe {
        (*file.cast::<Head>()).log.written(amount as usize, offset);
        write_below(file, from, amount, offset)
    }
}

#[cfg(test)]
mod tests;
