//! Interfaces of the kernel that few programs need and many attacks begin with.

use crate::case::{Case, Control};
use crate::programs::only_python;

const CLASS: &str = "kernel";

const ROOT: Control = Control::Root("the kernel refuses an ordinary user anyway");

fn python(name: &'static str, code: &'static str) -> Case {
    Case::python(CLASS, name, code)
}

/// A call that a kernel may have been built without.
fn optional(name: &'static str, code: &'static str) -> Case {
    python(name, code).may_lack("a kernel without the call", &["ENOSYS"])
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = observation();
    cases.extend(machinery());
    if cfg!(target_arch = "x86_64") {
        cases.extend(other_architectures());
    }
    cases
}

/// Looking into and steering other processes, here always a child of the act; and what a tracer
/// could do to a filter.
fn observation() -> Vec<Case> {
    vec![
        python(
            "filter_suspended_by_a_tracer",
            r#"
            child = os.fork()
            if child == 0: time.sleep(20); os._exit(0)
            try: call("ptrace", 0x4206, child, 0, 0x200000)
            finally: os.kill(child, 9)"#,
        )
        .control(Control::Root("only root may ask for that")),
        #[cfg(target_arch = "x86_64")]
        python(
            "call_exchanged_by_a_tracer",
            r#"
            # The child asks for its parent; its tracer turns that into a new namespace.
            child = os.fork()
            if child == 0:
                call("ptrace", 0, 0, 0, 0); os.kill(os.getpid(), signal.SIGSTOP)
                os.getppid(); os._exit(0)
            os.waitpid(child, 0)
            def step(): call("ptrace", 24, child, 0, 0); os.waitpid(child, 0)
            def peek(at):
                word = ctypes.c_long(); call("ptrace", 3, child, at, ctypes.byref(word)); return word.value
            step()
            while peek(15 * 8) != 110: step()
            call("ptrace", 6, child, 15 * 8, int(NUMBERS["unshare"]))
            call("ptrace", 6, child, 14 * 8, 0x10000000)
            step(); code = peek(10 * 8); os.kill(child, 9)
            if code < 0: raise OSError(-code, "refused")"#,
        ),
        python(
            "trace_a_child",
            r#"
            child = os.fork()
            if child == 0: time.sleep(20); os._exit(0)
            try: call("ptrace", 0x4206, child, 0, 0)
            finally: os.kill(child, 9)"#,
        )
        // One that is traced would do what no listed program does.
        .profile(only_python),
        python(
            "be_traced",
            r#"in_child(lambda: call("ptrace", 0, 0, 0, 0))"#,
        )
        .profile(only_python),
        python(
            "read_memory_of_a_child",
            r#"
            buffer, child = ctypes.create_string_buffer(b"x", 8), os.fork()
            if child == 0: time.sleep(20); os._exit(0)
            part = struct.pack("QQ", ctypes.addressof(buffer), 8)
            try: call("process_vm_readv", child, part, 1, part, 1, 0)
            finally: os.kill(child, 9)"#,
        )
        .profile(only_python),
        python(
            "write_memory_of_a_child",
            r#"
            buffer, child = ctypes.create_string_buffer(b"x", 8), os.fork()
            if child == 0: time.sleep(20); os._exit(0)
            part = struct.pack("QQ", ctypes.addressof(buffer), 8)
            try: call("process_vm_writev", child, part, 1, part, 1, 0)
            finally: os.kill(child, 9)"#,
        )
        .profile(only_python),
        python(
            "write_memory_file_of_a_child",
            r#"
            child = os.fork()
            if child == 0: time.sleep(20); os._exit(0)
            try: os.close(os.open(f"/proc/{child}/mem", O_RDWR))
            finally: os.kill(child, 9)"#,
        ),
        python(
            "take_a_descriptor_of_a_child",
            r#"
            child = os.fork()
            if child == 0: time.sleep(20); os._exit(0)
            try: call("pidfd_getfd", call("pidfd_open", child, 0), 0, 0)
            finally: os.kill(child, 9)"#,
        ),
        optional(
            "compare_with_a_child",
            r#"
            child = os.fork()
            if child == 0: time.sleep(20); os._exit(0)
            try: call("kcmp", os.getpid(), child, 2, 0, 0)
            finally: os.kill(child, 9)"#,
        ),
        python(
            "performance_counters",
            r#"
            attributes = struct.pack("IIQQQQQ", 1, 112, 1, 0, 0, 0, 0x60) + bytes(64)
            call("perf_event_open", attributes, 0, -1, -1, 0)"#,
        )
        .may_lack("a kernel without counters", &["ENOSYS", "ENOENT", "EACCES"]),
        optional("watch_the_file_system", "call(\"fanotify_init\", 0x200, 0)"),
        optional("handle_page_faults", "call(\"userfaultfd\", 1)"),
    ]
}

fn machinery() -> Vec<Case> {
    vec![
        optional("io_uring", r#"call("io_uring_setup", 4, ctypes.create_string_buffer(120))"#)
            .may_lack("a kernel without io_uring, or with it switched off", &["ENOSYS", "EPERM"]),
        optional("bpf_map", r#"
            call("bpf", 0, struct.pack("IIIII", 2, 4, 4, 1, 0) + bytes(100), 120)"#).control(ROOT),
        optional("bpf_program", r#"
            code = ctypes.create_string_buffer(struct.pack("<BBhiBBhi", 0xb7, 0, 0, 0, 0x95, 0, 0, 0))
            licence = ctypes.create_string_buffer(b"GPL")
            attributes = struct.pack("IIQQ", 1, 2, ctypes.addressof(code), ctypes.addressof(licence))
            call("bpf", 5, attributes + bytes(96), 120)"#).control(ROOT),
        optional("own_keyring", r#"call("keyctl", 1, 0)"#),
        optional("key_added", r#"
            key = call("add_key", text("user"), text(E["MARKER"]), b"x", 1, -2)"#),
        optional("memory_of_its_own_secret", r#"os.close(call("memfd_secret", 0))"#),
        optional("handle_of_a_file", r#"
            handle, mount = ctypes.create_string_buffer(struct.pack("Ii", 128, 0), 136), ctypes.c_int()
            call("name_to_handle_at", -100, text(W), handle, ctypes.byref(mount), 0)"#),
        optional("module_loaded", r#"call("init_module", b"", 0, text(""))"#)
            .control(Control::Never("there is no harmless module")),
        optional("module_loaded_from_a_file", r#"
            call("finit_module", os.open("/dev/null", O_RDONLY), text(""), 0)"#)
            .control(Control::Never("there is no harmless module")),
        optional("module_removed", r#"call("delete_module", text("nothing"), 0x800)"#)
            .control(Control::Never("there is no harmless module")),
        optional("kernel_replaced", r#"call("kexec_load", 0, 0, 0, 0)"#).control(ROOT),
        python("restart_keys_switched", r#"
            # Off and on again, as they are when a system has started.
            call("reboot", 0xfee1dead, 672274793, 0, 0)
            call("reboot", 0xfee1dead, 672274793, 0x89abcdef, 0)"#).control(ROOT),
        optional("swap_added", r#"call("swapon", text(W + "/nothing"), 0); reached()"#)
            .control(Control::Never("would change the host")),
        python("clock_set", r#"
            now = time.time_ns()
            call("clock_settime", 0, struct.pack("qq", now // 10**9, now % 10**9))"#).control(ROOT),
        python("clock_set_the_old_way", r#"
            now = time.time_ns()
            call("settimeofday", struct.pack("qq", now // 10**9, now % 10**9 // 1000), 0)"#).control(ROOT),
        python("clock_adjusted", r#"
            # The tick is set to what it is.
            state = ctypes.create_string_buffer(208)
            call("adjtimex", state)
            struct.pack_into("I", state, 0, 0x4000)
            call("adjtimex", state)"#).control(ROOT),
        python("name_of_the_host", r#"
            name = os.uname().nodename.encode()
            call("sethostname", name, len(name))"#).control(ROOT),
        python("domain_of_the_host", r#"
            name = read("/proc/sys/kernel/domainname").strip()
            call("setdomainname", name, len(name))"#).control(ROOT),
        python("accounting_switched", r#"call("acct", text(W + "/nothing"))"#)
            .control(Control::Never("would change the host")),
        python("terminal_hung_up", r#"call("vhangup")"#)
            .control(Control::Never("would end the terminal of whoever runs the suite")),
        python("executable_stacks", r#"
            before = call("personality", 0xffffffff)
            call("personality", before | 0x0400000)"#),
        python("another_root", r#"in_child(lambda: os.chroot(W))"#).control(ROOT),
        python("ports_of_the_machine", r#"in_child(lambda: call(173, 0x80, 1, 1))"#)
            .control(ROOT)
            .may_lack("a kernel without port rights", &["ENOSYS"]),
    ]
}

/// System calls of another architecture have other numbers: a filter must not be fooled.
fn other_architectures() -> Vec<Case> {
    vec![
        python("thirty_two_bit_call", r#"
            import mmap
            area = mmap.mmap(-1, 4096, prot=7)
            # getpid, as number 20, by the interrupt.
            area.write(bytes.fromhex("b814000000" "cd80" "c3"))
            function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(area)))
            def act():
                result = function()
                if result < 0: raise OSError(-result, "refused")
            in_child(act)"#)
            .may_lack("a kernel without 32-bit calls", &["SIGSEGV", "ENOSYS"]),
        python("thirty_two_bit_namespace", r#"
            import mmap
            area = mmap.mmap(-1, 4096, prot=7)
            # unshare(CLONE_NEWUSER), as number 310, by the interrupt.
            area.write(bytes.fromhex("53" "b836010000" "bb00000010" "cd80" "5b" "c3"))
            function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(area)))
            def act():
                result = function()
                if result < 0: raise OSError(-result, "refused")
            in_child(act)"#)
            .may_lack("a kernel without 32-bit calls", &["SIGSEGV", "ENOSYS"]),
        python("x32_call", "in_child(lambda: call(0x40000000 | 39))")
            .may_lack("a kernel without x32", &["ENOSYS"]),
        python("x32_namespace", "in_child(lambda: call(0x40000000 | 272, 0x10000000))")
            .may_lack("a kernel without x32", &["ENOSYS"]),
    ]
}
