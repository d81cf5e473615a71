//! Tags and comments of HTML, and the targets of Markdown's links.
//!
//! Comparisons, type parameters, placeholders and the tickers of companies (`<IBM>`, `<DD>`) stand
//! between `<` and `>` as well, and are text. So a tag has the name of an HTML element, and an
//! ambiguous one has attributes or closes an element.

use std::ops::Range;

use super::LONGEST;

/// Elements of HTML, sorted.
pub(super) const ELEMENTS: [&str; 98] = [
    "a", "abbr", "acronym", "article", "aside", "audio", "b", "base", "bdi", "bdo", "big", "body",
    "br", "button", "canvas", "caption", "center", "cite", "code", "col", "colgroup", "dd", "del",
    "details", "dfn", "dialog", "div", "dl", "dt", "em", "embed", "fieldset", "figure", "font",
    "footer", "form", "frame", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header",
    "hgroup", "hr", "html", "i", "iframe", "img", "ins", "kbd", "label", "legend", "li", "main",
    "mark", "nav", "nobr", "noframes", "noscript", "ol", "optgroup", "option", "p", "picture",
    "pre", "q", "s", "samp", "script", "section", "select", "small", "span", "strike", "strong",
    "style", "sub", "summary", "sup", "svg", "table", "tbody", "td", "textarea", "tfoot", "th",
    "thead", "title", "tr", "tt", "u", "ul", "video", "wbr",
];

/// Elements of HTML with long names, sorted.
pub(super) const LONG_ELEMENTS: [&str; 2] = ["blockquote", "figcaption"];

/// Elements that are tags only with attributes, sorted.
pub(super) const WITH_ATTRIBUTES: [&str; 14] = [
    "address", "data", "input", "link", "map", "menu", "meta", "object", "output", "param",
    "source", "template", "time", "var",
];

/// The tag or comment that begins at `<`.
pub(crate) fn tag(text: &[u8], start: usize) -> Option<Range<usize>> {
    let bytes = &text[start..];
    let bytes = &bytes[..bytes.len().min(LONGEST)];
    if bytes.starts_with(b"<!--") {
        let length = bytes[4..].windows(3).position(|end| end == b"-->")?;
        return Some(start..start + 4 + length + 3);
    }
    let closes = bytes.get(1) == Some(&b'/');
    let name_at = if closes { 2 } else { 1 };
    let length = bytes[name_at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let (name, rest) = bytes[name_at..].split_at(length);
    if length == 0 || !is_name(name, false) {
        return None;
    }
    let end = rest
        .iter()
        .position(|byte| matches!(byte, b'<' | b'>'))
        .filter(|end| rest[*end] == b'>')?;
    let attributes = rest[..end].trim_ascii();
    let is_tag = match attributes.is_empty() || attributes == b"/" {
        true => closes || is_name(name, true),
        false => rest[0].is_ascii_whitespace() && are_attributes(attributes),
    };
    is_tag.then_some(start..start + name_at + length + end + 1)
}

/// Returns true if a tag may have this name, all of it in lower case or all in upper case. A `bare`
/// tag has nothing but its name.
fn is_name(name: &[u8], bare: bool) -> bool {
    let [has_lower, has_upper] =
        [u8::is_ascii_lowercase, u8::is_ascii_uppercase].map(|is| name.iter().any(is));
    let lower = name.to_ascii_lowercase();
    let is_among =
        |list: &[&str]| list.binary_search_by(|element| element.as_bytes().cmp(&lower)).is_ok();
    let is_element = is_among(&ELEMENTS) || is_among(&LONG_ELEMENTS);
    let may_be_ticker = has_upper && name.len() < 5 && name != b"BR";
    let is_known =
        if bare { is_element && !may_be_ticker } else { is_element || is_among(&WITH_ATTRIBUTES) };
    is_known && !(has_lower && has_upper)
}

/// Returns true if the bytes are names of attributes, one of them with a value.
fn are_attributes(bytes: &[u8]) -> bool {
    let is_of_name = |byte: &u8| {
        byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() || b"_:@.-".contains(byte)
    };
    let names = bytes.iter().take_while(|byte| is_of_name(byte)).count();
    names > 0 && bytes.get(names) == Some(&b'=')
}

/// The target of a link with its brackets and its title; its first bracket is at `start`. It holds
/// `/`, `#` or `@`, and no sign that only code has.
pub(super) fn target(text: &str, start: usize) -> Option<Range<usize>> {
    let inside = text[start..].strip_prefix('(')?;
    let (mut length, mut is_open) = (0, false);
    for c in inside.chars().take_while(|c| !c.is_ascii_whitespace()) {
        match c {
            '(' if !is_open => is_open = true,
            ')' if is_open => is_open = false,
            ')' => break,
            '(' | '<' | '>' | '[' | ']' | '{' | '}' | '|' | '\\' | '^' | '"' | '*' | '`' => {
                return None;
            }
            '\u{2000}'..='\u{206f}' | '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}' => {
                return None;
            }
            _ => {}
        }
        length += c.len_utf8();
        if length > LONGEST {
            return None;
        }
    }
    let (target, mut rest) = inside.split_at(length);
    if is_open || !target.contains(['/', '#', '@']) {
        return None;
    }
    let blanks = |text: &str| text.len() - text.trim_ascii_start().len();
    if blanks(rest) > 0
        && let Some(title) = rest.trim_ascii_start().strip_prefix('"')
    {
        rest = &title[title.bytes().take(LONGEST).position(|byte| byte == b'"')? + 1..];
    }
    let rest = rest.trim_ascii_start().strip_prefix(')')?;
    Some(start..text.len() - rest.len())
}
