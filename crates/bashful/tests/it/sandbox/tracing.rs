//! A run traces its own processes, with real tools; nothing else, and not where programs are listed.

use super::printed;
use crate::support::World;

#[test]
fn debuggers_and_sanitizers_work_on_what_a_run_starts() {
    let world = World::unjudged();
    world.write(
        "leak.c",
        "#include <stdlib.h>\nint main(void) { void *volatile p = malloc(77); p = 0; return !!p; }\n",
    );
    for (text, expected) in [
        (
            "gcc -g leak.c -o plain && gdb -nx -batch -ex 'break main' -ex run -ex bt ./plain 2>&1",
            "#0  main () at leak.c:2",
        ),
        (
            "strace -f -e trace=execve sh -c '/bin/true; exit 0' 2>&1",
            "execve(\"/bin/true\"",
        ),
        (
            "sleep 9 & strace -o log -p $! & sleep .5; kill %1; wait; cat log",
            "killed by SIGTERM",
        ),
        (
            "gcc -g -fsanitize=leak leak.c -o leaks && ./leaks 2>&1",
            "77 byte(s) leaked in 1 allocation(s)",
        ),
    ] {
        let seen = printed(&world, &[], text);
        assert!(seen.contains(expected), "{text}: {seen}");
    }
}

/// One that is traced does what its tracer wants, which is what no listed program does.
#[test]
fn nothing_is_traced_where_programs_are_listed() {
    let world = World::unjudged();
    let text =
        "/usr/bin/python3 -c 'import ctypes, os; print(ctypes.CDLL(None).ptrace(0, 0, 0, 0))'";
    assert_eq!(printed(&world, &[], text), "0\n");
    assert_eq!(
        printed(&world, &["--command", "/usr/bin/python3"], text),
        "-1\n"
    );
}
