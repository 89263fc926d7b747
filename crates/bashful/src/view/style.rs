//! How wide we draw, and whether in colour.

use std::{
    env,
    ffi::OsStr,
    io::{IsTerminal as _, Write as _},
    os::fd::AsFd,
};

/// The width taken when a terminal does not tell its own.
const DEFAULT_WIDTH: usize = 80;
/// The least width for which anything can be drawn: a gutter and one wide character.
const LEAST_WIDTH: usize = 6;
/// The columns of a horizontal rule.
const RULE_WIDTH: usize = 40;

/// How to draw on one terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    /// The columns of the terminal.
    pub(crate) width: usize,
    /// Whether colours are used, both ours and the child's.
    pub(crate) colour: Colour,
}

/// Whether colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    /// With colour sequences, both ours and the child's.
    On,
    /// Without a single colour sequence.
    Off,
}

/// What the user asked for with `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ColourChoice {
    /// Colours on a terminal that has them, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Colours whatever the stream is.
    Always,
    /// No colours, whatever the stream is.
    Never,
}

/// What a piece of our own text is, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Heading,
    Success,
    Error,
    Warning,
    Literal,
    Rule,
}

/// What the environment says about terminals. It is asked once, at the start, because we forget
/// our environment before a command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ambient {
    capable: bool,
    colour_welcome: bool,
}

impl Ambient {
    /// Asks `TERM` and `NO_COLOR`.
    pub(crate) fn from_environment() -> Self {
        Self {
            capable: terminal_is_capable(env::var_os("TERM").as_deref()),
            colour_welcome: colour_is_welcome(env::var_os("NO_COLOR").as_deref()),
        }
    }

    /// Whether a stream is a terminal on which lines can be redrawn.
    pub(crate) fn can_draw_on(self, stream: impl AsFd) -> bool {
        self.capable && stream.as_fd().is_terminal()
    }
}

impl Style {
    /// The style for a stream: its width if it is a terminal, and colour as the user chose.
    pub(crate) fn detect(stream: impl AsFd, choice: ColourChoice, ambient: Ambient) -> Self {
        let stream = stream.as_fd();
        let width = rustix::termios::tcgetwinsize(stream).map_or(0, |size| size.ws_col);
        let automatic = ambient.can_draw_on(stream) && ambient.colour_welcome;
        Self {
            width: match usize::from(width) {
                0 => DEFAULT_WIDTH,
                width => width,
            },
            colour: match choice {
                ColourChoice::Always => Colour::On,
                ColourChoice::Auto if automatic => Colour::On,
                ColourChoice::Auto | ColourChoice::Never => Colour::Off,
            },
        }
    }

    /// The columns that may be filled. The last one stays free, since terminals differ in where
    /// the cursor is after a character was written there.
    pub(super) fn columns(self) -> usize {
        self.width.max(LEAST_WIDTH) - 1
    }

    /// Whether there is no room for a table of many columns.
    pub(super) fn is_narrow(self) -> bool {
        self.width < 60
    }

    /// The columns that are left beside `taken` of them.
    pub(crate) fn room_beside(self, taken: usize) -> usize {
        self.columns().saturating_sub(taken)
    }

    /// Writes text in the colour of its tone. The text must be safe already.
    pub(super) fn paint(self, tone: Tone, text: &str, out: &mut Vec<u8>) {
        let code = match tone {
            Tone::Plain => "",
            Tone::Heading => "1",
            Tone::Success => "32",
            Tone::Error => "31",
            Tone::Warning => "33",
            Tone::Literal => "36",
            Tone::Rule => "2",
        };
        // Writing into a vector cannot fail.
        let _ = if self.colour == Colour::Off || code.is_empty() {
            write!(out, "{text}")
        } else {
            write!(out, "\x1b[{code}m{text}\x1b[0m")
        };
    }

    /// Writes a horizontal rule that begins with the given characters, and ends the line.
    pub(super) fn rule(self, start: &str, out: &mut Vec<u8>) {
        let drawn = start.chars().count();
        let rest = RULE_WIDTH.min(self.columns()).saturating_sub(drawn);
        let line = format!("{start}{}", "─".repeat(rest));
        self.paint(Tone::Rule, &line, out);
        out.push(b'\n');
    }
}

/// Whether `TERM` names a terminal that understands escape sequences.
fn terminal_is_capable(term: Option<&OsStr>) -> bool {
    term.is_some_and(|term| !term.is_empty() && term != "dumb")
}

/// Whether `NO_COLOR` leaves colours on: as its convention says, an empty value counts as unset.
fn colour_is_welcome(no_color: Option<&OsStr>) -> bool {
    no_color.is_none_or(OsStr::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environment_decides() {
        assert!(terminal_is_capable(Some(OsStr::new("xterm"))));
        assert!(!terminal_is_capable(Some(OsStr::new("dumb"))));
        assert!(!terminal_is_capable(None));
        assert!(colour_is_welcome(None));
        assert!(colour_is_welcome(Some(OsStr::new(""))));
        assert!(!colour_is_welcome(Some(OsStr::new("1"))));
    }

    #[test]
    fn a_file_is_no_terminal() {
        let file = std::fs::File::open("/dev/null").unwrap();
        let ambient = Ambient {
            capable: true,
            colour_welcome: true,
        };
        let style = |choice| Style::detect(&file, choice, ambient);
        let expected = |colour| Style { width: 80, colour };
        assert_eq!(style(ColourChoice::Auto), expected(Colour::Off));
        assert_eq!(style(ColourChoice::Never), expected(Colour::Off));
        assert_eq!(style(ColourChoice::Always), expected(Colour::On));
        assert!(!ambient.can_draw_on(&file));
    }

    #[test]
    fn without_colour_there_is_no_escape() {
        let style = Style {
            width: 3,
            colour: Colour::Off,
        };
        let mut out = Vec::new();
        style.paint(Tone::Error, "x", &mut out);
        style.rule("", &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), "x─────\n");
    }
}
