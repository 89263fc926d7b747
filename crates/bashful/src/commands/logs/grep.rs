//! The lines of a log that match, one after the other, in bounded memory.

use bashful_engine::{LinePattern, Output, Stream};

/// How much of a line is looked at and shown.
const LONGEST: usize = 64 << 10;

/// Lets through the lines that match.
pub(super) struct Grep {
    pattern: LinePattern,
    /// The line that each stream has begun.
    begun: [Vec<u8>; 2],
}

impl Grep {
    pub(super) fn new(pattern: LinePattern) -> Self {
        Self {
            pattern,
            begun: Default::default(),
        }
    }

    pub(super) fn take(&mut self, output: &Output, chosen: &mut Vec<u8>) {
        let mut rest = output.bytes.as_slice();
        for piece in &output.pieces {
            let Some((bytes, later)) = rest.split_at_checked(piece.length) else {
                return;
            };
            rest = later;
            let stream = usize::from(piece.stream == Stream::Stderr);
            for part in bytes.split_inclusive(|byte| *byte == b'\n') {
                let text = part.strip_suffix(b"\n").unwrap_or(part);
                if let Some(begun) = self.begun.get_mut(stream) {
                    let room = LONGEST.saturating_sub(begun.len());
                    begun.extend_from_slice(text.get(..room).unwrap_or(text));
                }
                if part.len() > text.len() {
                    self.line(stream, chosen);
                }
            }
        }
    }

    /// Lines that have no end.
    pub(super) fn finish(&mut self, chosen: &mut Vec<u8>) {
        self.line(0, chosen);
        self.line(1, chosen);
    }

    fn line(&mut self, stream: usize, chosen: &mut Vec<u8>) {
        let Some(line) = self.begun.get_mut(stream) else {
            return;
        };
        if self.pattern.is_match(&String::from_utf8_lossy(line)) {
            chosen.extend_from_slice(line);
            chosen.push(b'\n');
        }
        line.clear();
    }
}
