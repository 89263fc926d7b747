//! What a case is: an act, what the host prepares for it, and how its success is seen.

use std::path::PathBuf;

use bashful_sandbox::{Backend, Profile};

use crate::numbers::numbers;
use crate::owner::Owner;
use crate::scene::Scene;

const PYTHON: &str = "/usr/bin/python3";
const BASH: &str = "/bin/bash";
const PRELUDE_PYTHON: &str = include_str!("prelude.py");
const PRELUDE_BASH: &str = include_str!("prelude.sh");

/// A program in one of the two languages that every machine under test has.
///
/// Its exit code says what it came to: 0 that it reached its aim, 3 that it was blocked,
/// anything else that the suite is broken. Python makes raw system calls, so that the suite
/// needs no unsafe code.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Act {
    /// Lines for Python, after `prelude.py`.
    Python(&'static str),
    /// The same after others.
    PythonAfter(&'static str, &'static str),
    /// Lines for bash, after `prelude.sh`.
    Bash(&'static str),
}

impl Act {
    /// The program, and its arguments after its name.
    pub(crate) fn words(self) -> (PathBuf, Vec<String>) {
        let words = match self {
            Self::Python(_) | Self::PythonAfter(..) => {
                let flags = ["-I", "-S", "-B", "-c"].map(str::to_owned);
                let texts = [PRELUDE_PYTHON.to_owned(), self.lines(), numbers()];
                let program = std::fs::canonicalize(PYTHON).expect("the suite needs python3");
                return (program, flags.into_iter().chain(texts).collect());
            }
            Self::Bash(code) => format!("{PRELUDE_BASH}{code}"),
        };
        let flags = ["--noprofile", "--norc", "-c"].map(str::to_owned);
        (BASH.into(), flags.into_iter().chain([words]).collect())
    }
}

impl Act {
    /// What Python is to do.
    fn lines(self) -> String {
        match self {
            Self::Python(code) | Self::Bash(code) => outdented(code),
            Self::PythonAfter(before, code) => {
                format!("{}\n{}", outdented(before), outdented(code))
            }
        }
    }
}

/// The lines without the indentation that they have in our source.
fn outdented(code: &str) -> String {
    let lines = || code.lines().filter(|line| !line.trim().is_empty());
    let width = |line: &str| line.len() - line.trim_start().len();
    let common = lines().map(width).min().unwrap_or_default();
    let cut = lines().map(|line| line.get(common..).unwrap_or_default());
    cut.collect::<Vec<_>>().join("\n")
}

/// How it is shown that the act works where nothing holds it back.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Control {
    /// The same act without the sandbox reaches its aim, whichever user starts it.
    Everyone,
    /// It does so for root only; an ordinary user is refused for this reason.
    Root(&'static str),
    /// It is not tried, for this reason.
    Never(&'static str),
}

/// Where a helper of the act lives. In a control, all of them live on the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Host,
    /// Another run of the room that is attacked from.
    SameRoom,
    /// A run of another room for the same workspace.
    OtherRoom,
}

/// Which of them shows whether the act reached its aim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Witness {
    /// The act itself. That the host must not feel an attack holds for all.
    Act,
    /// The act, and the host has felt it.
    Both,
    /// The host alone: the act cannot know.
    Host,
}

/// Attacks for a case. Returns how the act was held back, or how it was not.
pub(crate) type Attack = fn(&Case, Owner) -> Result<String, String>;

/// An act and all that belongs to it.
pub(crate) struct Case {
    pub(crate) class: &'static str,
    pub(crate) name: &'static str,
    pub(crate) act: Act,
    pub(crate) prepare: fn(&mut Scene),
    pub(crate) profile: fn(&mut Profile, &Scene),
    pub(crate) helper: Option<(Place, Act)>,
    pub(crate) control: Control,
    pub(crate) witness: Witness,
    /// Whether the case matters for root only.
    pub(crate) root_only: bool,
    /// What a kernel may lack, and what the control hears then.
    pub(crate) may_lack: Option<(&'static str, &'static [&'static str])>,
    /// Whether the act may be killed by what holds it back.
    pub(crate) may_be_killed: bool,
    /// How it is attacked, where that is not by one act in one room.
    pub(crate) attack: Option<Attack>,
    /// The backend that is to hold it back.
    pub(crate) backend: Backend,
    /// Whether that backend is known not to.
    pub(crate) is_weakness: bool,
}

impl Case {
    fn new(class: &'static str, name: &'static str, act: Act) -> Self {
        Self {
            class,
            name,
            act,
            prepare: |_| {},
            profile: |_, _| {},
            helper: None,
            control: Control::Everyone,
            witness: Witness::Act,
            root_only: false,
            may_lack: None,
            may_be_killed: false,
            attack: None,
            backend: Backend::Native,
            is_weakness: false,
        }
    }

    pub(crate) fn python(class: &'static str, name: &'static str, code: &'static str) -> Self {
        Self::new(class, name, Act::Python(code))
    }

    /// Lines that several acts begin with, and an act.
    pub(crate) fn python_after(
        class: &'static str,
        name: &'static str,
        before: &'static str,
        code: &'static str,
    ) -> Self {
        Self::new(class, name, Act::PythonAfter(before, code))
    }

    pub(crate) fn bash(class: &'static str, name: &'static str, code: &'static str) -> Self {
        Self::new(class, name, Act::Bash(code))
    }

    /// What the host sets up before.
    pub(crate) fn prepare(mut self, prepare: fn(&mut Scene)) -> Self {
        self.prepare = prepare;
        self
    }

    /// What differs from the usual profile: the workspace writable, the network off.
    pub(crate) fn profile(mut self, profile: fn(&mut Profile, &Scene)) -> Self {
        self.profile = profile;
        self
    }

    /// A process that is there while the act runs. It says what the act needs to know, calls
    /// `ready()`, and reports afterwards whether it was disturbed.
    pub(crate) fn helper(mut self, place: Place, code: &'static str) -> Self {
        self.helper = Some((place, Act::Python(code)));
        self
    }

    pub(crate) fn control(mut self, control: Control) -> Self {
        self.control = control;
        self
    }

    /// The host feels the act: its files, listeners and processes are its witnesses.
    pub(crate) fn felt(mut self) -> Self {
        self.witness = Witness::Both;
        self
    }

    /// Only the host can see it.
    pub(crate) fn felt_only(mut self) -> Self {
        self.witness = Witness::Host;
        self
    }

    pub(crate) fn root_only(mut self) -> Self {
        self.root_only = true;
        self
    }

    pub(crate) fn may_lack(mut self, what: &'static str, answers: &'static [&'static str]) -> Self {
        self.may_lack = Some((what, answers));
        self
    }

    pub(crate) fn may_be_killed(mut self) -> Self {
        self.may_be_killed = true;
        self
    }

    /// Another way to attack. It returns how the act was held back.
    pub(crate) fn attack(mut self, attack: Attack) -> Self {
        self.attack = Some(attack);
        self
    }

    /// As test runners know it.
    pub(crate) fn full_name(&self) -> String {
        let name = format!("{}::{}", self.class, self.name);
        match self.backend {
            Backend::Native => name,
            other if self.is_weakness => format!("weak::{other}::{name}"),
            other => format!("{other}::{name}"),
        }
    }
}
