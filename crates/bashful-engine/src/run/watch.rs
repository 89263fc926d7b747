//! Waking those who wait for a task: one thread and one inotify instance for all of them.
//!
//! A bell is a hint, never the truth: a waiter that hears it looks at the task directory. So a
//! missed or a needless ring does no harm, and where the system has no watches to give, all
//! waiters are only woken more often.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fs::inotify::{self, ReadFlags, WatchFlags};
use tokio::sync::Notify;

/// How often all waiters are woken, whatever happens.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// The same, where a directory cannot be watched; mostly because it is being made.
const UNWATCHED: Duration = Duration::from_millis(10);
/// The same, where none can.
const BLIND: Duration = Duration::from_millis(25);
/// A file is seen closed a moment before its lock is free.
const ECHO: Duration = Duration::from_millis(10);
/// How often readers are woken, at most, by output that comes in many small writes.
const BATCH: Duration = Duration::from_millis(3);

/// Watches task directories while a caller waits for a task.
#[derive(Debug, Default)]
pub(crate) struct TaskWatcher(Mutex<Option<Arc<Shared>>>);

/// What the one who waits waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interest {
    /// Every change: new output as well as the end.
    Output,
    /// The end only.
    End,
}

/// Rings when a task directory may have changed.
#[derive(Debug)]
pub(crate) struct Bell {
    shared: Arc<Shared>,
    number: u64,
    notify: Arc<Notify>,
}

#[derive(Debug)]
struct Shared {
    inotify: Option<OwnedFd>,
    /// Wakes the thread when a waiter's time is up earlier than it thinks.
    nudge: OwnedFd,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    bells: HashMap<u64, Entry>,
    next: u64,
    has_thread: bool,
    /// Watches to ring for once more.
    echoes: Vec<(Instant, i32)>,
    beaten: Option<Instant>,
}

#[derive(Debug)]
struct Entry {
    notify: Arc<Notify>,
    directory: PathBuf,
    interest: Interest,
    watch: Option<i32>,
    until: Option<Instant>,
}

impl TaskWatcher {
    /// A bell for this directory. The caller looks first and waits then.
    pub(crate) fn bell(&self, directory: &Path, interest: Interest) -> io::Result<Bell> {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = match &*place {
            Some(shared) => Arc::clone(shared),
            None => Arc::clone(place.insert(Arc::new(Shared::new()?))),
        };
        drop(place);
        let notify = Arc::new(Notify::new());
        let mut table = shared.table();
        table.next += 1;
        let number = table.next;
        let entry = Entry {
            notify: Arc::clone(&notify),
            directory: directory.to_owned(),
            interest,
            watch: shared.watch(directory),
            until: None,
        };
        table.bells.insert(number, entry);
        let needs_thread = !std::mem::replace(&mut table.has_thread, true);
        drop(table);
        let bell = Bell {
            shared: Arc::clone(&shared),
            number,
            notify,
        };
        if needs_thread {
            let spawned = std::thread::Builder::new()
                .name("bashful-watch".to_owned())
                .stack_size(128 << 10)
                .spawn(move || shared.serve());
            if let Err(error) = spawned {
                bell.shared.table().has_thread = false;
                return Err(error);
            }
        }
        Ok(bell)
    }
}

impl Bell {
    /// Waits until it rings, or until this time.
    pub(crate) async fn rung(&self, until: Instant) {
        {
            let mut table = self.shared.table();
            if let Some(entry) = table.bells.get_mut(&self.number) {
                entry.until = Some(until);
                if entry.watch.is_none() {
                    // The directory may have been made meanwhile, and much may have happened in
                    // it before it was watched.
                    entry.watch = self.shared.watch(&entry.directory);
                    if entry.watch.is_some() {
                        return;
                    }
                }
            }
        }
        self.shared.nudge();
        self.notify.notified().await;
    }
}

impl Drop for Bell {
    fn drop(&mut self) {
        let mut table = self.shared.table();
        let gone = table.bells.remove(&self.number);
        let Some(watch) = gone.and_then(|entry| entry.watch) else {
            return;
        };
        let is_used = table.bells.values().any(|it| it.watch == Some(watch));
        if let (false, Some(inotify)) = (is_used, &self.shared.inotify) {
            // It is gone already if the directory is.
            let _ = inotify::remove_watch(inotify, watch);
        }
    }
}

impl Shared {
    fn new() -> io::Result<Self> {
        let flags = inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK;
        Ok(Self {
            // The system gives a user only a limited number of instances.
            inotify: inotify::init(flags).ok(),
            nudge: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
            table: Mutex::default(),
        })
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // The table is whole after every statement, so a panic elsewhere did not tear it.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches a directory; the same one twice is one watch.
    fn watch(&self, directory: &Path) -> Option<i32> {
        let flags = WatchFlags::MODIFY
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::DONT_FOLLOW
            | WatchFlags::ONLYDIR;
        inotify::add_watch(self.inotify.as_ref()?, directory, flags).ok()
    }

    fn nudge(&self) {
        // If it is full, the thread was nudged already.
        let _ = rustix::io::write(&self.nudge, &1_u64.to_ne_bytes());
    }

    /// Rings bells for as long as there are any.
    fn serve(&self) {
        while let Some(sleep) = self.time_to_sleep() {
            let timeout = Timespec::try_from(sleep).ok();
            let mut descriptors = vec![PollFd::new(&self.nudge, PollFlags::IN)];
            if let Some(inotify) = &self.inotify {
                descriptors.push(PollFd::from_borrowed_fd(inotify.as_fd(), PollFlags::IN));
            }
            // Interrupted by a signal: it looks around at once, which is right as well.
            let _ = poll(&mut descriptors, timeout.as_ref());
            let mut count = [0_u8; 8];
            let _ = rustix::io::read(&self.nudge, &mut count);
            let seen = self.seen();
            if !seen.is_empty() {
                self.ring(&seen);
                std::thread::sleep(BATCH);
            }
            self.ring_by_time(Instant::now());
        }
    }

    /// How long no bell is due; none when no caller waits any more, and the thread ends.
    fn time_to_sleep(&self) -> Option<Duration> {
        let mut table = self.table();
        if table.bells.is_empty() {
            table.has_thread = false;
            return None;
        }
        let now = Instant::now();
        let beat = self.interval(&table);
        let beaten = *table.beaten.get_or_insert(now);
        let times = table.bells.values().filter_map(|entry| entry.until);
        let times = times.chain(table.echoes.iter().map(|(at, _)| *at));
        let next = times.chain([beaten + beat]).min();
        next.map(|at| at.saturating_duration_since(now))
    }

    fn interval(&self, table: &Table) -> Duration {
        let watched = table.bells.values().all(|entry| entry.watch.is_some());
        match (&self.inotify, watched) {
            (None, _) => BLIND,
            (Some(_), false) => UNWATCHED,
            (Some(_), true) => HEARTBEAT,
        }
    }

    /// What happened, by watch.
    fn seen(&self) -> HashMap<i32, ReadFlags> {
        let mut seen = HashMap::new();
        let Some(inotify) = &self.inotify else {
            return seen;
        };
        let mut buffer = [std::mem::MaybeUninit::uninit(); 4096];
        let mut reader = inotify::Reader::new(inotify, &mut buffer);
        while let Ok(event) = reader.next() {
            let flags = seen.entry(event.wd()).or_insert(ReadFlags::empty());
            *flags |= event.events();
        }
        seen
    }

    fn ring(&self, seen: &HashMap<i32, ReadFlags>) {
        let mut table = self.table();
        let echo = Instant::now() + ECHO;
        let everybody = seen
            .values()
            .any(|flags| flags.contains(ReadFlags::QUEUE_OVERFLOW));
        for entry in table.bells.values_mut() {
            let flags = entry.watch.and_then(|watch| seen.get(&watch));
            let flags = flags.copied().unwrap_or(ReadFlags::empty());
            if flags.contains(ReadFlags::IGNORED) {
                entry.watch = None;
            }
            let concerns = match entry.interest {
                Interest::Output => !flags.is_empty(),
                Interest::End => flags.intersects(!ReadFlags::MODIFY),
            };
            if everybody || concerns {
                entry.notify.notify_one();
            }
        }
        for (watch, flags) in seen {
            if flags.contains(ReadFlags::CLOSE_WRITE) {
                table.echoes.push((echo, *watch));
            }
        }
    }

    fn ring_by_time(&self, now: Instant) {
        let mut table = self.table();
        let beats = table
            .beaten
            .is_some_and(|beaten| now >= beaten + self.interval(&table));
        if beats {
            table.beaten = Some(now);
        }
        let (due, later): (Vec<_>, Vec<_>) = table.echoes.drain(..).partition(|(at, _)| *at <= now);
        table.echoes = later;
        for entry in table.bells.values_mut() {
            let echoes = due.iter().any(|(_, watch)| entry.watch == Some(*watch));
            let is_over = entry.until.is_some_and(|until| until <= now);
            if is_over {
                entry.until = None;
            }
            if beats || echoes || is_over {
                entry.notify.notify_one();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::tasks::wait::block_on;

    const LONG: Duration = Duration::from_secs(30);

    /// How long a bell takes to ring.
    fn time_to_ring(bell: &Bell, most: Duration) -> Duration {
        let begun = Instant::now();
        block_on(bell.rung(begun + most));
        begun.elapsed()
    }

    #[test]
    fn what_happens_rings_and_a_time_that_is_up() {
        let directory = tempfile::tempdir().unwrap();
        let tower = TaskWatcher::default();
        let bell = tower.bell(directory.path(), Interest::Output).unwrap();
        let end = tower.bell(directory.path(), Interest::End).unwrap();
        let waited = time_to_ring(&bell, Duration::from_millis(100));
        assert!(waited >= Duration::from_millis(100) && waited < LONG / 2);
        fs::write(directory.path().join("state"), "x").unwrap();
        // Well before all waiters are woken anyway.
        assert!(time_to_ring(&bell, LONG) < HEARTBEAT / 2);
        assert!(time_to_ring(&end, LONG) < HEARTBEAT / 2);
    }

    #[test]
    fn a_directory_may_be_made_later() {
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("later");
        let tower = TaskWatcher::default();
        let bell = tower.bell(&directory, Interest::End).unwrap();
        assert!(time_to_ring(&bell, LONG) < HEARTBEAT / 2);
        fs::create_dir(&directory).unwrap();
        // Once to look again, from then on by what happens.
        assert!(time_to_ring(&bell, LONG) < HEARTBEAT / 2);
    }

    #[test]
    fn without_watches_everybody_is_woken_often() {
        let directory = tempfile::tempdir().unwrap();
        let blind = Shared {
            inotify: None,
            ..Shared::new().unwrap()
        };
        let tower = TaskWatcher(Mutex::new(Some(Arc::new(blind))));
        let bell = tower.bell(directory.path(), Interest::End).unwrap();
        assert!(time_to_ring(&bell, LONG) < HEARTBEAT / 2);
    }

    #[test]
    fn the_thread_ends_when_nobody_waits_and_comes_back() {
        let directory = tempfile::tempdir().unwrap();
        let tower = TaskWatcher::default();
        for _ in 0..3 {
            let bell = tower.bell(directory.path(), Interest::Output).unwrap();
            fs::write(directory.path().join("state"), "x").unwrap();
            assert!(time_to_ring(&bell, LONG) < HEARTBEAT / 2);
            let shared = Arc::clone(&bell.shared);
            drop(bell);
            shared.nudge();
            let until = Instant::now() + LONG;
            while shared.table().has_thread && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
            assert!(!shared.table().has_thread);
        }
    }
}
