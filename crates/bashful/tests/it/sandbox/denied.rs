//! `--deny`: what is denied is hidden under every name.

use std::fs;
use std::os::unix::fs::symlink;

use super::paths::world;
use super::{output, printed, text};

#[test]
fn a_denied_path_is_hidden_under_every_name() {
    let world = world();
    let workspace = world.workspace();
    fs::create_dir(workspace.join("private")).unwrap();
    world.write("private/key", "hidden\n");
    world.write("plan", "hidden too\n");
    world.write("open", "open\n");
    fs::hard_link(workspace.join("plan"), workspace.join("twin")).unwrap();
    symlink("private", workspace.join("way")).unwrap();
    let look = "cat open plan twin private/key way/key ./private/../plan \
                /proc/self/cwd/plan /proc/self/root$PWD/plan; ls private; find . -name key";
    for (first, second) in [
        ("private", "plan"),
        ("./private/", "./pl*"),
        ("way", "twin"),
        (
            text(&workspace.join("private")),
            text(&workspace.join("plan")),
        ),
    ] {
        let flags = ["--deny", first, "--deny", second];
        assert_eq!(printed(&world, &flags, look), "open\n", "{flags:?}");
        let change = "rm -rf private plan; mv private p; mv plan q; echo x > plan; \
                      echo x > private/key; ln plan r; chmod 777 private plan";
        printed(&world, &flags, change);
        let kept = [world.read("private/key"), world.read("plan")];
        assert_eq!(kept, ["hidden\n", "hidden too\n"]);
    }
    // And without the flags all is there.
    let seen = output(&world, &[], "cat plan private/key");
    assert_eq!(seen, "hidden too\nhidden\n");
}

#[test]
fn a_denied_path_below_a_readable_one() {
    let world = world();
    let outside = world.path("outside");
    let denied = outside.join("deep");
    let flags = ["--read", text(&outside), "--deny", text(&denied)];
    let look = "cat ../outside/one.txt ../outside/deep/three.md";
    assert_eq!(printed(&world, &flags, look), "one\n");
}
