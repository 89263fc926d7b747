//! How much of a command's output a result holds, and how a cut is shown.

use std::io;

use bashful_keeper::{LogReader, Stream};

use crate::config::Keep;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Characters, the marker line not among them.
    Characters,
    /// Bytes, the marker line among them.
    Bytes,
}

/// How much of each stream a result holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputLimit {
    /// Which part of a longer output is kept: its beginning, its end or both.
    pub keep: Keep,
    /// The most that is kept of each stream, counted in `unit`.
    pub amount: usize,
    /// What `amount` counts.
    pub unit: Unit,
}

impl OutputLimit {
    /// At most this many characters.
    pub fn characters(keep: Keep, amount: usize) -> Self {
        Self {
            keep,
            amount,
            unit: Unit::Characters,
        }
    }

    /// At most this many bytes.
    pub fn bytes(keep: Keep, amount: usize) -> Self {
        Self {
            keep,
            amount,
            unit: Unit::Bytes,
        }
    }

    /// How many bytes can be needed from one end.
    pub(crate) fn most_bytes(self) -> usize {
        match self.unit {
            // A character has at most four bytes; three more for one that was cut.
            Unit::Characters => self.amount.saturating_mul(4).saturating_add(3),
            Unit::Bytes => self.amount,
        }
    }
}

/// What was printed on one stream, as much as the limit allows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Captured {
    pub(crate) text: String,
    /// The bytes, where they are not the text's: some of them are not UTF-8.
    pub(crate) raw: Option<Vec<u8>>,
    pub(crate) truncated: bool,
}

/// The totals of one stream, as the keeper counted them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Totals {
    pub(crate) bytes: u64,
    pub(crate) characters: u64,
}

/// Reads one stream of a log within the limit.
pub(crate) fn capture(
    reader: &mut LogReader,
    stream: Stream,
    totals: Totals,
    limit: OutputLimit,
) -> io::Result<Captured> {
    if totals.bytes == 0 {
        return Ok(Captured::default());
    }
    let total = match limit.unit {
        Unit::Characters => totals.characters,
        Unit::Bytes => totals.bytes,
    };
    let (for_head, mut for_tail) = shares(limit);
    if total <= limit.amount as u64 {
        let bytes = reader.head(stream, usize::try_from(totals.bytes).unwrap_or(usize::MAX))?;
        if bytes.len() as u64 == totals.bytes {
            return Ok(whole(bytes));
        }
        // The log has less than was printed. Where it does not say from which point
        // on, its end is no end, and would only repeat its beginning.
        if limit.keep == Keep::HeadTail && !reader.has_gap(stream)? {
            for_tail = 0;
        }
    }
    let head_bytes = reader.head(stream, share_bytes(for_head, limit.unit))?;
    let tail_bytes = reader.tail(stream, share_bytes(for_tail, limit.unit))?;
    let head = first(&head_bytes, for_head, limit.unit);
    let tail = last(&tail_bytes, for_tail, limit.unit);
    let shown = (head.chars().count() + tail.chars().count()) as u64;
    let hidden = totals.characters.saturating_sub(shown);
    let text = match limit.keep {
        Keep::Tail => {
            format!(
                "[Output truncated: showing last {shown} chars of {} chars]\n{tail}",
                totals.characters
            )
        }
        Keep::Head | Keep::HeadTail => join(&head, hidden, &tail),
    };
    // A cut in bytes keeps them as they are, where the text could not.
    let keeps_bytes = limit.unit == Unit::Bytes && limit.keep == Keep::Head;
    let raw = (keeps_bytes && std::str::from_utf8(&head_bytes).is_err()).then_some(head_bytes);
    Ok(Captured {
        text,
        raw,
        truncated: true,
    })
}

/// Room for the marker line inside a limit of bytes.
const MARKER_BYTES: usize = 64;

/// How much of the limit goes to the beginning and to the end.
fn shares(limit: OutputLimit) -> (usize, usize) {
    // A limit too small for the marker is spent on output.
    let marker_counts = limit.unit == Unit::Bytes && limit.amount > 2 * MARKER_BYTES;
    let amount = if marker_counts {
        limit.amount - MARKER_BYTES
    } else {
        limit.amount
    };
    match limit.keep {
        Keep::Head => (amount, 0),
        Keep::Tail => (0, amount),
        Keep::HeadTail => (amount / 2, amount - amount / 2),
    }
}

fn share_bytes(share: usize, unit: Unit) -> usize {
    if share == 0 {
        return 0;
    }
    OutputLimit {
        keep: Keep::Head,
        amount: share,
        unit,
    }
    .most_bytes()
}

fn join(head: &str, hidden: u64, tail: &str) -> String {
    let break_before = if head.is_empty() || head.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let break_after = if tail.is_empty() { "" } else { "\n" };
    format!("{head}{break_before}... ({hidden} characters truncated) ...{break_after}{tail}")
}

fn whole(bytes: Vec<u8>) -> Captured {
    match String::from_utf8(bytes) {
        Ok(text) => Captured {
            text,
            raw: None,
            truncated: false,
        },
        Err(error) => {
            let raw = error.into_bytes();
            let text = String::from_utf8_lossy(&raw).into_owned();
            Captured {
                text,
                raw: Some(raw),
                truncated: false,
            }
        }
    }
}

/// The first characters of these bytes, as many as the share allows.
fn first(bytes: &[u8], share: usize, unit: Unit) -> String {
    match unit {
        Unit::Characters => String::from_utf8_lossy(bytes).chars().take(share).collect(),
        Unit::Bytes => {
            // A character that the cut split is left out, not replaced.
            let whole = bytes.len() - cut_at_end(bytes);
            clip(&String::from_utf8_lossy(&bytes[..whole]), share)
        }
    }
}

/// The last characters of these bytes, as many as the share allows.
fn last(bytes: &[u8], share: usize, unit: Unit) -> String {
    // The bytes may begin inside a character; that one is left out.
    let inside = bytes
        .iter()
        .take(3)
        .take_while(|byte| **byte & 0xc0 == 0x80)
        .count();
    let text = String::from_utf8_lossy(&bytes[inside..]);
    match unit {
        Unit::Characters => {
            let surplus = text.chars().count().saturating_sub(share);
            text.chars().skip(surplus).collect()
        }
        Unit::Bytes => {
            let start = (text.len().saturating_sub(share)..text.len())
                .find(|&at| text.is_char_boundary(at));
            start
                .and_then(|start| text.get(start..))
                .unwrap_or_default()
                .to_owned()
        }
    }
}

/// How many bytes at the end belong to a character that is not complete.
pub(crate) fn cut_at_end(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => bytes.len() - error.valid_up_to(),
        _ => bytes.utf8_chunks().last().map_or(0, |chunk| {
            let invalid = chunk.invalid();
            let unfinished =
                std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
            if unfinished { invalid.len() } else { 0 }
        }),
    }
}

/// Replacement characters are longer than what they replace, so a text can have
/// outgrown its share.
fn clip(text: &str, share: usize) -> String {
    let end = (0..=share.min(text.len()))
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0);
    text.get(..end).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
