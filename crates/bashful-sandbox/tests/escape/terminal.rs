//! Injecting input into the terminal that a run was started from.

use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, openpt, ptsname, unlockpt};

use crate::case::{Case, Control, Place};
use crate::scene::Scene;

const CLASS: &str = "kernel";

fn python(name: &'static str, code: &'static str) -> Case {
    Case::python(CLASS, name, code)
}

/// A terminal of the host that the act knows by name. What appears on its other side was written.
fn with_a_named_terminal(scene: &mut Scene) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    scene.tell("TERMINAL", name.to_str().unwrap());
    rustix::fs::fcntl_setfl(&master, OFlags::NONBLOCK).unwrap();
    scene.listener(move || {
        let written = rustix::io::read(&master, &mut [0_u8; 64]).is_ok_and(|length| length > 0);
        written.then_some("something was written")
    });
}

/// A run that opens a terminal for itself, as `script` does, and is typed a secret into.
const AT_A_TERMINAL: &str = r#"
    master, program = os.openpty()
    os.write(master, E["SECRET"].encode() + b"\n")
    say(TERMINAL=os.ttyname(program))
    ready()"#;

/// A terminal of the host as standard input. What appears on its other side was typed.
fn with_a_terminal(scene: &mut Scene) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let terminal: OwnedFd = rustix::fs::open(name, flags, Mode::empty()).unwrap();
    scene.stdin = Some(terminal);
    rustix::fs::fcntl_setfl(&master, OFlags::NONBLOCK).unwrap();
    scene.listener(move || {
        let typed = rustix::io::read(&master, &mut [0_u8; 64]).is_ok_and(|length| length > 0);
        typed.then_some("something was typed")
    });
}

pub(crate) fn cases() -> Vec<Case> {
    let typed = |name, code| {
        python(name, code)
            .prepare(with_a_terminal)
            .felt()
            .may_lack("a kernel without typing for others", &["EIO"])
    };
    vec![
        typed(
            "typing_for_others",
            r#"
            import fcntl
            def act():
                os.setsid(); fcntl.ioctl(0, 0x540e, 0); fcntl.ioctl(0, 0x5412, b"x"); time.sleep(0.2)
            in_child(act)"#,
        ),
        typed(
            "typing_for_others_with_high_bits",
            r#"
            import fcntl
            NUMBERS["ioctl"] = "16" if os.uname().machine == "x86_64" else "29"
            def act():
                os.setsid(); fcntl.ioctl(0, 0x540e, 0)
                call("ioctl", 0, 0x5412 | 0x7fff << 32, b"x"); time.sleep(0.2)
            in_child(act)"#,
        ),
        python(
            "terminal_of_the_host",
            r#"
            write(E["TERMINAL"], b"x", O_WRONLY | os.O_NOCTTY)"#,
        )
        .prepare(with_a_named_terminal)
        .felt(),
        python(
            "terminal_of_another_run",
            r#"
            terminal = os.open(E["TERMINAL"], O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
            expect_secret(os.read(terminal, 1000))"#,
        )
        .helper(Place::SameRoom, AT_A_TERMINAL),
        python(
            "terminal_of_another_room",
            r#"
            terminal = os.open(E["TERMINAL"], O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
            expect_secret(os.read(terminal, 1000))"#,
        )
        .helper(Place::OtherRoom, AT_A_TERMINAL),
        python(
            "console_selection",
            r#"
            import fcntl
            fcntl.ioctl(0, 0x541c, b"\x02" + bytes(10))"#,
        )
        .prepare(with_a_terminal)
        .control(Control::Never("only a console has a selection")),
        python(
            "console_messages_taken",
            r#"
            import fcntl
            fcntl.ioctl(0, 0x541d)"#,
        )
        .prepare(with_a_terminal)
        .control(Control::Never("would redirect the messages of the host")),
    ]
}
