//! The words, marks and characters that tell where sentences end.

use std::ops::Range;

/// Words before a full stop that ends no sentence, sorted, in small letters. Single letters and
/// words without vowels need no place here.
#[rustfmt::skip]
pub(super) const ABBREVIATIONS: &[&str] = &[
    "abs", "adj", "adm", "al", "ala", "alex", "allg", "alm", "alta", "anm", "approx", "apr",
    "apt", "ariz", "ark", "art", "arts", "assn", "assoc", "asst", "att", "atty", "aufl", "aug",
    "ausg", "av", "avda", "ave", "avg", "avv", "benj", "bes", "betr", "bros", "ca", "cal",
    "calif", "cap", "capt", "chap", "chas", "cia", "cie", "civ", "co", "col", "colo", "comm",
    "comp", "conf", "conn", "cont", "corp", "cos", "dec", "del", "dep", "dept", "depto", "dist",
    "div", "dott", "dra", "ed", "eds", "eg", "einschl", "encl", "eq", "eqs", "esc", "esp", "esq",
    "est", "et", "etc", "eu", "evtl", "ex", "exc", "exch", "excmo", "exmo", "ext", "feb", "fig",
    "figs", "fla", "fri", "geb", "gem", "gen", "geo", "ges", "gesch", "gez", "gov", "govt", "hon",
    "ibid", "id", "ie", "ill", "illus", "ilmo", "inc", "incl", "ind", "ing", "inkl", "insb",
    "inst", "int", "intl", "jan", "jas", "jul", "jun", "kan", "kap", "lda", "lic", "lieut", "lit",
    "lou", "ltda", "mag", "maj", "mar", "mass", "max", "messr", "messrs", "mich", "min", "minn",
    "mio", "misc", "miss", "mme", "mon", "mont", "nat", "natl", "neb", "nev", "no", "nos", "nov",
    "núm", "oct", "okla", "okt", "ont", "op", "ord", "ore", "org", "orig", "oz", "pag", "par",
    "para", "paras", "pat", "penn", "pos", "pres", "prof", "pte", "pub", "pág", "que", "ref",
    "refs", "rel", "rep", "reps", "repub", "res", "resp", "ret", "rev", "sat", "sec", "secs",
    "sect", "sen", "sens", "sep", "sept", "seq", "ser", "sig", "sog", "sra", "srta", "sta", "ste",
    "sun", "sup", "supp", "supt", "tab", "tel", "tex", "theo", "thu", "thurs", "tit", "tue",
    "tues", "ud", "uds", "univ", "usf", "usw", "var", "ver", "viz", "vol", "vols", "wash", "wed",
    "wis", "yahoo", "zit", "гг", "др", "им", "млн", "млрд", "пр", "руб", "см", "стр", "тел",
    "тыс", "ул",
];

/// Words that end neither a sentence nor a heading, sorted, in small letters.
#[rustfmt::skip]
pub(super) const LINKS: &[&str] = &[
    "a", "am", "an", "and", "any", "are", "as", "at", "be", "because", "been", "but", "by",
    "each", "every", "for", "from", "has", "have", "he", "his", "i", "if", "in", "into", "is",
    "its", "may", "my", "no", "nor", "not", "of", "on", "onto", "or", "our", "per", "said", "she",
    "so", "such", "than", "that", "the", "their", "these", "they", "this", "those", "to", "under",
    "unless", "until", "via", "was", "we", "were", "when", "where", "whether", "which", "while",
    "who", "will", "with", "you", "your",
];

/// Brackets and quotation marks.
#[rustfmt::skip]
pub(super) const PAIRS: [(char, char); 17] = [
    ('"', '"'), ('“', '”'), ('‘', '’'), ('„', '‟'), ('«', '»'), ('「', '」'), ('『', '』'),
    ('(', ')'), ('（', '）'), ('[', ']'), ('{', '}'), ('［', '］'), ('｛', '｝'),
    ('《', '》'), ('〈', '〉'), ('【', '】'), ('〔', '〕'),
];

/// The pairs that are quotation marks.
pub(super) const QUOTES: Range<usize> = 0..7;

/// The pairs that are round brackets.
pub(super) const ROUND: Range<usize> = 7..9;

/// Whether a sorted table has this word, in small letters.
pub(super) fn is_in(table: &[&str], word: &str) -> bool {
    let mut small = [0; 8];
    let Some(small) = small.get_mut(..word.len()) else { return false };
    small.copy_from_slice(word.as_bytes());
    small.make_ascii_lowercase();
    table.binary_search_by(|entry| entry.as_bytes().cmp(small)).is_ok()
}

/// Whether a character may end a sentence; if so, whether it exclaims or asks.
pub(super) fn mark(c: char) -> Option<bool> {
    match c {
        '.' | '。' | '｡' | '۔' | '।' | '॥' | '።' => Some(false),
        '!' | '?' | '！' | '？' | '؟' | '‼' | '⁇' | '⁈' | '⁉' => Some(true),
        _ => None,
    }
}

/// The pair that a character opens.
pub(super) fn opened_by(c: char) -> Option<usize> {
    let may = !c.is_ascii_alphanumeric() && !is_cjk(c);
    may.then(|| PAIRS.iter().position(|(open, _)| *open == c))?
}

/// The pair that a character closes.
pub(super) fn closed_by(c: char) -> Option<usize> {
    let may = !c.is_ascii_alphanumeric() && !is_cjk(c);
    may.then(|| PAIRS.iter().position(|(_, close)| *close == c))?
}

/// Whether a character right behind a mark belongs to it: it has no width, or is a part of an emoji.
pub(super) fn belongs_to_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}'
        | '\u{fe0e}' | '\u{fe0f}' | '\u{20d0}'..='\u{20f0}' | '\u{2600}'..='\u{27bf}' | '\u{1f300}'..='\u{1faff}')
}

/// Whether a character is Chinese, Japanese or Korean.
pub(super) fn is_cjk(c: char) -> bool {
    matches!(c, 'ぁ'..='ゖ' | 'ァ'..='ヺ' | '㐀'..='\u{9fff}' | '가'..='힣' | '豈'..='\u{faff}' | '𠀀'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(ABBREVIATIONS.is_sorted() && LINKS.is_sorted());
        assert!(ABBREVIATIONS.iter().chain(LINKS).all(|word| is_in(&[word], word)));
    }
}
