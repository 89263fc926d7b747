//! The MCP server.
//!
//! `handler` is what rmcp calls; the life of a tool call is in `call`. What a person is asked is in
//! `asking`, what they read in `form`, and `state` seals it for the generation that keeps no
//! connection. What is known about a client, and what it likes to read, is in `client`. `stdio` and
//! `http` carry messages. rmcp's types do not leave this module.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bashful_engine::{Engine, Interrupts, ToolRegistry};
use rustix::event::{PollFd, PollFlags, poll};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

mod asking;
mod call;
mod client;
mod dialogue;
mod form;
mod handler;
mod http;
mod listing;
mod peer;
mod progress;
mod resources;
mod salvage;
mod slim;
mod state;
mod stdio;
mod tasks;
mod token;
mod under_way;

pub use http::{HttpOptions, serve_http};
pub use stdio::serve_stdio;
pub use token::{Token, TokenError};

use dialogue::Dialogues;
use state::States;

/// What clients are told about using the tools.
pub const INSTRUCTIONS: &str = include_str!("mcp/instructions.txt");
/// What they are told besides where the tools for scripts are listed.
pub const SCRIPT_INSTRUCTIONS: &str = include_str!("mcp/script_instructions.txt");

/// Why a server cannot serve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The system gave no secret key.
    #[error("cannot make a key for the state of questions")]
    Key(#[source] std::io::Error),
    /// The runtime could not be made.
    #[error("cannot start the threads of the server")]
    Runtime(#[source] std::io::Error),
    /// The address cannot be used.
    #[error("cannot listen on `{address}`")]
    Listen {
        /// The address as the caller named it.
        address: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The address can be reached from other machines, and the caller did not allow that.
    #[error("`{address}` can be reached from other machines")]
    NotLoopback {
        /// The address as the caller named it.
        address: String,
    },
    /// The client's first message is not a request.
    #[error("the client broke the protocol: {problem}")]
    Protocol {
        /// What it did.
        problem: String,
    },
    /// A thread of the server died.
    #[error("a thread of the server died")]
    Died,
}

/// How a server behaves.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerOptions {
    /// How long a call waits for an answer from elsewhere when the client cannot ask, or its user
    /// did not answer there.
    pub wait: Duration,
    /// How long a client waits that does not want to hear of progress; after that the command goes
    /// on in the background.
    pub patience: Duration,
    /// How long a yes for the session holds where the session has no end: over HTTP it is that of
    /// the token, which may outlive servers and clients.
    pub session_yes: Option<Duration>,
    /// Rules, capabilities and classes that a client's dialogue is not enough for.
    pub out_of_band: Vec<String>,
    /// Lists the tools for scripts also where there are no scripts.
    pub all_tools: bool,
    /// Lists tools with the schemas of their answers, and sends the objects whole. No client says
    /// whether it uses that, and every model pays for it, so the person who starts the server does.
    pub output_schemas: bool,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            wait: Duration::ZERO,
            // Some clients give up after a minute.
            patience: Duration::from_secs(50),
            session_yes: None,
            out_of_band: Vec::new(),
            all_tools: false,
            output_schemas: false,
        }
    }
}

/// The MCP server of one engine. Cheap to clone; clones serve the same session.
#[derive(Debug, Clone)]
pub struct McpServer {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    registry: ToolRegistry,
    options: ServerOptions,
    states: States,
    dialogues: Arc<Dialogues>,
    /// Set when the tools were last listed without those for scripts.
    scripts_unlisted: AtomicBool,
    /// Set when the client is gone: what runs in the foreground ends.
    gone: CancellationToken,
    /// Set when the engine was told to get ready.
    is_ready: AtomicBool,
}

impl McpServer {
    /// A server for this engine. The engine does not wait for a person: the server does the asking.
    pub fn new(engine: &Engine, options: ServerOptions) -> Result<Self, ServeError> {
        let inner = Inner {
            registry: ToolRegistry::new(engine),
            options,
            states: States::new().map_err(ServeError::Key)?,
            dialogues: Arc::default(),
            scripts_unlisted: AtomicBool::new(false),
            gone: CancellationToken::new(),
            is_ready: AtomicBool::new(false),
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// Has what the first command needs made while the client is still thinking.
    fn get_ready(&self) {
        if self.inner.is_ready.swap(true, Ordering::Relaxed) {
            return;
        }
        let engine = self.engine().clone();
        // What does not work now, the first command will tell.
        tokio::task::spawn_blocking(move || engine.get_ready());
    }

    fn engine(&self) -> &Engine {
        self.inner.registry.engine()
    }
}

/// The threads that a server runs on.
fn runtime() -> Result<tokio::runtime::Runtime, ServeError> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("bashful-mcp")
        .enable_all()
        .build()
        .map_err(ServeError::Runtime)
}

/// Is done when this process is told to end, or was while it started.
fn told_to_end(interrupts: Interrupts) -> Result<impl Future<Output = ()>, ServeError> {
    let (tell, told) = oneshot::channel();
    let listen = move || {
        while interrupts.take() == 0 {
            // Whatever woke us, it is looked at.
            let _ = poll(&mut [PollFd::new(&interrupts, PollFlags::IN)], None);
        }
        let _ = tell.send(());
    };
    std::thread::Builder::new()
        .name("bashful-signals".to_owned())
        .stack_size(256 << 10)
        .spawn(listen)
        .map_err(ServeError::Runtime)?;
    Ok(async move {
        let _ = told.await;
    })
}
