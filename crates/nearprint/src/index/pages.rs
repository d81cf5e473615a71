//! The pages of an SQLite file -> the pages on disk, each with a hash in its last eight bytes. It
//! is the hash of the other bytes of the page and of its place in the file.
//!
//! A flipped byte is noticed when its page is read, also in an index of the store, where it would
//! otherwise hide a document. A page at the place of another one, or at the end of a truncated
//! file, is noticed, too.
//!
//! The module is a layer between SQLite and the files of the system ("VFS"). It passes on all
//! calls, and handles pages of the main file and pages that are read from the log. Pages of the
//! main file get a hash when they are written, which is checked when they are read. SQLite leaves
//! the last bytes of each page free for it ([`reserve`]). A frame of the log has a checksum of
//! SQLite, which SQLite checks only after a crash. Here it is checked whenever a page is read from
//! the log.
//!
//! Cost: a third of a microsecond for a page that is read from the file or written to it, about
//! three microseconds for a page that is read from the log.
//!
//! Sources: <https://sqlite.org/cksumvfs.html>, whose hash is weaker and does not include the place
//! of the page;
//! <https://sqlite.org/fileformat2.html>, sections 4.1 and 4.2, for the log.

// SQLite calls functions of this module with pointers.
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

/// The bytes of the hash of a page.
const HASH: usize = 8;

/// The size of the smallest page in bytes. SQLite reads fewer bytes only from the head of the file,
/// before it knows the size of its pages.
const LEAST_PAGE: c_int = 512;

/// The layer of SQLite for the files of the system.
static BELOW: AtomicPtr<sqlite3_vfs> = AtomicPtr::new(ptr::null_mut());

/// The name of this layer in SQLite. If the layer could not be registered, SQLite reports an error
/// when the name is used.
pub fn layer() -> &'static CStr {
    const NAME: &CStr = c"nearprint-pages";
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: SQLite's own layer is valid as long as the process, and is copied. The registered
        // copy lives as long as the process, too.
        unsafe {
            let below = ffi::sqlite3_vfs_find(ptr::null());
            if below.is_null() {
                return;
            }
            BELOW.store(below, Ordering::Release);
            // All functions but `xOpen` are those of the layer below. They find their data in the
            // copy.
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

/// Reserves the bytes of the hashes in a file that has no page yet. Returns true if it succeeds.
pub fn reserve(connection: &Connection) -> bool {
    reserved(connection, HASH as c_int).is_some()
}

/// Returns true if the pages of a file have reserved bytes for their hashes. Files of other
/// programs have none.
pub fn has_hashes(connection: &Connection) -> bool {
    // A negative number changes nothing.
    reserved(connection, -1) == Some(HASH as c_int)
}

/// Sets the number of reserved bytes of a page, and returns the number before.
fn reserved(connection: &Connection, bytes: c_int) -> Option<c_int> {
    let mut bytes = bytes;
    // SAFETY: the connection is open, and SQLite reads and writes the number only during the call.
    unsafe {
        let argument = ptr::from_mut(&mut bytes).cast::<c_void>();
        let what = ffi::SQLITE_FCNTL_RESERVE_BYTES;
        let done = ffi::sqlite3_file_control(connection.handle(), c"main".as_ptr(), what, argument);
        (done == ffi::SQLITE_OK).then_some(bytes)
    }
}

/// The hash of a page and of its offset in the file.
fn hash(page: &[u8], offset: sqlite3_int64) -> [u8; HASH] {
    xxh3_64_with_seed(&page[..PAGE - HASH], offset as u64).to_le_bytes()
}

fn is_page(amount: c_int, offset: sqlite3_int64) -> bool {
    amount == PAGE as c_int && offset % PAGE as sqlite3_int64 == 0
}

/// A file of this layer is this head, followed by the file of the layer below.
#[repr(C)]
struct Head {
    file: sqlite3_file,
    log: Log,
}

static METHODS_OF_PAGES: sqlite3_io_methods = METHODS;
static METHODS_OF_LOG: sqlite3_io_methods =
    sqlite3_io_methods { xRead: Some(read_log), xWrite: Some(write_log), ..METHODS };

const METHODS: sqlite3_io_methods = sqlite3_io_methods {
    // No `xFetch`: pages in mapped memory would not be checked.
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
/// [`open`] has opened the file for pages or for a log.
unsafe fn below(file: *mut sqlite3_file) -> *mut sqlite3_file {
    // SAFETY: SQLite allocates `szOsFile` bytes for a file: those of a head and of a file below.
    unsafe { file.cast::<Head>().add(1).cast() }
}

unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    // SAFETY: SQLite passes valid pointers, and the layer below gets itself as its first argument.
    // Files other than the main file and its log need no head: SQLite has allocated more room than
    // they take.
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
        // SQLite closes a file only if it has methods.
        let methods = if (*own).pMethods.is_null() { ptr::null() } else { ptr::from_ref(methods) };
        file.cast::<Head>()
            .write(Head { file: sqlite3_file { pMethods: methods }, log: Log::default() });
        opened
    }
}

/// Functions that call those of the file below, or return an error if the file has none.
macro_rules! pass_on {
    ($($name:ident = $method:ident($($argument:ident: $type:ty),*) or $otherwise:expr;)+) => {
        $(unsafe extern "C" fn $name(file: *mut sqlite3_file, $($argument: $type),*) -> c_int {
            // SAFETY: SQLite calls this with a file that was opened here, and with the arguments
            // that the layer below expects.
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
    // SAFETY: as in `pass_on`. The hash is of a whole page, so a part of a page cannot be checked.
    unsafe { characteristics_below(file) & !ffi::SQLITE_IOCAP_SUBPAGE_READ }
}

unsafe extern "C" fn read(
    file: *mut sqlite3_file,
    to: *mut c_void,
    amount: c_int,
    offset: sqlite3_int64,
) -> c_int {
    // SAFETY: as in `pass_on`; there is room for `amount` bytes. All of them are written if a read
    // succeeds or reaches the end of the file.
    unsafe {
        let done = read_below(file, to, amount, offset);
        let is_read = done == ffi::SQLITE_OK || done == ffi::SQLITE_IOERR_SHORT_READ;
        if amount < LEAST_PAGE || !is_read {
            return done;
        }
        let page = slice::from_raw_parts(to.cast::<u8>(), amount as usize);
        // A new file has no bytes.
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
    // SAFETY: as in `pass_on`; SQLite passes `amount` bytes.
    unsafe {
        if !is_page(amount, offset) {
            return write_below(file, from, amount, offset);
        }
        // The page of SQLite itself stays as it is.
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
