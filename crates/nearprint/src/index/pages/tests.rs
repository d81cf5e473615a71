use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use rusqlite::OpenFlags;

use super::*;

fn connect(path: &Path) -> Connection {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    Connection::open_with_flags_and_vfs(path, flags, layer()).unwrap()
}

/// All values; an error if a page differs from the one that was written.
fn values(path: &Path) -> rusqlite::Result<Vec<Vec<u8>>> {
    let connection = connect(path);
    let mut statement = connection.prepare("SELECT value FROM t ORDER BY number")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    rows.collect()
}

/// Makes a file of rows of different lengths, some of several pages, which is written, shrunk and
/// written again. Returns the values.
fn file(path: &Path) -> Vec<Vec<u8>> {
    let connection = connect(path);
    assert!(reserve(&connection));
    connection
        .execute_batch(
            "PRAGMA journal_mode = wal; CREATE TABLE t (number INTEGER PRIMARY KEY, value BLOB)",
        )
        .unwrap();
    let value = |number: u8| vec![number; usize::from(number) * 83];
    for number in 0..120u8 {
        connection.execute("INSERT INTO t VALUES (?1, ?2)", (number, value(number))).unwrap();
    }
    connection.execute_batch("DELETE FROM t WHERE number % 3 = 0; VACUUM").unwrap();
    connection.execute("INSERT INTO t VALUES (200, ?1)", [value(200)]).unwrap();
    assert!(has_hashes(&connection));
    (0..120).filter(|number| number % 3 != 0).chain([200]).map(value).collect()
}

#[test]
fn pages_come_back_and_a_flipped_byte_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pages");
    let expected = file(&path);
    assert_eq!(values(&path).unwrap(), expected);
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.len() > 40 * PAGE && bytes.len().is_multiple_of(PAGE), "{}", bytes.len());
    let is_damaged = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        match values(&path) {
            // A query may not need all pages.
            Ok(values) => assert!(values == expected, "other values"),
            Err(_) => return true,
        }
        false
    };
    let mut noticed = 0;
    for byte in (0..bytes.len()).step_by(997) {
        let mut damaged = bytes.clone();
        damaged[byte] ^= 1 << (byte % 8);
        noticed += usize::from(is_damaged(&damaged));
    }
    assert!(noticed * 997 > bytes.len() - 2 * PAGE, "{noticed} flipped bytes");
    // Two intact pages change places.
    let mut damaged = bytes.clone();
    damaged.copy_within(7 * PAGE..8 * PAGE, 9 * PAGE);
    damaged[7 * PAGE..8 * PAGE].copy_from_slice(&bytes[9 * PAGE..10 * PAGE]);
    assert!(is_damaged(&damaged));
    for length in [1, 99, PAGE, PAGE + 1, bytes.len() / 2, bytes.len() - PAGE, bytes.len() - 1] {
        assert!(is_damaged(&bytes[..length]), "{length} bytes");
    }
    assert!(!is_damaged(&bytes));
}

#[test]
fn a_flipped_byte_of_a_log_that_others_use_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pages");
    file(&path);
    let writer = connect(&path);
    for number in 0..120u8 {
        let value = vec![number; 5_000];
        writer.execute("INSERT OR REPLACE INTO t VALUES (?1, ?2)", (number, value)).unwrap();
    }
    let expected = values(&path).unwrap();
    let path_of_log = folder.path().join("pages-wal");
    let bytes = fs::read(&path_of_log).unwrap();
    assert!(bytes.len() > 100 * PAGE);
    let mut noticed = 0;
    for byte in (0..bytes.len()).step_by(997) {
        let write = |value: u8| {
            let mut log = fs::OpenOptions::new().write(true).open(&path_of_log).unwrap();
            log.seek(SeekFrom::Start(byte as u64)).unwrap();
            log.write_all(&[value]).unwrap();
        };
        write(bytes[byte] ^ 1 << (byte % 8));
        match values(&path) {
            // An older version of a page is not read.
            Ok(values) => assert!(values == expected, "byte {byte}: other values"),
            Err(_) => noticed += 1,
        }
        write(bytes[byte]);
    }
    assert!(noticed * 4 * 997 > bytes.len(), "{noticed} flipped bytes");
    assert_eq!(values(&path).unwrap(), expected);
}

#[test]
fn pages_that_a_transaction_writes_into_the_log_again_and_again_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pages");
    file(&path);
    let writer = connect(&path);
    writer.execute_batch("PRAGMA cache_size = 5").unwrap();
    for ends in ["ROLLBACK", "COMMIT", "COMMIT"] {
        writer.execute_batch("BEGIN").unwrap();
        for round in 0..10u8 {
            for number in 0..120u8 {
                let value = vec![number ^ round; 3_000];
                writer
                    .execute("INSERT OR REPLACE INTO t VALUES (?1, ?2)", (number, value))
                    .unwrap();
            }
            let sum = "SELECT sum(length(value)), sum(unicode(hex(value))) FROM t";
            let sum: i64 = writer.query_row(sum, [], |row| row.get(0)).unwrap();
            assert!(sum >= 360_000);
        }
        writer.execute_batch(ends).unwrap();
        assert!(values(&path).is_ok());
    }
    assert_eq!(
        values(&path).unwrap()[..120],
        (0..120u8).map(|number| vec![number ^ 9; 3_000]).collect::<Vec<_>>()
    );
}

#[test]
fn a_page_that_was_written_last_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pages");
    file(&path);
    let writer = connect(&path);
    writer.execute_batch("PRAGMA cache_size = 1; BEGIN").unwrap();
    let all = || {
        writer
            .query_row("SELECT sum(length(value)) FROM t", [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    for round in 0..20u8 {
        writer.execute("UPDATE t SET value = ?1 WHERE number = 7", [vec![round; 500]]).unwrap();
        all();
        let own: Vec<u8> =
            writer.query_row("SELECT value FROM t WHERE number = 7", [], |row| row.get(0)).unwrap();
        assert_eq!(own, vec![round; 500]);
    }
    writer.execute_batch("COMMIT").unwrap();
}

#[test]
fn files_of_other_programs_have_no_hashes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE t (number INTEGER)").unwrap();
    assert!(!has_hashes(&connect(&path)));
}
