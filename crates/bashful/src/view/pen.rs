//! The colours a child may use: reads them out of SGR sequences and writes them again.

use std::io::Write as _;

/// A harmless way to draw text: weight, slant, underline and a foreground colour. Backgrounds,
/// reverse video, blinking and concealment are left out, since they can imitate a bar or hide text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pen {
    bold: bool,
    italic: bool,
    underline: bool,
    foreground: Foreground,
}

/// The colour of the text itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Foreground {
    #[default]
    Default,
    /// One of the sixteen palette colours, by its SGR code.
    Palette(u8),
    /// One of the 256 indexed colours.
    Indexed(u8),
}

impl Pen {
    /// Applies the parameters of one SGR sequence, that is, what stands between `ESC [` and `m`.
    ///
    /// Parameters outside the harmless set have no effect, and neither has what is malformed.
    pub(super) fn apply(&mut self, parameters: &str) {
        let mut codes = parameters.split(';').map(|code| match code {
            "" => Some(0),
            digits => digits.parse::<u8>().ok(),
        });
        while let Some(code) = codes.next() {
            match code {
                Some(0) => *self = Self::default(),
                Some(1) => self.bold = true,
                Some(3) => self.italic = true,
                Some(4) => self.underline = true,
                Some(22) => self.bold = false,
                Some(23) => self.italic = false,
                Some(24) => self.underline = false,
                Some(code @ (30..=37 | 90..=97)) => self.foreground = Foreground::Palette(code),
                Some(39) => self.foreground = Foreground::Default,
                Some(kind @ (38 | 48 | 58)) => match codes.next() {
                    Some(Some(5)) => {
                        if let (38, Some(Some(index))) = (kind, codes.next()) {
                            self.foreground = Foreground::Indexed(index);
                        }
                    }
                    // The three numbers of a direct colour must not be read as codes.
                    Some(Some(2)) => drop(codes.by_ref().take(3).count()),
                    _ => return,
                },
                _ => {}
            }
        }
    }

    /// Writes the sequence that brings a terminal from any state to this pen.
    pub(super) fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\x1b[0");
        for (set, code) in [
            (self.bold, b";1"),
            (self.italic, b";3"),
            (self.underline, b";4"),
        ] {
            if set {
                out.extend_from_slice(code);
            }
        }
        // Writing into a vector cannot fail.
        let _ = match self.foreground {
            Foreground::Default => Ok(()),
            Foreground::Palette(code) => write!(out, ";{code}"),
            Foreground::Indexed(index) => write!(out, ";38;5;{index}"),
        };
        out.push(b'm');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(parameters: &[&str]) -> String {
        let mut pen = Pen::default();
        for list in parameters {
            pen.apply(list);
        }
        let mut out = Vec::new();
        pen.write(&mut out);
        String::from_utf8(out).unwrap().replace('\u{1b}', "")
    }

    #[test]
    fn keeps_the_harmless_and_drops_the_rest() {
        assert_eq!(written(&["01;31"]), "[0;1;31m");
        assert_eq!(written(&["1", "4", "92", "22"]), "[0;4;92m");
        assert_eq!(written(&["38;5;208"]), "[0;38;5;208m");
        assert_eq!(written(&["31", ""]), "[0m");
        assert_eq!(written(&["8"]), "[0m");
        assert_eq!(written(&["7;5;9;41;107"]), "[0m");
    }

    #[test]
    fn arguments_of_a_colour_are_never_codes() {
        assert_eq!(written(&["38;2;1;4;31"]), "[0m");
        assert_eq!(written(&["48;5;31;1"]), "[0;1m");
        assert_eq!(written(&["48;2;1;1;1;33"]), "[0;33m");
        assert_eq!(written(&["38"]), "[0m");
        assert_eq!(written(&["38;5"]), "[0m");
        assert_eq!(written(&["38;5;999"]), "[0m");
        assert_eq!(written(&["99999999999999999999;1"]), "[0;1m");
    }
}
