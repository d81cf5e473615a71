//! The name of a field, as a setting has it -> the places in a row where the field may be.
//!
//! ```text
//! text                      the field text
//! content|body              the first of the two that has a value in the row
//! doc.text                  the field text of the object doc
//! messages[].content        the field content of each object of the list messages
//! content|content[].text    the text content, or the texts of the list content
//! ```
//!
//! A field with the whole name comes first, whatever signs the name has. Of alternatives that lie
//! inside of each other, the outer one counts, and a list or an object in it stands for the values
//! that the inner ones name. So a list may hold texts and lists of texts, and their order stays.

/// The alternatives of a field, in order: the whole name, then its parts between `|`.
///
/// ```
/// use nearprint::field::alternatives;
/// assert_eq!(alternatives("text"), ["text"]);
/// assert_eq!(alternatives("content | doc.text"), ["content | doc.text", "content", "doc.text"]);
/// ```
pub fn alternatives(name: &str) -> Vec<String> {
    let mut alternatives = vec![name.to_string()];
    if name.contains('|') {
        let parts = name.split('|').map(str::trim).filter(|part| !part.is_empty());
        alternatives.extend(parts.map(str::to_string));
    }
    alternatives
}

/// True if a field with this name may lie inside of another one.
///
/// ```
/// use nearprint::field::may_be_inside;
/// assert!(may_be_inside("doc.text") && may_be_inside("tags[]") && !may_be_inside("text"));
/// ```
pub fn may_be_inside(name: &str) -> bool {
    name.contains('.') || name.contains("[]")
}

/// The rest of a name behind the name of the field around it; `None` if the field does not lie
/// inside of that one. The rest begins with `.` for a field of an object, and with `[]` for the
/// values of a list.
///
/// ```
/// use nearprint::field::behind;
/// assert_eq!(behind("doc.text", "doc"), Some(".text"));
/// assert_eq!(behind("messages[].content", "messages"), Some("[].content"));
/// assert_eq!((behind("document", "doc"), behind("doc", "doc")), (None, None));
/// ```
pub fn behind<'n>(name: &'n str, outer: &str) -> Option<&'n str> {
    let rest = name.strip_prefix(outer)?;
    (rest.starts_with('.') || rest.starts_with("[]")).then_some(rest)
}

/// True if one of the alternatives of a field lies inside of another one. A row may then have values
/// of both, and a list or an object stands for the values inside.
///
/// ```
/// use nearprint::field::is_nested;
/// assert!(is_nested("content|content[].text") && !is_nested("content|body"));
/// ```
pub fn is_nested(name: &str) -> bool {
    let names = alternatives(name);
    names.iter().skip(1).any(|outer| names.iter().skip(1).any(|name| behind(name, outer).is_some()))
}

/// The fields of a table, each once, that may be one of the alternatives of a field or lie around
/// it.
///
/// ```
/// use nearprint::field::outermost;
/// let fields = ["id", "messages", "body"].map(String::from);
/// assert_eq!(outermost("messages[].content|body", &fields), ["messages", "body"]);
/// ```
pub fn outermost<'f>(name: &str, fields: &'f [String]) -> Vec<&'f str> {
    let mut found: Vec<&str> = Vec::new();
    for alternative in alternatives(name) {
        let is_meant =
            |field: &&String| **field == alternative || behind(&alternative, field).is_some();
        for field in fields.iter().filter(is_meant) {
            if !found.contains(&field.as_str()) {
                found.push(field);
            }
        }
    }
    found
}
