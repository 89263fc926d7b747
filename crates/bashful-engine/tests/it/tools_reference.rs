//! The reference of the tools against the registry: what a page says by hand must not drift.

use std::collections::BTreeSet;
use std::path::Path;

use bashful_engine::{Tool, ToolRegistry};
use serde_json::Value;

/// The page, cut at the headings of the tools.
fn section(page: &str, tool: &Tool) -> String {
    let heading = format!("\n## `{}`\n", tool.name);
    let (_, rest) = page
        .split_once(&heading)
        .unwrap_or_else(|| panic!("the page has no heading for `{}`", tool.name));
    rest.split("\n## ").next().unwrap_or_default().to_owned()
}

/// The names in the first column of the table below this line.
fn rows(section: &str, before: &str) -> BTreeSet<String> {
    let (_, table) = section
        .split_once(before)
        .unwrap_or_else(|| panic!("no `{before}` in:\n{section}"));
    let lines = table
        .lines()
        .skip_while(|line| !line.starts_with("| --- |"));
    let rows = lines.skip(1).take_while(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    let names = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    names.map(str::to_owned).collect()
}

fn properties(schema: &Value) -> BTreeSet<String> {
    let properties = schema["properties"].as_object().unwrap();
    properties.keys().cloned().collect()
}

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/tools.md");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn the_page_has_every_tool_with_its_names() {
    let page = page();
    for tool in ToolRegistry::tools() {
        let section = section(&page, tool);
        for alias in tool.aliases {
            assert!(section.contains(&format!("`{alias}`")), "{alias}");
        }
    }
    let headings = page.lines().filter_map(|line| {
        let name = line.strip_prefix("## `")?.strip_suffix('`')?;
        (!name.contains(' ')).then_some(name)
    });
    for name in headings {
        assert!(ToolRegistry::find(name).is_some(), "there is no `{name}`");
    }
}

#[test]
fn the_page_has_every_argument_and_its_bounds() {
    let page = page();
    for tool in ToolRegistry::tools() {
        let section = section(&page, tool);
        let schema = tool.input_schema();
        assert_eq!(
            rows(&section, "| argument |"),
            properties(&schema),
            "{}",
            tool.name
        );
        for (name, about) in schema["properties"].as_object().unwrap() {
            let row = section
                .lines()
                .find(|line| line.starts_with(&format!("| `{name}`")));
            let row = row
                .unwrap_or_else(|| panic!("`{name}` has no row"))
                .replace(',', "");
            if let Some(most) = about["maximum"].as_u64() {
                assert!(row.contains(&most.to_string()), "{name}: {row}");
            }
            let told = about["description"].as_str().unwrap();
            let usual = told.split_once("[default: ").map_or("", |(_, usual)| usual);
            let usual: String = usual.chars().take_while(char::is_ascii_digit).collect();
            assert!(row.contains(&usual), "{name}, default {usual}: {row}");
        }
    }
}

#[test]
fn the_page_has_every_field_of_an_answer() {
    let page = page();
    for tool in ToolRegistry::tools() {
        let section = section(&page, tool);
        assert_eq!(
            rows(&section, "| field |"),
            properties(&tool.output_schema()),
            "{}",
            tool.name
        );
    }
}
