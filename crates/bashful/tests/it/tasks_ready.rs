//! `--ready-when`: a server that is up, one that ends first, and one that never comes.

use std::net::TcpListener;
use std::time::Instant;

use serde_json::{Value, json};

use crate::support::{Walls, World};
use crate::tasks::id;

/// A server in one line; the port must be free where it runs.
fn server(port: u16) -> String {
    format!(
        "sleep 0.3; exec python3 -c 'import socket,time; s=socket.socket(); \
         s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); \
         s.bind((\"127.0.0.1\",{port})); s.listen(); time.sleep(60)'"
    )
}

fn start(world: &World, what: &str, arguments: &[&str]) -> (i32, Value) {
    let flags = ["--background", "--ready-when", what];
    world.json(&[&flags[..], arguments].concat())
}

/// A port that no process has now.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

#[test]
fn a_line_shows_that_it_is_up() {
    World::in_both(|world| {
        let command =
            "echo starting; sleep 0.3; printf 'http://localhost:\\033[1m80\\033[0m/'; sleep 60";
        let (code, told) = start(world, "localhost:\\d+/", &[command]);
        assert_eq!(json!([code, told["ready"]]), json!([0, true]), "{told}");
        assert_eq!(told["ready_line"], "http://localhost:80/");
        assert!(told["ready_after_ms"].as_u64().unwrap() >= 300);
        assert_eq!(world.call(&["kill", "--now", id(&told)]).code, 0);
    });
}

#[test]
fn a_port_is_looked_at_where_the_command_is() {
    for world in World::both() {
        let port = free_port();
        let (code, told) = start(&world, &format!("tcp:{port}"), &[&server(port)]);
        assert_eq!(json!([code, told["ready"]]), json!([0, true]), "{told}");
        // In a room it has its own loopback: from here no server is there.
        let reached = std::net::TcpStream::connect(("127.0.0.1", port)).is_ok();
        assert_eq!(reached, world.walls() == Walls::Nothing);
        assert_eq!(world.call(&["kill", "--now", id(&told)]).code, 0);
    }
}

#[test]
fn the_port_of_somebody_else_is_not_its_own() {
    let world = World::without_walls();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let arguments = ["--ready-timeout", "500ms", "sleep 60"];
    let (code, told) = start(&world, &format!("tcp:{port}"), &arguments);
    assert_eq!(
        json!([code, told["ready"], told["success"]]),
        json!([124, false, false])
    );
    assert_eq!(told["reason"], "another process has the port");
    assert_eq!(world.call(&["kill", "--now", id(&told)]).code, 0);
}

#[test]
fn a_server_that_ends_first_is_told_with_its_last_words() {
    let world = World::new();
    for (command, expected) in [
        ("echo no config; exit 7", 7),
        ("echo no config; exit 0", 1),
        ("echo no config; kill -9 $$", 137),
    ] {
        for what in ["never", "tcp:9"] {
            let (code, told) = start(&world, what, &[command]);
            assert_eq!(code, expected, "{told}");
            assert_eq!(
                json!([told["ready"], told["state"]]),
                json!([false, "finished"])
            );
            assert_eq!(told["last_output"], "no config\n");
            // Nothing in it says that this went well.
            assert_eq!(told["success"], false, "{told}");
            assert!(told.get("status").is_none(), "{told}");
            assert!(told["reason"].as_str().unwrap().contains("ended before"));
            assert!(told.as_object().unwrap().values().all(|it| !it.is_null()));
        }
    }
    let outcome = world.run(&["--background", "--ready-when", "x", "echo why >&2; exit 3"]);
    assert_eq!(outcome.code, 3);
    assert!(
        outcome
            .stderr
            .contains("ended before it was ready: exit code 3")
    );
    assert!(outcome.stderr.contains("\nwhy\n"));
}

#[test]
fn a_server_may_ask_something_meanwhile() {
    let world = World::new();
    let port = free_port();
    let command = format!(
        "python3 -c 'import socket,time; time.sleep(2); s=socket.socket(); \
         s.bind((\"127.0.0.1\",{port})); s.listen(); time.sleep(60)' & \
         read -s -p 'Password: ' answer; sleep 60"
    );
    let (code, told) = start(&world, &format!("tcp:{port}"), &["--tty", &command]);
    assert_eq!(json!([code, told["ready"]]), json!([0, true]), "{told}");
    assert_eq!(world.task(id(&told))["state"], "needs_input");
    assert_eq!(world.call(&["kill", "--now", id(&told)]).code, 0);
    for what in ["tcp:9", "never"] {
        let command = "read -s -p 'Password: ' answer";
        let arguments = ["--tty", "--ready-timeout", "2s", command];
        let (code, told) = start(&world, what, &arguments);
        let (state, reason) = (&told["state"], &told["reason"]);
        assert_eq!(
            json!([code, state, reason]),
            json!([124, "needs_input", "it waits for a password: Password:"])
        );
        assert_eq!(world.call(&["kill", "--now", id(&told)]).code, 0);
    }
}

#[test]
fn a_model_can_wait_for_a_server_and_name_it() {
    let world = World::new();
    let call = |arguments: &Value| {
        let arguments = arguments.to_string();
        let call = ["tools", "call", "--json", "bash_run", &arguments];
        world.call(&call)
    };
    let command = "sleep 0.3; echo listening on 80; sleep 60";
    let (_, told) = call(&json!({
        "command": command, "run_in_background": true,
        "name": "dev", "ready_when": "listening on \\d+",
    }))
    .json();
    let answer = &told["answer"];
    assert_eq!(
        json!([
            answer["ready"],
            answer["success"],
            answer["ready_line"],
            answer["name"]
        ]),
        json!([true, true, "listening on 80", "dev"]),
        "{told}"
    );
    let text = told["text"].as_str().unwrap();
    assert!(text.starts_with("ready after "), "{text}");
    assert!(text.contains("\nnext: task_output"), "{text}");
    let list = world.call(&["tools", "call", "task_list"]).stdout;
    assert!(list.contains(" (dev): running"), "{list}");
    assert_eq!(world.call(&["kill", "--now", "dev"]).code, 0);
    let (_, told) = call(&json!({
        "command": "echo no config; exit 7", "run_in_background": true, "ready_when": "tcp:9",
    }))
    .json();
    let answer = &told["answer"];
    assert_eq!(
        json!([answer["ready"], answer["success"], answer["exit_code"]]),
        json!([false, false, 7]),
        "{told}"
    );
    let text = told["text"].as_str().unwrap();
    assert!(
        text.contains("it ended before it was ready: exit code 7"),
        "{text}"
    );
    assert!(text.contains("no config"), "{text}");
    for (arguments, said) in [
        (
            json!({ "command": "true", "name": "x" }),
            "needs `run_in_background`",
        ),
        (
            json!({ "command": "true", "ready_when": "x" }),
            "needs `run_in_background`",
        ),
        (
            json!({ "command": "true", "run_in_background": true, "ready_when": "tcp:x" }),
            "must be a regular expression, or tcp: and a port",
        ),
        (
            json!({ "command": "true", "run_in_background": true, "name": "a b" }),
            "a b",
        ),
        (
            json!({ "command": "true", "tty": true, "stdin": "x" }),
            "`stdin` of `bash_run` does not go with `tty`",
        ),
    ] {
        let refused = call(&arguments);
        assert_ne!(refused.code, 0, "{arguments} {refused:?}");
        let all = format!("{}{}", refused.stdout, refused.stderr);
        assert!(all.contains(said), "{arguments} {all}");
    }
}

#[test]
fn a_server_that_never_comes_up_goes_on() {
    let world = World::new();
    let began = Instant::now();
    let (code, told) = start(
        &world,
        "up",
        &["--ready-timeout", "400ms", "echo soon; sleep 60"],
    );
    assert_eq!(json!([code, told["ready"]]), json!([124, false]));
    assert!(began.elapsed().as_millis() >= 400);
    assert_eq!(world.task(id(&told))["state"], "running");
    assert_eq!(world.call(&["kill", "--now", id(&told)]).code, 0);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let world = World::new();
    for arguments in [
        &["--ready-when", "x", "true"][..],
        &["--background", "--ready-when", "(", "true"],
        &["--background", "--ready-when", "", "true"],
        &["--background", "--ready-when", "tcp:0", "true"],
        &["--background", "--ready-when", "tcp:99999", "true"],
        &["--background", "--on-timeout", "kill", "true"],
        &["--background", "--stdin", "true"],
    ] {
        let outcome = world.run(arguments);
        assert_eq!(outcome.code, 2, "{arguments:?} {outcome:?}");
    }
    assert_eq!(world.tasks(&["--all"]), [] as [Value; 0]);
}
