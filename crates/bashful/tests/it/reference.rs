//! The reference of the command line against the help: what a page says by hand must not drift.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::support::World;

/// The verbs that `bashful --help` lists.
pub(crate) fn verbs(world: &World) -> BTreeSet<String> {
    let help = world.call(&["--help"]).stdout;
    let (_, list) = help.split_once("\nCommands:\n").unwrap();
    let rows = list.lines().take_while(|line| !line.is_empty());
    let names = rows.map(|row| row.split_whitespace().next().unwrap());
    names.map(str::to_owned).collect()
}

#[test]
fn the_page_has_every_verb_and_no_other() {
    let named = std::env::var_os("BASHFUL_TEST_REPO").map(PathBuf::from);
    let root = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    let page = std::fs::read_to_string(root.join("docs/reference/command-line.md")).unwrap();
    let headings = page
        .lines()
        .filter_map(|line| line.strip_prefix("## `bashful ")?.strip_suffix('`'));
    let described: BTreeSet<String> = headings.map(str::to_owned).collect();
    let mut verbs = verbs(&World::new());
    assert!(verbs.remove("help"), "{verbs:?}");
    assert_eq!(described, verbs);
}
