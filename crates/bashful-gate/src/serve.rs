//! Becoming a gate: what it is given, how it is shut in, and who waits for connections.

use std::io;
use std::net::{IpAddr, TcpListener, UdpSocket};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use bashful_policy::{HostRules, unmapped};
use bashful_sandbox::{
    CAPTURE_PORT, GATE_ARGUMENT, PROXY_PORT, confine_gate, gate_order, name_servers,
};
use rustix::net::SocketType;

use crate::connection::{self, Arrival};
use crate::decide::Decider;
use crate::dns;
use crate::names::Names;
use crate::resolve::Resolver;
use crate::told::Teller;

/// How many connections there are at a time; further ones wait to be accepted.
const MOST_CONNECTIONS: usize = 400;
/// Enough for what is read of a connection before it is relayed.
const STACK: usize = 256 << 10;

/// What all connections of a room share.
#[derive(Debug)]
pub(crate) struct Gate {
    pub(crate) names: Names,
    pub(crate) decider: Decider,
    pub(crate) teller: Teller,
    /// Where names are asked for.
    pub(crate) servers: Vec<IpAddr>,
    running: Mutex<usize>,
    ended: Condvar,
}

/// If this process was started as a gate, serves as one and never returns.
pub fn serve_if_asked() {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|word| word == GATE_ARGUMENT) {
        let served = serve();
        end(i32::from(served.is_err()));
    }
}

#[expect(
    clippy::exit,
    reason = "this process is a gate: the host's code must not run in it"
)]
fn end(code: i32) -> ! {
    std::process::exit(code)
}

fn serve() -> io::Result<()> {
    let (hosts, sockets) = gate_order()?;
    let hosts: Vec<&str> = hosts.lines().collect();
    let rules = HostRules::parse(&hosts).map_err(io::Error::other)?;
    let resolver = Resolver::of_host();
    let gate = Arc::new(Gate {
        names: Names::new(resolver.search.clone()),
        decider: Decider::new(rules, resolver),
        teller: Teller::new()?,
        servers: name_servers(),
        running: Mutex::default(),
        ended: Condvar::new(),
    });
    // From here on no file is opened, and nothing that came from the room has been read.
    confine_gate()?;
    for socket in sockets {
        attend(&gate, socket)?;
    }
    rustix::io::write(rustix::stdio::stdin(), b"!")?;
    // The keeper hangs up when the room has gone.
    gate.teller.listen();
    Ok(())
}

/// Serves one socket in a thread of its own.
fn attend(gate: &Arc<Gate>, socket: OwnedFd) -> io::Result<()> {
    let gate = Arc::clone(gate);
    let kind = rustix::net::sockopt::socket_type(&socket)?;
    if kind == SocketType::DGRAM {
        let socket = UdpSocket::from(socket);
        return spawn(move || dns::answer_datagrams(&gate, &socket));
    }
    let listener = TcpListener::from(socket);
    let arrival = match listener.local_addr()?.port() {
        CAPTURE_PORT => Arrival::Captured,
        PROXY_PORT => Arrival::AtProxy,
        _ => Arrival::AtNames,
    };
    spawn(move || accept(&gate, &listener, arrival))
}

fn accept(gate: &Arc<Gate>, listener: &TcpListener, arrival: Arrival) {
    loop {
        gate.begin();
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(error) => {
                gate.finish();
                // Out of descriptors or memory: others have to end first.
                if error.kind() != io::ErrorKind::ConnectionAborted {
                    thread::sleep(std::time::Duration::from_millis(20));
                }
                continue;
            }
        };
        let of_thread = Arc::clone(gate);
        let spawned = spawn(move || {
            connection::serve(&of_thread, stream, arrival);
            of_thread.finish();
        });
        if spawned.is_err() {
            gate.finish();
        }
    }
}

/// Starts a thread with a small stack.
pub(crate) fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new()
        .stack_size(STACK)
        .spawn(work)
        .map(drop)
}

impl Gate {
    /// Waits until there is room for one more connection.
    fn begin(&self) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let full = |running: &mut usize| *running >= MOST_CONNECTIONS;
        let mut running = self
            .ended
            .wait_while(running, full)
            .unwrap_or_else(PoisonError::into_inner);
        *running += 1;
    }

    fn finish(&self) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        *running = running.saturating_sub(1);
        drop(running);
        self.ended.notify_all();
    }

    /// Whether questions for names are answered at this address.
    pub(crate) fn is_name_server(&self, address: IpAddr) -> bool {
        self.servers.contains(&unmapped(address))
    }
}
