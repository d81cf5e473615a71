//! A text, its keeper and others of its form -> how far the two agree in what fills the form.
//!
//! A removed document and its keeper may be two of many documents of one form ([`form`](super::form)). Then they are
//! duplicates since they agree in what fills it, and whoever reads of the removal may want to see that. The places are the slots
//! of the removed text as the others show them, the keeper not among them, widened to whole words. The two agree in a place if its
//! words and those around it stand in the keeper as well. Else what stands there in the keeper lies between the nearest words on
//! either side that both have.
//!
//! Cost: the windows of the others, and the words of both texts; for removals alone.

mod words;

use std::fmt;
use std::ops::Range;

use words::Text;

use super::figures::figures;
use super::fillings::Fillings;
use super::form::Member;

/// The most fillings of a kind that are shown.
const SHOWN: usize = 3;

/// Words that are looked at on either side of a place for some that both texts have, at most.
const NEAR: usize = 1000;

/// How far a text and its keeper agree in what fills their form. It is shown as a sentence or two.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Agreement {
    /// The documents of the form beside the two.
    others: u32,
    /// Whether there may be more of them.
    or_more: bool,
    /// The places in which the two agree, and what fills some of these.
    agreeing: u32,
    same: Vec<String>,
    /// The places in which they differ, and what fills some of these in each.
    differing: u32,
    different: Vec<[String; 2]>,
    /// The places of which no counterpart was found in the keeper, and what fills some of these.
    missing: u32,
    missed: Vec<String>,
}

impl Agreement {
    /// That of two normalized texts, the first one with its windows, in the company of others, none of which is the second one.
    /// None if these show no form, or one without slots.
    pub fn new(own: &Member, [text, keeper]: [&str; 2], company: &[&Member]) -> Option<Agreement> {
        let mut found = Vec::new();
        figures(text, &mut found);
        let fillings = Fillings::new(own, &found, company);
        let (text, keeper) = (Text::new(text), Text::new(keeper));
        let mut places: Vec<Range<usize>> = Vec::new();
        for place in fillings.slots().map(|slot| text.within(slot)).filter(|place| !place.is_empty()) {
            match places.last_mut() {
                Some(last) if place.start < last.end => last.end = last.end.max(place.end),
                _ => places.push(place),
            }
        }
        if places.is_empty() {
            return None;
        }
        let others = company.iter().filter(|other| own.is_of_form(other)).count() as u32;
        let mut agreement = Agreement { others, ..Agreement::default() };
        for place in places {
            match held_against(&text, &keeper, place.clone()) {
                Found::Same => {
                    agreement.agreeing += 1;
                    show(&mut agreement.same, text.shown(place));
                }
                Found::Different(here, there) => {
                    agreement.differing += 1;
                    show(&mut agreement.different, [text.shown(here), keeper.shown(there)]);
                }
                Found::Nowhere => {
                    agreement.missing += 1;
                    show(&mut agreement.missed, text.shown(place));
                }
            }
        }
        Some(agreement)
    }

    /// The same where not all others were looked at.
    pub fn or_more(self) -> Agreement {
        Agreement { or_more: true, ..self }
    }
}

/// Adds what is shown, if there is room and it is not there.
fn show<T: PartialEq>(shown: &mut Vec<T>, next: T) {
    if shown.len() < SHOWN && !shown.contains(&next) {
        shown.push(next);
    }
}

/// What became of a place of one text in the other one.
enum Found {
    /// The same words fill it.
    Same,
    /// These words of the first text are there, and these of the second one.
    Different(Range<usize>, Range<usize>),
    /// It is not known which place of the other text that is.
    Nowhere,
}

/// What fills a place of a text, held against its keeper.
fn held_against(own: &Text<'_>, keeper: &Text<'_>, place: Range<usize>) -> Found {
    let around = own.before(place.start)..own.after(place.end);
    // On one side a word is enough, so that an edit near the place does not matter.
    let [first, past] = [place.start.saturating_sub(1), own.len().min(place.end + 1)];
    if [around.clone(), around.start..past, first..around.end].into_iter().any(|run| own.stands_in(run, keeper)) {
        return Found::Same;
    }
    let Some([here, there]) = counterparts(own, keeper, &place) else { return Found::Nowhere };
    let least = here.len().min(there.len());
    let equal = |(one, other): &(usize, usize)| says_the_same(own.word(*one), keeper.word(*other));
    let first = here.clone().zip(there.clone()).take_while(equal).count();
    let last = here.clone().rev().zip(there.clone().rev()).take_while(equal).count().min(least - first);
    let apart =
        |first: usize, last: usize| (here.start + first..here.end - last, there.start + first..there.end - last);
    let (edit, other) = apart(first, last);
    let is_elsewhere = edit.end < place.start || edit.start > place.end;
    // An edit beside the place, which adds no word to it.
    let is_beside = (edit.end == place.start || edit.start == place.end) && edit.len() == other.len();
    if is_elsewhere || is_beside {
        return Found::Same;
    }
    let (whole, counterpart) = apart(first.min(place.start - here.start), last.min(here.end - place.end));
    match own.fits(whole.clone()) && keeper.fits(counterpart.clone()) {
        true => Found::Different(whole, counterpart),
        false => Found::Different(edit, other),
    }
}

/// Whether two words are equal, or figures of one value: `three` and `3`.
fn says_the_same(one: &str, other: &str) -> bool {
    let value = |word: &str| {
        let mut found = Vec::new();
        figures(word, &mut found);
        let letters = word.chars().filter(|c| c.is_alphanumeric()).map(char::len_utf8).sum::<usize>();
        let whole = found.first().filter(|figure| (figure.start, figure.end as usize) == (0, letters));
        whole.map(|figure| figure.value.key())
    };
    one == other || value(one).is_some_and(|value_of_one| Some(value_of_one) == value(other))
}

/// What lies in each text between the words nearest to a place of the first one that both have on either side of it.
fn counterparts(own: &Text<'_>, keeper: &Text<'_>, place: &Range<usize>) -> Option<[Range<usize>; 2]> {
    let before = (place.start.saturating_sub(NEAR)..place.start).rev().find_map(|word| {
        let (found, words) = own.place_in(word, keeper)?;
        (word + words <= place.start).then_some((word + words, found + words))
    });
    let after = (place.end..own.len().min(place.end + NEAR))
        .find_map(|word| own.place_in(word, keeper).map(|(found, _)| (word, found)));
    let is_near = place.start <= NEAR;
    let before = before.or_else(|| is_near.then_some((0, 0)))?;
    let after = after.or_else(|| (own.len() - place.end <= NEAR).then_some((own.len(), keeper.len())))?;
    (before.1 <= after.1).then_some([before.0..after.0, before.1..after.1])
}

impl fmt::Display for Agreement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Agreement { others, agreeing, differing, missing, .. } = *self;
        let least = if self.or_more { "At least " } else { "" };
        let places = agreeing + differing + missing;
        let noun = if places == 1 { "place" } else { "places" };
        write!(out, "{least}{others} other documents share this form. They differ in {places} {noun}")?;
        let pair = |[here, there]: &[String; 2]| format!("{} here, {} there", quoted(here), quoted(there));
        let same = listed(self.same.iter().map(|filling| quoted(filling)).collect(), ", ", agreeing);
        let different = listed(self.different.iter().map(pair).collect(), "; ", differing);
        let missed = listed(self.missed.iter().map(|filling| quoted(filling)).collect(), ", ", missing);
        if agreeing == places {
            return write!(out, ", where this text and its keeper agree: {same}.");
        }
        if differing == places {
            return write!(out, ", and so do this text and its keeper: {different}.");
        }
        if missing == places {
            return write!(out, ", of which no counterpart was found in the keeper: {missed}.");
        }
        let mut two = "of them this text and its keeper";
        let mut before = ". In";
        if agreeing > 0 {
            write!(out, "{before} {agreeing} {two} agree: {same}")?;
            (before, two) = ("; in", "the two");
        }
        if differing > 0 {
            write!(out, "{before} {differing} {two} differ: {different}")?;
        }
        if missing > 0 {
            write!(out, "; of {missing} no counterpart was found in the keeper: {missed}")?;
        }
        write!(out, ".")
    }
}

/// What is shown of this many places.
fn listed(shown: Vec<String>, separator: &str, all: u32) -> String {
    match all as usize - shown.len() {
        0 => shown.join(separator),
        more => format!("{} and {more} more", shown.join(separator)),
    }
}

/// A filling in quotes, with single ones inside.
fn quoted(filling: &str) -> String {
    if filling.is_empty() { "nothing".to_string() } else { format!("\"{}\"", filling.replace('"', "'")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::append_alphanumeric;

    const ENGLISH: &str = "@ corp said its board declared a regular quarterly dividend of @ cts per share, payable on @ to the \
        shareholders who are of record by the close of business on @, and that it expects no change in the year.";
    const CHINESE: &str =
        "经研究决定，授予@同志先进工作者称号，并发给奖金@元以示鼓励，由@在年度大会上颁发。希望全体职工向先进同志学习。";

    fn filled(form: &str, fillings: &[&str]) -> String {
        let parts: Vec<&str> = form.split('@').collect();
        assert_eq!(parts.len(), fillings.len() + 1);
        parts.iter().zip(fillings.iter().chain([&""])).map(|(part, filling)| format!("{part}{filling}")).collect()
    }

    fn member(text: &str) -> Member {
        let mut kept = String::new();
        append_alphanumeric(text, &mut kept);
        Member::new(kept.as_bytes())
    }

    /// What is told of a text and its keeper in the company of others.
    fn told(own: &str, keeper: &str, others: &[String]) -> Option<String> {
        let others: Vec<Member> = others.iter().map(|other| member(other)).collect();
        let agreement = Agreement::new(&member(own), [own, keeper], &others.iter().collect::<Vec<_>>());
        agreement.map(|agreement| agreement.to_string())
    }

    fn notices() -> Vec<String> {
        [
            ["boreal mills", "31.5", "may 2", "april 11"],
            ["quantum fields", "7", "june 30", "june 4"],
            ["wexford & sons", "18.25", "july 12", "february 27"],
            ["delta hotels", "44", "september 9", "august 19"],
        ]
        .map(|fillings| filled(ENGLISH, &fillings))
        .to_vec()
    }

    #[test]
    fn a_notice_agrees_with_its_copy_in_what_fills_the_form() {
        let own = filled(ENGLISH, &["acme tools", "12", "march 3", "january 15"]);
        let told = |keeper: &str| told(&own, keeper, &notices()).unwrap();
        let expected = "4 other documents share this form. They differ in 4 places, where this text and its keeper agree: \
                        \"acme tools\", \"12\", \"march 3\" and 1 more.";
        assert_eq!(told(&own), expected);
        // Edits outside the places do not matter, nor does punctuation.
        assert_eq!(told(&own.replace("per share,", "a share").replace("regular ", "").replace("(", "")), expected);
        assert_eq!(told(&format!("(reuter) {own} reuter")), expected);
    }

    #[test]
    fn so_does_a_chinese_one() {
        let own = filled(CHINESE, &["王小明", "五千", "李建国"]);
        let others = [["张三丰", "八百", "赵云"], ["欧阳锋", "一万二", "周瑜"], ["陈大文", "三万", "孙武"]]
            .map(|fillings| filled(CHINESE, &fillings));
        assert_eq!(
            told(&own, &own, &others).unwrap(),
            "3 other documents share this form. They differ in 3 places, where this text and its keeper agree: \"王小明\", \
             \"五千\", \"李建国\"."
        );
        assert_eq!(
            told(&own, &own.replace("王小明", "王晓明"), &others).unwrap(),
            "3 other documents share this form. They differ in 3 places. In 2 of them this text and its keeper agree: \"五千\", \
             \"李建国\"; in 1 the two differ: \"王小明\" here, \"王晓明\" there."
        );
    }

    #[test]
    fn where_the_two_differ_that_is_said() {
        let own = filled(ENGLISH, &["acme tools", "12", "march 3", "january 15"]);
        let told = |keeper: &[&str]| told(&own, &filled(ENGLISH, keeper), &notices()).unwrap();
        assert_eq!(
            told(&["acme tools", "12 1/2", "march 3", "january 14"]),
            "4 other documents share this form. They differ in 4 places. In 2 of them this text and its keeper agree: \
             \"acme tools\", \"march 3\"; in 2 the two differ: \"12\" here, \"12 1/2\" there; \"january 15\" here, \
             \"january 14\" there."
        );
        assert_eq!(
            told(&["apex", "17", "may 1", "april 2"]),
            "4 other documents share this form. They differ in 4 places, and so do this text and its keeper: \"acme tools\" here, \
             \"apex\" there; \"12\" here, \"17\" there; \"march 3\" here, \"may 1\" there and 1 more."
        );
    }

    #[test]
    fn a_figure_in_words_is_the_same_figure() {
        let own = filled(ENGLISH, &["acme tools", "12", "march 3", "january 15"]);
        let keeper = filled(ENGLISH, &["acme tools", "twelve", "march three", "jan 51"]);
        let told = told(&own, &keeper, &notices()).unwrap();
        assert!(told.contains("In 3 of them") && told.contains("in 1 the two differ: \"january 15\" here"), "{told}");
    }

    #[test]
    fn what_is_not_in_the_keeper_is_not_said_to_be() {
        let own = filled(ENGLISH, &["acme tools", "12", "march 3", "january 15"]);
        let (first, last) = own.split_once("12").unwrap();
        assert_eq!(
            told(&own, &format!("{last} {first}"), &notices()).unwrap(),
            "4 other documents share this form. They differ in 4 places. In 3 of them this text and its keeper agree: \
             \"acme tools\", \"march 3\", \"january 15\"; of 1 no counterpart was found in the keeper: \"12\"."
        );
    }

    #[test]
    fn others_that_share_no_form_tell_nothing() {
        let own = filled(ENGLISH, &["acme tools", "12", "march 3", "january 15"]);
        let other = filled(CHINESE, &["王小明", "五千", "李建国"]);
        assert_eq!(told(&own, &own, &[]), None);
        assert_eq!(told(&own, &own, &notices()[..1]), None);
        assert_eq!(told(&own, &own, &[other.clone(), other.replace("五", "六"), other.replace("李", "林")]), None);
        // Copies of it have a form without places to fill.
        assert_eq!(told(&own, &own, &[own.clone(), own.replace("expects", "foresees"), own.clone()]), None);
        assert_eq!(told("?!", "!?", &["!!".to_string(), "??".to_string()]), None);
    }

    #[test]
    fn others_may_be_more_and_places_few() {
        let agreement = Agreement { others: 31, agreeing: 1, same: vec!["acme".to_string()], ..Agreement::default() };
        assert_eq!(
            agreement.or_more().to_string(),
            "At least 31 other documents share this form. They differ in 1 place, where this text and its keeper agree: \"acme\"."
        );
    }
}
