//! `--network off|on`: the room's loopback only, or the host's network.

use std::io::Write;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;

use serde_json::json;

use super::printed;
use crate::support::World;

/// A host service on the loopback that greets every caller, until the test ends.
fn greeter() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.write_all(b"host\n");
        }
    });
    port
}

fn client(port: u16) -> String {
    format!(
        "python3 -c \"import socket\ntry: print(socket.create_connection(('127.0.0.1', {port}), 5)\
         .recv(9).decode(), end='')\nexcept OSError as error: print(error.errno)\""
    )
}

const REFUSED: &str = "111\n";

#[test]
fn the_hosts_loopback_is_reached_only_with_the_network_on() {
    let world = World::unjudged();
    let client = client(greeter());
    assert_eq!(printed(&world, &[], &client), REFUSED);
    assert_eq!(printed(&world, &["--network", "off"], &client), REFUSED);
    assert_eq!(printed(&world, &["--network", "on"], &client), "host\n");
    // Another right is another room; the session goes on with both.
    for (network, expected) in [("off", REFUSED), ("on", "host\n"), ("off", REFUSED)] {
        let flags = ["--session", "s", "--network", network];
        assert_eq!(printed(&world, &flags, &client), expected);
    }
}

#[test]
fn off_leaves_nothing_but_the_loopback() {
    let world = World::unjudged();
    let text = "ls /sys/class/net 2> /dev/null; tail -n +3 /proc/net/dev | cut -d: -f1; \
                python3 -c \"import socket\ntry: socket.create_connection(('192.0.2.1', 80), 5)\n\
                except OSError as error: print(error.errno)\"";
    let seen = printed(&world, &[], text);
    let mut words: Vec<&str> = seen.split_whitespace().collect();
    words.dedup();
    // 101: the network is unreachable.
    assert_eq!(words, ["lo", "101"]);
}

#[test]
fn sockets_of_the_host_in_the_workspace_are_dead() {
    let world = World::unjudged();
    let _listener = UnixListener::bind(world.workspace().join("socket")).unwrap();
    let text = "python3 -c \"import socket\ntry:\n s = socket.socket(socket.AF_UNIX); \
                s.connect('socket'); print('connected')\nexcept OSError as error: print('no')\"";
    for network in ["off", "on"] {
        assert_eq!(
            printed(&world, &["--network", network], text),
            "no\n",
            "{network}"
        );
    }
}

#[test]
fn families_that_no_namespace_holds_are_closed() {
    let world = World::unjudged();
    let text = "python3 -c \"import socket\nfor family, kind, protocol in ((40, 1, 0), (17, 3, 3), \
                (16, 3, 15), (2, 3, 1), (38, 5, 0)):\n try: socket.socket(family, kind, protocol); \
                print(family, 'open')\n except OSError: print(family, 'closed')\"";
    let closed = "40 closed\n17 closed\n16 closed\n2 closed\n38 closed\n";
    for network in ["off", "on"] {
        assert_eq!(
            printed(&world, &["--network", network], text),
            closed,
            "{network}"
        );
    }
}

#[test]
fn programs_that_ask_libc_about_addresses_work() {
    let world = World::unjudged();
    let text = "python3 -c \"import socket; print(socket.getaddrinfo('localhost', 80)[0][4][1], \
                socket.if_nameindex())\"";
    assert_eq!(printed(&world, &[], text), "80 [(1, 'lo')]\n");
}

#[test]
fn enforcement_says_what_holds() {
    let world = World::unjudged();
    for network in ["off", "on"] {
        let (code, result) = world.json(&["--network", network, "true"]);
        let found = json!([code, result["enforcement"]["network"]]);
        assert_eq!(found, json!([0, "full"]), "{network}");
    }
}
