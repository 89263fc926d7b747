//! MCP over HTTP: who gets in, and what is served there.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::client::{Manner, text_of};
use super::made;
use super::web_client::Web;
use crate::support::World;

/// A call that would leave a file.
fn call() -> Value {
    let arguments = json!({ "command": "echo x >>made" });
    json!({ "name": "bash_run", "arguments": arguments })
}

/// The same as a message of the generation without a connection.
fn message() -> Value {
    let mut params = call();
    params["_meta"] = Manner::plain().stateless().meta();
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
}

#[test]
fn only_who_shows_the_token_gets_in() {
    let world = World::new();
    let web = Web::start(&world, &[]);
    let good = web
        .post()
        .with("MCP-Protocol-Version", "2026-07-28")
        .with("Mcp-Method", "tools/call")
        .with("Mcp-Name", "bash_run")
        .json(&message());
    let almost = web.token.get(..web.token.len() - 1).unwrap().to_owned();
    for request in [
        good.clone().without("Authorization"),
        good.clone().with("Authorization", ""),
        good.clone().with("Authorization", "Bearer"),
        good.clone()
            .with("Authorization", &format!("Bearer {almost}")),
        good.clone()
            .with("Authorization", &format!("Basic {}", web.token)),
        good.clone().with("Authorization", &web.token),
        good.clone()
            .without("Authorization")
            .path(&format!("/mcp?token={}", web.token)),
        good.clone().without("Authorization").path("/nowhere"),
        good.clone().without("Authorization").verb("GET"),
        good.clone().without("Authorization").verb("DELETE"),
        good.clone().without("Authorization").verb("OPTIONS"),
    ] {
        let answer = request.send();
        assert_eq!(answer.status, 401, "{answer:?}");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        assert!(!answer.body.contains(&web.token), "{answer:?}");
    }
    assert!(!made(&world, "made"));
    let answer = good.send();
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(world.read("made"), "x\n");
}

#[test]
fn web_pages_and_other_hosts_do_not_get_in() {
    let world = World::new();
    let web = Web::start(&world, &[]);
    let good = web
        .post()
        .with("MCP-Protocol-Version", "2026-07-28")
        .with("Mcp-Method", "tools/call")
        .with("Mcp-Name", "bash_run")
        .json(&message());
    let port = web.address.port();
    for host in [
        "evil.example",
        "evil.example:80",
        "127.0.0.1.evil.example",
        "169.254.1.1",
        "",
        " ",
        ":",
        &format!(":{port}"),
        "localhost,evil.example",
        "evil.example@localhost",
        "localhost/evil.example",
    ] {
        let answer = good.clone().with("Host", host).send();
        assert!((400..500).contains(&answer.status), "{host}: {answer:?}");
    }
    for origin in [
        "https://evil.example",
        "null",
        "http://localhost",
        "http://127.0.0.1:1",
        "file://",
    ] {
        let answer = good.clone().with("Origin", origin).send();
        assert_eq!(answer.status, 403, "{origin}: {answer:?}");
    }
    let answer = good.clone().path("/other").send();
    assert_eq!(answer.status, 404, "{answer:?}");
    // Two readers of one request must not see two: not even where the first is the right one.
    let own = format!("http://127.0.0.1:{port}");
    let here = format!("127.0.0.1:{port}");
    let shown = format!("Bearer {}", web.token);
    let evil = "https://evil.example";
    for doubled in [
        [("Origin", own.as_str()), ("Origin", evil)],
        [("Origin", evil), ("Origin", &own)],
        [("Origin", &own), ("origin", &own)],
        [("Host", &here), ("host", "evil.example")],
        [("Host", &here), ("Host", &here)],
        [("Authorization", &shown), ("Authorization", "Bearer x")],
        [("Mcp-Session-Id", "one"), ("Mcp-Session-Id", "two")],
    ] {
        let request = doubled.iter().fold(good.clone(), |request, (name, value)| {
            request.and(name, value)
        });
        let answer = request.send();
        assert_eq!(answer.status, 400, "{doubled:?}: {answer:?}");
    }
    for odd in [
        format!("{own}, {evil}"),
        format!("{own}/page"),
        format!("http://evil.example@127.0.0.1:{port}"),
        String::new(),
    ] {
        let answer = good.clone().with("Origin", &odd).send();
        assert!((400..500).contains(&answer.status), "{odd}: {answer:?}");
    }
    assert!(!made(&world, "made"));
    for host in [
        format!("localhost:{port}"),
        format!("127.0.0.1:{port}"),
        "localhost".to_owned(),
    ] {
        let answer = good.clone().with("Host", &host).send();
        assert_eq!(answer.status, 200, "{host}: {answer:?}");
    }
    // A page of our own would be no stranger.
    let answer = good.clone().with("Origin", &own).send();
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(world.read("made"), "x\n".repeat(4));
    // An origin that the person let in, and a host that the person named.
    let flags = [
        "--allow-origin",
        "https://good.example",
        "--allow-host",
        "good.example",
    ];
    let web = Web::start(&world, &flags);
    let request = |origin: &str, host: &str| {
        let request = web.post().with("MCP-Protocol-Version", "2026-07-28");
        let request = request.with("Mcp-Method", "tools/call");
        let request = request.with("Mcp-Name", "bash_run").json(&message());
        request
            .with("Origin", origin)
            .with("Host", host)
            .send()
            .status
    };
    assert_eq!(request("https://good.example", "good.example"), 200);
    assert_eq!(request("https://evil.example", "good.example"), 403);
    assert_eq!(request("https://good.example", "evil.example"), 403);
}

#[test]
fn the_token_is_private_and_goes_with_the_server() {
    let world = World::new();
    let web = Web::start(&world, &[]);
    let file = web.token_file.clone();
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "{mode:o}");
    assert_eq!(web.token.len(), 64);
    let token = web.token.clone();
    let (code, talk) = web.end();
    assert_eq!(code, Some(0), "{talk}");
    assert!(!talk.contains(&token), "{talk}");
    assert!(!file.exists());
    // A token file of a person's own is used only if no other user can read it, and stays.
    let own = world.path("token");
    std::fs::write(&own, "0123456789abcdef0123\n").unwrap();
    let path = own.to_str().unwrap();
    for mode in [0o644, 0o640, 0o604] {
        std::fs::set_permissions(&own, std::fs::Permissions::from_mode(mode)).unwrap();
        let outcome = world.call(&["mcp", "--http", "127.0.0.1:0", "--token-file", path]);
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(
            outcome.stderr.contains("can be read by others"),
            "{outcome:?}"
        );
    }
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o600)).unwrap();
    for (text, told) in [("short", "at least 16"), ("", "at least 16")] {
        std::fs::write(&own, text).unwrap();
        let outcome = world.call(&["mcp", "--http", "127.0.0.1:0", "--token-file", path]);
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(outcome.stderr.contains(told), "{outcome:?}");
    }
}

#[test]
fn a_server_that_is_told_to_end_while_it_starts_ends_in_order() {
    let world = World::new();
    let tokens = || {
        let names = std::fs::read_dir(world.state()).into_iter().flatten();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.contains("token")).count()
    };
    // The first moment at which there is a file to take away, and some later ones.
    for pause in [0, 1, 5, 20, 60] {
        let mut child = world
            .bashful(&["mcp", "--http", "127.0.0.1:0"])
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        while tokens() == 0 && child.try_wait().unwrap().is_none() {
            std::hint::spin_loop();
        }
        std::thread::sleep(Duration::from_millis(pause));
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        let status = child.wait().unwrap();
        assert_eq!((status.code(), tokens()), (Some(0), 0), "after {pause} ms");
    }
}

#[test]
fn other_machines_are_not_served_unless_told() {
    let world = World::new();
    for address in ["0.0.0.0:0", "[::]:0"] {
        let outcome = world.call(&["mcp", "--http", address]);
        assert_ne!(outcome.code, 0, "{outcome:?}");
        assert!(outcome.stderr.contains("other machines"), "{outcome:?}");
        let left = std::fs::read_dir(world.state()).into_iter().flatten();
        let names: Vec<String> = left
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|name| name.contains("token"))
            .collect();
        assert_eq!(names, [] as [&str; 0]);
    }
    for flags in [
        &["--token-file", "x"][..],
        &["--allow-remote"],
        &["--allow-host", "x"],
    ] {
        let mut arguments = vec!["mcp"];
        arguments.extend(flags);
        assert_eq!(world.call(&arguments).code, 2, "{flags:?}");
    }
}

#[test]
fn what_is_too_big_or_wrong_is_refused() {
    let world = World::new();
    let web = Web::start(&world, &[]);
    let post = web.post().with("MCP-Protocol-Version", "2026-07-28");
    let answer = post.clone().body(vec![b'x'; 17 << 20]).send();
    assert_eq!(answer.status, 413, "{answer:?}");
    for (body, status) in [("not json", 400), ("[]", 400), ("", 400), ("null", 400)] {
        let answer = post.clone().body(body.into()).send();
        let is_refused = (400..500).contains(&answer.status);
        assert!(is_refused, "{body}: {status} {answer:?}");
    }
    let answer = post
        .clone()
        .with("Content-Type", "text/plain")
        .json(&message())
        .send();
    assert_eq!(answer.status, 415, "{answer:?}");
    let answer = post
        .clone()
        .with("Accept", "text/html")
        .json(&message())
        .send();
    assert_eq!(answer.status, 406, "{answer:?}");
    let answer = web.post().verb("PUT").json(&message()).send();
    assert_eq!(answer.status, 405, "{answer:?}");
    assert!(!made(&world, "made"));
    let answer = web.ask(&Manner::plain().stateless(), "tools/call", &call());
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[test]
fn a_session_is_for_who_was_given_it() {
    let world = World::new();
    let web = Web::start(&world, &[]);
    let session = web.greet(&Manner::plain());
    let list = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/list" });
    let post = web.post().with("MCP-Protocol-Version", "2025-11-25");
    let answer = post
        .clone()
        .with("Mcp-Session-Id", &session)
        .json(&list)
        .send();
    assert_eq!(
        answer.message()["result"]["tools"]
            .as_array()
            .unwrap()
            .len(),
        8
    );
    for wrong in ["00000000-0000-0000-0000-000000000000", "x", "../.."] {
        let answer = post
            .clone()
            .with("Mcp-Session-Id", wrong)
            .json(&list)
            .send();
        assert_eq!(answer.status, 404, "{wrong}: {answer:?}");
    }
    let answer = post.clone().json(&list).send();
    assert!((400..500).contains(&answer.status), "{answer:?}");
    let get = post.clone().verb("GET").with("Accept", "text/event-stream");
    let answer = get.send();
    assert!((400..500).contains(&answer.status), "{answer:?}");
    // The session of one server is none at another.
    let other = Web::start(&world, &[]);
    let request = other.post().with("MCP-Protocol-Version", "2025-11-25");
    let answer = request.with("Mcp-Session-Id", &session).json(&list).send();
    assert_eq!(answer.status, 404, "{answer:?}");
    // One that was ended is no more.
    let ended = post
        .clone()
        .verb("DELETE")
        .with("Mcp-Session-Id", &session)
        .send();
    assert!((200..300).contains(&ended.status), "{ended:?}");
    let answer = post.with("Mcp-Session-Id", &session).json(&list).send();
    assert_eq!(answer.status, 404, "{answer:?}");
}

/// A client that shows the token, in python, and tries not to look like a run's: it keeps others
/// from looking into it, drops the mark of its run, or lets no process hold the connection.
const CALLER: &str = r#"
import array, ctypes, resource, socket, sys, time
address, token, manner = sys.argv[1:4]
if manner == "hidden":
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
if manner == "unmarked":
    resource.setrlimit(15, (1000, 1000))
host, port = address.split(":")
line = socket.create_connection((host, int(port)), timeout=20)
line.sendall((
    "POST /mcp HTTP/1.1\r\nHost: " + address + "\r\nAuthorization: Bearer " + token
    + "\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n"
).encode())
if manner == "in-flight":
    one, other = socket.socketpair()
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
    line.sendall(b"\r\n{}")
    one.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [line.fileno()]))])
    line.close()
    time.sleep(1)
    _, extra, _, _ = other.recvmsg(1, socket.CMSG_SPACE(4))
    line = socket.socket(fileno=array.array("i", extra[0][2][:4])[0])
else:
    line.sendall(b"\r\n{}")
print(line.recv(100).decode().split(" ")[1])
"#;

#[test]
fn what_bashful_runs_cannot_call_it_with_the_token_in_hand() {
    let world = World::new();
    let web = Web::start(&world, &[]);
    std::fs::write(world.workspace().join("caller.py"), CALLER).unwrap();
    // Outside, the same message gets as far as being read.
    let control = web.post().body(b"{}".to_vec()).send();
    assert!(![401, 403].contains(&control.status), "{control:?}");
    for manner in ["open", "hidden", "unmarked", "in-flight"] {
        let command = format!("python3 caller.py {} {} {manner}", web.address, web.token);
        let outcome = world.run(&["--policy", "none", "--network", "on", &command]);
        assert_eq!(outcome.stdout.trim(), "403", "{manner}: {outcome:?}");
    }
}

#[test]
fn many_calls_at_a_time() {
    let world = World::new();
    let web = Web::start(&world, &[]);
    std::thread::scope(|scope| {
        let calls: Vec<_> = (0..64)
            .map(|number| {
                let web = &web;
                scope.spawn(move || {
                    let arguments = json!({ "command": format!("echo {number}") });
                    let params = json!({ "name": "bash_run", "arguments": arguments });
                    web.ask(&Manner::plain().stateless(), "tools/call", &params)
                })
            })
            .collect();
        for (number, call) in calls.into_iter().enumerate() {
            let answer = call.join().unwrap();
            assert_eq!(answer.status, 200, "{answer:?}");
            let text = text_of(&answer.message()["result"]);
            assert!(text.ends_with(&format!("\n{number}\n")), "{text}");
        }
    });
}

#[test]
fn headers_that_do_not_come_close_the_line() {
    let world = World::new();
    let web = Web::start(&world, &[]);
    let began = Instant::now();
    let mut slow: Vec<TcpStream> = (0..40)
        .map(|_| {
            let mut stream = TcpStream::connect(web.address).unwrap();
            stream
                .write_all(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
                .unwrap();
            stream
                .set_read_timeout(Some(Duration::from_secs(40)))
                .unwrap();
            stream
        })
        .collect();
    // Others are served meanwhile.
    let answer = web.ask(&Manner::plain().stateless(), "tools/call", &call());
    assert_eq!(answer.status, 200, "{answer:?}");
    for stream in &mut slow {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        let text = String::from_utf8_lossy(&rest);
        assert!(text.is_empty() || text.starts_with("HTTP/1.1 4"), "{text}");
    }
    assert!(
        began.elapsed() < Duration::from_secs(35),
        "{:?}",
        began.elapsed()
    );
}
