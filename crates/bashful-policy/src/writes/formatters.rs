//! Formatters and fixers, which change the files that they are given.

use crate::facts::Argument;

/// When a tool changes its files.
enum Changes {
    /// Only with one of these options or words.
    With(&'static [&'static str]),
    /// But for a call with one of these options.
    Unless(&'static [&'static str]),
}

/// Tools that change files in the same circumstances.
#[rustfmt::skip]
const FORMATTERS: &[(&[&str], Changes)] = &[
    (&["prettier", "gofmt", "goimports", "gofumpt", "shfmt", "biome", "buf", "codespell", "typos"],
        Changes::With(&["-w", "--write", "--write-changes", "--apply", "--apply-unsafe", "--fix",
        "--interactive"])),
    (&["clang-format", "autopep8", "yapf", "docformatter", "autoflake"],
        Changes::With(&["-i", "--in-place", "--inplace"])),
    (&["eslint", "stylelint", "oxlint", "standard", "xo", "swiftlint", "ktlint", "markdownlint",
        "markdownlint-cli2", "golangci-lint", "clang-tidy", "rubocop", "standardrb", "sqlfluff",
        "tflint", "ansible-lint", "djlint", "checkov", "detekt"],
        Changes::With(&["--fix", "-fix", "-fix-errors", "--fix-errors", "--fix-notes",
        "--autocorrect", "--autocorrect-all", "--auto-correct", "--auto-correct-all", "--format",
        "--reformat", "-F", "-a", "-A", "-x", "fix", "format", "fmt"])),
    (&["black", "isort", "ruff", "rustfmt", "stylua", "swiftformat", "pyupgrade"],
        Changes::Unless(&["--check", "--check-only", "--diff", "--lint", "--version"])),
    (&["nixfmt", "alejandra", "taplo", "dprint", "ocamlformat", "pint", "php-cs-fixer"],
        Changes::Unless(&["--check", "--dry-run", "--diff", "--test", "-c", "check"])),
    (&["zig", "dart", "deno", "terraform", "tofu", "packer", "mix", "nim"],
        Changes::With(&["fmt", "format", "fix"])),
];

/// Whether this is a tool that changes files in place.
pub(super) fn is_one(program: &str) -> bool {
    of(program).is_some()
}

/// The files and directories that a call changes in place. A value of an option may be among
/// them, which then is a path that such a tool should not be pointed at either.
pub(super) fn changed(program: &str, arguments: &[Argument]) -> Vec<Argument> {
    let applies = of(program).is_some_and(|changes| match changes {
        Changes::With(words) => arguments
            .iter()
            .any(|given| words.iter().any(|word| may_be(given, word))),
        Changes::Unless(words) => !arguments
            .iter()
            .any(|given| given.is_literal() && words.contains(&given.text.as_str())),
    });
    if !applies {
        return Vec::new();
    }
    let is_operand = |given: &&Argument| !given.known().starts_with('-');
    arguments.iter().filter(is_operand).cloned().collect()
}

fn of(program: &str) -> Option<&'static Changes> {
    let mut rows = FORMATTERS.iter();
    let (_, changes) = rows.find(|(names, _)| names.contains(&program))?;
    Some(changes)
}

/// Whether a word is this option: with a value, abbreviated, or as a letter among others.
fn may_be(given: &Argument, word: &str) -> bool {
    let text = given.known();
    let name = text.split('=').next().unwrap_or_default();
    let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    match word.strip_prefix('-') {
        None => text == word,
        Some(_) if word.starts_with("--") => {
            name == word || (name.len() > 3 && name.starts_with("--") && word.starts_with(name))
        }
        Some(letter) if letter.len() == 1 => letters.is_some_and(|rest| rest.contains(letter)),
        Some(_) => name == word,
    }
}
