//! A text, its keeper and others of its form -> how far the two agree in what fills the form, and where else they differ.
//!
//! A removed document and its keeper may be two of many documents of one form ([`form`](super::form)). Then they are
//! duplicates since they agree in what fills it, and whoever reads of the removal may want to see that. The places are the slots
//! of the removed text as the others show them, the keeper not among them, widened to whole words. The two agree in a place if no
//! difference of the two texts touches it ([`differences`](differences())).
//!
//! Cost: the windows of the others, and the words of both texts; for removals alone.

mod differences;
mod words;

use std::fmt;
use std::ops::Range;

use differences::differences;
use words::Text;

use super::figures::figures;
use super::fillings::Fillings;
use super::form::Member;

/// The most fillings of a kind that are shown.
const SHOWN: usize = 3;

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
    /// The differences of the two in none of the places, and some of these.
    elsewhere: u32,
    beside: Vec<[String; 2]>,
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
        let differences = differences(&text, &keeper);
        let mut is_told = vec![false; differences.len()];
        for place in places {
            let touching = touching(&differences, &place);
            if touching.is_empty() {
                agreement.agreeing += 1;
                show(&mut agreement.same, text.shown(place));
                continue;
            }
            is_told[touching.clone()].fill(true);
            agreement.differing += 1;
            let [here, there] = whole(&text, &keeper, &place, &differences[touching]);
            show(&mut agreement.different, [text.shown(here), keeper.shown(there)]);
        }
        for ([here, there], _) in differences.into_iter().zip(is_told).filter(|(_, is_told)| !is_told) {
            agreement.elsewhere += 1;
            show(&mut agreement.beside, [text.shown(here), keeper.shown(there)]);
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

/// The differences in a place of the first text. One beside it counts if it adds words or takes some away: `12` and `12 1/2`.
fn touching(differences: &[[Range<usize>; 2]], place: &Range<usize>) -> Range<usize> {
    let first = differences.partition_point(|[here, _]| here.end < place.start);
    let past = differences.partition_point(|[here, _]| here.start <= place.end).max(first);
    let is_edit_beside = |[here, there]: &[Range<usize>; 2]| {
        (here.end == place.start || here.start == place.end) && here.len() == there.len()
    };
    let before = differences[first..past].iter().take_while(|difference| is_edit_beside(difference)).count();
    let after =
        differences[first + before..past].iter().rev().take_while(|difference| is_edit_beside(difference)).count();
    first + before..past - after
}

/// What stands in each text from the first one of the differences in a place to the last one, widened to the whole place if that
/// is short.
fn whole(
    own: &Text<'_>,
    other: &Text<'_>,
    place: &Range<usize>,
    differences: &[[Range<usize>; 2]],
) -> [Range<usize>; 2] {
    let ([first, others_first], [last, others_last]) = (&differences[0], &differences[differences.len() - 1]);
    let edit = [first.start..last.end, others_first.start..others_last.end];
    let before = first.start.saturating_sub(place.start).min(others_first.start);
    let after = place.end.saturating_sub(last.end).min(other.len() - others_last.end);
    let whole = edit.clone().map(|part| part.start - before..part.end + after);
    if own.fits(whole[0].clone()) && other.fits(whole[1].clone()) { whole } else { edit }
}

impl fmt::Display for Agreement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Agreement { others, agreeing, differing, .. } = *self;
        let least = if self.or_more { "At least " } else { "" };
        let places = agreeing + differing;
        let noun = if places == 1 { "place" } else { "places" };
        write!(out, "{least}{others} other documents share this form. They differ in {places} {noun}")?;
        let same = listed(self.same.iter().map(|filling| quoted(filling)).collect(), ", ", agreeing);
        let different = pairs(&self.different, differing);
        if agreeing == places {
            write!(out, ", where this text and its keeper agree: {same}.")?;
        } else if differing == places {
            write!(out, ", and so do this text and its keeper: {different}.")?;
        } else {
            write!(
                out,
                ". In {agreeing} of them this text and its keeper agree: {same}; in {differing} the two differ: {different}."
            )?;
        }
        if self.elsewhere > 0 {
            write!(out, " Elsewhere the two differ: {}.", pairs(&self.beside, self.elsewhere))?;
        }
        Ok(())
    }
}

/// What stands in each of two texts where they differ, of this many differences.
fn pairs(shown: &[[String; 2]], all: u32) -> String {
    let pair = |[here, there]: &[String; 2]| format!("{} here, {} there", quoted(here), quoted(there));
    listed(shown.iter().map(pair).collect(), "; ", all)
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
        assert_eq!(told(&own.replace("share,", "share - ").replace("on ", "(on) ")), expected);
        // What differs elsewhere is said as well.
        assert_eq!(
            told(&own.replace("per share,", "a share").replace("regular ", "")),
            format!(r#"{expected} Elsewhere the two differ: "regular" here, nothing there; "per" here, "a" there."#)
        );
        assert_eq!(
            told(&format!("{own} reuter")),
            format!(r#"{expected} Elsewhere the two differ: nothing here, "reuter" there."#)
        );
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
    fn fillings_that_were_exchanged_differ() {
        let own = filled(ENGLISH, &["acme tools", "12", "march 3", "january 15"]);
        let told = told(&own, &filled(ENGLISH, &["acme tools", "12", "january 15", "march 3"]), &notices()).unwrap();
        assert!(
            told.contains(r#"in 2 the two differ: "march 3" here, "january 15" there; "january 15" here, "march 3""#),
            "{told}"
        );
    }

    #[test]
    fn a_sign_beside_a_figure_belongs_to_it() {
        let [own, keeper] = ["$12", "€12"].map(|sum| filled(ENGLISH, &["acme tools", sum, "march 3", "january 15"]));
        let told = told(&own, &keeper, &notices()).unwrap();
        assert!(told.contains(r#"in 1 the two differ: "$12" here, "€12" there."#), "{told}");
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
             \"acme tools\", \"march 3\", \"january 15\"; in 1 the two differ: \"of 12\" here, nothing there. \
             Elsewhere the two differ: nothing here, \"of\" there."
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
