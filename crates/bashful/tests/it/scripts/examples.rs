//! What people write and expect, line by line.

use std::fs;

use serde_json::json;

use crate::support::{World, ran};

const BACKUP: &str = "tar -czf /tmp/backup.tar.gz ${trigger.file.path}\n\
    echo \"Backed up: ${trigger.file.path}\"\n";

/// The flags that let a script see the workspace.
fn sees(world: &World) -> [String; 2] {
    ["--read".to_owned(), world.workspace().display().to_string()]
}

#[test]
fn a_path_with_spaces_is_one_word_and_printed_bare() {
    let world = World::new();
    let file = world.write("my invoice (1).txt", "42\n");
    let [flag, place] = sees(&world);
    let text = format!("{BACKUP}tar -tzf /tmp/backup.tar.gz\n");
    world.keeps_approved("backup", &text, &[&flag, &place]);
    let path = file.display().to_string();
    let value = format!("trigger.file.path={path}");
    let outcome = world.scripts(&["run", "backup", "--var", &value]);
    let member = path.trim_start_matches('/');
    let warning = "tar: Removing leading `/' from member names\n";
    let expected = format!("Backed up: {path}\n{member}\n");
    assert_eq!(outcome, ran(0, &expected, warning));
    // The same from JSON, nested as triggers have it.
    let vars = json!({ "trigger": { "file": { "path": path } } }).to_string();
    let outcome = world.scripts(&["run", "backup", "--vars", &vars]);
    assert_eq!(outcome, ran(0, &expected, warning));
    // And from a file.
    world.write("vars.json", &vars);
    let outcome = world.scripts(&["run", "backup", "--vars", "@vars.json"]);
    assert_eq!(outcome, ran(0, &expected, warning));
}

#[test]
fn values_are_data_wherever_they_stand() {
    let world = World::new();
    let text = "printf '%s\\n' ${a.b} \"<${a.b}>\" '[${a.b}]' x${a.b}y\n\
        cat <<END\n${a.b}\nEND\n\
        [[ ${a.b} == 'x' ]] || echo other\n\
        case ${a.b} in *) echo any;; esac\n\
        printf '%s\\n' \"$LOG_PATH\"\n";
    world.keeps_approved("show", text, &["--variable", "LOG_PATH=${a.b}"]);
    for value in [
        "$(touch made)",
        "`touch made`",
        "a b  c",
        "it's \"quoted\" \\ *",
        "; touch made; #",
        "-n",
        "${HOME}",
        "line\nline",
        "ünïcödé 日本",
    ] {
        let vars = json!({ "a": { "b": value } }).to_string();
        let outcome = world.scripts(&["run", "show", "--vars", &vars, "--cwd", "."]);
        let expected =
            format!("{value}\n<{value}>\n[{value}]\nx{value}y\n{value}\nother\nany\n{value}\n");
        assert_eq!(outcome, ran(0, &expected, ""), "{value:?}");
    }
    assert!(!world.workspace().join("made").exists());
}

#[test]
fn a_list_is_several_words_and_bashs_own_stays() {
    let world = World::new();
    let text = "n=3; printf '<%s>' ${files.all}; echo \" ${n:-4} ${#n}\"\n";
    world.keeps_approved("words", text, &[]);
    let vars = r#"{"files": {"all": ["a b", "c", 7]}}"#;
    let outcome = world.scripts(&["run", "words", "--vars", vars]);
    assert_eq!(outcome, ran(0, "<a b><c><7> 3 1\n", ""));
}

#[test]
fn all_missing_values_are_told_at_once() {
    let world = World::new();
    world.keeps_approved("m", "echo ${a.b} '${c.d}'\n", &["--variable", "N:number"]);
    let outcome = world.scripts(&["run", "m"]);
    assert_eq!(outcome.code, 2, "{outcome:?}");
    let told = "error: there is no value for `N`, `a.b`, `c.d`\n";
    assert!(outcome.stderr.contains(told), "{outcome:?}");
    let vars = r#"{"a.b": "1", "N": 2}"#;
    let outcome = world.scripts(&["run", "m", "--vars", vars, "--allow-missing"]);
    assert_eq!(outcome.stdout, "1 ${c.d}\n", "{outcome:?}");
}

#[test]
fn without_a_directory_it_has_scratch_and_cannot_see_the_scripts() {
    let world = World::new();
    let script = world.keeps_approved(
        "scratch",
        "echo x > file; ls; cat \"$1\" 2>/dev/null || ls ${folder.path} 2>/dev/null || echo hidden\n",
        &[],
    );
    let folder = world.path("config/bashful/scripts");
    assert!(world.script_file(&script).exists());
    let value = format!("folder.path={}", folder.display());
    let outcome = world.scripts(&["run", "scratch", "--var", &value]);
    assert_eq!(outcome, ran(0, "file\nhidden\n", ""));
    assert!(!world.workspace().join("file").exists());
    // Not even if it names the folder.
    let path = folder.display().to_string();
    world.keeps_approved("curious", "ls\n", &["--read", &path]);
    let outcome = world.scripts(&["run", "curious"]);
    assert_eq!(outcome.code, 2, "{outcome:?}");
    assert!(
        outcome.stderr.contains("hidden from scripts"),
        "{outcome:?}"
    );
}

#[test]
fn the_result_has_all_fields_of_the_contract() {
    let world = World::new();
    world.keeps_approved("out", "seq 100000; echo oops >&2; exit 3\n", &[]);
    let (code, result) = world.scripts(&["run", "out", "--json"]).json();
    assert_eq!(code, 3, "{result}");
    let found = json!([
        result["success"],
        result["exit_code"],
        result["exit_status"],
        result["stderr"],
        result["timed_out"],
        result["truncated"],
    ]);
    let expected = json!([false, 3, "soft_failure", "oops\n", false, true]);
    assert_eq!(found, expected, "{result}");
    assert!(result["stdout"].as_str().unwrap().len() <= 10_240 + 100);
    assert!(result["duration_ms"].is_u64(), "{result}");
    assert!(result["task_id"].as_str().unwrap().starts_with("script-"));
    let script = &world.told(&["show", "out"])["script"];
    let last = &script["last_run"];
    let found = json!([script["runs"], last["status"], last["exit_code"]]);
    assert_eq!(found, json!([1, "soft_failure", 3]), "{script}");
}

#[test]
fn what_is_not_declared_is_not_there() {
    let world = World::new();
    let outside = world.path("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret"), "s3\n").unwrap();
    let path = outside.display().to_string();
    let text = format!("cat {path}/secret 2>/dev/null || echo closed\necho y > {path}/new\n");
    world.keeps_approved("closed", &text, &[]);
    let outcome = world.scripts(&["run", "closed"]);
    assert_eq!(outcome.stdout, "closed\n", "{outcome:?}");
    world.keeps_approved("open", &text, &["--write", &path]);
    let outcome = world.scripts(&["run", "open"]);
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (0, "s3\n"),
        "{outcome:?}"
    );
    assert_eq!(fs::read_to_string(outside.join("new")).unwrap(), "y\n");
    // A call can take it away again, and cannot give more.
    let less = r#"{"paths_write": []}"#;
    let outcome = world.scripts(&["run", "open", "--capabilities", less]);
    assert_eq!(outcome.stdout, "closed\n", "{outcome:?}");
    let more = r#"{"network": true}"#;
    let outcome = world.scripts(&["run", "open", "--capabilities", more]);
    assert_eq!(outcome.code, 2, "{outcome:?}");
    assert!(outcome.stderr.contains("can only narrow"), "{outcome:?}");
}

#[test]
fn a_dry_run_tells_all_and_does_nothing() {
    let world = World::new();
    world.keeps("backup", BACKUP, &[]);
    let value = "trigger.file.path=$(touch made) \u{202e}";
    let arguments = ["run", "backup", "--var", value, "--dry-run"];
    let outcome = world.scripts(&arguments);
    assert_eq!(outcome.code, 121, "{outcome:?}");
    for part in [
        "? It would not run until a person says yes",
        "${trigger.file.path} = \"$(touch made) \\u{202e}\"",
        "Can reach   nothing but its own loopback",
        "script-not-approved",
    ] {
        assert!(outcome.stdout.contains(part), "{part}: {}", outcome.stdout);
    }
    assert!(!outcome.stdout.contains('\u{202e}'));
    let (code, told) = world
        .scripts(&[&arguments[..], &["--json"]].concat())
        .json();
    let effect = &told["plan"]["decision"]["effect"];
    assert_eq!((code, effect), (121, &json!("ask")), "{told}");
    assert_eq!(told["bindings"].as_array().unwrap().len(), 2, "{told}");
    assert!(told["resolved"].as_str().unwrap().contains("tar -czf"));
    // No person was asked, and nothing ran.
    let (_, asks) = world.call(&["approvals", "list", "--json"]).json();
    assert_eq!(asks["asks"], json!([]));
    assert_eq!(world.told(&["show", "backup"])["script"]["runs"], 0);
    world.told(&["approve", "backup", "--yes"]);
    assert_eq!(world.scripts(&arguments).code, 0);
}

#[test]
fn a_limit_ends_it_and_is_told() {
    let world = World::new();
    world.keeps_approved("slow", "sleep 60\n", &[]);
    let arguments = ["run", "slow", "--timeout", "1s", "--json"];
    let (code, result) = world.scripts(&arguments).json();
    let found = json!([code, result["timed_out"], result["exit_status"]]);
    assert_eq!(found, json!([124, true, "hard_failure"]), "{result}");
}
