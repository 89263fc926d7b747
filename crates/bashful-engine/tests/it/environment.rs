//! What a run gets and where it works.

use std::fs;
use std::io::{Seek, Write};
use std::path::Path;

use bashful_engine::config::Config;
use bashful_engine::{Inherit, Invocation, Status, Stdin};

use crate::support::{House, run};

#[test]
fn standard_input_is_at_its_end_unless_given() {
    let house = House::new();
    let engine = house.engine();
    let result = run(&engine, Invocation::bash("cat; echo $?"));
    assert_eq!(result.stdout, "0\n");
    let given = Invocation::bash("cat | tr a-z A-Z").stdin(Stdin::Bytes(b"some text".to_vec()));
    assert_eq!(run(&engine, given).stdout, "SOME TEXT");
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(b"from a file").unwrap();
    file.rewind().unwrap();
    let given = Invocation::bash("cat").stdin(Stdin::Descriptor(file.into()));
    assert_eq!(run(&engine, given).stdout, "from a file");
}

#[test]
fn much_standard_input_arrives_whole() {
    let house = House::new();
    let input = vec![b'i'; 3 << 20];
    let given = Invocation::bash("wc -c").stdin(Stdin::Bytes(input));
    assert_eq!(run(&house.engine(), given).stdout.trim(), "3145728");
}

#[test]
fn a_program_gets_its_arguments_without_a_shell() {
    let house = House::new();
    let engine = house.engine();
    let arguments = ["%s|", "$HOME", "a  b", "*", ""];
    let result = run(&engine, Invocation::program("printf", arguments));
    assert_eq!(result.stdout, "$HOME|a  b|*||");
    crate::support::script(&house.file("tool"), "#!/bin/sh\necho tool \"$@\"\n");
    let result = run(&engine, Invocation::program("./tool", ["x y"]));
    assert_eq!(result.stdout, "tool x y\n");
}

#[test]
fn a_program_is_judged_like_the_command_line_that_starts_it() {
    let house = House::new();
    let result = house
        .engine()
        .start(Invocation::program("rm", ["-rf", "/"]));
    match result.unwrap() {
        bashful_engine::Started::NotAllowed(result) => assert_eq!(result.status, Status::Denied),
        bashful_engine::Started::Running(_) => panic!("it runs"),
    }
}

#[test]
fn bash_reads_no_startup_files() {
    let house = House::new();
    for name in [".bashrc", ".bash_profile", ".profile"] {
        fs::write(house.file(name), "echo startup\n").unwrap();
    }
    let result = run(
        &house.engine(),
        Invocation::bash("shopt -q login_shell; echo $?"),
    );
    assert_eq!(result.stdout, "1\n");
}

#[test]
fn a_command_longer_than_one_argument_runs() {
    let house = House::new();
    let engine = house.engine();
    for length in [131_000, 131_071, 131_072, 200_000, (1 << 20) - 100] {
        // Two bytes a character, so that no piece may be cut inside one.
        let text = "ü".repeat(length / 2);
        let command = format!("x='{text}'\necho ${{#x}} $# \"$0\"; exit 4");
        let result = run(&engine, Invocation::bash(command));
        let told = (
            result.stdout.as_str(),
            result.exit_code,
            result.stderr.as_str(),
        );
        assert_eq!(
            told,
            (format!("{} 0 bash\n", length / 2).as_str(), Some(4), "")
        );
    }
}

#[test]
fn a_long_command_with_a_here_document_and_quotes_runs() {
    let house = House::new();
    let filler = "# comment 'with \" odd ` quotes\n".repeat(6000);
    let command =
        format!("{filler}cat <<'END'\nit's \"here\" $HOME\nEND\ncompgen -v | grep -c bashful");
    let result = run(&house.engine(), Invocation::bash(command));
    assert_eq!(result.stdout, "it's \"here\" $HOME\n0\n");
}

#[test]
fn the_configuration_passes_more_variables() {
    let house = House::new();
    let mut config = Config::default();
    config.environment.pass = vec!["EXTRA".to_owned()];
    let mut environment = house.environment();
    environment.insert("EXTRA".into(), "passed".into());
    let engine = house.builder().environment(environment).config(config);
    let engine = engine.build().unwrap();
    let command = "echo ${EXTRA-none}";
    assert_eq!(run(&engine, Invocation::bash(command)).stdout, "passed\n");
    let nothing = Invocation::bash(command).inherit(Inherit::Nothing);
    assert_eq!(run(&engine, nothing).stdout, "none\n");
}

#[test]
fn path_and_home_are_there_even_if_the_caller_has_none() {
    let house = House::new();
    let path = house.environment()["PATH"].clone();
    // PATH alone is needed to find bash.
    let environment = [("PATH".to_owned(), path)].into();
    let engine = house.builder().environment(environment).build().unwrap();
    let result = run(&engine, Invocation::bash("test -n \"$PATH\" && echo $HOME"));
    let home = Path::new(result.stdout.trim_end());
    assert!(
        home.is_dir() && !home.starts_with(house.workspace()),
        "{result:?}"
    );
}

#[test]
fn git_knows_the_users_name_and_nothing_else_of_the_home() {
    let house = House::new();
    let home = house.path().join("home");
    let text = "[user]\n\tname = Ann Example\n\temail = ann@example.org\n[alias]\n\tx = !false\n";
    fs::write(home.join(".gitconfig"), text).unwrap();
    let result = run(
        &house.engine(),
        Invocation::bash("git config user.name; git config user.email; git config alias.x"),
    );
    assert_eq!(result.stdout, "Ann Example\nann@example.org\n");
}

#[test]
fn a_run_inherits_no_descriptor_and_no_signal_action() {
    // Signals 32 and 33 belong to the C library, which lets no program set them.
    const LIBRARY: u64 = 3 << 31;
    let house = House::new();
    // Open without close-on-exec, as careless hosts do.
    let file = tempfile::tempfile().unwrap();
    let careless = rustix::io::dup(&file).unwrap();
    rustix::io::fcntl_setfd(&careless, rustix::io::FdFlags::empty()).unwrap();
    // Descriptor 3 is the directory that `ls` itself reads.
    let result = run(&house.engine(), Invocation::bash("ls /proc/self/fd"));
    assert_eq!(result.stdout, "0\n1\n2\n3\n");
    let command = "grep -E '^Sig(Blk|Ign)' /proc/self/status";
    let result = run(&house.engine(), Invocation::bash(command));
    for line in result.stdout.lines() {
        let mask = line.split_whitespace().nth(1).unwrap();
        let mask = u64::from_str_radix(mask, 16).unwrap();
        assert_eq!(mask & !LIBRARY, 0, "{line}");
    }
    drop(careless);
}

#[test]
fn the_working_directory_may_be_a_directory_of_the_workspace() {
    let house = House::new();
    fs::create_dir_all(house.file("a/b")).unwrap();
    let engine = house.engine();
    let result = run(&engine, Invocation::bash("pwd").cwd("a/b"));
    assert_eq!(result.stdout, format!("{}\n", house.file("a/b").display()));
    let home = house.path().join("home");
    let wider = Invocation::bash("pwd").cwd(&home).allowed_root(&home);
    assert_eq!(
        run(&engine, wider).stdout.trim_end(),
        home.to_str().unwrap()
    );
}
