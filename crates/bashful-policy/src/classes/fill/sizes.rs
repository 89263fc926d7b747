//! Amounts: how much a call writes at most, and which is too much.

use super::Flow;
use crate::arguments::{Valued, has_flag, values_of};
use crate::facts::{Argument, Call};

/// More than this at once is no ordinary file.
const MOST: u128 = 10 << 30;

/// More lines than this are more than `MOST`.
const MOST_LINES: u128 = 1 << 30;

/// Whether a call makes a huge file by a size that stands in its words.
pub(super) fn is_huge(call: &Call) -> bool {
    let words = call.operands();
    match call.program() {
        "fallocate" => {
            // These give room back.
            let gives = ["punch-hole", "dig-holes", "collapse-range"];
            let gives = "pdc"
                .chars()
                .zip(gives)
                .any(|(short, long)| has_flag(words, short, long));
            !gives && values_of(words, 'l', "length").iter().any(is_too_much)
        }
        "mkfile" | "xfs_mkfile" => words.iter().any(is_too_much) && !has_flag(words, 'n', ""),
        "openssl" => {
            words.first().is_some_and(|verb| verb.text == "rand") && words.iter().any(is_too_much)
        }
        _ => false,
    }
}

/// Whether a call ends by itself although what it reads does not.
pub(super) fn bounds(call: &Call, read: Flow) -> bool {
    let words = call.operands();
    let known = |words: &[Argument]| {
        words
            .iter()
            .map(|word| word.text.clone())
            .collect::<String>()
    };
    match call.program() {
        "head" | "ghead" => {
            let bytes = values_of(words, 'c', "bytes");
            match bytes.last() {
                // All but the last are without end.
                Some(bytes) => !bytes.text.starts_with('-') && !is_too_much(bytes),
                None => read == Flow::Lines && lines(words),
            }
        }
        "dd" | "gdd" | "dcfldd" | "dc3dd" => blocks(words),
        "sed" | "gsed" => quits(&known(words)),
        "awk" | "gawk" | "mawk" | "nawk" => words.iter().any(|word| word.text.contains("exit")),
        "grep" | "egrep" | "fgrep" | "rg" => {
            has_flag(words, 'm', "max-count")
                || has_flag(words, 'q', "quiet")
                || has_flag(words, 'c', "count")
        }
        "od" | "god" => has_flag(words, 'N', "read-bytes"),
        "hexdump" | "hd" => has_flag(words, 'n', "length"),
        "xxd" => has_flag(words, 'l', "len"),
        "pv" => has_flag(words, 'S', "stop-at-size"),
        "shuf" => has_flag(words, 'n', "head-count"),
        "tail" | "tac" => !has_flag(words, 'f', "follow"),
        "openssl" => words.first().is_none_or(|verb| verb.text != "enc"),
        "curl" => has_flag(words, 'r', "range"),
        _ => false,
    }
}

/// Whether a script of sed ends its reading.
fn quits(script: &str) -> bool {
    script.contains(['q', 'Q'])
}

/// Whether `head` takes few lines.
fn lines(words: &[Argument]) -> bool {
    let counts = values_of(words, 'n', "lines");
    let few = |word: &Argument| {
        !word.text.starts_with('-') && amount(&word.text).is_none_or(|count| count <= MOST_LINES)
    };
    counts.iter().all(few)
}

/// Whether `dd` has a number of blocks that is not too large. What is not known counts as small.
fn blocks(words: &[Argument]) -> bool {
    let value = |name: &str| {
        let mut found = words.iter().rev().filter_map(|word| {
            let value = word.text.strip_prefix(name)?;
            Some((value, word.is_known()))
        });
        found.next()
    };
    let Some((count, known)) = value("count=") else {
        return false;
    };
    let in_bytes = value("iflag=").is_some_and(|(flags, _)| flags.contains("count_bytes"))
        || count.ends_with('B') && !count.ends_with("kB");
    let size = value("ibs=").or_else(|| value("bs="));
    let size = match size {
        Some((size, _)) if !in_bytes => amount(size),
        _ if in_bytes => Some(1),
        _ => Some(512),
    };
    match (amount(count), size) {
        (Some(count), Some(size)) if known => count.saturating_mul(size) <= MOST,
        _ => true,
    }
}

fn is_too_much(word: &Argument) -> bool {
    word.is_known() && amount(&word.text).is_some_and(|amount| amount > MOST)
}

/// Whether `seq` counts to the end of all numbers, or nearly.
pub(super) fn counts_far(words: &[Argument]) -> bool {
    const VALUED: Valued = Valued::new("fs", &["format", "separator"]);
    let numbers = crate::arguments::operands(words, &VALUED);
    let Some(last) = numbers.last() else {
        return false;
    };
    let text = last.text.to_ascii_lowercase();
    let far = text.parse::<f64>().is_ok_and(|last| last.abs() > 1e9);
    text.starts_with("inf") || text.starts_with("nan") || far
}

/// A number with a unit, as the programs for files read them: `10M`, `1TiB`, `2x512`.
fn amount(text: &str) -> Option<u128> {
    if let Some((one, two)) = text.split_once('x')
        && !text.starts_with("0x")
    {
        return Some(amount(one)?.saturating_mul(amount(two)?));
    }
    let text = text.trim_start_matches('+');
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    let end = digits
        .find(|one: char| !one.is_digit(radix))
        .unwrap_or(digits.len());
    let (number, unit) = digits.split_at_checked(end)?;
    let number = u128::from_str_radix(number, radix).unwrap_or(u128::MAX);
    if end == 0 {
        return None;
    }
    let mut letters = unit.chars();
    let power = match letters.next().map(|letter| letter.to_ascii_lowercase()) {
        None | Some('c') => 0,
        Some('w') => return Some(number.saturating_mul(2)),
        Some('b') => return Some(number.saturating_mul(512)),
        Some(letter) => 1 + "kmgtpezyrq".find(letter)?,
    };
    let thousands = letters.as_str().eq_ignore_ascii_case("b");
    let base: u128 = if thousands { 1000 } else { 1024 };
    Some(number.saturating_mul(base.saturating_pow(u32::try_from(power).ok()?)))
}

#[cfg(test)]
mod tests {
    use super::amount;

    #[test]
    fn units_are_those_of_the_programs() {
        let cases = [
            ("10", Some(10)),
            ("10M", Some(10 << 20)),
            ("10MiB", Some(10 << 20)),
            ("1kB", Some(1000)),
            ("1T", Some(1 << 40)),
            ("2x512", Some(1024)),
            ("2b", Some(1024)),
            ("0x10", Some(16)),
            (
                "99999999999999999999999999999999999999999999",
                Some(u128::MAX),
            ),
            ("x", None),
            ("", None),
            ("f", None),
        ];
        for (text, expected) in cases {
            assert_eq!(amount(text), expected, "{text}");
        }
    }
}
