//! Other processes: their memory, their environment, their files, their lives; and what
//! processes share: memory segments, queues, keys.

use crate::case::{Case, Control, Place};

const CLASS: &str = "processes";

/// A process of the host that does nothing.
const BYSTANDER: &str = "ready()";

/// The same, which lets itself be traced.
const TRACEABLE: &str = r#"
    libc.prctl(0x59616d61, ctypes.c_ulong(-1 & 0xffffffffffffffff), 0, 0, 0)
    ready()"#;

fn python(name: &'static str, code: &'static str) -> Case {
    Case::python(CLASS, name, code)
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = of_the_host();
    cases.extend(tracing());
    cases.extend(shared_objects());
    cases
}

fn of_the_host() -> Vec<Case> {
    vec![
        python("see_the_helper", r#"find_process(E["LABEL"])"#).helper(Place::Host, BYSTANDER),
        python("read_its_memory", r#"
            fd = os.open(f"/proc/{E['HELPER']}/mem", O_RDONLY)
            expect_secret(os.pread(fd, 64, int(E["ADDRESS"])))"#)
            .helper(Place::Host, r#"
                buffer = ctypes.create_string_buffer(E["SECRET"].encode(), 64)
                libc.prctl(0x59616d61, ctypes.c_ulong(-1 & 0xffffffffffffffff), 0, 0, 0)
                say(ADDRESS=ctypes.addressof(buffer)); ready()"#),
        python("read_its_memory_by_call", r#"
            buffer = ctypes.create_string_buffer(64)
            here = struct.pack("QQ", ctypes.addressof(buffer), 64)
            there = struct.pack("QQ", int(E["ADDRESS"]), 64)
            call("process_vm_readv", int(E["HELPER"]), here, 1, there, 1, 0)
            expect_secret(buffer.raw)"#)
            .helper(Place::Host, r#"
                buffer = ctypes.create_string_buffer(E["SECRET"].encode(), 64)
                libc.prctl(0x59616d61, ctypes.c_ulong(-1 & 0xffffffffffffffff), 0, 0, 0)
                say(ADDRESS=ctypes.addressof(buffer)); ready()"#),
        python("read_any_environment", r#"
            # The suite itself has the variable; the name is split to keep it out of this text.
            name, seen = ("BASHFUL_ESCAPE" + "_SECRET=").encode(), False
            for number in others():
                try: seen = seen or name in read(f"/proc/{number}/environ")
                except OSError: pass
            if not seen: blocked("in no environment")"#),
        python("read_environment_of_init", r#"
            if not read(f"/proc/{init()}/environ"): blocked("empty")"#)
            .helper(Place::Host, BYSTANDER),
        python("memory_of_init", r#"
            fd = os.open(f"/proc/{init()}/mem", O_RDONLY)
            start = int(read(f"/proc/{init()}/maps").split(b"-")[0], 16)
            if not os.pread(fd, 8, start): blocked("nothing")"#)
            .helper(Place::Host, BYSTANDER),
        python("descriptors_of_init", r#"
            numbers = os.listdir(f"/proc/{init()}/fd")
            for number in numbers:
                os.stat(f"/proc/{init()}/fd/{number}")
            if not numbers: blocked("none")"#)
            .helper(Place::Host, BYSTANDER),
        python("root_of_init", r#"expect_secret(read(f"/proc/{init()}/root" + E["HOST"] + "/file"))"#)
            .helper(Place::Host, BYSTANDER),
        python("directory_of_init", r#"
            expect_secret(read(f"/proc/{init()}/cwd/" + "../" * 30 + E["HOST"] + "/file"))"#)
            .helper(Place::Host, BYSTANDER),
        python("root_of_any_other", r#"
            attempts = [lambda it=it: expect_secret(read(f"/proc/{it}/root{E['HOST']}/file")) for it in others()]
            if not attempts: blocked("alone")
            first(*attempts)"#).helper(Place::Host, BYSTANDER),
        python("root_of_a_thread", r#"
            expect_secret(read(f"/proc/self/task/{os.getpid()}/root{E['HOST']}/file"))"#),
        python("mapped_files_of_another", r#"
            os.readlink(f"/proc/{E['HELPER']}/exe")"#).helper(Place::Host, BYSTANDER),
        python("kill_by_number", r#"
            os.kill(int(E["HELPER"]), 9)"#).helper(Place::Host, BYSTANDER).felt(),
        python("kill_by_pidfd", r#"
            fd = call("pidfd_open", int(E["HELPER"]), 0)
            call("pidfd_send_signal", fd, 9, 0, 0)"#).helper(Place::Host, BYSTANDER).felt(),
        python("kill_every_number", r#"
            # One by one, as a broadcast would end the control's own session.
            try: os.kill(int(E["HELPER"]), 0); reached("the helper can be signalled")
            except OSError: pass
            for number in range(2, 70000):
                if number != os.getpid():
                    try: os.kill(number, 9)
                    except OSError: pass
            blocked("killed all that was there")"#)
            .helper(Place::Host, BYSTANDER)
            .control(Control::Never("would end every process of the host")),
        python("kill_everything_at_once", r#"
            if len(others()) > 6: reached("too many are visible to try")
            try: os.kill(-1, 9)
            except OSError: pass
            blocked("killed all that was there")"#)
            .helper(Place::Host, BYSTANDER)
            .may_be_killed()
            .control(Control::Never("would end every process of the host")),
        python("stop_the_parent", r#"
            parent = os.getppid()
            if parent == 0: blocked("no parent is visible")
            if parent == 1:
                # Signals from inside do nothing to the first process of a namespace.
                os.kill(1, signal.SIGSTOP); os.kill(1, 9)
                time.sleep(0.2)
                if b"State:\tT" not in read("/proc/1/status"): blocked("init goes on")
            os.kill(parent, 0)"#),
        python("change_limits_of_another", r#"
            import resource
            resource.prlimit(int(E["HELPER"]), resource.RLIMIT_NOFILE)"#)
            .helper(Place::Host, BYSTANDER),
        python("schedule_another", r#"
            os.setpriority(os.PRIO_PROCESS, int(E["HELPER"]), 19)"#).helper(Place::Host, BYSTANDER),
        python("attach_to_another", r#"
            call("ptrace", 0x4206, int(E["HELPER"]), 0, 0)"#)
            .helper(Place::Host, r#"
                libc.prctl(0x59616d61, ctypes.c_ulong(-1 & 0xffffffffffffffff), 0, 0, 0)
                ready()"#),
    ]
}

/// A run may trace what is its own, and the first process is not.
fn tracing() -> Vec<Case> {
    vec![
        python(
            "attach_to_init",
            r#"
            first(lambda: call("ptrace", 0x4206, int(init()), 0, 0),
                  lambda: call("ptrace", 16, int(init()), 0, 0))"#,
        )
        .helper(Place::Host, TRACEABLE),
        python(
            "memory_of_init_by_call",
            r#"
            buffer = ctypes.create_string_buffer(8)
            here = struct.pack("QQ", ctypes.addressof(buffer), 8)
            # The code of a program without a fixed place is near the one of this program.
            there = struct.pack("QQ", int(E["ADDRESS"], 0) if "CONTROL" in E else 0x400000, 8)
            call("process_vm_readv", int(init()), here, 1, there, 1, 0)"#,
        )
        .helper(
            Place::Host,
            r#"
                buffer = ctypes.create_string_buffer(8)
                libc.prctl(0x59616d61, ctypes.c_ulong(-1 & 0xffffffffffffffff), 0, 0, 0)
                say(ADDRESS=ctypes.addressof(buffer)); ready()"#,
        ),
        python(
            "attach_to_all_others",
            r#"
            # All that is seen is ours, or is the first process.
            found = others()
            if "CONTROL" in E: found = [int(init())]
            for number in found:
                try: call("ptrace", 0x4206, number, 0, 0)
                except OSError: continue
                reached(str(number))
            blocked("none of them")"#,
        )
        .helper(Place::Host, TRACEABLE),
    ]
}

fn shared_objects() -> Vec<Case> {
    vec![
        python("shared_memory_segment", r#"
            buffer = call("shmat", int(E["SEGMENT"]), 0, 0o10000)
            expect_secret(ctypes.string_at(buffer, 64))"#)
            .helper(Place::Host, r#"
                number = call("shmget", 0, 4096, 0o1666)
                libc.shmat.restype = ctypes.c_void_p
                address = libc.shmat(number, None, 0)
                ctypes.memmove(address, E["SECRET"].encode(), len(E["SECRET"]))
                say(SEGMENT=number); ready()
                call("shmctl", number, 0, 0)"#),
        python("list_of_segments", r#"
            if E["SEGMENT"] not in read("/proc/sysvipc/shm").decode().split(): blocked("not listed")"#)
            .helper(Place::Host, r#"
                number = call("shmget", 0, 4096, 0o1666)
                say(SEGMENT=number); ready()
                call("shmctl", number, 0, 0)"#),
        python("semaphore_set", r#"
            call("semctl", int(E["SET"]), 0, 12, 0)"#)
            .helper(Place::Host, r#"
                number = call("semget", 0, 1, 0o1666)
                say(SET=number); ready()
                call("semctl", number, 0, 0, 0)"#),
        python("message_queue", r#"
            call("msgctl", int(E["QUEUE"]), 0, 0)"#)
            .helper(Place::Host, r#"
                number = call("msgget", 0, 0o1666)
                say(QUEUE=number); ready()
                try: call("msgctl", number, 0, 0)
                except OSError: disturbed("the queue is gone")"#)
            .felt(),
        python("posix_message_queue", r#"
            queue = call("mq_open", text(E["MARKER"]), O_RDONLY | os.O_NONBLOCK, 0, 0)
            buffer = ctypes.create_string_buffer(8192)
            call("mq_timedreceive", queue, buffer, 8192, 0, 0)
            expect_secret(buffer.raw)"#)
            .helper(Place::Host, r#"
                os.umask(0)
                queue = call("mq_open", text(E["MARKER"]), os.O_RDWR | os.O_CREAT, 0o666, 0)
                call("mq_timedsend", queue, text(E["SECRET"]), len(E["SECRET"]), 0, 0)
                ready()
                call("mq_unlink", text(E["MARKER"]))"#),
        python("posix_shared_memory", r#"
            expect_secret(read("/dev/shm/" + E["MARKER"]))"#)
            .helper(Place::Host, r#"
                path = "/dev/shm/" + E["MARKER"]
                with open(path, "w") as file: file.write(E["SECRET"])
                os.chmod(path, 0o666); ready()
                os.unlink(path)"#),
        python("temporary_file_of_the_host", r#"
            expect_secret(read("/tmp/" + E["MARKER"]))"#)
            .helper(Place::Host, r#"
                path = "/tmp/" + E["MARKER"]
                with open(path, "w") as file: file.write(E["SECRET"])
                os.chmod(path, 0o666); ready()
                os.unlink(path)"#),
        python("key_of_the_user", r#"
            key = call("keyctl", 10, -4, text("user"), text(E["MARKER"]), 0)
            buffer = ctypes.create_string_buffer(256)
            call("keyctl", 11, key, buffer, 256)
            expect_secret(buffer.raw)"#)
            .helper(Place::Host, r#"
                secret = E["SECRET"].encode()
                key = call("add_key", text("user"), text(E["MARKER"]), secret, len(secret), -4)
                call("keyctl", 5, key, 0x3f3f3f3f)
                say(KEY=key); ready()
                call("keyctl", 9, key, -4)"#),
        python("key_by_number", r#"
            buffer = ctypes.create_string_buffer(256)
            call("keyctl", 11, int(E["KEY"]), buffer, 256)
            expect_secret(buffer.raw)"#)
            .helper(Place::Host, r#"
                secret = E["SECRET"].encode()
                key = call("add_key", text("user"), text(E["MARKER"]), secret, len(secret), -4)
                call("keyctl", 5, key, 0x3f3f3f3f)
                say(KEY=key); ready()
                call("keyctl", 9, key, -4)"#),
        python("key_requested", r#"
            call("request_key", text("user"), text(E["MARKER"]), 0, -2)"#)
            .helper(Place::Host, r#"
                secret = E["SECRET"].encode()
                key = call("add_key", text("user"), text(E["MARKER"]), secret, len(secret), -4)
                call("keyctl", 5, key, 0x3f3f3f3f)
                say(KEY=key); ready()
                call("keyctl", 9, key, -4)"#),
        python("list_of_keys", r#"
            if E["MARKER"].encode() not in read("/proc/keys"): blocked("not listed")"#)
            .helper(Place::Host, r#"
                key = call("add_key", text("user"), text(E["MARKER"]), b"x", 1, -4)
                ready()
                call("keyctl", 9, key, -4)"#),
    ]
}
