//! Background tasks from the command line: starting, listing, waiting, ending, limits, cleaning.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{Marker, Running, World, eventually, with_whole_rows};

impl World {
    /// `bashful run --background --json` with these arguments: the object.
    pub(crate) fn background(&self, arguments: &[&str]) -> Value {
        let (code, told) = self.json(&[&["--background"], arguments].concat());
        assert_eq!(code, 0, "{told}");
        assert_eq!(
            json!([told["v"], told["state"], told["success"]]),
            json!([1, "running", true])
        );
        told
    }

    /// What `bashful tasks --json` lists with these arguments.
    pub(crate) fn tasks(&self, arguments: &[&str]) -> Vec<Value> {
        let (code, told) = self
            .call(&[&["tasks", "--json"], arguments].concat())
            .json();
        assert_eq!(code, 0, "{told}");
        told["tasks"].as_array().unwrap().clone()
    }

    /// The executable while it goes on, and the file that has what it says on standard error.
    pub(crate) fn spoken(&self, arguments: &[&str]) -> (PathBuf, Child) {
        let file = self.path("said");
        let mut command = self.bashful(arguments);
        command.stderr(fs::File::create(&file).unwrap());
        (file, command.stdout(Stdio::null()).spawn().unwrap())
    }

    /// What `bashful tasks show` says about one.
    pub(crate) fn task(&self, id: &str) -> Value {
        let (code, told) = self.call(&["tasks", "show", "--json", id]).json();
        assert_eq!(code, 0, "{told}");
        told["task"].clone()
    }
}

/// The id in what was told.
pub(crate) fn id(told: &Value) -> &str {
    told["task_id"].as_str().unwrap()
}

#[test]
fn a_task_outlives_its_starter_and_is_ended_by_another_process() {
    World::in_both(|world| {
        let marker = Marker::fresh();
        let told = world.background(&[&format!("echo begun; {}", marker.sleep())]);
        marker.wait_for(1);
        let [task] = &world.tasks(&[])[..] else {
            panic!()
        };
        assert_eq!(task["task_id"], told["task_id"]);
        assert_eq!(task["state"], "running");
        let file = told["output_file"].as_str().unwrap();
        assert!(eventually(
            || fs::read_to_string(file).is_ok_and(|text| text == "begun\n")
        ));
        let outcome = world.call(&["kill", "--json", id(&told)]);
        let (code, killed) = outcome.json();
        assert_eq!(code, 0, "{outcome:?}");
        let found = json!([killed["tasks"][0]["state"], killed["tasks"][0]["status"]]);
        assert_eq!(found, json!(["finished", "cancelled"]));
        marker.assert_gone();
        assert_eq!(world.tasks(&[]), [] as [Value; 0]);
        // A session of its own ends with the task.
        assert!(eventually(|| world.living_keepers().is_empty()));
    });
}

#[test]
fn kill_9_of_the_starter_leaves_the_task_alone() {
    let world = World::new();
    let marker = Marker::fresh();
    // It waits for a line that never comes, so that there is a starter to kill.
    let command = format!("{}; true", marker.sleep());
    let starter = world.start(&["--background", "--ready-when", "never", &command]);
    marker.wait_for(1);
    starter.signal(Signal::KILL);
    assert_eq!(starter.end().code, 137);
    let [task] = &world.tasks(&[])[..] else {
        panic!()
    };
    assert_eq!(marker.sleepers().len(), 1);
    assert_eq!(world.call(&["kill", "--now", id(task)]).code, 0);
    marker.assert_gone();
}

#[test]
fn people_see_a_box_and_programs_an_id() {
    let world = World::new();
    let outcome = world.run(&["--background", "--name", "nap", "sleep 0.1"]);
    assert_snapshot!(world.as_screen(&with_whole_rows(outcome)), @"
    exit code 0
    ----- stdout -----
    bash-[ID]
    ----- stderr -----
    ╭─ ✓ Started in the background
    │ Task     bash-[ID] (nap)
    │ Command  sleep 0.1
    │ Output   [WORLD]/state/bashful/tasks/bash-[ID]/out.log
    │ Look     bashful logs -f nap
    ╰───────────────────────────────────────
    ");
    assert_eq!(world.call(&["wait", "nap"]).code, 0);
}

#[test]
fn a_command_that_cannot_start_is_no_task() {
    let world = World::new();
    fs::write(world.workspace().join("broken"), "#!/nowhere/at/all\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(world.workspace().join("broken"), mode).unwrap();
    let outcome = world.run(&["--background", "--", "./broken"]);
    assert_ne!(outcome.code, 0, "{outcome:?}");
    assert_eq!(outcome.stdout, "");
    assert_eq!(world.tasks(&["--all"]), [] as [Value; 0]);
}

#[test]
fn names_are_unique_while_they_run_and_free_afterwards() {
    let world = World::new();
    let first = world.background(&["--name", "dev", "--session", "s", "sleep 60"]);
    assert_eq!(first["name"], "dev");
    let second = world.run(&["--background", "--name", "dev", "sleep 60"]);
    assert_eq!(second.code, 2);
    assert!(second.stderr.contains(id(&first)), "{second:?}");
    // Another agent has its own names; then the name alone is not enough.
    let other = world.background(&["--name", "dev", "--agent", "bob", "sleep 60"]);
    let ambiguous = world.call(&["tasks", "show", "dev"]);
    assert_eq!(ambiguous.code, 2);
    assert!(ambiguous.stderr.contains(id(&first)) && ambiguous.stderr.contains(id(&other)));
    assert_eq!(world.call(&["kill", id(&other)]).code, 0);
    assert_eq!(world.task("dev")["task_id"], first["task_id"]);
    assert_eq!(world.call(&["kill", "dev"]).code, 0);
    let third = world.background(&["--name", "dev", "--session", "s", "sleep 60"]);
    assert_eq!(world.task("dev")["task_id"], third["task_id"]);
    assert_eq!(world.call(&["kill", "--now", "dev"]).code, 0);
}

#[test]
fn hostile_names_are_refused() {
    let world = World::new();
    let long = "x".repeat(41);
    for name in [
        "",
        "../x",
        "a/b",
        "\u{1b}[2J",
        "a b",
        "bash-1",
        "-x",
        "A",
        "1",
        &long,
    ] {
        let outcome = world.run(&["--background", &format!("--name={name}"), "true"]);
        assert_eq!(outcome.code, 2, "{name:?} {outcome:?}");
        assert!(!outcome.stderr.contains('\u{1b}'));
    }
    let outcome = world.run(&["--name", "x", "true"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("--background"));
    assert_eq!(world.tasks(&["--all"]), [] as [Value; 0]);
}

#[test]
fn waiting_gives_the_exit_code_of_the_command() {
    let world = World::new();
    let good = world.background(&["--session", "s", "true"]);
    let bad = world.background(&["--session", "s", "sleep 0.2; exit 7"]);
    let killed = world.background(&["--session", "s", "kill -9 $$"]);
    let slow = world.background(&["--session", "s", "sleep 60"]);
    assert_eq!(world.call(&["wait", id(&good)]).code, 0);
    assert_eq!(world.call(&["wait", id(&bad)]).code, 7);
    assert_eq!(world.call(&["wait", id(&killed)]).code, 137);
    assert_eq!(
        world.call(&["wait", id(&good), id(&bad), id(&killed)]).code,
        7
    );
    let outcome = world.call(&["wait", "--json", "--timeout", "100ms", id(&good), id(&slow)]);
    let (code, told) = outcome.json();
    assert_eq!(json!([code, told["timed_out"]]), json!([124, true]));
    assert_eq!(told["tasks"][1]["state"], "running");
    assert_eq!(world.call(&["kill", id(&slow)]).code, 0);
    assert_eq!(world.call(&["wait", id(&slow)]).code, 130);
}

#[test]
fn ids_may_be_shortened_and_mistakes_are_told() {
    let world = World::new();
    let told = world.background(&["true"]);
    let whole = id(&told);
    assert_eq!(world.call(&["wait", whole]).code, 0);
    let letters = whole.strip_prefix("bash-").unwrap();
    for short in [
        whole.get(..whole.len() - 3),
        Some(letters),
        letters.get(..11),
    ] {
        assert_eq!(world.task(short.unwrap())["task_id"], whole);
    }
    let more = world.background(&["true"]);
    assert_eq!(world.call(&["wait", id(&more)]).code, 0);
    for (wrong, words) in [
        ("bash-", "several tasks"),
        ("nothing", "there is no task `nothing`"),
        ("../../etc", "is not the id of a task"),
        ("\u{1b}]0;x", "is not the id of a task"),
    ] {
        for verb in [&["tasks", "show"][..], &["logs"], &["wait"], &["kill"]] {
            let outcome = world.call(&[verb, &[wrong]].concat());
            assert_eq!(outcome.code, 2, "{verb:?} {outcome:?}");
            assert!(outcome.stderr.contains(words), "{outcome:?}");
            assert!(!outcome.stderr.contains('\u{1b}'));
        }
    }
}

#[test]
fn at_its_timeout_a_run_may_go_on_in_the_background() {
    World::in_both(|world| {
        let arguments = ["--timeout", "500ms", "--on-timeout", "background"];
        let command = "echo one; sleep 1.5; echo two";
        let outcome = world.run(&[&arguments[..], &[command]].concat());
        assert_eq!((outcome.code, outcome.stdout.as_str()), (124, "one\n"));
        assert!(
            outcome.stderr.contains("goes on in the background"),
            "{outcome:?}"
        );
        let [task] = &world.tasks(&[])[..] else {
            panic!()
        };
        assert_eq!(world.call(&["wait", id(task)]).code, 0);
        assert_eq!(world.call(&["logs", id(task)]).stdout, "one\ntwo\n");
        // What ends in time is an ordinary run.
        let arguments = ["--timeout", "50s", "--on-timeout", "background"];
        let outcome = world.run(&[&arguments[..], &["echo quick"]].concat());
        assert_eq!(outcome, world.ran(0, "quick\n", ""));
        let (code, told) = world.json(&[
            "--timeout",
            "300ms",
            "--on-timeout",
            "background",
            "sleep 60",
        ]);
        assert_eq!(
            json!([code, told["state"], told["success"], told["timed_out"]]),
            json!([124, "running", false, true])
        );
        assert_eq!(world.call(&["kill", id(&told)]).code, 0);
    });
}

#[test]
fn an_agent_has_so_many_tasks_and_no_more() {
    let world = World::new();
    world.configure("[tasks]\nper_agent = 2\n");
    let first = world.background(&["--session", "s", "sleep 60"]);
    let second = world.background(&["--session", "s", "sleep 60"]);
    let third = world.run(&["--background", "--session", "s", "sleep 60"]);
    assert_snapshot!(world.as_screen(&third), @"
    exit code 2
    ----- stderr -----
    bashful: error: 2 background tasks of the agent `default` are already running, and no more may run
    bashful: hint: `bashful tasks` lists them: end some with `bashful kill`, or raise `tasks.per_agent` in the configuration
    ");
    // Other agents are not in the way, and neither is a run that its caller waits for.
    assert_eq!(world.run(&["--session", "s", "true"]).code, 0);
    let other = world.background(&["--agent", "bob", "sleep 60"]);
    assert_eq!(world.call(&["kill", id(&first)]).code, 0);
    let fourth = world.background(&["--session", "s", "sleep 60"]);
    let ids = [id(&second), id(&other), id(&fourth)];
    assert_eq!(world.call(&[&["kill", "--now"], &ids[..]].concat()).code, 0);
}

#[test]
fn a_signal_for_what_has_ended_is_an_error_and_no_list() {
    let world = World::new();
    let told = world.background(&["true"]);
    assert_eq!(world.call(&["wait", id(&told)]).code, 0);
    let signalled = world.call(&["kill", "--signal", "HUP", id(&told)]);
    assert_snapshot!(world.as_screen(&signalled), @"
    exit code 125
    ----- stderr -----
    bashful: error: the task `bash-[ID]` has ended; its output can still be read
    ");
}

#[test]
fn a_name_does_not_bring_other_columns() {
    let world = World::new();
    let told = world.background(&["--name", "dev", "sleep 60"]);
    assert_snapshot!(world.table(&["tasks"]), @"
    exit code 0
    ----- stdout -----
    TASK  NAME  STATE  TIME  OUTPUT  COMMAND
    bash-[ID]  dev  running  [DURATION]  0 B  sleep 60
    ");
    let other = world.background(&["--agent", "bob", "sleep 60"]);
    assert_snapshot!(world.table(&["tasks"]), @"
    exit code 0
    ----- stdout -----
    TASK  NAME  STATE  AGENT  TIME  OUTPUT  COMMAND
    bash-[ID]  dev  running  default  [DURATION]  0 B  sleep 60
    bash-[ID]  -  running  bob  [DURATION]  0 B  sleep 60
    ");
    let killed = world.call(&["kill", "--now", id(&told), id(&other)]);
    assert_eq!(killed.code, 0, "{killed:?}");
}

#[test]
fn what_cannot_be_cleaned_is_not_said_to_be_new() {
    let world = World::new();
    world.background(&["true"]);
    assert!(eventually(|| world.tasks(&[]).is_empty()));
    let state = world.state();
    let [task] = &world.tasks(&["--all"])[..] else {
        panic!()
    };
    // It ended long ago, and its end cannot be put on record.
    let file = state
        .join("tasks")
        .join(task["task_id"].as_str().unwrap())
        .join("state");
    let record = fs::read_to_string(&file).unwrap();
    let started = task["started_at_ms"].to_string();
    let long_ago = (task["started_at_ms"].as_u64().unwrap() - 3_600_000).to_string();
    fs::write(&file, record.replace(&started, &long_ago)).unwrap();
    let trail = state.join("trail.jsonl");
    fs::rename(&trail, state.join("aside")).unwrap();
    fs::create_dir(&trail).unwrap();
    let (code, cleaned) = world
        .call(&["tasks", "clean", "--keep", "0", "--json"])
        .json();
    assert_eq!(code, 0, "{cleaned}");
    assert_eq!(
        json!([cleaned["waiting"], cleaned["stuck"]]),
        json!([0, 1]),
        "{cleaned}"
    );
    let said = world.call(&["tasks", "clean", "--keep", "0"]).stdout;
    assert!(said.contains("1 cannot be removed"), "{said}");
}

#[test]
fn a_killed_keeper_makes_its_tasks_lost_and_nothing_stays() {
    World::in_both(|world| {
        let marker = Marker::fresh();
        let told = world.background(&["--name", "gone", &format!("echo x; {}", marker.sleep())]);
        marker.wait_for(1);
        assert!(eventually(|| world.task("gone")["log_bytes"] == 2));
        world.kill_keeper();
        assert!(eventually(|| world.task("gone")["state"] == "lost"));
        marker.assert_gone_soon();
        assert_eq!(world.tasks(&[]), [] as [Value; 0]);
        assert_eq!(world.call(&["wait", id(&told)]).code, 125);
        assert_eq!(world.call(&["logs", id(&told)]).stdout, "x\n");
        assert!(
            world.task("gone")["reason"]
                .as_str()
                .unwrap()
                .contains("keeper died")
        );
        // Its name is free again.
        let again = world.background(&["--name", "gone", "true"]);
        assert_eq!(world.call(&["wait", id(&again)]).code, 0);
    });
}

#[test]
fn cleaning_takes_the_oldest_and_the_record_stays_whole() {
    let world = World::new();
    let done: Vec<Value> = (0..3)
        .map(|number| world.json(&["--session", "s", &format!("echo {number}")]).1)
        .collect();
    let runs = world.background(&["--session", "s", "sleep 60"]);
    let ids = |tasks: Vec<Value>| -> Vec<String> {
        tasks.iter().map(|task| id(task).to_owned()).collect()
    };
    let dry = world.call(&["tasks", "clean", "--keep", "1", "--dry-run", "--json"]);
    assert_eq!(dry.json().1["removed"].as_array().unwrap().len(), 2);
    assert_eq!(world.tasks(&["--all"]).len(), 4);
    let (code, cleaned) = world
        .call(&["tasks", "clean", "--keep", "1", "--json"])
        .json();
    assert_eq!(code, 0);
    let removed = ids(cleaned["removed"].as_array().unwrap().clone());
    assert_eq!(removed, ids(done[..2].to_vec()));
    assert_eq!(json!([cleaned["kept"], cleaned["running"]]), json!([1, 1]));
    assert_eq!(ids(world.tasks(&["--all"])), [id(&done[2]), id(&runs)]);
    // By age: nothing is that old.
    let (_, cleaned) = world
        .call(&["tasks", "clean", "--older-than", "1h", "--json"])
        .json();
    assert_eq!(cleaned["removed"], json!([]));
    assert_eq!(world.call(&["kill", "--now", id(&runs)]).code, 0);
    // No caller waited for this one, so its end has to be on record first.
    assert!(eventually(|| {
        let (_, cleaned) = world
            .call(&["tasks", "clean", "--keep", "0", "--json"])
            .json();
        cleaned["kept"] == 0
    }));
    assert_eq!(world.tasks(&["--all"]), [] as [Value; 0]);
    let verified = world.call(&["audit", "verify"]);
    assert_eq!(verified.code, 0, "{verified:?}");
    assert_eq!(world.call(&["doctor", "--repair"]).code, 0);
}

#[test]
fn old_tasks_go_by_themselves_within_the_limits() {
    let world = World::new();
    world.configure("[tasks]\nkeep = 2\n");
    for _ in 0..4 {
        assert_eq!(world.run(&["--session", "s", "true"]).code, 0);
    }
    // Once an hour: the first run was cleaned after, the others not.
    assert_eq!(world.tasks(&["--all"]).len(), 4);
    let stamp = world.state().join("tasks.cleaned");
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(7200);
    fs::File::options()
        .write(true)
        .open(&stamp)
        .unwrap()
        .set_modified(long_ago)
        .unwrap();
    assert_eq!(world.run(&["--session", "s", "true"]).code, 0);
    // The last one may not have been let go by its keeper yet, and one that runs stays.
    let left = world.tasks(&["--all"]).len();
    assert!((2..=3).contains(&left), "{left}");
}

#[test]
fn a_list_is_quick_among_ten_thousand_and_needs_no_database() {
    let world = World::new();
    let told = world.background(&["sleep 60"]);
    let (_, done) = world.json(&["echo done"]);
    let tasks = world.state().join("tasks");
    let from = tasks.join(id(&done));
    let spec = fs::read_to_string(from.join("spec")).unwrap();
    let state = fs::read_to_string(from.join("state")).unwrap();
    for number in 0..10_000 {
        let copy = format!("bash-0{number:015}");
        let directory = tasks.join(&copy);
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join("spec"), spec.replace(id(&done), &copy)).unwrap();
        fs::write(directory.join("state"), state.replace(id(&done), &copy)).unwrap();
    }
    fs::write(world.state().join("bashful.db"), "no database at all").unwrap();
    let began = Instant::now();
    let found = world.tasks(&[]);
    let took = began.elapsed();
    assert_eq!(found.len(), 1);
    // The bar of 100 ms is for a release build, in `cargo xtask bench tasks`.
    assert!(took < Duration::from_secs(3), "{took:?}");
    assert_eq!(world.tasks(&["--all"]).len(), 1000);
    assert_eq!(world.call(&["kill", id(&told)]).code, 0);
}

#[test]
fn watching_tells_of_changes_and_ends_when_asked() {
    let world = World::new();
    let watching = Running::start(world.bashful(&["tasks", "--watch", "--json"]));
    std::thread::sleep(Duration::from_millis(300));
    let told = world.background(&["sleep 0.2"]);
    assert_eq!(world.call(&["wait", id(&told)]).code, 0);
    std::thread::sleep(Duration::from_millis(900));
    watching.signal(Signal::INT);
    let ended = watching.end().outcome();
    assert_eq!(ended.code, 0, "{ended:?}");
    let lines: Vec<Value> = ended
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.first().unwrap()["tasks"], json!([]));
    assert_eq!(lines.last().unwrap()["tasks"], json!([]));
}

#[test]
fn a_keeper_that_is_told_to_end_ends_its_tasks_truthfully() {
    let world = World::new();
    let told = world.background(&["sleep 60"]);
    let (keeper, _) = world.keeper_of(&told);
    kill_process(Pid::from_raw(keeper).unwrap(), Signal::TERM).unwrap();
    assert_eq!(world.call(&["wait", id(&told)]).code, 130);
    assert!(
        world.task(id(&told))["reason"]
            .as_str()
            .unwrap()
            .contains("told to end")
    );
}
