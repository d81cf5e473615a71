//! Rows of clusters in their three shapes -> the cluster of each document.

use std::borrow::Cow;

use super::super::names::Names;
use super::{AnswerReader, json};
use crate::cluster::{self, Method};
use crate::error::{Error, Problem};
use crate::read::json::Value;
use crate::read::table::Table;
use crate::read::values::{distance, id, number, wrong};
use crate::read::{Format, Source};

/// For each document the row that put it into a cluster; 0 for none.
#[derive(Default)]
struct Seen(Vec<u64>);

impl AnswerReader<'_> {
    pub(super) fn members(&mut self, source: &Source) -> Result<(), Error> {
        self.answer.clusters = true;
        let mut seen = Seen::default();
        let mut table = Table::open_lists(source, &["members".to_string()])?;
        let mut cluster = 0;
        loop {
            let names = &mut *self.names;
            let row = table.next(|row, values| {
                let Some(Value::Array(members)) = &values[0] else {
                    return Err(wrong("members", "a list of ids", values[0].as_ref()));
                };
                let mut numbers = Vec::with_capacity(members.len());
                for member in members {
                    let (id, integer) = id(Some(member), "members")?;
                    numbers.push(names.number(&id, integer));
                }
                place(&mut seen, names, &numbers, row, source).map(|()| numbers)
            });
            let Some(row) = row else { break };
            let Some(numbers) = self.take(row)? else { continue };
            numbers.into_iter().for_each(|number| self.put(number, Some(cluster)));
            cluster += 1;
        }
        Ok(())
    }

    pub(super) fn keepers(&mut self, source: &Source, id_name: &str) -> Result<(), Error> {
        self.answer.clusters = true;
        let mut seen = Seen::default();
        let mut wanted = vec![id_name.to_string(), "keeper".to_string()];
        let known = |name: &str| self.has(name) || source.format == Format::JsonLines;
        let evidence = self.evidence && known("distance") && known("similarity");
        if evidence {
            wanted.extend(["distance".to_string(), "similarity".to_string()]);
        }
        let mut table = Table::open(source, &wanted)?;
        let mut links = Vec::new();
        loop {
            let names = &mut *self.names;
            let row = table.next(|row, values| {
                let ids = [id(values[0].as_ref(), id_name)?, id(values[1].as_ref(), "keeper")?];
                let [removed, keeper] = ids.map(|(id, integer)| names.number(&id, integer));
                place(&mut seen, names, &[removed], row, source)?;
                let value = |place: usize| values.get(place).and_then(Option::as_ref);
                Ok((removed, keeper, value(2).and_then(distance), value(3).and_then(number)))
            });
            let Some(row) = row else { break };
            let Some((removed, keeper, distance, similarity)) = self.take(row)? else { continue };
            links.push((removed, keeper));
            if evidence {
                let pair = (removed.min(keeper), removed.max(keeper));
                self.answer.evidence.push((pair, (distance, similarity)));
            }
        }
        let ranks: Vec<u32> = (0..self.names.len() as u32).collect();
        let keepers = cluster::keepers(Method::Components, &ranks, &links);
        self.answer.labels = keepers.into_iter().map(Some).collect();
        Ok(())
    }

    pub(super) fn labels(
        &mut self,
        source: &Source,
        id_name: &str,
        cluster_name: &str,
    ) -> Result<(), Error> {
        self.answer.clusters = true;
        let mut seen = Seen::default();
        let mut table = Table::open(source, &[id_name.to_string(), cluster_name.to_string()])?;
        let mut clusters = Names::default();
        loop {
            let names = &mut *self.names;
            let row = table.next(|row, values| {
                let (id, integer) = id(values[0].as_ref(), id_name)?;
                let cluster: Option<Cow<'_, str>> = match values[1].as_ref() {
                    None | Some(Value::Null) => None,
                    Some(Value::Text(text)) => (!text.is_empty()).then(|| Cow::Borrowed(&**text)),
                    Some(Value::Integer(number)) => Some(number.to_string().into()),
                    Some(Value::Unsigned(number)) => Some(number.to_string().into()),
                    Some(Value::Fraction(number)) => Some(number.to_string().into()),
                    other => return Err(wrong(cluster_name, "a string or a number", other)),
                };
                let document = names.number(&id, integer);
                place(&mut seen, names, &[document], row, source)?;
                Ok((document, cluster.map(|cluster| clusters.number(&cluster, false))))
            });
            let Some(row) = row else { break };
            let Some((document, cluster)) = self.take(row)? else { continue };
            self.put(document, cluster);
        }
        Ok(())
    }

    fn put(&mut self, document: u32, cluster: Option<u32>) {
        let length = self.answer.labels.len().max(document as usize + 1);
        self.answer.labels.resize(length, None);
        self.answer.labels[document as usize] = cluster;
    }
}

/// Refuses documents that an earlier row, or this row, has put into a cluster; remembers the
/// others.
fn place(
    seen: &mut Seen,
    names: &Names,
    documents: &[u32],
    row: u64,
    source: &Source,
) -> Result<(), Problem> {
    seen.0.resize(seen.0.len().max(names.len()), 0);
    for (at, document) in documents.iter().enumerate() {
        let before = seen.0[*document as usize];
        if before != 0 {
            // The whole row is left out.
            documents[..at].iter().for_each(|document| seen.0[*document as usize] = 0);
            return Err(Problem::DuplicateId {
                id: json(names, *document),
                first: format!("{}, row {before}", source.label),
                setting: None,
            });
        }
        seen.0[*document as usize] = row;
    }
    Ok(())
}
