//! A line that is no JSON -> its problem.

use crate::error::Problem;

/// The problem of a line in which this part, or the whole line, is no JSON.
pub(super) fn not_json(line: &str, part: &str, error: &serde_json::Error) -> Problem {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = error.to_string();
    let reason = message.strip_suffix(&place).unwrap_or(&message).to_string();
    let is_of_escape = reason.ends_with("hex escape");
    let reason = lone_surrogate(line).filter(|_| is_of_escape).unwrap_or(reason);
    let before = part.as_ptr() as usize - line.as_ptr() as usize;
    Problem::NotJson { column: before + error.column().max(1), reason }
}

/// Explains why a line with half of a surrogate pair is no JSON: only two escapes together stand
/// for a character.
fn lone_surrogate(line: &str) -> Option<String> {
    let bytes = line.as_bytes();
    let unit = |at: usize| {
        let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut at = 0;
    while let Some(escape) = line.get(at..)?.find('\\') {
        at += escape;
        let Some(first) = unit(at) else {
            // An escape of one character, which may be another backslash.
            at += 2;
            continue;
        };
        let is_lone = match first {
            0xd800..=0xdbff
                if unit(at + 6).is_some_and(|second| (0xdc00..=0xdfff).contains(&second)) =>
            {
                at += 6;
                false
            }
            0xd800..=0xdfff => true,
            _ => false,
        };
        if is_lone {
            return Some(format!("\\u{first:04x} is a lone surrogate, half of a character"));
        }
        at += 6;
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::read::testing::{documents, messages, options};

    #[test]
    fn a_lone_surrogate_is_called_that() {
        let bytes = br#"{"text":"\ud83d"}
{"text":"a \uD83D\u0041"}
{"text":"\ude00\ud83d"}
{"text":"\\ud83d \ud83d\ude00 \\\ud83d\ude00"}
{"text":"\ud83dx"}
{"text":"\u12"}"#;
        let found = documents("a.jsonl", bytes, &options());
        let says = messages(&found);
        for (place, escape) in [(0, "\\ud83d"), (1, "\\ud83d"), (2, "\\ude00"), (3, "\\ud83d")] {
            let reason =
                format!("{escape} is a lone surrogate, half of a character); fix the line");
            assert!(says[place].contains(&reason), "{}", says[place]);
        }
        assert_eq!(found[3].as_ref().unwrap().text, "\\ud83d \u{1f600} \\\u{1f600}");
        assert!(!says[4].contains("surrogate"), "{}", says[4]);
    }
}
