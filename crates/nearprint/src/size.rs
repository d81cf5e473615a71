//! A number of bytes, as people write it.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A number of bytes. Written as a number with or without a unit: `K`, `M`, `G` or `T`, which are
/// the powers of 1,024.
///
/// ```
/// use nearprint::config::Size;
/// assert_eq!("4G".parse(), Ok(Size(4 << 30)));
/// assert_eq!(("1.5 GiB".parse(), "800000".parse()), (Ok(Size(3 << 29)), Ok(Size(800_000))));
/// assert_eq!(Size(3 << 29).to_string(), "1536M");
/// assert!("4 pounds".parse::<Size>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(pub u64);

const UNITS: [&str; 5] = ["", "K", "M", "G", "T"];

impl std::str::FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        let wrong = || {
            format!(
                "\"{text}\" is not a size; write a number of bytes, or one with K, M, G or T, such \
                 as 4G"
            )
        };
        let (number, unit) =
            text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()));
        let unit = unit.to_ascii_uppercase();
        let unit = unit.strip_suffix("IB").or(unit.strip_suffix('B')).unwrap_or(&unit);
        let power = UNITS.iter().position(|known| *known == unit).ok_or_else(wrong)?;
        let number: f64 = number.trim().parse().map_err(|_| wrong())?;
        let bytes = number * 1024f64.powi(power as i32);
        // 2^63 and more, infinity and NaN would not be the written value.
        if (0.0..9.2e18).contains(&bytes) { Ok(Size(bytes as u64)) } else { Err(wrong()) }
    }
}

impl Size {
    /// The power of 1,024 of its unit: the largest of which it is a multiple.
    fn power(self) -> u32 {
        if self.0 == 0 { 0 } else { (self.0.trailing_zeros() / 10).min(UNITS.len() as u32 - 1) }
    }

    /// The size in the unit of another size, in tenths, rounded up.
    pub(crate) fn in_unit_of(self, other: Size) -> String {
        let power = other.power();
        let tenths = (u128::from(self.0) * 10).div_ceil(1 << (10 * power));
        let (whole, tenth, unit) = (tenths / 10, tenths % 10, UNITS[power as usize]);
        if tenth == 0 { format!("{whole}{unit}") } else { format!("{whole}.{tenth}{unit}") }
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let power = self.power();
        write!(f, "{}{}", self.0 >> (10 * power), UNITS[power as usize])
    }
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Size, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Number(u64),
            Text(String),
        }
        match Either::deserialize(input) {
            Ok(Either::Number(bytes)) => Ok(Size(bytes)),
            Ok(Either::Text(text)) => text.parse().map_err(de::Error::custom),
            Err(_) => Err(de::Error::custom("expected a size, such as 4G")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_in_the_unit_of_another_is_never_less_than_it_is() {
        let beside = |bytes, other: &str| Size(bytes).in_unit_of(other.parse().unwrap());
        assert_eq!(
            (beside(128 << 20, "128M"), beside((128 << 20) + 1, "128M")),
            ("128M".into(), "128.1M".into())
        );
        assert_eq!(
            (beside(9 << 29, "4G"), beside(1000, "999"), beside(0, "0")),
            ("4.5G".into(), "1000".into(), "0".into())
        );
        assert_eq!(beside(u64::MAX, "1T"), "16777216T");
    }
}
