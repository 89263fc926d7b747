//! Tests of the toolchains that the preset `build` finds.

use std::fs;

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
    // Only the preset adds them.
    world.preset = Preset::Workspace;
    let plain = world.confine("{}").unwrap();
    assert_eq!(
        (plain.profile.read, plain.environment),
        (Vec::new(), Vec::new())
    );
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
        ["home/.local/bin", "home/bin"]
    );
    assert_eq!(confined.environment, []);
    assert_eq!(world.short(&confined.profile.empty), ["home"]);
}
