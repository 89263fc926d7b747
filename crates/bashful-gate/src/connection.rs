//! One connection of a room, from its arrival to its end.

use std::io::Write;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::time::Duration;

use bashful_policy::{Host, unmapped};

use crate::decide::{Destination, Permitted, Refused, Speech};
use crate::http::{Body, Head};
use crate::names::stands_for_name;
use crate::refusal::{not_a_server, refuse, refuse_request, refuse_spoken, reset};
use crate::relay::{Down, carry, carry_body};
use crate::serve::Gate;
use crate::spoken::{First, Spoken, check, hear};
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
    match permit(gate, &to) {
        Ok((permitted, server)) => pass(client, server, &to, &permitted, Vec::new()),
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
    let (permitted, server) = match permit(gate, &to) {
        Ok(permitted) => permitted,
        Err(why) => return refuse_request(client, &to, &why),
    };
    if !is_tunnel {
        let spoken = Spoken::Http(head, bytes);
        return match check(&spoken, &to, permitted.speech) {
            Ok(()) => speak(client, server, spoken, None),
            Err(why) => refuse_request(client, &to, &why),
        };
    }
    if client
        .write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
        .is_ok()
    {
        let rest = bytes.get(head.length..).unwrap_or_default().to_vec();
        pass(client, server, &to, &permitted, rest);
    }
}

/// Decides about a connection and makes it.
fn permit(gate: &Gate, to: &Destination) -> Result<(Permitted, TcpStream), Refused> {
    let permitted = gate.decider.decide(to)?;
    for address in &permitted.addresses {
        let address = SocketAddr::new(*address, to.port);
        if let Ok(server) = TcpStream::connect_timeout(&address, PATIENCE) {
            let _ = server.set_nodelay(true);
            return Ok((permitted, server));
        }
    }
    Err(Refused::Silent)
}

/// Lets a connection through that may be, as far as what is said on it may.
fn pass(
    mut client: TcpStream,
    server: TcpStream,
    to: &Destination,
    permitted: &Permitted,
    come: Vec<u8>,
) {
    if permitted.speech == Speech::Unnamed {
        return speak(client, server, Spoken::Other(come), None);
    }
    if permitted.speech == Speech::Web {
        let spoken = hear(&mut client, come, First::Soon);
        return match check(&spoken, to, permitted.speech) {
            Ok(()) => speak(client, server, spoken, None),
            Err(why) => refuse_spoken(client, &spoken, to, &why),
        };
    }
    // The server may be the one who begins.
    let Ok(down) = Down::begin(&server, &client) else {
        return reset(&client);
    };
    let spoken = hear(&mut client, come, First::Whenever);
    if matches!(spoken, Spoken::Nothing) || check(&spoken, to, permitted.speech).is_ok() {
        return speak(client, server, spoken, Some(down));
    }
    for end in [&client, &server] {
        let _ = end.shutdown(std::net::Shutdown::Both);
    }
}

/// Carries what was said, and what follows, both ways.
fn speak(mut client: TcpStream, mut server: TcpStream, spoken: Spoken, down: Option<Down>) {
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
            begun.map(|()| carry(&mut client, &mut server))
        }
        Spoken::Nothing | Spoken::Broken => server.shutdown(std::net::Shutdown::Write).map(|()| 0),
    };
    if said.is_err() {
        for end in [&client, &server] {
            let _ = end.shutdown(std::net::Shutdown::Both);
        }
    }
    down.finish();
}

/// Carries one request. What the client says behind it meets nobody: the server hangs up when it
/// has answered.
fn request(
    head: &Head,
    bytes: &[u8],
    client: &mut TcpStream,
    server: &mut TcpStream,
) -> std::io::Result<u64> {
    server.write_all(&head.for_server())?;
    let come = bytes.get(head.length..).unwrap_or_default();
    match head.body {
        Body::Bytes(0) => Ok(0),
        body => carry_body(come, body, client, server),
    }
}
