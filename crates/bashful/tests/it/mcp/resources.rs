//! Logs of tasks as resources.

use serde_json::{Value, json};

use super::client::{Client, Manner};
use crate::support::World;

fn read(client: &mut Client, uri: &str) -> Value {
    client.request("resources/read", &json!({ "uri": uri }))
}

#[test]
fn logs_are_listed_and_read() {
    for manner in [Manner::plain(), Manner::plain().stateless()] {
        let world = World::new();
        let mut client = Client::greeted(&world, &[], manner);
        let none = client.request("resources/list", &Value::Null);
        assert_eq!(none["result"]["resources"], json!([]), "{none}");
        client.run("echo first; echo to stderr >&2");
        client.run("seq 300000");
        let mut listed = client.request("resources/list", &Value::Null);
        let Value::Array(logs) = listed["result"]["resources"].take() else {
            panic!("{listed}");
        };
        let facts: Vec<Value> = logs
            .iter()
            .map(|log| json!([log["description"], log["mimeType"], log["size"]]))
            .collect();
        assert_eq!(
            json!(facts),
            json!([
                ["seq 300000", "text/plain", 1_988_895],
                ["echo first; echo to stderr >&2", "text/plain", 16],
            ])
        );
        let uri = logs[1]["uri"].as_str().unwrap();
        let answer = read(&mut client, uri);
        let contents = &answer["result"]["contents"][0];
        assert_eq!(contents["uri"], uri, "{answer}");
        let text = contents["text"].as_str().unwrap();
        assert!(text.contains("first\n"), "{answer}");
        assert!(text.contains("to stderr\n"), "{answer}");
        // A long one is read in part, and says so.
        let answer = read(&mut client, logs[0]["uri"].as_str().unwrap());
        let text = answer["result"]["contents"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("1\n2\n"));
        let last = text.lines().last().unwrap();
        assert!(
            last.contains(" of 1988895 bytes; read on with task_output"),
            "{last}"
        );
        assert!(text.len() < (1 << 20) + 500, "{}", text.len());
    }
}

#[test]
fn the_template_says_how_to_name_any_log() {
    let world = World::new();
    let mut client = Client::greeted(&world, &[], Manner::plain());
    let answer = client.request("resources/templates/list", &Value::Null);
    let templates = &answer["result"]["resourceTemplates"];
    assert_eq!(templates[0]["uriTemplate"], "bashful://tasks/{task_id}/log");
    assert_eq!(templates.as_array().unwrap().len(), 1, "{answer}");
}

#[test]
fn what_is_no_log_of_ours_is_not_read() {
    let world = World::new();
    let mut other = Client::greeted(&world, &["--agent", "other"], Manner::plain());
    other.run("echo secret");
    let listed = other.request("resources/list", &Value::Null);
    let foreign = listed["result"]["resources"][0]["uri"].as_str().unwrap();
    let mut client = Client::greeted(&world, &["--agent", "claude"], Manner::plain());
    client.run("echo mine");
    let listed = client.request("resources/list", &Value::Null);
    let own = listed["result"]["resources"][0]["uri"].as_str().unwrap();
    let id = own.split('/').nth(3).unwrap().to_owned();
    assert_eq!(listed["result"]["resources"].as_array().unwrap().len(), 1);
    let tricks = [
        foreign.to_owned(),
        "bashful://tasks/bash-0000000000000000/log".to_owned(),
        "bashful://tasks//log".to_owned(),
        "bashful://tasks/../log".to_owned(),
        "bashful://tasks/../../bashful.db/log".to_owned(),
        format!("bashful://tasks/{id}/../{id}/log"),
        format!("bashful://tasks/{id}/log/../state"),
        format!("bashful://tasks/{id}/state"),
        format!("bashful://tasks/{id}%2Flog"),
        format!("bashful://tasks/./{id}/log"),
        format!("bashful://tasks/{id}\u{0}/log"),
        format!("BASHFUL://tasks/{id}/log"),
        format!("bashful://tasks/{id}/log\n"),
        "bashful://tasks/*/log".to_owned(),
        "file:///etc/passwd".to_owned(),
        "/etc/passwd".to_owned(),
        String::new(),
        "x".repeat(1 << 20),
    ];
    for uri in tricks {
        let answer = read(&mut client, &uri);
        let shown: String = uri.chars().take(80).collect();
        assert_eq!(answer["error"]["code"], -32002, "{shown}: {answer}");
        assert!(answer.to_string().len() < 2_000, "{shown}");
        assert!(!answer.to_string().contains("secret"), "{shown}: {answer}");
    }
    // The control.
    let answer = read(&mut client, own);
    assert_eq!(
        answer["result"]["contents"][0]["text"], "mine\n",
        "{answer}"
    );
    for params in [json!({}), json!({ "uri": 5 }), json!({ "uri": null })] {
        let answer = client.request("resources/read", &params);
        assert_eq!(answer["error"]["code"], -32602, "{params}: {answer}");
    }
}
