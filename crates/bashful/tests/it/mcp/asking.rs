//! Asking in the client's own dialogue, in the generation that has a connection.

use serde_json::{Value, json};

use super::client::{Client, Manner, text_of};
use super::{asking_world, made, steady};
use crate::support::{World, eventually};

/// Calls a command and answers its question like this; the result.
fn answered(client: &mut Client, command: &str, reply: &Value) -> Value {
    let id = client.send_call("bash_run", &json!({ "command": command }));
    let question = client.question();
    client.reply(&question, reply);
    client.result(&id)
}

fn accept(answer: &str) -> Value {
    json!({ "action": "accept", "content": { "answer": answer } })
}

/// The grants that were given: scope, channel and client of each.
fn grants(world: &World) -> Vec<Value> {
    let (code, answer) = world.call(&["grants", "list", "--all", "--json"]).json();
    assert_eq!(code, 0, "{answer}");
    let grants = answer["grants"].as_array().unwrap().iter();
    let facts = |one: &Value| json!([one["scope"], one["by"]["channel"], one["by"]["client"]]);
    grants.map(facts).collect()
}

#[test]
fn a_question_shows_what_will_run_and_what_it_could_do() {
    let world = asking_world();
    for (manner, titles) in [("2025-06-18", false), ("2025-11-25", true)] {
        let mut manner_of = Manner::asking();
        manner_of.version = manner;
        let mut client = Client::greeted(&world, &["--agent", "claude"], manner_of);
        let arguments = json!({ "command": "touch made", "description": "Makes it" });
        client.send_call("bash_run", &arguments);
        let params = client.question()["params"].take();
        let message = params["message"].as_str().unwrap();
        assert_eq!(
            steady(&world, message),
            "May this command run?\n\n  │ touch made\n\n\
             Why it asks: makes a file (rule ask-touch)\n\
             Agent: claude\n\
             It says: “Makes it”\n\
             Directory: [WORLD]/workspace\n\
             Could write: [WORLD]/workspace\n\
             Could read: the system, [WORLD]/workspace\n\
             Network: off\n\
             Sandbox: native\n\
             A lasting yes covers: `touch made`\n\
             Ask: [ASK]\n"
        );
        let answer = &params["requestedSchema"]["properties"]["answer"];
        let choices: Vec<&str> = if titles {
            let choices = answer["oneOf"].as_array().unwrap().iter();
            choices.map(|one| one["const"].as_str().unwrap()).collect()
        } else {
            let choices = answer["enum"].as_array().unwrap().iter();
            choices.map(|one| one.as_str().unwrap()).collect()
        };
        assert_eq!(choices, ["once", "session", "project", "always", "deny"]);
        assert!(!params.to_string().contains("default\":"), "{params}");
    }
    assert!(!made(&world, "made"));
}

#[test]
fn once_is_once() {
    let world = asking_world();
    let mut client = Client::greeted(&world, &[], Manner::asking());
    let command = "touch made; echo x >>count";
    let result = answered(&mut client, command, &accept("once"));
    assert_eq!(result["isError"], false, "{result}");
    assert_eq!(world.read("count"), "x\n");
    let again = answered(&mut client, command, &accept("deny"));
    assert_eq!(again["isError"], true, "{again}");
    assert_eq!(world.read("count"), "x\n");
    assert_eq!(grants(&world), [json!(["call", "client", "tester 1.0"])]);
}

#[test]
fn a_session_and_always_are_not_asked_again() {
    for (answer, scope) in [
        ("session", "session"),
        ("project", "project"),
        ("always", "user"),
    ] {
        let world = asking_world();
        let mut client = Client::greeted(&world, &["--agent", "claude"], Manner::asking());
        let result = answered(&mut client, "touch made", &accept(answer));
        assert_eq!(result["isError"], false, "{result}");
        let again = client.run("touch made");
        assert_eq!(again["isError"], false, "{again}");
        assert_eq!(grants(&world), [json!([scope, "client", "tester 1.0"])]);
        // Another session of the same agent: only what holds for the project holds there.
        let mut other = Client::greeted(&world, &["--agent", "claude"], Manner::plain());
        let there = other.run("touch made");
        assert_eq!(there["isError"], answer == "session", "{there}");
        // Another agent has none of it.
        let mut stranger = Client::greeted(&world, &["--agent", "other"], Manner::plain());
        assert_eq!(stranger.run("touch made")["isError"], true);
    }
}

#[test]
fn who_answered_is_on_record() {
    let world = asking_world();
    let manner = Manner::asking().named("claude\u{1b}[2J-code\n");
    let mut client = Client::greeted(&world, &[], manner);
    answered(&mut client, "touch made", &accept("once"));
    let listed = world.call(&["audit", "list", "--json"]);
    assert_eq!(listed.code, 0, "{listed:?}");
    let answers = listed.stdout.matches("\"channel\":\"client\"").count();
    assert!(answers >= 1, "{}", listed.stdout);
    // A name is shown to people later: nothing but plain characters is kept of it.
    let name = "\"client\":\"claude2J-code 1.0\"";
    assert!(listed.stdout.contains(name), "{}", listed.stdout);
}

#[test]
fn what_is_no_answer_is_none() {
    let world = asking_world();
    let mut client = Client::greeted(&world, &[], Manner::asking());
    for reply in [
        json!({ "action": "accept" }),
        json!({ "action": "accept", "content": {} }),
        json!({ "action": "accept", "content": { "answer": "yes" } }),
        json!({ "action": "accept", "content": { "answer": ["once"] } }),
        json!({ "action": "accept", "content": { "answer": true } }),
        json!({ "action": "accept", "content": { "ANSWER": "once" } }),
        json!({ "action": "allow", "content": { "answer": "once" } }),
        json!({ "content": { "answer": "once" } }),
        json!({ "answer": "once" }),
        json!({}),
        json!([]),
        Value::Null,
    ] {
        let result = answered(&mut client, "touch made", &reply);
        let text = text_of(&result);
        assert!(
            text.starts_with("needs approval, nothing was run"),
            "{reply}: {text}"
        );
        assert!(text.contains("\nasked: "), "{reply}: {text}");
    }
    let id = client.send_call("bash_run", &json!({ "command": "touch made" }));
    let question = client.question();
    let error = json!({ "code": -32603, "message": "no \u{1b}[31m dialogue" });
    client.line(json!({ "jsonrpc": "2.0", "id": question["id"], "error": error }).to_string());
    let text = text_of(&client.result(&id));
    assert!(text.starts_with("needs approval"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
    // An answer to a question that the server did not put.
    client.line(json!({ "jsonrpc": "2.0", "id": 4711, "result": accept("once") }).to_string());
    assert_eq!(client.run("true")["isError"], false);
    assert!(!made(&world, "made"));
    assert_eq!(grants(&world), [] as [Value; 0]);
}

#[test]
fn two_questions_at_a_time_are_told_apart() {
    let world = asking_world();
    let mut client = Client::greeted(&world, &[], Manner::asking());
    let first = client.send_call("bash_run", &json!({ "command": "touch first" }));
    let second = client.send_call("bash_run", &json!({ "command": "touch second" }));
    let questions = [client.question(), client.question()];
    for question in &questions {
        let message = question["params"]["message"].as_str().unwrap();
        let answer = if message.contains("│ touch first\n") {
            "once"
        } else {
            "deny"
        };
        client.reply(question, &accept(answer));
    }
    let codes = [client.result(&first), client.result(&second)].map(|one| one["isError"].clone());
    assert_eq!(codes, [json!(false), json!(true)]);
    assert_eq!(
        [made(&world, "first"), made(&world, "second")],
        [true, false]
    );
}

#[test]
fn equal_calls_ask_once() {
    let world = asking_world();
    let mut client = Client::greeted(&world, &[], Manner::asking());
    let call = json!({ "command": "touch made; echo x >>count" });
    let ids = [0; 3].map(|_| client.send_call("bash_run", &call));
    let question = client.question();
    // All three are there.
    let count = || {
        let (_, answer) = world.call(&["approvals", "list", "--json"]).json();
        answer["asks"][0]["count"].clone()
    };
    assert!(eventually(|| count() == 3), "{}", count());
    client.reply(&question, &accept("session"));
    for id in &ids {
        assert_eq!(client.result(id)["isError"], false);
    }
    assert_eq!(world.read("count"), "x\nx\nx\n");
    let more = client.asides();
    let asked = more.iter().filter(|message| message.get("id").is_some());
    assert_eq!(asked.count(), 0, "{more:?}");
}

#[test]
fn what_a_command_reads_is_shown_and_counts() {
    let world = asking_world();
    let mut client = Client::greeted(&world, &[], Manner::asking());
    let call = |input: &str| json!({ "command": "touch made; cat >>seen", "stdin": input });
    let id = client.send_call("bash_run", &call("one\n"));
    let question = client.question();
    let message = question["params"]["message"].as_str().unwrap();
    let shown = "\nIt reads on its standard input:\n\n  │ one\n";
    assert!(message.contains(shown), "{message}");
    client.reply(&question, &accept("once"));
    assert_eq!(client.result(&id)["isError"], false);
    assert_eq!(world.read("seen"), "one\n");
    // The same with other input is another call, also after a yes that was not used.
    let id = client.send_call("bash_run", &call("two\n"));
    let question = client.question();
    client.reply(&question, &json!({ "action": "cancel" }));
    assert_eq!(client.result(&id)["isError"], true);
    assert_eq!(world.read("seen"), "one\n");
}

#[test]
fn a_command_too_long_to_be_shown_is_not_put() {
    let world = asking_world();
    let command = format!("touch made {}", "x".repeat(8_000));
    for manner in [Manner::asking(), Manner::asking().stateless()] {
        let mut client = Client::greeted(&world, &[], manner);
        let text = text_of(&client.run(&command));
        let why = "asked: the command is too long to be shown in the client";
        assert!(text.ends_with(why), "{text}");
    }
}

#[test]
fn a_script_is_approved_once_by_its_content() {
    let world = World::new();
    let mut client = Client::greeted(&world, &[], Manner::asking());
    let script = json!({ "name": "greet", "content": "echo hello ${who.name}\n" });
    let kept = client.call("script_create", &script);
    assert_eq!(kept["isError"], false, "{kept}");
    let run = json!({ "script_name": "greet", "variables": { "who": { "name": "a b" } } });
    let id = client.send_call("script_run", &run);
    let question = client.question();
    let message = question["params"]["message"].as_str().unwrap();
    assert!(message.contains("May this script run"), "{message}");
    assert!(
        message.contains("  │ echo hello ${who.name}\n"),
        "{message}"
    );
    client.reply(&question, &accept("always"));
    let result = client.result(&id);
    assert!(text_of(&result).ends_with("\nhello a b\n"), "{result}");
    // From now on no person is asked, and no grant was left behind.
    let result = client.call("bash.run", &run);
    assert!(text_of(&result).ends_with("\nhello a b\n"), "{result}");
    assert_eq!(grants(&world), [] as [Value; 0]);
    let (_, told) = world.call(&["scripts", "show", "greet", "--json"]).json();
    let script = &told["script"];
    let found = json!([script["created_by"], script["approval"]["by"]["channel"]]);
    assert_eq!(found, json!(["llm", "client"]), "{told}");
}
