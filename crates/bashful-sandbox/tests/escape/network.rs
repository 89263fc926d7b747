//! Reaching the host and the world through the network, while it is off.

use std::net::{TcpListener, UdpSocket};

use crate::case::{Case, Control};
use crate::scene::Scene;

const CLASS: &str = "network";

fn python(name: &'static str, code: &'static str) -> Case {
    Case::python(CLASS, name, code)
}

/// A listener of the host on all of its addresses.
fn listen(scene: &mut Scene, address: &str) {
    let listener = TcpListener::bind((address, 0)).unwrap();
    scene.tell("PORT", listener.local_addr().unwrap().port());
    listener.set_nonblocking(true).unwrap();
    scene.listener(move || listener.accept().is_ok().then_some("a call by TCP"));
}

fn listen_for_messages(scene: &mut Scene, address: &str) {
    let socket = UdpSocket::bind((address, 0)).unwrap();
    scene.tell("PORT", socket.local_addr().unwrap().port());
    socket.set_nonblocking(true).unwrap();
    scene.listener(move || {
        socket
            .recv(&mut [0; 64])
            .is_ok()
            .then_some("a message by UDP")
    });
}

/// The address that the host has towards others, found without sending anything.
fn own_address(scene: &mut Scene) {
    listen(scene, "0.0.0.0");
    let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
    let address = socket
        .connect("192.0.2.1:9")
        .and_then(|()| socket.local_addr());
    let address = address.map_or_else(|_| "127.0.0.2".to_owned(), |it| it.ip().to_string());
    scene.tell("ADDRESS", address);
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        python("loopback", r#"
            socket.create_connection(("127.0.0.1", int(E["PORT"])), 5); time.sleep(0.1)"#)
            .prepare(|scene| listen(scene, "127.0.0.1"))
            .felt(),
        python("loopback_by_another_address", r#"
            socket.create_connection(("127.9.8.7", int(E["PORT"])), 5); time.sleep(0.1)"#)
            .prepare(|scene| listen(scene, "0.0.0.0"))
            .felt(),
        python("loopback_by_the_null_address", r#"
            socket.create_connection(("0.0.0.0", int(E["PORT"])), 5); time.sleep(0.1)"#)
            .prepare(|scene| listen(scene, "0.0.0.0"))
            .felt(),
        python("loopback_of_the_sixth_version", r#"
            caller = socket.socket(socket.AF_INET6); caller.settimeout(5)
            caller.connect(("::1", int(E["PORT"]))); time.sleep(0.1)"#)
            .prepare(|scene| listen(scene, "::1"))
            .felt(),
        python("loopback_of_the_fourth_version_in_the_sixth", r#"
            caller = socket.socket(socket.AF_INET6); caller.settimeout(5)
            caller.connect(("::ffff:127.0.0.1", int(E["PORT"]))); time.sleep(0.1)"#)
            .prepare(|scene| listen(scene, "127.0.0.1"))
            .felt(),
        python("loopback_by_a_message", r#"
            caller = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            caller.connect(("127.0.0.1", int(E["PORT"])))
            caller.send(b"x"); time.sleep(0.1); caller.send(b"x")"#)
            .prepare(|scene| listen_for_messages(scene, "127.0.0.1"))
            .felt_only(),
        python("loopback_by_a_message_of_the_sixth_version", r#"
            caller = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
            caller.sendto(b"x", ("::1", int(E["PORT"]))); time.sleep(0.1)"#)
            .prepare(|scene| listen_for_messages(scene, "::1"))
            .felt_only(),
        python("loopback_by_a_fast_open", r#"
            caller = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            caller.sendto(b"x", 0x20000000, ("127.0.0.1", int(E["PORT"]))); time.sleep(0.1)"#)
            .prepare(|scene| listen(scene, "127.0.0.1"))
            .felt(),
        python("own_address_of_the_host", r#"
            socket.create_connection((E["ADDRESS"], int(E["PORT"])), 5); time.sleep(0.1)"#)
            .prepare(own_address)
            .felt(),
        python("local_network_by_broadcast", r#"
            caller = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            caller.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            caller.sendto(b"x", ("255.255.255.255", 9))"#)
            .may_lack("a host without a network", &["ENETUNREACH"]),
        python("name_server", r#"
            caller = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            caller.connect(("192.0.2.53", 53)); caller.send(b"x")"#)
            .may_lack("a host without a network", &["ENETUNREACH"]),
        python("metadata_of_a_cloud", r#"
            socket.create_connection(("169.254.169.254", 80), 3)"#)
            .control(Control::Never("not every host has this service")),
        python("interface_added", r#"
            # A new dummy interface, by a message to the kernel.
            name = b"x" + E["MARKER"][-8:].encode() + b"\0"
            kind = struct.pack("HH", 10, 1) + b"dummy\0\0\0"
            info = struct.pack("HH", 4 + len(kind), 18) + kind
            label = struct.pack("HH", 4 + len(name), 3) + name + bytes(-len(name) % 4)
            body = struct.pack("BxHiII", 0, 0, 0, 0, 0) + label + info
            caller = socket.socket(16, 3, 0); caller.bind((0, 0))
            caller.send(struct.pack("IHHII", 16 + len(body), 16, 0x605, 1, 0) + body)
            code = struct.unpack_from("i", caller.recv(4096), 16)[0]
            if code: raise OSError(-code, "refused")
            body = struct.pack("BxHiII", 0, 0, 0, 0, 0) + label
            caller.send(struct.pack("IHHII", 16 + len(body), 17, 5, 2, 0) + body); caller.recv(4096)"#)
            .control(Control::Root("interfaces are root's"))
            .may_lack("a kernel without dummy interfaces", &["ENOTSUP", "EOPNOTSUPP"]),
    ]
}
