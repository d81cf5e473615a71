//! A missing name, and the existing names -> the name that was probably meant, by its letters.

use crate::field::alternatives;

/// The name nearest to a missing one, if one is near: at most a third of its letters are wrong, or
/// one letter of a short name. Upper and lower case are equal. For a field inside of another
/// (`doc.text`) the last part alone may be near. Of equally near names the first is returned, and
/// of several alternatives the first that is near one.
///
/// The distance is the restricted one of Damerau and Levenshtein: letters are inserted, deleted,
/// replaced, or swapped with the next.
pub(super) fn nearest<'n>(missing: &str, names: &'n [String]) -> Option<&'n str> {
    alternatives(missing).iter().find_map(|missing| nearest_to(missing, names))
}

fn nearest_to<'n>(missing: &str, names: &'n [String]) -> Option<&'n str> {
    let missing = letters(missing);
    let most = (missing.len() / 3).max(1);
    let distance = |name: &str| {
        let last = name.rsplit('.').next().unwrap_or(name);
        edits(&missing, &letters(name)).min(edits(&missing, &letters(last)))
    };
    // A supposed header may be a text.
    let short = names.iter().filter(|name| name.len() <= 200);
    let near = short.map(|name| (distance(name), name)).filter(|(distance, _)| *distance <= most);
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name.as_str())
}

/// The distance of two names.
pub(crate) fn distance(one: &str, other: &str) -> usize {
    edits(&letters(one), &letters(other))
}

fn letters(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

fn edits(one: &[char], other: &[char]) -> usize {
    let mut rows: Vec<Vec<usize>> = vec![(0..=other.len()).collect()];
    for (i, letter) in one.iter().enumerate() {
        let last = &rows[i];
        let mut row = vec![i + 1];
        for (j, own) in other.iter().enumerate() {
            let mut least =
                (last[j] + usize::from(letter != own)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *letter == other[j - 1] && one[i - 1] == *own {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_guessed_if_one_is_near() {
        let guess = |missing: &str, names: &[&str]| {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            nearest(missing, &names).map(str::to_string)
        };
        for (missing, names, meant) in [
            ("contnet", &["id", "content", "context"][..], Some("content")),
            ("text", &["Text", "txt"], Some("Text")),
            ("text", &["txt", "test"], Some("txt")),
            ("text", &["id", "doc.text"], Some("doc.text")),
            ("doc.txt", &["doc.text", "doc.id"], Some("doc.text")),
            ("正文", &["标题", "正 文"], Some("正 文")),
            ("titel|contnet", &["id", "content"], Some("content")),
            ("text", &["content", "body", ""], None),
            ("a", &["bc"], None),
            ("id", &[], None),
        ] {
            assert_eq!(guess(missing, names).as_deref(), meant, "{missing}");
        }
    }

    #[test]
    fn edits_are_inserted_deleted_replaced_and_swapped_letters() {
        let edits = |one: &str, other: &str| edits(&letters(one), &letters(other));
        for (one, other, count) in [
            ("", "", 0),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("abcd", "badc", 2),
            ("ab", "ba", 1),
        ] {
            assert_eq!((edits(one, other), edits(other, one)), (count, count), "{one} {other}");
        }
    }
}
