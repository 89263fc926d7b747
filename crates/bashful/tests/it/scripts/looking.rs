//! What a person sees before they say yes: what changed to the byte, and what it will reach.

use crate::support::{Terminal, World, eventually};

/// What `scripts approve` shows, and what comes of this key.
fn approving(world: &World, name: &str, key: &[u8]) -> (i32, String) {
    let mut terminal = Terminal::bashful(world, &["scripts", "approve", name]);
    terminal.asked(1);
    terminal.press(key);
    terminal.end()
}

#[test]
fn every_changed_byte_is_seen() {
    let world = World::new();
    world.keeps_approved("a", "echo a\necho b\n", &[]);
    for (text, shown) in [
        ("echo a\necho b\r\n", "+echo b^M"),
        ("echo a\necho b", "\\ No newline at end of file"),
        ("echo a\necho b \n", "+echo b␠"),
    ] {
        world.scripts_with(&["edit", "a", "-"], text);
        let last = world.told(&["history", "a"])["versions"]
            .as_array()
            .unwrap()
            .len();
        let diff = world.scripts(&["diff", "a", "1", &last.to_string()]);
        assert!(diff.stdout.contains(shown), "{text:?}: {diff:?}");
        let (code, screen) = approving(&world, "a", b"n");
        assert_eq!(code, 1, "{screen}");
        assert!(screen.contains(shown), "{text:?}: {screen}");
    }
}

#[test]
fn changed_variables_are_seen() {
    let world = World::new();
    world.keeps_approved(
        "a",
        "echo $A $B\n",
        &["--variable", "A=one", "--variable", "B=two"],
    );
    world.told(&[
        "edit",
        "a",
        "--variable",
        "A=$(evil)",
        "--variable",
        "C=three",
    ]);
    let (_, screen) = approving(&world, "a", b"n");
    let parts = [
        "was: A (string) = \"one\"",
        "new: it did not exist",
        "gone: B (string)",
    ];
    for part in parts {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    let mut terminal = Terminal::bashful(&world, &["scripts", "run", "a"]);
    terminal.asked(1);
    // The question fits a small screen, and what changed stands behind `v`.
    terminal.press(b"v");
    for part in parts {
        assert!(eventually(|| terminal.seen().contains(part)), "{part}");
    }
    // It has more rows than the screen.
    terminal.press(b"q");
    terminal.asked(2);
    terminal.press(b"n");
    terminal.end();
}

#[test]
fn approve_shows_what_it_will_reach_and_asks_once() {
    let world = World::new();
    world.keeps(
        "a",
        "echo $N > /dev/null\n",
        &["--network", "on", "--variable", "N:number"],
    );
    let (code, screen) = approving(&world, "a", b"y");
    assert_eq!(code, 0, "{screen}");
    assert!(
        screen.contains("What it will be able to reach")
            && (screen.contains("Can read") || screen.contains("Can reach")),
        "{screen}"
    );
    // Nothing is left to be asked about.
    let (code, screen) = Terminal::bashful(&world, &["scripts", "approve", "a"]).end();
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("Already approved"), "{screen}");
    let records = world.call(&["audit", "list", "--event", "script", "--json"]);
    assert_eq!(records.stdout.matches("\"change\":\"approved\"").count(), 1);
    // The same for those who take it back.
    world.told(&["revoke", "a"]);
    let told = world.told(&["revoke", "a"]);
    assert_eq!(told["script"]["approved"], false, "{told}");
    // And nothing is told of an edit that changes nothing.
    let same = world.scripts_with(&["edit", "a", "-"], "echo $N > /dev/null\n");
    assert!(same.stdout.contains("Nothing was changed"), "{same:?}");
}

#[test]
fn a_paste_is_no_answer_to_approve() {
    let world = World::new();
    world.keeps("a", "echo one\n", &[]);
    let mut terminal = Terminal::bashful(&world, &["scripts", "approve", "a"]);
    terminal.asked(1);
    terminal.paste(b"y\r");
    terminal.look_for("Several keys at once", 1);
    terminal.asked(2);
    terminal.press(b"y");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
}

#[test]
fn the_approved_version_is_kept_and_can_be_taken_back() {
    let world = World::new();
    world.configure("[scripts]\nkeep_versions = 1\n");
    world.keeps_approved("a", "echo 1\n", &[]);
    for number in 2..5 {
        world.scripts_with(&["edit", "a", "-"], format!("echo {number}\n"));
    }
    let versions = world.told(&["history", "a"])["versions"].clone();
    let numbers: Vec<u64> = versions
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["number"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, [1, 4]);
    let (_, screen) = approving(&world, "a", b"n");
    assert!(
        screen.contains("-echo 1") && screen.contains("+echo 4"),
        "{screen}"
    );
    let told = world.told(&["restore", "a", "--version", "1"]);
    assert_eq!(told["script"]["approved"], true, "{told}");
}

#[test]
fn json_on_a_terminal_does_nothing_to_it() {
    let world = World::new();
    world.keeps(
        "a",
        "echo one # \u{202e}\n",
        &["--description", "x\u{202e}\u{200b}y"],
    );
    for arguments in [["list", "--json"].as_slice(), &["show", "a", "--json"]] {
        let (code, screen) = Terminal::bashful(&world, &[&["scripts"], arguments].concat()).end();
        assert_eq!(code, 0, "{screen}");
        assert!(screen.contains("x\\u202e\\u200by"), "{screen}");
        assert!(!screen.contains('\u{202e}'), "{screen}");
    }
}
