//! From one run to another of the same room, and from one room to another.

use crate::case::{Case, Place};

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
