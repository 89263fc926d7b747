//! A table of the commands of a working day: how many work by default, how many after one yes or
//! the first advice, and whether the rest says what to do.
//!
//! The table is `tests/work/commands`, the projects that it works on are made by `tests/work/projects`.
//! `cargo xtask soak --only work` runs all of it and prints what came of each line that did not work
//! at once; any other run takes a slice.

mod line;
mod person;
mod project;
mod report;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use line::Line;
use person::Person;
use project::Project;
use report::{Came, Row};

use crate::support::{World, is_long};

/// How many lines a run takes that is no soak.
const SLICE: usize = 60;
/// How many projects are worked on at a time.
const AT_ONCE: usize = 4;

#[test]
fn commands_of_a_working_day() {
    let table = line::table();
    let lines = if is_long() { table } else { slice(&table) };
    let world = World::below("/var/tmp");
    let person = Person::new(&world);
    let projects = by_project(&lines);
    let (next, rows) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(lines) = projects.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let done = work_through(&person, lines);
                    rows.lock().unwrap().extend(done);
                }
            });
        }
    });
    let rows = rows.into_inner().unwrap();
    println!("{}", report::of(&rows));
    let wrong = report::bars(&rows, is_long());
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What came of the lines of one project, in their order.
fn work_through(person: &Person, lines: &[Line]) -> Vec<Row> {
    let project = match Project::make(person, &lines[0].project) {
        Ok(project) => project,
        Err(why) => {
            let row = |line: &Line| Row::new(line, Came::NotTried(why.clone()));
            return lines.iter().map(row).collect();
        }
    };
    let tried = lines.iter().map(|line| {
        let came = match line.lacking() {
            Some(program) => Came::NotTried(format!("this host has no `{program}`")),
            None => person.attempts(&project, line),
        };
        Row::new(line, came)
    });
    tried.collect()
}

/// Lines from all over the table, as many of a project as its part of the table is.
fn slice(table: &[Line]) -> Vec<Line> {
    let quick: Vec<&Line> = table.iter().filter(|line| line.is_for_slices()).collect();
    let chosen = |index: usize| (index + 1) * SLICE / quick.len() > index * SLICE / quick.len();
    let lines = quick.iter().enumerate();
    let lines = lines.filter(|(index, _)| chosen(*index));
    lines.map(|(_, line)| (*line).clone()).collect()
}

fn by_project(lines: &[Line]) -> Vec<Vec<Line>> {
    let projects = lines.chunk_by(|one, next| one.project == next.project);
    projects.map(<[Line]>::to_vec).collect()
}
