//! Where other backends are known to be weaker: the table in SECURITY.md, tried row by row.
//!
//! Each of its cases must get through. One that is held back makes the table wrong, and fails.

use bashful_sandbox::Backend;

use crate::case::Case;

const SECURITY: &str = include_str!("../../../../SECURITY.md");
const BEGIN: &str = "<!-- weaknesses -->";
const END: &str = "<!-- end of weaknesses -->";

/// The cases of the table. They are root's, who can do most.
pub(crate) fn cases() -> Vec<Case> {
    let (_, after) = SECURITY.split_once(BEGIN).expect("a table of weaknesses");
    let (table, _) = after.split_once(END).expect("the end of the table");
    // The first two lines are its head.
    let rows = table.lines().filter(|line| line.starts_with('|')).skip(2);
    let cases: Vec<Case> = rows.flat_map(of_row).collect();
    assert!(cases.len() > 10, "the table in SECURITY.md cannot be read");
    cases
}

fn of_row(row: &str) -> Vec<Case> {
    let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
    let cells: [&str; 3] = cells.try_into().expect("three cells in each row");
    let [backend, _, shown] = cells;
    let backend: Backend = backend.trim_matches('`').parse().expect("a backend");
    let names: Vec<&str> = shown
        .split(", ")
        .map(|name| name.trim_matches('`'))
        .collect();
    let found: Vec<Case> = names
        .iter()
        .filter_map(|name| crate::native_cases().find(|case| case.full_name() == *name))
        .map(|mut case| {
            case.backend = backend;
            case.root_only = true;
            case.is_weakness = true;
            case
        })
        .collect();
    assert_eq!(found.len(), names.len(), "a case that there is not: {row}");
    found
}
