//! Scripts that are written in the person's own editor.

use crate::support::{Terminal, World, binary, ran};

/// `bashful scripts` on a terminal, with this as the editor.
fn editing(world: &World, editor: &str, arguments: &str) -> (i32, String) {
    let call = format!(
        "EDITOR='{editor}' {} scripts {arguments}",
        binary().display()
    );
    Terminal::line(world, &call).end()
}

#[test]
fn a_script_is_written_and_changed_in_an_editor() {
    let world = World::new();
    world.write("write.sh", "echo 'echo one' >> \"$1\"\n");
    world.write("change.sh", "sed -i s/one/two/ \"$1\"\n");
    let (code, screen) = editing(&world, "sh write.sh", "create --name a");
    assert_eq!(code, 0, "{screen}");
    let told = world.told(&["show", "a"]);
    let content = told["script"]["content"].as_str().unwrap();
    assert!(content.starts_with("#!/usr/bin/env bash\n"), "{content}");
    let (code, screen) = editing(&world, "sh change.sh", "edit a");
    assert_eq!(code, 0, "{screen}");
    world.told(&["approve", "a", "--yes"]);
    assert_eq!(world.scripts(&["run", "a"]), ran(0, "two\n", ""));
    // Nothing of it is left behind.
    let drafts = std::fs::read_dir(world.state().join("drafts")).unwrap();
    assert_eq!(drafts.count(), 0);
}

#[test]
fn an_editor_that_fails_or_writes_nothing_changes_nothing() {
    let world = World::new();
    let (code, screen) = editing(&world, "true", "create --name a");
    assert_eq!(code, 2, "{screen}");
    let (code, screen) = editing(&world, "false", "create --name a");
    assert_eq!(code, 2, "{screen}");
    assert!(
        world.told(&["list"])["scripts"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn what_was_typed_is_never_lost() {
    let world = World::new();
    world.write("typo.sh", "echo 'if true' >> \"$1\"\n");
    world.write("quit.sh", "echo 'echo one' >> \"$1\"; exit 1\n");
    for (editor, said) in [
        ("sh typo.sh", "does not parse"),
        ("sh quit.sh", "editor failed"),
    ] {
        let (code, screen) = editing(&world, editor, "create --name a");
        assert_eq!(code, 2, "{screen}");
        assert!(screen.contains(said), "{screen}");
        let said = screen.replace("\r\n", "\n");
        let (_, rest) = said.split_once("go on with `").unwrap();
        let (go_on, _) = rest.split_once('`').unwrap();
        let draft = go_on
            .strip_prefix("bashful scripts create --name a ")
            .unwrap();
        let text = std::fs::read_to_string(draft).unwrap();
        assert!(text.contains("true") || text.contains("one"), "{text}");
        std::fs::remove_file(draft).unwrap();
    }
    // The editor does not even start for a name that is taken.
    world.keeps("a", "echo one\n", &[]);
    let (code, screen) = editing(&world, "touch started; true", "create --name a");
    assert_eq!(code, 2, "{screen}");
    assert!(screen.contains("another script `a`"), "{screen}");
    assert!(!world.workspace().join("started").exists());
    let drafts = std::fs::read_dir(world.state().join("drafts")).unwrap();
    assert_eq!(drafts.count(), 0);
}

#[test]
fn what_somebody_else_changed_meanwhile_is_not_overwritten() {
    let world = World::new();
    world.keeps("a", "echo one\n", &[]);
    world.write(
        "slow.sh",
        format!(
            "echo 'echo mine' >> \"$1\"; echo 'echo theirs' | {} scripts edit a - > /dev/null\n",
            binary().display()
        ),
    );
    let (code, screen) = editing(&world, "sh slow.sh", "edit a");
    assert_eq!(code, 2, "{screen}");
    assert!(screen.contains("is no longer what was seen"), "{screen}");
    assert!(screen.contains("what you wrote is kept in"), "{screen}");
    assert_eq!(
        world.told(&["show", "a"])["script"]["content"],
        "echo theirs\n"
    );
}
