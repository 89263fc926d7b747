//! A client of `bashful mcp` at both ends of its pipes.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::World;

/// No answer takes longer than this, however slow the machine is.
const BOUND: Duration = Duration::from_secs(60);
/// What the keys of the generation without a connection begin with.
const KEY: &str = "io.modelcontextprotocol/";

/// How a client speaks, and who it says it is.
#[derive(Debug, Clone)]
pub(super) struct Manner {
    pub(super) version: &'static str,
    pub(super) name: &'static str,
    pub(super) capabilities: Value,
}

impl Manner {
    /// A client that the server has never heard of and that can do nothing in particular.
    pub(super) fn plain() -> Self {
        Self {
            version: "2025-11-25",
            name: "tester",
            capabilities: json!({}),
        }
    }

    /// One that can put questions to a person.
    pub(super) fn asking() -> Self {
        Self {
            capabilities: json!({ "elicitation": { "form": {} } }),
            ..Self::plain()
        }
    }

    /// The same without a connection.
    pub(super) fn stateless(self) -> Self {
        let version = "2026-07-28";
        Self { version, ..self }
    }

    pub(super) fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    pub(super) fn capable(self, capabilities: Value) -> Self {
        Self {
            capabilities,
            ..self
        }
    }

    fn is_stateless(&self) -> bool {
        self.version == "2026-07-28"
    }

    /// What a request without a connection says about its sender.
    pub(super) fn meta(&self) -> Value {
        json!({
            format!("{KEY}protocolVersion"): self.version,
            format!("{KEY}clientInfo"): { "name": self.name, "version": "1.0" },
            format!("{KEY}clientCapabilities"): self.capabilities,
        })
    }

    /// What `initialize` says.
    pub(super) fn hello(&self) -> Value {
        json!({
            "protocolVersion": self.version,
            "capabilities": self.capabilities,
            "clientInfo": { "name": self.name, "version": "1.0" },
        })
    }
}

/// A server, and all that it says.
pub(super) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    talk: Option<JoinHandle<String>>,
    /// What came while the test waited for another message.
    aside: VecDeque<Value>,
    manner: Manner,
    count: u64,
}

impl Client {
    /// A server that nothing was said to yet.
    pub(super) fn start(world: &World, arguments: &[&str]) -> Self {
        let mut command = world.bashful(&["mcp"]);
        command.args(arguments);
        Self::drive(command)
    }

    /// Whatever speaks MCP on its pipes.
    pub(super) fn drive(mut command: Command) -> Self {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut errors = child.stderr.take().unwrap();
        let (heard, messages) = channel();
        std::thread::spawn(move || {
            for line in output.split(b'\n') {
                let Ok(line) = line else { return };
                let text = String::from_utf8_lossy(&line).into_owned();
                // Nothing but messages is ever said there.
                let message = serde_json::from_str(&text).unwrap_or(json!({ "no message": text }));
                if heard.send(message).is_err() {
                    return;
                }
            }
        });
        let talk = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = errors.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Self {
            input: child.stdin.take(),
            child,
            messages,
            talk: Some(talk),
            aside: VecDeque::new(),
            manner: Manner::plain(),
            count: 0,
        }
    }

    /// A server that was greeted in this manner.
    pub(super) fn greeted(world: &World, arguments: &[&str], manner: Manner) -> Self {
        let mut client = Self::start(world, arguments);
        client.greet(manner);
        client
    }

    /// Says who we are; without a connection, every request does.
    pub(super) fn greet(&mut self, manner: Manner) -> Value {
        let connected = !manner.is_stateless();
        let hello = manner.hello();
        self.manner = manner;
        if !connected {
            return Value::Null;
        }
        let answer = self.request("initialize", &hello);
        self.notify("notifications/initialized", &Value::Null);
        answer
    }

    pub(super) fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap()
    }

    /// Writes one line as it is.
    pub(super) fn line(&mut self, line: impl AsRef<[u8]>) {
        let input = self.input.as_mut().unwrap();
        // A server that has gone does not read it.
        let _ = input
            .write_all(line.as_ref())
            .and_then(|()| input.write_all(b"\n"))
            .and_then(|()| input.flush());
    }

    pub(super) fn notify(&mut self, method: &str, params: &Value) {
        let mut message = json!({ "jsonrpc": "2.0", "method": method });
        if !params.is_null() {
            message["params"] = params.clone();
        }
        self.line(message.to_string());
    }

    /// Sends a request; its id.
    pub(super) fn send(&mut self, method: &str, params: &Value) -> Value {
        self.count += 1;
        let id = json!(self.count);
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        if !params.is_null() {
            message["params"] = params.clone();
        }
        if self.manner.is_stateless() {
            let own = message["params"]["_meta"].take();
            let mut meta = self.manner.meta();
            for (key, value) in own.as_object().into_iter().flatten() {
                meta[key] = value.clone();
            }
            message["params"]["_meta"] = meta;
        }
        self.line(message.to_string());
        id
    }

    /// Sends a call of a tool; its id.
    pub(super) fn send_call(&mut self, tool: &str, arguments: &Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        self.send("tools/call", &params)
    }

    /// The next message, whatever it is.
    pub(super) fn next(&mut self) -> Value {
        if let Some(message) = self.aside.pop_front() {
            return message;
        }
        self.hear(Instant::now() + BOUND)
            .unwrap_or_else(|error| panic!("no message: {error}"))
    }

    fn hear(&self, until: Instant) -> Result<Value, RecvTimeoutError> {
        let left = until.saturating_duration_since(Instant::now());
        self.messages.recv_timeout(left)
    }

    /// The first message that is meant; others are kept.
    fn find(&mut self, is_meant: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.aside.iter().position(&is_meant) {
            return self.aside.remove(at).unwrap();
        }
        let until = Instant::now() + BOUND;
        loop {
            match self.hear(until) {
                Ok(message) if is_meant(&message) => return message,
                Ok(message) => self.aside.push_back(message),
                Err(error) => panic!("{error}; heard {:?}", self.aside),
            }
        }
    }

    /// The answer to the request with this id, whole.
    pub(super) fn answer(&mut self, id: &Value) -> Value {
        self.find(|message| message.get("method").is_none() && message["id"] == *id)
    }

    /// A request, and its answer.
    pub(super) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        self.answer(&id)
    }

    /// The result of a call, which must not be an error of the protocol.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let id = self.send_call(tool, arguments);
        self.result(&id)
    }

    /// The result of a request that was sent before.
    pub(super) fn result(&mut self, id: &Value) -> Value {
        let mut answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].take()
    }

    /// Runs a command; the result.
    pub(super) fn run(&mut self, command: &str) -> Value {
        self.call("bash_run", &json!({ "command": command }))
    }

    /// Starts a command in the background; the id of its task.
    pub(super) fn start_task(&mut self, command: &str) -> String {
        let arguments = json!({ "command": command, "run_in_background": true });
        let result = self.call("bash_run", &arguments);
        task_in(&result)
    }

    /// The question that is put to a person next.
    pub(super) fn question(&mut self) -> Value {
        self.find(|message| message["method"] == "elicitation/create")
    }

    /// Answers a question of the server.
    pub(super) fn reply(&mut self, question: &Value, result: &Value) {
        let message = json!({ "jsonrpc": "2.0", "id": question["id"], "result": result });
        self.line(message.to_string());
    }

    /// All that came and was not asked for.
    pub(super) fn asides(&mut self) -> Vec<Value> {
        while let Ok(message) = self.messages.try_recv() {
            self.aside.push_back(message);
        }
        self.aside.drain(..).collect()
    }

    pub(super) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(super) fn close_input(&mut self) {
        drop(self.input.take());
    }

    /// Closes the input and waits for the end: the exit code, what else was said, and the talk.
    pub(super) fn end(mut self) -> (i32, Vec<Value>, String) {
        self.close_input();
        let until = Instant::now() + BOUND;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < until, "the server does not end");
            std::thread::sleep(Duration::from_millis(5));
        };
        let code = status
            .code()
            .unwrap_or_else(|| 128 + status.signal().unwrap());
        let talk = self.talk.take().unwrap().join().unwrap();
        let mut rest: Vec<Value> = self.aside.drain(..).collect();
        while let Ok(message) = self.hear(until) {
            rest.push(message);
        }
        (code, rest, talk)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Keepers end what it ran in the foreground.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The task that a result of `bash_run` names.
pub(super) fn task_in(result: &Value) -> String {
    let text = text_of(result);
    let words = text.split([' ', '\n', '"', ',']);
    let id = words.into_iter().find(|word| word.starts_with("bash-"));
    id.unwrap_or_else(|| panic!("no task in {result}"))
        .to_owned()
}

/// What a model reads.
pub(super) fn text_of(result: &Value) -> String {
    let blocks = result["content"].as_array();
    let blocks = blocks.unwrap_or_else(|| panic!("no content in {result}"));
    let texts = blocks.iter().map(|block| {
        assert_eq!(block["type"], "text");
        block["text"].as_str().unwrap()
    });
    texts.collect::<Vec<_>>().join("\n")
}
