//! Compilers and build tools.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{finish, steps, untroubled, work, work_with};
use crate::support::{PATH, World};

#[test]
fn gcc_and_make_build_and_test_a_project() {
    let world = World::new();
    fs::create_dir(world.workspace().join("source")).unwrap();
    world.write("source/sum.c", "int sum(int a, int b) { return a + b; }\n");
    world.write("source/sum.h", "int sum(int, int);\n");
    world.write(
        "source/main.c",
        "#include <stdio.h>\n#include \"sum.h\"\n\
         int main(void) { printf(\"%d\\n\", sum(40, 2)); return 0; }\n",
    );
    world.write(
        "source/check.c",
        "#include <assert.h>\n#include <pthread.h>\n#include \"sum.h\"\n\
         static void *half(void *unused) { assert(sum(1, 1) == 2); return unused; }\n\
         int main(void) { pthread_t it; pthread_create(&it, 0, half, 0);\n\
         return pthread_join(it, 0); }\n",
    );
    let makefile = [
        "CFLAGS = -O2 -Wall -Werror",
        "all: sum",
        "%.o: source/%.c source/sum.h\n\tgcc $(CFLAGS) -c -o $@ $<",
        "libsum.a: sum.o\n\tar rcs $@ $^",
        "sum: main.o libsum.a\n\tgcc -o $@ $^",
        "check: source/check.c libsum.a\n\tgcc $(CFLAGS) -pthread -o $@ $^ && ./check",
        ".PHONY: all check",
    ];
    world.write("Makefile", makefile.join("\n\n") + "\n");
    let made = steps(&world, &["make -s -j4", "make -s check", "./sum"]);
    assert_eq!(made, "42\n");
    // And what it made runs outside.
    let output = world.program("./sum").output().unwrap();
    assert_eq!(output.stdout, b"42\n");
}

#[test]
fn the_log_of_one_call_is_read_in_the_next() {
    let world = World::new();
    world.write("Makefile", "all:\n\t@echo building; echo warning >&2\n");
    let session = ["--session", "s"];
    assert_eq!(work_with(&world, &session, "make > /tmp/log 2>&1"), "");
    let log = work_with(&world, &session, "cat /tmp/log");
    assert_eq!(log, "building\nwarning\n");
    assert!(!Path::new("/tmp/log").exists() || fs::read("/tmp/log").unwrap() != log.as_bytes());
}

/// A call in the environment of the user who runs the tests: with the real search path and the real
/// home, where toolchains are.
fn as_oneself(world: &World) -> Command {
    let mut command = world.run_command(&[] as &[&str]);
    for name in ["PATH", "HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

/// What a tool says of itself outside, if this user has one that starts.
fn version(name: &str) -> Option<String> {
    let output = Command::new(name).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then_some(text)
}

#[test]
fn toolchains_inside_are_those_outside() {
    let world = World::new();
    let tools = [
        "gcc", "make", "git", "python3", "node", "npm", "sqlite3", "cargo", "rustc", "java",
    ];
    for tool in tools {
        let outside = version(tool);
        let used = outside.as_deref().and_then(|text| text.lines().next());
        println!(
            "{tool}: {}",
            used.unwrap_or("none that this user can start")
        );
        let outcome = finish(as_oneself(&world), &[], &format!("{tool} --version"));
        let inside = (outcome.code == 0).then_some(outcome.stdout.clone());
        assert_eq!(inside, outside, "{tool}: {outcome:?}");
    }
    // What every machine has for all its users.
    for tool in &tools[..7] {
        assert!(version(tool).is_some(), "{tool}");
    }
}

#[test]
fn cargo_builds_and_tests_a_crate_offline() {
    let world = World::new();
    fs::create_dir(world.workspace().join("src")).unwrap();
    world.write(
        "Cargo.toml",
        "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    world.write(
        "src/lib.rs",
        "pub fn sum(a: i32, b: i32) -> i32 { a + b }\n\
         #[test]\nfn sums() { assert_eq!(sum(40, 2), 42); }\n",
    );
    world.write(
        "src/main.rs",
        "fn main() { println!(\"{}\", small::sum(40, 2)); }\n",
    );
    let text = "cargo build --offline -q && cargo test --offline -q --lib && ./target/debug/small";
    let command = as_oneself(&world);
    let Some(cargo) = version("cargo") else {
        println!("cargo: none that this user can start");
        let outcome = finish(command, &[], text);
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (127, ""),
            "{outcome:?}"
        );
        return;
    };
    println!("cargo: {cargo}");
    let printed = untroubled(finish(command, &[], text), text);
    assert!(printed.contains("1 passed"), "{printed}");
    assert!(printed.ends_with("42\n"), "{printed}");
}

#[test]
fn a_toolchain_in_the_home_is_seen_without_its_credentials() {
    let world = World::unjudged();
    let cargo = world.path("home/.cargo");
    fs::create_dir_all(cargo.join("bin")).unwrap();
    fs::copy("/bin/true", cargo.join("bin/cargo")).unwrap();
    fs::write(cargo.join("credentials.toml"), "token\n").unwrap();
    let nvm = world.path("home/.nvm/versions/node/v1");
    fs::create_dir_all(nvm.join("bin")).unwrap();
    fs::copy("/bin/true", nvm.join("bin/node")).unwrap();
    fs::write(world.path("home/.npmrc"), "token\n").unwrap();
    let path = [cargo.join("bin"), nvm.join("bin")].map(|place| place.display().to_string());
    let text = format!(
        "command -v cargo node; cargo && node && echo ran; \
         cat {0}/credentials.toml {1}/.npmrc; echo x > {0}/bin/new",
        cargo.display(),
        world.path("home").display()
    );
    let mut command = world.run_command(&[] as &[&str]);
    command.env("PATH", format!("{}:{PATH}", path.join(":")));
    let outcome = finish(command, &[], &text);
    let expected = format!("{}/cargo\n{}/node\nran\n", path[0], path[1]);
    assert_eq!(outcome.stdout, expected, "{outcome:?}");
    assert!(!cargo.join("bin/new").exists());
    // Where nothing is to be written, they are not shown.
    let mut command = world.run_command(&["--preset", "read-only"]);
    command.env("PATH", format!("{}:{PATH}", path.join(":")));
    assert_eq!(finish(command, &[], "cargo").code, 127);
}

#[test]
fn a_compiler_can_be_piped_into() {
    let world = World::new();
    let text = "printf 'int main(void){return 7;}' | gcc -pipe -x c -o seven - && \
                ./seven; echo $?";
    assert_eq!(work(&world, text), "7\n");
}
