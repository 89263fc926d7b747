//! Durations and sizes as people write them: `90s`, `256M`.
//!
//! Used by the configuration files and by the command line alike. A number without a unit is
//! refused rather than guessed: JSON counts milliseconds, `timeout(1)` counts seconds, and a
//! limit that is wrong by a thousand is no limit.

use std::fmt;
use std::time::Duration;

use super::place::shown;

/// The longest duration accepted, 365 days. It keeps every later sum far from overflow.
pub const MAX_DURATION: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The largest size accepted: what a file offset can hold.
pub const MAX_SIZE: u64 = i64::MAX.cast_unsigned();

/// Units of time with their milliseconds, largest first.
const TIMES: &[(&str, u64)] = &[
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1000),
    ("ms", 1),
];

/// Units of size with their bytes, largest first.
const SIZES: &[(&str, u64)] = &[
    ("T", 1 << 40),
    ("G", 1 << 30),
    ("M", 1 << 20),
    ("K", 1 << 10),
    ("B", 1),
];

/// Reads a duration: a whole number followed by `ms`, `s`, `m`, `h` or `d`.
pub fn parse_duration(text: &str) -> Result<Duration, UnitError> {
    let fail = |problem| UnitError::new(Quantity::Duration, text, problem);
    let duration = Duration::from_millis(parse(text, TIMES).map_err(fail)?);
    if duration > MAX_DURATION {
        return Err(fail(UnitProblem::TooLarge));
    }
    Ok(duration)
}

/// Reads a size in bytes: a whole number followed by `B`, `K`, `M`, `G` or `T` (powers of 1024).
pub fn parse_size(text: &str) -> Result<u64, UnitError> {
    let fail = |problem| UnitError::new(Quantity::Size, text, problem);
    let size = parse(text, SIZES).map_err(fail)?;
    if size > MAX_SIZE {
        return Err(fail(UnitProblem::TooLarge));
    }
    Ok(size)
}

/// Writes a duration with the largest unit that loses nothing; what is below a millisecond is cut.
pub fn format_duration(duration: Duration) -> String {
    format(duration.as_millis(), TIMES).unwrap_or_else(|| "0s".to_owned())
}

/// Writes a size with the largest unit that loses nothing.
pub fn format_size(bytes: u64) -> String {
    format(u128::from(bytes), SIZES).unwrap_or_else(|| "0B".to_owned())
}

/// What a text with a unit was meant to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Quantity {
    /// A span of time, such as `90s`.
    Duration,
    /// A number of bytes, such as `256M`.
    Size,
}

/// Why a text is not a duration or a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnitProblem {
    /// There is no text.
    Empty,
    /// The text does not start with a digit.
    NotANumber,
    /// The number has a fraction.
    NotWhole,
    /// The number is below zero.
    Negative,
    /// The number is zero.
    Zero,
    /// Nothing follows the number.
    MissingUnit,
    /// What follows the number is no unit.
    UnknownUnit,
    /// The value is above [`MAX_DURATION`] or [`MAX_SIZE`].
    TooLarge,
}

/// A text that is not a duration or a size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{quantity} `{text}` {}", .quantity.explain(*.problem))]
#[non_exhaustive]
pub struct UnitError {
    /// What was expected.
    pub quantity: Quantity,
    /// What was given, with unprintable characters escaped.
    pub text: String,
    /// What is wrong with it.
    pub problem: UnitProblem,
}

impl UnitError {
    fn new(quantity: Quantity, text: &str, problem: UnitProblem) -> Self {
        Self {
            quantity,
            text: shown(text),
            problem,
        }
    }
}

impl Quantity {
    fn explain(self, problem: UnitProblem) -> &'static str {
        match (problem, self) {
            (UnitProblem::Empty, Self::Duration) => "is empty: write for example `90s`",
            (UnitProblem::Empty, Self::Size) => "is empty: write for example `256M`",
            (UnitProblem::NotANumber, _) => "does not start with a number",
            (UnitProblem::NotWhole, Self::Duration) => {
                "is not a whole number: use a smaller unit, such as `90m` for one and a half hours"
            }
            (UnitProblem::NotWhole, Self::Size) => {
                "is not a whole number: use a smaller unit, such as `1536M` for one and a half `G`"
            }
            (UnitProblem::Negative, _) => "is negative",
            (UnitProblem::Zero, _) => "is zero: it must be more",
            (UnitProblem::MissingUnit, Self::Duration) => {
                "has no unit: add `ms`, `s`, `m`, `h` or `d`, as in `90s`"
            }
            (UnitProblem::MissingUnit, Self::Size) => {
                "has no unit: add `B`, `K`, `M`, `G` or `T`, as in `256M`"
            }
            (UnitProblem::UnknownUnit, Self::Duration) => {
                "has an unknown unit: use `ms`, `s`, `m`, `h` or `d`"
            }
            (UnitProblem::UnknownUnit, Self::Size) => {
                "has an unknown unit: use `B`, `K`, `M`, `G` or `T`"
            }
            (UnitProblem::TooLarge, Self::Duration) => "is too long: at most `365d`",
            (UnitProblem::TooLarge, Self::Size) => "is too large: at most `8388607T`",
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Duration => "duration",
            Self::Size => "size",
        })
    }
}

fn parse(text: &str, units: &[(&str, u64)]) -> Result<u64, UnitProblem> {
    if text.is_empty() {
        return Err(UnitProblem::Empty);
    }
    if text.starts_with('-') {
        return Err(UnitProblem::Negative);
    }
    let unit = text.trim_start_matches(|character: char| character.is_ascii_digit());
    let digits = text.strip_suffix(unit).unwrap_or_default();
    if digits.is_empty() {
        return Err(UnitProblem::NotANumber);
    }
    if unit.is_empty() {
        return Err(UnitProblem::MissingUnit);
    }
    if unit.starts_with(['.', ',']) {
        return Err(UnitProblem::NotWhole);
    }
    let factor = units
        .iter()
        .find_map(|(name, factor)| (*name == unit).then_some(*factor))
        .ok_or(UnitProblem::UnknownUnit)?;
    // Only digits are left, so the one way this fails is a number that does not fit.
    let number: u64 = digits.parse().map_err(|_| UnitProblem::TooLarge)?;
    if number == 0 {
        return Err(UnitProblem::Zero);
    }
    number.checked_mul(factor).ok_or(UnitProblem::TooLarge)
}

fn format(amount: u128, units: &[(&str, u64)]) -> Option<String> {
    units.iter().find_map(|(name, factor)| {
        let factor = u128::from(*factor);
        let fits = amount > 0 && amount.is_multiple_of(factor);
        fits.then(|| format!("{}{name}", amount / factor))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        use UnitProblem as P;
        let year = 365 * 24 * 3_600_000;
        let cases: &[(&str, Result<u64, UnitProblem>)] = &[
            ("500ms", Ok(500)),
            ("90s", Ok(90_000)),
            ("2m", Ok(120_000)),
            ("1h", Ok(3_600_000)),
            ("007s", Ok(7000)),
            ("8760h", Ok(year)),
            ("30d", Ok(30 * 86_400_000)),
            ("365d", Ok(year)),
            ("366d", Err(P::TooLarge)),
            ("8761h", Err(P::TooLarge)),
            ("", Err(P::Empty)),
            ("s", Err(P::NotANumber)),
            (" 1s", Err(P::NotANumber)),
            ("+1s", Err(P::NotANumber)),
            ("٣s", Err(P::NotANumber)),
            ("never", Err(P::NotANumber)),
            ("1.5h", Err(P::NotWhole)),
            ("1,5h", Err(P::NotWhole)),
            ("-5s", Err(P::Negative)),
            ("-", Err(P::Negative)),
            ("0s", Err(P::Zero)),
            ("000ms", Err(P::Zero)),
            ("90", Err(P::MissingUnit)),
            ("0", Err(P::MissingUnit)),
            ("90 s", Err(P::UnknownUnit)),
            ("90s ", Err(P::UnknownUnit)),
            ("90S", Err(P::UnknownUnit)),
            ("90sec", Err(P::UnknownUnit)),
            ("1m30s", Err(P::UnknownUnit)),
            ("1é", Err(P::UnknownUnit)),
            ("18446744073709551615h", Err(P::TooLarge)),
            ("18446744073709551616ms", Err(P::TooLarge)),
            ("99999999999999999999999999999s", Err(P::TooLarge)),
        ];
        for (text, expected) in cases {
            let found = parse_duration(text).map_err(|error| error.problem);
            assert_eq!(found, expected.map(Duration::from_millis), "{text:?}");
        }
    }

    #[test]
    fn sizes() {
        use UnitProblem as P;
        let cases: &[(&str, Result<u64, UnitProblem>)] = &[
            ("1B", Ok(1)),
            ("64K", Ok(65_536)),
            ("256M", Ok(268_435_456)),
            ("1G", Ok(1_073_741_824)),
            ("2T", Ok(2_199_023_255_552)),
            ("9223372036854775807B", Ok(MAX_SIZE)),
            ("9223372036854775808B", Err(P::TooLarge)),
            ("8388607T", Ok(8_388_607 << 40)),
            ("8388608T", Err(P::TooLarge)),
            ("99999999999T", Err(P::TooLarge)),
            ("", Err(P::Empty)),
            ("M", Err(P::NotANumber)),
            ("0K", Err(P::Zero)),
            ("-1G", Err(P::Negative)),
            ("1.5G", Err(P::NotWhole)),
            ("1024", Err(P::MissingUnit)),
            ("1g", Err(P::UnknownUnit)),
            ("1GiB", Err(P::UnknownUnit)),
        ];
        for (text, expected) in cases {
            let found = parse_size(text).map_err(|error| error.problem);
            assert_eq!(found, *expected, "{text:?}");
        }
    }

    #[test]
    fn messages() {
        let cases = [
            (
                parse_duration("90").map(drop),
                "duration `90` has no unit: add `ms`, `s`, `m`, `h` or `d`, as in `90s`",
            ),
            (
                parse_size("1GB").map(drop),
                "size `1GB` has an unknown unit: use `B`, `K`, `M`, `G` or `T`",
            ),
            (
                parse_duration("-1s").map(drop),
                "duration `-1s` is negative",
            ),
            (
                parse_duration("1\u{1b}[31m\u{202e}").map(drop),
                "duration `1\\u{1b}[31m\\u{202e}` has an unknown unit: use `ms`, `s`, `m`, `h` or `d`",
            ),
        ];
        for (result, expected) in cases {
            assert_eq!(result.unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn formats_read_back() {
        for millis in [
            1, 999, 1000, 1500, 60_000, 90_000, 120_000, 3_600_000, 5_400_000, 86_400_000,
        ] {
            let duration = Duration::from_millis(millis);
            assert_eq!(parse_duration(&format_duration(duration)), Ok(duration));
        }
        for size in [1, 1000, 1024, 1536, 1 << 30, (1 << 40) + 1, MAX_SIZE] {
            assert_eq!(parse_size(&format_size(size)), Ok(size));
        }
        assert_eq!(format_duration(Duration::from_secs(120)), "2m");
        assert_eq!(format_duration(Duration::from_secs(90)), "90s");
        assert_eq!(format_duration(Duration::from_secs(48 * 3600)), "2d");
        assert_eq!(format_duration(Duration::ZERO), "0s");
        assert_eq!(format_size(1 << 30), "1G");
        assert_eq!(format_size(0), "0B");
    }
}
