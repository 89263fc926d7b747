//! Leaving files behind that have rights of their own: set-user-id bits by every call,
//! capabilities, devices.

use crate::case::{Case, Control};

const CLASS: &str = "writing";

fn python(name: &'static str, code: &'static str) -> Case {
    Case::python(CLASS, name, code)
}

pub(crate) fn cases() -> Vec<Case> {
    // The host looks for such files in the workspace afterwards.
    let planted = |name, code| python(name, code).felt();
    vec![
        planted("set_id_by_chmod", r#"
            open(W + "/x", "w").close(); os.chmod(W + "/x", 0o4755)"#),
        planted("set_group_id_by_chmod", r#"
            open(W + "/x", "w").close(); os.chmod(W + "/x", 0o2755)"#),
        planted("set_id_by_descriptor", r#"
            os.fchmod(os.open(W + "/x", O_RDWR | os.O_CREAT), 0o6755)"#),
        planted("set_id_by_the_newest_chmod", r#"
            open(W + "/x", "w").close()
            call("fchmodat2", -100, text(W + "/x"), 0o4755, 0)"#)
            .may_lack("a kernel without fchmodat2", &["ENOSYS"]),
        planted("set_id_with_high_bits", r#"
            # The kernel takes sixteen bits of the mode; a filter may compare more.
            open(W + "/x", "w").close()
            call("fchmodat", -100, text(W + "/x"), 0o4755 | 0xabcd << 16 | 1 << 40)"#),
        planted("set_id_by_creating", r#"
            os.umask(0); os.close(os.open(W + "/x", O_RDWR | os.O_CREAT, 0o4755))"#),
        planted("set_id_by_creating_with_high_bits", r#"
            os.umask(0)
            call("openat", -100, text(W + "/x"), O_RDWR | os.O_CREAT | 1 << 36, 0o4755 | 1 << 35)"#),
        planted("set_id_by_a_nameless_file", r#"
            os.umask(0)
            fd = os.open(W, O_RDWR | os.O_TMPFILE, 0o4755)
            call("linkat", -100, text(f"/proc/self/fd/{fd}"), -100, text(W + "/x"), 0x400)"#)
            .may_lack("a file system without nameless files", &["ENOTSUP", "EOPNOTSUPP"]),
        planted("set_id_by_the_newest_open", r#"
            os.umask(0)
            how = struct.pack("QQQ", O_RDWR | os.O_CREAT, 0o4755, 0)
            call("openat2", -100, text(W + "/x"), how, 24)"#),
        planted("set_id_by_a_node", r#"
            os.umask(0); os.mknod(W + "/x", stat.S_IFREG | 0o4755)"#),
        planted("set_group_id_on_a_directory", r#"
            os.mkdir(W + "/x"); os.chmod(W + "/x", 0o2777)"#),
        python("file_capability", r#"
            open(W + "/x", "w").close()
            os.setxattr(W + "/x", "security.capability", struct.pack("<IIIII", 0x02000001, 1 << 21, 0, 0, 0))"#)
            .control(Control::Root("capabilities are given by root only"))
            .may_lack("a file system without attributes", &["ENOTSUP", "EOPNOTSUPP"]),
        planted("memory_device", r#"
            os.mknod(W + "/x", stat.S_IFCHR | 0o666, os.makedev(1, 1))"#)
            .control(Control::Root("devices are made by root only")),
        planted("disk_device", r#"
            os.mknod(W + "/x", stat.S_IFBLK | 0o666, os.makedev(7, 0))"#)
            .control(Control::Root("devices are made by root only")),
        python("device_in_tmp", r#"
            path = "/tmp/" + E["MARKER"]
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 1)); os.unlink(path)"#)
            .control(Control::Root("devices are made by root only")),
    ]
}
