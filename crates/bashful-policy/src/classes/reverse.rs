//! Giving a shell to the other end of a connection.

use super::View;
use super::feeds::reads_program;
use super::line::{Line, has_word};
use super::shell;
use crate::arguments::Valued;
use crate::capabilities::NetworkCapability;
use crate::context::Context;
use crate::facts::{Argument, Call, Input, Redirect, RedirectKind};
use crate::places;
use crate::reach::is_own_host;

/// Programs that connect their input and output with another machine.
const CONNECTORS: &[&str] = &[
    "nc", "ncat", "netcat", "nc.traditional", "nc.openbsd", "socat", "telnet", "websocat",
    "gs-netcat", "pwncat", "rcat", "cryptcat", "sbd", "dbd", "powercat",
];

pub(super) fn check(view: &View) -> bool {
    let call = view.call;
    let arguments = call.operands();
    let runs_program = match view.name {
        "nc" | "ncat" | "netcat" | "nc.traditional" | "nc.openbsd" | "cryptcat" | "sbd" | "dbd"
        | "gs-netcat" | "rcat" => {
            let line = Line::read(arguments, &NETCAT);
            line.has("ec", &["exec", "sh-exec", "lua-exec"])
        }
        "socat" | "websocat" => arguments.iter().any(|word| {
            let text = word.text.to_ascii_lowercase();
            let mut parts = text.split(['!', '|']);
            parts.any(|part| {
                ["exec:", "system:", "shell:", "cmd:", "sh-c:"]
                    .iter()
                    .any(|start| part.starts_with(start))
            })
        }),
        "ztcp" => true,
        "xterm" => has_word(arguments, &["-display"]),
        _ => false,
    };
    runs_program || is_connected(view) || inline_connects(call)
}

/// Whether a redirect opens a connection.
pub(super) fn check_redirect(redirect: &Redirect, context: &Context) -> bool {
    matches!(
        redirect.kind,
        RedirectKind::Read | RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite
    ) && is_connection(&redirect.target, &redirect.directories, context)
}

fn is_connection(target: &Argument, directories: &[String], context: &Context) -> bool {
    let is_held = context.enforced && context.network == NetworkCapability::Off;
    let connects = |path: &str| {
        ["/dev/tcp", "/dev/udp"].iter().any(|device| {
            places::is_within(path, device) && !(is_held && leads_to_own_host(path, device))
        })
    };
    let places = places::places(target, directories, context);
    places.paths.iter().any(|place| connects(&place.text))
}

/// Whether such a path names this machine: where the sandbox holds the network, that is the loopback
/// of the run's own room.
fn leads_to_own_host(path: &str, device: &str) -> bool {
    let rest = path.strip_prefix(device).unwrap_or_default();
    match rest.split('/').collect::<Vec<_>>().as_slice() {
        ["", host, port] => {
            let is_number = |letter: char| letter.is_ascii_digit();
            is_own_host(host) && !port.is_empty() && port.chars().all(is_number)
        }
        _ => false,
    }
}

/// Whether a shell and a connector stand in one pipeline.
fn is_connected(view: &View) -> bool {
    let Input::Pipe(range) = &view.call.input else {
        return false;
    };
    let before = view.facts.calls.get(range.clone()).unwrap_or_default();
    if connects(view.call) {
        before.iter().any(takes_commands)
    } else {
        takes_commands(view.call) && before.iter().any(connects)
    }
}

fn connects(call: &Call) -> bool {
    match call.program() {
        "openssl" => has_word(call.operands(), &["s_client", "s_server"]),
        "ssh" | "autossh" => Line::read(call.operands(), &SSH).has_letter("R"),
        name => CONNECTORS.contains(&name),
    }
}

/// Whether a call is a shell that does what it reads.
fn takes_commands(call: &Call) -> bool {
    let interactive =
        shell::is_shell(call.program()) && call.operands().iter().any(|word| word.text == "-i");
    interactive || reads_program(call)
}

/// Words of inline programs that open a connection.
const SOCKETS: &[&str] = &[
    "socket", "Socket", "fsockopen", "pfsockopen", "net.connect", "createConnection", "/inet/tcp",
    "/inet/udp", "TcpClient", "TCPClient", "/dev/tcp/", "stream_socket_client", "gen_tcp",
];
/// Words of inline programs that start a shell or give it another input.
const STARTS: &[&str] = &[
    "/bin/sh", "/bin/bash", "/bin/zsh", "/bin/dash", "/sh\"", "/sh'", "\"sh\"", "'sh'", "\"bash\"",
    "'bash'", "dup2", "pty.spawn", "subprocess", "os.system", "popen", "exec", "spawn", "system(",
    "getline", "cmd.exe", "powershell", "proc_open", "passthru", "reopen",
];

/// Whether an inline program connects a shell.
fn inline_connects(call: &Call) -> bool {
    let name = call.program();
    let is_program = matches!(name, "awk" | "gawk" | "mawk" | "nawk" | "expect" | "tclsh")
        || shell::interpreter_named(name).is_some();
    if !is_program {
        return false;
    }
    let has = |words: &[&str]| {
        let text = match &call.input {
            Input::Text(text) => Some(text),
            _ => None,
        };
        let mut texts = call.operands().iter().chain(text);
        texts.any(|word| words.iter().any(|wanted| word.text.contains(wanted)))
    };
    has(SOCKETS) && has(STARTS)
}

const NETCAT: Valued = Valued::new(
    "ipqswxX",
    &[
        "max-conns", "delay", "idle-timeout", "source-port", "source", "wait", "output",
        "hex-dump", "proxy", "proxy-type", "proxy-auth", "allow", "deny", "ssl-cert", "ssl-key",
    ],
);
const SSH: Valued = Valued::new("bcDEeFIiJLlmOopQRSWw", &[]);
