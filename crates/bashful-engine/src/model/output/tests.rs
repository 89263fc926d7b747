//! Cuts against a plain reference, for every limit and every way of keeping.

use std::fs;

use bashful_keeper::{TaskDirectory, TaskId};
use proptest::prelude::*;

use super::*;

/// A log with this standard output, and pieces of standard error in between.
fn captured(stdout: &[u8], limit: OutputLimit) -> Captured {
    let temporary = tempfile::tempdir().unwrap();
    let directory = TaskDirectory::of(temporary.path(), &TaskId::fresh("bash"));
    fs::create_dir_all(directory.path()).unwrap();
    let (mut log, mut index) = (Vec::new(), Vec::new());
    let mut add = |bytes: &[u8], kind: u8| {
        index.extend((log.len() as u64).to_le_bytes());
        index.extend((bytes.len() as u64).to_le_bytes());
        index.extend([kind, 0, 0, 0, 0, 0, 0, 0]);
        log.extend(bytes);
    };
    for piece in stdout.chunks(7) {
        add(piece, 1);
        add(b"other", 2);
    }
    fs::write(directory.log(), log).unwrap();
    fs::write(directory.index(), index).unwrap();
    let mut reader = LogReader::open(&directory).unwrap();
    let totals = Totals {
        bytes: stdout.len() as u64,
        characters: String::from_utf8_lossy(stdout).chars().count() as u64,
    };
    capture(&mut reader, Stream::Stdout, totals, limit).unwrap()
}

fn characters(text: &str, keep: Keep, amount: usize) -> String {
    captured(text.as_bytes(), OutputLimit::characters(keep, amount)).text
}

#[test]
fn the_marker_lines_are_exact() {
    let text = "0123456789";
    assert_eq!(
        characters(text, Keep::Tail, 3),
        "[Output truncated: showing last 3 chars of 10 chars]\n789"
    );
    assert_eq!(
        characters(text, Keep::HeadTail, 4),
        "01\n... (6 characters truncated) ...\n89"
    );
    assert_eq!(
        characters(text, Keep::HeadTail, 5),
        "01\n... (5 characters truncated) ...\n789"
    );
    assert_eq!(
        characters(text, Keep::Head, 3),
        "012\n... (7 characters truncated) ..."
    );
    assert_eq!(
        characters("ab\ncd", Keep::Head, 3),
        "ab\n... (2 characters truncated) ...",
        "no empty line before the marker"
    );
}

#[test]
fn what_fits_is_left_alone() {
    for keep in [Keep::Head, Keep::Tail, Keep::HeadTail] {
        assert_eq!(characters("äöü", keep, 3), "äöü");
        assert_eq!(characters("", keep, 1), "");
        let limit = OutputLimit::bytes(keep, 6);
        let whole = captured("äöü".as_bytes(), limit);
        assert_eq!((whole.text.as_str(), whole.truncated), ("äöü", false));
    }
}

#[test]
fn one_character_is_the_smallest_limit() {
    assert_eq!(
        characters("🦀🦀", Keep::Head, 1),
        "🦀\n... (1 characters truncated) ..."
    );
    assert_eq!(
        characters("🦀🦀", Keep::HeadTail, 1),
        "... (1 characters truncated) ...\n🦀"
    );
    assert_eq!(
        characters("🦀🦀", Keep::Tail, 1),
        "[Output truncated: showing last 1 chars of 2 chars]\n🦀"
    );
}

/// What a limit of characters means for text.
fn reference(text: &str, keep: Keep, amount: usize) -> String {
    let total = text.chars().count();
    if total <= amount {
        return text.to_owned();
    }
    let first = |count: usize| -> String { text.chars().take(count).collect() };
    let last = |count: usize| -> String { text.chars().skip(total - count).collect() };
    let marker = format!("... ({} characters truncated) ...", total - amount);
    let line = |head: String| {
        if head.is_empty() || head.ends_with('\n') {
            head
        } else {
            head + "\n"
        }
    };
    match keep {
        Keep::Head => line(first(amount)) + &marker,
        Keep::Tail => format!(
            "[Output truncated: showing last {amount} chars of {total} chars]\n{}",
            last(amount)
        ),
        Keep::HeadTail => {
            let half = amount / 2;
            format!("{}{marker}\n{}", line(first(half)), last(amount - half))
        }
    }
}

fn keeps() -> impl Strategy<Value = Keep> {
    prop_oneof![Just(Keep::Head), Just(Keep::Tail), Just(Keep::HeadTail)]
}

proptest! {
    #[test]
    fn text_is_cut_as_the_reference_cuts(
        text in "[aä€🦀\n]{0,60}", keep in keeps(), amount in 1_usize..70,
    ) {
        prop_assert_eq!(characters(&text, keep, amount), reference(&text, keep, amount));
    }

    #[test]
    fn any_bytes_stay_within_a_limit_of_characters(
        bytes in proptest::collection::vec(prop_oneof![any::<u8>(), Just(0xf0), Just(0x9f), Just(b'a')], 0..200),
        keep in keeps(),
        amount in 1_usize..100,
    ) {
        let total = String::from_utf8_lossy(&bytes).chars().count();
        let captured = captured(&bytes, OutputLimit::characters(keep, amount));
        prop_assert_eq!(captured.truncated, total > amount);
        // The marker has under 70 characters and at most two line breaks around it.
        prop_assert!(captured.text.chars().count() <= amount + 72);
        if !captured.truncated {
            prop_assert_eq!(captured.text, String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn text_stays_within_a_limit_of_bytes(
        text in "[aä€🦀]{0,300}", keep in keeps(), amount in 1_usize..400,
    ) {
        let captured = captured(text.as_bytes(), OutputLimit::bytes(keep, amount));
        prop_assert_eq!(captured.truncated, text.len() > amount);
        prop_assert!(!captured.text.contains('\u{fffd}'), "a character was cut");
        if amount > 128 {
            prop_assert!(captured.text.len() <= amount, "{} bytes", captured.text.len());
        }
    }
}
