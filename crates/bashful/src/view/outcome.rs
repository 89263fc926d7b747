//! The one line that says how a command ended.

use std::time::Duration;

use super::{
    style::{Style, Tone},
    text,
};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It exited with zero.
    Completed {
        /// How long it ran.
        elapsed: Duration,
    },
    /// It exited with another code.
    Failed {
        /// The exit code.
        code: i32,
        /// How long it ran.
        elapsed: Duration,
    },
    /// We ended it because its time was over.
    TimedOut {
        /// The time it had.
        limit: Duration,
    },
    /// A signal ended it.
    Killed {
        /// The number of the signal.
        signal: i32,
        /// How long it ran.
        elapsed: Duration,
    },
    /// We ended it because a person or the caller asked for that.
    Cancelled {
        /// How long it ran.
        elapsed: Duration,
    },
}

impl Outcome {
    /// Writes the line, such as `✓ Command completed (4.2s)`.
    pub(crate) fn write(self, style: Style, out: &mut Vec<u8>) {
        let (tone, sentence, elapsed) = match self {
            Self::Completed { elapsed } => (
                Tone::Success,
                "✓ Command completed".to_owned(),
                Some(elapsed),
            ),
            Self::Failed { code, elapsed } => {
                let sentence = format!("✗ Command failed: exit code {code}");
                (Tone::Error, sentence, Some(elapsed))
            }
            Self::TimedOut { limit } => {
                let sentence = format!("✗ Command timed out after {}", allowance(limit));
                (Tone::Error, sentence, None)
            }
            Self::Killed { signal, elapsed } => {
                let sentence = format!("✗ Command killed by {}", signal_name(signal));
                (Tone::Error, sentence, Some(elapsed))
            }
            Self::Cancelled { elapsed } => {
                (Tone::Error, "✗ Command cancelled".to_owned(), Some(elapsed))
            }
        };
        style.paint(tone, &sentence, out);
        if let Some(elapsed) = elapsed {
            let elapsed = format!(" ({})", text::duration(elapsed));
            style.paint(Tone::Plain, &elapsed, out);
        }
        out.push(b'\n');
    }
}

/// A time limit in the words in which it was given: up to ten minutes in seconds, so `90s`.
fn allowance(limit: Duration) -> String {
    if limit.subsec_millis() == 0 && limit.as_secs() <= 600 {
        format!("{}s", limit.as_secs())
    } else {
        text::duration(limit)
    }
}

/// The name of a Linux signal. The numbers are those of every architecture but MIPS, SPARC,
/// Alpha and PA-RISC, none of which we build for.
fn signal_name(signal: i32) -> String {
    let names = [
        "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
        "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
        "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
    ];
    let name = usize::try_from(signal)
        .ok()
        .and_then(|number| names.get(number.checked_sub(1)?));
    match name {
        Some(name) => format!("SIG{name}"),
        None => format!("signal {signal}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::style::Colour, *};

    #[track_caller]
    fn says(outcome: Outcome, expected: &str) {
        let mut out = Vec::new();
        outcome.write(
            Style {
                width: 80,
                colour: Colour::Off,
            },
            &mut out,
        );
        assert_eq!(String::from_utf8(out).unwrap(), format!("{expected}\n"));
    }

    #[test]
    fn one_line_for_every_end() {
        let elapsed = Duration::from_millis(4210);
        says(Outcome::Completed { elapsed }, "✓ Command completed (4.2s)");
        says(
            Outcome::Failed { code: 3, elapsed },
            "✗ Command failed: exit code 3 (4.2s)",
        );
        says(Outcome::Cancelled { elapsed }, "✗ Command cancelled (4.2s)");
        says(
            Outcome::Killed { signal: 9, elapsed },
            "✗ Command killed by SIGKILL (4.2s)",
        );
        says(
            Outcome::Killed {
                signal: 31,
                elapsed,
            },
            "✗ Command killed by SIGSYS (4.2s)",
        );
        says(
            Outcome::Killed {
                signal: 40,
                elapsed,
            },
            "✗ Command killed by signal 40 (4.2s)",
        );
        says(
            Outcome::Killed {
                signal: i32::MIN,
                elapsed,
            },
            "✗ Command killed by signal -2147483648 (4.2s)",
        );
        let limit = Duration::from_secs(90);
        says(Outcome::TimedOut { limit }, "✗ Command timed out after 90s");
        let limit = Duration::from_millis(1500);
        says(
            Outcome::TimedOut { limit },
            "✗ Command timed out after 1.5s",
        );
        let limit = Duration::from_secs(3600);
        says(
            Outcome::TimedOut { limit },
            "✗ Command timed out after 1h 00m",
        );
    }
}
