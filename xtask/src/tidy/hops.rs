//! Rule: the table in ARCHITECTURE.md of the engine's files that a command passes is true to the tree,
//! names no file twice, and stays short.

use super::{Finding, Texts};

const SOURCES: &str = "crates/bashful-engine/src/";
const PAGE: &str = "ARCHITECTURE.md";
/// What stands before the table.
const HEADING: &str = "### Files that a command passes";
/// The most files of the engine that one `run` passes.
const MOST: usize = 40;

pub(super) fn check(texts: &Texts) -> Vec<Finding> {
    let page = texts.get(PAGE).map_or("", String::as_str);
    let finding = |line: usize, message: String| Finding {
        rule: "hops",
        path: PAGE.to_owned(),
        line,
        message,
    };
    let rows = page
        .lines()
        .enumerate()
        .skip_while(|(_, line)| *line != HEADING);
    let rows = rows.skip_while(|(_, line)| !line.starts_with("| ---"));
    let rows = rows.skip(1).take_while(|(_, line)| line.starts_with('|'));
    let mut findings = Vec::new();
    let mut passed: Vec<&str> = Vec::new();
    let mut last = 0;
    for (number, row) in rows {
        last = number + 1;
        // The second column is the way of `run`, the others say what another call adds.
        for (column, cell) in row.split('|').skip(2).enumerate() {
            for file in cell.split('`').skip(1).step_by(2) {
                if column == 0 && passed.contains(&file) {
                    findings.push(finding(last, format!("`{file}` is passed twice")));
                }
                if column == 0 {
                    passed.push(file);
                }
                if !texts.contains_key(format!("{SOURCES}{file}").as_str()) {
                    findings.push(finding(last, format!("there is no `{SOURCES}{file}`")));
                }
            }
        }
    }
    if passed.is_empty() {
        findings.push(finding(1, format!("has no table under `{HEADING}`")));
    }
    if passed.len() > MOST {
        let count = passed.len();
        findings.push(finding(
            last,
            format!("one `run` passes {count} files, more than {MOST}"),
        ));
    }
    findings
}
