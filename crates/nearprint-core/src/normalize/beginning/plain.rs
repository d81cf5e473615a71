//! The plain form, run by run.

use super::super::{Options, ascii_run, caseless_run, han_run};
use super::{MARKED_BLOCK, append_of_ascii, takes_no_blank};

pub(super) fn append_alphanumeric(text: &str, out: &mut String) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        let ascii = ascii_run(&bytes[at..]);
        append_of_ascii(&bytes[at..at + ascii], out);
        at += ascii;
        let han = han_run(&bytes[at..]);
        out.push_str(&text[at..at + han]);
        at += han;
        at += match &bytes[at..] {
            // U+2000..=U+203F, and the comma, the full stop and the brackets of Chinese:
            // punctuation.
            [0xe2, 0x80, ..] | [0xe3, 0x80, 0x80..=0x82 | 0x88..=0x91, ..] => 3,
            _ if ascii + han == 0 => return at,
            _ => 0,
        };
    }
}

pub(super) fn append_folded(text: &str, options: Options, out: &mut String) -> usize {
    let Options { nfkc, case, digits, space, .. } = options;
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        // Kana and others may compose with the characters beside them.
        let caseless = if nfkc { han_run(&bytes[at..]) } else { caseless_run(&bytes[at..]) };
        out.push_str(&text[at..at + caseless]);
        at += caseless;
        let start = out.len();
        let regular = regular_ascii(&bytes[at..]);
        out.push_str(&text[at..at + regular]);
        at += regular;
        if case {
            out[start..].make_ascii_lowercase();
        }
        if digits && out[start..].bytes().any(|byte| byte.is_ascii_digit()) {
            let zeroed: String =
                out[start..].chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
            out.replace_range(start.., &zeroed);
        }
        match bytes.get(at) {
            Some(b' ' | b'\t'..=b'\r') if space && takes_no_blank(out) => at += 1,
            Some(b' ' | b'\t'..=b'\r') if space => {
                out.push(' ');
                at += 1;
            }
            Some(byte @ (..b'!' | 0x7f)) => {
                out.push(char::from(*byte));
                at += 1;
            }
            _ if caseless + regular > 0 => {}
            _ => return at,
        }
    }
}

pub(super) fn marks(bytes: &[u8], mut from: usize) -> (usize, u64) {
    let is_single = |byte: u8| (byte.wrapping_sub(b'0') <= b'@' - b'0') | (byte == b']');
    let is_w = |byte: u8| byte | 0x20 == b'w';
    loop {
        let block = &bytes[from..bytes.len().min(from + MARKED_BLOCK)];
        // Most blocks have no mark: this check has no branch.
        if block.iter().fold(false, |found, byte| found | is_single(*byte) | is_w(*byte)) {
            let mut marks = 0;
            for (place, byte) in block.iter().enumerate() {
                let is_pair = is_w(*byte)
                    && block.get(place + 1).map_or(place + 1 == MARKED_BLOCK, |next| is_w(*next));
                marks |= u64::from(is_single(*byte) || is_pair) << place;
            }
            if marks != 0 {
                return (from, marks);
            }
        }
        if block.len() < MARKED_BLOCK {
            return (from, 0);
        }
        from += MARKED_BLOCK;
    }
}

/// Length of the leading ASCII words with one blank between each two, which no folding of white
/// space changes.
fn regular_ascii(bytes: &[u8]) -> usize {
    const BLOCK: usize = 32;
    if bytes.first() == Some(&b' ') {
        return 0;
    }
    let mut at = 0;
    // Whole blocks without a branch inside, each with the byte after it.
    while let Some(block) = bytes[at..].first_chunk::<{ BLOCK + 1 }>() {
        let mut irregular = false;
        for (byte, next) in block.iter().zip(&block[1..]) {
            irregular |= !(b' '..=b'~').contains(byte) | ((*byte == b' ') & (*next == b' '));
        }
        if irregular {
            break;
        }
        at += BLOCK;
    }
    let mut blank = at > 0 && bytes[at - 1] == b' ';
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'!'..=b'~' => blank = false,
            b' ' if !blank => blank = true,
            _ => break,
        }
        at += 1;
    }
    at - usize::from(blank)
}
