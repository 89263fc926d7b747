//! MCP on standard input and output: one JSON message a line.
//!
//! rmcp's own reader passes over what it cannot read; this one says what was wrong. Reading and
//! writing have a thread each, so that a client that floods or does not read holds up itself only.

use std::io::{self, BufRead, BufReader};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bashful_engine::Interrupts;
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use rmcp::transport::Transport;
use rustix::event::{PollFd, PollFlags, poll};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::sync::oneshot::error::TryRecvError;
use tokio_util::sync::CancellationToken;

use super::salvage::id_in;
use super::under_way::UnderWay;
use super::{McpServer, ServeError, runtime, told_to_end};

/// The longest message, in bytes.
const LONGEST_LINE: usize = 16 << 20;
/// How many messages wait to be handled before the client has to wait.
const MOST_WAITING: usize = 64;
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
    // The thread that reads cannot be called back from its read.
    runtime.shutdown_timeout(Duration::from_secs(2));
    outcome
}

/// The lines in and out.
struct Stdio {
    lines: mpsc::Receiver<ClientJsonRpcMessage>,
    out: mpsc::Sender<Outgoing>,
    under_way: Arc<UnderWay>,
}

/// A line to be written, and where to say whether it was.
struct Outgoing {
    line: Vec<u8>,
    /// The request that it answers, as the handler knows it.
    answers: Option<RequestId>,
    written: tokio::sync::oneshot::Sender<Result<(), io::ErrorKind>>,
}

impl Stdio {
    fn open(gone: CancellationToken) -> Self {
        let (to_handler, lines) = mpsc::channel(MOST_WAITING);
        let (out, to_write) = mpsc::channel(MOST_WAITING);
        let under_way = Arc::new(UnderWay::default());
        let answered = Arc::clone(&under_way);
        let reader = Reader {
            to_handler,
            out: out.clone(),
            under_way: Arc::clone(&under_way),
            saw_request: false,
            gone: gone.clone(),
        };
        std::thread::spawn(move || reader.read(io::stdin().lock()));
        std::thread::spawn(move || {
            write(to_write, &answered);
            // The client hears nothing any more.
            gone.cancel();
        });
        Self {
            lines,
            out,
            under_way,
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
        let out = self.out.clone();
        async move {
            // What was called off meanwhile gets no answer.
            if !is_wanted {
                return Ok(());
            }
            let (written, done) = tokio::sync::oneshot::channel();
            let outgoing = Outgoing {
                line: line?,
                answers,
                written,
            };
            out.send(outgoing).await.map_err(|_| broken())?;
            done.await.map_err(|_| broken())?.map_err(io::Error::from)
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.lines.recv().await
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.lines.close();
        Ok(())
    }
}

/// Reads what the client says.
struct Reader {
    to_handler: mpsc::Sender<ClientJsonRpcMessage>,
    out: mpsc::Sender<Outgoing>,
    under_way: Arc<UnderWay>,
    /// Before the first request, there is nothing else to say.
    saw_request: bool,
    /// Says that the client is gone.
    gone: CancellationToken,
}

impl Reader {
    fn read(mut self, input: impl io::Read) {
        let mut input = BufReader::with_capacity(64 << 10, input);
        let mut line = Vec::new();
        loop {
            line.clear();
            match next_line(&mut input, &mut line) {
                Ok(Line::Whole) => {
                    if !self.take(&line) {
                        return;
                    }
                }
                Ok(Line::TooLong) => {
                    let problem = format!("a message has at most {LONGEST_LINE} bytes");
                    self.refuse(&Value::Null, (-32600, &problem));
                }
                Ok(Line::End) | Err(_) => break,
            }
        }
        self.wait_for_last_calls();
        self.gone.cancel();
    }

    /// Calls that are under way may still be answered, if the client is there to read it.
    fn wait_for_last_calls(&self) {
        let until = Instant::now() + LAST_CALLS;
        let is_worth_it = || Instant::now() < until && has_reader(io::stdout().as_fd());
        let is_busy = || !self.under_way.is_empty() || self.out.capacity() == 0;
        while is_busy() && is_worth_it() {
            std::thread::sleep(Duration::from_millis(20));
        }
        // What stands in line is written before this.
        let (written, mut done) = tokio::sync::oneshot::channel();
        let last = Outgoing {
            line: Vec::new(),
            answers: None,
            written,
        };
        if self.out.try_send(last).is_ok() {
            while done.try_recv() == Err(TryRecvError::Empty) && is_worth_it() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }

    /// Takes one message; false when the server no longer handles them.
    fn take(&mut self, line: &[u8]) -> bool {
        if line.iter().all(u8::is_ascii_whitespace) {
            return true;
        }
        let Ok(value) = serde_json::from_slice::<Value>(line) else {
            self.refuse(&id_in(line), (-32700, "this is not JSON"));
            return true;
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
            self.refuse(&Value::Null, (-32600, problem));
            return true;
        }
        let Ok(mut message) = serde_json::from_value::<ClientJsonRpcMessage>(value) else {
            self.refuse(&id, (-32600, "this is not a JSON-RPC 2.0 request"));
            return true;
        };
        match &mut message {
            JsonRpcMessage::Request(request) => {
                self.saw_request = true;
                if let Err(problem) = self.under_way.add(&mut request.id) {
                    self.refuse(&id, (-32600, problem));
                    return true;
                }
            }
            // There is nothing yet that it could be about.
            _ if !self.saw_request => return true,
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
        self.to_handler.blocking_send(message).is_ok()
    }

    fn refuse(&self, id: &Value, (code, problem): (i64, &str)) {
        let error = json!({
            "jsonrpc": "2.0",
            "id": id,
            "error": { "code": code, "message": problem },
        });
        let (written, _) = tokio::sync::oneshot::channel();
        let outgoing = Outgoing {
            line: error.to_string().into_bytes(),
            answers: None,
            written,
        };
        // Where the writer has ended, the client does not read either.
        let _ = self.out.blocking_send(outgoing);
    }
}

/// What there was to read.
enum Line {
    Whole,
    TooLong,
    End,
}

/// Reads one line. One that is too long is passed over, and never held in memory.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Line> {
    let mut too_long = false;
    loop {
        let piece = match input.fill_buf() {
            Ok(piece) => piece,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if piece.is_empty() {
            // A message without its end was cut off.
            return Ok(Line::End);
        }
        let end = piece.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(piece.len(), |end| end + 1);
        too_long |= line.len() + taken > LONGEST_LINE;
        if too_long {
            *line = Vec::new();
        } else {
            line.extend_from_slice(&piece[..taken]);
        }
        input.consume(taken);
        if end.is_some() {
            return Ok(if too_long { Line::TooLong } else { Line::Whole });
        }
    }
}

/// Writes lines until there are no senders left, or the client no longer reads. It does not hold the
/// lock of standard output: the program takes that at its end, and a client that does not read would
/// keep it from ending.
fn write(mut lines: mpsc::Receiver<Outgoing>, under_way: &UnderWay) {
    while let Some(mut outgoing) = lines.blocking_recv() {
        // A client that reads the answer may use its id again at once.
        if let Some(id) = &outgoing.answers
            && !under_way.answered(id)
        {
            outgoing.line.clear();
        }
        if !outgoing.line.is_empty() {
            outgoing.line.push(b'\n');
        }
        let outcome = write_out(&outgoing.line).map_err(|error| error.kind());
        let is_broken = outcome.is_err();
        let _ = outgoing.written.send(outcome);
        if is_broken {
            return;
        }
    }
}

fn write_out(mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(rustix::stdio::stdout(), bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

/// Whether a process can still read what is written here.
fn has_reader(output: BorrowedFd<'_>) -> bool {
    let mut watched = [PollFd::from_borrowed_fd(output, PollFlags::empty())];
    let none = rustix::event::Timespec::default();
    let seen = poll(&mut watched, Some(&none));
    let [watched] = watched;
    seen.is_ok()
        && !watched
            .revents()
            .intersects(PollFlags::ERR | PollFlags::HUP)
}

fn broken() -> io::Error {
    io::ErrorKind::BrokenPipe.into()
}
