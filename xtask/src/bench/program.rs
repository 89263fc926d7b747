//! The bench program of a checkout and what it measures, ready to be run by root or by an ordinary
//! user.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::ordinary_user::{USER, copy_readable, without_rights};
use crate::process::run;
use crate::repository::Repository;
use crate::scratch::Scratch;
use crate::{dist, setup};

/// Where root's measurements work: on a real disk, short enough for sockets, open to every user, and
/// in no directory that a room has of its own.
const PLACE_OF_ROOT: &str = "/var/cache";

/// Tells the bench where to work.
const SCRATCH: &str = "BASHFUL_BENCH_SCRATCH";

/// A new directory to work in. It is removed after the last measurement and not between two: a file
/// system that has just deleted thousands of files makes new ones slowly (ext4 avoids their inodes
/// for some minutes).
pub(super) fn scratch(repository: &Repository) -> Result<Scratch> {
    if setup::is_root()? {
        return Scratch::below(Path::new(PLACE_OF_ROOT));
    }
    let place = repository.target_directory()?.join("bench");
    fs::create_dir_all(&place)?;
    Scratch::below(&place)
}

/// The bench program of a checkout, and the executable that it measures.
pub(super) struct Bench {
    program: PathBuf,
    bashful: PathBuf,
}

/// What a bench has told, by the name of the figure, and whether it came to its end.
pub(super) struct Told {
    pub(super) figures: BTreeMap<String, f64>,
    pub(super) ended: Result<()>,
}

impl Bench {
    pub(super) fn build(checkout: &Repository) -> Result<Self> {
        // Both as they are shipped: the bench is its own keeper.
        let bashful = dist::build(checkout)?;
        let program = dist::build_example(checkout, "bashful-engine", "bench")?;
        Ok(Self { program, bashful })
    }

    /// With the figures of this repository, whichever checkout it is of.
    pub(super) fn command(&self, repository: &Repository, scratch: &Path) -> Command {
        let mut command = Command::new(&self.program);
        self.with_arguments(&mut command, &figures_file(repository));
        command.env(SCRATCH, scratch).current_dir(repository.root());
        command
    }

    fn with_arguments(&self, command: &mut Command, figures: &Path) {
        command.arg("--bashful").arg(&self.bashful);
        command.arg("--figures").arg(figures);
    }

    /// Runs one bench; what it tells.
    pub(super) fn measure(command: &mut Command, name: &str, place: &Path) -> Result<Told> {
        let hand_over = place.join("told");
        fs::write(&hand_over, "").with_context(|| format!("no place for what `{name}` tells"))?;
        // An ordinary user writes to it.
        fs::set_permissions(
            &hand_over,
            std::os::unix::fs::PermissionsExt::from_mode(0o666),
        )?;
        let ended = run(command.arg("--hand-over").arg(&hand_over).arg(name));
        let text = fs::read_to_string(&hand_over)?;
        let figure = |line: &str| {
            let (name, value) = line.split_once(' ')?;
            Some((name.to_owned(), value.parse().ok()?))
        };
        let figures = text.lines().filter_map(figure).collect();
        Ok(Told { figures, ended })
    }
}

pub(super) fn figures_file(repository: &Repository) -> PathBuf {
    repository.root().join("docs/figures.toml")
}

/// A bench and all that it needs, where an ordinary user can run it.
pub(super) struct Copy {
    bench: Bench,
    figures: PathBuf,
    own: PathBuf,
}

impl Copy {
    pub(super) fn of(bench: &Bench, repository: &Repository, scratch: &Scratch) -> Result<Self> {
        let place = scratch.path();
        let copy = Bench {
            program: place.join("x/bench"),
            bashful: place.join("x/bashful"),
        };
        copy_readable(&bench.program, &copy.program)?;
        copy_readable(&bench.bashful, &copy.bashful)?;
        let figures = place.join("figures.toml");
        copy_readable(&figures_file(repository), &figures)?;
        let own = scratch.directory("user", 0o700)?;
        chown(&own, Some(USER), Some(USER))?;
        Ok(Self {
            bench: copy,
            figures,
            own,
        })
    }

    pub(super) fn command(&self) -> Command {
        let variable = |name: &str| format!("{name}={}", self.own.display());
        let mut command = without_rights();
        command
            .arg(variable("HOME"))
            .arg(variable(SCRATCH))
            .arg(&self.bench.program)
            .current_dir(&self.own);
        self.bench.with_arguments(&mut command, &self.figures);
        command
    }
}
