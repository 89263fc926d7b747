//! What is installed beside the executable: its man pages, and what shells complete.
//!
//! Each is where it has to be below `/usr/local/share`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{cargo, stdout_of};
use crate::repository::Repository;

const MAN_PAGES: &str = "man/man1";

/// The test that writes the man pages, and the variable that tells it where.
const WRITES_MAN_PAGES: &str = "cli::man_pages::tests::every_verb_of_the_help_has_a_man_page";
const DIRECTORY: &str = "BASHFUL_TEST_MAN_PAGES";

/// A shell, and the file in which it looks for what it completes.
const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "bash-completion/completions/bashful"),
    ("zsh", "zsh/site-functions/_bashful"),
    ("fish", "fish/vendor_completions.d/bashful.fish"),
];

/// Makes this directory anew: a page of a verb that is gone does not stay.
pub(super) fn make(repository: &Repository, program: &Path, share: &Path) -> Result<()> {
    if share.exists() {
        fs::remove_dir_all(share)
            .with_context(|| format!("cannot remove `{}`", share.display()))?;
    }
    completions(program, share)?;
    man_pages(repository, &share.join(MAN_PAGES))
}

/// The program itself prints them.
fn completions(program: &Path, share: &Path) -> Result<()> {
    for (shell, file) in COMPLETIONS {
        let script = stdout_of(Command::new(program).args(["completions", shell]))?;
        let file = share.join(file);
        let directory = file.parent().context("a file is in a directory")?;
        create(directory)?;
        fs::write(&file, script).with_context(|| format!("cannot write `{}`", file.display()))?;
    }
    Ok(())
}

/// The crate that makes them is not part of what is shipped, so a test of the program writes them.
fn man_pages(repository: &Repository, directory: &Path) -> Result<()> {
    create(directory)?;
    let tests = ["test", "-p", "bashful", "--bin", "bashful", "--locked"];
    let said = stdout_of(
        cargo(repository)
            .args(tests)
            .args(["--quiet", "--", "--exact", WRITES_MAN_PAGES])
            .env(DIRECTORY, directory),
    )?;
    // Where no test has that name, none fails.
    if !said.contains("1 passed") {
        bail!("no test is called `{WRITES_MAN_PAGES}`, so there are no man pages");
    }
    Ok(())
}

fn create(directory: &Path) -> Result<()> {
    fs::create_dir_all(directory)
        .with_context(|| format!("cannot create `{}`", directory.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::{Scratch, set_mode};

    #[test]
    fn each_shell_finds_what_the_program_printed_for_it() {
        let scratch = Scratch::new().unwrap();
        let program = scratch.path().join("bashful");
        fs::write(&program, "#!/bin/sh\necho \"$@\"\n").unwrap();
        set_mode(&program, 0o755).unwrap();
        let share = scratch.path().join("share");
        completions(&program, &share).unwrap();
        for (file, printed) in [
            ("bash-completion/completions/bashful", "completions bash\n"),
            ("zsh/site-functions/_bashful", "completions zsh\n"),
            (
                "fish/vendor_completions.d/bashful.fish",
                "completions fish\n",
            ),
        ] {
            assert_eq!(fs::read_to_string(share.join(file)).unwrap(), printed);
        }
    }
}
