//! Our toolchain for Rust, as an ordinary user has one: below a directory as a home is, readable.
//!
//! It is some hundred megabytes, so its files get other names and are not copied, where the file
//! system can.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::ordinary_user::copy_readable;
use crate::process::{on_path, run, stdout_of, succeeds};
use crate::scratch::set_mode;

/// What rustup starts by other names of itself.
const PROXIES: &[&str] = &[
    "cargo",
    "rustc",
    "rustdoc",
    "rustfmt",
    "cargo-fmt",
    "cargo-clippy",
    "clippy-driver",
];

/// The parts that building takes; the documents are larger than these.
const PARTS: &[&str] = &["bin", "lib", "libexec"];

/// Puts `.cargo` and `.rustup` into this directory.
pub(crate) fn share(home: &Path) -> Result<()> {
    let rustup = on_path("rustup").context("there is no `rustup`")?;
    let bin = home.join(".cargo/bin");
    copy_readable(&rustup, &bin.join("rustup"))?;
    for name in PROXIES {
        symlink("rustup", bin.join(name)).with_context(|| format!("cannot make `{name}`"))?;
    }
    let root = stdout_of(Command::new("rustc").args(["--print", "sysroot"]))?;
    let root = PathBuf::from(root.trim());
    let name = root.file_name().context("the toolchain has no name")?;
    let place = home.join(".rustup/toolchains").join(name);
    fs::create_dir_all(&place).with_context(|| format!("cannot make `{}`", place.display()))?;
    for part in PARTS.iter().map(|part| root.join(part)) {
        if part.is_dir() {
            let copied = |how| succeeds(Command::new("cp").arg(how).arg(&part).arg(&place));
            if !copied("-al") {
                run(Command::new("cp").arg("-a").arg(&part).arg(&place))?;
            }
        }
    }
    // What rustup would make on its first call.
    for folder in ["update-hashes", "tmp", "downloads"] {
        fs::create_dir_all(home.join(".rustup").join(folder))?;
    }
    let settings = format!(
        "version = \"12\"\ndefault_toolchain = \"{}\"\nprofile = \"minimal\"\n",
        name.display()
    );
    fs::write(home.join(".rustup/settings.toml"), settings).context("cannot write settings")?;
    for folder in [".cargo", ".rustup", ".rustup/toolchains"] {
        set_mode(&home.join(folder), 0o755)?;
    }
    Ok(())
}
