//! Reading ELF files as far as it takes to tell a program from a library.
//!
//! The files belong to the host's system directories. They may be damaged, hence every
//! offset is checked and every read is bounded; they are not made to deceive, for a user
//! who can write there owns the host already.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// What every ELF file begins with.
pub(super) const MAGIC: [u8; 4] = *b"\x7fELF";

/// The length of the longest header, that of 64-bit files.
pub(super) const HEADER: usize = 64;

/// The most that is read of a table. No library's tables come near to this.
const MOST_TABLE: u64 = 64 * 1024;

/// Libraries that name an interpreter because they also print their version when run,
/// and the loaders. Nothing starts without them, so they are never programs; what
/// counts is the start of the name that they give themselves.
const LIBRARIES: &[&str] = &[
    "libc.so",
    "libc.musl-",
    "libpthread.so",
    "ld-linux",
    "ld-musl-",
    "ld-uClibc",
    "ld.so",
    "ld64.so",
    "libcap.so",
    "libpsx.so",
    "libQtCore.so",
    "libQt5Core.so",
    "libQt6Core.so",
];

const TYPE_EXECUTABLE: u64 = 2;
const TYPE_SHARED: u64 = 3;
const SEGMENT_LOAD: u64 = 1;
const SEGMENT_DYNAMIC: u64 = 2;
const SEGMENT_INTERPRETER: u64 = 3;
const DYNAMIC_END: u64 = 0;
const DYNAMIC_STRINGS: u64 = 5;
const DYNAMIC_NAME: u64 = 14;
const DYNAMIC_FLAGS: u64 = 0x6fff_fffb;
const FLAG_PROGRAM: u64 = 0x0800_0000;

/// A source of bytes that can be read at an offset.
pub(super) trait Bytes {
    /// Reads what is at this offset; less than asked for only at the end.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;
}

impl Bytes for File {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            let position = offset.saturating_add(filled as u64);
            // The kernel takes no offset beyond the largest signed number.
            if i64::try_from(position).is_err() {
                break;
            }
            match FileExt::read_at(self, rest, position) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

/// Whether the file with this beginning is a program: one that is not meant to be
/// loaded by another. What has more tables than we read counts as a program.
pub(super) fn is_program(header: &[u8], file: &impl Bytes) -> io::Result<bool> {
    let Some(layout) = Layout::of(header) else {
        return Ok(false);
    };
    match layout.half(header, 16) {
        Some(TYPE_EXECUTABLE) => Ok(true),
        Some(TYPE_SHARED) => Ok(is_shared_program(layout, header, file)?.unwrap_or(false)),
        _ => Ok(false),
    }
}

/// The answer for position-independent files; absent if no loader could use the file.
fn is_shared_program(layout: Layout, header: &[u8], file: &impl Bytes) -> io::Result<Option<bool>> {
    let Some((table, entry, count)) = layout.segment_table(header) else {
        return Ok(None);
    };
    if entry != layout.segment_entry() || count == 0 {
        return Ok(None);
    }
    let length = entry.saturating_mul(count);
    if length > MOST_TABLE {
        return Ok(Some(true));
    }
    let table = read(file, table, length)?;
    let segments: Vec<Segment> = table
        .chunks_exact(to_index(entry))
        .filter_map(|bytes| layout.segment(bytes))
        .collect();
    let dynamic = Dynamic::read(layout, &segments, file)?;
    if dynamic.is_some_and(|dynamic| dynamic.flags & FLAG_PROGRAM != 0) {
        return Ok(Some(true));
    }
    if !segments.iter().any(|one| one.kind == SEGMENT_INTERPRETER) {
        return Ok(Some(dynamic.is_some_and(|dynamic| dynamic.cut_off)));
    }
    let name = match dynamic {
        Some(dynamic) => dynamic.library_name(&segments, file)?,
        None => Vec::new(),
    };
    let known = LIBRARIES
        .iter()
        .any(|library| name.starts_with(library.as_bytes()));
    Ok(Some(!known))
}

/// The word length and byte order of a file.
#[derive(Debug, Clone, Copy)]
struct Layout {
    wide: bool,
    big_endian: bool,
}

impl Layout {
    fn of(header: &[u8]) -> Option<Self> {
        if !header.starts_with(&MAGIC) {
            return None;
        }
        let wide = match header.get(4)? {
            1 => false,
            2 => true,
            _ => return None,
        };
        let big_endian = match header.get(5)? {
            1 => false,
            2 => true,
            _ => return None,
        };
        Some(Self { wide, big_endian })
    }

    fn number(self, bytes: &[u8], at: usize, length: usize) -> Option<u64> {
        let bytes = bytes.get(at..at.checked_add(length)?)?;
        let join = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        Some(if self.big_endian {
            bytes.iter().fold(0, join)
        } else {
            bytes.iter().rev().fold(0, join)
        })
    }

    fn half(self, bytes: &[u8], at: usize) -> Option<u64> {
        self.number(bytes, at, 2)
    }

    /// The length of an address.
    fn word(self) -> usize {
        if self.wide { 8 } else { 4 }
    }

    fn segment_entry(self) -> u64 {
        if self.wide { 56 } else { 32 }
    }

    /// Where the table of segments is, the length of its entries and their number.
    fn segment_table(self, header: &[u8]) -> Option<(u64, u64, u64)> {
        let (offset, sizes) = if self.wide { (32, 54) } else { (28, 42) };
        Some((
            self.number(header, offset, self.word())?,
            self.half(header, sizes)?,
            self.half(header, sizes + 2)?,
        ))
    }

    fn segment(self, bytes: &[u8]) -> Option<Segment> {
        let (offset, address, length) = if self.wide { (8, 16, 32) } else { (4, 8, 16) };
        Some(Segment {
            kind: self.number(bytes, 0, 4)?,
            offset: self.number(bytes, offset, self.word())?,
            address: self.number(bytes, address, self.word())?,
            length: self.number(bytes, length, self.word())?,
        })
    }
}

/// One part of the file and where it goes in memory.
#[derive(Debug, Clone, Copy)]
struct Segment {
    kind: u64,
    offset: u64,
    address: u64,
    length: u64,
}

/// What the file says to the loader.
#[derive(Debug, Clone, Copy, Default)]
struct Dynamic {
    flags: u64,
    strings: Option<u64>,
    name: Option<u64>,
    /// Whether the table went on beyond what was read.
    cut_off: bool,
}

impl Dynamic {
    fn read(layout: Layout, segments: &[Segment], file: &impl Bytes) -> io::Result<Option<Self>> {
        let Some(segment) = segments.iter().find(|one| one.kind == SEGMENT_DYNAMIC) else {
            return Ok(None);
        };
        let table = read(file, segment.offset, segment.length.min(MOST_TABLE))?;
        let mut found = Self {
            cut_off: segment.length > MOST_TABLE && table.len() as u64 == MOST_TABLE,
            ..Self::default()
        };
        let word = layout.word();
        for entry in table.chunks_exact(word * 2) {
            let (Some(tag), Some(value)) = (
                layout.number(entry, 0, word),
                layout.number(entry, word, word),
            ) else {
                break;
            };
            match tag {
                DYNAMIC_END => {
                    found.cut_off = false;
                    break;
                }
                DYNAMIC_STRINGS => found.strings = Some(value),
                DYNAMIC_NAME => found.name = Some(value),
                DYNAMIC_FLAGS => found.flags = value,
                _ => {}
            }
        }
        Ok(Some(found))
    }

    /// The start of the name that a library gives itself; empty if it has none.
    fn library_name(self, segments: &[Segment], file: &impl Bytes) -> io::Result<Vec<u8>> {
        let address = self
            .strings
            .zip(self.name)
            .and_then(|(strings, name)| strings.checked_add(name));
        // The table says where the name is in memory; the segments where that is here.
        let offset = address.and_then(|address| {
            segments.iter().find_map(|segment| {
                let inside = address.checked_sub(segment.address)?;
                (segment.kind == SEGMENT_LOAD && inside < segment.length)
                    .then(|| segment.offset.checked_add(inside))?
            })
        });
        match offset {
            Some(offset) => read(file, offset, LONGEST_NAME),
            None => Ok(Vec::new()),
        }
    }
}

/// Enough to compare the start of a library's name.
const LONGEST_NAME: u64 = 32;

/// The bytes at this offset, at most `length`, fewer at the end of the file.
fn read(file: &impl Bytes, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut buffer = vec![0; to_index(length.min(MOST_TABLE))];
    let filled = file.read_at(offset, &mut buffer)?;
    buffer.truncate(filled);
    Ok(buffer)
}

/// A length that is bounded by [`MOST_TABLE`] as an index.
fn to_index(length: u64) -> usize {
    usize::try_from(length).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
