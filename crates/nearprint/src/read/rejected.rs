//! A fault of a source -> its rejection, with what the source shows beyond the row.

use std::cell::OnceCell;

use super::encoding::{UTF_8, name};
use super::{Fault, Format, Source, detect};
use crate::error::{Problem, Rejection};

/// Turns the faults of one source into rejections.
pub(super) struct Faults {
    source: Source,
    /// The encoding that the file is likely in instead of UTF-8.
    likely: OnceCell<Option<&'static str>>,
}

impl Faults {
    pub fn of(source: &Source) -> Faults {
        Faults { source: source.clone(), likely: OnceCell::new() }
    }

    /// The rejection of a fault.
    pub fn rejection(&self, Fault { row, problem }: Fault) -> Rejection {
        let is_text = self.source.memory.is_none() && self.source.format != Format::Parquet;
        let problem = match problem {
            Problem::NotUtf8 { .. } if self.source.encoding != UTF_8 => {
                Problem::NotEncoded { encoding: name(self.source.encoding).into() }
            }
            Problem::NotUtf8 { .. } | Problem::NulByte { .. }
                if is_text && self.source.encoding == UTF_8 =>
            {
                match self.likely.get_or_init(|| detect::likely(&self.source)) {
                    Some(likely) => Problem::OtherEncoding { likely: (*likely).into() },
                    None => problem,
                }
            }
            problem => problem,
        };
        Rejection { file: self.source.label.clone(), row, problem }
    }
}
