//! The place of a feature in its document -> the number that enters its hash.

/// The number for a feature's place in the document, which is XORed into the low bits of its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Position {
    /// No number.
    #[default]
    Off,
    /// The rank of the feature by first occurrence, from 1 (E-SimHash; Zhang Hang et al. 2020,
    /// section 3.2 and figure 3, a reading).
    Rank,
    /// The number, from 1, of the part in which the feature first occurs, of this many equal parts
    /// of the document: moving a paragraph changes it, inserting a word hardly does.
    Bucket(u32),
}

impl Position {
    /// The number to XOR for a feature that is the `rank`-th distinct one (from 0) and first occurs
    /// as the `first`-th (from 0) of `total` features.
    #[inline]
    pub fn number(self, rank: usize, first: u32, total: u32) -> u64 {
        match self {
            Position::Off => 0,
            Position::Rank => rank as u64 + 1,
            Position::Bucket(parts) => u64::from(first) * u64::from(parts) / u64::from(total) + 1,
        }
    }
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Position::Off => f.write_str("off"),
            Position::Rank => f.write_str("rank"),
            Position::Bucket(parts) => write!(f, "bucket:{parts}"),
        }
    }
}

impl std::str::FromStr for Position {
    type Err = String;

    fn from_str(text: &str) -> Result<Position, String> {
        let parts = text
            .strip_prefix("bucket:")
            .and_then(|parts| parts.parse().ok())
            .filter(|parts| *parts > 0);
        match (text, parts) {
            ("off", _) => Ok(Position::Off),
            ("rank", _) => Ok(Position::Rank),
            (_, Some(parts)) => Ok(Position::Bucket(parts)),
            _ => Err(format!(
                "\"{text}\" is not a position; write off, rank or bucket:N with N of 1 or more"
            )),
        }
    }
}

impl From<Position> for String {
    fn from(position: Position) -> String {
        position.to_string()
    }
}

impl TryFrom<String> for Position {
    type Error = String;

    fn try_from(text: String) -> Result<Position, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_number_ranks_and_parts_from_one() {
        assert_eq!(Position::Off.number(4, 9, 10), 0);
        assert_eq!(Position::Rank.number(4, 9, 10), 5);
        assert_eq!(Position::Bucket(2).number(4, 4, 10), 1);
        assert_eq!(Position::Bucket(2).number(4, 5, 10), 2);
        assert_eq!("bucket:8".parse(), Ok(Position::Bucket(8)));
        assert!("bucket:0".parse::<Position>().is_err());
    }
}
