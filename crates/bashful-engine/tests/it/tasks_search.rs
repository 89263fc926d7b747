//! Searching the logs of tasks.

use std::time::{Duration, Instant};

use bashful_engine::{Invocation, ReadRequest, SearchRequest, Stream, TaskError};

use crate::support::{House, LONG, run};

#[test]
fn a_log_can_be_searched() {
    let house = House::new();
    let engine = house.engine();
    let command =
        "for i in $(seq 1 1000); do echo line $i; done; echo error: 7 >&2; printf 'no end'";
    let id = run(&engine, Invocation::bash(command)).task_id.unwrap();
    let task = engine.task(&id).unwrap();
    let found = task
        .search(&SearchRequest::new(r"^line \d*77$").context_lines(1))
        .unwrap();
    let lines: Vec<(u64, &str)> = found
        .lines
        .iter()
        .map(|it| (it.number, it.text.as_str()))
        .collect();
    assert_eq!(lines.len(), 10);
    assert_eq!(lines[0], (77, "line 77"));
    assert_eq!(found.lines[0].before, ["line 76"]);
    assert_eq!(found.lines[0].after, ["line 78"]);
    assert!(!found.more && !found.timed_out);
    // The place of a line is where it can be read.
    let there = task
        .read(&ReadRequest::after(found.lines[1].offset).max_bytes(9))
        .unwrap();
    assert_eq!(there.text(), "line 177\n");
    // In portions, it is the same.
    let mut after = 0;
    let mut numbers = Vec::new();
    loop {
        let request = SearchRequest::new(r"^line \d*77$")
            .after(after)
            .max_matches(3);
        let part = task.search(&request).unwrap();
        numbers.extend(part.lines.iter().map(|it| it.number));
        after = part.next;
        if !part.more {
            break;
        }
    }
    assert_eq!(numbers, lines.iter().map(|it| it.0).collect::<Vec<_>>());
    let error = task
        .search(&SearchRequest::new("error").stream(Stream::Stderr))
        .unwrap();
    assert_eq!((error.lines.len(), error.lines[0].number), (1, 1));
    // The two streams may mix, so its line is one only among its own.
    let last_line = SearchRequest::new("no end$").stream(Stream::Stdout);
    let last = task.search(&last_line).unwrap();
    assert_eq!(last.lines.len(), 1);
    assert!(
        task.search(&last_line.after(last.next))
            .unwrap()
            .lines
            .is_empty()
    );
    assert!(
        task.search(&SearchRequest::new("nowhere"))
            .unwrap()
            .lines
            .is_empty()
    );
    for pattern in ["(", "", "a{99999}", &"x".repeat(1001)] {
        let error = task.search(&SearchRequest::new(pattern)).unwrap_err();
        assert!(matches!(error, TaskError::Pattern { .. }), "{error:?}");
    }
}

#[test]
fn a_search_ends_in_time_and_says_where_it_stopped() {
    let house = House::new();
    let engine = house.engine();
    let command = "head -c 30000000 /dev/zero | tr '\\0' a; echo; yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab | head -n 300000; echo end";
    let id = run(&engine, Invocation::bash(command)).task_id.unwrap();
    let task = engine.task(&id).unwrap();
    let slow = SearchRequest::new("(a|aa|aaa|aaaa|aaaaa)+c").patience(Duration::from_millis(300));
    let begun = Instant::now();
    let found = task.search(&slow).unwrap();
    assert!(
        found.timed_out && found.more && found.lines.is_empty(),
        "{found:?}"
    );
    assert!(begun.elapsed() < LONG / 2);
    // The line that is far too long was searched in part, and that is said.
    let all = task
        .search(&SearchRequest::new("end").patience(LONG))
        .unwrap();
    assert_eq!((all.cut_lines, all.lines.len()), (1, 1));
    assert_eq!(all.lines[0].number, 300_002);
    let one = task
        .search(&SearchRequest::new("a").max_matches(1))
        .unwrap();
    assert_eq!(one.lines[0].text.len(), 2000);
}

#[test]
fn an_answer_stays_small_however_much_matches() {
    let house = House::new();
    let engine = house.engine();
    let command = "yes $(printf '%2000s' x | tr ' ' y) | head -n 3000";
    let id = run(&engine, Invocation::bash(command)).task_id.unwrap();
    let task = engine.task(&id).unwrap();
    let (mut after, mut numbers) = (0, Vec::new());
    loop {
        let request = SearchRequest::new("x$")
            .after(after)
            .max_matches(usize::MAX);
        let found = task.search(&request.context_lines(2)).unwrap();
        let size = |lines: &[String]| lines.iter().map(String::len).sum::<usize>();
        let held = found.lines.iter();
        let held = held.map(|it| it.text.len() + size(&it.before) + size(&it.after));
        assert!(held.sum::<usize>() < 5 << 20);
        numbers.extend(found.lines.iter().map(|it| it.number));
        after = found.next;
        if !found.more {
            break;
        }
    }
    assert_eq!(numbers, (1..=3000).collect::<Vec<u64>>());
}
