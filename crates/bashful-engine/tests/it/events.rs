//! The stream of events: in order, complete, and never in the command's way.

use std::fs;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use bashful_engine::{Event, Events, ExecutionResult, Invocation, Status, Stream};

use crate::support::{House, LONG, eventually, numbered, started};

/// What a reader was told, put together again.
#[derive(Default)]
struct Told {
    /// One letter for each event, repeated ones only once.
    order: String,
    log: Vec<u8>,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    gaps: Vec<(u64, Option<u64>)>,
    result: Option<ExecutionResult>,
}

impl Told {
    fn hear(&mut self, event: Event) {
        let letter = match event {
            Event::Started { task_id, pid } => {
                assert!(task_id.starts_with("bash-") && pid > 1);
                's'
            }
            Event::Output {
                stream,
                offset,
                bytes,
            } => {
                let skipped: u64 = self.gaps.iter().map(|(bytes, _)| *bytes).sum();
                assert_eq!(offset, self.log.len() as u64 + skipped, "out of order");
                assert!(!bytes.is_empty());
                self.log.extend(&bytes);
                match stream {
                    Stream::Stdout => self.stdout.extend(bytes),
                    Stream::Stderr => self.stderr.extend(bytes),
                }
                'o'
            }
            Event::Gap { bytes, in_log_at } => {
                self.gaps.push((bytes, in_log_at));
                'g'
            }
            Event::SoftTimeout { elapsed } => {
                assert!(elapsed >= Duration::from_millis(200) && elapsed < LONG);
                'w'
            }
            Event::Survivors(list) => {
                assert!(!list.is_empty());
                'v'
            }
            Event::Finished(result) => {
                self.result = Some(result.unwrap());
                'f'
            }
            other => panic!("{other:?}"),
        };
        if !self.order.ends_with(letter) {
            self.order.push(letter);
        }
    }

    async fn listen(events: &mut Events) -> Self {
        let mut told = Self::default();
        while let Some(event) = events.next().await {
            told.hear(event);
        }
        assert!(events.is_done());
        assert!(events.next().await.is_none(), "something after the end");
        told
    }
}

const BOTH: &str = "for i in {1..300}; do echo out$i; echo err$i >&2; done";

#[tokio::test]
async fn events_come_in_order_and_give_the_whole_log() {
    let house = House::new();
    let run = started(&house.engine(), Invocation::bash(BOTH));
    let told = Told::listen(&mut run.events()).await;
    assert_eq!(told.order, "sof");
    let result = run.wait().await.unwrap();
    let lines = |word: &str| numbered(word, 300);
    assert_eq!(String::from_utf8(told.stdout).unwrap(), lines("out"));
    assert_eq!(String::from_utf8(told.stderr).unwrap(), lines("err"));
    assert_eq!(result.stdout, lines("out"));
    assert_eq!(result.stderr, lines("err"));
    assert_eq!(told.log, fs::read(result.output_file.unwrap()).unwrap());
    assert_eq!(told.result.unwrap().stdout, lines("out"));
}

#[tokio::test]
async fn output_is_told_while_the_command_runs() {
    let house = House::new();
    let command = "echo first; until [ -e go ]; do sleep 0.02; done; echo second >&2";
    let run = started(&house.engine(), Invocation::bash(command));
    let mut events = run.events();
    let mut told = Told::default();
    while told.stdout.is_empty() {
        told.hear(events.next().await.unwrap());
    }
    assert_eq!(told.stdout, b"first\n");
    fs::write(house.file("go"), "").unwrap();
    while let Some(event) = events.next().await {
        told.hear(event);
    }
    assert_eq!(
        (told.order.as_str(), told.stderr.as_slice()),
        ("sof", &b"second\n"[..])
    );
}

#[tokio::test]
async fn every_reader_gets_everything_at_its_own_pace() {
    let house = House::new();
    let run = started(&house.engine(), Invocation::bash(BOTH));
    let (mut one, mut other) = (run.events(), run.events());
    let first = Told::listen(&mut one).await;
    let second = Told::listen(&mut other).await;
    // Also one that comes when everything is over.
    let late = Told::listen(&mut run.events()).await;
    assert_eq!(first.log, second.log);
    assert_eq!(first.log, late.log);
    assert_eq!(late.order, "sof");
}

#[test]
fn a_thread_can_listen_too() {
    let house = House::new();
    let run = started(&house.engine(), Invocation::bash("sleep 0.3; echo late"));
    let mut events = run.events();
    let mut told = Told::default();
    told.hear(events.next_until(None).unwrap());
    let soon = Instant::now() + Duration::from_millis(20);
    assert!(events.next_until(Some(soon)).is_none() && !events.is_done());
    while let Some(event) = events.next_until(Some(Instant::now() + LONG)) {
        told.hear(event);
    }
    assert_eq!(
        (told.order.as_str(), told.log.as_slice()),
        ("sof", &b"late\n"[..])
    );
}

#[tokio::test]
async fn the_soft_limit_is_an_event_and_the_command_goes_on() {
    let house = House::new();
    let invocation =
        Invocation::bash("echo one; sleep 1; echo two").warn_after(Duration::from_millis(200));
    let run = started(&house.engine(), invocation);
    let told = Told::listen(&mut run.events()).await;
    assert_eq!(told.order, "sowof");
    let result = told.result.unwrap();
    assert_eq!((result.status, result.timed_out), (Status::Success, false));
    assert_eq!(result.stdout, "one\ntwo\n");
}

#[tokio::test]
async fn survivors_are_told_before_the_end() {
    let house = House::new();
    let command = "echo left; sleep 1000 > /dev/null 2>&1 & disown; exit 0";
    let run = started(&house.engine(), Invocation::bash(command));
    let told = Told::listen(&mut run.events()).await;
    assert_eq!(told.order, "sovf");
    let result = told.result.unwrap();
    let [survivor] = result.survivors.as_slice() else {
        panic!("{:?}", result.survivors)
    };
    assert_eq!(
        (survivor.command.as_str(), survivor.fate),
        ("sleep 1000", "killed")
    );
}

#[tokio::test]
async fn a_slow_reader_does_not_slow_the_command_and_is_told_of_the_gap() {
    const TOTAL: u64 = 64 << 20;
    let house = House::new();
    let command = format!("yes 0123456789abcde | head -c {TOTAL}; touch done");
    let run = started(&house.engine(), Invocation::bash(command));
    let mut events = run.events();
    let mut told = Told::default();
    told.hear(events.next().await.unwrap());
    // The reader does not read, and still the command comes to its end.
    assert!(eventually(LONG, || house.file("done").exists()));
    while let Some(event) = events.next().await {
        told.hear(event);
    }
    let result = run.wait().await.unwrap();
    assert_eq!(result.stdout_bytes, TOTAL);
    assert!(!told.gaps.is_empty(), "nothing was skipped");
    let skipped: u64 = told.gaps.iter().map(|(bytes, _)| *bytes).sum();
    assert_eq!(skipped + told.log.len() as u64, TOTAL);
    let log = fs::File::open(result.output_file.unwrap()).unwrap();
    for (bytes, at) in told.gaps {
        let at = at.expect("it is in the log");
        let mut ends = [[0; 16]; 2];
        log.read_exact_at(&mut ends[0], at.next_multiple_of(16))
            .unwrap();
        log.read_exact_at(&mut ends[1], (at + bytes) / 16 * 16 - 16)
            .unwrap();
        assert_eq!(ends, [*b"0123456789abcde\n"; 2]);
    }
}

#[tokio::test]
async fn a_lossless_reader_gets_everything_however_late() {
    let house = House::new();
    let command = "seq 1 3000000; touch done";
    let run = started(&house.engine(), Invocation::bash(command));
    let mut events = run.events().lossless();
    assert!(eventually(LONG, || house.file("done").exists()));
    let told = Told::listen(&mut events).await;
    let result = run.wait().await.unwrap();
    assert!(told.gaps.is_empty());
    assert!(result.stdout_bytes > 8 << 20, "too little to lag behind");
    assert_eq!(told.stdout.len() as u64, result.stdout_bytes);
    let log = fs::read(result.output_file.unwrap()).unwrap();
    assert!(told.log == log, "the events differ from the log");
}

#[tokio::test]
async fn output_past_the_quota_is_a_gap_that_is_nowhere() {
    let house = House::new();
    let invocation = Invocation::bash("head -c 1000000 /dev/zero | tr '\\0' x")
        .log_quota(100_000, bashful_engine::config::OnLogFull::Continue);
    let run = started(&house.engine(), invocation);
    let mut events = run.events();
    let mut bytes = 0;
    let mut missing = 0;
    while let Some(event) = events.next().await {
        match event {
            Event::Output { bytes: more, .. } => bytes += more.len() as u64,
            Event::Gap {
                bytes: more,
                in_log_at,
            } => {
                assert_eq!(in_log_at, None);
                missing += more;
            }
            _ => {}
        }
    }
    assert!(missing > 0);
    assert_eq!(bytes + missing, 1_000_000);
}
