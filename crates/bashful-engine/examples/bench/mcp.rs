//! What the MCP server costs: a call over its pipes against the same run through the library, its
//! start against the start of the executable, and many calls at once over HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use bashful_engine::{Engine, Invocation, Places};
use serde_json::{Value, json};

use crate::table::{in_turns, millis, print_ratios, ratio, require, rounds_of};
use crate::{Outcome, Setting};

const ROUNDS: usize = 200;
const STARTS: usize = 40;
const AT_ONCE: usize = 64;

pub(crate) fn bench(setting: &Setting) -> Outcome {
    let calls = calls(setting)?;
    let starts = starts(setting)?;
    let at_once = at_once(setting)?;
    Ok(calls && starts && at_once)
}

/// The same run through the library and over pipes.
fn calls(setting: &Setting) -> Outcome {
    let root = setting.scratch.join("mcp-calls");
    std::fs::create_dir_all(&root)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .build()?;
    // In a session, as the server is: both keep a live room.
    let engine = Engine::builder()
        .workspace(&root)
        .places(Places::under(&root.join("library")))
        .session("bench")
        .build()?;
    let mut client = Client::start(setting, &root)?;
    client.initialize()?;
    let times = in_turns(
        ROUNDS,
        &mut [
            &mut || {
                let result = runtime.block_on(engine.run(Invocation::bash("true")));
                assert!(result.is_ok_and(|result| result.success));
            },
            &mut || {
                let answer = client.call("bash_run", &json!({ "command": "true" }));
                assert!(answer.is_ok_and(|answer| answer["isError"] == json!(false)));
            },
        ],
    );
    let names = ["through the library", "a call over pipes"];
    let mut met = print_ratios("What a call over MCP costs", &names, &times, &[None, None]);
    let median = |index: usize| millis(times[index].at(0.5));
    met &= setting.figures.tell("mcp-call", median(1) - median(0))?;
    Ok(met)
}

/// From the start of the executable to its first answer.
fn starts(setting: &Setting) -> Outcome {
    let root = setting.scratch.join("mcp-starts");
    std::fs::create_dir_all(&root)?;
    let mut started = Vec::new();
    let times = in_turns(
        STARTS,
        &mut [
            &mut || {
                #[expect(clippy::disallowed_methods, reason = "the plain start to compare with")]
                let mut command = Command::new(&setting.bashful);
                let status = command.arg("--version").stdout(Stdio::null()).status();
                assert!(status.is_ok_and(|status| status.success()));
            },
            &mut || {
                let answered = Client::start(setting, &root).and_then(|mut client| {
                    client.initialize()?;
                    Ok(client)
                });
                // Its end is not measured.
                started.extend(answered.ok());
            },
        ],
    );
    if started.len() < rounds_of(STARTS) {
        return Err("a server did not answer".into());
    }
    let names = ["bashful --version", "start to first answer"];
    print_ratios("How soon the server answers", &names, &times, &[None, None]);
    let of = ratio(&times[1], &times[0], 0.5);
    Ok(require(
        "start to first answer, of bashful --version",
        of,
        3.0,
    ))
}

/// Many calls at once over HTTP.
fn at_once(setting: &Setting) -> Outcome {
    let root = setting.scratch.join("mcp-http");
    std::fs::create_dir_all(&root)?;
    let token = "0123456789abcdef0123456789abcdef";
    // Not in the workspace, where every command could read it.
    let file = setting.scratch.join("token");
    std::fs::write(&file, token)?;
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&file, private)?;
    let mut server = Server(
        executable(setting, &root)
            .args(["mcp", "--http", "127.0.0.1:0", "--token-file"])
            .arg(&file)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?,
    );
    let stderr = server.0.stderr.take().ok_or("no stderr")?;
    let mut line = String::new();
    BufReader::new(stderr).read_line(&mut line)?;
    let address = line
        .split_once("http://")
        .and_then(|(_, rest)| rest.split_once('/'))
        .ok_or("the server does not say where it is")?
        .0
        .to_owned();
    let began = Instant::now();
    let threads: Vec<_> = (0..AT_ONCE)
        .map(|number| {
            let address = address.clone();
            std::thread::spawn(move || post(&address, token, number))
        })
        .collect();
    let mut failed = 0;
    for thread in threads {
        let answer = thread.join().map_err(|_| "a client died")?;
        if !answer.is_ok_and(|answer| answer.contains("exit code 0")) {
            failed += 1;
        }
    }
    println!(
        "\n{AT_ONCE} calls at once over HTTP: {:.0} ms in all",
        millis(began.elapsed())
    );
    Ok(require("calls that failed", f64::from(failed), 0.0))
}

/// One call in the generation without a connection.
fn post(address: &str, token: &str, number: usize) -> std::io::Result<String> {
    let body = json!({
        "jsonrpc": "2.0", "id": number, "method": "tools/call",
        "params": {
            "name": "bash_run",
            "arguments": { "command": format!("echo {number}") },
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    })
    .to_string();
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: bash_run\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

/// A client at the other end of the server's pipes.
struct Client {
    server: Server,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
}

type Answered = Result<Value, Box<dyn std::error::Error>>;

impl Client {
    fn start(setting: &Setting, root: &Path) -> Result<Self, Box<dyn std::error::Error>> {
        let mut server = executable(setting, root)
            .arg("mcp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        Ok(Self {
            input: server.stdin.take(),
            output: BufReader::new(server.stdout.take().ok_or("no stdout")?),
            server: Server(server),
            last: 0,
        })
    }

    fn initialize(&mut self) -> Answered {
        let info = json!({ "name": "bench", "version": "1" });
        self.request(
            "initialize",
            &json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info }),
        )
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Answered {
        self.request(
            "tools/call",
            &json!({ "name": name, "arguments": arguments }),
        )
    }

    fn request(&mut self, method: &str, params: &Value) -> Answered {
        self.last += 1;
        let request =
            json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params });
        // In one piece, as clients do: `writeln!` to a pipe is a call and a wake for every sign.
        let mut bytes = serde_json::to_vec(&request)?;
        bytes.push(b'\n');
        self.input.as_ref().ok_or("closed")?.write_all(&bytes)?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let mut answer: Value = serde_json::from_str(&line)?;
        Ok(answer["result"].take())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.server.0.wait();
    }
}

/// A server that ends with us.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The executable with places of its own.
fn executable(setting: &Setting, root: &Path) -> Command {
    #[expect(clippy::disallowed_methods, reason = "it is what is measured")]
    let mut command = Command::new(&setting.bashful);
    command
        .current_dir(root)
        .env("XDG_STATE_HOME", root.join("state"))
        .env("XDG_CACHE_HOME", root.join("cache"))
        .env("XDG_CONFIG_HOME", root.join("config"))
        .env("XDG_RUNTIME_DIR", root.join("run"));
    command
}
