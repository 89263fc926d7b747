//! Which tools are listed: those for scripts where there are scripts, or where the flag says so.

use serde_json::{Value, json};

use super::client::{Client, Manner, text_of};
use crate::support::World;

const CHANGED: &str = "notifications/tools/list_changed";

/// How many tools are listed, and how many of them are for scripts.
fn counts(client: &mut Client) -> (usize, usize) {
    let list = client.request("tools/list", &Value::Null);
    let tools = list["result"]["tools"].as_array().unwrap().clone();
    let is_for_scripts = |tool: &&Value| tool["name"].as_str().unwrap().starts_with("script_");
    (tools.len(), tools.iter().filter(is_for_scripts).count())
}

/// How often we were told that the list has changed since this was last asked.
fn told(client: &mut Client) -> usize {
    let asides = client.asides();
    let other = asides.iter().find(|message| message["method"] != CHANGED);
    assert_eq!(other, None);
    asides.len()
}

/// A script that a person makes at a terminal.
fn make_script(world: &World) {
    std::fs::write(world.path("greet.sh"), "echo hi\n").unwrap();
    let path = world.path("greet.sh");
    let made = world.call(&[
        "scripts",
        "create",
        "--name",
        "greet",
        path.to_str().unwrap(),
    ]);
    assert_eq!(made.code, 0, "{made:?}");
}

#[test]
fn tools_for_scripts_come_with_the_first_script() {
    for manner in [Manner::plain(), Manner::plain().stateless()] {
        // The other generation asks again by itself.
        let tells = usize::from(manner.version != "2026-07-28");
        for by_person in [true, false] {
            let world = World::new();
            let mut client = Client::greeted(&world, &[], manner.clone());
            assert_eq!(counts(&mut client), (8, 0));
            client.run("true");
            assert_eq!(told(&mut client), 0);
            if by_person {
                make_script(&world);
                client.run("true");
            } else {
                // What is not listed can be called, by all its names.
                let script = json!({ "name": "greet", "content": "echo hi" });
                let kept = client.call("create_script", &script);
                assert!(text_of(&kept).starts_with("kept greet"), "{kept}");
            }
            assert_eq!(told(&mut client), tells, "{manner:?}, {by_person}");
            assert_eq!(counts(&mut client), (14, 6));
            client.run("true");
            assert_eq!(told(&mut client), 0);
        }
    }
}

#[test]
fn a_client_learns_about_scripts_where_it_sees_their_tools() {
    let instructed = |world: &World, flags: &[&str]| {
        let mut client = Client::start(world, flags);
        let answer = client.greet(Manner::plain());
        let words = answer["result"]["instructions"].as_str().unwrap();
        assert!(words.len() < 2048, "{}", words.len());
        (
            words.contains("script_create"),
            answer["result"]["capabilities"]["tools"].clone(),
            counts(&mut client),
        )
    };
    let world = World::new();
    let changes = json!({ "listChanged": true });
    assert_eq!(instructed(&world, &[]), (false, changes.clone(), (8, 0)));
    for which in ["all", "scripts"] {
        let all = (true, json!({}), (14, 6));
        assert_eq!(instructed(&world, &["--tools", which]), all);
    }
    make_script(&world);
    assert_eq!(instructed(&world, &[]), (true, changes, (14, 6)));
}

#[test]
fn a_model_gets_what_it_can_use_and_a_program_all() {
    let world = World::new();
    let explain = json!({ "command": "ls" });
    let fields = |flags: &[&str]| {
        let mut client = Client::greeted(&world, flags, Manner::plain());
        let mut found = client.call("policy_explain", &explain)["structuredContent"].take();
        let ran = client.run("echo hi")["structuredContent"].take();
        assert_eq!(
            json!([ran["stdout"], ran["success"]]),
            json!(["hi\n", true])
        );
        for part in ["decision", "network", "enforcement"] {
            assert!(!found[part].take().is_null(), "{part}");
        }
        let names = [
            (&found, "refused_calls"),
            (&ran, "session"),
            (&ran, "command"),
        ];
        names.map(|(value, name)| value.get(name).is_some())
    };
    assert_eq!(fields(&[]), [false; 3]);
    assert_eq!(fields(&["--output-schemas"]), [true; 3]);
}
