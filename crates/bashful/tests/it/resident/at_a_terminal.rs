//! A call at a terminal goes alone, also where a resident waits: prompts and keys do the same as without
//! one.

use crate::support::{Terminal, World, binary};

use super::House;

/// A house in which `touch` needs a yes.
fn asking() -> House {
    let world = World::new();
    world.configure(
        "[[profile.default.rule]]\nid = \"ask-touch\"\neffect = \"ask\"\n\
         command = [\"touch\", \"…\"]\nreason = \"makes a file\"\n",
    );
    House::in_world(world)
}

/// Does the same where a call could be handed over, and where it could not: `act` gets a line of
/// shell that begins the call.
fn in_both<T: PartialEq + std::fmt::Debug>(house: &House, act: impl Fn(&str) -> T) -> T {
    let run = format!("{} run --session house", binary().display());
    let alone = act(&format!("BASHFUL_ALONE=1 {run}"));
    let line = format!("env -u BASHFUL_ALONE {run}");
    let (served, beside) = house.serves(|| act(&line));
    assert_eq!(beside, alone);
    assert!(!served, "a call at a terminal was handed over: {beside:?}");
    beside
}

#[test]
fn a_prompt_is_answered_at_the_terminal() {
    let house = asking();
    for (key, expected) in [(b"y", (0, true)), (b"n", (120, false))] {
        let found = in_both(&house, |run| {
            let mut terminal = Terminal::line(&house.world, &format!("{run} 'touch made'"));
            terminal.asked(1);
            terminal.press(key);
            let (code, _) = terminal.end();
            let made = std::fs::remove_file(house.world.path("workspace/made")).is_ok();
            (code, made)
        });
        assert_eq!(found, expected);
    }
}

#[test]
fn ctrl_c_cancels() {
    let house = House::in_world(World::new());
    let found = in_both(&house, |run| {
        let call = format!("{run} 'echo began; read <> <(:)'");
        let mut terminal = Terminal::line(&house.world, &call);
        terminal.look_for("│ began", 1);
        terminal.press(b"\x03");
        let (code, seen) = terminal.end();
        (code, seen.contains("✗ Command cancelled ("))
    });
    assert_eq!(found, (130, true));
}

#[test]
fn ctrl_z_stops_the_call_and_the_shell_brings_it_back() {
    let house = House::in_world(World::new());
    let found = in_both(&house, |run| {
        let call =
            format!("{run} 'echo began; until test -e go; do read -t 0.1 <> <(:); done; exit 7'");
        // A shell with job control, as a person has: it goes on where the call is stopped.
        let line = format!(
            "bash -c 'set -m; {}; echo stopped $?; echo > go; fg; echo over $?'",
            call.replace('\'', r"'\''")
        );
        let mut terminal = Terminal::line(&house.world, &line);
        terminal.look_for("│ began", 1);
        terminal.press(b"\x1a");
        let (code, seen) = terminal.end();
        std::fs::remove_file(house.world.path("workspace/go")).unwrap();
        let told = ["stopped 148\n", "over 7\n"].map(|text| seen.contains(text));
        (code, told)
    });
    assert_eq!(found, (0, [true, true]));
}

#[test]
fn the_terminal_of_a_run_follows_the_size_of_the_persons() {
    let house = House::in_world(World::new());
    let found = in_both(&house, |run| {
        let command = "trap \"echo told of \\$(stty size)\" WINCH; echo > began; \
            until test \"$(stty size)\" = \"33 77\"; do sleep 0.1; done; exit 5";
        let line = format!(
            "(until test -e began; do sleep 0.1; done; stty cols 77 rows 33 < /dev/tty) & \
             {run} --tty '{command}'"
        );
        let terminal = Terminal::line(&house.world, &line);
        let (code, seen) = terminal.end();
        std::fs::remove_file(house.world.path("workspace/began")).unwrap();
        (code, seen.contains("told of 33 77"))
    });
    assert_eq!(found, (5, true));
}
