//! A server over HTTP, and requests to it by hand.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::client::Manner;
use crate::support::{World, eventually};

/// No answer takes longer than this.
const BOUND: Duration = Duration::from_secs(60);

/// A server that listens.
pub(super) struct Web {
    child: Child,
    pub(super) address: SocketAddr,
    pub(super) token: String,
    pub(super) token_file: PathBuf,
    talk: Arc<Mutex<String>>,
}

impl Web {
    /// A server on a free port of the loopback, with a fresh token.
    pub(super) fn start(world: &World, arguments: &[&str]) -> Self {
        let mut command = world.bashful(&["mcp", "--http", "127.0.0.1:0"]);
        command.args(arguments);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let errors = BufReader::new(child.stderr.take().unwrap());
        let talk = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&talk);
        std::thread::spawn(move || {
            for line in errors.lines().map_while(Result::ok) {
                let mut heard = heard.lock().unwrap();
                heard.push_str(&line);
                heard.push('\n');
            }
        });
        let told = |what: &str| {
            let talk = talk.lock().unwrap();
            let mut rest = talk.lines().filter_map(|line| line.split_once(what));
            rest.next().map(|(_, rest)| rest.trim().to_owned())
        };
        let ready = eventually(|| told("http://").is_some() && told("token").is_some());
        assert!(ready, "{}", talk.lock().unwrap());
        let address = told("http://").unwrap();
        let address = address.split('/').next().unwrap().parse().unwrap();
        let file = told("token").unwrap();
        let token_file = PathBuf::from(file.split("in ").nth(1).unwrap());
        let token = std::fs::read_to_string(&token_file).unwrap();
        Self {
            child,
            address,
            token: token.trim().to_owned(),
            token_file,
            talk,
        }
    }

    /// Tells the server to end; its exit code, and what it said.
    pub(super) fn end(mut self) -> (Option<i32>, String) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        assert!(eventually(|| self.child.try_wait().unwrap().is_some()));
        let code = self.child.wait().unwrap().code();
        (code, self.talk.lock().unwrap().clone())
    }

    /// A request as it should be.
    pub(super) fn post(&self) -> Request {
        let headers = [
            ("Host", self.address.to_string()),
            ("Authorization", format!("Bearer {}", self.token)),
            ("Content-Type", "application/json".to_owned()),
            ("Accept", "application/json, text/event-stream".to_owned()),
            ("Connection", "close".to_owned()),
        ];
        Request {
            address: self.address,
            verb: "POST",
            path: "/mcp".to_owned(),
            headers: headers
                .map(|(name, value)| (name.to_owned(), value))
                .to_vec(),
            body: Vec::new(),
        }
    }

    /// Greets the server; the id of the session.
    pub(super) fn greet(&self, manner: &Manner) -> String {
        let hello = json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": manner.hello(),
        });
        let answer = self.post().json(&hello).send();
        assert_eq!(answer.status, 200, "{answer:?}");
        let session = answer.header("mcp-session-id").unwrap().to_owned();
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let request = self.post().with("Mcp-Session-Id", &session);
        let answer = request.with("MCP-Protocol-Version", manner.version);
        let answer = answer.json(&ready).send();
        assert_eq!(answer.status, 202, "{answer:?}");
        session
    }

    /// A request without a connection; its answer.
    pub(super) fn ask(&self, manner: &Manner, method: &str, params: &Value) -> Answer {
        let mut params = params.clone();
        params["_meta"] = manner.meta();
        let name = params["name"].as_str().unwrap_or_default().to_owned();
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut request = self
            .post()
            .with("MCP-Protocol-Version", manner.version)
            .with("Mcp-Method", method);
        if !name.is_empty() {
            request = request.with("Mcp-Name", &name);
        }
        request.json(&message).send()
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request that is not sent yet.
#[derive(Clone)]
pub(super) struct Request {
    address: SocketAddr,
    verb: &'static str,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    pub(super) fn verb(mut self, verb: &'static str) -> Self {
        self.verb = verb;
        self
    }

    pub(super) fn path(mut self, path: &str) -> Self {
        path.clone_into(&mut self.path);
        self
    }

    /// With this header, instead of the one of the same name.
    pub(super) fn with(self, name: &str, value: &str) -> Self {
        let mut request = self.without(name);
        request.headers.push((name.to_owned(), value.to_owned()));
        request
    }

    /// The same header once more.
    pub(super) fn and(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(super) fn without(mut self, name: &str) -> Self {
        self.headers
            .retain(|(own, _)| !own.eq_ignore_ascii_case(name));
        self
    }

    pub(super) fn json(self, message: &Value) -> Self {
        self.body(message.to_string().into_bytes())
    }

    pub(super) fn body(mut self, body: Vec<u8>) -> Self {
        self.body = body;
        self
    }

    /// Sends it and reads the answer to its end.
    pub(super) fn send(&self) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(BOUND)).unwrap();
        let mut text = format!("{} {} HTTP/1.1\r\n", self.verb, self.path);
        for (name, value) in &self.headers {
            text.extend([name, ": ", value, "\r\n"]);
        }
        let length = self.body.len().to_string();
        text.extend(["Content-Length: ", &length, "\r\n\r\n"]);
        // A server that refuses may close before all was sent.
        let _ = stream.write_all(text.as_bytes());
        let _ = stream.write_all(&self.body);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        Answer::read(&bytes)
    }
}

/// What came back.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Answer {
    fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1));
        let headers = lines.filter_map(|line| line.split_once(": "));
        let mut answer = Self {
            // Nothing at all is no status.
            status: status.map_or(0, |status| status.parse().unwrap()),
            headers: headers
                .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
                .collect(),
            body: body.to_owned(),
        };
        if answer.header("transfer-encoding") == Some("chunked") {
            answer.body = whole(body);
        }
        answer
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The JSON-RPC message in it, also one in a stream of events.
    pub(super) fn message(&self) -> Value {
        let events = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "));
        let texts = events.chain([self.body.as_str()]);
        let mut messages = texts.filter_map(|text| serde_json::from_str::<Value>(text).ok());
        let message = messages.find(|message| message.get("id").is_some());
        message.unwrap_or_else(|| panic!("no message in {self:?}"))
    }
}

/// The chunks of a body as one.
fn whole(mut body: &str) -> String {
    let mut text = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        let Some(chunk) = rest.get(..size).filter(|_| size > 0) else {
            break;
        };
        text.push_str(chunk);
        body = rest.get(size + 2..).unwrap_or_default();
    }
    text
}
