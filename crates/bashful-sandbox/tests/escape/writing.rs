//! Writing where only reading was granted, or nothing.

use std::os::unix::fs::symlink;

use crate::case::{Case, Control, Place};

const CLASS: &str = "writing";

/// Nothing outside is mounted in the way that the act wants to change.
const NO_SUCH_MOUNT: Control = Control::Never("the host has no read-only mount to change");

fn python(name: &'static str, code: &'static str) -> Case {
    Case::python(CLASS, name, code)
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = files();
    cases.extend(elsewhere());
    cases.extend(attributes());
    cases
}

fn files() -> Vec<Case> {
    vec![
        python("undeclared_file", r#"write(E["HOST"] + "/file")"#).felt(),
        python(
            "undeclared_new_file",
            r#"write(E["HOST"] + "/new", flags=O_WRONLY | os.O_CREAT)"#,
        )
        .felt(),
        python("read_root", r#"write(E["SHARED"] + "/file")"#).felt(),
        python(
            "read_root_new_file",
            r#"write(E["SHARED"] + "/new", flags=O_WRONLY | os.O_CREAT)"#,
        )
        .felt(),
        python(
            "read_root_emptied_by_a_reading_open",
            r#"
            os.close(os.open(E["SHARED"] + "/file", O_RDONLY | os.O_TRUNC))"#,
        )
        .felt(),
        python(
            "read_root_truncated",
            r#"os.truncate(E["SHARED"] + "/file", 0)"#,
        )
        .felt(),
        python("read_root_removed", r#"os.unlink(E["SHARED"] + "/file")"#).felt(),
        python(
            "read_root_renamed",
            r#"os.rename(E["SHARED"] + "/file", E["SHARED"] + "/x")"#,
        )
        .felt(),
        python(
            "read_root_renamed_away",
            r#"os.rename(E["SHARED"] + "/file", W + "/x")"#,
        )
        .felt(),
        python(
            "read_root_exchanged",
            r#"
            open(W + "/mine", "w").close()
            call("renameat2", -100, text(W + "/mine"), -100, text(E["SHARED"] + "/file"), 2)"#,
        )
        .felt(),
        python(
            "read_root_by_a_directory",
            r#"os.mkdir(E["SHARED"] + "/new")"#,
        )
        .felt(),
        python(
            "descriptor_reopened_for_writing",
            r#"
            fd = os.open(E["SHARED"] + "/file", O_RDONLY)
            write(f"/proc/self/fd/{fd}", flags=O_RDWR)"#,
        )
        .felt(),
        python(
            "path_descriptor_reopened_for_writing",
            r#"
            fd = os.open(E["SHARED"] + "/file", O_PATH)
            write(f"/proc/self/fd/{fd}")"#,
        )
        .felt(),
        python(
            "program_reopened_for_writing",
            r#"
            os.close(os.open("/proc/self/exe", os.O_WRONLY))"#,
        )
        .control(Control::Never("a running program is busy, whoever asks")),
        python(
            "shared_mapping",
            r#"
            import mmap
            fd = os.open(E["SHARED"] + "/file", O_RDWR)
            mapping = mmap.mmap(fd, 4, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)
            mapping[0:1] = b"X"; mapping.flush()"#,
        )
        .felt(),
        python(
            "space_allocated",
            r#"
            fd = os.open(E["SHARED"] + "/file", O_RDWR)
            call("fallocate", fd, 0, 0, 8192)"#,
        )
        .felt(),
    ]
}

fn elsewhere() -> Vec<Case> {
    vec![
        python("through_a_symlink", r#"write(W + "/link")"#)
            .prepare(|scene| {
                symlink(scene.host.join("file"), scene.workspace.join("link")).unwrap();
            })
            .felt(),
        python(
            "through_proc_self_root",
            r#"write("/proc/self/root" + E["SHARED"] + "/file")"#,
        )
        .felt(),
        python("workspace_renamed", r#"os.rename(W, W + "-moved")"#),
        python(
            "workspace_replaced_by_a_link",
            r#"
            os.rename(W, W + "-moved"); os.symlink(E["HOST"], W)"#,
        ),
        python(
            "read_only_workspace",
            r#"write(W + "/new", flags=O_WRONLY | os.O_CREAT)"#,
        )
        .profile(|profile, _| profile.write.clear()),
        python(
            "tmp_of_the_host",
            r#"
            write("/tmp/" + E["MARKER"], flags=O_WRONLY | os.O_CREAT)"#,
        )
        .helper(
            Place::Host,
            r#"
                ready(); path = "/tmp/" + E["MARKER"]
                if os.path.exists(path): os.unlink(path); disturbed("a file in /tmp")"#,
        )
        .felt_only(),
        python(
            "shared_memory_of_the_host",
            r#"
            write("/dev/shm/" + E["MARKER"], flags=O_WRONLY | os.O_CREAT)"#,
        )
        .helper(
            Place::Host,
            r#"
                ready(); path = "/dev/shm/" + E["MARKER"]
                if os.path.exists(path): os.unlink(path); disturbed("a file in /dev/shm")"#,
        )
        .felt_only(),
        python(
            "other_temporary_directory_of_the_host",
            r#"
            write("/var/tmp/" + E["MARKER"], flags=O_WRONLY | os.O_CREAT)"#,
        )
        .helper(
            Place::Host,
            r#"
                ready(); path = "/var/tmp/" + E["MARKER"]
                if os.path.exists(path): os.unlink(path); disturbed("a file in /var/tmp")"#,
        )
        .felt_only(),
        python(
            "home",
            r#"write(E["HOME"] + "/.profile", flags=O_WRONLY | os.O_CREAT)"#,
        )
        .felt_only(),
    ]
}

fn attributes() -> Vec<Case> {
    vec![
        python("mode_changed", r#"os.chmod(E["SHARED"] + "/file", 0o700)"#).felt(),
        python(
            "mode_changed_by_a_reading_descriptor",
            r#"
            os.fchmod(os.open(E["SHARED"] + "/file", O_RDONLY), 0o700)"#,
        )
        .felt(),
        python(
            "owner_changed",
            r#"os.chown(E["SHARED"] + "/file", 1234, 1234)"#,
        )
        .control(Control::Root("files are given away by root only"))
        .felt(),
        python(
            "times_changed",
            r#"os.utime(E["SHARED"] + "/file", (1, 1))"#,
        )
        .felt(),
        python(
            "times_changed_by_a_reading_descriptor",
            r#"
            os.utime(os.open(E["SHARED"] + "/file", O_RDONLY), (1, 1))"#,
        )
        .felt(),
        python(
            "attribute_set",
            r#"os.setxattr(E["SHARED"] + "/file", "user.x", b"y")"#,
        )
        .felt()
        .may_lack(
            "a file system without attributes",
            &["ENOTSUP", "EOPNOTSUPP"],
        ),
        python(
            "flags_set_by_a_reading_descriptor",
            r#"
            import fcntl
            fd = os.open(E["SHARED"] + "/file", O_RDONLY)
            flags = struct.unpack("l", fcntl.ioctl(fd, 0x80086601, bytes(8)))[0]
            fcntl.ioctl(fd, 0x40086602, struct.pack("l", flags ^ 0x40))"#,
        )
        .may_lack(
            "a file system without flags",
            &["ENOTTY", "ENOTSUP", "EOPNOTSUPP"],
        ),
        python(
            "read_only_mount_made_writable",
            r#"
            call("mount", 0, text(E["SHARED"]), 0, 32 | 4096, 0)
            write(E["SHARED"] + "/file")"#,
        )
        .control(NO_SUCH_MOUNT),
        python(
            "read_only_mount_changed_by_the_new_call",
            r#"
            change = struct.pack("QQQQ", 0, 1, 0, 0)
            call("mount_setattr", -100, text(E["SHARED"]), 0, change, 32)
            write(E["SHARED"] + "/file")"#,
        )
        .control(NO_SUCH_MOUNT),
        python(
            "read_only_mount_removed",
            r#"
            call("umount2", text(E["SHARED"]), 2)"#,
        )
        .control(NO_SUCH_MOUNT),
        python("mask_removed", r#"call("umount2", text("/etc/shadow"), 2)"#).control(NO_SUCH_MOUNT),
    ]
}
