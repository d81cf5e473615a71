//! Settings -> the fields of documents that a run needs, and the options to read them.

use super::{Config, Features, Ids, OnError};
use crate::read;

impl Config {
    /// The field with the documents' own tokens, if there is one.
    pub fn tokens_field(&self) -> Option<&str> {
        match &self.fingerprint.features {
            Features::Letters => None,
            Features::Words(words) => words.tokens_field.as_deref(),
        }
    }

    /// The fields beside text and id that a run needs: that of `keep`, those of `same` and `differ`,
    /// each once, and at last that of `tokens-field`. A field of `keep` that is one of the others,
    /// too, comes twice, since its values are read in two ways.
    ///
    /// ```
    /// use nearprint::Config;
    /// let same = vec!["lang".into(), "day".into()];
    /// let config = Config::default().same(same).differ(vec!["lang".into()]);
    /// let config = config.keep("newest:day".parse()?);
    /// assert_eq!(config.kept_fields(), ["day", "lang", "day"]);
    /// # Ok::<(), String>(())
    /// ```
    pub fn kept_fields(&self) -> Vec<String> {
        let mut guards: Vec<String> = Vec::new();
        for (_, field) in self.guards() {
            if !guards.iter().any(|known| known == field) {
                guards.push(field.to_string());
            }
        }
        let keep = self.keep.policy.field().map(str::to_string);
        keep.into_iter().chain(guards).chain(self.tokens_field().map(str::to_string)).collect()
    }

    /// The place of a field of `same` or `differ` among the kept fields.
    pub(crate) fn guard_place(&self, field: &str) -> Option<usize> {
        let first = usize::from(self.keep.policy.field().is_some());
        let fields = self.kept_fields();
        fields[first..].iter().position(|own| own == field).map(|place| first + place)
    }

    /// The fields that decide which documents may be a pair, each with the setting that names it.
    pub fn guards(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let same = self.decide.same.iter().map(|field| ("same", field.as_str()));
        same.chain(self.decide.differ.iter().map(|field| ("differ", field.as_str())))
    }

    /// The columns that a run needs: those of the text, of the id, and the [kept
    /// ones](Config::kept_fields).
    pub fn columns(&self) -> Vec<String> {
        let id = self.id_name().map(str::to_string);
        self.read.text_fields.iter().cloned().chain(id).chain(self.kept_fields()).collect()
    }

    /// The field of the ids, if they come from one.
    pub fn id_name(&self) -> Option<&str> {
        match self.read.ids {
            Ids::Field => self.read.id_field.name(),
            Ids::FileRow => None,
        }
    }

    /// The options of reading by these settings.
    pub(crate) fn reading(&self) -> read::Options {
        read::Options {
            format: self.read.format,
            delimiter: self.read.delimiter,
            quote: self.read.quote,
            escape: self.read.escape,
            encoding: self.read.encoding,
            exclude: self.read.exclude.clone(),
            names_first: false,
            text_fields: self.read.text_fields.clone(),
            id_field: self.id_name().map(str::to_string),
            kept_fields: self.kept_fields(),
            numeric_fields: usize::from(self.keep.policy.field().is_some()),
            tokens_field: self.tokens_field().map(str::to_string),
            whole_rows: self.read.on_error == OnError::Skip,
            max_document_bytes: self.read.max_document_bytes,
        }
    }

    /// The settings for reading reference documents: their text is in `against_text_fields`, and
    /// their id in `against_id_field`, if these are set.
    pub fn of_against(&self) -> Config {
        let mut config = self.clone();
        if !self.read.against_text_fields.is_empty() {
            config.read.text_fields.clone_from(&self.read.against_text_fields);
        }
        if let Some(field) = &self.read.against_id_field {
            config.read.id_field.clone_from(field);
        }
        config
    }
}
