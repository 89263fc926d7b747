//! Secrets are masked at capture, before anything is written.

use std::fs;
use std::path::Path;

use bashful_engine::config::{Config, SecretValue};
use bashful_engine::{Engine, Event, Invocation};

use crate::support::{House, run, started};

const KEY: &str = "sk-planted-0123456789";
const LISTED: &str = "listed ünique value";

fn engine(house: &House) -> Engine {
    let mut environment = house.environment();
    environment.insert("SOME_API_KEY".into(), KEY.into());
    environment.insert("SHORT_TOKEN".into(), "short".into());
    environment.insert("PLAIN".into(), "plain-value-here".into());
    let builder = house.builder().environment(environment).mask(LISTED);
    builder.build().unwrap()
}

/// Every file under a directory that holds these bytes.
fn holding(directory: &Path, needle: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holding(&path, needle));
        } else if path.is_file() {
            let bytes = fs::read(&path).unwrap();
            if bytes.windows(needle.len()).any(|window| window == needle) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

#[test]
fn values_of_key_like_names_and_listed_values_are_masked_everywhere() {
    let house = House::new();
    // In files, so that the command itself does not tell.
    fs::write(house.file("key"), KEY).unwrap();
    fs::write(house.file("listed"), LISTED).unwrap();
    let copy = house.path().join("copy.log");
    let command = "cat key; echo; cat listed >&2; echo \"<$(cat key)><$(cat key)>\"; echo short plain-value-here";
    let invocation = Invocation::bash(command).log_copy(&copy);
    let running = started(&engine(&house), invocation);
    let mut events = running.events();
    let mut told = Vec::new();
    while let Some(event) = events.next_until(None) {
        if let Event::Output { bytes, .. } = event {
            told.extend(bytes);
        }
    }
    let result = running.wait_until(None).unwrap().unwrap();
    assert_eq!(
        result.stdout,
        "[masked]\n<[masked]><[masked]>\nshort plain-value-here\n"
    );
    assert_eq!(result.stderr, "[masked]");
    for secret in [KEY, LISTED] {
        let told = String::from_utf8_lossy(&told);
        assert!(!told.contains(secret), "in the events");
        assert_eq!(holding(&house.state(), secret.as_bytes()), [""; 0]);
        assert!(!fs::read_to_string(&copy).unwrap().contains(secret));
    }
}

#[test]
fn secrets_are_masked_across_writes() {
    let house = House::new();
    let engine = engine(&house);
    for cut in [1, 2, 8, 15, 20] {
        let (start, end) = KEY.split_at(cut);
        fs::write(house.file("start"), start).unwrap();
        fs::write(house.file("end"), end).unwrap();
        let command = "printf '>'; cat start; sleep 0.15; cat end; printf '<'";
        let result = run(&engine, Invocation::bash(command));
        assert_eq!(result.stdout, ">[masked]<", "cut at {cut}");
    }
    // Byte by byte.
    fs::write(house.file("key"), KEY).unwrap();
    let command = "key=$(cat key); for ((i = 0; i < ${#key}; i++)); do printf '%s' \"${key:i:1}\"; sleep 0.01; done";
    assert_eq!(run(&engine, Invocation::bash(command)).stdout, "[masked]");
}

#[test]
fn the_beginning_of_a_secret_alone_is_not_held_back_for_ever() {
    let house = House::new();
    let start = KEY.split_at(10).0;
    let command = format!("printf '%s' {start}");
    let result = run(&engine(&house), Invocation::bash(command));
    assert_eq!(result.stdout, start);
}

#[test]
fn a_secret_in_a_large_output_is_masked_wherever_it_falls() {
    let house = House::new();
    fs::write(house.file("key"), KEY).unwrap();
    // The pieces in which pipes are read are powers of two: an odd stride meets every cut.
    let command = "key=$(cat key); for i in {1..40}; do head -c 65521 /dev/zero | tr '\\0' x; printf '%s' \"$key\"; done";
    let result = run(&engine(&house), Invocation::bash(command));
    let log = fs::read(result.output_file.unwrap()).unwrap();
    let log = String::from_utf8(log).unwrap();
    assert!(!log.contains(KEY));
    assert_eq!(log.matches("[masked]").count(), 40);
    assert_eq!(log.len(), 40 * (65521 + "[masked]".len()));
}

#[test]
fn the_configuration_lists_values_and_names() {
    let house = House::new();
    let mut config = Config::default();
    config.secrets.values = vec![SecretValue::new("configured-secret").unwrap()];
    config.secrets.names = vec!["PLAIN".to_owned()];
    let mut environment = house.environment();
    environment.insert("PLAIN".into(), "plain-value-here".into());
    let engine = house.builder().environment(environment).config(config);
    let command = "echo configured-secret plain-value-here";
    let result = run(&engine.build().unwrap(), Invocation::bash(command));
    assert_eq!(result.stdout, "[masked] [masked]\n");
}

#[test]
fn an_injected_secret_reaches_the_command_and_is_masked_in_its_output() {
    let house = House::new();
    // The caller injects on purpose what the engine knows as a secret.
    let invocation =
        Invocation::bash("echo ${#INJECTED}; echo $INJECTED").variable("INJECTED", KEY);
    let result = run(&engine(&house), invocation);
    assert_eq!(result.stdout, format!("{}\n[masked]\n", KEY.len()));
}
