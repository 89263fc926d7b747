//! Reaching the host through sockets that have a path or a name.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};

use bashful_sandbox::Network;

use crate::case::{Case, Control};
use crate::scene::Scene;

const CLASS: &str = "sockets";

fn python(name: &'static str, code: &'static str) -> Case {
    Case::python(CLASS, name, code)
}

/// Where a socket of the host lies.
#[derive(Clone, Copy)]
enum Where {
    Workspace,
    Shared,
    Host,
}

/// A listener of the host that reports every process that calls.
fn listen(scene: &mut Scene, place: Where) {
    let directory = match place {
        Where::Workspace => &scene.workspace,
        Where::Shared => &scene.shared,
        Where::Host => &scene.host,
    };
    let path = directory.join("socket");
    let listener = UnixListener::bind(&path).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o777)).unwrap();
    answer(scene, listener);
}

fn listen_abstract(scene: &mut Scene) {
    let address = SocketAddr::from_abstract_name(&scene.marker).unwrap();
    answer(scene, UnixListener::bind_addr(&address).unwrap());
}

fn answer(scene: &mut Scene, listener: UnixListener) {
    listener.set_nonblocking(true).unwrap();
    scene.listener(move || {
        listener
            .accept()
            .is_ok()
            .then_some("a call on a unix socket")
    });
}

/// The same for single messages.
fn listen_for_messages(scene: &mut Scene) {
    let path = scene.workspace.join("socket");
    let socket = UnixDatagram::bind(&path).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o777)).unwrap();
    receive(scene, socket);
}

fn receive(scene: &mut Scene, socket: UnixDatagram) {
    socket.set_nonblocking(true).unwrap();
    scene.listener(move || socket.recv(&mut [0; 64]).is_ok().then_some("a message"));
}

const CONNECT: &str = r#"
    socket.socket(socket.AF_UNIX).connect(W + "/socket")"#;
const CONNECT_ABSTRACT: &str = r#"
    socket.socket(socket.AF_UNIX).connect("\0" + E["MARKER"])"#;

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = unix();
    cases.extend(nameless());
    cases
}

fn unix() -> Vec<Case> {
    vec![
        python("in_the_workspace", CONNECT)
            .prepare(|scene| listen(scene, Where::Workspace))
            .felt(),
        python("in_the_workspace_with_the_network_on", CONNECT)
            .prepare(|scene| listen(scene, Where::Workspace))
            .profile(|profile, _| profile.network = Network::On)
            .felt(),
        python(
            "in_a_read_root",
            r#"
            caller = socket.socket(socket.AF_UNIX)
            caller.connect(E["SHARED"] + "/socket")"#,
        )
        .prepare(|scene| listen(scene, Where::Shared))
        .felt(),
        python(
            "of_the_host",
            r#"
            caller = socket.socket(socket.AF_UNIX)
            caller.connect(E["HOST"] + "/socket")"#,
        )
        .prepare(|scene| listen(scene, Where::Host))
        .felt(),
        python(
            "of_the_host_by_a_symlink",
            r#"
            caller = socket.socket(socket.AF_UNIX)
            caller.connect(W + "/link")"#,
        )
        .prepare(|scene| {
            listen(scene, Where::Host);
            symlink(scene.host.join("socket"), scene.workspace.join("link")).unwrap();
        })
        .felt(),
        python(
            "by_a_message",
            r#"
            caller = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            caller.sendto(b"x", W + "/socket")"#,
        )
        .prepare(listen_for_messages)
        .felt(),
        python(
            "by_one_end_of_a_pair",
            r#"
            # A pair may be made inside; an end of it must not speak to others.
            one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
            one.sendto(b"x", W + "/socket")"#,
        )
        .prepare(listen_for_messages)
        .felt(),
        python(
            "by_one_end_of_a_pair_connected_anew",
            r#"
            one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
            one.connect(W + "/socket"); one.send(b"x")"#,
        )
        .prepare(listen_for_messages)
        .felt(),
    ]
}

fn nameless() -> Vec<Case> {
    vec![
        python(
            "abstract_by_one_end_of_a_pair",
            r#"
            one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
            one.sendto(b"x", "\0" + E["MARKER"])"#,
        )
        .prepare(|scene| {
            let address = SocketAddr::from_abstract_name(&scene.marker).unwrap();
            receive(scene, UnixDatagram::bind_addr(&address).unwrap());
        })
        .profile(|profile, _| profile.network = Network::On)
        .felt(),
        python("abstract", CONNECT_ABSTRACT)
            .prepare(listen_abstract)
            .felt(),
        python("abstract_with_the_network_on", CONNECT_ABSTRACT)
            .prepare(listen_abstract)
            .profile(|profile, _| profile.network = Network::On)
            .felt(),
        python(
            "made_with_high_bits",
            r#"
            # The kernel takes thirty-two bits of the family; a filter may compare more.
            call("socket", 1 | 1 << 32, 1, 0)"#,
        ),
        python(
            "listening_where_the_host_may_call",
            r#"
            server = socket.socket(socket.AF_UNIX)
            server.bind(W + "/trap"); server.listen()"#,
        ),
        python(
            "services_of_the_system",
            r#"
            names = os.listdir("/run") + os.listdir("/var/run")
            names = [it for it in names if it != "bashful"]
            if not names: blocked("nothing is there")
            reached(" ".join(names[:8]))"#,
        )
        .control(Control::Root("what runs there differs from host to host")),
    ]
}
