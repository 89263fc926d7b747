//! Laws of reading by place, on logs that are written here by hand as the format says.

use std::fs;

use bashful_keeper::{TaskDirectory, TaskId};
use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Written {
    Data(Stream, Vec<u8>),
    Gap(Stream, u64),
}

/// A log on disk.
struct OnDisk {
    _temporary: tempfile::TempDir,
    reader: LogReader,
}

fn log(pieces: &[Written]) -> OnDisk {
    let temporary = tempfile::tempdir().unwrap();
    let directory = TaskDirectory::of(temporary.path(), &TaskId::fresh("bash"));
    fs::create_dir_all(directory.path()).unwrap();
    let (mut bytes, mut index) = (Vec::new(), Vec::new());
    for piece in pieces {
        let (length, kind) = match piece {
            Written::Data(Stream::Stdout, data) => (data.len() as u64, 1),
            Written::Data(Stream::Stderr, data) => (data.len() as u64, 2),
            Written::Gap(Stream::Stdout, missing) => (*missing, 3),
            Written::Gap(Stream::Stderr, missing) => (*missing, 4),
        };
        index.extend((bytes.len() as u64).to_le_bytes());
        index.extend(length.to_le_bytes());
        index.extend([kind, 0, 0, 0, 0, 0, 0, 0]);
        if let Written::Data(_, data) = piece {
            bytes.extend(data);
        }
    }
    fs::write(directory.log(), &bytes).unwrap();
    fs::write(directory.index(), &index).unwrap();
    let reader = LogReader::open(&directory).unwrap();
    OnDisk {
        _temporary: temporary,
        reader,
    }
}

fn stream() -> impl Strategy<Value = Stream> {
    prop_oneof![Just(Stream::Stdout), Just(Stream::Stderr)]
}

/// Bytes that like to be parts of characters.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        Just(b'a'),
        Just(b'\n'),
        Just(0xc3),
        Just(0xe2),
        Just(0x82),
        Just(0xac),
        Just(0xf0),
        Just(0x9f),
        any::<u8>(),
    ];
    prop_oneof![
        proptest::collection::vec(byte, 0..20),
        Just("añ€😀".as_bytes().to_vec()),
    ]
}

fn written() -> impl Strategy<Value = Vec<Written>> {
    let piece = prop_oneof![
        4 => (stream(), bytes()).prop_map(|(stream, bytes)| Written::Data(stream, bytes)),
        1 => (stream(), 1_u64..100).prop_map(|(stream, missing)| Written::Gap(stream, missing)),
    ];
    proptest::collection::vec(piece, 0..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn reads_that_are_joined_are_the_log_exactly_once(
        pieces in written(),
        limits in proptest::collection::vec(1_usize..40, 1..10),
        only in proptest::option::of(stream()),
        over in any::<bool>(),
    ) {
        let mut log = log(&pieces);
        let wanted = |stream: Stream| only.is_none_or(|only| only == stream);
        let whole: Vec<u8> = pieces.iter().filter_map(|piece| match piece {
            Written::Data(stream, data) if wanted(*stream) => Some(data.as_slice()),
            _ => None,
        }).collect::<Vec<_>>().concat();
        let missing: u64 = pieces.iter().map(|piece| match piece {
            Written::Gap(stream, missing) if wanted(*stream) => *missing,
            _ => 0,
        }).sum();
        let state = if over { TaskState::Finished } else { TaskState::Running };
        let (mut joined, mut text, mut gaps, mut from) = (Vec::new(), String::new(), 0, 0);
        let mut ended = false;
        for limit in limits.iter().cycle().take(1000) {
            let place = Passage { from, most: *limit, stream: only, state };
            let output = gather(&mut log.reader, place).unwrap();
            let is_one = output.text().chars().count() == 1;
            prop_assert!(output.bytes.len() <= *limit || is_one);
            prop_assert!(output.next >= from);
            let lengths: usize = output.pieces.iter().map(|piece| piece.length).sum();
            prop_assert_eq!(lengths, output.bytes.len());
            let idle = output.next == from && output.bytes.is_empty();
            joined.extend_from_slice(&output.bytes);
            text.push_str(&output.text());
            gaps += output.gap;
            from = output.next;
            ended = output.ended;
            if ended || idle { break; }
        }
        prop_assert_eq!(ended, over);
        if over {
            prop_assert_eq!(gaps, missing);
            prop_assert_eq!(&text, &String::from_utf8_lossy(&whole));
            prop_assert_eq!(joined, whole);
        } else {
            // What may become a character is held back, and nothing else.
            let held = whole.len() - joined.len();
            prop_assert_eq!(held, cut_at_end(&whole));
            prop_assert!(whole.starts_with(&joined));
            // When the end comes, the rest does.
            let place = Passage { from, most: 1000, stream: only, state: TaskState::Finished };
            let rest = gather(&mut log.reader, place).unwrap();
            joined.extend_from_slice(&rest.bytes);
            prop_assert!(rest.ended);
            prop_assert_eq!(joined, whole);
            prop_assert_eq!(gaps + rest.gap, missing);
        }
    }
}

#[test]
fn the_tail_is_the_last_lines_or_the_last_whole_characters() {
    let out = |text: &str| Written::Data(Stream::Stdout, text.as_bytes().to_vec());
    let err = |text: &str| Written::Data(Stream::Stderr, text.as_bytes().to_vec());
    let mut log = log(&[out("one\ntwo\nth"), err("error\n"), out("ree\nfour €\n")]);
    let mut tail = |request: ReadRequest| {
        let most = request.max_bytes;
        let from = settle(&mut log.reader, &request, most).unwrap();
        let place = Passage {
            from,
            most,
            stream: request.stream,
            state: TaskState::Finished,
        };
        gather(&mut log.reader, place).unwrap().text()
    };
    let request = ReadRequest::default();
    assert_eq!(tail(request.tail(1)), "four €\n");
    assert_eq!(tail(request.tail(2)), "ree\nfour €\n");
    assert_eq!(
        tail(request.tail(2).stream(Stream::Stdout)),
        "three\nfour €\n"
    );
    assert_eq!(tail(request.tail(9).stream(Stream::Stderr)), "error\n");
    assert_eq!(tail(request.tail(9).max_bytes(5)), " €\n");
    assert_eq!(tail(request.tail(9).max_bytes(4)), "€\n");
    // Within the euro sign: what is left of it is left out.
    assert_eq!(tail(request.tail(9).max_bytes(3)), "\n");
    // Never more than was asked for.
    let after = ReadRequest::after(25);
    assert_eq!(tail(after.tail(9)), "€\n");
}
