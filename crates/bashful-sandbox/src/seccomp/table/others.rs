//! What reaches other processes of the same user where no namespace keeps them away, and what
//! takes memory where nothing counts it.

use super::super::numbers;
use super::super::rule::{Answer, Argument, Named, Rule, Scope, Test};
use super::{NO_SPACE, NOT_PERMITTED};

const WHOSE: Argument = Argument::new(0, "pid");
const WHOSE_SECOND: Argument = Argument::new(1, "who");
const ITSELF: &[Named<u32>] = &[Named {
    name: "0",
    value: 0,
}];
const OTHER: Test = Test::IsNot(WHOSE, ITSELF);

/// A size of 64 KiB or more has one of these bits in its lower half, or any in its upper. The
/// kernel has 4,096 segments for a room, so all of them together stay below 256 MiB.
const LARGE: &[Named<u32>] = &[Named {
    name: "65536 or more",
    value: 0xffff_0000,
}];
const HUGE: &[Named<u32>] = &[Named {
    name: "4 GiB or more",
    value: u32::MAX,
}];
const SIZE: Argument = Argument::new(1, "size");
const SEGMENT_REASON: &str =
    "a segment of shared memory lasts without a process, and nothing counts its memory here";

pub(super) const RULES: &[Rule] = &[
    Rule {
        scope: Scope::UncountedMemory,
        calls: calls![SYS_shmget],
        when: &[Test::HasAny(SIZE, LARGE)],
        answer: Answer::Error(NO_SPACE),
        reason: SEGMENT_REASON,
    },
    Rule {
        scope: Scope::UncountedMemory,
        calls: calls![SYS_shmget],
        when: &[Test::HasAny(SIZE.upper(), HUGE)],
        answer: Answer::Error(NO_SPACE),
        reason: SEGMENT_REASON,
    },
    Rule {
        scope: Scope::SharedHost,
        calls: calls![
            SYS_shmget,
            SYS_shmat,
            SYS_shmctl,
            SYS_semget,
            SYS_semop,
            SYS_semtimedop,
            SYS_semctl,
            SYS_msgget,
            SYS_msgsnd,
            SYS_msgrcv,
            SYS_msgctl,
            SYS_mq_open,
            SYS_mq_unlink,
        ],
        when: &[],
        answer: Answer::Error(NOT_PERMITTED),
        reason: "memory, queues and semaphores are shared with the host's processes",
    },
    Rule {
        scope: Scope::SharedHost,
        calls: calls![
            SYS_sched_setaffinity,
            SYS_sched_setscheduler,
            SYS_sched_setparam,
            SYS_sched_setattr,
        ],
        when: &[OTHER],
        answer: Answer::Error(NOT_PERMITTED),
        reason: "slows another process down",
    },
    Rule {
        scope: Scope::SharedHost,
        calls: calls![SYS_setpriority, SYS_ioprio_set],
        when: &[Test::IsNot(WHOSE_SECOND, ITSELF)],
        answer: Answer::Error(NOT_PERMITTED),
        reason: "slows another process down",
    },
    // Older versions of Landlock leave this one alone.
    Rule {
        scope: Scope::OldLandlock,
        calls: calls![SYS_truncate],
        when: &[],
        answer: Answer::Error(NOT_PERMITTED),
        reason: "empties files that may not be written",
    },
    Rule {
        scope: Scope::SharedHost,
        calls: calls![SYS_prlimit64],
        when: &[OTHER],
        answer: Answer::Error(NOT_PERMITTED),
        reason: "changes the limits of another process",
    },
];
