//! A sign of life while a command is silent: a spinner with the elapsed time, on a row of its own.

use std::time::Duration;

use super::{
    style::{Style, Tone},
    text,
};

/// A command is silent when it has said nothing for this long.
const SILENCE: Duration = Duration::from_secs(2);
/// How long one picture of the spinner stays.
const PICTURE_MILLIS: u128 = 100;
const PICTURES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// Back to the start of the row, and clear it.
pub(super) const CLEAR_ROW: &[u8] = b"\r\x1b[K";

/// Two points in time, both counted from the start of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// The moment of this tick.
    pub(crate) now: Duration,
    /// When the command last printed; zero if it never did.
    pub(crate) last_output: Duration,
}

/// The spinner of one command. It may be ticked only while the cursor is at the start of an empty
/// row, and must be erased before anything else is written; [`super::Frame`] sees to both.
#[derive(Debug, Default)]
pub(crate) struct Spinner {
    /// The picture on the screen, by its number since the start.
    shown: Option<u128>,
}

impl Spinner {
    /// Draws the next picture if the command is silent and a new one is due.
    pub(crate) fn tick(&mut self, moment: Moment, style: Style, out: &mut Vec<u8>) {
        if moment.now.saturating_sub(moment.last_output) < SILENCE {
            return self.erase(out);
        }
        let picture = moment.now.as_millis() / PICTURE_MILLIS;
        if self.shown == Some(picture) {
            return;
        }
        self.shown = Some(picture);
        let index = usize::try_from(picture % 10).unwrap_or(0);
        let symbol = PICTURES.get(index).copied().unwrap_or(" ");
        let line = format!(
            "{symbol} Still running ({})",
            text::whole_seconds(moment.now)
        );
        out.extend_from_slice(CLEAR_ROW);
        style.paint(Tone::Literal, &text::shorten(&line, style.columns()), out);
    }

    /// Removes the spinner, if it is there, and leaves the cursor where the spinner began.
    pub(crate) fn erase(&mut self, out: &mut Vec<u8>) {
        if self.shown.take().is_some() {
            out.extend_from_slice(CLEAR_ROW);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::style::Colour, *};

    /// What the spinner writes at a moment given in milliseconds.
    fn tick(spinner: &mut Spinner, now: u64, last_output: u64) -> String {
        let moment = Moment {
            now: Duration::from_millis(now),
            last_output: Duration::from_millis(last_output),
        };
        let mut out = Vec::new();
        spinner.tick(
            moment,
            Style {
                width: 40,
                colour: Colour::Off,
            },
            &mut out,
        );
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn waits_for_two_seconds_of_silence() {
        let mut spinner = Spinner::default();
        assert_eq!(tick(&mut spinner, 1999, 0), "");
        assert_eq!(tick(&mut spinner, 2000, 0), "\r\x1b[K⠋ Still running (2s)");
        assert_eq!(tick(&mut spinner, 2050, 0), "");
        assert_eq!(tick(&mut spinner, 2100, 0), "\r\x1b[K⠙ Still running (2s)");
        assert_eq!(tick(&mut spinner, 2200, 2150), "\r\x1b[K");
        assert_eq!(tick(&mut spinner, 2300, 2150), "");
        assert_eq!(
            tick(&mut spinner, 63_000, 2150),
            "\r\x1b[K⠋ Still running (1m 03s)"
        );
    }

    #[test]
    fn erases_only_what_is_there() {
        let mut spinner = Spinner::default();
        let mut out = Vec::new();
        spinner.erase(&mut out);
        assert!(out.is_empty());
        tick(&mut spinner, 5000, 0);
        spinner.erase(&mut out);
        spinner.erase(&mut out);
        assert_eq!(out, CLEAR_ROW);
    }

    #[test]
    fn a_clock_that_runs_backwards_is_not_silence() {
        assert_eq!(tick(&mut Spinner::default(), 1000, 9000), "");
    }
}
