//! Reading logs: written here by hand, record by record, as the format says.

use std::fs;

use bashful_keeper::{Chunk, LogReader, Stream, TaskDirectory, TaskId};
use proptest::prelude::*;

/// A log as a keeper would write it.
struct Log {
    _temporary: tempfile::TempDir,
    directory: TaskDirectory,
    bytes: Vec<u8>,
    index: Vec<u8>,
}

#[derive(Debug, Clone)]
enum Piece {
    Out(Vec<u8>),
    Err(Vec<u8>),
    Gap(Stream, u64),
}

impl Log {
    fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let directory = TaskDirectory::of(temporary.path(), &TaskId::fresh("bash"));
        fs::create_dir_all(directory.path()).unwrap();
        let log = Self {
            _temporary: temporary,
            directory,
            bytes: Vec::new(),
            index: Vec::new(),
        };
        log.save();
        log
    }

    fn of(pieces: &[Piece]) -> Self {
        let mut log = Self::new();
        for piece in pieces {
            log.add(piece);
        }
        log.save();
        log
    }

    fn record(&mut self, length: u64, kind: u8) {
        self.index.extend((self.bytes.len() as u64).to_le_bytes());
        self.index.extend(length.to_le_bytes());
        self.index.extend([kind, 0, 0, 0, 0, 0, 0, 0]);
    }

    fn add(&mut self, piece: &Piece) {
        match piece {
            Piece::Out(bytes) => {
                self.record(bytes.len() as u64, 1);
                self.bytes.extend(bytes);
            }
            Piece::Err(bytes) => {
                self.record(bytes.len() as u64, 2);
                self.bytes.extend(bytes);
            }
            Piece::Gap(Stream::Stdout, missing) => self.record(*missing, 3),
            Piece::Gap(Stream::Stderr, missing) => self.record(*missing, 4),
        }
    }

    /// More of the last record's stream: the record itself grows.
    fn grow(&mut self, bytes: &[u8]) {
        let at = self.index.len() - 16;
        let length: [u8; 8] = self.index[at..at + 8].try_into().unwrap();
        let length = u64::from_le_bytes(length) + bytes.len() as u64;
        self.index[at..at + 8].copy_from_slice(&length.to_le_bytes());
        self.bytes.extend(bytes);
    }

    /// Data first, then the records that speak of it.
    fn save(&self) {
        fs::write(self.directory.log(), &self.bytes).unwrap();
        if !self.index.is_empty() {
            fs::write(self.directory.index(), &self.index).unwrap();
        }
    }

    fn reader(&self) -> LogReader {
        LogReader::open(&self.directory).unwrap()
    }
}

fn data(stream: Stream, offset: u64, bytes: &[u8]) -> Chunk {
    Chunk::Data {
        stream,
        offset,
        bytes: bytes.to_vec(),
    }
}

#[test]
fn a_log_is_followed_as_it_grows() {
    let mut log = Log::new();
    let mut reader = log.reader();
    assert_eq!(reader.next(100).unwrap(), None);
    log.add(&Piece::Out(b"one".to_vec()));
    log.save();
    assert_eq!(
        reader.next(100).unwrap(),
        Some(data(Stream::Stdout, 0, b"one"))
    );
    assert_eq!(reader.next(100).unwrap(), None);
    log.grow(b"more");
    log.save();
    assert_eq!(
        reader.next(2).unwrap(),
        Some(data(Stream::Stdout, 3, b"mo"))
    );
    log.grow(b"!");
    log.add(&Piece::Err(b"e".to_vec()));
    log.save();
    assert_eq!(
        reader.next(100).unwrap(),
        Some(data(Stream::Stdout, 5, b"re!"))
    );
    assert_eq!(
        reader.next(100).unwrap(),
        Some(data(Stream::Stderr, 8, b"e"))
    );
    assert_eq!(reader.next(100).unwrap(), None);
    log.add(&Piece::Gap(Stream::Stdout, 7));
    log.add(&Piece::Out(b"tail".to_vec()));
    log.save();
    let gap = Chunk::Gap {
        stream: Stream::Stdout,
        offset: 9,
        missing: 7,
    };
    assert_eq!(reader.next(100).unwrap(), Some(gap));
    assert_eq!(
        reader.next(100).unwrap(),
        Some(data(Stream::Stdout, 9, b"tail"))
    );
    assert_eq!(reader.next(100).unwrap(), None);
}

#[test]
fn skipping_says_how_much_and_goes_on_behind_it() {
    let mut log = Log::of(&[
        Piece::Out(vec![b'a'; 100]),
        Piece::Err(vec![b'b'; 50]),
        Piece::Out(vec![b'c'; 10]),
    ]);
    let mut reader = log.reader();
    reader.next(30).unwrap();
    assert_eq!(reader.end().unwrap(), 160);
    assert_eq!(reader.skip_to_end().unwrap(), 130);
    assert_eq!(reader.next(100).unwrap(), None);
    log.grow(b"ddd");
    log.add(&Piece::Err(b"e".to_vec()));
    log.save();
    assert_eq!(
        reader.next(100).unwrap(),
        Some(data(Stream::Stdout, 160, b"ddd"))
    );
    assert_eq!(
        reader.next(100).unwrap(),
        Some(data(Stream::Stderr, 163, b"e"))
    );
    assert_eq!(reader.skip_to_end().unwrap(), 0);
}

#[test]
fn an_index_that_promises_too_much_is_not_believed() {
    let mut log = Log::of(&[Piece::Out(b"there".to_vec())]);
    log.record(1000, 1);
    log.save();
    let mut reader = log.reader();
    assert_eq!(
        reader.next(100).unwrap(),
        Some(data(Stream::Stdout, 0, b"there"))
    );
    assert_eq!(reader.next(100).unwrap(), None);
    // A kind that readers do not know is damage: the log is read as it is.
    let mut log = Log::of(&[Piece::Out(b"there".to_vec())]);
    log.record(5, 9);
    log.save();
    let mut reader = log.reader();
    assert_eq!(reader.head(Stream::Stdout, 100).unwrap(), b"there");
    assert_eq!(reader.tail(Stream::Stderr, 100).unwrap(), b"");
}

/// What may happen to an index.
type Damage = fn(&mut Vec<u8>);

#[test]
fn a_log_is_read_without_its_index() {
    let pieces = [
        Piece::Out(b"one".to_vec()),
        Piece::Err(b"two".to_vec()),
        Piece::Out(b"three".to_vec()),
    ];
    let damages: [(&str, Damage); 4] = [
        ("empty", Vec::clear),
        ("nothing in it", |index| index.fill(0)),
        ("one record", |index| index[16 + 24] = 77),
        ("cut off", |index| index.truncate(24)),
    ];
    for (what, damage) in damages {
        let mut log = Log::of(&pieces);
        damage(&mut log.index);
        fs::write(log.directory.index(), &log.index).unwrap();
        let mut reader = log.reader();
        assert_eq!(reader.end().unwrap(), 11, "{what}");
        let mut all = Vec::new();
        while let Some(Chunk::Data { bytes, .. }) = reader.next(4).unwrap() {
            all.extend(bytes);
        }
        assert_eq!(all, b"onetwothree", "{what}");
        assert!(reader.is_unlisted().unwrap(), "{what}");
        reader.seek(8).unwrap();
        assert_eq!(reader.position().unwrap(), 8, "{what}");
        let lines = reader.tail_start(None, 1, 4).unwrap();
        assert_eq!(lines, 7, "{what}");
    }
    assert!(!Log::of(&pieces).reader().is_unlisted().unwrap());
}

fn pieces() -> impl Strategy<Value = Vec<Piece>> {
    let bytes = || proptest::collection::vec(any::<u8>(), 1..20);
    let piece = prop_oneof![
        5 => bytes().prop_map(Piece::Out),
        5 => bytes().prop_map(Piece::Err),
        1 => (1_u64..100).prop_map(|missing| Piece::Gap(Stream::Stdout, missing)),
        1 => (1_u64..100).prop_map(|missing| Piece::Gap(Stream::Stderr, missing)),
    ];
    // More than one block of the index.
    proptest::collection::vec(piece, 0..1200)
}

fn stretch<'a>(pieces: impl Iterator<Item = &'a Piece>, stream: Stream) -> Vec<&'a [u8]> {
    pieces
        .take_while(|piece| !matches!(piece, Piece::Gap(found, _) if *found == stream))
        .filter_map(|piece| match (piece, stream) {
            (Piece::Out(bytes), Stream::Stdout) | (Piece::Err(bytes), Stream::Stderr) => {
                Some(bytes.as_slice())
            }
            _ => None,
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn heads_tails_and_pieces_agree_with_what_was_written(pieces in pieces(), most in 1_usize..5000) {
        let log = Log::of(&pieces);
        let mut reader = log.reader();
        for stream in [Stream::Stdout, Stream::Stderr] {
            let head = stretch(pieces.iter(), stream).concat();
            let wanted = &head[..most.min(head.len())];
            prop_assert_eq!(reader.head(stream, most).unwrap(), wanted);
            let mut tail = stretch(pieces.iter().rev(), stream);
            tail.reverse();
            let tail = tail.concat();
            let wanted = &tail[tail.len().saturating_sub(most)..];
            prop_assert_eq!(reader.tail(stream, most).unwrap(), wanted);
        }
        let mut read = Vec::new();
        let mut missing = 0;
        while let Some(chunk) = reader.next(most).unwrap() {
            match chunk {
                Chunk::Data { offset, bytes, .. } => {
                    prop_assert!(bytes.len() <= most && !bytes.is_empty());
                    prop_assert_eq!(offset, read.len() as u64);
                    read.extend(bytes);
                }
                Chunk::Gap { missing: more, .. } => missing += more,
            }
        }
        prop_assert_eq!(read, &log.bytes[..]);
        let gaps: u64 = pieces.iter().map(|it| if let Piece::Gap(_, length) = it { *length } else { 0 }).sum();
        prop_assert_eq!(missing, gaps);
    }

    #[test]
    fn reading_goes_on_from_any_place(pieces in pieces(), place in 0.0_f64..1.0) {
        let log = Log::of(&pieces);
        let mut reader = log.reader();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "any place will do")]
        let offset = (log.bytes.len() as f64 * place) as usize;
        for offset in [offset, 0, log.bytes.len(), log.bytes.len() + 5] {
            reader.seek(offset as u64).unwrap();
            let start = offset.min(log.bytes.len());
            prop_assert_eq!(reader.position().unwrap(), start as u64);
            let (mut read, mut missing) = (Vec::new(), 0);
            while let Some(chunk) = reader.next(1000).unwrap() {
                match chunk {
                    Chunk::Data { offset, bytes, .. } => {
                        prop_assert_eq!(offset, (start + read.len()) as u64);
                        read.extend(bytes);
                    }
                    Chunk::Gap { missing: more, .. } => missing += more,
                }
            }
            prop_assert_eq!(&read, &log.bytes[start..]);
            let (mut gaps, mut at) = (0, 0);
            for piece in &pieces {
                match piece {
                    Piece::Out(bytes) | Piece::Err(bytes) => at += bytes.len(),
                    Piece::Gap(_, length) if at >= offset => gaps += length,
                    Piece::Gap(..) => {}
                }
            }
            prop_assert_eq!(missing, gaps);
        }
    }

    #[test]
    fn the_last_lines_begin_where_counting_says(
        text in "[a\n]{0,200}",
        cuts in proptest::collection::vec(1_usize..20, 1..20),
        lines in 1_usize..10,
        most in 1_u64..300,
    ) {
        let mut log = Log::new();
        let mut rest = text.as_bytes();
        for (cut, number) in cuts.iter().cycle().zip(0..) {
            if rest.is_empty() { break; }
            let (piece, later) = rest.split_at((*cut).min(rest.len()));
            let piece = piece.to_vec();
            log.add(&if number % 2 == 0 { Piece::Out(piece) } else { Piece::Err(piece) });
            rest = later;
        }
        log.save();
        let wanted: usize = text.split_inclusive('\n').rev().take(lines).map(str::len).sum();
        let wanted = (wanted as u64).min(most);
        let start = log.reader().tail_start(None, lines, most).unwrap();
        prop_assert_eq!(start, text.len() as u64 - wanted);
    }
}
