//! Taking more than was granted, always within bounds that the host can bear.

use bashful_sandbox::Resources;

use crate::case::{Case, Control};

const CLASS: &str = "exhaustion";

const MEBIBYTE: u64 = 1 << 20;

fn python(name: &'static str, code: &'static str) -> Case {
    Case::python(CLASS, name, code)
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = processes();
    cases.extend(memory());
    cases.extend(files_in_memory());
    cases.extend(files());
    cases
}

fn processes() -> Vec<Case> {
    let limited = |name, code| {
        python(name, code).profile(|profile, _| {
            profile.resources = Resources {
                processes: Some(40),
                ..Resources::default()
            };
        })
    };
    vec![
        limited(
            "processes",
            r#"
            children = []
            try:
                while len(children) < 150:
                    child = os.fork()
                    if child == 0: time.sleep(30); os._exit(0)
                    children.append(child)
            except OSError: pass
            for child in children: os.kill(child, 9)
            if len(children) < 150: blocked(f"a limit below {50 if len(children) < 50 else 150}")"#,
        ),
        limited(
            "threads",
            r#"
            import threading
            count, end = 0, threading.Event()
            threading.stack_size(65536)
            try:
                while count < 150:
                    threading.Thread(target=end.wait, daemon=True).start(); count += 1
            except RuntimeError: pass
            end.set()
            if count < 150: blocked("a limit")"#,
        ),
        limited(
            "fork_bomb",
            r#"
            # Two levels deep, at most 12 times 12: bounded even where nothing holds it.
            def grow(depth):
                for _ in range(12):
                    try: child = os.fork()
                    except OSError: return
                    if child == 0:
                        if depth: grow(depth - 1)
                        time.sleep(1.5); os._exit(0)
            ours, theirs = os.pipe()
            leader = os.fork()
            if leader == 0:
                os.setpgid(0, 0); os.close(ours); grow(1); time.sleep(1.5); os._exit(0)
            os.close(theirs); time.sleep(0.8)
            numbers = [it for it in os.listdir("/proc") if it.isdigit()]
            groups = [it for it in numbers if os.path.exists(f"/proc/{it}/stat")]
            mine = 0
            for it in groups:
                try: mine += int(read(f"/proc/{it}/stat").rsplit(b")")[-1].split()[2]) == leader
                except OSError: pass
            os.killpg(leader, 9)
            if mine < 100: blocked(f"a limit")"#,
        ),
        python(
            "processor_time",
            r#"
            until = time.monotonic() + 40
            while time.process_time() < 3 and time.monotonic() < until: pass
            if time.process_time() < 3: blocked("slowed down")"#,
        )
        .profile(|profile, _| profile.resources.cpu_time_ms = Some(1000))
        .may_be_killed(),
    ]
}

fn memory() -> Vec<Case> {
    let limited = |name, code| {
        python(name, code)
            .profile(|profile, _| profile.resources.memory = Some(96 * MEBIBYTE))
            .may_be_killed()
    };
    vec![
        limited(
            "memory_of_one_process",
            r#"
            def act():
                try: block = bytearray(300 << 20)
                except MemoryError: raise OSError(errno.ENOMEM, "no memory")
                for offset in range(0, len(block), 4096): block[offset] = 1
            in_child(act)"#,
        )
        .root_only(),
        limited(
            "memory_of_many_processes",
            r#"
            ours, theirs = os.pipe()
            for _ in range(8):
                if os.fork() == 0:
                    try: block = b"x" * (40 << 20)
                    except MemoryError: os._exit(1)
                    os.write(theirs, b"x"); time.sleep(3); os._exit(0)
            os.close(theirs)
            count = 0
            while os.read(ours, 1): count += 1
            if count < 8: blocked("some got none")"#,
        )
        .root_only(),
        limited(
            "memory_of_a_nameless_file",
            r#"
            fd = call("memfd_create", text("x"), 0)
            block = bytes(1 << 20)
            def act():
                for _ in range(300): os.write(fd, block)
            in_child(act)"#,
        )
        .root_only(),
    ]
}

/// Files in memory are memory: with a limit of that they are bounded with or without a control
/// group, in sum and by their names.
fn files_in_memory() -> Vec<Case> {
    let limited = |name, code| {
        python(name, code)
            .profile(|profile, _| {
                profile.resources.memory = Some(96 * MEBIBYTE);
                profile.resources.tmp_size = Some(512 * MEBIBYTE);
            })
            .may_be_killed()
    };
    vec![
        limited(
            "memory_of_temporary_files",
            r#"
            path = "/tmp/" + E["MARKER"]
            block = bytes(1 << 20)
            def act():
                fd = os.open(path, O_WRONLY | os.O_CREAT)
                for _ in range(120): os.write(fd, block)
                if os.fstat(fd).st_size < 120 << 20: raise OSError(errno.ENOSPC, "cut off")
            try: in_child(act)
            finally: os.unlink(path)"#,
        ),
        limited(
            "memory_of_files_in_two_places",
            r#"
            paths = ["/tmp/" + E["MARKER"], "/dev/shm/" + E["MARKER"]]
            block = bytes(1 << 20)
            def act():
                for path in paths:
                    fd = os.open(path, O_WRONLY | os.O_CREAT)
                    for _ in range(60): os.write(fd, block)
                    if os.fstat(fd).st_size < 60 << 20: raise OSError(errno.ENOSPC, "cut off")
            try: in_child(act)
            finally:
                for path in paths:
                    if os.path.exists(path): os.unlink(path)"#,
        ),
        limited(
            "memory_of_names",
            r#"
            import shutil
            tops = ["/tmp/" + E["MARKER"], "/dev/shm/" + E["MARKER"]]
            for top in tops: os.mkdir(top)
            def act():
                for top in tops:
                    for number in range(30000): os.close(os.open(f"{top}/{number}", O_WRONLY | os.O_CREAT))
            try: in_child(act)
            finally:
                for top in tops: shutil.rmtree(top)"#,
        )
        .profile(|profile, _| {
            profile.resources.memory = Some(40 * MEBIBYTE);
            profile.resources.tmp_size = Some(512 * MEBIBYTE);
        }),
        limited(
            "memory_of_segments",
            r#"
            segments = []
            def act():
                for _ in range(6):
                    segments.append(call("shmget", 0, 20 << 20, 0o1600))
                    libc.shmat.restype = ctypes.c_void_p
                    at = libc.shmat(segments[-1], None, 0)
                    ctypes.memset(at, 1, 20 << 20)
                    libc.shmdt(ctypes.c_void_p(at))
                for segment in segments: libc.shmctl(segment, 0, None)
            in_child(act)"#,
        ),
    ]
}

fn files() -> Vec<Case> {
    let small_tmp = |name, code| {
        python(name, code).profile(|profile, _| profile.resources.tmp_size = Some(8 * MEBIBYTE))
    };
    let small_files = |name, code| {
        python(name, code).profile(|profile, _| profile.resources.file_size = Some(MEBIBYTE))
    };
    vec![
        small_tmp(
            "temporary_bytes",
            r#"
            path = "/tmp/" + E["MARKER"]
            try: write(path, bytes(24 << 20), O_WRONLY | os.O_CREAT); size = os.stat(path).st_size
            finally: os.unlink(path)
            if size < 24 << 20: blocked("a limit")"#,
        ),
        small_tmp(
            "shared_memory_bytes",
            r#"
            path = "/dev/shm/" + E["MARKER"]
            try: write(path, bytes(24 << 20), O_WRONLY | os.O_CREAT); size = os.stat(path).st_size
            finally: os.unlink(path)
            if size < 24 << 20: blocked("a limit")"#,
        ),
        small_tmp(
            "temporary_files",
            r#"
            top = "/tmp/" + E["MARKER"]
            os.mkdir(top)
            try:
                for number in range(5000): os.close(os.open(f"{top}/{number}", O_WRONLY | os.O_CREAT))
            finally:
                import shutil
                shutil.rmtree(top)"#,
        ),
        small_files(
            "large_file",
            r#"
            write(W + "/x", bytes(4 << 20), O_WRONLY | os.O_CREAT)
            if os.stat(W + "/x").st_size < 4 << 20: blocked("cut off")"#,
        ),
        small_files(
            "large_file_by_truncation",
            r#"
            open(W + "/x", "w").close(); os.truncate(W + "/x", 4 << 20)"#,
        ),
        small_files(
            "large_file_by_allocation",
            r#"
            fd = os.open(W + "/x", O_RDWR | os.O_CREAT)
            call("fallocate", fd, 0, 0, 4 << 20)"#,
        )
        .may_lack("a file system without it", &["ENOTSUP", "EOPNOTSUPP"]),
        small_files(
            "large_file_after_raising_the_limit",
            r#"
            set_limit("RLIMIT_FSIZE", 8 << 20)
            write(W + "/x", bytes(4 << 20), O_WRONLY | os.O_CREAT)"#,
        ),
        python(
            "open_files",
            r#"
            held = [os.open("/dev/null", O_RDONLY) for _ in range(200)]"#,
        )
        .profile(|profile, _| profile.resources.open_files = Some(64)),
        python(
            "open_files_after_raising_the_limit",
            r#"
            set_limit("RLIMIT_NOFILE", 300)
            held = [os.open("/dev/null", O_RDONLY) for _ in range(200)]"#,
        )
        .profile(|profile, _| profile.resources.open_files = Some(64)),
        python(
            "locked_memory",
            r#"
            import mmap
            area = mmap.mmap(-1, 64 << 20)
            address = ctypes.addressof(ctypes.c_char.from_buffer(area))
            if libc.mlock(ctypes.c_void_p(address), ctypes.c_size_t(64 << 20)):
                raise OSError(ctypes.get_errno(), "refused")"#,
        )
        .control(Control::Root("an ordinary user may lock little")),
    ]
}
