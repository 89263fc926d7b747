//! How far a text is followed before the reader gives it up as too complex.

use crate::context::Reading;

/// The limits for one text. All of them bound time and memory; none of them lets anything pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Calls that are noted.
    pub(crate) calls: usize,
    /// Bodies that are walked again for a call.
    pub(crate) repeats: usize,
    /// Loops that are walked again for what they change.
    pub(crate) loops: usize,
    /// Texts that are read in texts.
    pub(crate) scripts: usize,
    /// Statements that are walked, those of repeated bodies each time.
    pub(crate) steps: usize,
    /// Paths that the engine has to follow links for.
    pub(crate) paths: usize,
}

impl Limits {
    /// More than this is not ordinary work for a command.
    const COMMAND: Self = Self {
        calls: 20_000,
        repeats: 512,
        loops: 4096,
        scripts: 1024,
        steps: usize::MAX,
        paths: 512,
    };

    /// The limits for a text of this many bytes. Those of a script grow with it, so that one that
    /// is long and plain is never too long, and stay in proportion to it.
    pub(crate) fn of(reading: Reading, length: usize) -> Self {
        let usual = Self::COMMAND;
        match reading {
            Reading::Command => usual,
            Reading::Script => Self {
                calls: usual.calls.max(length / 2),
                repeats: usual.repeats.max(length / 4),
                loops: usual.loops.max(length / 4),
                scripts: usual.scripts.max(length / 8),
                steps: 100_000 + 2 * length,
                paths: usual.paths.max(length / 4),
            },
        }
    }
}
