//! The one place that writes to our standard streams.
//!
//! stdout is data, stderr is talk. A reader that went away ends us quietly.

use std::io::{self, IsTerminal as _, Write};
use std::os::fd::AsFd;

use crate::view::{Ambient, ColourChoice, Style};

/// Writes to stdout and stderr.
#[derive(Debug)]
pub(crate) struct Printer {
    choice: ColourChoice,
    ambient: Ambient,
}

impl Printer {
    pub(crate) fn new(choice: ColourChoice) -> Self {
        Self {
            choice,
            ambient: Ambient::from_environment(),
        }
    }

    /// How we draw on a terminal that is none of our streams.
    pub(crate) fn manner(&self) -> Manner {
        Manner {
            choice: self.choice,
            ambient: self.ambient,
        }
    }

    /// How our talk looks.
    pub(crate) fn style(&self) -> Style {
        Style::detect(io::stderr(), self.choice, self.ambient)
    }

    /// How data looks, where it goes to a terminal.
    pub(crate) fn data_style(&self) -> Style {
        Style::detect(io::stdout(), self.choice, self.ambient)
    }

    /// Whether both streams are a terminal that can be drawn on.
    pub(crate) fn can_draw(&self) -> bool {
        self.ambient.can_draw_on(io::stdout()) && self.can_draw_errors()
    }

    /// Whether stderr is a terminal that can be drawn on.
    pub(crate) fn can_draw_errors(&self) -> bool {
        self.ambient.can_draw_on(io::stderr())
    }

    /// Writes data to standard output and flushes it.
    #[expect(
        clippy::unused_self,
        reason = "a caller that writes has to hold the printer"
    )]
    pub(crate) fn data(&self, bytes: &[u8]) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes)?;
        stdout.flush()
    }

    /// Writes talk. That no reader listens is no reason to fail.
    #[expect(
        clippy::unused_self,
        reason = "a caller that writes has to hold the printer"
    )]
    pub(crate) fn talk(&self, bytes: &[u8]) {
        let _ = io::stderr().lock().write_all(bytes);
    }

    /// Writes the child's standard error.
    #[expect(
        clippy::unused_self,
        reason = "a caller that writes has to hold the printer"
    )]
    pub(crate) fn error_data(&self, bytes: &[u8]) -> io::Result<()> {
        io::stderr().lock().write_all(bytes)
    }

    /// One line of talk with a label, such as `warning: …`.
    pub(crate) fn note(&self, label: &str, text: &str) {
        let text = crate::view::visible(text);
        self.talk(format!("bashful: {label}: {text}\n").as_bytes());
    }

    /// One JSON object on a line of its own. A person who reads it by eye is not misled: on a
    /// terminal odd characters are spelled, which means the same.
    pub(crate) fn json(&self, value: &serde_json::Value) -> io::Result<()> {
        let line = value.to_string();
        let line = if io::stdout().is_terminal() {
            crate::view::harmless_json(&line)
        } else {
            line
        };
        self.data(format!("{line}\n").as_bytes())
    }
}

/// How we draw on whatever is a terminal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manner {
    choice: ColourChoice,
    ambient: Ambient,
}

impl Manner {
    /// How things look on this stream.
    pub(crate) fn style(self, stream: impl AsFd) -> Style {
        Style::detect(stream, self.choice, self.ambient)
    }

    /// Whether this stream is a terminal that can be drawn on.
    pub(crate) fn can_draw(self, stream: impl AsFd) -> bool {
        self.ambient.can_draw_on(stream)
    }
}
