//! From one run to another of the same room, and from one room to another.

use crate::case::{Case, Place};
use crate::judge::sentence;
use crate::owner::Owner;
use crate::process::{Ground, Helper, perform};
use crate::room;
use crate::scene::Scene;

const CLASS: &str = "crossing";

/// Another run, which does nothing.
const BYSTANDER: &str = "ready()";

fn between_runs(name: &'static str, code: &'static str) -> Case {
    Case::python(CLASS, name, code).helper(Place::SameRoom, BYSTANDER)
}

fn between_rooms(name: &'static str, code: &'static str, helper: &'static str) -> Case {
    Case::python(CLASS, name, code).helper(Place::OtherRoom, helper)
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = runs();
    cases.extend(rooms());
    cases.extend(rights());
    cases
}

fn runs() -> Vec<Case> {
    vec![
        between_runs("run_seen", r#"find_process(E["LABEL"])"#),
        between_runs("run_killed", r#"os.kill(find_process(E["LABEL"]), 9)"#).felt(),
        between_runs(
            "run_killed_with_all_others",
            r#"
            if len(others()) > 6: reached("too many are visible to try")
            try: os.kill(-1, 9)
            except OSError: pass
            blocked("killed all that was there")"#,
        )
        .may_be_killed(),
        between_runs(
            "environment_of_a_run",
            r#"
            expect_secret(read(f"/proc/{find_process(E['LABEL'])}/environ"))"#,
        ),
        between_runs(
            "directory_of_a_run",
            r#"
            os.listdir(f"/proc/{find_process(E['LABEL'])}/cwd/")"#,
        ),
        between_runs(
            "run_traced",
            r#"
            call("ptrace", 0x4206, find_process(E["LABEL"]), 0, 0)"#,
        ),
        between_runs(
            "descriptors_of_a_run",
            r#"
            os.listdir(f"/proc/{find_process(E['LABEL'])}/fd")"#,
        ),
    ]
}

fn rooms() -> Vec<Case> {
    vec![
        between_rooms("room_seen", r#"find_process(E["LABEL"])"#, BYSTANDER),
        between_rooms("run_of_a_room_killed", r#"os.kill(find_process(E["LABEL"]), 9)"#, BYSTANDER)
            .felt(),
        between_rooms("temporary_file", r#"expect_secret(read("/tmp/" + E["MARKER"]))"#, r#"
            write("/tmp/" + E["MARKER"], E["SECRET"].encode(), O_WRONLY | os.O_CREAT)
            ready(); os.unlink("/tmp/" + E["MARKER"])"#),
        between_rooms("temporary_file_replaced", r#"
            write("/tmp/" + E["MARKER"], b"evil", O_WRONLY | os.O_CREAT | os.O_TRUNC)"#, r#"
            path = "/tmp/" + E["MARKER"]
            write(path, b"good", O_WRONLY | os.O_CREAT); ready()
            content = read(path); os.unlink(path)
            if content != b"good": disturbed("another room wrote")"#)
            .felt_only(),
        between_rooms("shared_memory_file", r#"expect_secret(read("/dev/shm/" + E["MARKER"]))"#, r#"
            write("/dev/shm/" + E["MARKER"], E["SECRET"].encode(), O_WRONLY | os.O_CREAT)
            ready(); os.unlink("/dev/shm/" + E["MARKER"])"#),
        between_rooms("shared_memory_segment", r#"
            buffer = call("shmat", int(E["SEGMENT"]), 0, 0o10000)
            expect_secret(ctypes.string_at(buffer, 64))"#, r#"
            # A few, so that the number is not one that the other room has by chance.
            spare = [call("shmget", 0, 4096, 0o1666) for _ in range(3)]
            number = call("shmget", 0, 4096, 0o1666)
            libc.shmat.restype = ctypes.c_void_p
            ctypes.memmove(libc.shmat(number, None, 0), E["SECRET"].encode(), len(E["SECRET"]))
            say(SEGMENT=number); ready()
            for it in spare + [number]: call("shmctl", it, 0, 0)"#),
        between_rooms("shared_memory_by_key", r#"
            call("shmget", int(E["KEY"]), 0, 0)"#, r#"
            key = 0x42000000 | os.getpid() & 0xffff
            number = call("shmget", key, 4096, 0o1666)
            say(KEY=key); ready(); call("shmctl", number, 0, 0)"#),
        between_rooms("semaphores_by_key", r#"
            call("semget", int(E["KEY"]), 0, 0)"#, r#"
            key = 0x42000000 | os.getpid() & 0xffff
            number = call("semget", key, 1, 0o1666)
            say(KEY=key); ready(); call("semctl", number, 0, 0, 0)"#),
        between_rooms("messages_by_key", r#"
            call("msgget", int(E["KEY"]), 0)"#, r#"
            key = 0x42000000 | os.getpid() & 0xffff
            number = call("msgget", key, 0o1666)
            say(KEY=key); ready(); call("msgctl", number, 0, 0)"#),
        between_rooms("listener", r#"
            socket.create_connection(("127.0.0.1", int(E["PORT"])), 5); time.sleep(0.1)"#, r#"
            server = socket.create_server(("127.0.0.1", 0)); server.setblocking(False)
            say(PORT=server.getsockname()[1]); ready()
            try: server.accept(); disturbed("somebody called")
            except BlockingIOError: pass"#)
            .felt(),
        between_rooms("listener_for_messages", r#"
            caller = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            caller.sendto(b"x", ("127.0.0.1", int(E["PORT"]))); time.sleep(0.1)"#, r#"
            server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            server.bind(("127.0.0.1", 0)); server.setblocking(False)
            say(PORT=server.getsockname()[1]); ready()
            try: server.recv(9); disturbed("somebody wrote")
            except BlockingIOError: pass"#)
            .felt_only(),
        between_rooms("scratch_of_a_room", r#"
            top = "/run/bashful"
            found = [os.path.join(it, name) for it, _, names in os.walk(top) for name in names]
            if not any(E["SECRET"].encode() in read(it) for it in found): blocked("nothing of the other")"#,
            BYSTANDER)
            .control(crate::case::Control::Never("the host has no scratch directory")),
    ]
}

/// A run that listens where all runs of its room come.
const LISTENER: &str = r#"
    path = "/tmp/" + E["MARKER"]
    servers = [socket.socket(socket.AF_UNIX) for _ in range(2)]
    servers[0].bind(path); os.chmod(path, 0o777); servers[1].bind("\0" + E["MARKER"])
    for server in servers: server.listen(); server.setblocking(False)
    ready(); os.unlink(path)
    for server in servers:
        try: server.accept(); disturbed("somebody called")
        except BlockingIOError: pass"#;

/// Runs of one room with different rights: what a yes opened for one must not be handed to another, and
/// a connection carries open files.
fn rights() -> Vec<Case> {
    let by_path = r#"
        socket.socket(socket.AF_UNIX).connect("/tmp/" + E["MARKER"])"#;
    let by_name = r#"
        socket.socket(socket.AF_UNIX).connect("\0" + E["MARKER"])"#;
    let same_path = r#"
        # It makes one of its own by the same name, before and after.
        path = "/tmp/" + E["MARKER"]
        if "CONTROL" not in E: os.rename(path, path + "-theirs")
        try:
            server = socket.socket(socket.AF_UNIX); server.bind(path); server.listen()
        except OSError: pass
        if "CONTROL" not in E: os.unlink(path); os.rename(path + "-theirs", path)
        socket.socket(socket.AF_UNIX).connect(path)"#;
    let case = |name, code, attack| {
        Case::python(CLASS, name, code)
            .helper(Place::SameRoom, LISTENER)
            .felt()
            .attack(attack)
    };
    vec![
        case("socket_of_a_run_with_fewer_rights", by_path, from_wider),
        case("socket_of_a_run_with_more_rights", by_path, from_narrower),
        case("name_of_a_run_with_fewer_rights", by_name, from_wider),
        case("name_of_a_run_with_more_rights", by_name, from_narrower),
        case("socket_put_where_its_own_was", same_path, from_narrower),
    ]
}

fn from_wider(case: &Case, owner: Owner) -> Result<String, String> {
    between_rights(case, owner, true)
}

fn from_narrower(case: &Case, owner: Owner) -> Result<String, String> {
    between_rights(case, owner, false)
}

/// The helper listens with one set of rights, and the act calls with another.
fn between_rights(case: &Case, owner: Owner, act_is_wider: bool) -> Result<String, String> {
    let mut scene = Scene::new(owner);
    scene.set();
    let narrow = scene.profile();
    let mut wide = scene.profile();
    wide.read.push(scene.host.clone());
    let (first, second) = if act_is_wider {
        (narrow, wide)
    } else {
        (wide, narrow)
    };
    let mut room = room::open(&first)?;
    // While the helper is attended to by a thread, no other tree can be built.
    let plan = room::plan(&second)?;
    let built = room.build_for(&plan);
    built.map_err(|error| error.to_string())?;
    let (_, listener) = case.helper.ok_or("no helper")?;
    let helper = Helper::start(listener, &mut scene, &mut Ground::Room(&mut room))?;
    let ended = perform(case.act, &mut scene, &mut Ground::RoomBy(&mut room, plan))?;
    let mut felt = scene.felt();
    felt.extend(helper.finish()?);
    sentence(case, &ended, felt)
}
