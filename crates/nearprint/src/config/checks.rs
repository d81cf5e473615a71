//! The checks of settings: the range of each value, and combinations that conflict.

use super::values::if_hundredths;
use super::{
    Cluster, Config, Delimiter, Distance, FeatureHash, JustMissed, MaxDistance, Measure, Quote,
    Size, Words,
};
use crate::error::Error;
use crate::message;
use crate::message::{Message, Setting};
use crate::read;

/// The largest value of `max-document-bytes`. Places in a text are numbers of 32 bits, and
/// normalization may make a text longer.
pub const LARGEST_DOCUMENT: u64 = 1 << 30;

/// The least value of `memory`. The program and its work in progress take nearly that much.
pub const LEAST_MEMORY: Size = Size(128 << 20);

/// The least value of `min-leak-length`: the letters of a window ([`crate::leak::WINDOW`]).
const LEAST_LEAK_LENGTH: u32 = 15;

impl Config {
    /// Checks that every setting is in its range and none contradicts another. Files and folders
    /// that settings name are not looked up.
    ///
    /// ```
    /// use nearprint::Config;
    /// let error = Config::default().min_similarity(1.5).check().unwrap_err();
    /// assert_eq!(error.to_string(), "min-similarity: 1.5 is not above 0 and at most 1");
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] for the first setting that fails.
    pub fn check(&self) -> Result<(), Error> {
        let names = &self.read.text_fields;
        let has_names = !names.is_empty() && names.iter().all(|name| !name.trim().is_empty());
        require(has_names, "text-field", || "name at least one field".into())?;
        self.check_dialect()?;
        self.read.exclude.iter().try_for_each(|text| read::pattern(text).map(drop))?;
        let largest = self.read.max_document_bytes;
        require((1..=LARGEST_DOCUMENT).contains(&largest), "max-document-bytes", || {
            format!("{largest} is not between 1 and {LARGEST_DOCUMENT}").into()
        })?;
        let most = self.read.max_rejected;
        require(most.is_in_range(), "max-rejected", || {
            format!("{most} is more than 100%, or than {} rows", i64::MAX).into()
        })?;
        let bits = self.fingerprint.bits;
        require(matches!(bits, 32 | 64 | 128 | 256), "bits", || {
            format!("{bits} is not 32, 64, 128 or 256").into()
        })?;
        self.words().check(bits)?;
        let has_both = self.fingerprint.ignore_passages.is_some() && self.tokens_field().is_some();
        require(!has_both, "ignore-passages", || {
            message![
                "passages are left out of texts, and not out of the tokens of ",
                Setting::named("tokens-field"),
                "; leave one of them out"
            ]
        })?;
        require((1..=64).contains(&self.decide.shingle), "shingle", || {
            format!("{} is not between 1 and 64", self.decide.shingle).into()
        })?;
        require(self.fingerprint.min_features > 0, "min-features", || "must be 1 or more".into())?;
        let similarity = self.decide.min_similarity;
        require(similarity > 0.0 && similarity <= 1.0, "min-similarity", || {
            format!("{similarity} is not above 0 and at most 1{}", if_hundredths(similarity)).into()
        })?;
        self.check_just_missed()?;
        self.check_distances()?;
        self.check_max_lost()?;
        let length = self.keep.min_leak_length.unwrap_or(LEAST_LEAK_LENGTH);
        require(length >= LEAST_LEAK_LENGTH, "min-leak-length", || {
            format!("{length} is less than the minimum of {LEAST_LEAK_LENGTH} letters").into()
        })?;
        let both = self.decide.differ.iter().find(|field| self.decide.same.contains(field));
        require(both.is_none(), "differ", || {
            let field = both.map_or("", String::as_str);
            message![
                "\"",
                field,
                "\" is also in ",
                Setting::named("same"),
                ", which excludes every pair; remove it from one of them"
            ]
        })?;
        let memory = self.run.memory.unwrap_or(LEAST_MEMORY);
        require(memory >= LEAST_MEMORY, "memory", || {
            format!("{memory} is less than {LEAST_MEMORY}").into()
        })?;
        require(self.run.threads <= 1024, "threads", || {
            format!("{} is more than 1024", self.run.threads).into()
        })
    }

    fn check_dialect(&self) -> Result<(), Error> {
        let quote = self.read.quote.unwrap_or(Quote::DOUBLE).byte();
        let delimiters = match self.read.delimiter {
            Some(delimiter) => vec![delimiter.byte()],
            None => vec![Delimiter::COMMA.byte(), Delimiter::TAB.byte()],
        };
        let divides = |byte: Option<u8>| byte.is_some_and(|byte| delimiters.contains(&byte));
        let setting = if self.read.quote.is_some() { "quote" } else { "delimiter" };
        require(!divides(quote), setting, || match self.read.quote {
            Some(_) => "it is the delimiter; name another one".into(),
            None => message![
                "it is the quote; name another character, or make quotes letters with ",
                Setting::with("quote", Quote::NONE.to_string())
            ],
        })?;
        let Some(escape) = self.read.escape else { return Ok(()) };
        let is_free = quote != Some(escape.byte()) && !divides(Some(escape.byte()));
        require(is_free, "escape", || {
            "it is the quote or the delimiter; a doubled quote needs no escape".into()
        })?;
        require(quote.is_some(), "escape", || {
            message![
                "it is read in quoted fields only; leave it out, or leave out ",
                Setting::with("quote", Quote::NONE.to_string())
            ]
        })
    }

    fn check_just_missed(&self) -> Result<(), Error> {
        let JustMissed::Down(least) = self.decide.just_missed else { return Ok(()) };
        let most = self.decide.min_similarity;
        require(least > 0.0 && least < most, "just-missed", || {
            message![
                format!("{least} is not above 0 and below the "),
                Setting::named("min-similarity"),
                format!(" of {most}{}", if_hundredths(least))
            ]
        })?;
        require(self.search.max_distance != MaxDistance::Off, "just-missed", || {
            message![
                "needs pairs of similar texts, but only equal texts are matched with ",
                Setting::with("max-distance", "off"),
                "; leave one of them out"
            ]
        })
    }

    fn check_max_lost(&self) -> Result<(), Error> {
        let Some(most) = self.decide.max_lost else { return Ok(()) };
        require((0.0..=1.0).contains(&most), "max-lost", || {
            format!("{most} is not between 0 and 1{}", if_hundredths(most)).into()
        })?;
        require(self.decide.verify == Measure::Coverage, "max-lost", || {
            message![
                "only coverage counts lost letters; set ",
                Setting::with("verify", "coverage"),
                ", or leave it out"
            ]
        })?;
        require(self.keep.cluster == Cluster::Star, "max-lost", || {
            message![
                "components may link a removed document to its keeper only through others; set ",
                Setting::with("cluster", "star"),
                ", or leave it out"
            ]
        })
    }

    fn check_distances(&self) -> Result<(), Error> {
        let [max_distance, complete_distance] =
            ["max-distance", "complete-distance"].map(Setting::named);
        if let Some(recall) = self.search.recall {
            require(recall > 0.0 && recall < 1.0, "recall", || {
                format!("{recall} is not above 0 and below 1{}", if_hundredths(recall)).into()
            })?;
            require(
                self.search.max_distance == MaxDistance::Auto
                    && self.search.complete_distance.is_none(),
                "recall",
                || {
                    message![
                        "it chooses ",
                        max_distance.clone(),
                        " and ",
                        complete_distance,
                        "; leave both at auto, and choose a preset that does"
                    ]
                },
            )?;
            require(self.tokens_field().is_none(), "recall", || {
                message![
                    "it needs edited copies of texts, which have no tokens field; set ",
                    max_distance.clone(),
                    ", or leave out ",
                    Setting::named("tokens-field")
                ]
            })?;
        }
        if self.search.distance == Distance::Edit {
            require(self.search.max_distance != MaxDistance::Auto, "distance", || {
                message![
                    "edit has no default limit, and fingerprints of different texts lie within a \
                     third of their bits; set ",
                    max_distance.clone()
                ]
            })?;
            require(self.search.complete_distance.is_none(), "complete-distance", || {
                message![
                    "the search finds all pairs with ",
                    Setting::with("distance", "edit"),
                    ", at any distance; leave it out"
                ]
            })?;
        }
        let (bits, complete) = (self.fingerprint.bits, self.search.complete_distance.unwrap_or(0));
        require(complete < bits, "complete-distance", || {
            format!("{complete} is not below the {bits} bits").into()
        })?;
        if self.search.max_distance == MaxDistance::Any {
            let by_ngrams = matches!(self.decide.verify, Measure::Jaccard | Measure::Containment);
            require(by_ngrams, "max-distance", || {
                message![
                    "any finds all pairs by their word n-grams; set ",
                    Setting::with("verify", "jaccard"),
                    ", or leave it out"
                ]
            })?;
            let ngram = self.words().ngram;
            require(ngram == 1, "ngram", || {
                message![
                    "it is about fingerprints, which are not searched with ",
                    Setting::with("max-distance", "any"),
                    "; set ",
                    Setting::with("shingle", ngram)
                ]
            })?;
            require(self.search.distance == Distance::Hamming, "distance", || {
                message![
                    "fingerprints are not searched with ",
                    Setting::with("max-distance", "any"),
                    "; leave one of them out"
                ]
            })?;
            require(complete == 0, "complete-distance", || {
                message![
                    "all pairs are found with ",
                    Setting::with("max-distance", "any"),
                    "; leave one of them out"
                ]
            })?;
        }
        let MaxDistance::Bits(most) = self.search.max_distance else { return Ok(()) };
        require(most < bits, "max-distance", || {
            format!("{most} is not below the {bits} bits").into()
        })?;
        require(complete <= most, "complete-distance", || {
            message![complete, " is more than the ", max_distance, " of ", most]
        })
    }
}

impl Words {
    fn check(&self, bits: u32) -> Result<(), Error> {
        require(self.min_token_length > 0, "min-token-length", || "must be 1 or more".into())?;
        require((1..=64).contains(&self.ngram), "ngram", || {
            format!("{} is not between 1 and 64", self.ngram).into()
        })?;
        require(self.feature_hash != FeatureHash::Md5 || bits <= 128, "feature-hash", || {
            message![
                "md5 has 128 bits; choose xxh3, or ",
                Setting::with("bits", 128u32),
                " or less"
            ]
        })?;
        let cap = self.weight_cap.unwrap_or(1.0);
        require(cap > 0.0 && cap <= 1e9, "weight-cap", || {
            format!("{cap} is not above 0 and at most 1e9").into()
        })?;
        let least = self.least_idf;
        require((0.0..=1.0).contains(&least), "least-idf", || {
            format!("{least} is not between 0 and 1").into()
        })
    }
}

fn require(
    holds: bool,
    setting: &'static str,
    problem: impl FnOnce() -> Message,
) -> Result<(), Error> {
    if holds { Ok(()) } else { Err(Error::usage(setting, problem())) }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::{Features, PRESETS};
    use super::*;

    fn words(words: Words) -> Config {
        Config::default().features(Features::Words(words))
    }

    #[test]
    fn what_is_out_of_range_or_at_odds_is_named() {
        let (own, usual) = (Config::default, Words::default);
        let bits = |bits| MaxDistance::Bits(bits);
        for (config, says) in [
            (own().text_fields(vec![]), "text-field: name at least one"),
            (own().max_document_bytes(0), "max-document-bytes: 0 is not between 1 and 1073741824"),
            (own().max_rejected("101%".parse().unwrap()), "max-rejected: 101% is more than 100%"),
            (own().bits(100), "bits: 100 is not 32, 64, 128 or 256"),
            (own().shingle(65), "shingle: 65 is not between 1 and 64"),
            (own().min_features(0), "min-features: must be 1 or more"),
            (own().min_similarity(f64::NAN), "min-similarity: NaN is not above 0"),
            (
                own().min_similarity(75.0),
                "min-similarity: 75 is not above 0 and at most 1; a share is a part of 1: write 0.75",
            ),
            (
                own().recall(99.9),
                "recall: 99.9 is not above 0 and below 1; a share is a part of 1: write 0.999",
            ),
            (own().recall(1.0), "recall: 1 is not above 0 and below 1"),
            (own().recall(0.9).max_distance(MaxDistance::Off), "recall: it chooses max-distance"),
            (
                own().max_distance(MaxDistance::Any),
                "max-distance: any finds all pairs by their word",
            ),
            (
                own().max_distance(MaxDistance::Any).verify(Measure::Jaccard).complete_distance(3),
                "complete-distance: all pairs are found with max-distance = \"any\"",
            ),
            (own().recall(0.9).complete_distance(3), "recall: it chooses max-distance"),
            (own().complete_distance(256), "complete-distance: 256 is not below the 256 bits"),
            (own().distance(Distance::Edit), "distance: edit has no default limit"),
            (own().distance(Distance::Edit).recall(0.9), "distance: edit has no default limit"),
            (
                own().distance(Distance::Edit).max_distance(bits(9)).complete_distance(3),
                "complete-distance: the search finds all pairs with distance = \"edit\"",
            ),
            (own().max_distance(bits(256)), "max-distance: 256 is not below the 256 bits"),
            (
                own().max_distance(bits(3)).complete_distance(4),
                "complete-distance: 4 is more than the max-distance of 3",
            ),
            (
                own().same(vec!["lang".into()]).differ(vec!["lang".into()]),
                "differ: \"lang\" is also in same",
            ),
            (
                own().just_missed(JustMissed::Down(0.75)),
                "just-missed: 0.75 is not above 0 and below the min-similarity of 0.75",
            ),
            (own().just_missed(JustMissed::Down(f64::NAN)), "just-missed: NaN is not above 0"),
            (
                own().just_missed(JustMissed::Down(0.6)).max_distance(MaxDistance::Off),
                "just-missed: needs pairs of similar texts, but only equal texts are matched with \
                 max-distance = \"off\"",
            ),
            (own().max_lost(1.1), "max-lost: 1.1 is not between 0 and 1"),
            (
                own().max_lost(0.1).verify(Measure::Jaccard),
                "max-lost: only coverage counts lost letters; set verify = \"coverage\"",
            ),
            (own().max_lost(0.1).cluster(Cluster::Components), "max-lost: components may link"),
            (own().min_leak_length(14), "min-leak-length: 14 is less than the minimum of 15"),
            (own().memory(Some(Size(1))), "memory: 1 is less than 128M"),
            (own().threads(1025), "threads: 1025 is more than 1024"),
            (
                words(Words { tokens_field: Some("w".into()), ..usual() }).recall(0.9),
                "recall: it needs edited copies of texts, which have no tokens field; set \
                 max-distance, or leave out tokens-field",
            ),
            (
                words(Words { min_token_length: 0, ..usual() }),
                "min-token-length: must be 1 or more",
            ),
            (
                words(Words { tokens_field: Some("w".into()), ..usual() })
                    .ignore_passages(PathBuf::from("list.jsonl")),
                "ignore-passages: passages are left out of texts, and not out of the tokens of \
                 tokens-field; leave one of them out",
            ),
            (words(Words { ngram: 0, ..usual() }), "ngram: 0 is not between 1 and 64"),
            (
                words(Words { feature_hash: FeatureHash::Md5, ..usual() }),
                "feature-hash: md5 has 128 bits",
            ),
            (words(Words { weight_cap: Some(0.0), ..usual() }), "weight-cap: 0 is not above 0"),
            (words(Words { least_idf: 1.5, ..usual() }), "least-idf: 1.5 is not between 0 and 1"),
        ] {
            let error = config.check().unwrap_err().to_string();
            assert!(error.starts_with(says), "{error}");
        }
        for (name, _, _) in PRESETS {
            Config::preset(name).unwrap().check().unwrap();
        }
    }
}
