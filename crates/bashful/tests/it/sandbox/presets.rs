//! `--preset` and `--sandbox`.

use std::fs;

use serde_json::json;

use super::{is_root, output, printed, text};
use crate::support::World;

/// What of four things a run can do: read the workspace, write it, write /tmp, and write
/// beside the workspace.
fn can(world: &World, flags: &[&str]) -> String {
    world.write("file", "read\n");
    fs::create_dir_all(world.path("beside")).unwrap();
    let text = "cat file; (echo x > new) && echo workspace; made=$(mktemp) && rm $made && echo tmp; \
                (echo x > ../beside/new) && echo beside; true";
    let seen = printed(world, flags, text);
    let _ = fs::remove_file(world.workspace().join("new"));
    let _ = fs::remove_file(world.path("beside/new"));
    seen
}

#[test]
fn each_preset_gives_what_it_says() {
    let world = World::unjudged();
    let found =
        ["read-only", "workspace", "build"].map(|preset| can(&world, &["--preset", preset]));
    let expected = [
        "read\ntmp\n",
        "read\nworkspace\ntmp\n",
        "read\nworkspace\ntmp\n",
    ];
    assert_eq!(found, expected);
    assert_eq!(can(&world, &[]), expected[1]);
}

#[test]
fn a_read_only_workspace_takes_nothing_at_all() {
    let world = World::unjudged();
    world.write("file", "content\n");
    let before = super::listing(&world.workspace());
    let text = "rm -f file; mv file f; echo x >> file; mkdir d; ln file l; chmod 777 file; \
                touch -d yesterday file; truncate -s 0 file; git init -q .";
    printed(&world, &["--preset", "read-only"], text);
    assert_eq!(super::listing(&world.workspace()), before);
}

#[test]
fn the_full_preset_reaches_what_the_user_may() {
    let world = World::unjudged();
    assert_eq!(
        can(&world, &["--preset", "full"]),
        "read\nworkspace\ntmp\nbeside\n"
    );
    let devices = "echo > /dev/null && head -c 4 /dev/urandom | wc -c && echo x > /dev/stdout";
    assert_eq!(output(&world, &["--preset", "full"], devices), "4\nx\n");
    let file = world.path("beside/by-full");
    let write = format!("echo x > {}", file.display());
    output(&world, &["--preset", "full"], &write);
    assert!(file.exists());
    let (code, result) = world.json(&["--preset", "full", "true"]);
    let found = json!([code, result["enforcement"]["backend"]]);
    assert_eq!(found, json!([0, "native"]), "{result}");
}

#[test]
fn a_person_is_warned_of_the_full_preset() {
    let world = World::unjudged();
    let outcome = world.run(&["--preset", "full", "true"]);
    let warned = outcome.stderr.to_lowercase();
    assert!(
        warned.contains("full") || warned.contains("danger"),
        "{outcome:?}"
    );
}

#[test]
fn without_a_sandbox_nothing_is_enforced_and_all_say_so() {
    let world = World::unjudged();
    let (code, result) = world.json(&["--sandbox", "none", "id -u"]);
    let user = rustix::process::geteuid().as_raw();
    let found = json!([code, result["stdout"], result["enforcement"]["backend"]]);
    assert_eq!(found, json!([0, format!("{user}\n"), "none"]));
    for name in [
        "filesystem",
        "network",
        "commands",
        "processes",
        "resources",
        "identity",
    ] {
        assert_eq!(result["enforcement"][name], "none", "{name}");
    }
    let outcome = world.run(&["--sandbox", "none", "true"]);
    assert!(
        outcome.stderr.contains("Nothing is enforced"),
        "{outcome:?}"
    );
    let outcome = World::new().run(&["true"]);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn without_a_sandbox_the_host_is_reached() {
    let world = World::unjudged();
    fs::write(world.path("outside"), "outside\n").unwrap();
    let look = format!("cat {}", world.path("outside").display());
    assert_eq!(output(&world, &["--sandbox", "none"], &look), "outside\n");
    assert_eq!(printed(&world, &["--sandbox", "native"], &look), "");
}

#[test]
fn a_run_has_no_rights_of_the_kernels() {
    let world = World::unjudged();
    let text = "grep -E '^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp):' /proc/self/status | \
                tr -s '\\t ' ' '";
    let seen = output(&world, &[], text);
    let zero = "0000000000000000";
    let mut expected = ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"]
        .map(|name| format!("{name}: {zero}"))
        .to_vec();
    expected.extend(["NoNewPrivs: 1".to_owned(), "Seccomp: 2".to_owned()]);
    assert_eq!(seen.lines().collect::<Vec<_>>(), expected);
    let user: u32 = output(&world, &[], "id -u").trim().parse().unwrap();
    assert!(!is_root() || user != 0);
}

#[test]
fn a_run_has_nothing_of_the_callers_open() {
    let world = World::unjudged();
    let seen = output(&world, &[], "ls /proc/self/fd | tr '\\n' ' '");
    assert_eq!(seen, "0 1 2 3 ");
    let processes = output(&world, &[], "ls -d /proc/[0-9]* | wc -l");
    assert!(processes.trim().parse::<u32>().unwrap() <= 4, "{processes}");
}

#[test]
fn flags_come_on_top_of_a_preset() {
    let world = World::unjudged();
    let beside = world.path("beside");
    fs::create_dir(&beside).unwrap();
    let flags = ["--preset", "read-only", "--write", text(&beside)];
    assert_eq!(can(&world, &flags), "read\ntmp\nbeside\n");
    let flags = ["--preset", "read-only", "--write", "."];
    assert_eq!(can(&world, &flags), "read\nworkspace\ntmp\n");
}
