//! The marks of a person on pairs of a run -> the proposal of a least similarity.

use std::collections::BTreeSet;
use std::path::Path;

use super::advice::{advice, guard};
use super::answers::{self, AnswerFile, Columns};
use super::evaluator::REPORTS;
use super::names::{DOCUMENTS, FOUND, Names, TRUTH};
use super::proposal::{Mark, Proposal};
use super::question::{Evaluator, Question};
use super::run::{fields_of, read_among};
use super::{Pair, run_pairs};
use crate::config::OnError;
use crate::error::Error;
use crate::read::{self, Input};
use crate::watch::Watch;
use crate::write::reports::JUST_MISSED;

impl Evaluator<'_> {
    /// The least similarity that the marks of the truth propose, if it has marks. `is_known` is
    /// true for documents of the run ([`known`](Self::known)).
    pub(super) fn proposal(
        &self,
        question: &Question,
        names: &Names,
        truth: &AnswerFile,
        is_known: impl Fn(u32) -> bool,
        watch: &dyn Watch,
    ) -> Result<Option<Proposal>, Error> {
        let Some(similarities) = &truth.marked else { return Ok(None) };
        let (mut marks, mut without, mut unknown) = (Vec::new(), 0, Vec::new());
        let mut pairs = Vec::new();
        let mut judged = BTreeSet::new();
        let right = truth.duplicates.iter().map(|pair| (*pair, true));
        let mut all: Vec<(Pair, bool)> =
            right.chain(truth.different.iter().map(|pair| (*pair, false))).collect();
        all.sort_unstable();
        for (pair, right) in all {
            if [pair.0, pair.1].into_iter().any(|document| !is_known(document)) {
                unknown.push([pair.0, pair.1].map(|document| names.id(document)));
                continue;
            }
            match similarities.get(&pair) {
                Some(similarity) => {
                    marks.push(Mark { similarity: *similarity, right });
                    judged.insert(pair);
                    let ids = [pair.0, pair.1].map(|document| names.text(document).to_string());
                    pairs.push((ids, right));
                }
                None => without += 1,
            }
        }
        let few = match &question.found {
            Input::Named(name) if Path::new(name).is_dir() => {
                let is_marked = |pair| judged.contains(&pair);
                run_pairs::run_pairs(Path::new(name), names, is_marked, self.spool, watch)?
            }
            _ => None,
        };
        let Some(run) = &question.run else {
            return Ok(Some(Proposal::new(&marks, None, few, without, unknown)));
        };
        let today = run.config.decide.min_similarity;
        let proposal = Proposal::new(&marks, Some(today), few, without, unknown);
        if proposal.min_similarity.is_some() {
            return Ok(Some(proposal));
        }
        let is_wrong = |mark: &Mark| !mark.right && mark.similarity >= today;
        let guard = match marks.iter().any(is_wrong) {
            true => {
                let ids = pairs.iter().flat_map(|(ids, _)| ids.clone()).collect();
                guard(&pairs, &fields_of(run, &ids, watch)?)
            }
            false => None,
        };
        Ok(Some(Proposal { advice: advice(&marks, today, guard.as_ref()), ..proposal }))
    }

    /// Returns a function that is true for documents of the run: the documents that the user names,
    /// else those in the reports of its output folder, and marked ones in its inputs. For pairs
    /// found elsewhere it is true for all.
    pub(super) fn known<'n>(
        &self,
        question: &Question,
        names: &'n Names,
        watch: &dyn Watch,
    ) -> Result<Box<dyn Fn(u32) -> bool + 'n>, Error> {
        if !question.documents.is_empty() {
            return Ok(Box::new(|document| names.is_met(document, DOCUMENTS)));
        }
        let folder = match &question.found {
            Input::Named(name) if Path::new(name).is_dir() => Path::new(name),
            _ => return Ok(Box::new(|_| true)),
        };
        let mut in_reports = Names::default();
        in_reports.begin(FOUND);
        for name in REPORTS.into_iter().chain([JUST_MISSED]) {
            let path = folder.join(name);
            if path.is_file() {
                let file = path.display().to_string();
                let format = self.config.read.format;
                let source = read::find_table(&file, format, None, self.spool, watch)?;
                answers::read(&source, &Columns::default(), &mut in_reports, OnError::Skip, false)?;
            }
        }
        // Reports name no document that is kept and single, so the inputs are read for the others.
        let is_reported = move |document| in_reports.find(names.text(document)).is_some();
        let others = (0..names.len() as u32)
            .filter(|document| names.is_met(*document, TRUTH) && !is_reported(*document));
        let others: BTreeSet<String> =
            others.map(|document| names.text(document).to_string()).collect();
        let read = match &question.run {
            Some(run) if !others.is_empty() => read_among(run, &others, watch)?,
            _ => BTreeSet::new(),
        };
        Ok(Box::new(move |document| is_reported(document) || read.contains(names.text(document))))
    }
}
