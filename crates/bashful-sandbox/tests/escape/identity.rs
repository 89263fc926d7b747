//! Becoming another user, and getting rights back that were given up.

use std::os::unix::fs::PermissionsExt;

use crate::case::{Case, Control};
use crate::scene::Scene;

const CLASS: &str = "identity";

const ROOT: Control = Control::Root("an ordinary user has no rights to take");

fn python(name: &'static str, code: &'static str) -> Case {
    Case::python(CLASS, name, code)
}

/// A program of root's that would make every user root.
fn with_a_set_id_program(scene: &mut Scene) {
    for directory in [&scene.shared, &scene.workspace] {
        let program = directory.join("become-root");
        std::fs::copy("/usr/bin/id", &program).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o4755)).unwrap();
    }
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = numbers();
    cases.extend(capabilities());
    cases.extend(programs());
    cases
}

fn numbers() -> Vec<Case> {
    let rooted = |name, code| python(name, code).control(ROOT);
    vec![
        rooted(
            "host_root",
            r#"
            # Root of the host owns its files; inside, nobody may own them or act as their owner.
            if os.geteuid() == 0 and os.access("/etc/shadow", os.R_OK) and read("/etc/shadow"): reached("we are root")
            blocked(f"user {os.geteuid()}")"#,
        ),
        rooted(
            "user_zero",
            r#"
            in_child(lambda: os.setuid(0))
            if b"\nCapEff:\t0000000000000000" in read("/proc/self/status"): blocked("without rights")"#,
        ),
        rooted(
            "user_zero_by_all_three",
            r#"
            in_child(lambda: os.setresuid(0, 0, 0))
            if b"\nCapEff:\t0000000000000000" in read("/proc/self/status"): blocked("without rights")"#,
        ),
        rooted("another_user", r#"in_child(lambda: os.setresuid(1, 1, 1))"#),
        rooted(
            "another_group",
            r#"in_child(lambda: os.setresgid(1, 1, 1))"#,
        ),
        rooted(
            "more_groups",
            r#"in_child(lambda: os.setgroups([0, 4, 6, 27]))"#,
        ),
        rooted(
            "groups_of_the_host",
            r#"
            extra = [it for it in os.getgroups() + [os.getgid()] if it == 0]
            if not extra: blocked(f"groups {os.getgroups()}")"#,
        ),
        rooted(
            "user_for_files",
            r#"
            # This call tells no error: it answers with the number before.
            before = libc.setfsuid(1)
            if libc.setfsuid(before) != 1: blocked("unchanged")"#,
        ),
    ]
}

fn capabilities() -> Vec<Case> {
    let rooted = |name, code| python(name, code).control(ROOT);
    vec![
        python(
            "bounding_set",
            r#"
            if b"CapBnd:\t0000000000000000" in read("/proc/self/status"): blocked("empty")"#,
        ),
        rooted(
            "effective_set",
            r#"
            if b"CapEff:\t0000000000000000" in read("/proc/self/status"): blocked("empty")"#,
        ),
        rooted(
            "capabilities_set",
            r#"
            header = struct.pack("Ii", 0x20080522, 0)
            call("capset", header, struct.pack("IIIIII", *[1 << 21, 1 << 21, 0, 0, 0, 0]))"#,
        ),
        rooted(
            "inheritable_capabilities",
            r#"
            header = struct.pack("Ii", 0x20080522, 0)
            call("capset", header, struct.pack("IIIIII", 1 << 21, 1 << 21, 1 << 21, 0, 0, 0))
            call("prctl", 47, 2, 21, 0, 0)"#,
        ),
        rooted("secure_bits", r#"call("prctl", 28, 0, 0, 0, 0)"#),
        python(
            "new_privileges",
            r#"
            if call("prctl", 39, 0, 0, 0, 0): blocked("none are given")"#,
        )
        .may_lack(
            "a suite that was started without new privileges",
            &["none are given"],
        ),
        python(
            "new_privileges_again",
            r#"
            call("prctl", 38, 0, 0, 0, 0)"#,
        )
        .control(Control::Never("no kernel gives them back")),
        python(
            "no_filter",
            r#"
            if b"Seccomp:\t0" not in read("/proc/self/status"): blocked("filtered")"#,
        )
        .may_lack("a suite that was started under a filter", &["filtered"]),
        python(
            "real_time_scheduling",
            r#"
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))"#,
        )
        .control(ROOT),
        python(
            "better_priority",
            r#"os.setpriority(os.PRIO_PROCESS, 0, -10)"#,
        )
        .control(ROOT),
        python(
            "higher_limits",
            r#"
            first(lambda: set_limit("RLIMIT_NICE", 30), lambda: set_limit("RLIMIT_RTPRIO", 30))"#,
        )
        .control(ROOT)
        .may_lack("a root that may not raise limits", &["EPERM"]),
    ]
}

fn programs() -> Vec<Case> {
    vec![
        python("set_id_program_in_a_read_root", r#"
            if os.geteuid() == 0: os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)
            status, output = run(E["SHARED"] + "/become-root")
            if b"euid=0" not in output: blocked(output.decode().strip())"#)
            .prepare(with_a_set_id_program)
            .root_only(),
        python("set_id_program_in_the_workspace", r#"
            if os.geteuid() == 0: os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)
            status, output = run(W + "/become-root")
            if b"euid=0" not in output: blocked(output.decode().strip())"#)
            .prepare(with_a_set_id_program)
            .root_only(),
        python("set_id_program_of_the_system", r#"
            # It asks for a word that never comes, which leaves time to look at it.
            if os.geteuid() == 0: os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)
            ours, theirs = os.pipe()
            child = os.fork()
            if child == 0:
                os.dup2(ours, 0); os.close(theirs)
                os.execv("/usr/bin/su", ["su", "-c", "true"])
            until, seen = time.monotonic() + 1.5, b""
            while time.monotonic() < until and not (seen and seen.split()[2] == b"0"):
                lines = read(f"/proc/{child}/status").split(b"\n")
                seen = next((it for it in lines if it.startswith(b"Uid:")), b"")
                time.sleep(0.01)
            os.close(theirs)
            if seen.split()[2] != b"0": blocked(seen.decode())"#)
            .may_lack("a host without su", &["ENOENT"]),
    ]
}
