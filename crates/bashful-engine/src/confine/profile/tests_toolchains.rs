//! Tests of the programs on PATH and the toolchains of the home that a run sees.

use std::fs;
use std::path::PathBuf;

use bashful_policy::Preset;

use super::Confined;
use super::tests_support::{World, is_readable};

fn build(world: &mut World, path: &[&str]) -> Confined {
    world.preset = Preset::Build;
    let mut entries: Vec<String> = path
        .iter()
        .map(|entry| world.base.join(entry).display().to_string())
        .collect();
    entries.extend(["/usr/bin".to_owned(), String::new(), "relative".to_owned()]);
    world.path = entries.join(":");
    world.confine("{}").unwrap()
}

/// The variables without the directory.
fn variables(world: &World, confined: &Confined) -> Vec<String> {
    let base = format!("{}/", world.base.display());
    let each = confined.environment.iter();
    each.map(|(name, value)| format!("{name}={}", value.replace(&base, "")))
        .collect()
}

#[test]
fn rust_needs_rustup_and_no_credentials() {
    let mut world = World::new();
    world.program("home/.cargo/bin/rustup");
    world.link("rustup", "home/.cargo/bin/cargo");
    let secret = world.file("home/.cargo/credentials.toml");
    world.file("home/.rustup/toolchains/stable/bin/rustc");
    let confined = build(&mut world, &["home/.cargo/bin"]);
    assert_eq!(
        world.short(&confined.profile.read),
        ["home/.cargo/bin", "home/.rustup"]
    );
    assert_eq!(variables(&world, &confined), ["RUSTUP_HOME=home/.rustup"]);
    assert!(!is_readable(&confined.profile, &secret));
    // So it is without a word about presets, but not where nothing is to be written.
    world.preset = Preset::Workspace;
    assert_eq!(world.confine("{}").unwrap(), confined);
    world.preset = Preset::ReadOnly;
    assert_eq!(world.profile("{}").read, [] as [PathBuf; 0]);
    // What is denied is not added.
    world.preset = Preset::Build;
    let denied = world.confine(r#"{"paths_deny": ["~/.rustup"]}"#).unwrap();
    assert_eq!(world.short(&denied.profile.read), ["home/.cargo/bin"]);
    assert_eq!(denied.environment, []);
}

#[test]
fn node_by_nvm_and_by_fnm() {
    let mut world = World::new();
    world.program("home/.nvm/versions/node/v22/bin/node");
    world.file("home/.npmrc");
    let confined = build(&mut world, &["home/.nvm/versions/node/v22/bin"]);
    assert_eq!(world.short(&confined.profile.read), ["home/.nvm"]);
    assert_eq!(variables(&world, &confined), ["NVM_DIR=home/.nvm"]);

    let mut world = World::new();
    world.program("home/.local/share/fnm/node-versions/v22/installation/bin/node");
    let real = world
        .base
        .join("home/.local/share/fnm/node-versions/v22/installation");
    world.link(real, "run/fnm_multishells/1");
    let confined = build(&mut world, &["run/fnm_multishells/1/bin"]);
    assert_eq!(
        world.short(&confined.profile.read),
        ["home/.local/share/fnm"]
    );
    let shown = variables(&world, &confined);
    assert_eq!(shown[0], "FNM_DIR=home/.local/share/fnm");
    // The link is not seen inside, so PATH is spelled without it.
    let path = "home/.local/share/fnm/node-versions/v22/installation/bin";
    assert_eq!(shown[1], format!("PATH={path}:/usr/bin::relative"));
}

#[test]
fn python_by_pyenv_and_in_a_virtual_environment() {
    let mut world = World::new();
    world.program("home/.pyenv/shims/python3");
    world.file("home/.pyenv/versions/3.12/bin/python3");
    let confined = build(&mut world, &["home/.pyenv/shims"]);
    assert_eq!(world.short(&confined.profile.read), ["home/.pyenv"]);
    assert_eq!(variables(&world, &confined), ["PYENV_ROOT=home/.pyenv"]);

    let mut world = World::new();
    let python = world.program("home/python-3.12/bin/python3");
    world.link(&python, "home/environments/one/bin/python3");
    let home = python.parent().unwrap().display();
    let settings = world.file("home/environments/one/pyvenv.cfg");
    fs::write(settings, format!("home = {home}\nversion = 3.12\n")).unwrap();
    let confined = build(&mut world, &["home/environments/one/bin"]);
    assert_eq!(
        world.short(&confined.profile.read),
        ["home/environments/one", "home/python-3.12"]
    );
}

#[test]
fn java_and_go_have_their_roots() {
    let mut world = World::new();
    world.program("jdk-21/bin/java");
    world.program("jdk-21/bin/javac");
    world.program("sdk/go1.22/bin/go");
    let java = world.base.join("jdk-21").display().to_string();
    world.caller.insert("JAVA_HOME".to_owned(), java);
    world
        .caller
        .insert("GOROOT".to_owned(), "/no/such".to_owned());
    let confined = build(&mut world, &["jdk-21/bin", "sdk/go1.22/bin"]);
    assert_eq!(
        world.short(&confined.profile.read),
        ["jdk-21", "sdk/go1.22"]
    );
    assert_eq!(variables(&world, &confined), ["JAVA_HOME=jdk-21"]);
}

#[test]
fn a_bin_of_the_home_does_not_show_the_home() {
    let mut world = World::new();
    world.program("home/bin/node");
    world.program("home/.local/bin/python3");
    world.file("home/letters/private");
    world.program("home/scripts/mine");
    world
        .caller
        .insert("JAVA_HOME".to_owned(), world.home.display().to_string());
    world.program("home/bin/java");
    let confined = build(&mut world, &["home/bin", "home/.local/bin", "home/scripts"]);
    assert_eq!(
        world.short(&confined.profile.read),
        ["home/.local/bin", "home/bin", "home/scripts"]
    );
    assert_eq!(confined.environment, []);
    assert_eq!(world.short(&confined.profile.empty), ["home"]);
}

#[test]
fn links_on_path_show_what_they_need_and_no_more() {
    let world = &mut World::new();
    // One table: what is there, where the link leads, and what is seen for it.
    let cases: [(&str, &[&str], &[&str]); 7] = [
        // An environment for one program, and the interpreter that it was made from.
        (
            "home/.local/pipx/venvs/black/bin/black",
            &[],
            &["home/.local/pipx/venvs"],
        ),
        (
            "home/.local/share/uv/tools/ruff/bin/ruff",
            &[],
            &["home/.local/share/uv/tools"],
        ),
        (
            "home/.bun/install/global/node_modules/tsc/bin/tsc",
            &[],
            &["home/.bun/install/global/node_modules"],
        ),
        // An installation, by what lies beside its `bin`.
        (
            "home/cloud/bin/cloud",
            &["home/cloud/lib/cloud.py"],
            &["home/cloud"],
        ),
        // A project of the person's is none, and what lies beside a script is none of its own.
        (
            "home/mine/bin/mine",
            &["home/mine/lib/x", "home/mine/.git/HEAD"],
            &["home/mine/bin/mine"],
        ),
        (
            "home/letters/send",
            &["home/letters/to-anna"],
            &["home/letters/send"],
        ),
        // What is secret stays secret.
        ("home/.ssh/bin/agent", &["home/.ssh/id"], &[]),
    ];
    for (target, beside, _) in cases {
        let target = world.program(target);
        let name = target.file_name().unwrap().to_str().unwrap().to_owned();
        world.link(&target, &format!("home/.local/bin/{name}"));
        for name in beside {
            world.file(name);
        }
    }
    let confined = build(world, &["home/.local/bin"]);
    let mut seen: Vec<&str> = cases
        .iter()
        .flat_map(|(_, _, seen)| *seen)
        .copied()
        .collect();
    seen.push("home/.local/bin");
    seen.sort_unstable();
    let mut read = world.short(&confined.profile.read);
    read.sort();
    assert_eq!(read, seen);
    let letter = world.base.join("home/letters/to-anna");
    assert!(!is_readable(&confined.profile, &letter));
}

#[test]
fn secrets_in_a_toolchain_are_hidden() {
    let mut world = World::new();
    world.program("home/.nvm/versions/node/v22/bin/node");
    world.program("home/.local/share/fnm/node-versions/v20/installation/bin/node");
    let secrets = [
        ".nvm/.npmrc",
        ".nvm/versions/node/v22/etc/npmrc",
        ".nvm/.env.local",
        ".local/share/fnm/node-versions/v20/installation/etc/npmrc",
        ".pyenv/.pypirc",
        ".pyenv/versions/3.12/credentials.json",
        ".local/share/uv/credentials/token",
    ];
    let all: Vec<_> = secrets
        .map(|name| world.file(&format!("home/{name}")))
        .into();
    // One that is elsewhere, but leads into what is seen.
    let linked = world.file("home/.pyenv/netrc-of-mine");
    world.link(&linked, "home/.netrc");
    let confined = build(&mut world, &["home/.nvm/versions/node/v22/bin"]);
    let seen = |path: &PathBuf| is_readable(&confined.profile, path);
    assert!(seen(&world.file("home/.nvm/versions/node/v22/bin/npm")));
    // Deeper than any tool puts one: the table of names does not go there.
    let shown: Vec<_> = all.iter().filter(|path| seen(path)).collect();
    assert_eq!(
        world.short(shown),
        ["home/.pyenv/versions/3.12/credentials.json"]
    );
    assert!(!seen(&linked));
}

#[test]
fn what_runs_can_write_comes_last_on_path() {
    let mut world = World::new();
    for name in ["project/.venv", "out", "tools"] {
        world.program(&format!("home/{name}/bin/python3"));
    }
    world.directory("other");
    world.link(world.base.join("other"), "home/project/link");
    let entries = [
        "home/project/.venv/bin",
        "home/out/bin",
        "home/tools/bin",
        "home/project/no",
    ];
    let path = |order: &[&str], last: &str| {
        let order = order
            .iter()
            .map(|entry| world.base.join(entry).display().to_string());
        let mut all: Vec<String> = order.collect();
        all.push(last.to_owned());
        all.join(":")
    };
    let path_of = |confined: &Confined| {
        let mut set = confined.environment.iter();
        let found = set.find(|(name, _)| name == "PATH");
        found.map(|(_, value)| value.clone())
    };
    let [venv, out, tools, no] = entries;
    world.path = format!(":{}", path(&entries, "/usr/bin:here"));
    let write = format!(
        r#"{{"paths_write": ["{}"]}}"#,
        world.home.join("out").display()
    );
    let confined = world.confine(&write).unwrap();
    // What is empty or relative is a directory of the moment.
    let expected = format!(
        "{}:{}",
        path(&[tools], "/usr/bin:"),
        path(&[venv, out, no], "here")
    );
    assert_eq!(path_of(&confined), Some(expected));
    assert_eq!(world.short(&confined.put_last), [venv, out]);
    // A run that may write less lets less stand back.
    let confined = world.confine("{}").unwrap();
    assert_eq!(world.short(&confined.put_last), [venv]);
    // And one whose directories stood last already is not told of them.
    world.path = format!("{}:{}", path(&[tools], "/usr/bin"), path(&[venv], ""));
    let confined = world.confine("{}").unwrap();
    assert_eq!((path_of(&confined), confined.put_last), (None, Vec::new()));
}
