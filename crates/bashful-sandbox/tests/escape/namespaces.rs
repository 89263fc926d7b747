//! New namespaces, other namespaces, and mounts.

use crate::case::{Case, Control, Place};

const CLASS: &str = "namespaces";

const ROOT: Control = Control::Root("an ordinary user may not do this outside a namespace");

fn python(name: &'static str, code: &'static str) -> Case {
    Case::python(CLASS, name, code)
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = new();
    cases.extend(entered());
    cases.extend(mounts());
    cases
}

/// A new namespace, with a new user namespace where that is what it takes.
macro_rules! new_namespace {
    ($name:literal, $flag:literal) => {
        python(
            concat!("new_", $name),
            concat!(
                "user, flag = 0x10000000, ",
                $flag,
                "\n",
                "attempt = lambda flags: lambda: in_child(lambda: call('unshare', flags))\n",
                "outcome = attempt(flag) if os.geteuid() == 0 else attempt(user | flag)\n",
                "outcome()"
            ),
        )
    };
}

fn new() -> Vec<Case> {
    vec![
        new_namespace!("user_namespace", "0x10000000"),
        new_namespace!("mount_namespace", "0x00020000"),
        new_namespace!("process_namespace", "0x20000000"),
        new_namespace!("network_namespace", "0x40000000"),
        new_namespace!("ipc_namespace", "0x08000000"),
        new_namespace!("name_namespace", "0x04000000"),
        new_namespace!("control_group_namespace", "0x02000000"),
        new_namespace!("time_namespace", "0x00000080")
            .may_lack("a kernel without time namespaces", &["EINVAL"]),
        python(
            "new_user_namespace_without_the_others",
            r#"
            in_child(lambda: call("unshare", 0x10000000))"#,
        ),
        python(
            "user_namespace_by_clone",
            r#"
            child = call("clone", 0x10000000 | 17, 0, 0, 0, 0)
            if child == 0: os._exit(0)
            os.waitpid(child, 0)"#,
        ),
        python(
            "user_namespace_by_clone_with_high_bits",
            r#"
            child = call("clone", 0x10000000 | 17 | 1 << 40, 0, 0, 0, 0)
            if child == 0: os._exit(0)
            os.waitpid(child, 0)"#,
        ),
        python(
            "user_namespace_by_clone3",
            r#"
            arguments = struct.pack("QQQQQQQQ", 0x10000000, 0, 0, 0, 17, 0, 0, 0)
            child = call("clone3", arguments, 64)
            if child == 0: os._exit(0)
            os.waitpid(child, 0)"#,
        ),
        python(
            "mount_in_a_namespace_of_its_own",
            r#"
            def act():
                call("unshare", 0x10020000)
                call("mount", text("none"), text(W), text("tmpfs"), 0, 0)
            in_child(act)"#,
        ),
    ]
}

fn entered() -> Vec<Case> {
    let helper = |name, code| python(name, code).helper(Place::Host, "ready()");
    vec![
        helper(
            "network_of_the_helper",
            r#"
            fd = os.open(f"/proc/{E['HELPER']}/ns/net", O_RDONLY)
            in_child(lambda: call("setns", fd, 0))"#,
        )
        .control(ROOT),
        helper(
            "mounts_of_the_helper",
            r#"
            fd = call("pidfd_open", int(E["HELPER"]), 0)
            in_child(lambda: call("setns", fd, 0x00020000))"#,
        )
        .control(ROOT),
        helper(
            "network_of_init",
            r#"
            fd = os.open(f"/proc/{init()}/ns/net", O_RDONLY)
            in_child(lambda: call("setns", fd, 0x40000000))"#,
        )
        .control(ROOT),
        helper(
            "mounts_of_init",
            r#"
            fd = os.open(f"/proc/{init()}/ns/mnt", O_RDONLY)
            in_child(lambda: call("setns", fd, 0x00020000))"#,
        )
        .control(ROOT),
        python(
            "own_names_again",
            r#"
            fd = os.open("/proc/self/ns/uts", O_RDONLY)
            in_child(lambda: call("setns", fd, 0x04000000))"#,
        )
        .control(ROOT),
        python(
            "owner_of_a_namespace",
            r#"
            import fcntl
            fd = os.open("/proc/self/ns/user", O_RDONLY)
            parent = fcntl.ioctl(fd, 0xb702)
            in_child(lambda: call("setns", parent, 0x10000000))"#,
        )
        .control(Control::Never("the first user namespace has no parent")),
    ]
}

fn mounts() -> Vec<Case> {
    let rooted = |name, code| python(name, code).control(ROOT);
    vec![
        rooted(
            "new_file_system",
            r#"
            os.mkdir(W + "/point")
            call("mount", text("none"), text(W + "/point"), text("tmpfs"), 0, 0)
            call("umount2", text(W + "/point"), 2)"#,
        ),
        rooted(
            "new_proc",
            r#"
            os.mkdir(W + "/point")
            call("mount", text("none"), text(W + "/point"), text("proc"), 0, 0)
            call("umount2", text(W + "/point"), 2)"#,
        ),
        rooted(
            "bind",
            r#"
            os.mkdir(W + "/point")
            call("mount", text("/"), text(W + "/point"), 0, 4096, 0)
            call("umount2", text(W + "/point"), 2)"#,
        ),
        python(
            "workspace_removed_from_view",
            r#"call("umount2", text(W), 2)"#,
        )
        .control(Control::Never("the workspace is no mount on the host")),
        python(
            "proc_removed_from_view",
            r#"call("umount2", text("/proc"), 2)"#,
        )
        .control(Control::Never("the host needs it")),
        rooted(
            "tree_cloned",
            r#"os.close(call("open_tree", -100, text("/"), 1))"#,
        ),
        rooted(
            "tree_cloned_and_moved",
            r#"
            os.mkdir(W + "/point")
            fd = call("open_tree", -100, text(W), 1)
            call("move_mount", fd, text(""), -100, text(W + "/point"), 4)
            call("umount2", text(W + "/point"), 2)"#,
        ),
        rooted(
            "file_system_opened",
            r#"os.close(call("fsopen", text("tmpfs"), 0))"#,
        ),
        rooted(
            "file_system_picked",
            r#"os.close(call("fspick", -100, text("/"), 0))"#,
        ),
        python("file_system_mounted", r#"call("fsmount", 0, 0, 0)"#)
            .control(Control::Never("there is nothing to mount")),
        python("root_exchanged", r#"call("pivot_root", text(W), text(W))"#)
            .control(Control::Never("would change the root of the host")),
        python(
            "propagation_changed",
            r#"call("mount", 0, text("/"), 0, 0x44000, 0)"#,
        )
        .control(Control::Never("would change the mounts of the host")),
        rooted(
            "escape_from_another_root",
            r#"
            # The classic: keep a directory, change the root below it, walk up.
            def act():
                top = os.open("/", O_RDONLY)
                os.mkdir(W + "/below"); os.chroot(W + "/below"); os.fchdir(top)
                for _ in range(50): os.chdir("..")
                os.chroot(".")
                read(E["HOST"] + "/file")
            in_child(act)"#,
        ),
    ]
}
