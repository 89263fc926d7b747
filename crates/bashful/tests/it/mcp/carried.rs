//! Asking in the generation without a connection: the question goes with the client, and what it
//! brings back counts once, for the very same call, at the server that asked.

use serde_json::{Value, json};

use super::client::{Client, Manner, text_of};
use super::{asking_world, made};
use crate::support::World;

/// A call as it is sent first.
fn call(command: &str) -> Value {
    json!({ "name": "bash_run", "arguments": { "command": command } })
}

/// The same with an answer.
fn call_again(mut call: Value, state: &Value, answer: &str) -> Value {
    call["requestState"] = state.clone();
    call["inputResponses"] =
        json!({ "approval": { "action": "accept", "content": { "answer": answer } } });
    call
}

/// Makes a call that is answered with a question; the question's state.
fn asked(client: &mut Client, call: &Value) -> Value {
    let result = client.request("tools/call", call)["result"].take();
    assert_eq!(result["resultType"], "input_required", "{result}");
    let question = &result["inputRequests"]["approval"];
    assert_eq!(question["method"], "elicitation/create", "{result}");
    let message = question["params"]["message"].as_str().unwrap();
    assert!(message.contains("May this command run?"), "{message}");
    result["requestState"].clone()
}

fn client_of(world: &World) -> Client {
    Client::greeted(world, &[], Manner::asking().stateless())
}

#[test]
fn a_yes_that_comes_back_runs_the_command_once() {
    let world = asking_world();
    let mut client = client_of(&world);
    let call = call("touch made; echo x >>count");
    let state = asked(&mut client, &call);
    assert!(!made(&world, "made"));
    let again = call_again(call.clone(), &state, "once");
    let result = client.request("tools/call", &again)["result"].take();
    assert_eq!(
        json!([result["resultType"], result["isError"]]),
        json!(["complete", false])
    );
    assert_eq!(world.read("count"), "x\n");
    // The same once more: the state is used up, and the yes as well.
    let answer = client.request("tools/call", &again);
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    asked(&mut client, &call);
    assert_eq!(world.read("count"), "x\n");
    let (_, grants) = world.call(&["grants", "list", "--all", "--json"]).json();
    let by = &grants["grants"][0]["by"];
    assert_eq!(
        json!([by["channel"], by["client"]]),
        json!(["client", "tester 1.0"])
    );
}

#[test]
fn answers_that_last_and_answers_that_are_none() {
    let world = asking_world();
    let mut client = client_of(&world);
    let state = asked(&mut client, &call("touch kept"));
    let kept = call_again(call("touch kept"), &state, "session");
    assert_eq!(
        client.request("tools/call", &kept)["result"]["isError"],
        false
    );
    assert_eq!(client.run("touch kept")["isError"], false);
    let state = asked(&mut client, &call("touch made"));
    let mut no = call_again(call("touch made"), &state, "deny");
    no["inputResponses"]["approval"]["content"]["message"] = json!("not today");
    let text = text_of(&client.request("tools/call", &no)["result"]);
    assert!(text.starts_with("denied, nothing was run"), "{text}");
    assert!(text.contains("not today"), "{text}");
    for response in [
        json!({ "approval": { "action": "cancel" } }),
        json!({ "approval": { "action": "decline" } }),
        json!({ "approval": { "action": "accept" } }),
        json!({ "approval": { "action": "accept", "content": { "answer": "maybe" } } }),
        json!({ "other": { "action": "accept", "content": { "answer": "once" } } }),
        json!({}),
    ] {
        let state = asked(&mut client, &call("touch made"));
        let mut again = call("touch made");
        again["requestState"] = state;
        again["inputResponses"] = response.clone();
        let answer = client.request("tools/call", &again);
        let text = text_of(&answer["result"]);
        assert!(
            text.starts_with("needs approval, nothing was run"),
            "{response}: {text}"
        );
        assert!(text.contains("\nasked: "), "{response}: {text}");
    }
    assert!(!made(&world, "made"));
}

#[test]
fn a_state_that_is_not_ours_runs_nothing() {
    let world = asking_world();
    let (mut client, mut other) = (client_of(&world), client_of(&world));
    let mut stranger = Client::greeted(&world, &["--agent", "other"], Manner::asking().stateless());
    let state = asked(&mut client, &call("touch made"));
    let text = state.as_str().unwrap();
    let refused = |client: &mut Client, what: &str, params: &Value| {
        let answer = client.request("tools/call", params);
        assert_eq!(answer["error"]["code"], -32602, "{what}: {answer}");
        assert!(!made(&world, "made"), "{what}: {answer}");
    };
    for at in (0..text.len()).step_by(7) {
        let mut bytes = text.as_bytes().to_vec();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        let changed = json!(String::from_utf8(bytes).unwrap());
        let params = call_again(call("touch made"), &changed, "once");
        refused(&mut client, &format!("byte {at}"), &params);
    }
    for nonsense in ["", "rs1", "rs1.AAAA.BBBB", "x\u{0}", &"A".repeat(100_000)] {
        let params = call_again(call("touch made"), &json!(nonsense), "once");
        refused(&mut client, "nonsense", &params);
    }
    let params = call_again(call("touch made; touch more"), &state, "once");
    refused(&mut client, "other arguments", &params);
    let mut params = call_again(call("touch made"), &state, "once");
    params["arguments"]["timeout"] = json!(1000);
    refused(&mut client, "one more argument", &params);
    let mut params = call_again(call("touch made"), &state, "once");
    params["name"] = json!("policy_explain");
    refused(&mut client, "another tool", &params);
    let good = call_again(call("touch made"), &state, "once");
    refused(&mut other, "another server", &good);
    refused(&mut stranger, "another agent", &good);
    let mut params = good.clone();
    params.as_object_mut().unwrap().remove("requestState");
    refused(&mut client, "an answer without a state", &params);
    let mut params = good.clone();
    params.as_object_mut().unwrap().remove("inputResponses");
    refused(&mut client, "a state without an answer", &params);
    for wrong in [json!(5), json!({ "a": 1 }), json!(["x"])] {
        let params = call_again(call("touch made"), &wrong, "once");
        refused(&mut client, "not a text", &params);
    }
    // The control: after all that, the state itself is as good as it was.
    let answer = client.request("tools/call", &good);
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert!(made(&world, "made"));
}

#[test]
fn an_answer_counts_only_for_who_can_ask() {
    let world = asking_world();
    let mut client = client_of(&world);
    let state = asked(&mut client, &call("touch made"));
    // The second call comes from one who did not say that it has dialogues.
    let mut again = call_again(call("touch made"), &state, "once");
    again["_meta"] = json!({ "io.modelcontextprotocol/clientCapabilities": {} });
    let answer = client.request("tools/call", &again);
    // The state is ours and the call is the same, so the answer of a person counts.
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    // In the other generation nothing is carried.
    let mut connected = Client::greeted(&world, &[], Manner::asking());
    let answer = connected.request("tools/call", &call_again(call("touch two"), &state, "once"));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert!(!made(&world, "two"));
}
