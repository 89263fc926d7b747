//! The man pages: one for each verb, made of what its help says.
//!
//! A test writes them, also for `cargo xtask dist`: a test sees the flags, and so neither what is
//! shipped nor a chore has to carry the crate that makes man pages.

use std::path::Path;
use std::{fs, io};

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::Cli;

/// Writes all of them into this directory.
fn write_all(directory: &Path) -> io::Result<()> {
    // A page for `bashful help` would say no more than the others.
    let mut whole = Cli::command().disable_help_subcommand(true);
    whole.build();
    write(&whole, directory)
}

/// Writes the page of a verb, and those of the verbs below it.
fn write(verb: &Command, directory: &Path) -> io::Result<()> {
    let page = Man::new(verb.clone())
        // No date; were it not spelled, what follows would stand in its place.
        .date("\"\"")
        .source(concat!("bashful ", env!("CARGO_PKG_VERSION")))
        .manual("Bashful");
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    page.render_options_section(&mut text)?;
    if verb.has_subcommands() {
        page.render_subcommands_section(&mut text)?;
    }
    notes(verb).to_writer(&mut text)?;
    fs::write(directory.join(page.get_filename()), text)?;
    let below = verb.get_subcommands().filter(|verb| !verb.is_hide_set());
    below
        .into_iter()
        .try_for_each(|verb| write(verb, directory))
}

/// What stands at the end of the help, line by line: the crate would fill the lines of an example.
fn notes(verb: &Command) -> Roff {
    let mut roff = Roff::new();
    let Some(notes) = verb.get_after_long_help().or_else(|| verb.get_after_help()) else {
        return roff;
    };
    roff.control("SH", ["NOTES"]).control("nf", []);
    for line in notes.to_string().lines() {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
    roff
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    use clap::Parser as _;

    use super::*;

    /// Where `cargo xtask dist` wants the pages.
    const DIRECTORY: &str = "BASHFUL_TEST_MAN_PAGES";

    /// The verbs that the help of a verb lists.
    fn listed(verb: &str) -> Vec<String> {
        let words = verb.split(' ').chain(["--help"]);
        let help = Cli::try_parse_from(words).unwrap_err().to_string();
        let Some((_, list)) = help.split_once("\nCommands:\n") else {
            return Vec::new();
        };
        let rows = list.lines().take_while(|line| !line.is_empty());
        let names = rows.filter_map(|row| row.strip_prefix("  ")?.split(' ').next());
        let verbs = names.filter(|name| !["", "help"].contains(name));
        verbs.map(|name| format!("{verb} {name}")).collect()
    }

    /// The file of a verb, and of those below it.
    fn pages(verb: &str) -> BTreeSet<String> {
        let below = listed(verb).into_iter().flat_map(|verb| pages(&verb));
        let own = format!("{}.1", verb.replace(' ', "-"));
        below.chain([own]).collect()
    }

    fn found(directory: &Path) -> BTreeSet<String> {
        let entries = fs::read_dir(directory).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string());
        names.map(Result::unwrap).collect()
    }

    #[test]
    fn every_verb_of_the_help_has_a_man_page() {
        let own = tempfile::tempdir().unwrap();
        let named = std::env::var_os(DIRECTORY).map(PathBuf::from);
        let directory = named.unwrap_or_else(|| own.path().to_owned());
        write_all(&directory).unwrap();
        let found = found(&directory);
        assert_eq!(found, pages("bashful"));
        for page in ["bashful.1", "bashful-run.1", "bashful-mcp-install.1"] {
            assert!(found.contains(page), "{page} is not among {found:?}");
        }
    }

    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "a test reads the pages with the program that people use"
    )]
    fn man_shows_every_page_without_a_warning() {
        let directory = tempfile::tempdir().unwrap();
        write_all(directory.path()).unwrap();
        let shown = |pages: &[&str]| {
            let mut man = std::process::Command::new("man");
            man.args(["--warnings", "--encoding=UTF-8", "--local-file"])
                .args(pages)
                .envs([("LC_ALL", "C.UTF-8"), ("MANWIDTH", "100")])
                .current_dir(directory.path());
            let output = man.output().unwrap();
            let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
            (
                output.status.code(),
                text(output.stdout),
                text(output.stderr),
            )
        };
        // It does warn of a page that is wrong.
        fs::write(
            directory.path().join("wrong"),
            ".TH W 1\n.SH NAME\n\\[odd]\n",
        )
        .unwrap();
        assert_ne!(shown(&["wrong"]).2, "");
        fs::remove_file(directory.path().join("wrong")).unwrap();

        let found = found(directory.path());
        let pages: Vec<&str> = found.iter().map(String::as_str).collect();
        let (code, text, warnings) = shown(&pages);
        assert_eq!((code, warnings.as_str()), (Some(0), ""));
        for page in &pages {
            let title = format!("{}(1)", page.trim_end_matches(".1"));
            let is_head = |line: &str| line.starts_with(&title) && line.ends_with(&title);
            assert!(text.lines().any(is_head), "no {title} in:\n{text}");
        }
        let foot = concat!("\nbashful ", env!("CARGO_PKG_VERSION"), " ");
        assert_eq!(text.matches(foot).count(), pages.len(), "{text}");
        // An example has its line to itself.
        assert!(
            text.contains("\n         bashful run 'npm test'\n"),
            "{text}"
        );
    }
}
