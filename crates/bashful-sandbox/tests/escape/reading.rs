//! Reading what was not granted: by other names, by links, by descriptors, by handles.

use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;

use rustix::fs::{Mode, OFlags};
use rustix::io::FdFlags;

use crate::case::{Case, Control, Place};
use crate::scene::Scene;

const CLASS: &str = "reading";

fn python(name: &'static str, code: &'static str) -> Case {
    Case::python(CLASS, name, code)
}

/// Opens a file of the host so that every process we start inherits it.
fn leak(scene: &mut Scene, path: &std::path::Path, flags: OFlags) -> OwnedFd {
    let fd = rustix::fs::open(path, flags, Mode::empty()).unwrap();
    // Far above what a spawn uses for itself.
    let fd = rustix::io::fcntl_dupfd_cloexec(&fd, 200).unwrap();
    rustix::io::fcntl_setfd(&fd, FdFlags::empty()).unwrap();
    scene.tell("LEAK", std::os::fd::AsRawFd::as_raw_fd(&fd));
    fd
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = plain();
    cases.extend(by_links());
    cases.extend(by_descriptors());
    cases
}

fn plain() -> Vec<Case> {
    vec![
        python("undeclared_file", r#"expect_secret(read(E["HOST"] + "/file"))"#),
        python("undeclared_directory_listed", r#"
            if "file" not in os.listdir(E["HOST"]): blocked("not listed")"#),
        python("home_is_empty", r#"expect_secret(read(E["HOME"] + "/file"))"#),
        python("by_dots", r#"expect_secret(read(W + "/../host/file"))"#),
        python("by_many_dots", r#"
            expect_secret(read("../" * 60 + E["HOST"].lstrip("/") + "/file"))"#),
        python("by_proc_self_root", r#"expect_secret(read("/proc/self/root" + E["HOST"] + "/file"))"#),
        python("by_proc_self_cwd", r#"expect_secret(read("/proc/self/cwd/../host/file"))"#),
        python("by_slashes_and_dots", r#"
            expect_secret(read("//" + E["HOST"].replace("/", "/./") + "//file"))"#),
        python("hidden_file_in_the_workspace", r#"expect_secret(read(W + "/hidden/key"))"#)
            .prepare(|scene| scene.file(&scene.workspace.join("hidden/key"), &scene.secret))
            .profile(|profile, scene| profile.hide.push(scene.workspace.join("hidden/key"))),
        python("hidden_directory_in_a_read_root", r#"
            expect_secret(read(E["SHARED"] + "/../shared/hidden/./key"))"#)
            .prepare(|scene| scene.file(&scene.shared.join("hidden/key"), &scene.secret))
            .profile(|profile, scene| profile.hide.push(scene.shared.join("hidden"))),
        python("hidden_file_by_another_link", r#"expect_secret(read(W + "/innocent"))"#)
            .prepare(|scene| {
                let key = scene.workspace.join("hidden/key");
                scene.file(&key, &scene.secret);
                std::fs::hard_link(&key, scene.workspace.join("innocent")).unwrap();
            })
            .profile(|profile, scene| profile.hide.push(scene.workspace.join("hidden/key"))),
        python("hidden_file_after_a_rename", r#"
            os.rename(W + "/hidden", W + "/moved")
            expect_secret(read(W + "/moved/key"))"#)
            .prepare(|scene| scene.file(&scene.workspace.join("hidden/key"), &scene.secret))
            .profile(|profile, scene| profile.hide.push(scene.workspace.join("hidden/key"))),
        python("shadow", r#"
            if b"root:" not in read("/etc/shadow"): blocked("nothing in it")"#)
            .control(Control::Root("an ordinary user cannot read it anyway"))
            .may_lack("a host without it", &["ENOENT"]),
        python("private_files_of_the_system", r#"
            # Whatever only root may read: keys of services, passwords, rules.
            found = []
            for top, _, names in os.walk("/etc"):
                for name in names:
                    path = os.path.join(top, name)
                    about = os.lstat(path)
                    private = stat.S_ISREG(about.st_mode) and not about.st_mode & 0o004
                    try:
                        if private and os.stat(path).st_size and read(path): found.append(path)
                    except OSError: pass
            if not found: blocked("none can be read")
            reached(" ".join(found[:6]))"#)
            .control(Control::Root("they are for root"))
            .may_lack("a host without such files", &["none can be read"]),
        python("kernel_symbols", r#"
            lines = read("/proc/kallsyms").split(b"\n")
            if not any(it[:16].strip(b"0") for it in lines): blocked("no addresses")"#)
            .control(Control::Root("addresses are for root"))
            .may_lack("a host that tells them to no user", &["no addresses", "ENOENT"]),
        python("kernel_log", r#"
            os.close(os.open("/proc/kmsg", O_RDONLY | os.O_NONBLOCK))"#)
            .control(Control::Root("the log is for root"))
            .may_lack("a root that may not read it", &["EPERM", "EACCES", "ENOENT"]),
        python("kernel_log_by_call", r#"
            buffer = ctypes.create_string_buffer(4096)
            call("syslog", 3, buffer, 4096)"#)
            .control(Control::Root("the log is for root where it is restricted"))
            .may_lack("a root that may not read it", &["EPERM"]),
        python("kernel_memory", r#"
            if len(os.pread(os.open("/proc/kcore", O_RDONLY), 16, 0)) < 16: blocked("empty")"#)
            .control(Control::Root("kernel memory is for root"))
            .may_lack("a kernel without /proc/kcore", &["ENOENT"]),
        python("disk_and_memory_devices", r#"
            names = [it for it in os.listdir("/dev") if it.startswith(("vd", "sd", "nvme", "mem", "kmsg"))]
            if not names: blocked("no such device")
            first(*[lambda it=it: os.close(os.open("/dev/" + it, O_RDONLY)) for it in names])"#)
            .control(Control::Root("devices are for root"))
            .may_lack("a host without such devices", &["no such device"]),
        python("sysfs_of_the_host", r#"
            if not os.listdir("/sys/class") + os.listdir("/sys/kernel"): blocked("empty")"#)
            .may_lack("a host without sysfs", &["ENOENT", "empty"]),
        python("tracing_and_debugging_file_systems", r#"
            names = ["/sys/kernel/tracing", "/sys/kernel/debug", "/sys/kernel/security"]
            if not any(os.path.isdir(it) and os.listdir(it) for it in names): blocked("none is there")"#)
            .control(Control::Root("tracing is for root"))
            .may_lack("a host on which no such file system is mounted", &["none is there"]),
        python("cgroup_tree", r#"
            if not os.listdir("/sys/fs/cgroup"): blocked("empty")"#)
            .may_lack("a host without control groups", &["ENOENT", "empty"]),
        python("names_of_the_hosts_mounts", r#"
            lines = read("/proc/self/mountinfo") + read("/proc/self/mounts")
            if E["HELPER_MOUNT"].encode() not in lines: blocked("not among them")"#)
            .prepare(|scene| {
                let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
                let mut points = mounts.lines().filter_map(|line| line.split(' ').nth(1));
                let point = points.rfind(|it| it.starts_with("/sys/"));
                scene.tell("HELPER_MOUNT", point.unwrap_or("/sys"));
            }),
    ]
}

fn by_links() -> Vec<Case> {
    vec![
        python(
            "symlink_made_by_the_host",
            r#"expect_secret(read(W + "/link"))"#,
        )
        .prepare(|scene| symlink(scene.host.join("file"), scene.workspace.join("link")).unwrap()),
        python(
            "symlink_made_inside",
            r#"
            os.symlink(E["HOST"], W + "/link")
            expect_secret(read(W + "/link/file"))"#,
        ),
        python(
            "symlink_in_a_read_root",
            r#"expect_secret(read(E["SHARED"] + "/link/file"))"#,
        )
        .prepare(|scene| symlink(&scene.host, scene.shared.join("link")).unwrap()),
        python(
            "symlink_swapped_in_a_race",
            r#"
            # One process swaps a harmless directory for a link, the other reads through it.
            os.mkdir(W + "/plain"); open(W + "/plain/file", "w").close()
            os.symlink(E["HOST"], W + "/evil")
            child = os.fork()
            if child == 0:
                while True:
                    call("renameat2", -100, text(W + "/plain"), -100, text(W + "/evil"), 2)
            until, seen = time.monotonic() + 1.5, False
            while time.monotonic() < until and not seen:
                try: seen = E["SECRET"].encode() in read(W + "/plain/file")
                except OSError: pass
            os.kill(child, 9)
            if not seen: blocked("never seen")"#,
        ),
        python(
            "hard_link_to_a_hidden_file",
            r#"
            os.link(E["HOST"] + "/file", W + "/mine")
            expect_secret(read(W + "/mine"))"#,
        )
        .felt(),
        python(
            "hard_link_out_of_a_read_root",
            r#"os.link(E["SHARED"] + "/file", W + "/mine")"#,
        )
        .felt(),
    ]
}

fn by_descriptors() -> Vec<Case> {
    vec![
        python("leaked_file", r#"expect_secret(os.pread(int(E["LEAK"]), 4096, 0))"#)
            .prepare(|scene| {
                let path = scene.host.join("file");
                let fd = leak(scene, &path, OFlags::RDONLY);
                scene.leaks.push(fd);
            }),
        python("leaked_directory", r#"
            fd = os.open("file", O_RDONLY, dir_fd=int(E["LEAK"]))
            expect_secret(os.read(fd, 4096))"#)
            .prepare(|scene| {
                let path = scene.host.clone();
                let fd = leak(scene, &path, OFlags::RDONLY | OFlags::DIRECTORY);
                scene.leaks.push(fd);
            }),
        python("leaked_path_descriptor", r#"
            fd = os.open("file", O_RDONLY, dir_fd=int(E["LEAK"]))
            expect_secret(os.read(fd, 4096))"#)
            .prepare(|scene| {
                let fd = leak(scene, "/".as_ref(), OFlags::PATH);
                scene.leaks.push(fd);
                let path = scene.host.clone();
                let fd = leak(scene, &path, OFlags::PATH);
                scene.leaks.push(fd);
            }),
        python("any_descriptor_beyond_the_standard_ones", r#"
            mine = os.open("/proc/self/fd", O_RDONLY)
            extra = [it for it in os.listdir(mine) if int(it) > 2 and int(it) != mine]
            extra = [it for it in extra if os.path.lexists(f"/proc/self/fd/{it}")]
            if not extra: blocked("only the standard ones")"#)
            .prepare(|scene| {
                let fd = leak(scene, "/dev/null".as_ref(), OFlags::RDWR);
                scene.leaks.push(fd);
            }),
        python("descriptor_of_the_helper", r#"
            pidfd = call("pidfd_open", int(E["HELPER"]), 0)
            fd = call("pidfd_getfd", pidfd, int(E["FD"]), 0)
            expect_secret(os.pread(fd, 4096, 0))"#)
            .helper(Place::Host, r#"say(FD=os.open(E["HOST"] + "/file", O_RDONLY)); ready()"#),
        python("file_handle_of_the_host", r#"
            handle = bytearray.fromhex(E["HANDLE"])
            mount = os.open(W, O_RDONLY)
            buffer = (ctypes.c_char * len(handle)).from_buffer(handle)
            expect_secret(os.read(call("open_by_handle_at", mount, buffer, O_RDONLY), 4096))"#)
            .helper(Place::Host, r#"
                handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0), 136)
                mount = ctypes.c_int()
                # An overlay gives none for this use; the attack needs none to be refused.
                try: call("name_to_handle_at", -100, text(E["HOST"] + "/file"), handle, ctypes.byref(mount), 0)
                except OSError: pass
                say(HANDLE=handle.raw.hex()); ready()"#)
            .control(Control::Root("handles are for root")),
        python("own_environment", r#"
            if "BASHFUL_ESCAPE" + "_SECRET" not in E: blocked("not there")"#),
        python("core_dump_of_a_crash", r#"
            set_limit("RLIMIT_CORE", 1 << 20)"#)
            .control(Control::Root("the suite may itself have been started without core dumps")),
    ]
}
