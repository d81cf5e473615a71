//! Input files -> the passages that many documents share, and the files without them.
//!
//! The input is read several times: for the letters of all documents, for the places of passages in
//! the texts, for the texts of the most common passages, and to write the files.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::ops::Range;
use std::path::{Path, PathBuf};

use nearprint_core::normalize::{Normalizer, Options as Normalize, append_alphanumeric, size};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::checkpoint::Checkpoints;
use super::dedup::check_is_no_input;
use super::identity::checkpoints_with;
use super::passages_page::{ShownPlaces, elsewhere};
use super::report::{REPORT, title};
use super::timed::Timed;
use super::{Deduplicator, Output};
use crate::config::OnError;
use crate::corpus::{Origins, group};
use crate::document::{Document, FieldValue};
use crate::error::Error;
use crate::keep::{Policy, ranks};
use crate::memory::peak_memory_bytes;
use crate::outcome::{PassageCounts, PassageSummary};
use crate::passage::{
    self, Candidate, CandidateRow, Chooser, Copies, CopyPlaces, Found, Gathered, KeepCopy,
    KnownPassages, Letters, PassageAction, PassageOptions, Place, PlaceRow, Search, Stay, Stretch,
    Stretches, Verdicts, coverage, places, touching,
};
use crate::read::{self, Source};
use crate::report::{PassagesPage, write_passages};
use crate::spill::{Sorted, Sorter};
use crate::watch::{Progress, Stage, Watch, stop_if_asked};
use crate::write::{self, Folder, PassageText, PlacesOfDocument, Treatment, reports};

/// The passages that documents share.
#[derive(Debug)]
pub struct SharedPassages {
    /// The origins of the documents.
    pub origins: Origins,
    /// The passages and their places.
    pub found: Found,
    /// The texts of the first passages, at most 10,000.
    pub texts: Vec<PassageText>,
    /// The bytes of all texts.
    pub text_bytes: u64,
}

impl SharedPassages {
    /// The numbers of what was found.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn counts(&self) -> Result<PassageCounts, Error> {
        PassageCounts::of(&self.origins, &self.found)
    }
}

/// What is known of the documents after their letters were read.
#[derive(Debug, Serialize, Deserialize)]
struct Documents {
    origins: Origins,
    gathered: Gathered,
    /// The number of letters of each document, where wide characters count as two.
    letters: Vec<u32>,
    /// The values of the field of `keep`, if it names one.
    fields: Vec<Option<FieldValue>>,
    /// The group of each document; empty if all are in one.
    groups: Vec<u64>,
    text_bytes: u64,
}

impl Documents {
    /// The group of a document.
    fn group(&self, document: u32) -> u64 {
        self.groups.get(document as usize).copied().unwrap_or(0)
    }
}

/// A document that may have copies: its number, its text, the bytes of its places, and the candidates.
type Searched<'t> = (u32, &'t String, Vec<Range<usize>>, Vec<Candidate>);

/// The most passages whose texts are written.
const MOST_TEXTS: usize = 10_000;

/// The most characters of a text that are written.
const LONGEST_TEXT: usize = 10_000;

impl Deduplicator {
    /// Finds the passages that documents share, and writes the output folder: `passages.jsonl`, a
    /// row for each place; `passage_texts.jsonl`, the text of each passage; `summary.json`;
    /// `report.html`, if the output has a report; and the input files without the places that go, if
    /// the action is to mask or to cut, or with the places in a field, if it is to annotate.
    ///
    /// ```
    /// use nearprint::passage::{PassageAction, PassageOptions};
    /// use nearprint::{Config, Deduplicator, Output, Silent};
    /// let folder = tempfile::tempdir()?;
    /// let input = folder.path().join("news.jsonl");
    /// let footer = "All rights reserved. No part of this page may be copied or sold without the written consent of the publisher and its heirs in Hamburg.";
    /// std::fs::write(&input, format!("{{\"text\":\"The ferry is back, and so are its nine cooks and their pans. {footer}\"}}\n{{\"text\":\"Half of the bakeries in the old town close before noon now, says their guild in a report. {footer}\"}}\n"))?;
    /// let options = PassageOptions { action: PassageAction::Cut, max_lost: 0.9, ..PassageOptions::default() };
    /// let output = Output::new(folder.path().join("clean"));
    /// let finder = Deduplicator::new(Config::default())?;
    /// let summary = finder.passages(&[input.display().to_string()], &options, &output, &Silent)?;
    /// assert_eq!((summary.counts.passages, summary.counts.places, summary.counts.going), (1, 2, 1));
    /// let kept = std::fs::read_to_string(output.folder.join("kept/news.jsonl"))?;
    /// assert_eq!(kept.matches("All rights").count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Every variant of [`Error`]. After an error, no output folder is left.
    pub fn passages(
        &self,
        inputs: &[String],
        options: &PassageOptions,
        output: &Output,
        watch: &dyn Watch,
    ) -> Result<PassageSummary, Error> {
        let (options, verdicts) = &options.verdicts()?;
        self.threads.install(|| {
            let watch = &Timed::new(watch);
            let spool = self.spool()?;
            let found = read::find_all(inputs, &self.options, spool.path(), watch)?;
            let sources = found.sources;
            if options.action == PassageAction::Annotate {
                let check = write::check_annotatable::<PlacesOfDocument>;
                sources.iter().try_for_each(check)?;
            }
            check_is_no_input(&output.folder, &sources, inputs)?;
            let files = sources.iter().map(|source| source.path.as_path());
            let spare = output.spare.iter().chain(&options.approved).map(PathBuf::as_path);
            let others = self.files().chain(spare);
            let folder = Folder::create(&output.folder, output.force, files.chain(others))?;
            let is_approved = !verdicts.right.is_empty();
            let described = (
                "choice of passages",
                serde_json::json!([options.min_length, options.min_documents, is_approved]),
            );
            let mut checkpoints = checkpoints_with(self, &[], &sources, output, Some(described))?;
            if let Some(discarded) = checkpoints.discarded.take() {
                watch.begin_anew(&discarded);
            }
            let result = self.passage_stages(
                &mut checkpoints,
                (inputs, sources),
                options,
                verdicts,
                output,
                folder,
                watch,
            );
            if !result.as_ref().is_err_and(Error::can_resume) {
                checkpoints.discard();
            }
            result
        })
    }

    #[expect(clippy::too_many_arguments)]
    fn passage_stages(
        &self,
        checkpoints: &mut Checkpoints,
        (inputs, sources): (&[String], Vec<Source>),
        options: &PassageOptions,
        verdicts: &Verdicts,
        output: &Output,
        folder: Folder,
        watch: &Timed<'_>,
    ) -> Result<PassageSummary, Error> {
        let shows = output.report.is_some();
        let (shared, shown) =
            self.find_stages(checkpoints, sources, options, verdicts, shows, watch)?;
        let SharedPassages { origins, found, texts, text_bytes } = &shared;
        let place = folder.path();
        let mut written = write::places(origins, found, place)?;
        written += write::passage_texts(found, texts, place)?;
        if self.config.read.on_error == OnError::Skip {
            written += reports::rejected(&origins.rejections, output.spelled, place)?;
        }
        if !output.dry_run {
            written += self.write_documents(&shared, options.action, place, watch)?;
        }
        let summary = PassageSummary {
            nearprint: env!("CARGO_PKG_VERSION"),
            settings: options.clone(),
            inputs: origins.sources.iter().map(|source| source.label.clone()).collect(),
            counts: shared.counts()?,
            bytes: BTreeMap::from([
                ("input", origins.sources.iter().map(|source| source.bytes).sum()),
                ("text", *text_bytes),
                ("output", written),
            ]),
            resumed: checkpoints.resumed.clone(),
            seconds: watch.seconds(),
            peak_memory_bytes: peak_memory_bytes(),
            loss: origins.rejections.loss(),
        };
        reports::summary(&summary, place)?;
        if output.report.is_some() {
            let normalizer = self.normalizer_of_passages();
            let passages = shown.passages(origins, found, texts, verdicts, &normalizer)?;
            let page = PassagesPage {
                title: title(&output.folder),
                inputs,
                within: &self.config.decide.same,
                summary: &summary,
                texts: MOST_TEXTS,
                earlier: elsewhere(verdicts, &passages, found, &normalizer),
            };
            write_passages(&page, &passages, &place.join(REPORT))?;
        }
        stop_if_asked(watch)?;
        folder.commit()?;
        Ok(summary)
    }

    /// Writes the input files again as the action wants. Returns the number of bytes.
    fn write_documents(
        &self,
        shared: &SharedPassages,
        action: PassageAction,
        folder: &Path,
        watch: &dyn Watch,
    ) -> Result<u64, Error> {
        let SharedPassages { origins, found, text_bytes, .. } = shared;
        let read = &self.options;
        let treatment = match action {
            PassageAction::List => return Ok(0),
            PassageAction::Annotate => None,
            PassageAction::Mask => Some(Treatment::Mask),
            PassageAction::Cut => Some(Treatment::Cut),
        };
        let stage = &Progress::begin(watch, Stage::Write, origins.len(), *text_bytes);
        match treatment {
            Some(treatment) => {
                write::without_places(origins, found, treatment, read, folder, stage, watch)
            }
            None => write::with_places(origins, found, read, folder, stage, watch),
        }
    }

    /// Finds the passages that documents in memory or in files share, and writes nothing.
    ///
    /// ```
    /// use nearprint::passage::PassageOptions;
    /// use nearprint::{Config, Deduplicator, Documents, Silent};
    /// let texts = ["去程：", "返程："].map(|own| format!("{own}本文由本社记者在北京采写，版权所有，未经书面许可，任何单位和个人不得转载、摘编或者以其他方式使用上述作品，违者必究。"));
    /// let finder = Deduplicator::new(Config::default())?;
    /// let shared = finder.shared_passages(Documents::texts(texts), &PassageOptions::default(), &Silent)?;
    /// assert_eq!((shared.found.passages.len(), shared.found.places.len()), (1, 2));
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`passages`](Self::passages).
    pub fn shared_passages(
        &self,
        documents: super::Documents,
        options: &PassageOptions,
        watch: &dyn Watch,
    ) -> Result<SharedPassages, Error> {
        let (options, verdicts) = &options.verdicts()?;
        self.threads.install(|| {
            let sources = self.sources(documents, watch)?;
            let none = &mut Checkpoints::none();
            Ok(self.find_stages(none, sources, options, verdicts, false, watch)?.0)
        })
    }

    /// Finds passages. With `shows`, places are read that a page shows.
    fn find_stages(
        &self,
        checkpoints: &mut Checkpoints,
        sources: Vec<Source>,
        options: &PassageOptions,
        verdicts: &Verdicts,
        shows: bool,
        watch: &dyn Watch,
    ) -> Result<(SharedPassages, ShownPlaces), Error> {
        KnownPassages::check(&verdicts.right, "approved", &self.normalizer_of_passages())?;
        let is_approved = !verdicts.right.is_empty();
        if is_approved && !self.config.decide.same.is_empty() {
            let problem = "approved passages go wherever they stand; leave it out";
            return Err(Error::usage("within", problem));
        }
        let documents = checkpoints.stage(
            Stage::Read,
            |documents: &mut Documents, folder| {
                documents.origins.sources = sources.clone();
                documents.gathered.reopen(folder)
            },
            |folder| self.gather_letters(sources.clone(), options, is_approved, folder, watch),
        )?;
        let (origins, gathered) = (&documents.origins, &documents.gathered);
        if is_approved {
            // Only these are looked for.
            let normalizer = self.normalizer_of_passages();
            let letters =
                verdicts.right.iter().map(|text| size(&Letters::new(text, &normalizer).letters));
            let found = Found::approved(letters.map(|size| size.letters), &self.tmp_dir)?;
            let mut shown = ShownPlaces::default();
            let (found, texts) =
                self.edited_copies(&documents, found, options, verdicts, &mut shown, watch)?;
            let Documents { origins, text_bytes, .. } = documents;
            return Ok((SharedPassages { origins, found, texts, text_bytes }, shown));
        }
        let stretches = checkpoints.stage(
            Stage::Join,
            |stretches: &mut Stretches, folder| passage::reopen(stretches, folder),
            |folder| {
                let stage = Progress::begin(watch, Stage::Join, origins.len(), gathered.bytes());
                let (tmp, named) = (folder.unwrap_or(&self.tmp_dir), folder.is_some());
                let memory = self.memory.left() / 2;
                gathered.stretches(options.min_documents, memory, tmp, named, |share| {
                    stage.reach(share);
                    stop_if_asked(watch)
                })
            },
        )?;
        let found = self.places(&documents, &stretches, options, verdicts, watch)?;
        let mut shown = match shows {
            true => ShownPlaces::of(&found)?,
            false => ShownPlaces::default(),
        };
        let (found, texts) =
            self.edited_copies(&documents, found, options, verdicts, &mut shown, watch)?;
        let Documents { origins, text_bytes, .. } = documents;
        Ok((SharedPassages { origins, found, texts, text_bytes }, shown))
    }

    /// The normalizer of passages. It strips nothing, so that an address is a part of its sentence.
    fn normalizer_of_passages(&self) -> Normalizer {
        Normalizer::new(Normalize { addresses: false, ..self.config.fingerprint.normalize })
    }

    /// Reads the letters of all documents, and chooses their windows, unless only approved passages
    /// are looked for.
    fn gather_letters(
        &self,
        sources: Vec<Source>,
        options: &PassageOptions,
        is_approved: bool,
        folder: Option<&Path>,
        watch: &dyn Watch,
    ) -> Result<Documents, Error> {
        let normalizer = self.normalizer_of_passages();
        let tmp = folder.unwrap_or(&self.tmp_dir);
        let mut gathered = Gathered::new(options.min_length, tmp, folder.is_some())?;
        let (mut letters, mut fields, mut groups, mut text_bytes) = (vec![], vec![], vec![], 0);
        let has_groups = !self.config.decide.same.is_empty();
        let reading = self.reading(Vec::new(), sources, None);
        let origins = reading.each(Stage::Read, watch, |first, batch| {
            let prepare = |chooser: &mut Chooser, document: &Document| {
                let mut letters = String::new();
                let normalized = normalizer.normalize(&document.text);
                append_alphanumeric(&normalized, &mut letters);
                let group = if has_groups { group(&self.config, &document.fields) } else { 0 };
                let mut chosen = Vec::new();
                if !is_approved {
                    chooser.choose(letters.as_bytes(), group, &mut chosen);
                }
                (letters, group, chosen)
            };
            let prepared: Vec<_> =
                batch.par_iter().map_init(|| Chooser::new(options.min_length), prepare).collect();
            for ((own, group, chosen), number) in prepared.into_iter().zip(first..) {
                letters.push(size(&own).letters);
                if has_groups {
                    groups.push(group);
                }
                gathered.push(number, own.as_bytes(), &chosen)?;
            }
            if self.config.keep.policy.field().is_some() {
                fields.extend(
                    batch.iter().map(|document| document.fields.first().cloned().flatten()),
                );
            }
            text_bytes += batch.iter().map(|document| document.text.len() as u64).sum::<u64>();
            self.memory.check(letters.len())
        })?;
        gathered.finish()?;
        Ok(Documents { origins, gathered, letters, fields, groups, text_bytes })
    }

    /// Reads the texts of documents with stretches again, and finds the places of passages.
    fn places(
        &self,
        documents: &Documents,
        stretches: &Stretches,
        options: &PassageOptions,
        verdicts: &Verdicts,
        watch: &dyn Watch,
    ) -> Result<Found, Error> {
        let policy = match options.keep_copy {
            Some(KeepCopy::Best) => &self.config.keep.policy,
            _ => &Policy::First,
        };
        let ranks = ranks(policy, &documents.letters, &documents.fields);
        let normalizer = self.normalizer_of_passages();
        let refused = verdicts.refused(&normalizer);
        let may_go = |sentence: u64| !refused.contains(&sentence);
        let mut copies = Copies::new(&self.tmp_dir)?;
        let mut stretches = stretches.iter().peekable();
        self.each_again(documents, Stage::Verify, watch, |first, batch| {
            let mut shared: Vec<(u32, &Document, Vec<Stretch>)> = Vec::new();
            for (document, number) in batch.iter().zip(first..) {
                let mut own = Vec::new();
                let is_own = |stretch: &Result<Stretch, Error>| {
                    stretch.as_ref().map_or(true, |stretch| stretch.document == number)
                };
                while let Some(stretch) = stretches.next_if(is_own) {
                    own.push(stretch?);
                }
                if !own.is_empty() {
                    shared.push((number, document, own));
                }
            }
            let places = |(number, document, own): &(u32, &Document, Vec<Stretch>)| {
                let letters = Letters::new(&document.text, &normalizer);
                let parts = coverage(own);
                (*number, places(&document.text, &letters, &parts, options.min_length, &may_go))
            };
            let found: Vec<(u32, Vec<Place>)> = shared.par_iter().map(places).collect();
            found.into_iter().try_for_each(|(number, places)| {
                copies.push(number, ranks[number as usize], documents.group(number), &places)
            })
        })?;
        copies.finish(options.keep_copy != Some(KeepCopy::None), &documents.groups, &may_go)
    }

    /// The texts of passages, and all places with those of edited copies.
    fn edited_copies(
        &self,
        documents: &Documents,
        found: Found,
        options: &PassageOptions,
        verdicts: &Verdicts,
        shown: &mut ShownPlaces,
        watch: &dyn Watch,
    ) -> Result<(Found, Vec<PassageText>), Error> {
        let normalizer = self.normalizer_of_passages();
        let is_approved = !verdicts.right.is_empty();
        // A document that would lose too much stays as it is.
        let is_searched = found.may_lose_more(options.max_lost, &documents.letters)?;
        // Approved passages go wherever they stand.
        let groups = if is_approved { &[][..] } else { &documents.groups };
        let letters = match is_approved {
            true => verdicts.right.iter().map(|text| text.len() as u64).sum(),
            false => found.passages.iter().map(|passage| u64::from(passage.letters)).sum(),
        };
        let min_length = (!is_approved).then_some(options.min_length);
        let known = KnownPassages::new(options.max_edits, min_length, letters);
        let memory = self.memory.left() / 2;
        let gathered = &documents.gathered;
        let mut search = Search::new(known, gathered, groups, is_searched, memory, &self.tmp_dir)?;
        let refused = verdicts.refused(&normalizer);
        let all = found.passages.len().min(MOST_TEXTS);
        let mut texts = vec![PassageText::default(); all];
        if is_approved {
            texts = verdicts.right[..all]
                .iter()
                .map(|text| PassageText::of(text, LONGEST_TEXT))
                .collect();
            for (text, number) in verdicts.right.iter().zip(1..) {
                search.add((number, true), 0, text, &normalizer, watch)?;
            }
        } else {
            self.each_example(documents, &found, shown, watch, |passages, group, text| {
                if let &[number] = passages
                    && let Some(own) = texts.get_mut(number as usize - 1)
                {
                    *own = PassageText::of(text, LONGEST_TEXT);
                }
                let is_refused =
                    |number: &u32| refused.contains(&found.passages[*number as usize - 1].sentence);
                match options.max_edits > 0.0 && !passages.iter().any(is_refused) {
                    true => search.add(
                        (passages[0], passages.len() == 1),
                        group,
                        text,
                        &normalizer,
                        watch,
                    ),
                    false => Ok(()),
                }
            })?;
        }
        let mut rows = Sorter::new(&self.tmp_dir)?;
        if let (known, Some(candidates)) = search.finish(watch)? {
            let (searched, shown) = ((known, candidates), is_approved.then_some(shown));
            self.places_of(documents, &found, searched, options, shown, &mut rows, watch)?;
        }
        // A person has approved passages of any length.
        let least = if is_approved { 0 } else { options.min_length };
        let max_lost = options.max_lost;
        let found = found.complete(rows, least, max_lost, &documents.letters, &self.tmp_dir)?;
        Ok((found, texts))
    }

    /// The places of copies beside those that were found before. If the passages were approved,
    /// `shown` takes some of them.
    #[expect(clippy::too_many_arguments)]
    fn places_of(
        &self,
        documents: &Documents,
        found: &Found,
        (known, candidates): (KnownPassages, Sorted<CandidateRow>),
        options: &PassageOptions,
        mut shown: Option<&mut ShownPlaces>,
        out: &mut Sorter<PlaceRow>,
        watch: &dyn Watch,
    ) -> Result<(), Error> {
        let mut candidates = candidates.iter().peekable();
        let normalizer = self.normalizer_of_passages();
        let mut rows = found.places.iter().peekable();
        self.each_again(documents, Stage::Verify, watch, |first, batch| {
            let mut wanted = Vec::new();
            for (document, number) in batch.iter().zip(first..) {
                let mut of_document = Vec::new();
                let is_own = |row: &Result<CandidateRow, Error>| {
                    row.as_ref().map_or(true, |row| row.document == number)
                };
                while let Some(row) = candidates.next_if(is_own) {
                    of_document.push(row?.candidate);
                }
                // Exact copies were found before, unless a person approved the passages.
                if !known.is_approved() && of_document.iter().all(Candidate::is_exact)
                    || of_document.is_empty()
                {
                    continue;
                }
                let mut own = rows_of(&mut rows, number)?;
                own.retain(|row| row.stay != Stay::Inside);
                let bytes = |row: &PlaceRow| row.bytes[0] as usize..row.bytes[1] as usize;
                let taken: Vec<Range<usize>> = own.iter().map(bytes).collect();
                wanted.push((number, &document.text, taken, of_document));
            }
            let place = |buffer: &mut Vec<u8>, (number, text, taken, candidates): &Searched<'_>| {
                // Most candidates are no copies, which the letters alone show.
                let mut is_edited = known.is_approved();
                if !is_edited {
                    known.copies(
                        documents.gathered.letters(*number, buffer)?,
                        candidates,
                        |copy| {
                            is_edited |= copy.edits > 0;
                            true
                        },
                    );
                }
                if !is_edited {
                    return Ok(Vec::new());
                }
                let letters = Letters::new(text, &normalizer);
                let mut places =
                    CopyPlaces::new(text, &letters, taken, options.max_edits, known.is_approved());
                // Exact copies were found before, unless a person approved the passages.
                known.copies(&letters.letters, candidates, |copy| {
                    copy.edits == 0 && !known.is_approved() || places.add(copy)
                });
                let row = |(copy, place): (passage::Copy, Place)| PlaceRow {
                    edits: copy.edits,
                    passage: copy.passage,
                    copy: found.passages[copy.passage as usize - 1].copy().filter(|_| copy.is_one),
                    ..PlaceRow::of(*number, u32::MAX, &place)
                };
                Ok(places.finish().into_iter().map(row).collect())
            };
            let found: Vec<Vec<PlaceRow>> =
                wanted.par_iter().map_init(Vec::new, place).collect::<Result<_, Error>>()?;
            for ((_, text, ..), places) in wanted.iter().zip(found) {
                for place in places {
                    if let Some(shown) = &mut shown {
                        shown.offer(text, &place);
                    }
                    out.push(place)?;
                }
            }
            Ok(())
        })
    }

    /// Calls `take` with the number, the group and the text of each passage, then with the numbers,
    /// the least first, and the text of passages that touch in its document. Reads the shown places.
    fn each_example(
        &self,
        documents: &Documents,
        found: &Found,
        shown: &mut ShownPlaces,
        watch: &dyn Watch,
        mut take: impl FnMut(&[u32], u64, &str) -> Result<(), Error> + Send,
    ) -> Result<(), Error> {
        let mut wanted: BTreeMap<u32, Vec<PlaceRow>> = BTreeMap::new();
        for (passage, number) in found.passages.iter().zip(1..) {
            if let Some(example) = passage.example {
                let own = PlaceRow { passage: number, ..example };
                wanted.entry(example.document).or_default().push(own);
            }
        }
        let mut rows = found.places.iter().peekable();
        self.each_again(documents, Stage::Verify, watch, |first, batch| {
            shown.read(first, batch);
            for (number, examples) in wanted.range(first..first + batch.len() as u32) {
                let (text, group) =
                    (&batch[(number - first) as usize].text, documents.group(*number));
                let of = |[start, end]: [u32; 2]| &text[start as usize..end as usize];
                examples.iter().try_for_each(|own| take(&[own.passage], group, of(own.bytes)))?;
                let own = rows_of(&mut rows, *number)?;
                for together in touching(text, &own) {
                    let mut passages: Vec<u32> = together.iter().map(|row| row.passage).collect();
                    passages.sort_unstable();
                    let bytes = [together[0].bytes[0], together[together.len() - 1].bytes[1]];
                    take(&passages, group, of(bytes))?;
                }
            }
            Ok(())
        })
    }

    /// Reads the documents again. Warnings were told before.
    ///
    /// # Errors
    /// [`Error::Changed`] if a file has changed; the errors of `take`.
    fn each_again(
        &self,
        documents: &Documents,
        stage: Stage,
        watch: &dyn Watch,
        take: impl FnMut(u32, &[Document]) -> Result<(), Error> + Send,
    ) -> Result<(), Error> {
        let sources = documents.origins.sources.clone();
        let reading = self.reading(Vec::new(), sources, None);
        let again = reading.each(stage, &WithoutWarnings(watch), take)?;
        let changed = documents.origins.hashes.iter().zip(&again.hashes).position(|(a, b)| a != b);
        match changed {
            Some(number) => {
                Err(Error::Changed { path: documents.origins.sources[number].path.clone() })
            }
            None => Ok(()),
        }
    }
}

/// The places of a document, of places by document.
fn rows_of<I: Iterator<Item = Result<PlaceRow, Error>>>(
    rows: &mut Peekable<I>,
    document: u32,
) -> Result<Vec<PlaceRow>, Error> {
    let mut own = Vec::new();
    let is_reached =
        |row: &Result<PlaceRow, Error>| row.as_ref().map_or(true, |row| row.document <= document);
    while let Some(row) = rows.next_if(is_reached) {
        own.push(row?);
    }
    own.retain(|row| row.document == document);
    Ok(own)
}

/// A watch that tells no warning.
struct WithoutWarnings<'w>(&'w dyn Watch);

impl Watch for WithoutWarnings<'_> {
    fn begin(&self, stage: Stage, documents: Option<u64>, bytes: Option<u64>) {
        self.0.begin(stage, documents, bytes);
    }

    fn advance(&self, documents: u64, bytes: u64) {
        self.0.advance(documents, bytes);
    }

    fn stopped(&self) -> bool {
        self.0.stopped()
    }
}
