//! The counting itself: a log whose counts are known, and budgets that it keeps to and breaks.

use std::collections::BTreeMap;

use crate::budget::{All, Budgets};
use crate::roles::counts;
use crate::scenario::Scenario;
use crate::stage::User;
use crate::trace::Trace;

/// A driver (10) with a thread (11), its keeper (20), a first process (30) and the command (31,
/// which its parent knows as 2): it is made ahead, and confines itself once too late.
const LOG: &str = r#"10<driver> execve("/x/driver", ["/x/driver"], 0x0 /* 3 vars */) = 0
10<driver> clone3({flags=CLONE_VM|CLONE_THREAD}, 88) = 11<driver>
10<driver> read(0,  <unfinished ...>
20<bashful> epoll_pwait(4,  <unfinished ...>
10<driver> <... read resumed>"\n", 8192) = 1
10<driver> openat(AT_FDCWD, "/state/bashful.db", O_RDWR) = 7
10<driver> openat(AT_FDCWD, "/state/other.db", O_RDWR) = -1 ENOENT (No such file or directory)
11<driver> fdatasync(7) = 0
20<bashful> <... epoll_pwait resumed>[{events=EPOLLIN}], 8, -1, NULL, 8) = 1
20<bashful> ioctl(9, SECCOMP_IOCTL_NOTIF_RECV, 0x7ffe) = 0
20<bashful> clone(child_stack=NULL, flags=CLONE_NEWPID|SIGCHLD) = 30<bashful>
30<bashful> clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>
31<bashful> seccomp(SECCOMP_SET_MODE_FILTER, 0, 0x7ffe) = 0
31<bashful> recvmsg(5,  <unfinished ...>
31<bashful> <... recvmsg resumed>{msg_namelen=0}, 0) = 96
31<bashful> chdir("/") = 0
31<bashful> landlock_restrict_self(4, 0) = 0
30<bashful> <... clone resumed>) = 2
31<bashful> execve("/usr/bin/bash", ["bash"], 0x0 /* 3 vars */) = 0
31<bash> brk(NULL) = 0x5500
31<bash> clone(child_stack=NULL, flags=SIGCHLD) = 3
32<bash> exit_group(0) = ?
30<bashful> wait4(-1, NULL, 0, NULL) = 2
10<driver> write(1, "\n", 1) = 1
10<driver> read(0, "\n", 8192) = 1
"#;

const BUDGETS: &str = r#"# A comment.
[live-room.engine]
calls = 3 # why
forks = 0
confining = 0
fsyncs = 1
notices = 0
databases = 1
[live-room.keeper]
calls = 1
forks = 1
confining = 0
fsyncs = 0
notices = 1
databases = 0
seen = "clone 1"
[live-room.first-process]
calls = 20
forks = 1
confining = 0
fsyncs = 0
notices = 0
databases = 0
[live-room.command-before-order]
calls = 2
forks = 0
confining = 1
fsyncs = 0
notices = 0
databases = 0
[live-room.command-before-exec]
calls = 1
forks = 0
confining = 0
fsyncs = 0
notices = 0
databases = 0
[live-room.command-before-exec.ordinary-user]
calls = 3
confining = 1
"#;

pub(crate) fn a_log_is_read_and_told() -> bool {
    let runs = counts(&Trace::read(LOG), Scenario::LiveRoom, 20);
    let all = |user| All::from([((user, Scenario::LiveRoom), runs[0].clone())]);
    let budgets = Budgets::read(BUDGETS);
    let common = [
        "live-room, keeper, as ROLE: 2 calls, the budget is 1",
        "    grown: ioctl 1 (was 0)",
        "live-room, first-process, as ROLE: only 2 calls: lower the budget of 20",
    ];
    let common = |role: &str| common.map(|line| line.replace("ROLE", role));
    let mut root = Vec::from(common("root"));
    root.extend(
        [
            "live-room, command-before-exec, as root: 3 calls, the budget is 1",
            "    grown: chdir 1 (was 0), execve 1 (was 0), landlock_restrict_self 1 (was 0)",
            "live-room, command-before-exec, as root: 1 confining, the budget is 0",
        ]
        .map(str::to_owned),
    );
    assert_eq!(runs.len(), 1);
    assert_eq!(budgets.differences(&all(User::Root)), root);
    assert_eq!(
        budgets.differences(&all(User::Ordinary)),
        common("ordinary user")
    );
    a_rewritten_file_fits(&runs[0].clone());
    true
}

/// What was written is kept to at once, for both, and comments stay.
fn a_rewritten_file_fits(measured: &crate::measure::Measured) {
    let users = [User::Root, User::Ordinary];
    let pairs = users.into_iter().flat_map(|user| {
        let scenarios = Scenario::ALL.into_iter();
        scenarios.map(move |scenario| (user, scenario))
    });
    let all: All = pairs
        .map(|pair| (pair, measured.clone()))
        .collect::<BTreeMap<_, _>>();
    let written = Budgets::read(BUDGETS).rewritten(&all);
    assert!(written.starts_with("# A comment.\n"), "{written}");
    assert!(written.contains("calls = 6 # why\n"), "{written}");
    assert!(!written.contains("ordinary-user"), "{written}");
    assert_eq!(Budgets::read(&written).differences(&all), [] as [String; 0]);
}
