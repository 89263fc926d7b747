//! Calls that the kernel reports to the keeper: those by which a run may meet a wall that reports
//! nothing, such as a mount that is read-only.
//!
//! They are few and seldom: an open for reading is not among them unless reads are traced, nor
//! anything that works on an open file. What only asks about files is watched with the reads.

use super::super::numbers;
use super::super::rule::{Answer, Argument, Named, Rule, Scope, Test};

/// A call, and where in it the paths are.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(in super::super) rule: Rule,
    /// What it does.
    pub(crate) act: Act,
    /// The path it is about.
    pub(crate) path: Place,
    /// Where the file goes, if it is moved.
    pub(crate) to: Option<Place>,
}

/// The arguments that name a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// The descriptor of the directory that it is relative to; else the working directory.
    pub(crate) directory: Option<usize>,
    /// The argument that points to its text.
    pub(crate) path: usize,
}

/// What a call does, as far as walls are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    /// Opens a file; the flags are in this argument.
    Open {
        /// The number of that argument.
        flags: usize,
    },
    /// Makes or empties a file.
    Write,
    /// Changes what is there.
    Change,
    /// Changes which users may use it.
    Permit,
    /// Makes a name that must not be there yet.
    Make,
    /// Takes a name away.
    Remove,
    /// Gives it another name.
    Move,
    /// Executes a program.
    Execute,
    /// Makes it the working directory.
    Enter,
    /// Asks about it.
    Look {
        /// What becomes of a link.
        end: End,
    },
    /// Sets space on a disk aside, without writing: one argument says how much, another says how
    /// it is done.
    Allocate {
        /// The number of the argument with the bytes.
        length: usize,
        /// The number of the argument with the mode.
        mode: usize,
    },
    /// Reaches for an address; it is at `path`, its length in this argument.
    Connect {
        /// The number of that argument.
        length: usize,
    },
    /// Gives a socket the address at `path`, with its length in this argument; one in the file
    /// system is a new file.
    Bind {
        /// The number of that argument.
        length: usize,
    },
    /// Makes a socket listen.
    Listen,
}

/// What a call does with a link at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// It follows it.
    Followed,
    /// It is about the link.
    Itself,
    /// Flags in this argument say it.
    Said {
        /// The number of that argument.
        flags: usize,
    },
}

/// When a call is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Watching {
    /// What is always watched.
    Usual,
    /// Opens for reading, and what asks about files.
    Reads,
    /// What reaches for the network, where there is none.
    Network,
    /// What connects sockets, and what makes them ready for that.
    Sockets,
}

const WRITING: &[Named<u32>] = named!(O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, __O_TMPFILE);

const fn at(path: usize) -> Place {
    Place {
        directory: None,
        path,
    }
}

const fn below(directory: usize, path: usize) -> Place {
    Place {
        directory: Some(directory),
        path,
    }
}

const fn look(end: End) -> Act {
    Act::Look { end }
}

const fn watch(calls: &'static [Named<i64>], act: Act, path: Place) -> Watched {
    watch_if(calls, &[], act, path)
}

const fn watch_if(
    calls: &'static [Named<i64>],
    when: &'static [Test],
    act: Act,
    path: Place,
) -> Watched {
    Watched {
        rule: Rule {
            scope: Scope::Always,
            calls,
            when,
            answer: Answer::Notify,
            reason: "told to the keeper",
        },
        act,
        path,
        to: None,
    }
}

const fn moving(calls: &'static [Named<i64>], path: Place, to: Place) -> Watched {
    Watched {
        to: Some(to),
        ..watch(calls, Act::Move, path)
    }
}

/// All of them, for this purpose.
pub(in super::super) fn watched(what: Watching) -> &'static [Watched] {
    match what {
        Watching::Usual => USUAL,
        Watching::Reads => READS,
        Watching::Network => NETWORK,
        Watching::Sockets => SOCKETS,
    }
}

const USUAL: &[Watched] = &[
    watch_if(
        calls![SYS_open],
        &[Test::HasAny(Argument::new(1, "flags"), WRITING)],
        Act::Open { flags: 1 },
        at(0),
    ),
    watch_if(
        calls![SYS_openat],
        &[Test::HasAny(Argument::new(2, "flags"), WRITING)],
        Act::Open { flags: 2 },
        below(0, 1),
    ),
    watch(calls![SYS_creat], Act::Write, at(0)),
    watch(calls![SYS_truncate], Act::Change, at(0)),
    watch(calls![SYS_chmod, SYS_chown, SYS_lchown], Act::Permit, at(0)),
    watch(
        calls![SYS_fchmodat, SYS_fchmodat2, SYS_fchownat],
        Act::Permit,
        below(0, 1),
    ),
    watch(calls![SYS_mkdir, SYS_mknod], Act::Make, at(0)),
    watch(calls![SYS_mkdirat, SYS_mknodat], Act::Make, below(0, 1)),
    watch(calls![SYS_symlink, SYS_link], Act::Make, at(1)),
    watch(calls![SYS_symlinkat], Act::Make, below(1, 2)),
    watch(calls![SYS_linkat], Act::Make, below(2, 3)),
    watch(calls![SYS_unlink, SYS_rmdir], Act::Remove, at(0)),
    watch(calls![SYS_unlinkat], Act::Remove, below(0, 1)),
    moving(calls![SYS_rename], at(0), at(1)),
    moving(
        calls![SYS_renameat, SYS_renameat2],
        below(0, 1),
        below(2, 3),
    ),
    watch_if(
        calls![SYS_execve],
        &[Test::IsNot(Argument::new(3, "no argument"), OURS)],
        Act::Execute,
        at(0),
    ),
    watch(calls![SYS_execveat], Act::Execute, below(0, 1)),
    watch_if(
        calls![SYS_chdir],
        &[Test::IsNot(Argument::new(1, "no argument"), OURS)],
        Act::Enter,
        at(0),
    ),
    watch(
        calls![SYS_fallocate],
        Act::Allocate { length: 3, mode: 1 },
        at(0),
    ),
];

const READS: &[Watched] = &[
    watch(calls![SYS_open], Act::Open { flags: 1 }, at(0)),
    watch(calls![SYS_openat], Act::Open { flags: 2 }, below(0, 1)),
    watch(calls![SYS_stat, SYS_access], look(End::Followed), at(0)),
    watch(calls![SYS_lstat, SYS_readlink], look(End::Itself), at(0)),
    watch(calls![SYS_faccessat], look(End::Followed), below(0, 1)),
    watch(calls![SYS_readlinkat], look(End::Itself), below(0, 1)),
    watch(
        calls![SYS_newfstatat, SYS_faccessat2],
        look(End::Said { flags: 3 }),
        below(0, 1),
    ),
    watch(calls![SYS_statx], look(End::Said { flags: 2 }), below(0, 1)),
];

const NETWORK: &[Watched] = &[
    watch(calls![SYS_connect], Act::Connect { length: 2 }, at(1)),
    // Without an address it goes where the socket is connected to.
    watch_if(
        calls![SYS_sendto],
        &[Test::IsNot(Argument::new(5, "length"), ZERO)],
        Act::Connect { length: 5 },
        at(4),
    ),
];

const SOCKETS: &[Watched] = &[
    watch(calls![SYS_connect], Act::Connect { length: 2 }, at(1)),
    watch(calls![SYS_bind], Act::Bind { length: 2 }, at(1)),
    watch(calls![SYS_listen], Act::Listen, at(0)),
];

/// Stands for a number that only the process knows that is about to execute a command. With it in
/// a register that the call does not use, its own last calls pass: they are no act of the run.
pub(in super::super) const OURS: &[Named<u32>] = &[Named {
    name: "a number of ours",
    value: 0x6261_7368,
}];

const ZERO: &[Named<u32>] = &[Named {
    name: "0",
    value: 0,
}];
