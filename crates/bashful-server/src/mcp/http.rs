//! MCP over HTTP, for clients on this machine: every request shows the token, names this host and
//! comes from no web page.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bashful_engine::Interrupts;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue, ORIGIN, WWW_AUTHENTICATE};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OnceCell, Semaphore};

use super::peer::Known;
use super::token::Token;
use super::{McpServer, ServeError, runtime, told_to_end};

/// How many connections are served at a time.
const MOST_CONNECTIONS: usize = 512;
/// How long a client has to send its headers.
const HEADERS_WITHIN: Duration = Duration::from_secs(10);
/// The longest message, in bytes.
const LONGEST_BODY: usize = 16 << 20;
/// What a request says at most once.
const ONCE: [&str; 6] = [
    "host",
    "origin",
    "authorization",
    "content-type",
    "mcp-session-id",
    "mcp-protocol-version",
];
/// Where the server is; the root is as good.
const PATHS: [&str; 2] = ["/mcp", "/"];

/// How HTTP is served.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HttpOptions {
    /// Where to listen.
    pub address: SocketAddr,
    /// What clients show.
    pub token: Token,
    /// Whether other machines may come, too.
    pub remote: bool,
    /// Names of this host besides those of the loopback.
    pub hosts: Vec<String>,
    /// Web pages that may come, as `https://example.org:443`.
    pub origins: Vec<String>,
}

impl HttpOptions {
    /// Serves this machine at this address.
    pub fn new(address: SocketAddr, token: Token) -> Self {
        Self {
            address,
            token,
            remote: false,
            hosts: Vec::new(),
            origins: Vec::new(),
        }
    }
}

type Body = http_body_util::combinators::BoxBody<Bytes, Infallible>;
type Service = StreamableHttpService<McpServer, LocalSessionManager>;

/// Who is at the other end of a connection.
struct Visitor {
    client: SocketAddr,
    server: SocketAddr,
    is_stranger: OnceCell<bool>,
}

impl Visitor {
    /// Whether it is none of our runs; looked up once.
    async fn is_stranger(&self, known: &Arc<Known>) -> bool {
        let (client, server, known) = (self.client, self.server, Arc::clone(known));
        let look = || async move {
            let looked = tokio::task::spawn_blocking(move || known.is_stranger(client, server));
            looked.await.unwrap_or(false)
        };
        *self.is_stranger.get_or_init(look).await
    }
}

/// One door for all connections.
struct Door {
    token: Token,
    known: Arc<Known>,
    service: Service,
}

/// Serves HTTP until an interrupt comes or came; `ready` hears where. Interrupts are caught before
/// the first thread is started, and better before the token is written: what was told to end while it
/// started ends in order.
pub fn serve_http(
    server: &McpServer,
    options: HttpOptions,
    interrupts: Interrupts,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    if !options.remote && !options.address.ip().is_loopback() {
        let address = options.address.to_string();
        return Err(ServeError::NotLoopback { address });
    }
    let runtime = runtime()?;
    let told = told_to_end(interrupts)?;
    let outcome = runtime.block_on(listen(server, options, told, ready));
    server.inner.gone.cancel();
    runtime.shutdown_timeout(Duration::from_secs(2));
    outcome
}

async fn listen(
    server: &McpServer,
    options: HttpOptions,
    told: impl Future<Output = ()>,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let unusable = |source| ServeError::Listen {
        address: options.address.to_string(),
        source,
    };
    let listener = TcpListener::bind(options.address).await.map_err(unusable)?;
    let address = listener.local_addr().map_err(unusable)?;
    ready(address);
    let door = Arc::new(Door {
        token: options.token.clone(),
        known: Arc::default(),
        service: service(server, &options, address),
    });
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let accept = async {
        loop {
            let Ok(place) = Arc::clone(&room).acquire_owned().await else {
                return;
            };
            match listener.accept().await {
                Ok((stream, client)) => {
                    let door = Arc::clone(&door);
                    tokio::spawn(async move {
                        door.serve(stream, client).await;
                        drop(place);
                    });
                }
                // Out of descriptors, or the client was gone before it came: others may come.
                Err(error) => {
                    tracing::warn!(%error, "a client could not be let in");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    };
    tokio::select! {
        () = accept => {}
        () = told => {}
    }
    Ok(())
}

fn service(server: &McpServer, options: &HttpOptions, address: SocketAddr) -> Service {
    let loopback = ["localhost", "127.0.0.1", "[::1]", "::1"].map(str::to_owned);
    let hosts = loopback.into_iter().chain(options.hosts.iter().cloned());
    // Its own pages, of which there are none, are no strangers.
    let port = address.port();
    let own = ["localhost", "127.0.0.1", "[::1]"].map(|host| format!("http://{host}:{port}"));
    let origins = own.into_iter().chain(options.origins.iter().cloned());
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(LONGEST_BODY)
        .with_cancellation_token(server.inner.gone.clone());
    let server = server.clone();
    StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(LocalSessionManager::default()),
        config,
    )
}

impl Door {
    async fn serve(self: Arc<Self>, stream: TcpStream, client: SocketAddr) {
        let _ = stream.set_nodelay(true);
        let Ok(server) = stream.local_addr() else {
            return;
        };
        let visitor = Arc::new(Visitor {
            client,
            server,
            is_stranger: OnceCell::new(),
        });
        let answer = service_fn(|request| {
            let (door, visitor) = (Arc::clone(&self), Arc::clone(&visitor));
            async move { Ok::<_, Infallible>(door.answer(request, &visitor).await) }
        });
        let served = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADERS_WITHIN)
            .serve_connection(TokioIo::new(stream), answer)
            .await;
        if let Err(error) = served {
            tracing::debug!(%error, "a connection ended badly");
        }
    }

    /// A client that does not show the token learns nothing else.
    async fn answer(&self, request: Request<Incoming>, visitor: &Visitor) -> Response<Body> {
        if is_ambiguous(&request) {
            return plain(
                StatusCode::BAD_REQUEST,
                "one Host, one Authorization and one Origin at most, please\n",
            );
        }
        let shown = request.headers().get(AUTHORIZATION);
        let shown = shown.and_then(|value| value.to_str().ok());
        if !shown.is_some_and(|shown| self.token.is_shown_by(shown)) {
            let mut refused = plain(
                StatusCode::UNAUTHORIZED,
                "send the token: Authorization: Bearer …\n",
            );
            let scheme = HeaderValue::from_static("Bearer");
            refused.headers_mut().insert(WWW_AUTHENTICATE, scheme);
            return refused;
        }
        if !visitor.is_stranger(&self.known).await {
            return plain(
                StatusCode::FORBIDDEN,
                "a command that Bashful runs cannot call Bashful; from a client: try again\n",
            );
        }
        if !PATHS.contains(&request.uri().path()) {
            return plain(StatusCode::NOT_FOUND, "the MCP server is at /mcp\n");
        }
        let ends_session = request.method() == Method::DELETE;
        let mut response = self.service.handle(request).await;
        // The end of a session is done, not only noted: clients complain about the latter.
        if ends_session && response.status() == StatusCode::ACCEPTED {
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        response
    }
}

/// Whether two readers of this request could see two different ones.
fn is_ambiguous(request: &Request<Incoming>) -> bool {
    let headers = request.headers();
    let several = |name: &&str| headers.get_all(*name).iter().nth(1).is_some();
    let bytes = |name| headers.get(name).map(HeaderValue::as_bytes);
    let host = bytes(HOST).unwrap_or_default();
    let named = host.first().is_some_and(|first| *first != b':');
    // Whether it is one of ours is looked at later.
    let origin = bytes(ORIGIN).unwrap_or_default();
    let after_scheme = origin.windows(3).position(|part| part == b"://");
    let origin = after_scheme
        .and_then(|at| origin.get(at + 3..))
        .unwrap_or(origin);
    ONCE.iter().any(several)
        || !(named && is_plain(host) && is_plain(origin))
        || request.uri().authority().is_some()
}

/// Whether all readers see the same host and port: nothing before an `@`, no path, no list.
fn is_plain(host: &[u8]) -> bool {
    let mut bytes = host.iter();
    bytes.all(|byte| byte.is_ascii_alphanumeric() || b".-_:[]".contains(byte))
}

fn plain(status: StatusCode, words: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from_static(words.as_bytes())).boxed());
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
