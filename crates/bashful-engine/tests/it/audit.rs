//! The audit trail under many processes, kills and full disks.
//!
//! A writer is this same executable again: threads would share what processes do not.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bashful_engine::audit::{AuditError, Event, Starting, Trail, Verdict};

use crate::support::{House, outside};

const STATE: &str = "BASHFUL_TEST_AUDIT_STATE";
const NAME: &str = "BASHFUL_TEST_AUDIT_NAME";
const COUNT: &str = "BASHFUL_TEST_AUDIT_COUNT";

fn event(task: String) -> Event {
    Event::Start(Starting {
        task,
        agent: "a".repeat(100),
        session: "s".to_owned(),
        claimed: None,
    })
}

/// In a process that a test started to write, writes and tells so: appends in turn one and three
/// records, and says which are written. Tells the first error instead.
fn is_writer() -> bool {
    if std::env::var_os(STATE).is_none() {
        return false;
    }
    write();
    true
}

fn write() {
    let variable = |name| std::env::var(name).unwrap();
    let trail = Trail::at(&PathBuf::from(variable(STATE)));
    let name = variable(NAME);
    let count: usize = variable(COUNT).parse().unwrap();
    let mut out = std::io::stdout();
    let mut number = 0;
    while number < count {
        let batch = if number % 2 == 0 { 1 } else { 3 };
        let tasks: Vec<String> = (number..number + batch)
            .map(|number| format!("{name}-{number}"))
            .collect();
        let events: Vec<Event> = tasks.iter().cloned().map(event).collect();
        match trail.append(&events) {
            Ok(unsynced) if number % 8 == 0 => unsynced.sync().unwrap(),
            Ok(_) => {}
            Err(AuditError::Failed { doing, source, .. }) => {
                writeln!(out, "failed {doing} {:?}", source.kind()).unwrap();
                return;
            }
            Err(error) => panic!("{error}"),
        }
        writeln!(out, "wrote {}", tasks.join(" ")).unwrap();
        number += batch;
    }
}

fn set_up(mut command: Command, house: &House, name: &str, count: usize) -> Child {
    command
        .env(STATE, house.state())
        .env(NAME, name)
        .env(COUNT, count.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The arguments for this executable to come to `is_writer` in this test.
fn as_writer(test: &str) -> [String; 3] {
    let test = format!("audit::{test}");
    ["--exact".to_owned(), "--nocapture".to_owned(), test]
}

fn start(test: &str, house: &House, name: &str, count: usize) -> Child {
    let mut command = outside(std::env::current_exe().unwrap());
    command.args(as_writer(test));
    set_up(command, house, name, count)
}

/// What a writer said: the tasks that it wrote, and its error.
fn said(child: Child) -> (Vec<String>, Option<String>) {
    let mut tasks = Vec::new();
    let mut failure = None;
    let mut child = child;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        // The test harness says things too.
        if let Some(written) = line.split("wrote ").nth(1) {
            tasks.extend(written.split(' ').map(str::to_owned));
        }
        if let Some(error) = line.split("failed ").nth(1).filter(|_| failure.is_none()) {
            failure = Some(error.to_owned());
        }
    }
    child.wait().unwrap();
    (tasks, failure)
}

/// The tasks on record, after a look at the whole chain.
fn on_record(house: &House) -> Vec<String> {
    let trail = Trail::at(&house.state());
    let found = trail.verify(&[]).unwrap();
    assert_eq!(found.verdict(), Verdict::Consistent, "{found:?}");
    let records = trail.records().unwrap().map(Result::unwrap);
    let task = |event: Option<Event>| match event {
        Some(Event::Start(starting)) => Some(starting.task),
        _ => None,
    };
    records.filter_map(|record| task(record.event)).collect()
}

#[test]
fn sixty_four_processes_at_once_lose_nothing() {
    if is_writer() {
        return;
    }
    let house = House::new();
    let writers: Vec<Child> = (0..64)
        .map(|number| {
            start(
                "sixty_four_processes_at_once_lose_nothing",
                &house,
                &format!("w{number}"),
                20,
            )
        })
        .collect();
    let mut written = Vec::new();
    for writer in writers {
        let (tasks, failure) = said(writer);
        assert_eq!((tasks.len(), failure), (20, None));
        written.extend(tasks);
    }
    let mut recorded = on_record(&house);
    // What was appended together stands together and in order.
    for three in recorded.windows(3) {
        let (name, number) = three[0].split_once('-').unwrap();
        let number: usize = number.parse().unwrap();
        if number % 4 == 1 {
            let next = [
                format!("{name}-{}", number + 1),
                format!("{name}-{}", number + 2),
            ];
            assert_eq!(three[1..], next);
        }
    }
    recorded.sort();
    written.sort();
    assert_eq!(recorded, written);
}

#[test]
fn what_a_killed_writer_said_is_written_is_on_record() {
    if is_writer() {
        return;
    }
    let house = House::new();
    for round in 0..10 {
        let mut writers: Vec<Child> = (0..4)
            .map(|number| {
                start(
                    "what_a_killed_writer_said_is_written_is_on_record",
                    &house,
                    &format!("r{round}w{number}"),
                    1_000_000,
                )
            })
            .collect();
        std::thread::sleep(Duration::from_millis(30 + 7 * round));
        for writer in &mut writers {
            writer.kill().unwrap();
        }
        let written: Vec<String> = writers
            .into_iter()
            .flat_map(|writer| said(writer).0)
            .collect();
        let recorded: BTreeSet<String> = on_record(&house).into_iter().collect();
        let lost: Vec<_> = written
            .iter()
            .filter(|task| !recorded.contains(*task))
            .collect();
        assert_eq!(lost, [] as [&String; 0]);
    }
    assert!(!on_record(&house).is_empty());
}

#[test]
fn a_full_disk_is_an_error_and_nothing_half_written_stays() {
    if is_writer() {
        return;
    }
    let house = House::new();
    let trail = Trail::at(&house.state());
    trail.append_synced(&[event("first".to_owned())]).unwrap();
    // A limit on the size of files does what a full disk does, for every user.
    let mut command = outside("sh");
    command
        .args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(as_writer(
            "a_full_disk_is_an_error_and_nothing_half_written_stays",
        ));
    let (tasks, failure) = said(set_up(command, &house, "limited", 1000));
    let failure = failure.unwrap();
    assert!(
        ["write StorageFull", "write FileTooLarge"].contains(&failure.as_str()),
        "{failure}"
    );
    assert!(tasks.len() > 10, "{tasks:?}");
    let recorded = on_record(&house);
    assert_eq!(recorded.get(1..).unwrap(), tasks);
    let text = std::fs::read_to_string(trail.path()).unwrap();
    assert!(text.ends_with("}\n"));
    // There is room again, and nothing needs mending.
    trail.append_synced(&[event("last".to_owned())]).unwrap();
    let found = trail.verify(&[]).unwrap();
    assert_eq!(found.remarks, []);
    assert_eq!(on_record(&house).len(), recorded.len() + 1);
}
