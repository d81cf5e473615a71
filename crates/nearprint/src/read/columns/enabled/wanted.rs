//! The columns of a table -> those that are wanted, with types that can be read.

use arrow_schema::Schema;

use super::documents::holds_texts;
use super::ids::holds_ids;
use super::inside::{Leaf, names_of};
use crate::error::Problem;
use crate::field::{alternatives, behind};
use crate::read::delimited::check_not_repeated;
use crate::read::{Options, no_tokens};

/// The wanted columns of a schema. Each field has the columns of its alternatives that are there.
#[derive(Debug, Default)]
pub(crate) struct WantedColumns {
    pub text: Vec<Vec<Leaf>>,
    pub id: Vec<Leaf>,
    pub kept: Vec<Vec<Leaf>>,
}

impl WantedColumns {
    /// Finds the wanted columns and checks their types.
    pub fn of(schema: &Schema, options: &Options) -> Result<WantedColumns, Problem> {
        let leaves = |name: &String| -> Vec<Leaf> {
            alternatives(name).into_iter().filter_map(|path| Leaf::of(schema, &path)).collect()
        };
        let wanted = WantedColumns {
            text: options.text_fields.iter().map(|name| texts(leaves(name))).collect(),
            id: options.id_field.iter().flat_map(leaves).collect(),
            kept: options.kept_fields.iter().map(leaves).collect(),
        };
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let roots: Vec<String> = wanted.leaves().map(|leaf| leaf.root_name.clone()).collect();
        check_not_repeated(&names, &roots)?;
        if let (Some(field), true) =
            (&options.tokens_field, wanted.kept.last().is_some_and(Vec::is_empty))
        {
            return Err(no_tokens(field, "absent"));
        }
        if wanted.text.iter().all(Vec::is_empty) {
            return Err(Problem::MissingColumn {
                column: options.text_fields[0].clone(),
                setting: "text-field".into(),
                available: names_of(schema).into(),
                hint: None,
            });
        }
        if let Some(leaf) = wanted.text.iter().flatten().find(|leaf| !holds_texts(&leaf.data_type))
        {
            return Err(no_text(schema, leaf));
        }
        for leaf in &wanted.id {
            if leaf.has_lists() || !holds_ids(&leaf.data_type) {
                return Err(Problem::WrongType {
                    field: leaf.path.clone(),
                    wanted: "a column of strings, numbers, booleans, dates or UUIDs".into(),
                    found: found(leaf),
                });
            }
        }
        Ok(wanted)
    }

    fn leaves(&self) -> impl Iterator<Item = &Leaf> {
        self.text.iter().flatten().chain(&self.id).chain(self.kept.iter().flatten())
    }

    /// The places of the outermost columns, each once.
    pub fn roots(&self) -> Vec<usize> {
        let mut roots: Vec<usize> = self.leaves().map(|leaf| leaf.root).collect();
        roots.sort_unstable();
        roots.dedup();
        roots
    }

    /// The places of the columns whose own values are wanted, not those inside.
    pub fn whole(&self) -> Vec<usize> {
        self.leaves().filter(|leaf| !leaf.is_inside()).map(|leaf| leaf.root).collect()
    }
}

/// The columns of a text field without those that are no texts and lie around another one that is.
fn texts(mut leaves: Vec<Leaf>) -> Vec<Leaf> {
    let holds_text = |leaf: &Leaf| holds_texts(&leaf.data_type);
    let inner: Vec<String> =
        leaves.iter().filter(|leaf| holds_text(leaf)).map(|leaf| leaf.path.clone()).collect();
    let is_around = |leaf: &Leaf| inner.iter().any(|path| behind(path, &leaf.path).is_some());
    leaves.retain(|leaf| holds_text(leaf) || !is_around(leaf));
    leaves
}

/// The type of a column, in words.
fn found(leaf: &Leaf) -> String {
    let of = if leaf.has_lists() { "lists of type" } else { "a column of type" };
    format!("{of} {}", leaf.data_type)
}

/// The problem of a text field whose column holds no texts.
fn no_text(schema: &Schema, leaf: &Leaf) -> Problem {
    let is_text = |name: &String| {
        behind(name, &leaf.path).is_some()
            && Leaf::of(schema, name).is_some_and(|part| holds_texts(&part.data_type))
    };
    let parts: Box<[String]> = names_of(schema).into_iter().filter(is_text).collect();
    match parts.is_empty() {
        true => Problem::WrongType {
            field: leaf.path.clone(),
            wanted: "a column of strings".into(),
            found: found(leaf),
        },
        false => {
            Problem::HasParts { field: leaf.path.clone(), setting: "text-field".into(), parts }
        }
    }
}
