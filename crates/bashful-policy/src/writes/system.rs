//! Programs that change the machine itself: accounts, services, the kernel, packages.

use crate::facts::Argument;

mod special;
mod table;

use special::special;
use table::TABLE;

/// What a program does to the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// It changes the machine.
    System,
    /// It changes settings of the user or of all users.
    Settings,
    /// It installs for all projects of this user, outside of the workspace.
    Global,
}

/// What a call does to the system, if it does.
pub(super) fn change(program: &str, arguments: &[Argument]) -> Option<Change> {
    let only_asks = |text: &str| matches!(text, "--help" | "--version");
    if arguments.iter().any(|argument| only_asks(&argument.text)) {
        return None;
    }
    let changes = special(program, arguments).or_else(|| by_table(program, arguments))?;
    changes.then_some(if is_global(program) {
        Change::Global
    } else {
        Change::System
    })
}

/// Whether a call installs or sets something, and no more than one user's own where that user may
/// write nothing of the system.
pub(crate) fn is_for_one_user(program: &str, arguments: &[Argument]) -> bool {
    change(program, arguments) == Some(Change::Global)
}

/// How the forms that only look differ from the others.
enum Looks {
    /// No form only looks.
    Never,
    /// Without operands, or with one of these words.
    Without(&'static [&'static str]),
    /// With one of these words among its arguments.
    Words(&'static [&'static str]),
    /// Unless one of these words is among its arguments.
    Unless(&'static [&'static str]),
}

fn is_global(program: &str) -> bool {
    [
        "npm", "pnpm", "yarn", "bun", "gem", "pip", "pip3", "brew", "composer", "dotnet",
        "flatpak", "nix-env", "make", "gmake", "ninja", "cmake", "meson", "ssh-keygen",
        "gsettings", "dconf", "pipx", "conda", "luarocks", "cpan", "cpanm", "go", "rustup",
        "xdg-mime", "xdg-settings", "python", "python3",
    ]
    .contains(&program)
}

fn by_table(program: &str, arguments: &[Argument]) -> Option<bool> {
    let (_, looks) = TABLE.iter().find(|(names, _)| names.contains(&program))?;
    // A bundle counts by its first letter as well: `-Ss` only looks.
    let has = |words: &[&str]| {
        arguments.iter().any(|argument| {
            let text = argument.known();
            words.iter().any(|word| {
                text == *word
                    || word.ends_with('=') && text.starts_with(*word)
                    || word.ends_with('-') && word.len() > 2 && text.starts_with(*word)
            })
        })
    };
    let has_operands = arguments
        .iter()
        .any(|argument| !argument.known().starts_with('-') || argument.text == "-");
    Some(match looks {
        Looks::Never => true,
        Looks::Without(words) => has_operands && !has(words),
        Looks::Words(words) => !has(words),
        Looks::Unless(words) => has(words),
    })
}

/// A program's arguments as words.
struct Words<'a> {
    texts: Vec<&'a str>,
    operands: Vec<&'a str>,
}

impl Words<'_> {
    /// Whether one of these letters is in a bundle.
    fn letters(&self, wanted: &[char]) -> bool {
        let is_bundle = |text: &&&str| text.starts_with('-') && !text.starts_with("--");
        let mut bundles = self.texts.iter().filter(is_bundle);
        bundles.any(|text| text.contains(wanted))
    }

    /// Whether one of these options is given, abbreviated or not.
    fn long(&self, names: &[&str]) -> bool {
        self.texts.iter().any(|text| {
            let name = text.split('=').next().unwrap_or_default();
            name.len() > 3 && names.iter().any(|long| long.starts_with(name))
        })
    }
}
