//! A list of steps <-> the steps that a normalizer takes.

use super::addresses;

/// The steps to take.
///
/// Its text form is a list of steps, or `none`:
/// ```
/// use nearprint_core::normalize::Options;
/// let options: Options = "nfkc,case".parse()?;
/// assert!(options.nfkc && options.case && !options.simplified);
/// assert_eq!(options.to_string(), "nfkc,case");
/// assert_eq!(Options::default().to_string(), "addresses,nfkc,simplified,case,space");
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Options {
    /// `addresses`: a blank in place of addresses, tags, codes, relative times and counters.
    pub addresses: bool,
    /// `nfkc`: compatibility normalization, full-width to half-width included.
    pub nfkc: bool,
    /// `simplified`: Traditional Chinese characters to Simplified ones.
    pub simplified: bool,
    /// `case`: to lower case.
    pub case: bool,
    /// `digits`: every ASCII digit to `0`, so that numbers of one length are equal.
    pub digits: bool,
    /// `space`: runs of white space to one blank, none at the ends.
    pub space: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            addresses: true,
            nfkc: true,
            simplified: true,
            case: true,
            digits: false,
            space: true,
        }
    }
}

impl Options {
    /// No step at all.
    pub const NONE: Options = Options {
        addresses: false,
        nfkc: false,
        simplified: false,
        case: false,
        digits: false,
        space: false,
    };

    /// The list of steps, with their versions if they have one, for the identity of a recipe.
    pub fn identity(self) -> String {
        self.list(addresses::NAME)
    }

    /// The steps by name, in their order.
    fn steps(&mut self) -> [(&'static str, &mut bool); 6] {
        let Options { addresses, nfkc, simplified, case, digits, space } = self;
        [
            ("addresses", addresses),
            ("nfkc", nfkc),
            ("simplified", simplified),
            ("case", case),
            ("digits", digits),
            ("space", space),
        ]
    }

    fn list(mut self, addresses: &'static str) -> String {
        let mut steps = self.steps();
        steps[0].0 = addresses;
        let taken: Vec<&str> = steps.iter().filter(|(_, on)| **on).map(|(name, _)| *name).collect();
        if taken.is_empty() { "none".to_string() } else { taken.join(",") }
    }
}

impl std::str::FromStr for Options {
    type Err = String;

    fn from_str(list: &str) -> Result<Options, String> {
        let mut options = Options::NONE;
        if list.trim() == "none" {
            return Ok(options);
        }
        for step in list.split(',').map(str::trim) {
            let Some((_, on)) = options.steps().into_iter().find(|(name, _)| *name == step) else {
                return Err(format!(
                    "\"{step}\" is not a normalization step; write none or a list of addresses, nfkc, simplified, case, digits, space"
                ));
            };
            *on = true;
        }
        Ok(options)
    }
}

impl std::fmt::Display for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.list("addresses"))
    }
}

impl From<Options> for String {
    fn from(options: Options) -> String {
        options.to_string()
    }
}

impl TryFrom<String> for Options {
    type Error = String;

    fn try_from(list: String) -> Result<Options, String> {
        list.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_step_is_named() {
        let error = "nfkc,upper".parse::<Options>().unwrap_err();
        assert!(error.contains("upper") && error.contains("simplified"), "{error}");
    }
}
