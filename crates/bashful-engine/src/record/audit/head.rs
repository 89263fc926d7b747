//! The head: what is known of the end of the trail without reading it.
//!
//! Its file is the lock of the trail as well. It is rewritten in place, always with the same
//! length, so that it needs no further room on the disk.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use serde::{Deserialize, Serialize};

use super::line::{MAX_NUMBER, Seal};

/// The length of the file.
const LENGTH: usize = 192;

/// The last record, and where it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    /// The number of the last record; 0 if there is none.
    pub(super) seq: u64,
    /// The hash of the last record.
    pub(super) hash: Seal,
    /// The length of the trail.
    pub(super) length: u64,
}

/// What the file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// There is nothing in it, or no such file.
    Nothing,
    /// It is none of ours.
    Garbage,
    /// A head that an engine wrote whole.
    Head(Head),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written<'a> {
    v: u8,
    seq: u64,
    length: u64,
    #[serde(borrow)]
    hash: std::borrow::Cow<'a, str>,
}

impl Head {
    /// The head of a trail without records.
    pub(super) const NEW: Self = Self {
        seq: 0,
        hash: Seal::NONE,
        length: 0,
    };

    /// Reads the head from its file.
    pub(super) fn read(file: &File) -> io::Result<Known> {
        // One byte more than there may be shows a file that is too long.
        let mut buffer = [0; LENGTH + 1];
        let filled = loop {
            match file.read_at(&mut buffer, 0) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                filled => break filled?,
            }
        };
        let text = buffer.get(..filled).unwrap_or_default();
        Ok(match text {
            [] => Known::Nothing,
            text => Self::parse(text).map_or(Known::Garbage, Known::Head),
        })
    }

    /// Puts it in its file.
    pub(super) fn write(&self, file: &File) -> io::Result<()> {
        let written = Written {
            v: 1,
            seq: self.seq,
            length: self.length,
            hash: self.hash.as_str().into(),
        };
        let text = serde_json::to_string(&written)?;
        let text = format!("{text:<width$}\n", width = LENGTH - 1);
        file.write_all_at(text.as_bytes(), 0)
    }

    fn parse(text: &[u8]) -> Option<Self> {
        if text.len() != LENGTH {
            return None;
        }
        let written: Written = serde_json::from_slice(text).ok()?;
        let hash = Seal::parse(written.hash.as_bytes())?;
        (written.v == 1 && written.seq <= MAX_NUMBER).then_some(Self {
            seq: written.seq,
            hash,
            length: written.length,
        })
    }
}
