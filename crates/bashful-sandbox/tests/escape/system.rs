//! Writing to the system itself: its settings, its programs, its control groups.

use crate::case::{Case, Control, Place};

const CLASS: &str = "writing";

fn python(name: &'static str, code: &'static str) -> Case {
    Case::python(CLASS, name, code)
}

pub(crate) fn cases() -> Vec<Case> {
    let same = r#"
        # What is written is what is there already.
        path = E["TARGET"]
        old = read(path)
        write(path, old)"#;
    let sysctl = |name, prepare| {
        python(name, same)
            .prepare(prepare)
            .control(Control::Root("the system is root's"))
    };
    vec![
        sysctl("core_pattern", |scene| scene.tell("TARGET", "/proc/sys/kernel/core_pattern")),
        python("core_pattern_by_another_root", r#"
            path = f"/proc/{init()}/root/proc/sys/kernel/core_pattern"
            write(path, read(path))"#)
            .helper(Place::Host, "ready()")
            .control(Control::Root("the system is root's")),
        sysctl("forwarding", |scene| scene.tell("TARGET", "/proc/sys/net/ipv4/ip_forward")),
        sysctl("overcommitment", |scene| scene.tell("TARGET", "/proc/sys/vm/overcommit_memory")),
        sysctl("host_name", |scene| scene.tell("TARGET", "/proc/sys/kernel/hostname")),
        sysctl("module_loader", |scene| scene.tell("TARGET", "/proc/sys/kernel/modprobe"))
            .may_lack("a kernel without modules", &["ENOENT"]),
        python("magic_keys", r#"os.close(os.open("/proc/sysrq-trigger", O_WRONLY))"#)
            .control(Control::Root("the system is root's"))
            .may_lack("a kernel without magic keys", &["ENOENT"]),
        python("device_event_helper", r#"os.close(os.open("/sys/kernel/uevent_helper", O_WRONLY))"#)
            .control(Control::Root("the system is root's"))
            .may_lack("a kernel without it", &["ENOENT"]),
        python("processors_switched", r#"
            found = "/sys/devices/system/cpu/cpu1/online"
            os.close(os.open(found, O_WRONLY))"#)
            .control(Control::Root("the system is root's"))
            .may_lack("a machine with one processor", &["ENOENT"]),
        python("system_program", r#"os.close(os.open("/usr/bin/env", O_WRONLY))"#)
            .control(Control::Root("the system is root's")),
        python("system_configuration", r#"os.close(os.open("/etc/passwd", O_WRONLY))"#)
            .control(Control::Root("the system is root's")),
        python("own_memory_file", r#"
            buffer = ctypes.create_string_buffer(b"old", 8)
            fd = os.open("/proc/self/mem", O_RDWR)
            os.pwrite(fd, b"new", ctypes.addressof(buffer))
            if buffer.value != b"new": blocked("unchanged")"#),
        python("control_group_left", r#"
            import itertools
            found = [top + "/cgroup.procs" for top, _, names in os.walk("/sys/fs/cgroup") if "cgroup.procs" in names]
            if not found: blocked("no control group is visible")
            first(*[lambda it=it: os.close(os.open(it, O_WRONLY)) for it in found])"#)
            .control(Control::Root("control groups are root's")),
        python("release_agent", r#"
            found = [top + "/release_agent" for top, _, names in os.walk("/sys/fs/cgroup") if "release_agent" in names]
            if not found: raise FileNotFoundError(errno.ENOENT, "none")
            first(*[lambda it=it: os.close(os.open(it, O_WRONLY)) for it in found])"#)
            .control(Control::Root("control groups are root's"))
            .may_lack("control groups of the second version only", &["ENOENT"]),
    ]
}
