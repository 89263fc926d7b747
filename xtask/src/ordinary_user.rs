//! Runs the suites as an ordinary user when we are root.
//!
//! Much of what Bashful does differs for root: namespaces, signals, file modes. Agents seldom work
//! as root, so the whole suites run as an ordinary user, and as root what the profile `root` in
//! `.config/nextest.toml` names. The checkout may be in a place that another user cannot enter, so
//! the tests run on a copy.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::durations::Durations;
use crate::process::{cargo, on_path, run, stdout_of};
use crate::repository::{Repository, string_field};
use crate::scratch::{Scratch, set_mode};
use crate::{clients, setup, toolchain};

/// The user `nobody`; on machines without that name the number still has no rights.
pub(crate) const USER: u32 = 65534;

/// The suites whose behaviour depends on who runs them.
const PACKAGES: &[&str] = &[
    "bashful-sandbox",
    "bashful-keeper",
    "bashful-engine",
    "bashful",
];

/// Where the cases of the escape suite share what is slow to find out.
pub(crate) const FOUND: &str = "BASHFUL_ESCAPE_CACHE";

const BROKEN: &str = "a suite fails without root's rights";

/// Every test of these packages, and of the clients what an ordinary user can run.
pub(crate) fn test(repository: &Repository, durations: &mut Durations) -> Result<String> {
    let scratch = Scratch::new()?;
    let copy = Copy::make(repository, &scratch)?;
    if setup::has_nextest(repository) {
        let mut nextest = copy.nextest(repository, &[], &filter())?;
        durations.run("user", &mut nextest).context(BROKEN)?;
    } else {
        for test in &copy.tests {
            let mut command = copy.command(&test.executable);
            // Like `cargo test`: each binary works in the directory of its package.
            command.current_dir(copy.root.join("crates").join(&test.package));
            run(&mut command).context(BROKEN)?;
        }
    }
    let packages = scratch.directory("packages", 0o755)?;
    clients::check_as(repository, &packages, |program| copy.command(program)).context(BROKEN)?;
    Ok(format!("{} test binaries, user {USER}", copy.tests.len()))
}

/// Tests of the binary whose names have this in them, with this variable.
pub(crate) fn soak(repository: &Repository, tests: &str, variable: (&str, &str)) -> Result<()> {
    if !setup::has_nextest(repository) {
        bail!("cargo-nextest is not installed; `cargo xtask test --only setup` installs it");
    }
    run(cargo(repository).args(["build", "--workspace", "--locked"]))?;
    let scratch = Scratch::new()?;
    let copy = Copy::make(repository, &scratch)?;
    let filter = format!("package(=bashful) & binary(=it) & test(~{tests})");
    let mut nextest = copy.nextest(repository, &[variable], &filter)?;
    run(nextest.args(["--profile", "soak"]))
}

struct TestBinary {
    package: String,
    executable: PathBuf,
}

/// The repository, its test binaries and a home, where the ordinary user can read them.
struct Copy<'a> {
    scratch: &'a Scratch,
    root: PathBuf,
    tests: Vec<TestBinary>,
}

impl<'a> Copy<'a> {
    fn make(repository: &Repository, scratch: &'a Scratch) -> Result<Self> {
        let root = scratch.directory("repo", 0o755)?;
        for file in repository.files()? {
            copy_readable(&repository.root().join(&file), &root.join(&file))?;
        }
        let debug = repository.target_directory()?.join("debug");
        copy_readable(&debug.join("bashful"), &root.join("target/debug/bashful"))
            .context("the step `build` comes first")?;
        let mut tests = built_tests(repository)?;
        for test in &mut tests {
            let name = test.executable.file_name().context("a test has no name")?;
            let place = root.join("target/debug/deps").join(name);
            // They are large, and no test writes to its own file: another name will do.
            if !is_linked(&test.executable, &place) {
                copy_readable(&test.executable, &place)?;
            }
            test.executable = place;
        }
        // Without one, what needs it is not tried, and the report says so.
        if let Err(error) = toolchain::share(&scratch.directory("tools", 0o755)?) {
            println!("notice: the user gets no toolchain for Rust: {error:#}");
        }
        for name in ["home", "state", "run", "tmp", "found"] {
            let directory = scratch.directory(name, 0o700)?;
            chown(&directory, Some(USER), Some(USER))
                .with_context(|| format!("cannot give `{}` away", directory.display()))?;
        }
        Ok(Self {
            scratch,
            root,
            tests,
        })
    }

    /// A program as the ordinary user, with nothing of our environment.
    fn command(&self, program: &Path) -> Command {
        self.command_with(&[], program)
    }

    fn command_with(&self, variables: &[(&str, &str)], program: &Path) -> Command {
        let scratch = self.scratch.path();
        let variable = |name: &str, path: &Path| format!("{name}={}", path.display());
        let mut command = without_rights();
        command
            .arg(variable("HOME", &scratch.join("home")))
            .arg(variable("XDG_STATE_HOME", &scratch.join("state")))
            .arg(variable("XDG_RUNTIME_DIR", &scratch.join("run")))
            .arg(variable("TMPDIR", &scratch.join("tmp")))
            .arg(variable(FOUND, &scratch.join("found")))
            // As `.cargo/config.toml` has it for whatever cargo starts: no test writes a snapshot.
            .arg("INSTA_UPDATE=no")
            .arg(variable("INSTA_WORKSPACE_ROOT", &self.root))
            .arg(variable("BASHFUL_TEST_BINARY", &self.binary()))
            .arg(variable("BASHFUL_TEST_REPO", &self.root))
            .arg(variable("BASHFUL_TEST_TOOLS", &scratch.join("tools")))
            .args(
                variables
                    .iter()
                    .map(|(name, value)| format!("{name}={value}")),
            )
            .arg(program)
            .current_dir(&self.root);
        command
    }

    fn binary(&self) -> PathBuf {
        self.root.join("target/debug/bashful")
    }

    /// Nextest on the copy: one process per test and time limits, as in the run as root.
    fn nextest(
        &self,
        repository: &Repository,
        variables: &[(&str, &str)],
        filter: &str,
    ) -> Result<Command> {
        let scratch = self.scratch.path();
        let program = scratch.join("cargo-nextest");
        copy_readable(&find_nextest()?, &program)?;

        let list = "nextest list --workspace --locked --list-type binaries-only \
                    --message-format json";
        let binaries = stdout_of(cargo(repository).args(list.split_whitespace()))?;
        fs::write(scratch.join("binaries.json"), binaries)?;
        // For this platform only, as cargo would have to download the crates of all others.
        let platform = stdout_of(Command::new("rustc").args(["--print", "host-tuple"]))?;
        let metadata = "metadata --format-version=1 --locked --all-features --filter-platform";
        let mut metadata_command = cargo(repository);
        metadata_command
            .args(metadata.split(' '))
            .arg(platform.trim());
        let metadata = stdout_of(&mut metadata_command)?;
        fs::write(scratch.join("metadata.json"), metadata)?;

        let mut command = self.command_with(variables, &program);
        command
            .args(["nextest", "run", "--test-threads", &at_once()])
            .arg("--binaries-metadata")
            .arg(scratch.join("binaries.json"))
            .arg("--cargo-metadata")
            .arg(scratch.join("metadata.json"))
            .arg("--workspace-remap")
            .arg(&self.root)
            .arg("--target-dir-remap")
            .arg(self.root.join("target"))
            .args(["-E", filter]);
        Ok(command)
    }
}

/// What starts a program as the ordinary user with hardly any environment: variables and the
/// program follow.
pub(crate) fn without_rights() -> Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut command = Command::new("setpriv");
    command
        .arg(format!("--reuid={USER}"))
        .arg(format!("--regid={USER}"))
        .args(["--clear-groups", "env", "-i", "LANG=C.UTF-8"])
        .arg(format!("PATH={}", enterable(&path)));
    command
}

/// How many tests run at a time: most of them wait for processes most of the time.
pub(crate) fn at_once() -> String {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    (2 * cores).to_string()
}

fn filter() -> String {
    let terms: Vec<String> = PACKAGES
        .iter()
        .map(|name| format!("package(={name})"))
        .collect();
    // Budgets are counted by root, for an ordinary user as well.
    let counted = "binary(budgets) & test(/^warm_runs/)";
    format!("({}) & not ({counted})", terms.join(" | "))
}

/// What `cargo test` would run, for the packages of interest.
fn built_tests(repository: &Repository) -> Result<Vec<TestBinary>> {
    let arguments = "test --workspace --locked --no-run --quiet --message-format=json";
    let messages = stdout_of(cargo(repository).args(arguments.split(' ')))?;
    let tests: Vec<TestBinary> = messages.lines().filter_map(test_binary).collect();
    if tests.is_empty() {
        bail!("cargo has built no test binary for {}", PACKAGES.join(", "));
    }
    Ok(tests)
}

/// Reads one of cargo's messages: a test executable of a package of interest, or nothing.
fn test_binary(message: &str) -> Option<TestBinary> {
    if !message.contains(r#""test":true},"#) {
        return None;
    }
    let manifest = PathBuf::from(string_field(message, "manifest_path")?);
    let package = manifest.parent()?.file_name()?.to_str()?.to_owned();
    let executable = string_field(message, "executable")?.into();
    PACKAGES.contains(&package.as_str()).then_some(TestBinary {
        package,
        executable,
    })
}

fn find_nextest() -> Result<PathBuf> {
    let in_cargo_home = || {
        let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let home =
            home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))?;
        Some(home.join("bin/cargo-nextest")).filter(|file| file.is_file())
    };
    on_path("cargo-nextest")
        .or_else(in_cargo_home)
        .context("cannot find the file of cargo-nextest")
}

/// The directories of a search path that every user may enter; root's own would only be in the way.
fn enterable(path: &std::ffi::OsStr) -> String {
    let open = |directory: &Path| {
        let mode = |path: &Path| path.metadata().map_or(0, |it| it.permissions().mode());
        directory.is_absolute() && directory.ancestors().all(|path| mode(path) & 0o001 != 0)
    };
    let directories = std::env::split_paths(path).filter(|directory| open(directory));
    let names: Vec<String> = directories.map(|it| it.display().to_string()).collect();
    names.join(":")
}

/// Gives an executable that every user may run another name, where the file system can.
fn is_linked(from: &Path, to: &Path) -> bool {
    let mode = from
        .metadata()
        .map_or(0, |about| about.permissions().mode());
    let is_open = mode & 0o007 == 0o005;
    is_open && to.parent().is_some_and(Path::is_dir) && fs::hard_link(from, to).is_ok()
}

/// Copies a file so that every user can read it, and run it if its owner could.
pub(crate) fn copy_readable(from: &Path, to: &Path) -> Result<()> {
    let parent = to.parent().context("a copy needs a directory")?;
    let missing: Vec<&Path> = parent.ancestors().take_while(|it| !it.exists()).collect();
    fs::create_dir_all(parent).with_context(|| format!("cannot create `{}`", parent.display()))?;
    for directory in missing {
        set_mode(directory, 0o755)?;
    }
    fs::copy(from, to).with_context(|| format!("cannot copy `{}`", from.display()))?;
    let executable = from.metadata()?.permissions().mode() & 0o100 != 0;
    set_mode(to, if executable { 0o755 } else { 0o644 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_test_executables_of_our_packages_only() {
        let message = |package: &str, test: bool, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/x/crates/{package}/Cargo.toml","profile":{{"opt_level":"0","test":{test}}},"executable":{executable},"fresh":true}}"#
            )
        };
        let found = |text: String| test_binary(&text).map(|it| (it.package, it.executable));
        assert_eq!(
            found(message("bashful", true, r#""/t/deps/it-1""#)),
            Some(("bashful".to_owned(), PathBuf::from("/t/deps/it-1")))
        );
        assert_eq!(found(message("bashful", false, r#""/t/bashful""#)), None);
        assert_eq!(found(message("bashful", true, "null")), None);
        assert_eq!(found(message("xtask", true, r#""/t/deps/xtask-1""#)), None);
    }

    #[test]
    fn a_closed_directory_leaves_the_search_path() {
        let scratch = Scratch::new().unwrap();
        let open = scratch.directory("open", 0o755).unwrap();
        let inside = scratch.directory("closed/bin", 0o755).unwrap();
        set_mode(&scratch.path().join("closed"), 0o700).unwrap();
        let path = std::env::join_paths([&inside, &open]).unwrap();
        assert_eq!(enterable(&path), open.display().to_string());
    }
}
