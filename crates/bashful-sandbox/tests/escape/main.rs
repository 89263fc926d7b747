//! The escape suite: attacks on the sandbox, one process each.
//!
//! Every case is run without the sandbox first, where that is safe, to show that it would
//! work. It speaks enough of the test harness's language for `cargo test` and nextest.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a failed preparation fails its case, and the table is for people"
)]
#![expect(
    clippy::needless_raw_string_hashes,
    reason = "all acts are written alike, whichever quotes they have"
)]

mod abandoned;
mod case;
mod crossing;
mod detours;
mod exhaustion;
mod families;
mod identity;
mod judge;
mod kernel;
mod namespaces;
mod network;
mod numbers;
mod owner;
mod process;
mod processes;
mod programs;
mod protected;
mod races;
mod reading;
mod rights;
mod room;
mod scene;
mod shell;
mod sockets;
mod surviving;
mod system;
mod terminal;
mod tripwire;
mod weaknesses;
mod wrapped;
mod writing;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use case::Case;
use judge::{Outcome, is_root, judge};

/// The variable that holds what the acts try to read. Each process has its own.
pub(crate) const SECRET: &str = "BASHFUL_ESCAPE_SECRET";

/// The variable that names a directory for what is slow to find out. `cargo xtask test` sets it, as
/// there each case is found and started by itself.
pub(crate) const CACHE: &str = "BASHFUL_ESCAPE_CACHE";

/// The cases that can be run by the user of this process.
fn cases() -> Vec<Case> {
    let cases = native_cases()
        .chain(wrapped::cases())
        .chain(weaknesses::cases());
    cases.filter(|case| is_root() || !case.root_only).collect()
}

/// Those for our own sandbox.
pub(crate) fn native_cases() -> impl Iterator<Item = Case> {
    let classes = [
        reading::cases(),
        races::cases(),
        processes::cases(),
        writing::cases(),
        system::cases(),
        rights::cases(),
        protected::cases(),
        detours::cases(),
        programs::cases(),
        shell::cases(),
        sockets::cases(),
        families::cases(),
        network::cases(),
        kernel::cases(),
        terminal::cases(),
        namespaces::cases(),
        identity::cases(),
        exhaustion::cases(),
        surviving::cases(),
        crossing::cases(),
    ];
    classes.into_iter().flatten()
}

/// What this process is to do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Task {
    /// Run the cases, each in a process of its own.
    #[default]
    Run,
    List,
    /// List or run those that are switched off, of which there are none.
    Ignored,
    /// Asked by ourselves: be the process of one case.
    Alone,
    /// Asked by ourselves: be a keeper that will be killed.
    Keeper,
}

/// What the command line asks for.
#[derive(Debug, Default)]
struct Arguments {
    task: Task,
    exact: bool,
    names: Vec<String>,
}

impl Arguments {
    fn read() -> Self {
        let mut arguments = Self::default();
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            match word.as_str() {
                "--list" if arguments.task == Task::Run => arguments.task = Task::List,
                "--ignored" => arguments.task = Task::Ignored,
                "--exact" => arguments.exact = true,
                "--keeper" => arguments.task = Task::Keeper,
                "--alone" => arguments.task = Task::Alone,
                "--format" | "--test-threads" | "--color" | "--skip" => drop(words.next()),
                flag if flag.starts_with('-') => {}
                name => arguments.names.push(name.to_owned()),
            }
        }
        arguments
    }

    fn wants(&self, name: &str) -> bool {
        let fits = |word: &String| word == name || !self.exact && name.contains(word);
        self.names.is_empty() || self.names.iter().any(fits)
    }
}

fn main() -> ExitCode {
    // Wrapper programs start the same executable inside.
    bashful_sandbox::serve_as_first_process_if_asked();
    let arguments = Arguments::read();
    let mut cases = cases();
    cases.retain(|case| arguments.wants(&case.full_name()));
    let good = match arguments.task {
        Task::Ignored => true,
        Task::List => {
            for case in &cases {
                println!("{}: test", case.full_name());
            }
            true
        }
        Task::Keeper => cases.iter().try_for_each(abandoned::be_a_keeper).is_ok(),
        Task::Alone => cases.iter().all(|case| report(case, &judge(case))),
        Task::Run => run(&cases),
    };
    if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Runs them all and prints the table, failures again at its end.
fn run(cases: &[Case]) -> bool {
    let own = tempfile::tempdir().expect("a directory for findings");
    let given = std::env::var_os(CACHE).map(PathBuf::from);
    let cache = given.as_deref().unwrap_or(own.path());
    let failed = cases
        .iter()
        .filter_map(|case| in_its_own_process(case, cache));
    let failed: Vec<String> = failed.collect();
    println!(
        "\nescape suite: {} cases, {} failed",
        cases.len(),
        failed.len()
    );
    for text in &failed {
        println!("{text}");
    }
    failed.is_empty()
}

/// Runs one case in a process that holds a secret. Returns what it printed if it failed.
#[expect(
    clippy::disallowed_methods,
    reason = "the process of a case is a host, not something that the sandbox starts"
)]
fn in_its_own_process(case: &Case, cache: &Path) -> Option<String> {
    let name = case.full_name();
    let own = std::env::current_exe().expect("a path of our own");
    let salt = std::process::id().wrapping_mul(2_654_435_761);
    let time = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    // The mounts of root's acts and scenes are theirs alone, and go with them.
    let mut command = if is_root() {
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "--propagation", "private", "--"])
            .arg(own);
        command
    } else {
        Command::new(own)
    };
    let output = command
        .args(["--alone", "--exact", &name])
        .env(CACHE, cache)
        .env(SECRET, format!("secret-{salt:x}-{:x}", time.as_nanos()))
        .output();
    match output {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout)
                .trim_end()
                .to_owned();
            let errors = String::from_utf8_lossy(&output.stderr)
                .trim_end()
                .to_owned();
            println!("{text}");
            (!output.status.success()).then(|| format!("{text}{errors}"))
        }
        Err(error) => Some(format!("{name}: {error}")),
    }
}

/// Prints one line of the table. Returns whether the case is good.
fn report(case: &Case, outcome: &Outcome) -> bool {
    let name = case.full_name();
    let without = match case.control {
        case::Control::Never(why) => format!("  [no control: {why}]"),
        case::Control::Root(why) if !is_root() => format!("  [no control: {why}]"),
        _ => String::new(),
    };
    match outcome {
        Outcome::Held(how) => println!("held     {name:<52} {how}{without}"),
        Outcome::Known(how) => println!("weak     {name:<52} {how}"),
        Outcome::Skipped(why) => println!("SKIPPED  {name:<52} {why}"),
        Outcome::Failed(why) => println!("FAILED   {name:<52} {why}"),
    }
    !matches!(outcome, Outcome::Failed(_))
}
