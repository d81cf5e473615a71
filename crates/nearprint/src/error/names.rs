//! Names of fields, columns or files -> a list of readable length.

/// Names as a list of readable length, since a supposed header may be anything.
pub(super) fn shortened(names: &[String]) -> String {
    first(30, names)
}

/// A few names, and the number of the others.
pub(super) fn some_of(names: &[String]) -> String {
    first(3, names)
}

/// The name of a file in a message. `-` reads badly there.
pub(crate) fn file_in_words(file: &str) -> &str {
    if file == "-" { "standard input" } else { file }
}

fn first(most: usize, names: &[String]) -> String {
    const CHARACTERS: usize = 60;
    let cut = |name: &String| match name.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.clone(),
    };
    let shown: Vec<String> = names.iter().take(most).map(cut).collect();
    let more = names.len().saturating_sub(most);
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}
