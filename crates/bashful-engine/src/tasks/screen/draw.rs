//! Drawing output on a screen, in bounded time.
//!
//! A few bytes can be much work: eight repeat a character 65535 times, four clear the screen.
//! So output is drawn a little at a time, with a look at the clock in between.

use std::num::NonZero;
use std::time::{Duration, Instant};

use bashful_keeper::TerminalSize;

use super::{LARGEST, Title};

/// How many bytes are drawn between two looks at the clock. Each of them is at most a fraction
/// of a millisecond of work.
const LITTLE: usize = 64;

/// How much of the end is drawn, and how long that may take before less is tried.
const TRIES: [(usize, Duration); 4] = [
    (usize::MAX, Duration::from_millis(1500)),
    (128 << 10, Duration::from_millis(500)),
    (8 << 10, Duration::from_millis(500)),
    (512, Duration::MAX),
];

/// What all of these bytes leave on a screen of this size or, if that takes too long, what the
/// last of them do; the second value says that it was only those.
pub(super) fn whole(bytes: &[u8], size: TerminalSize) -> (vt100::Parser<Title>, bool) {
    let (rows, columns) = bounded(size);
    let new = || vt100::Parser::new_with_callbacks(rows, columns, 0, Title::default());
    for (most, time) in TRIES {
        let start = bytes.len().saturating_sub(most);
        let last = bytes.get(start..).unwrap_or_default();
        let mut parser = new();
        if within(&mut parser, last, time) == last.len() {
            return (parser, start > 0);
        }
    }
    // The last try has all the time that it needs.
    (new(), true)
}

/// Draws for this long at most; returns how many of the bytes were drawn.
pub(super) fn within(parser: &mut vt100::Parser<Title>, bytes: &[u8], time: Duration) -> usize {
    let began = Instant::now();
    let mut drawn = 0;
    for little in bytes.chunks(LITTLE) {
        if began.elapsed() >= time {
            break;
        }
        parser.process(little);
        drawn += little.len();
    }
    drawn
}

/// A size that a screen of ours can have.
pub(super) fn bounded(size: TerminalSize) -> (NonZero<u16>, NonZero<u16>) {
    let bounded = |wanted: u16| NonZero::new(wanted.min(LARGEST)).unwrap_or(NonZero::<u16>::MIN);
    (bounded(size.rows), bounded(size.columns))
}
