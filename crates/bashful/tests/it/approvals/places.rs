//! May it write in this directory? A yes opens it, for the command or for all that the agent does,
//! and nothing else; some directories are never asked about.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{grants, on_a_terminal, pending};
use crate::support::World;

/// A directory outside of all that a run sees, where an ordinary user may make one.
struct Outside(tempfile::TempDir);

impl Outside {
    fn new() -> Self {
        let mut builder = tempfile::Builder::new();
        Self(builder.prefix("outside").tempdir_in("/var/tmp").unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        let root = self.0.path().canonicalize().unwrap();
        if name.is_empty() {
            root
        } else {
            root.join(name)
        }
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }
}

fn run(world: &World, command: &str) -> (i32, Value) {
    world.json(&["--session", "talk", command])
}

/// What a run asked for; the id of its ask.
fn asked(result: &Value, directory: &Path) -> String {
    let wanted = json!([{ "capability": "paths_write", "path": directory }]);
    assert_eq!(result["approval"]["ask"], wanted, "{result}");
    result["approval"]["id"].as_str().unwrap().to_owned()
}

fn allow(world: &World, ask: &str, scope: &[&str]) {
    let arguments = [&["approvals", "allow", ask], scope].concat();
    let (code, screen) = on_a_terminal(world, &arguments);
    assert_eq!(code, 0, "{screen}");
}

#[test]
fn a_yes_opens_the_directory_that_the_text_names() {
    let world = World::new();
    world.write("file", "content\n");
    let outside = Outside::new();
    fs::write(outside.path("there"), "old\n").unwrap();
    fs::create_dir(outside.path("sub")).unwrap();
    let at = outside.text("");
    let commands = [
        format!("echo new > {at}/there"),
        format!("echo new > {at}/new"),
        format!("cp file {at}"),
        format!("cp file {at}/sub/../copied"),
        format!("touch {at}/a {at}/b && mkdir {at}/made"),
        format!("cd {at} && echo more >> there"),
        format!("rm {at}/there {at}/*d"),
        format!("tee {at}/tee < file"),
    ];
    for command in commands {
        let (code, result) = run(&world, &command);
        assert_eq!(code, 121, "{command}: {result}");
        let ask = asked(&result, &outside.path(""));
        allow(&world, &ask, &[]);
        let (code, result) = run(&world, &command);
        assert_eq!(code, 0, "{command}: {result}");
        assert_eq!(run(&world, &command).0, 121, "{command}");
    }
    let content = |name: &str| fs::read_to_string(outside.path(name)).ok();
    assert_eq!(content("new").as_deref(), Some("new\n"));
    assert_eq!(content("tee").as_deref(), Some("content\n"));
    assert_eq!([content("there"), content("copied")], [None, None]);
}

#[test]
fn a_lasting_yes_is_for_all_that_the_agent_writes_there() {
    let world = World::new();
    let (outside, other) = (Outside::new(), Outside::new());
    let at = outside.text("");
    let (_, result) = run(&world, &format!("touch {at}/a"));
    allow(
        &world,
        &asked(&result, &outside.path("")),
        &["--scope", "session"],
    );
    let [grant] = &grants(&world)[..] else {
        panic!("{:?}", grants(&world))
    };
    assert_eq!(grant["subject"], json!("any"));
    for command in [
        format!("touch {at}/a"),
        format!("echo other > {at}/b"),
        format!("f={at}; cat > $f/c <<< text"),
        format!("bash -c 'date > {at}/d'"),
    ] {
        assert_eq!(run(&world, &command).0, 0, "{command}");
    }
    let (code, result) = world.json(&["--session", "talk", "--stdin", &format!("tee {at}/e")]);
    assert_eq!(code, 0, "{result}");
    assert_eq!(
        run(&world, &format!("touch {at}/a {}/x", other.text(""))).0,
        121
    );
    for flags in [
        &["--session", "other"][..],
        &["--agent", "bot"],
        &["--network", "on"],
    ] {
        let text = format!("touch {at}/x");
        let arguments = [flags, &[text.as_str()]].concat();
        assert_eq!(world.json(&arguments).0, 121, "{flags:?}");
    }
    // It keeps its home: every command of the agent may write there.
    run(&world, "echo kept > ~/note");
    assert_eq!(run(&world, "cat ~/note").1["stdout"], "kept\n");
}

#[test]
fn what_is_not_there_is_made_after_the_yes_and_alone_opened() {
    let world = World::new();
    let outside = Outside::new();
    // A home, which stays closed.
    fs::write(outside.path(".profile"), "").unwrap();
    let command = |text: &str| {
        let mut call = world.run_command(&["--json", "--session", "talk", text]);
        call.env("HOME", outside.path(""));
        crate::support::Running::start(call).end().outcome().json()
    };
    let (made, text) = (
        outside.path("made"),
        format!("echo new > {}/file", outside.text("made")),
    );
    let (code, result) = command(&text);
    assert_eq!(code, 121, "{result}");
    let ask = asked(&result, &made);
    assert!(!made.exists());
    allow(&world, &ask, &["--scope", "session"]);
    assert!(made.is_dir());
    assert_eq!(command(&text).0, 0);
    assert_eq!(fs::read_to_string(made.join("file")).unwrap(), "new\n");
    // The command would find in its way what was made for it, or nothing can be opened.
    for name in ["other", "file", ".hidden/x", ".ssh/x"] {
        let text = format!("mkdir {0} || touch {0}", outside.text(name));
        assert_eq!(command(&text).0, 120, "{name}");
    }
    let (code, result) = command(&format!("mkdir -p {}", outside.text("tree/deep")));
    allow(&world, &asked(&result, &outside.path("tree")), &[]);
    assert_eq!(code, 121);
    assert_eq!(
        command(&format!("mkdir -p {}", outside.text("tree/deep"))).0,
        0
    );
    assert!(outside.path("tree/deep").is_dir());
}

#[test]
fn what_the_kernel_stopped_is_asked_about_and_then_works() {
    let world = World::new();
    let outside = Outside::new();
    fs::create_dir(outside.path("in")).unwrap();
    world.write("where", outside.text("in"));
    world.write("tool", "echo made > $(cat where)/$1");
    for (name, scope) in [("a", &[][..]), ("b", &["--scope", "project"])] {
        let command = format!("sh tool {name}");
        let (code, result) = run(&world, &command);
        assert_ne!(code, 0, "{result}");
        let ask = asked(&result, &outside.path("in"));
        assert!(!outside.path("in").join(name).exists());
        allow(&world, &ask, scope);
        assert_eq!(run(&world, &command).0, 0, "{command}");
        assert!(outside.path("in").join(name).exists());
    }
    // Also for other commands, and none of that is asked again.
    assert_eq!(run(&world, "sh tool c").0, 0);
    assert!(pending(&world).is_empty(), "{:?}", pending(&world));
}

#[test]
fn one_yes_opens_the_whole_way_to_a_program() {
    let world = World::new();
    let outside = Outside::new();
    fs::create_dir_all(outside.path("programs")).unwrap();
    fs::copy("/bin/echo", outside.path("programs/echo")).unwrap();
    symlink("programs", outside.path("moved")).unwrap();
    symlink("moved/echo", outside.path("again")).unwrap();
    symlink(outside.path("again"), outside.path("name")).unwrap();
    let script = format!("#!{}\n", outside.text("name"));
    fs::write(outside.path("greet"), script).unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(outside.path("greet"), executable).unwrap();
    fs::write(outside.path("secret"), "hidden").unwrap();
    for (number, command) in [outside.text("name"), outside.text("greet")]
        .iter()
        .enumerate()
    {
        let command = format!("{command} x");
        let (code, result) = run(&world, &command);
        assert_eq!(code, 127, "{result}");
        let ask = result["approval"]["id"].as_str().unwrap();
        allow(&world, ask, [&[][..], &["--scope", "session"]][number]);
        let (code, result) = run(&world, &command);
        assert_eq!(code, 0, "{command}: {result}");
        assert!(
            result["stdout"].as_str().unwrap().ends_with("x\n"),
            "{result}"
        );
    }
    assert!(pending(&world).is_empty());
    // It is the way that the person saw, and no other.
    fs::remove_file(outside.path("again")).unwrap();
    symlink("secret", outside.path("again")).unwrap();
    let (code, result) = run(&world, &format!("{} x", outside.text("greet")));
    assert_eq!(code, 0, "{result}");
}

#[test]
fn what_failed_in_the_same_way_is_not_asked_again() {
    let world = World::new();
    let outside = Outside::new();
    // A copy that needs a library beside it which is not seen, as many programs do.
    fs::write(outside.path("tool"), "#!/bin/sh\n. \"${0%/*}/library\"\n").unwrap();
    fs::write(outside.path("library"), "echo loaded\n").unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(outside.path("tool"), executable).unwrap();
    let command = outside.text("tool");
    let (_, result) = run(&world, &command);
    let ask = result["approval"]["id"].as_str().unwrap();
    allow(&world, ask, &["--scope", "session"]);
    let (code, result) = run(&world, &command);
    assert_ne!(code, 0, "{result}");
    assert_eq!(result["approval"], Value::Null, "{result}");
}

#[test]
fn some_directories_are_never_asked_about() {
    let world = World::new();
    let outside = Outside::new();
    fs::create_dir_all(outside.path("bin/deeper")).unwrap();
    fs::create_dir_all(outside.path("project/.git/hooks")).unwrap();
    fs::create_dir_all(outside.path("somebody")).unwrap();
    fs::write(outside.path("somebody/.bashrc"), "").unwrap();
    symlink(world.path(""), outside.path("link")).unwrap();
    symlink("/etc", outside.path("etc")).unwrap();
    let path = format!("{}:/usr/bin:/bin", outside.text("bin"));
    let refused = [
        "/etc/x".to_owned(),
        "/usr/local/x/y".to_owned(),
        "/var/lib/x/y".to_owned(),
        "/x".to_owned(),
        "/var/tmp/x".to_owned(),
        "/proc/self/x".to_owned(),
        outside.text("etc/x"),
        outside.text("bin/x"),
        outside.text("bin/deeper/x"),
        outside.text("somebody/x"),
        outside.text("project/.git/hooks/pre-commit"),
        outside.text("sub/../../x"),
        world.state().join("tasks/x").to_str().unwrap().to_owned(),
    ];
    for target in refused {
        let text = format!("echo x > {target}");
        let mut call = world.run_command(&["--json", &text]);
        call.env("PATH", &path);
        let (code, result) = crate::support::Running::start(call).end().outcome().json();
        assert_ne!(code, 121, "{target}: {result}");
        assert_eq!(result["approval"], Value::Null, "{target}");
        // Neither is it when the kernel stops it.
        let hidden = format!("x=$(printf %s {target}); echo x > \"$x\"");
        let mut call = world.run_command(&["--json", &hidden]);
        call.env("PATH", &path);
        let (_, result) = crate::support::Running::start(call).end().outcome().json();
        assert_eq!(result["approval"], Value::Null, "{hidden}: {result}");
    }
    assert!(pending(&world).is_empty());
}

#[test]
fn what_holds_the_workspace_stays_closed() {
    let world = World::new();
    let outside = Outside::new();
    fs::create_dir_all(outside.path("above/workspace")).unwrap();
    let workspace = outside.text("above/workspace");
    let run = |text: &str| world.json(&["--session", "talk", "--workspace", &workspace, text]);
    for text in [
        "echo x > ../file",
        "touch ../../file",
        "mkdir ../new",
        "rm -rf ../../above",
    ] {
        assert_eq!(run(text).0, 120, "{text}");
    }
    let text = "mkdir -p ../new/deep && touch ../new/deep/file";
    let (code, result) = run(text);
    assert_eq!(code, 121, "{result}");
    let ask = asked(&result, &outside.path("above/new"));
    assert!(!outside.path("above/new").exists());
    allow(&world, &ask, &["--scope", "session"]);
    assert_eq!(run(text).0, 0);
    assert!(outside.path("above/new/deep/file").exists());
    assert_eq!(run("cd ../new && touch ../file").0, 120);
    // What the kernel stops there is not asked about either.
    let (_, result) = run("x=../file; echo x > \"${x:0}\"");
    assert_eq!(result["approval"], Value::Null, "{result}");
    assert!(!outside.path("above/file").exists());
}

#[test]
fn a_directory_that_became_a_link_is_not_followed() {
    let world = World::new();
    let (outside, other) = (Outside::new(), Outside::new());
    // Between the ask and the yes, and between the yes and the run.
    for (name, exchanged_after_yes) in [("one", false), ("two", true)] {
        let place = outside.path(name);
        let text = format!("echo x > {}/file", outside.text(name));
        fs::create_dir(&place).unwrap();
        let exchange = || {
            fs::remove_dir(&place).unwrap();
            symlink(other.path(""), &place).unwrap();
        };
        let (code, result) = run(&world, &text);
        assert_eq!(code, 121);
        let ask = asked(&result, &place);
        if !exchanged_after_yes {
            exchange();
        }
        allow(&world, &ask, &["--scope", "session"]);
        if exchanged_after_yes {
            exchange();
        }
        // The question is now about where it leads.
        let (code, result) = run(&world, &text);
        assert_eq!(code, 121, "{result}");
        asked(&result, &other.path(""));
        assert!(!other.path("file").exists());
        // With the directory back, the yes holds again, and for it alone.
        fs::remove_file(&place).unwrap();
        fs::create_dir(&place).unwrap();
        assert_eq!(run(&world, &text).0, 0);
        assert!(place.join("file").exists());
    }
}

#[test]
fn the_admin_bounds_it_and_careful_refuses_it() {
    let world = World::new();
    let outside = Outside::new();
    let text = format!("touch {}/x", outside.text(""));
    let (code, result) = world.json(&["--profile", "careful", &text]);
    assert_eq!(
        (code, &result["decision"]["rule"]),
        (120, &json!("write-outside-roots"))
    );
    world.configure("[profile.default.class.write-outside-roots]\nrefused = \"deny\"\n");
    assert_eq!(world.json(&[&text]).0, 120);
}
