//! The filter as a program: what it answers to which call.

mod expected;
mod machine;

use std::sync::LazyLock;

use proptest::prelude::*;

use super::assembler::{Assembler, Condition};
use super::numbers::THIS_ARCHITECTURE;
use super::{
    CommandsRule, Filter, FilterOptions, Ground, MemoryRule, NoticeOptions, SocketsRule,
    TracingRule, told_refusal,
};
use expected::{Verdict, expected};
use machine::{Call, run};

/// What an attacker may put into the upper half of a register.
const HIGH: u64 = 0xdead_beef_0000_0000;
/// Where the numbers of x32 begin.
const X32: u32 = 0x4000_0000;
const BOTH: [CommandsRule; 2] = [CommandsRule::Any, CommandsRule::Listed];

fn filter(commands: CommandsRule) -> &'static Filter {
    static FILTERS: LazyLock<[Filter; 2]> = LazyLock::new(|| {
        BOTH.map(|commands| {
            Filter::new(&FilterOptions {
                commands,
                landlock: None,
                ground: Ground::Apart,
                memory: MemoryRule::Counted,
                sockets: SocketsRule::Pairs,
                tracing: TracingRule::Refused,
            })
        })
    });
    match commands {
        CommandsRule::Any => &FILTERS[0],
        CommandsRule::Listed => &FILTERS[1],
    }
}

fn call(number: u32, arguments: [u64; 6]) -> Call {
    Call {
        architecture: THIS_ARCHITECTURE,
        number,
        arguments,
    }
}

/// What becomes of a call where a keeper listens: the kernel takes the stricter of both answers, and
/// what is left to the listener is answered there.
fn answered(filter: &Filter, notices: &Filter, call: &Call) -> Verdict {
    let first = Verdict::from_kernel(run(filter.instructions(), call));
    let number = i32::try_from(call.number).unwrap();
    match (first, told_refusal(number, &call.arguments)) {
        (Verdict::Allow, Some(refusal)) if run(notices.instructions(), call) == NOTICE => {
            // A rule is known for whatever the filter tells.
            assert!(refusal.reason.is_some(), "{call:x?}");
            Verdict::Error(refusal.error.cast_unsigned())
        }
        (first, _) => first,
    }
}

const NOTICE: u32 = super::numbers::SECCOMP_RET_USER_NOTIF;

/// What is told to be refused is in no list of calls that are told and go on.
#[test]
fn what_the_listener_refuses_is_told_for_nothing_else() {
    let what = NoticeOptions {
        reads: true,
        network: true,
        sockets: true,
    };
    let mut told = 0;
    for number in 0..=600 {
        if told_refusal(number, &[0; 6]).is_some() {
            told += 1;
            assert!(what.of_call(number).is_none(), "{number}");
        }
    }
    assert_eq!(told, 8);
}

#[track_caller]
fn assert_as_expected(filter: &Filter, commands: CommandsRule, call: &Call) {
    let answer = Verdict::from_kernel(run(filter.instructions(), call));
    assert_eq!(answer, expected(commands, call), "{commands:?} {call:x?}");
}

#[test]
fn every_number_is_answered_as_stated() {
    let arguments = [
        [0; 6],
        [u64::MAX; 6],
        [1; 6],
        [HIGH; 6],
        [0o6777; 6],
        [0x1000_0000; 6],
        // Sockets: internet stream, local datagram, route of the network.
        [2, 1, 6, 0, 0, 0],
        [1, 2, 0, 0, 0, 0],
        [16, 3, 0, 0, 0, 0],
    ];
    for commands in BOTH {
        let filter = filter(commands);
        for number in (0..=600).chain([X32 - 1, X32, X32 + 101, u32::MAX]) {
            for arguments in arguments {
                assert_as_expected(filter, commands, &call(number, arguments));
            }
        }
    }
}

#[test]
fn other_architectures_are_killed_whatever_they_call() {
    let filter = filter(CommandsRule::Any);
    // i386, arm, the two supported ones with a bit wrong, nonsense.
    for architecture in [0x4000_0003, 0x4000_0028, THIS_ARCHITECTURE ^ 1, 0, u32::MAX] {
        for number in [0, 1, 39, 101, X32, u32::MAX] {
            let call = Call {
                architecture,
                ..call(number, [0; 6])
            };
            assert_eq!(run(filter.instructions(), &call), 0x8000_0000, "{call:x?}");
        }
    }
}

/// A value that some rule looks for, or one next to it, or anything.
fn argument() -> impl Strategy<Value = u64> {
    let telling: Vec<u64> = vec![
        0,
        1,
        2,
        3,
        4,
        5,
        6,
        10,
        11,
        16,
        17,
        38,
        40,
        58,
        115,
        132,
        136,
        256,
        262,
        0x80,
        0x5412,
        0x541c,
        0x5423,
        0x0004_0000,
        0xffff_ffff,
        0x0200_0000,
        0x1000_0000,
        0x4000_0000,
        0x0002_0000,
        0o100,
        0o20_000_000,
        0o20_200_000,
        0o644,
        0o2755,
        0o4755,
        0o020_644,
        0o060_644,
        0o100_644,
        0o120_644,
        0o140_644,
        0x80001,
        0x80802,
        0x80003,
        0x80005,
        0x8000a,
    ];
    let low = prop_oneof![
        4 => prop::sample::select(telling),
        1 => any::<u32>().prop_map(u64::from),
    ];
    let high = prop_oneof![Just(0), Just(HIGH), any::<u64>()];
    (low, high).prop_map(|(low, high)| low | (high & 0xffff_ffff_0000_0000))
}

fn number() -> impl Strategy<Value = u32> {
    prop_oneof![
        6 => prop::sample::select(expected::examined()),
        2 => 0..600_u32,
        1 => any::<u32>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(10_000) })]

    #[test]
    fn every_call_is_answered_as_stated(
        commands in prop::sample::select(BOTH.to_vec()),
        number in number(),
        arguments in prop::array::uniform6(argument()),
    ) {
        assert_as_expected(filter(commands), commands, &call(number, arguments));
    }

    #[test]
    fn the_upper_half_of_an_argument_changes_nothing(
        number in number(),
        arguments in prop::array::uniform6(argument()),
        upper in any::<u32>(),
    ) {
        let filter = filter(CommandsRule::Any);
        let low = arguments.map(|argument| argument & 0xffff_ffff);
        let high = low.map(|argument| argument | (u64::from(upper) << 32));
        let answer = |arguments| run(filter.instructions(), &call(number, arguments));
        prop_assert_eq!(answer(low), answer(high));
    }

    #[test]
    fn far_targets_are_reached(padding in 0..700_u32, value in 0..4_u32) {
        // One value of four leads each way; the ways are `padding` instructions apart.
        let mut assembler = Assembler::default();
        let far = assembler.answer(1);
        let mut near = assembler.answer(2);
        for _ in 0..padding {
            near = assembler.and(u32::MAX, near);
        }
        let first = assembler.branch(Condition::Equal, 1, far, near);
        let second = assembler.branch(Condition::HasAny, 2, first, far);
        assembler.load(0, second);
        let program = assembler.finish();
        // Has the second bit and is not 1: the near way; else the far one.
        let answer = if value & 2 == 0 { 1 } else { 2 };
        prop_assert_eq!(run(&program, &call(value, [0; 6])), answer);
    }
}

#[test]
fn the_program_is_small_and_the_search_is_short() {
    for commands in BOTH {
        let filter = filter(commands);
        assert!(filter.instructions().len() < 256);
        for number in 0..600 {
            // All but calls whose arguments are examined: architecture, number, search.
            if !expected::examined().contains(&number) {
                let steps = machine::steps(filter.instructions(), &call(number, [0; 6]));
                assert!(steps <= 13, "{number} took {steps} instructions");
            }
        }
    }
}

#[test]
fn the_words_tell_what_the_program_does() {
    let words: Vec<String> = filter(CommandsRule::Any)
        .describe()
        .iter()
        .map(ToString::to_string)
        .collect();
    for expected in [
        "all calls of another architecture: SIGSYS (their numbers mean other calls)",
        "unshare, setns: EPERM (enters or makes a namespace, in which there are new rights)",
        "ioctl if request is TIOCSTI, TIOCLINUX or TIOCSETD: EPERM (types into the terminal \
         that the run was started from, or changes its driver)",
        "openat if flags has O_CREAT or __O_TMPFILE, and mode has S_ISUID or S_ISGID: EPERM \
         (a file that lends its owner's rights works outside the sandbox too)",
        "socket if domain is AF_NETLINK, and protocol is other than NETLINK_ROUTE: EPROTONOSUPPORT \
         (only the list of network interfaces is needed)",
    ] {
        assert!(words.iter().any(|line| line == expected), "{words:#?}");
    }
    assert!(!words.iter().any(|line| line.contains("memfd_create")));
    let listed = filter(CommandsRule::Listed).describe();
    assert!(
        listed
            .iter()
            .any(|refusal| refusal.calls == ["memfd_create"])
    );
}

/// Where there are no namespaces, the filter keeps others of the same user apart.
#[test]
fn what_namespaces_do_not_keep_apart_the_filter_does() {
    let answer = |ground, landlock, number: i64, arguments| {
        let filter = Filter::new(&FilterOptions {
            commands: CommandsRule::Any,
            landlock,
            ground,
            memory: MemoryRule::Counted,
            sockets: SocketsRule::Pairs,
            tracing: TracingRule::Refused,
        });
        let call = call(u32::try_from(number).unwrap(), arguments);
        Verdict::from_kernel(run(filter.instructions(), &call))
    };
    let refused = Verdict::Error(libc::EPERM.cast_unsigned());
    let (own, other, second) = ([0; 6], [41, 0, 0, 0, 0, 0], [0, 41, 0, 0, 0, 0]);
    let table = [
        (libc::SYS_shmget, own, refused),
        (libc::SYS_msgctl, own, refused),
        (libc::SYS_mq_open, own, refused),
        (libc::SYS_prlimit64, own, Verdict::Allow),
        (libc::SYS_prlimit64, other, refused),
        (libc::SYS_sched_setaffinity, own, Verdict::Allow),
        (libc::SYS_sched_setaffinity, other, refused),
        (libc::SYS_setpriority, own, Verdict::Allow),
        (libc::SYS_setpriority, second, refused),
        (libc::SYS_ioprio_set, second, refused),
    ];
    for (number, arguments, expected) in table {
        for ground in [Ground::Shared, Ground::SharedWithoutNetwork] {
            assert_eq!(
                answer(ground, Some(7), number, arguments),
                expected,
                "{number}"
            );
        }
        assert_eq!(
            answer(Ground::Apart, None, number, arguments),
            Verdict::Allow
        );
    }
    for (version, expected) in [(Some(2), refused), (Some(3), Verdict::Allow)] {
        let told = answer(Ground::Shared, version, libc::SYS_truncate, own);
        assert_eq!(told, expected, "{version:?}");
    }
    let socket = [2, 1, 6, 0, 0, 0];
    let sockets = [Ground::Shared, Ground::SharedWithoutNetwork]
        .map(|ground| answer(ground, Some(7), libc::SYS_socket, socket));
    assert_eq!(sockets, [Verdict::Allow, refused]);
}

/// Where nothing counts memory, what lasts without a process is small.
#[test]
fn large_segments_are_refused_where_nothing_counts_memory() {
    let answer = |memory, size| {
        let filter = Filter::new(&FilterOptions {
            commands: CommandsRule::Any,
            landlock: None,
            ground: Ground::Apart,
            memory,
            sockets: SocketsRule::Pairs,
            tracing: TracingRule::Refused,
        });
        let number = u32::try_from(libc::SYS_shmget).unwrap();
        let call = call(number, [u64::MAX, size, u64::MAX, 0, 0, 0]);
        Verdict::from_kernel(run(filter.instructions(), &call))
    };
    let full = Verdict::Error(libc::ENOSPC.cast_unsigned());
    for (size, expected) in [
        (56, Verdict::Allow),
        (0xffff, Verdict::Allow),
        (0x1_0000, full),
        (1 << 31, full),
        (1 << 32, full),
        (0x7000_0000_0000_0000, full),
    ] {
        assert_eq!(answer(MemoryRule::Uncounted, size), expected, "{size:x}");
        let counted = answer(MemoryRule::Counted, size);
        assert_eq!(counted, Verdict::Allow, "{size:x}");
    }
}

/// Where the keeper carries connects out, only this differs: streams and packets can be made, and
/// the process at the other end stays unknown. Where tracing is a run's own matter, only tracing.
#[test]
fn what_is_opened_is_all_that_is_opened() {
    let filter = |sockets, tracing| {
        Filter::new(&FilterOptions {
            commands: CommandsRule::Any,
            landlock: None,
            ground: Ground::Apart,
            memory: MemoryRule::Counted,
            sockets,
            tracing,
        })
    };
    let own = filter(SocketsRule::Own, TracingRule::Refused);
    let what = NoticeOptions {
        reads: false,
        network: false,
        sockets: true,
    };
    let notices = Filter::of_notices(what, &own);
    let tracing = filter(SocketsRule::Pairs, TracingRule::Own);
    let number = |number: i64| u32::try_from(number).unwrap();
    let (socket, option) = (number(libc::SYS_socket), number(libc::SYS_getsockopt));
    let traced = [
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
    ]
    .map(number);
    let stream = |kind: u64| matches!(kind & 0xf, 1 | 5);
    let kinds = [0, 1, 2, 3, 5, 10, 0x8_0001, 0x8_0805, HIGH | 1];
    let triples = kinds.map(|kind| [1, kind, 77, 1, 0, 0]);
    let others = [
        [2, 1, 6, 0, 0, 0],
        [HIGH | 1, 2, 0, 0, 0, 0],
        [0, 1, 76, 0, 0, 0],
    ];
    for number in 0..=600 {
        for arguments in triples.into_iter().chain(others) {
            let call = call(number, arguments);
            let usual = expected(CommandsRule::Any, &call);
            let [family, kind, what, ..] = arguments;
            let is_unix = number == socket && family & 0xffff_ffff == 1;
            let wanted = match () {
                () if is_unix && stream(kind) => Verdict::Allow,
                () if number == option && kind & 0xffff_ffff == 1 && what == 77 => {
                    Verdict::Error(libc::ENOPROTOOPT.cast_unsigned())
                }
                () => usual,
            };
            assert_eq!(answered(&own, &notices, &call), wanted, "{call:x?}");
            let wanted = if traced.contains(&number) {
                Verdict::Allow
            } else {
                usual
            };
            let answer = Verdict::from_kernel(run(tracing.instructions(), &call));
            assert_eq!(answer, wanted, "{call:x?}");
        }
    }
}
