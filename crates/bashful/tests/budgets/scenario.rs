//! What is counted: the ways to run `true`, who takes part, and what each does.

/// What every user may use.
pub(crate) const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// What the process that is counted is called.
pub(crate) const DRIVER: &str = "driver";

/// One way to run `true`, or as little, again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scenario {
    Library,
    LiveRoom,
    CommandLine,
    /// The same, handed to a resident engine.
    HandedOver,
    Script,
    Shell,
    Background,
    Bubblewrap,
    /// A yes for one call is given, and a run uses it up.
    OneTimeYes,
    /// A hundred small files are made.
    Creates,
}

impl Scenario {
    pub(crate) const ALL: [Self; 10] = [
        Self::Library,
        Self::LiveRoom,
        Self::CommandLine,
        Self::HandedOver,
        Self::Script,
        Self::Shell,
        Self::Background,
        Self::Bubblewrap,
        Self::OneTimeYes,
        Self::Creates,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Library => "library",
            Self::LiveRoom => "live-room",
            Self::CommandLine => "command-line",
            Self::HandedOver => "handed-over",
            Self::Script => "script",
            Self::Shell => "shell",
            Self::Background => "background",
            Self::Bubblewrap => "bubblewrap",
            Self::OneTimeYes => "one-time-yes",
            Self::Creates => "creates",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}

/// Who takes part in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// `bashful run`, from its exec to its end.
    CommandLine,
    /// The process that has the library, with all its threads.
    Engine,
    /// The process that owns the room and the run.
    Keeper,
    /// What the keeper starts besides the command: first processes, ushers, searches.
    First,
    /// What becomes the command, until its order has arrived: in a live room it is made ahead, while
    /// nothing waits for it.
    Understudy,
    /// The process that becomes the command: from its order to its exec, or from its start where
    /// nothing was made ahead.
    Command,
}

impl Role {
    pub(crate) const ALL: [Self; 6] = [
        Self::CommandLine,
        Self::Engine,
        Self::Keeper,
        Self::First,
        Self::Understudy,
        Self::Command,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::CommandLine => "command-line",
            Self::Engine => "engine",
            Self::Keeper => "keeper",
            Self::First => "first-process",
            Self::Understudy => "command-before-order",
            Self::Command => "command-before-exec",
        }
    }
}

/// What is counted of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    Calls,
    Forks,
    /// Filters and Landlock: what confines a process.
    Confining,
    Fsyncs,
    Notices,
    Databases,
    Faults,
    Wakes,
}

impl What {
    pub(crate) const ALL: [Self; 8] = [
        Self::Calls,
        Self::Forks,
        Self::Confining,
        Self::Fsyncs,
        Self::Notices,
        Self::Databases,
        Self::Faults,
        Self::Wakes,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Forks => "forks",
            Self::Confining => "confining",
            Self::Fsyncs => "fsyncs",
            Self::Notices => "notices",
            Self::Databases => "databases",
            Self::Faults => "faults",
            Self::Wakes => "wakes",
        }
    }

    /// Whether a tracer sees it. Then the program alone decides on it; faults and wakes also depend
    /// on what else the machine does.
    pub(crate) fn is_traced(self) -> bool {
        !matches!(self, Self::Faults | Self::Wakes)
    }

    /// The budget for what was measured: it is what may be used, and a little more where the
    /// count varies.
    pub(crate) fn budget_for(self, median: u64) -> u64 {
        match self {
            Self::Calls => median + median / 10 + 3,
            Self::Forks | Self::Confining | Self::Fsyncs | Self::Notices | Self::Databases => {
                median
            }
            Self::Faults => median + median / 5 + 15,
            Self::Wakes => median + median / 3 + 3,
        }
    }
}
