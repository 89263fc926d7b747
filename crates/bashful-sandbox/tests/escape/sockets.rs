//! Reaching the host through sockets that have a path or a name.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};

use bashful_sandbox::Network;

use crate::case::{Case, Control, Place};
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
    cases.extend(swapped());
    cases.extend(in_its_place());
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
            call("socket", 1 | 1 << 32, 2, 0)"#,
        ),
        python(
            "raw_where_datagrams_are_refused",
            r#"
            # The kernel makes a socket for datagrams of it.
            call("socket", 1, 3, 0)"#,
        ),
        python(
            "listening_by_a_name_of_the_host",
            r#"
            server = socket.socket(socket.AF_UNIX)
            server.bind("\0" + E["MARKER"] + "-trap"); server.listen()"#,
        )
        .profile(|profile, _| profile.network = Network::On),
        python(
            "abstract_by_a_socket_of_the_host",
            r#"
            # The run listens by the same name in its own network, and was given a socket.
            try:
                server = socket.socket(socket.AF_UNIX)
                server.bind("\0" + E["MARKER"]); server.listen()
            except OSError: pass
            socket.socket(fileno=0).connect("\0" + E["MARKER"])"#,
        )
        .prepare(|scene| {
            listen_abstract(scene);
            let given = rustix::net::socket(
                rustix::net::AddressFamily::UNIX,
                rustix::net::SocketType::STREAM,
                None,
            );
            scene.stdin = Some(given.unwrap());
        })
        .felt(),
        python(
            "routes_connected_with_rights_of_the_keeper",
            r#"socket.socket(16, 3, 0).connect((0, 0))"#,
        ),
        python(
            "process_at_the_other_end",
            r#"
            server = socket.socket(socket.AF_UNIX)
            server.bind(W + "/own"); server.listen()
            caller = socket.socket(socket.AF_UNIX); caller.connect(W + "/own")
            server.accept()[0].getsockopt(socket.SOL_SOCKET, 77, 4)"#,
        )
        .may_lack("a kernel that does not tell", &["ENOPROTOOPT"]),
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

/// Tries of each race.
const OWN: &str = r#"
    own, host, tries = W + "/own", W + "/socket", 10_000
    server = socket.socket(socket.AF_UNIX); server.bind(own); server.listen(100)
    server.setblocking(False)
    def swapping(swap):
        if os.fork() == 0:
            libc.prctl(1, 9, 0, 0, 0)
            while True: swap()
    def address(path): return struct.pack("H", 1) + path.encode().ljust(108, b"\0")
    def look(caller):
        try: other = caller.getpeername()
        except OSError: return 0
        if other == host: reached("the socket of the host")
        try: server.accept()[0].close()
        except BlockingIOError: pass
        return 1
    made = 0
"#;

/// Something is exchanged while the call is being looked at. Each of them reaches the host where
/// a call goes on after it was looked at.
fn swapped() -> Vec<Case> {
    let race = |name, code| {
        Case::python_after(CLASS, name, OWN, code)
            .prepare(|scene| listen(scene, Where::Workspace))
            .felt()
    };
    vec![
        race(
            "address_swapped_while_it_is_read",
            r#"
            import mmap
            memory = mmap.mmap(-1, 4096)
            place = ctypes.addressof(ctypes.c_char.from_buffer(memory))
            def swap():
                for path in (own, host): memory[0:110] = address(path)
            memory[0:110] = address(own)
            swapping(swap)
            for _ in range(tries):
                caller = socket.socket(socket.AF_UNIX)
                try: call("connect", caller.fileno(), place, 110)
                except OSError: pass
                made += look(caller); caller.close()
            blocked("never" if made else "nothing was connected")"#,
        ),
        race(
            "descriptor_swapped_for_an_internet_socket",
            r#"
            import mmap, threading
            memory = mmap.mmap(-1, 4096)
            place = ctypes.addressof(ctypes.c_char.from_buffer(memory))
            served = socket.create_server(("127.0.0.1", 0)); served.setblocking(False)
            there = struct.pack("!H", served.getsockname()[1]) + socket.inet_aton("127.0.0.1")
            there = (struct.pack("H", 2) + there).ljust(110, b"\0")
            def swap():
                memory[0:110] = there; memory[0:110] = address(host)
            swapping(swap)
            number, going, pair = os.open("/dev/null", O_RDONLY), True, []
            def exchange():
                while going:
                    for one in list(pair):
                        try: os.dup2(one, number)
                        except OSError: pass
            thread = threading.Thread(target=exchange); thread.start()
            # One of them is connected for each try, so that a third of the tries is enough.
            for _ in range(tries // 3):
                callers = [socket.socket(socket.AF_UNIX), socket.socket(socket.AF_INET)]
                pair[:] = [it.fileno() for it in callers]
                os.dup2(pair[1], number)
                for length in (16, 110, 110):
                    try: call("connect", number, place, length)
                    except OSError: pass
                made += look(callers[0])
                try: callers[1].getpeername(); served.accept()[0].close(); made += 1
                except OSError: pass
                pair[:] = []
                for it in callers: it.close()
            going = False; thread.join()
            blocked("never" if made else "nothing was connected")"#,
        ),
        race(
            "link_swapped",
            r#"
            link, spare = W + "/link", W + "/spare"
            os.symlink(own, link)
            def swap():
                for path in (host, own): os.symlink(path, spare); os.rename(spare, link)
            swapping(swap)
            for _ in range(tries):
                caller = socket.socket(socket.AF_UNIX)
                try: caller.connect(link)
                except OSError: pass
                made += look(caller); caller.close()
            blocked("never" if made else "nothing was connected")"#,
        ),
    ]
}

/// A socket of the host where one of the run's own was.
fn in_its_place() -> Vec<Case> {
    vec![
        Case::python_after(
            CLASS,
            "file_in_the_place_of_its_own",
            OWN,
            r#"
            # The run made a socket by this name, and it is known by it.
            first(lambda: os.link(host, W + "/another"), lambda: os.rename(host, W + "/another"))
            os.rename(W + "/another", own)
            caller = socket.socket(socket.AF_UNIX); caller.connect(own)
            reached(caller.getpeername())"#,
        )
        .prepare(|scene| listen(scene, Where::Workspace))
        .felt(),
        python(
            "number_of_a_file_used_again",
            r#"
            # A socket of the host gets the number that one of the run's own had.
            for _ in range(200):
                server = socket.socket(socket.AF_UNIX)
                server.bind(W + "/own"); server.listen()
                socket.socket(socket.AF_UNIX).connect(W + "/own")
                server.close(); os.unlink(W + "/own"); os.mkdir(W + "/go")
                while not os.path.exists(W + "/made"): time.sleep(0.0005)
                try: socket.socket(socket.AF_UNIX).connect(W + "/again")
                except OSError: pass
                else: time.sleep(0.05); reached()
                os.rmdir(W + "/made")
            blocked("never")"#,
        )
        .helper(
            Place::Host,
            r#"
            import select
            os.umask(0); print("ready", flush=True)
            server = None
            while not select.select([sys.stdin], [], [], 0.0005)[0]:
                if server:
                    try: server.accept(); disturbed("called")
                    except BlockingIOError: pass
                if os.path.exists(W + "/go"):
                    if server: server.close(); os.unlink(W + "/again")
                    server = socket.socket(socket.AF_UNIX); server.bind(W + "/again")
                    server.setblocking(False); server.listen(); os.chmod(W + "/again", 0o777)
                    os.rmdir(W + "/go"); os.mkdir(W + "/made")"#,
        )
        .felt(),
    ]
}
