//! Finds out what the tests need and this machine lacks; installs it.

mod clients;

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{cargo, on_path, run, succeeds};
use crate::repository::Repository;

pub(crate) use clients::Clients;

/// A Debian package and how to see that it is there.
struct Package {
    name: &'static str,
    probe: Probe,
    why: &'static str,
}

enum Probe {
    Binary(&'static str),
    File(&'static str),
}

const PACKAGES: &[Package] = &[
    Package {
        name: "bash",
        probe: Probe::Binary("bash"),
        why: "the shell that commands run in, and the reference for reading them",
    },
    Package {
        name: "git",
        probe: Probe::Binary("git"),
        why: "commands under test work on repositories",
    },
    Package {
        name: "openssh-server",
        probe: Probe::File("/usr/sbin/sshd"),
        why: "git pushes to a real server, on the loopback",
    },
    Package {
        name: "openssh-client",
        probe: Probe::Binary("ssh-keygen"),
        why: "the person's own ssh, which goes there",
    },
    Package {
        name: "openssl",
        probe: Probe::Binary("openssl"),
        why: "certificates of a git server on the loopback",
    },
    Package {
        name: "shellcheck",
        probe: Probe::Binary("shellcheck"),
        why: "the doctor looks for it",
    },
    Package {
        name: "python3",
        // One that every user can start, not only a user who has a python of their own.
        probe: Probe::File("/usr/bin/python3"),
        why: "children that misbehave in ways a shell cannot",
    },
    Package {
        name: "python3-pip",
        probe: Probe::File("/usr/lib/python3/dist-packages/pip"),
        why: "installs the Python SDK of MCP below the build directory",
    },
    Package {
        name: "binutils",
        probe: Probe::Binary("objdump"),
        why: "looks into the executable as it is shipped",
    },
    Package {
        name: "bsdutils",
        probe: Probe::Binary("script"),
        why: "gives tests a terminal",
    },
    Package {
        name: "procps",
        probe: Probe::Binary("ps"),
        why: "tests look for processes left behind",
    },
    Package {
        name: "strace",
        probe: Probe::Binary("strace"),
        why: "kills the executable between two steps, and counts its calls",
    },
    Package {
        name: "util-linux",
        probe: Probe::Binary("setpriv"),
        why: "runs the suites as an ordinary user",
    },
    Package {
        name: "util-linux",
        probe: Probe::Binary("unshare"),
        why: "takes kernel features away from a test",
    },
    Package {
        name: "gcc",
        probe: Probe::Binary("gcc"),
        why: "links Rust programs and builds hostile test children",
    },
    Package {
        name: "libc6-dev",
        probe: Probe::File("/usr/include/stdio.h"),
        why: "headers for the same",
    },
    Package {
        name: "vim",
        probe: Probe::Binary("vim"),
        why: "people's real work: an editor on a terminal in the sandbox",
    },
    Package {
        name: "zsh",
        probe: Probe::Binary("zsh"),
        why: "a shell that completes our verbs",
    },
    Package {
        name: "fish",
        probe: Probe::Binary("fish"),
        why: "a shell that completes our verbs",
    },
    Package {
        name: "man-db",
        probe: Probe::Binary("man"),
        why: "shows our man pages",
    },
    Package {
        name: "groff-base",
        probe: Probe::Binary("groff"),
        why: "sets our man pages, and warns of a wrong one",
    },
    Package {
        name: "make",
        probe: Probe::Binary("make"),
        why: "people's real work: building inside the sandbox",
    },
    Package {
        name: "nodejs",
        // One that every user can start.
        probe: Probe::File("/usr/bin/node"),
        why: "people's real work: scripts",
    },
    Package {
        name: "npm",
        probe: Probe::File("/usr/bin/npm"),
        why: "people's real work: package scripts",
    },
    Package {
        name: "sqlite3",
        probe: Probe::Binary("sqlite3"),
        why: "people's real work: a database in the workspace",
    },
    Package {
        name: "tmux",
        probe: Probe::Binary("tmux"),
        why: "people's real work: a server and its clients on a unix socket in the sandbox",
    },
    Package {
        name: "gnupg",
        probe: Probe::Binary("gpg"),
        why: "people's real work: signed commits, by an agent on a unix socket",
    },
    Package {
        name: "gdb",
        probe: Probe::Binary("gdb"),
        why: "people's real work: a debugger in the sandbox",
    },
    Package {
        name: "postgresql",
        probe: Probe::Binary("pg_lsclusters"),
        why: "people's real work: a database on its default socket in the sandbox",
    },
    Package {
        name: "xz-utils",
        probe: Probe::Binary("xz"),
        why: "people's real work: archives",
    },
    Package {
        name: "zip",
        probe: Probe::Binary("zip"),
        why: "people's real work: archives",
    },
    Package {
        name: "curl",
        probe: Probe::Binary("curl"),
        why: "a client for servers inside the sandbox",
    },
    Package {
        name: "systemd",
        probe: Probe::File("/lib/systemd/systemd-journald"),
        why: "a journal that audit anchors are kept in, and a manager that stops what started tasks",
    },
    Package {
        name: "dbus",
        probe: Probe::Binary("dbus-monitor"),
        why: "a bus that reads what a keeper says to systemd",
    },
    Package {
        name: "mount",
        probe: Probe::Binary("mount"),
        why: "changes the file systems around a sandbox",
    },
];

/// What the commands in `tests/work` work with, in a project of each kind.
const TOOLS: &[Package] = &[
    Package {
        name: "autoconf",
        probe: Probe::Binary("autoreconf"),
        why: "the table of commands: a program with a configure script",
    },
    Package {
        name: "automake",
        probe: Probe::Binary("automake"),
        why: "the table of commands: the same, with its makefiles",
    },
    Package {
        name: "cmake",
        probe: Probe::Binary("cmake"),
        why: "the table of commands: a program built by CMake",
    },
    Package {
        name: "ccache",
        probe: Probe::Binary("ccache"),
        why: "the table of commands: a compiler's cache",
    },
    Package {
        name: "golang-go",
        probe: Probe::Binary("go"),
        why: "the table of commands: a module in Go",
    },
    Package {
        name: "jq",
        probe: Probe::Binary("jq"),
        why: "the table of commands: data",
    },
    Package {
        name: "less",
        probe: Probe::Binary("less"),
        why: "the table of commands: a pager",
    },
    Package {
        name: "lsof",
        probe: Probe::Binary("lsof"),
        why: "the table of commands: who has a file open",
    },
    Package {
        name: "iproute2",
        probe: Probe::Binary("ss"),
        why: "the table of commands: who listens",
    },
    Package {
        name: "parallel",
        probe: Probe::Binary("parallel"),
        why: "the table of commands: many commands at a time",
    },
    Package {
        name: "patch",
        probe: Probe::Binary("patch"),
        why: "the table of commands: changes to files",
    },
    Package {
        name: "python3-venv",
        probe: Probe::File("/usr/share/doc/python3-venv"),
        why: "the table of commands: an environment of a project",
    },
    Package {
        name: "python3-pytest",
        probe: Probe::Binary("pytest"),
        why: "the table of commands: tests of a project",
    },
    Package {
        name: "python3-setuptools",
        probe: Probe::File("/usr/lib/python3/dist-packages/setuptools"),
        why: "the table of commands: a package that is built",
    },
    Package {
        name: "python3-wheel",
        probe: Probe::File("/usr/lib/python3/dist-packages/wheel"),
        why: "the table of commands: the same",
    },
    Package {
        name: "redis-server",
        probe: Probe::Binary("redis-server"),
        why: "the table of commands: a server and its client",
    },
    Package {
        name: "rsync",
        probe: Probe::Binary("rsync"),
        why: "the table of commands: copies of trees",
    },
    Package {
        name: "unzip",
        probe: Probe::Binary("unzip"),
        why: "the table of commands: archives",
    },
    Package {
        name: "zstd",
        probe: Probe::Binary("zstd"),
        why: "the table of commands: archives",
    },
    Package {
        name: "bc",
        probe: Probe::Binary("bc"),
        why: "the table of commands: sums",
    },
    Package {
        name: "file",
        probe: Probe::Binary("file"),
        why: "the table of commands: what a file is",
    },
];

/// Other sandboxes: the doctor looks for them, and the bench compares with them.
const SANDBOXES: &[Package] = &[
    Package {
        name: "bubblewrap",
        probe: Probe::Binary("bwrap"),
        why: "another sandbox to find and to measure against",
    },
    Package {
        name: "firejail",
        probe: Probe::Binary("firejail"),
        why: "another sandbox to find and to measure against",
    },
];

/// Makes what the bench needs be there.
pub(crate) fn prepare_bench() -> Result<()> {
    install_packages(SANDBOXES).map(drop)
}

/// The step: afterwards everything above is there, or the error says what to type.
pub(crate) fn prepare(repository: &Repository) -> Result<String> {
    let mut installed = install_packages(PACKAGES)?;
    installed.extend(install_packages(TOOLS)?);
    installed.extend(install_packages(SANDBOXES)?);
    for component in ["fmt", "clippy"] {
        if !succeeds(cargo(repository).args([component, "--version"])) {
            let name = if component == "fmt" {
                "rustfmt"
            } else {
                component
            };
            run(Command::new("rustup").args(["component", "add", name]))?;
            installed.push(name);
        }
    }
    if !has_nextest(repository) {
        println!("cargo-nextest is missing; building it takes some minutes, once");
        let arguments = ["install", "cargo-nextest", "--locked"];
        match run(cargo(repository).args(arguments)) {
            Ok(()) => installed.push("cargo-nextest"),
            Err(error) => println!("notice: {error:#}; `cargo test` stands in for it"),
        }
    }
    Clients::install(repository)?;
    Ok(match installed.as_slice() {
        [] => "nothing was missing".to_owned(),
        names => format!("installed {}", names.join(", ")),
    })
}

/// Asked anew each time, as a step may be run alone.
pub(crate) fn has_nextest(repository: &Repository) -> bool {
    succeeds(cargo(repository).args(["nextest", "--version"]))
}

/// The owner of `/proc/self` is our user; the standard library has no other way to ask.
pub(crate) fn is_root() -> Result<bool> {
    let metadata = std::fs::metadata("/proc/self").context("cannot read `/proc/self`")?;
    Ok(metadata.uid() == 0)
}

fn install_packages(packages: &[Package]) -> Result<Vec<&'static str>> {
    let names = missing(packages);
    if names.is_empty() {
        return Ok(names);
    }
    for package in packages.iter().filter(|package| !package.is_present()) {
        println!("missing: {}: {}", package.name, package.why);
    }
    let by_hand = format!("sudo apt-get install -y {}", names.join(" "));
    if on_path("apt-get").is_none() {
        bail!(
            "there is no `apt-get` here; install these by hand: {}",
            names.join(" ")
        );
    }
    let mut prefix = vec!["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];
    if !is_root()? {
        if !succeeds(Command::new("sudo").args(["-n", "true"])) {
            bail!("packages are missing; run: {by_hand}");
        }
        prefix.splice(0..0, ["sudo", "-n"]);
    }
    // A stale list may still know the packages, so only the installation decides.
    if let Err(error) = apt_get(&prefix, &["update", "-q"]) {
        println!("notice: {error:#}");
    }
    let arguments = [&["install", "-y", "-q"], names.as_slice()].concat();
    apt_get(&prefix, &arguments).with_context(|| format!("by hand: {by_hand}"))?;
    match missing(packages).as_slice() {
        [] => Ok(names),
        still => bail!("still missing after installation: {}", still.join(" ")),
    }
}

fn apt_get(prefix: &[&str], arguments: &[&str]) -> Result<()> {
    let (program, first) = prefix.split_first().context("no command to run")?;
    run(Command::new(program).args(first).args(arguments))
}

fn missing(packages: &[Package]) -> Vec<&'static str> {
    let absent = packages.iter().filter(|package| !package.is_present());
    let mut names: Vec<&str> = absent.map(|package| package.name).collect();
    names.dedup();
    names
}

impl Package {
    fn is_present(&self) -> bool {
        match self.probe {
            Probe::Binary(name) => on_path(name).is_some(),
            Probe::File(path) => Path::new(path).exists(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_look_where_they_say() {
        let present = |probe| {
            let (name, why) = ("some", "a test");
            Package { name, probe, why }.is_present()
        };
        assert!(present(Probe::Binary("sh")));
        assert!(!present(Probe::Binary("no-such-program-here")));
        assert!(present(Probe::File("/proc/self/stat")));
        assert!(!present(Probe::File("/proc/self/no-such-file")));
    }
}
