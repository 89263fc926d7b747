//! Points in time for people: UTC, as ISO 8601 writes it.

const MILLIS_PER_DAY: u64 = 86_400_000;

/// Milliseconds since 1970 as `2026-11-15T20:12:24Z`. What is below a second is cut.
pub(crate) fn utc(at_ms: u64) -> String {
    let (year, month, day) = civil(at_ms / MILLIS_PER_DAY);
    let seconds = at_ms % MILLIS_PER_DAY / 1000;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day of a day since 1970, in the calendar that is used everywhere.
fn civil(days: u64) -> (u64, u64, u64) {
    // Counted from 1 March of the year 0, so that the day that is sometimes there comes last, in
    // periods of 400 years, which all have the same number of days.
    let days = days + 719_468;
    let period = days / 146_097;
    let day_of_period = days % 146_097;
    let year_of_period = (day_of_period - day_of_period / 1460 + day_of_period / 36_524
        - day_of_period / 146_096)
        / 365;
    let before_year = 365 * year_of_period + year_of_period / 4 - year_of_period / 100;
    let day_of_year = day_of_period - before_year;
    // Five months have 153 days, from March on.
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = period * 400 + year_of_period + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, said) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_799, "2000-02-29T23:59:59Z"),
            (1_709_164_800, "2024-02-29T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
        ] {
            assert_eq!(utc(seconds * 1000 + 999), said);
        }
        assert!(utc(u64::MAX).ends_with('Z'));
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let length = |year: u64, month: u64| match month {
            2 if year.is_multiple_of(4)
                && (!year.is_multiple_of(100) || year.is_multiple_of(400)) =>
            {
                29
            }
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        let mut date = (1970, 1, 1);
        for days in 0..200_000 {
            assert_eq!(civil(days), date);
            date = match date {
                (year, 12, 31) => (year + 1, 1, 1),
                (year, month, day) if day == length(year, month) => (year, month + 1, 1),
                (year, month, day) => (year, month, day + 1),
            };
        }
    }
}
