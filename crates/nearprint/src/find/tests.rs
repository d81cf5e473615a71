//! The work of a query among near copies.

use nearprint_core::judge::{Parts, PreparedText, Preparer};
use nearprint_core::near::QUERY;
use nearprint_core::recipe::{Options, Prepared, Recipe};

use super::*;
use crate::watch::Silent;

/// Documents in memory that count how often one of them is prepared.
struct Counted {
    documents: Vec<PreparedText>,
    query: PreparedText,
    loads: usize,
}

impl DocumentStore for Counted {
    fn load(&mut self, document: u32, _: Parts, out: &mut Prepared) -> Result<(), Error> {
        match document {
            QUERY => out.copy(&self.query.prepared),
            document => {
                self.loads += 1;
                out.copy(&self.documents[document as usize].prepared);
            }
        }
        Ok(())
    }

    fn characters(&mut self, document: u32) -> Result<u32, Error> {
        Ok(self.documents[document as usize].characters)
    }
}

/// The number of duplicates of a text among others, and how many of these were prepared.
fn work(query: &str, texts: &[String]) -> (usize, usize) {
    let rules = Rules::default();
    let mut preparer = Preparer::new(&Recipe::new(Options::default()).unwrap(), rules);
    let mut prepare = |text: &str| {
        let mut out = PreparedText::default();
        preparer.prepare(text, &mut out);
        out
    };
    let (documents, query) = (texts.iter().map(|text| prepare(text)).collect(), prepare(query));
    let store = Counted { documents, query, loads: 0 };
    let mut records = Records::new(4);
    for (number, text) in (0..).zip(&store.documents) {
        records.push(number, &Record::new(text, &rules));
    }
    let mut among = Among::new(&records, &rules, Record::new(&store.query, &rules));
    let mut judge = StoreJudge::of(store, rules);
    let found = duplicates(QUERY, &mut among, &mut judge, &Silent).unwrap();
    (found.len(), judge.store().loads)
}

#[test]
fn each_near_text_is_compared_once_and_copies_of_it_are_not() {
    let long = "The ferry to Hiddensee returns on Monday, after eleven weeks of repairs, and the \
        captain has painted its railings green.";
    let (query, short) = (format!("{long} Come aboard!"), "blue lamp");
    for copies in [50, 100, 200] {
        let each_its_own: Vec<String> =
            (0..copies).map(|copy| format!("{long} Copy number {copy}.")).collect();
        assert_eq!(work(&query, &each_its_own).1, copies);
        assert_eq!(work(&query, &vec![long.to_string(); copies]), (copies, 1));
        assert_eq!(work("blue lamps", &vec![short.to_string(); copies]).1, 1);
        assert_eq!(work(long, &vec![long.to_string(); copies]), (copies, 0));
    }
}
