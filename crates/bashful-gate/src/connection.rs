//! One connection of a room, from its arrival to its end.

use std::io::Write;
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use bashful_policy::{Host, unmapped};

use crate::decide::{Destination, Refused, Speech};
use crate::http::{Body, Head};
use crate::names::stands_for_name;
use crate::refusal::{not_a_server, refuse, refuse_request, refuse_spoken, reset};
use crate::relay::{Down, carry, carry_body};
use crate::serve::Gate;
use crate::spoken::{First, Spoken, check, hear};
use crate::told::Recorded;
use crate::{dns, http};

/// How long one address is tried.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where a connection arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// The program believes it to be where it wanted to go.
    Captured,
    /// It asks for a proxy.
    AtProxy,
    /// It asks for names.
    AtNames,
}

/// Serves a connection to its end.
pub(crate) fn serve(gate: &Gate, client: TcpStream, arrival: Arrival) {
    let _ = client.set_nodelay(true);
    match arrival {
        Arrival::AtNames => dns::answer_connection(gate, client),
        Arrival::AtProxy => at_proxy(gate, client),
        Arrival::Captured => captured(gate, client),
    }
}

/// What counts is where the connection was to go: the kernel knows that, and no run changes it.
fn captured(gate: &Gate, client: TcpStream) {
    let Ok(wanted) = client.local_addr() else {
        return;
    };
    let address = unmapped(wanted.ip());
    // Somebody dials the gate itself.
    if address.is_loopback() || address.is_unspecified() {
        return reset(&client);
    }
    let port = wanted.port();
    if port == 53 && gate.is_name_server(address) {
        return dns::answer_connection(gate, client);
    }
    let host = match address {
        IpAddr::V4(four) if stands_for_name(four) => gate.names.name(four).map(Host::Name),
        _ => Some(Host::Address(address)),
    };
    let Some(host) = host else {
        return reset(&client);
    };
    let to = Destination { host, port };
    match permit(gate, &client, &to) {
        Ok(made) => pass(gate, client, made, &to, Vec::new()),
        Err(why) => refuse(client, &to, &why),
    }
}

/// A program that knows proxies says where it wants to go.
fn at_proxy(gate: &Gate, mut client: TcpStream) {
    let (head, bytes) = match hear(&mut client, Vec::new(), First::Soon) {
        Spoken::Http(head, bytes) => (head, bytes),
        Spoken::Nothing => return,
        _ => return not_a_server(client),
    };
    let is_tunnel = head.method == "CONNECT";
    let usual = if is_tunnel { 443 } else { 80 };
    let asked = head
        .authority
        .as_deref()
        .map(|text| http::authority(text, usual));
    let Some(Ok((host, port))) = asked else {
        return not_a_server(client);
    };
    let to = Destination { host, port };
    let made = match permit(gate, &client, &to) {
        Ok(made) => made,
        Err(why) => return refuse_request(client, &to, &why),
    };
    if !is_tunnel {
        let spoken = Spoken::Http(head, bytes);
        return match check(&spoken, &to, made.speech) {
            Ok(()) => speak(gate, client, made, spoken, None),
            Err(why) => {
                give_up(gate, &client, &made, &to, &why);
                refuse_request(client, &to, &why);
            }
        };
    }
    if client
        .write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
        .is_ok()
    {
        let rest = bytes.get(head.length..).unwrap_or_default().to_vec();
        pass(gate, client, made, &to, rest);
    }
}

/// A connection that was permitted, put on record, and made.
struct Made {
    server: TcpStream,
    speech: Speech,
    recorded: Recorded,
}

/// Decides about a connection, has that recorded, and makes it.
fn permit(gate: &Gate, client: &TcpStream, to: &Destination) -> Result<Made, Refused> {
    let from = port_of(client);
    let refuse = |why: Refused| {
        gate.teller.refuses(from, to, &why, gate.decider.rules());
        why
    };
    let permitted = gate.decider.decide(to).map_err(refuse)?;
    let recorded = gate.teller.opens(from, to, &permitted);
    let recorded = recorded.ok_or(Refused::Unrecorded)?;
    for address in &permitted.addresses {
        let address = SocketAddr::new(*address, to.port);
        if let Ok(server) = TcpStream::connect_timeout(&address, PATIENCE) {
            let _ = server.set_nodelay(true);
            return Ok(Made {
                server,
                speech: permitted.speech,
                recorded,
            });
        }
    }
    gate.teller.ended(&recorded, 0, 0);
    Err(refuse(Refused::Silent))
}

fn port_of(client: &TcpStream) -> u16 {
    client.peer_addr().map_or(0, |address| address.port())
}

/// What was said on it may not go on.
fn give_up(gate: &Gate, client: &TcpStream, made: &Made, to: &Destination, why: &Refused) {
    gate.teller.ended(&made.recorded, 0, 0);
    gate.teller
        .refuses(port_of(client), to, why, gate.decider.rules());
}

/// Lets a connection through that may be, as far as what is said on it may.
fn pass(gate: &Gate, mut client: TcpStream, made: Made, to: &Destination, come: Vec<u8>) {
    let speech = made.speech;
    if speech == Speech::Unnamed {
        return speak(gate, client, made, Spoken::Other(come), None);
    }
    if speech == Speech::Web {
        let spoken = hear(&mut client, come, First::Soon);
        return match check(&spoken, to, speech) {
            Ok(()) => speak(gate, client, made, spoken, None),
            // A client that thought better of it wants nothing.
            Err(_) if matches!(spoken, Spoken::Nothing) => gate.teller.ended(&made.recorded, 0, 0),
            Err(why) => {
                give_up(gate, &client, &made, to, &why);
                refuse_spoken(client, &spoken, to, &why);
            }
        };
    }
    // The server may be the one who begins.
    let Ok(down) = Down::begin(&made.server, &client) else {
        return reset(&client);
    };
    let spoken = hear(&mut client, come, First::Whenever);
    if matches!(spoken, Spoken::Nothing) {
        return speak(gate, client, made, spoken, Some(down));
    }
    match check(&spoken, to, speech) {
        Ok(()) => speak(gate, client, made, spoken, Some(down)),
        Err(why) => {
            hang_up(&client, &made.server);
            give_up(gate, &client, &made, to, &why);
        }
    }
}

/// Carries what was said, and what follows, both ways.
fn speak(gate: &Gate, mut client: TcpStream, made: Made, spoken: Spoken, down: Option<Down>) {
    let mut server = made.server;
    let down = match down {
        Some(down) => Ok(down),
        None => Down::begin(&server, &client),
    };
    let Ok(down) = down else {
        return reset(&client);
    };
    let _ = client.set_read_timeout(None);
    let said = match spoken {
        Spoken::Http(head, bytes) => request(&head, &bytes, &mut client, &mut server),
        Spoken::Tls(_, bytes) | Spoken::Other(bytes) => {
            let begun = server.write_all(&bytes);
            begun.map(|()| bytes.len() as u64 + carry(&mut client, &mut server))
        }
        Spoken::Nothing | Spoken::Broken => server.shutdown(Shutdown::Write).map(|()| 0),
    };
    if said.is_err() {
        hang_up(&client, &server);
    }
    let received = down.finish();
    gate.teller
        .ended(&made.recorded, said.unwrap_or_default(), received);
}

fn hang_up(client: &TcpStream, server: &TcpStream) {
    for end in [client, server] {
        let _ = end.shutdown(Shutdown::Both);
    }
}

/// Carries one request. What the client says behind it meets nobody: the server hangs up when it
/// has answered.
fn request(
    head: &Head,
    bytes: &[u8],
    client: &mut TcpStream,
    server: &mut TcpStream,
) -> std::io::Result<u64> {
    let words = head.for_server();
    server.write_all(&words)?;
    let come = bytes.get(head.length..).unwrap_or_default();
    match head.body {
        Body::Bytes(0) => Ok(words.len() as u64),
        body => Ok(words.len() as u64 + carry_body(come, body, client, server)?),
    }
}
