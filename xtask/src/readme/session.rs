//! Runs one tested block as a reader would, and judges each command's output.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::blocks::{Block, Example, Place};
use super::matching::{agree, difference, trimmed};
use crate::repository::Repository;
use crate::scratch::Scratch;

/// Ends the output of each command. No document has a record separator in it.
const END: char = '\u{1e}';

/// Long enough for a block that compiles, short enough to notice one that waits for ever.
const LIMIT_SECONDS: &str = "600";

/// These would start the whole run again from within itself.
const NEVER_RUN: &[&str] = &["cargo xtask test", "cargo xtask soak", ".ci/run"];

pub(super) enum Verdict {
    AsShown,
    LeftOut,
    Different(String),
}

/// A fresh home and working directory, shared by the blocks of one document.
pub(super) struct Session<'a> {
    repository: &'a Repository,
    scratch: &'a Scratch,
    work: PathBuf,
    environment: Vec<(&'static str, PathBuf)>,
}

impl<'a> Session<'a> {
    pub(super) fn new(
        repository: &'a Repository,
        binary: &Path,
        scratch: &'a Scratch,
    ) -> Result<Self> {
        let mut environment = Vec::new();
        for (variable, name) in [
            ("HOME", "home"),
            ("XDG_CONFIG_HOME", "home/.config"),
            ("XDG_STATE_HOME", "home/.local/state"),
            ("XDG_DATA_HOME", "home/.local/share"),
            ("XDG_CACHE_HOME", "home/.cache"),
            ("XDG_RUNTIME_DIR", "run"),
            ("TMPDIR", "tmp"),
        ] {
            environment.push((variable, scratch.directory(name, 0o700)?));
        }
        // Not where it was built: a command may write there, and what it may write comes last.
        let own = scratch.directory("bin", 0o755)?;
        std::os::unix::fs::symlink(binary, own.join("bashful"))?;
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let path = std::iter::once(own).chain(std::env::split_paths(&inherited));
        environment.push(("PATH", std::env::join_paths(path)?.into()));
        // A fresh home hides cargo's own directories, which blocks in the repository need.
        let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
        for (variable, name) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            let place = std::env::var_os(variable).map_or_else(|| home.join(name), PathBuf::from);
            environment.push((variable, place));
        }
        environment.push(("CARGO_TARGET_DIR", repository.target_directory()?));
        Ok(Self {
            repository,
            scratch,
            work: scratch.directory("work", 0o755)?,
            environment,
        })
    }

    pub(super) fn run<'b>(&self, block: &'b Block) -> Result<Vec<(&'b Example, Verdict)>> {
        let (left_out, runs): (Vec<&Example>, Vec<&Example>) =
            block.examples.iter().partition(|it| is_left_out(it));
        let output = self.output_of(&script(&runs), block.place)?;
        // What follows the last mark belongs to a command that ended the shell.
        let mut outputs = output.split_inclusive(END).map(|it| it.strip_suffix(END));
        let mut verdicts: Vec<_> = left_out
            .into_iter()
            .map(|it| (it, Verdict::LeftOut))
            .collect();
        for example in runs {
            let verdict = match outputs.next().flatten() {
                Some(actual) => judge(example, actual),
                None => Verdict::Different("+ the shell ended in or before this\n".to_owned()),
            };
            verdicts.push((example, verdict));
        }
        Ok(verdicts)
    }

    fn output_of(&self, script: &str, place: Place) -> Result<String> {
        // A file and not a pipe: a background process that keeps it open must not keep us waiting.
        let path = self.scratch.path().join("output");
        let stdout = File::create(&path).context("cannot create the file for the output")?;
        let stderr = stdout.try_clone()?;
        Command::new("timeout")
            .args(["--kill-after=5", LIMIT_SECONDS, "bash", "-c", script])
            .env_clear()
            .env("LANG", "C.UTF-8")
            .env("TERM", "dumb")
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(match place {
                Place::Scratch => &self.work,
                Place::Repository => self.repository.root(),
            })
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(stderr)
            .status()
            .context("cannot start `timeout bash`")?;
        let bytes = fs::read(&path).context("cannot read the output")?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn is_left_out(example: &Example) -> bool {
    let command = example.command.trim_start();
    NEVER_RUN.iter().any(|never| command.starts_with(never))
}

/// One script for the block, so that `cd` and variables hold from one command to the next.
fn script(examples: &[&Example]) -> String {
    let commands = examples.iter().map(|example| example.command.as_str());
    commands
        .flat_map(|command| [command, "\nprintf '\\036'\n"])
        .collect()
}

fn judge(example: &Example, actual: &str) -> Verdict {
    let expected = trimmed(example.expected.iter().map(String::as_str));
    let actual = trimmed(actual.lines());
    if agree(&expected, &actual) {
        Verdict::AsShown
    } else {
        Verdict::Different(difference(&expected, &actual))
    }
}

#[cfg(test)]
mod tests {
    use super::super::blocks::tested;
    use super::*;

    /// The failed commands of a document with what was different, and how many were as shown.
    fn run(markdown: &str) -> (usize, Vec<String>) {
        let repository = Repository::locate().unwrap();
        let scratch = Scratch::new().unwrap();
        let binary = scratch.path().join("bashful");
        let session = Session::new(&repository, &binary, &scratch).unwrap();
        let (mut shown, mut different) = (0, Vec::new());
        for block in &tested(markdown).unwrap() {
            for (_, verdict) in session.run(block).unwrap() {
                match verdict {
                    Verdict::AsShown => shown += 1,
                    Verdict::LeftOut => {}
                    Verdict::Different(text) => different.push(text),
                }
            }
        }
        (shown, different)
    }

    #[test]
    fn commands_share_a_shell_within_a_block_and_a_directory_between_blocks() {
        let text = "\
<!-- test -->
```console
$ mkdir sub; cd sub; name=value
$ echo $name; printf 'no newline'
value
no newline
$ cargo xtask test
12 passed, 0 failed
$ pwd; cd ..; echo kept > file
/tmp/…/work/sub
```
<!-- test -->
```console
$ cat file
kept
$ ls missing
ls: …No such file or directory
```
";
        assert_eq!(run(text), (5, vec![]));
    }

    #[test]
    fn a_wrong_line_is_shown_with_the_right_one() {
        let text = "<!-- test: root -->\n```console\n$ ls Cargo.toml\nCargo.lock\n```\n";
        let difference = "- Cargo.lock\n+ Cargo.toml\n".to_owned();
        assert_eq!(run(text), (0, vec![difference]));
    }

    #[test]
    fn a_command_that_is_never_reached_is_not_as_shown() {
        let text = "<!-- test -->\n```console\n$ true\n$ exit 0\n$ true\n```\n";
        let (shown, different) = run(text);
        assert_eq!((shown, different.len()), (1, 2));
    }

    #[test]
    fn a_background_process_does_not_keep_us_waiting() {
        let start = std::time::Instant::now();
        let text =
            "<!-- test -->\n```console\n$ sleep 30 & echo started\nstarted\n$ kill $!\n```\n";
        assert_eq!(run(text), (2, vec![]));
        assert!(start.elapsed().as_secs() < 20);
    }
}
