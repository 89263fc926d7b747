//! Beginning on another processor than the process that forked us.
//!
//! The kernel may queue a new process behind its parent although another processor is idle, and
//! look again only milliseconds later. A keeper has to be up when its engine has read what is
//! asked, and both have enough to do until then.

use std::fs;

use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

/// The processor that this process is on.
pub(crate) fn here() -> usize {
    sched_getcpu()
}

/// Leaves this processor, if there is another; from then on the kernel decides as ever.
pub(crate) fn leave(parents: usize) {
    if here() != parents {
        return;
    }
    let Ok(mut others) = sched_getaffinity(None) else {
        return;
    };
    // The kernel remembers what a process asked for. Only who may use all processors loses nothing
    // by having asked for all.
    if !is_online(&others) {
        return;
    }
    others.unset(parents);
    if others.count() == 0 || sched_setaffinity(None, &others).is_err() {
        return;
    }
    let mut all = CpuSet::new();
    for processor in 0..CpuSet::MAX_CPU {
        all.set(processor);
    }
    let _ = sched_setaffinity(None, &all);
}

/// Whether these are all that the machine has: the kernel lists them as `0-3` then.
fn is_online(allowed: &CpuSet) -> bool {
    let online = fs::read_to_string("/sys/devices/system/cpu/online");
    let all = online.ok().and_then(|online| {
        let last = online.trim_end().strip_prefix("0-")?;
        last.parse::<u32>().ok()?.checked_add(1)
    });
    all == Some(allowed.count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_may_use_stays_the_same() {
        let before = sched_getaffinity(None).unwrap();
        for processor in [here(), usize::MAX] {
            leave(processor);
            assert_eq!(sched_getaffinity(None).unwrap(), before);
        }
    }

    #[test]
    fn who_may_use_one_processor_stays_on_it() {
        let mut one = CpuSet::new();
        one.set(here());
        sched_setaffinity(None, &one).unwrap();
        leave(here());
        assert_eq!(sched_getaffinity(None).unwrap(), one);
    }
}
