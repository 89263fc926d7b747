//! What is put in holds; what is taken back leaves a file as it was, to the byte.

use super::super::change::Format;
use super::super::document::parse;
use super::*;

fn changes() -> Vec<Change> {
    let entry = Value::Table(vec![
        (
            "command",
            Value::text("/usr/bin/bashful \"x\" \u{e9}\u{1b}"),
        ),
        ("args", Value::texts(["mcp", "--agent"])),
    ]);
    vec![
        Change::entry(&["servers", "bashful"], entry),
        Change::setting(&["features", "shell_tool"], Value::Flag(false)),
        Change::word(&["permissions", "deny"], "Bash"),
    ]
}

/// The text with all changes, and without them again.
fn there_and_back(format: Format, text: &str) -> (String, String) {
    let mut document = parse(format, text).unwrap();
    let steps: Vec<Step> = changes()
        .iter()
        .filter_map(|change| make(&mut *document, change).unwrap())
        .collect();
    let after = document.text();
    let mut read_again = parse(format, &after).unwrap();
    for change in changes() {
        assert!(holds(&*read_again, &change).unwrap(), "{after}");
        assert_eq!(make(&mut *read_again, &change).unwrap(), None);
    }
    // As a record holds them.
    let steps = serde_json::to_string(&steps).unwrap();
    let steps: Vec<Step> = serde_json::from_str(&steps).unwrap();
    for step in steps.iter().rev() {
        assert_eq!(take_back(&mut *read_again, step).unwrap(), TakenBack::Done);
    }
    (after, read_again.text())
}

#[test]
fn json_is_as_it_was() {
    let texts = [
        "{}",
        "{\n  \"z\": 1,\n  \"a\": {\n    \"x\": \"\\u00e9\\n\"\n  }\n}",
        "{\n\t\"servers\": {\n\t\t\"other\": {}\n\t},\n\t\"b\": 1.50e+3\n}\n",
        "{\r\n  \"a\": 1\r\n}\r\n",
        "\u{feff}{\n    \"a\": 1\n}\n",
        "{\n  \"features\": {\n    \"shell_tool\": true\n  },\n  \"permissions\": {\n    \"deny\": [\n      \"X\"\n    ]\n  }\n}\n",
    ];
    for text in texts {
        for format in [Format::Json, Format::JsonWithComments] {
            let text = match format {
                // A file of ours for people ends with a line break.
                Format::JsonWithComments if !text.ends_with('\n') => format!("{text}\n"),
                _ => text.to_owned(),
            };
            let (after, back) = there_and_back(format, &text);
            assert_eq!(back, text, "by way of {after}");
        }
    }
}

#[test]
fn what_stands_on_one_line_gets_more_lines_and_keeps_its_values() {
    let texts = [
        "{\"a\":1,\"b\":[1,2,{\"c\":null}]}",
        "{ \"permissions\": { \"deny\": [\"X\", \"Y\"], \"allow\": [] } }",
    ];
    for text in texts {
        let (after, back) = there_and_back(Format::Json, text);
        let value = |text: &str| serde_json::from_str::<Json>(text).unwrap();
        assert_eq!(value(&back), value(text), "by way of {after}");
    }
}

#[test]
fn comments_and_commas_stay() {
    let text = "// top\n{\n  // a\n  \"a\": 1, // one\n  /* b */ \"b\": [ 1, 2, /* three */ ],\n  // end\n}\n// bottom\n";
    let (after, back) = there_and_back(Format::JsonWithComments, text);
    for comment in [
        "// top",
        "// a\n",
        "// one",
        "/* b */",
        "/* three */",
        "// end",
        "// bottom",
    ] {
        assert!(after.contains(comment), "{after}");
        assert!(back.contains(comment), "{back}");
    }
    assert_eq!(back, text);
}

#[test]
fn toml_is_as_it_was() {
    let texts = [
        "",
        "a = 1\n",
        "# top\na = 1 # one\n\n[b] # two\nc = [\n  1, # three\n]\n\n[[d]]\ne = 1\n# end\n",
        "features.shell_tool = true # on\n",
        "[features]\nshell_tool = true\nother = 'x'\n\n[servers.other]\ncommand = \"y\"\n",
        "servers = { other = { command = \"y\" } }\n",
        "servers.other.command = \"y\"\npermissions.deny = [\"X\"] # x\n",
        "[servers] # all\n\n[servers.other]\nurl = \"y\"\n",
        "a = 1\r\n[b]\r\nc = 2\r\n",
        "when = 2026-01-01T00:00:00Z\n",
    ];
    for text in texts {
        let (after, back) = there_and_back(Format::Toml, text);
        assert_eq!(back, text, "by way of {after}");
    }
}

#[test]
fn what_is_in_the_way_is_told() {
    for (text, expected) in [
        ("[]", "it is not an object"),
        ("{\"servers\": 1}", "`servers` is not a table"),
        (
            "{\"servers\": {}, \"servers\": {}}",
            "`servers` appears more than once",
        ),
    ] {
        let mut document = parse(Format::Json, text).unwrap();
        let misfit = make(&mut *document, &changes()[0]).unwrap_err();
        assert_eq!(misfit.to_string(), expected);
    }
    let mut document = parse(Format::Toml, "permissions.deny = 1\n").unwrap();
    let misfit = make(&mut *document, &changes()[2]).unwrap_err();
    assert_eq!(misfit.to_string(), "`permissions.deny` is not a list");
}
