//! Facts about the table of tools, and what is said about arguments.

use std::collections::HashSet;

use serde_json::json;

use super::*;

/// The tool with this name.
fn tool(name: &str) -> &'static Tool {
    ToolRegistry::find(name).unwrap()
}

/// What is said about these arguments; none if they can be read.
fn complaint(name: &str, arguments: Value) -> Option<String> {
    let read = Arguments::read(tool(name), arguments);
    read.err().map(|error| error.to_string())
}

#[test]
fn every_client_takes_the_names() {
    for tool in TOOLS {
        let length = tool.name.len();
        let good = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        assert!((1..=64).contains(&length), "{tool:?}");
        assert!(tool.name.bytes().all(good), "{tool:?}");
    }
}

#[test]
fn each_name_means_one_tool() {
    let mut seen = HashSet::new();
    for tool in TOOLS {
        for name in [&[tool.name][..], tool.aliases].concat() {
            let found = ToolRegistry::find(name).unwrap();
            assert_eq!(found.name, tool.name, "{name}");
            // A dot and an underscore are the same.
            let plain = name.replace('.', "_");
            let known = !seen.insert(plain.clone());
            let own = plain == tool.name || tool.aliases.contains(&plain.as_str());
            // But for the type of an action, see below.
            assert!(!known || own || name == ACTION, "{name} means two tools");
        }
    }
    for name in [
        "",
        "bash",
        "bash run",
        "BASH_RUN",
        "bash_run ",
        "approve",
        "bash..run",
    ] {
        assert!(ToolRegistry::find(name).is_none(), "{name}");
    }
    assert_eq!(tool("task.output").name, "task_output");
}

#[test]
fn the_type_of_an_action_runs_a_script_and_with_a_command_that() {
    assert_eq!(tool("bash.run").name, "script_run");
    for (arguments, meant) in [
        (json!({"script_name": "a"}), "script_run"),
        (json!({}), "script_run"),
        (json!({"command": "ls"}), "bash_run"),
    ] {
        let found = ToolRegistry::meant("bash.run", &arguments).unwrap();
        assert_eq!(found.name, meant, "{arguments}");
    }
    let plain = ToolRegistry::meant("bash_run", &json!({})).unwrap();
    assert_eq!(plain.name, "bash_run");
}

#[test]
fn schemas_are_objects_and_say_what_each_part_is() {
    for tool in TOOLS {
        assert!(tool.description.len() > 40, "{tool:?}");
        assert!(!tool.title.is_empty(), "{tool:?}");
        for schema in [tool.input_schema(), tool.output_schema()] {
            assert_eq!(schema["type"], "object", "{tool:?}");
            let properties = schema["properties"].as_object().unwrap();
            for (name, part) in properties {
                let about = part["description"].as_str();
                assert!(
                    about.is_some_and(|about| about.len() > 5),
                    "{tool:?} {name}"
                );
            }
            for name in schema["required"].as_array().into_iter().flatten() {
                let name = name.as_str().unwrap();
                assert!(properties.contains_key(name), "{tool:?} {name}");
            }
        }
        // What a tool does not know is refused, not passed over.
        assert_eq!(
            tool.input_schema()["additionalProperties"],
            false,
            "{tool:?}"
        );
    }
}

#[test]
fn no_tool_touches_policy_grants_or_approvals() {
    for tool in TOOLS {
        let schema = tool.input_schema();
        let arguments = schema["properties"].as_object().unwrap().keys();
        let arguments = arguments.map(String::as_str);
        let names = [&[tool.name][..], tool.aliases].concat();
        for name in arguments.chain(names) {
            let name = name.to_lowercase();
            for word in [
                "grant",
                "approv",
                "allow",
                "profile",
                "sandbox",
                "network",
                "rule",
                "answer",
                "agent",
                "session",
                "workspace",
                "config",
                "trust",
            ] {
                assert!(!name.contains(word), "{tool:?} {name}");
            }
            // The one tool with the word in its name only reads.
            let reads = tool.effects == Effects::Reads;
            assert!(!name.contains("policy") || reads, "{tool:?} {name}");
        }
    }
    let running: Vec<&str> = TOOLS
        .iter()
        .filter(|tool| tool.effects == Effects::Runs)
        .map(|tool| tool.name)
        .collect();
    assert_eq!(running, ["bash_run", "task_send", "script_run"]);
}

#[test]
fn arguments_that_cannot_be_read() {
    for (arguments, said) in [
        (
            json!([]),
            "the arguments of `bash_run` must be a JSON object, not a list",
        ),
        (
            json!("ls"),
            "the arguments of `bash_run` must be a JSON object, not a string",
        ),
        (
            json!(5),
            "the arguments of `bash_run` must be a JSON object, not a number",
        ),
        (
            json!(true),
            "the arguments of `bash_run` must be a JSON object, not true or false",
        ),
        (
            json!({ "command": "ls", "sandbox": "none" }),
            "`bash_run` takes no `sandbox`; it takes `command`, `cwd`, `description`, `env`, \
             `name`, `ready_when`, `run_in_background`, `shell`, `stdin`, `timeout`, `tty`",
        ),
        (
            json!({ "\u{1b}[2J": 1 }),
            "`bash_run` takes no `\\u{1b}[2J`; it takes `command`, `cwd`, `description`, `env`, \
             `name`, `ready_when`, `run_in_background`, `shell`, `stdin`, `timeout`, `tty`",
        ),
    ] {
        let found = complaint("bash_run", arguments.clone());
        assert_eq!(found.as_deref(), Some(said), "{arguments}");
    }
    let long = json!({ "x".repeat(100_000): 1 });
    assert!(complaint("bash_run", long).unwrap().len() < 500);
    assert_eq!(complaint("bash_run", Value::Null), None);
    assert_eq!(complaint("bash_run", json!({ "command": null })), None);
}

#[test]
fn each_kind_of_argument_says_what_it_wants() {
    let read = |value: Value| {
        let arguments = json!({ "command": value });
        Arguments::read(tool("bash_run"), arguments).unwrap()
    };
    let told = |error: InvalidArgument| error.to_string();
    let number = |value: Value| read(value).number("command", 1..=600).map_err(told);
    assert_eq!(number(json!(600)), Ok(Some(600)));
    assert_eq!(number(json!(5.0)), Ok(Some(5)));
    assert_eq!(number(Value::Null), Ok(None));
    for (value, shown) in [
        (json!(0), "0"),
        (json!(601), "601"),
        (json!(-1), "-1"),
        (json!(1.5), "1.5"),
        (json!(1e300), "1e+300"),
        (json!("5"), "the string \"5\""),
        (json!([5]), "a list"),
    ] {
        let said =
            format!("`command` of `bash_run` must be a whole number from 1 to 600, not {shown}");
        assert_eq!(number(value), Err(said));
    }
    let flag = |value: Value| read(value).flag("command").map_err(told);
    assert_eq!(
        [flag(json!(true)), flag(Value::Null)],
        [Ok(true), Ok(false)]
    );
    let said = "`command` of `bash_run` must be true or false, not the string \"true\"";
    assert_eq!(flag(json!("true")), Err(said.to_owned()));
    let text = |value: Value| read(value).text("command").map_err(told);
    assert_eq!(text(json!("ls")), Ok("ls".to_owned()));
    assert_eq!(
        text(Value::Null),
        Err("`bash_run` needs `command`".to_owned())
    );
    let said = "`command` of `bash_run` must be a string, not an object";
    assert_eq!(text(json!({})), Err(said.to_owned()));
    let texts = |value: Value| read(value).texts("command").map_err(told);
    assert_eq!(texts(json!({ "A": "b" })).unwrap()["A"], "b");
    let said = "`command.A` of `bash_run` must be a string, not 1";
    assert_eq!(texts(json!({ "A": 1 })), Err(said.to_owned()));
    let said = "`command` of `bash_run` must be an object whose values are strings, not a list";
    assert_eq!(texts(json!(["A=b"])), Err(said.to_owned()));
    let word = |value: Value| read(value).word("command", &["all", "some"]).map_err(told);
    assert_eq!(word(json!("all")), Ok(Some("all")));
    let said = "`command` of `bash_run` must be one of all, some, not the string \"most\"";
    assert_eq!(word(json!("most")), Err(said.to_owned()));
    // What came is shown in part, and cannot draw.
    let long = word(json!(format!("\u{1b}[2J{}", "x".repeat(100_000)))).unwrap_err();
    assert!(long.len() < 300 && !long.contains('\u{1b}'), "{long}");
}

#[test]
fn dialects_say_the_same() {
    for tool in TOOLS {
        let mcp = tool.describe(Dialect::Mcp);
        let openai = tool.describe(Dialect::OpenAi);
        let anthropic = tool.describe(Dialect::Anthropic);
        assert_eq!(mcp["inputSchema"], tool.input_schema());
        assert_eq!(openai["function"]["parameters"], tool.input_schema());
        assert_eq!(anthropic["input_schema"], tool.input_schema());
        for name in [
            &mcp["name"],
            &openai["function"]["name"],
            &anthropic["name"],
        ] {
            assert_eq!(name, tool.name);
        }
        let reads = tool.effects == Effects::Reads;
        assert_eq!(mcp["annotations"]["readOnlyHint"], reads, "{tool:?}");
        let destroys = (!reads).then_some(tool.effects != Effects::Keeps);
        assert_eq!(
            mcp["annotations"]["destructiveHint"],
            json!(destroys),
            "{tool:?}"
        );
    }
}
