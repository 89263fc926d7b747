//! A process that looks whether a task is owned is never in the way of its keeper.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::*;

/// How many tasks are made while other threads look.
const TASKS: usize = 1500;
/// The longest that this may take.
const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn a_start_is_not_disturbed_by_those_who_look() {
    let state = tempfile::tempdir().unwrap();
    let fresh = || TaskDirectory::of(state.path(), &TaskId::fresh("bash"));
    // A keeper whose file had its name before its lock would fail if a process looked just then.
    let named_first = fresh();
    fs::create_dir_all(named_first.path()).unwrap();
    let spec = named_first.path().join(SPEC);
    let file = private_file().open(&spec).unwrap();
    let look = open_ours(&spec).unwrap();
    flock(&look, FlockOperation::NonBlockingLockShared).unwrap();
    let taken = flock(&file, FlockOperation::NonBlockingLockExclusive);
    assert_eq!(taken, Err(rustix::io::Errno::WOULDBLOCK));

    let looked_at = Mutex::new(named_first);
    let is_over = AtomicBool::new(false);
    let until = Instant::now() + PATIENCE;
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let directory = looked_at.lock().unwrap().clone();
                    for _ in 0..20 {
                        directory.is_owned();
                    }
                }
            });
        }
        let tasks = std::iter::repeat_with(fresh).take(TASKS);
        let outcome = tasks
            .take_while(|_| Instant::now() < until)
            .try_for_each(|directory| {
                *looked_at.lock().unwrap() = directory.clone();
                let files = directory.create().map_err(|error| error.source)?;
                let was_owned = directory.is_owned();
                drop(files);
                let states = (was_owned, directory.is_owned());
                (states == (true, false))
                    .then_some(())
                    .ok_or_else(|| io::Error::other(format!("owned: {states:?}")))
            });
        is_over.store(true, Ordering::Relaxed);
        outcome.unwrap();
    });
}

#[test]
fn a_task_directory_has_what_it_always_had() {
    let state = tempfile::tempdir().unwrap();
    let directory = TaskDirectory::of(state.path(), &TaskId::fresh("bash"));
    let _files = directory.create().unwrap();
    let names: Vec<_> = fs::read_dir(directory.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, [SPEC]);
}
