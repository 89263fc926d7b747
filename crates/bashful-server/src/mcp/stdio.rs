//! MCP on standard input and output: one JSON message a line.
//!
//! rmcp's own reader passes over what it cannot read; this one says what was wrong. A client that
//! floods is read no faster than it is served, and one that does not read holds up the thread that
//! writes, and nothing else.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bashful_engine::Interrupts;
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::salvage::id_in;
use super::under_way::UnderWay;
use super::{McpServer, ServeError, runtime, told_to_end};

mod input;
mod output;

use input::{Input, LONGEST_LINE, Line};
use output::{Outgoing, Output, has_reader};

/// How long calls have after the input has ended, while the client still reads the output.
const LAST_CALLS: Duration = Duration::from_secs(5);

/// Serves the client at standard input and output until it goes. What it runs in the foreground
/// ends then; what runs in the background goes on. It also ends when an interrupt comes or came.
pub fn serve_stdio(server: &McpServer, interrupts: Interrupts) -> Result<(), ServeError> {
    let runtime = runtime()?;
    let told = told_to_end(interrupts)?;
    let outcome = runtime.block_on(async {
        let gone = server.inner.gone.clone();
        let served = async {
            let transport = Stdio::open(gone.clone());
            let service = serve_server_with_ct(server.clone(), transport, gone.clone()).await;
            let service = match service {
                Ok(service) => service,
                // No client came, or it left before it said anything.
                Err(
                    ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled,
                ) => {
                    return Ok(());
                }
                Err(error) => {
                    let problem = error.to_string();
                    return Err(ServeError::Protocol { problem });
                }
            };
            service.waiting().await.map_err(|_| ServeError::Died)?;
            Ok(())
        };
        let mut served = std::pin::pin!(served);
        tokio::select! {
            outcome = &mut served => outcome,
            () = told => {
                // What is under way is answered, with the reason why it came to nothing.
                gone.cancel();
                served.await
            }
        }
    });
    server.inner.gone.cancel();
    // A call that hangs does not keep the program from ending.
    runtime.shutdown_timeout(Duration::from_secs(2));
    outcome
}

/// The lines in and out.
struct Stdio {
    input: Input,
    output: Output,
    under_way: Arc<UnderWay>,
    /// Before the first request, there is nothing else to say.
    saw_request: bool,
    /// Says that the client is gone.
    gone: CancellationToken,
    /// What the last line was refused with, until it stands in line.
    refusal: Option<Outgoing>,
    /// Until when calls may still be answered, once the input has ended.
    until: Option<Instant>,
}

impl Stdio {
    fn open(gone: CancellationToken) -> Self {
        let under_way = Arc::new(UnderWay::default());
        Self {
            input: Input::open(),
            output: Output::open(Arc::clone(&under_way), gone.clone()),
            under_way,
            saw_request: false,
            gone,
            refusal: None,
            until: None,
        }
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        mut message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let id = match &mut message {
            JsonRpcMessage::Response(response) => Some(&mut response.id),
            JsonRpcMessage::Error(error) => error.id.as_mut(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let answers = id.as_deref().cloned();
        let is_wanted = id.is_none_or(|id| self.under_way.give_back(id));
        let line = serde_json::to_vec(&message).map_err(io::Error::other);
        let output = self.output.clone();
        async move {
            // What was called off meanwhile gets no answer.
            if !is_wanted {
                return Ok(());
            }
            output.write(Outgoing::new(line?, answers)).await
        }
    }

    /// The next message. What was taken is kept here, so that a call may be given up at any wait.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        while self.until.is_none() {
            if self.refusal.is_some() {
                // Where the writer has ended, the client does not read either.
                self.output.put_in_line(&mut self.refusal).await;
            }
            match self.input.next_line().await {
                Ok(Line::Whole(line)) => match self.take(&line) {
                    Ok(None) => {}
                    Ok(message) => return message,
                    Err(refusal) => self.refusal = Some(refusal),
                },
                Ok(Line::TooLong) => {
                    let problem = format!("a message has at most {LONGEST_LINE} bytes");
                    self.refusal = Some(refusal(&Value::Null, -32600, &problem));
                }
                Ok(Line::End) | Err(_) => self.until = Some(Instant::now() + LAST_CALLS),
            }
        }
        self.wait_for_last_calls().await;
        self.gone.cancel();
        None
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        Ok(())
    }
}

impl Stdio {
    /// Calls that are under way may still be answered, if the client is there to read it.
    async fn wait_for_last_calls(&self) {
        let is_worth_it = || {
            self.until.is_some_and(|until| Instant::now() < until)
                && has_reader(io::stdout().as_fd())
        };
        let is_busy = || !self.under_way.is_empty() || self.output.is_busy();
        while is_busy() && is_worth_it() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Takes one message; none if there is nothing to handle.
    fn take(&mut self, line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Outgoing> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        let Ok(value) = serde_json::from_slice::<Value>(line) else {
            return Err(refusal(&id_in(line), -32700, "this is not JSON"));
        };
        let id = value.get("id").cloned().unwrap_or_default();
        let calls = value.get("method").is_some() && value.get("id").is_some();
        let problem = if value.is_array() {
            Some("batches are not accepted; send one message per line")
        } else if calls && !(id.is_string() || id.is_i64()) {
            Some("the id of a request is a string or a whole number")
        } else {
            None
        };
        if let Some(problem) = problem {
            return Err(refusal(&Value::Null, -32600, problem));
        }
        let Ok(mut message) = serde_json::from_value::<ClientJsonRpcMessage>(value) else {
            return Err(refusal(&id, -32600, "this is not a JSON-RPC 2.0 request"));
        };
        match &mut message {
            JsonRpcMessage::Request(request) => {
                self.saw_request = true;
                let added = self.under_way.add(&mut request.id);
                added.map_err(|problem| refusal(&id, -32600, problem))?;
            }
            // There is nothing yet that it could be about.
            _ if !self.saw_request => return Ok(None),
            JsonRpcMessage::Notification(notification) => {
                // What is cancelled gets no answer.
                if let ClientNotification::CancelledNotification(cancelled) =
                    &mut notification.notification
                    && let Some(id) = &mut cancelled.params.request_id
                {
                    self.under_way.call_off(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Ok(Some(message))
    }
}

/// Says why a line is not taken.
fn refusal(id: &Value, code: i64, problem: &str) -> Outgoing {
    let error = json!({ "code": code, "message": problem });
    let line = json!({ "jsonrpc": "2.0", "id": id, "error": error });
    Outgoing::new(line.to_string().into_bytes(), None)
}
