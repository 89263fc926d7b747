//! Commands at terminals, and commands that are talked to while they run.

use std::time::{Duration, Instant};

use bashful_engine::config::Wish;
use bashful_engine::{
    CallContext, CapabilityChanges, Engine, Invocation, Key, NeedsInput, OutputLimit, Run, Stdin,
    Task, TaskError, TaskState, TerminalSize, Timeout, ToolRegistry,
};
use serde_json::json;

use crate::support::{House, LONG, eventually, run, started};

fn terminal(command: &str) -> Invocation {
    Invocation::bash(command)
        .terminal(TerminalSize::USUAL)
        .timeout(Timeout::After(Duration::from_secs(120)))
}

/// A run and the task it is.
fn task(engine: &Engine, invocation: Invocation) -> (Run, Task) {
    let run = started(engine, invocation);
    let task = engine.task(run.id()).unwrap();
    (run, task)
}

fn result(run: Run) -> bashful_engine::ExecutionResult {
    match run.wait_until(Some(Instant::now() + LONG)) {
        Ok(result) => result.unwrap(),
        Err(run) => panic!("{} does not end", run.id()),
    }
}

fn shows(task: &Task, text: &str) {
    let seen = eventually(LONG, || task.screen().unwrap().text().contains(text));
    assert!(seen, "no {text:?} on {:?}", task.screen().unwrap());
}

/// What it asks, once it does.
fn question(task: &Task) -> NeedsInput {
    let asks = || task.summary().unwrap().needs_input;
    let asked = eventually(LONG, || asks().is_some());
    assert!(asked, "no question on {:?}", task.screen());
    asks().unwrap()
}

fn keys(names: &[&str]) -> Vec<Key> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

#[test]
fn a_command_sits_at_a_terminal_of_its_own() {
    let house = House::new();
    let command = "test -t 0 && test -t 1 && test -t 2 && tty && stty size && echo $TERM; \
        test \"$(stat -c %i $(tty))\" = \"$(stat -Lc %i /proc/self/fd/0)\" && echo same; \
        echo written > /dev/tty; ps -o tty= -p $$ | tr -d ' '; ls /dev/pts | tr '\\n' ' '";
    let result = run(&house.engine(), terminal(command));
    let lines: Vec<&str> = result.stdout.lines().collect();
    assert_eq!(
        lines,
        [
            "/dev/pts/0",
            "24 80",
            "xterm-256color",
            "same",
            "written",
            "pts/0",
            "0 ptmx "
        ],
        "{result:?}"
    );
    assert_eq!(result.stderr, "");
    assert!(result.success);
}

#[test]
fn without_a_sandbox_too() {
    let house = House::new();
    let engine = house
        .builder()
        .sandbox(bashful_engine::config::Sandbox::None)
        .build()
        .unwrap();
    let command = "test -t 0 && test -t 1 && test -t 2 && tty | cut -c1-9 && stty size";
    let result = run(&engine, terminal(command));
    assert_eq!(result.stdout, "/dev/pts/\r\n24 80\r\n", "{result:?}");
}

#[test]
fn what_is_typed_is_read_and_shown() {
    let house = House::new();
    let engine = house.engine();
    let (run, task) = task(&engine, terminal("read -p 'Name: ' name; echo \"<$name>\""));
    let asked = question(&task);
    assert_eq!((asked.line.as_str(), asked.hidden), ("Name:", false));
    assert_eq!(task.state().unwrap(), TaskState::NeedsInput);
    task.send("Ada Löve\u{7f}lace\r").unwrap();
    let result = result(run);
    assert!(result.stdout.contains("<Ada Lövlace>"), "{result:?}");
    assert_eq!(task.state().unwrap(), TaskState::Finished);
    assert_eq!(task.summary().unwrap().needs_input, None);
    assert!(matches!(task.send("x"), Err(TaskError::Ended { .. })));
}

#[test]
fn a_password_is_asked_for_at_once_and_not_shown() {
    let house = House::new();
    let engine = house.engine();
    let command = "read -s -p 'Secret please ' word; echo; echo ${#word}";
    let (run, task) = task(&engine, terminal(command));
    let begun = Instant::now();
    let asked = question(&task);
    assert!(asked.hidden);
    assert_eq!(asked.line, "Secret please");
    assert!(
        begun.elapsed() < Duration::from_millis(1800),
        "{:?}",
        begun.elapsed()
    );
    task.send("hunter2\r").unwrap();
    let result = result(run);
    assert_eq!(result.stdout, "Secret please \r\n7\r\n");
}

#[test]
fn who_does_not_wait_asks_nothing() {
    let house = House::new();
    let engine = house.engine();
    let (run, task) = task(&engine, terminal("printf 'Name: '; sleep 4; echo done"));
    shows(&task, "Name:");
    let until = Instant::now() + Duration::from_secs(3);
    while Instant::now() < until {
        assert_eq!(task.state().unwrap(), TaskState::Running);
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(result(run).success);
}

#[test]
fn a_pipe_can_be_kept_open() {
    let house = House::new();
    let engine = house.engine();
    let command = "printf 'First? '; read a; printf 'Second? '; read b; echo \"$a-$b\"; cat";
    let open = Invocation::bash(command)
        .keep_input()
        .stdin(Stdin::Bytes(b"one\n".to_vec()));
    let (run, task) = task(&engine, open);
    let asked = question(&task);
    assert!(asked.line.ends_with("Second?"), "{asked:?}");
    task.send("two\n").unwrap();
    task.send(&b"\x00\xff\xfe"[..]).unwrap();
    task.send_end().unwrap();
    assert!(matches!(
        task.send("x"),
        Err(TaskError::InputClosed { .. } | TaskError::Ended { .. })
    ));
    assert!(matches!(
        task.resize(TerminalSize::USUAL),
        Err(TaskError::NoTerminal { .. } | TaskError::Ended { .. })
    ));
    let result = result(run);
    assert!(result.success);
    let log = std::fs::read(result.output_file.unwrap()).unwrap();
    assert_eq!(log, b"First? Second? one-two\n\x00\xff\xfe");
}

#[test]
fn what_has_no_input_says_so() {
    let house = House::new();
    let engine = house.engine();
    let (run, task) = task(&engine, Invocation::bash("sleep 1000"));
    assert!(matches!(task.send("x"), Err(TaskError::NoInput { .. })));
    assert!(matches!(task.screen(), Err(TaskError::NoTerminal { .. })));
    run.kill();
}

#[test]
fn what_is_not_read_is_refused_at_some_point() {
    let house = House::new();
    let engine = house.engine();
    let (run, task) = task(&engine, Invocation::bash("sleep 1000").keep_input());
    let half = vec![b'x'; 600 << 10];
    task.send(half.clone()).unwrap();
    match task.send(half) {
        Err(TaskError::InputFull { waiting, most, .. }) => {
            assert!(waiting > 500 << 10);
            assert_eq!(most, 1 << 20);
        }
        other => panic!("{other:?}"),
    }
    run.kill();
}

#[test]
fn a_hundred_thousand_bytes_arrive() {
    let house = House::new();
    let engine = house.engine();
    let (run, task) = task(
        &engine,
        terminal("stty -echo; echo ready; sha256sum; echo over"),
    );
    shows(&task, "ready");
    let lines: Vec<String> = (0..10_000)
        .map(|number| format!("line {number:04}\n"))
        .collect();
    let text = lines.concat();
    task.send(text.clone()).unwrap();
    task.send_end().unwrap();
    let seen = result(run).stdout;
    let expected = {
        let engine = house.engine();
        let file = house.file("text");
        std::fs::write(&file, &text).unwrap();
        super::support::run(&engine, Invocation::bash("sha256sum < text")).stdout
    };
    assert!(seen.contains(expected.trim()), "{seen:?} {expected:?}");
}

#[test]
fn keys_and_signals_reach_the_foreground() {
    let house = House::new();
    let engine = house.engine();
    let (run, task) = task(&engine, terminal("echo ready; sleep 1000"));
    shows(&task, "ready");
    task.send_keys(&keys(&["ctrl-c"])).unwrap();
    let interrupted = result(run);
    assert_eq!(
        interrupted.signal.as_deref(),
        Some("SIGINT"),
        "{interrupted:?}"
    );

    // What makes the list must not be there any more when the signal comes.
    let trap = "trap 'echo usr1' USR1; l=$(seq 600); echo ready; for i in $l; do sleep 0.1; done";
    for invocation in [terminal(trap), Invocation::bash(trap)] {
        let (run, task) = self::task(&engine, invocation);
        let id = task.id().to_owned();
        let printed = |text: &str| {
            let log =
                std::fs::read_to_string(engine.task(&id).unwrap().summary().unwrap().output_file);
            log.unwrap_or_default().contains(text)
        };
        assert!(eventually(LONG, || printed("ready")));
        task.signal(10).unwrap();
        assert!(eventually(LONG, || printed("usr1")));
        assert!(matches!(task.signal(0), Err(TaskError::Refused { .. })));
        assert!(matches!(task.signal(1000), Err(TaskError::Refused { .. })));
        task.signal(9).unwrap();
        assert_eq!(result(run).signal.as_deref(), Some("SIGKILL"));
    }
}

#[test]
fn a_terminal_changes_its_size() {
    let house = House::new();
    let engine = house.engine();
    let command = "trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.05; done";
    let (run, task) = task(&engine, terminal(command));
    shows(&task, "ready");
    let size = TerminalSize {
        rows: 50,
        columns: 132,
    };
    task.resize(size).unwrap();
    let result = result(run);
    assert_eq!(result.stdout, "ready\r\n50 132\r\n");
    let screen = task.screen().unwrap();
    assert_eq!((screen.rows, screen.columns), (50, 132));
    let none = TerminalSize {
        rows: 0,
        columns: 0,
    };
    assert!(matches!(task.resize(none), Err(TaskError::Ended { .. })));
}

#[test]
fn job_control_works() {
    let house = House::new();
    let engine = house.builder().wish(interactive()).build().unwrap();
    let (run, task) = task(&engine, terminal("PS1='$ ' bash --noprofile --norc -i"));
    question(&task);
    task.send("sleep 1000\r").unwrap();
    std::thread::sleep(Duration::from_millis(300));
    task.send_keys(&keys(&["ctrl-z"])).unwrap();
    shows(&task, "Stopped");
    task.send("kill %1; wait; echo st''ill here\r").unwrap();
    shows(&task, "still here");
    task.send_keys(&keys(&["ctrl-d"])).unwrap();
    assert_eq!(result(run).exit_code, Some(0));
}

fn interactive() -> Wish {
    let changes = CapabilityChanges {
        classes: vec!["interactive".to_owned()],
        ..CapabilityChanges::default()
    };
    Wish {
        changes,
        ..Wish::default()
    }
}

#[test]
fn a_full_screen_program_is_seen_as_a_person_sees_it() {
    let house = House::new();
    let engine = house.builder().wish(interactive()).build().unwrap();
    let (run, task) = task(&engine, terminal("vim -u NONE -i NONE -n notes.txt"));
    shows(&task, "notes.txt");
    assert!(task.screen().unwrap().full_screen);
    task.send("ihello from here").unwrap();
    shows(&task, "hello from here");
    let screen = task.screen().unwrap();
    assert_eq!(
        screen.lines.first().map(String::as_str),
        Some("hello from here")
    );
    assert_eq!(screen.lines.get(1).map(String::as_str), Some("~"));
    task.send_keys(&keys(&["escape"])).unwrap();
    task.send(":wq\r").unwrap();
    assert_eq!(result(run).exit_code, Some(0));
    assert_eq!(
        std::fs::read_to_string(house.file("notes.txt")).unwrap(),
        "hello from here\n"
    );
    assert!(!task.screen().unwrap().full_screen);
}

#[test]
fn a_python_prompt_answers() {
    let house = House::new();
    let engine = house.builder().wish(interactive()).build().unwrap();
    let (run, task) = task(&engine, terminal("/usr/bin/python3 -q"));
    assert_eq!(question(&task).line, ">>>");
    task.send("6 * 7\r").unwrap();
    shows(&task, "42");
    assert_eq!(question(&task).line, ">>>");
    task.send_end().unwrap();
    assert_eq!(result(run).exit_code, Some(0));
}

#[test]
fn git_can_be_told_which_changes_to_take() {
    let house = House::new();
    let engine = house.builder().wish(interactive()).build().unwrap();
    let setup = "git init -q . && printf 'a\\nb\\n' > f && git add f && git -c user.name=t -c user.email=t@example.com commit -qm one && printf 'a\\nc\\n' > f";
    assert!(run(&engine, Invocation::bash(setup)).success);
    let (run, task) = task(&engine, terminal("git add -p"));
    assert!(question(&task).line.contains("Stage this hunk"));
    task.send("y\r").unwrap();
    assert_eq!(result(run).exit_code, Some(0));
    let staged = super::support::run(&engine, Invocation::bash("git diff --cached --name-only"));
    assert_eq!(staged.stdout, "f\n");
}

#[test]
fn the_screen_takes_whatever_is_printed() {
    let house = House::new();
    let engine = house.engine();
    let (run, task) = task(
        &engine,
        terminal("head -c 3000000 /dev/urandom; printf '\\033c\\033[2J\\033[Hend'"),
    );
    let result = result(run);
    assert!(result.success, "{result:?}");
    assert_eq!(
        task.screen().unwrap().lines.first().map(String::as_str),
        Some("end")
    );
    let limit = OutputLimit::characters(bashful_engine::config::Keep::Tail, 100);
    assert!(task.result(limit).unwrap().is_some());
}

#[test]
fn a_task_is_reached_when_whoever_started_it_is_gone() {
    let house = House::new();
    let engine = house.engine();
    let command = "read -p 'Name: ' name; echo \"<$name>\"; read";
    let id = started(&engine, terminal(command).detached())
        .id()
        .to_owned();
    house.begun(&id);
    drop(engine);
    let other = house.engine();
    let task = other.task(&id).unwrap();
    question(&task);
    task.send("Ada\r").unwrap();
    shows(&task, "<Ada>");
    task.signal(9).unwrap();
    assert!(eventually(LONG, || task.state().unwrap().is_over()));
}

#[test]
fn a_screen_that_is_slow_to_draw_holds_up_no_executor() {
    let house = House::new();
    let engine = house.engine();
    let tools = ToolRegistry::new(&engine);
    // Each of these repeats a character 65535 times.
    let command = "printf a; printf '\\033[65535b%.0s' $(seq 1 20000); echo; sleep 60";
    let (run, task) = task(&engine, terminal(command));
    let printed = || task.summary().unwrap().output_bytes > 160_000;
    assert!(eventually(LONG, printed));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let arguments = || json!({ "task_id": task.id() });
    runtime.block_on(async {
        let began = Instant::now();
        let look = || tools.call("task_screen", arguments(), CallContext::default());
        let beside = async {
            tokio::time::sleep(Duration::from_millis(10)).await;
            began.elapsed()
        };
        let (one, other, beside) = tokio::join!(look(), look(), beside);
        assert!(beside < Duration::from_millis(900), "{beside:?}");
        assert_eq!(one.unwrap().json["screen"]["partial"], json!(true));
        assert_eq!(other.unwrap().json["screen"]["partial"], json!(true));
    });
    task.kill(bashful_engine::Kill::Now).unwrap();
    drop(run);
}

#[test]
fn tools_type_and_look() {
    let house = House::new();
    let engine = house.engine();
    let tools = ToolRegistry::new(&engine);
    let call = |name: &str, arguments: serde_json::Value| {
        tools.call_and_wait(name, arguments, CallContext::default())
    };
    let command = "read -p 'Name: ' name; echo \"<$name>\"; read -s -p 'Password: '; exit 3";
    let first = call("bash_run", json!({ "command": command, "tty": true })).unwrap();
    assert_eq!(first.json["state"], "needs_input", "{first:?}");
    assert_eq!(first.json["needs_input"], json!({ "line": "Name:" }));
    assert_eq!(first.json["screen"]["lines"], json!(["Name:"]));
    assert_eq!(first.task.as_deref(), first.json["task_id"].as_str());
    let id = first.json["task_id"].clone();

    let arguments = json!({ "task_id": id, "text": "Ada", "enter": true });
    let second = call("task_send", arguments).unwrap();
    assert_eq!(second.json["sent_bytes"], 4);
    assert!(second.text.contains("<Ada>"), "{second:?}");
    let asks_again = || {
        let seen = call("task_screen", json!({ "task_id": id })).unwrap();
        seen.json["needs_input"]["hidden"] == json!(true) && seen.text.contains("a password")
    };
    assert!(eventually(LONG, asks_again));

    let arguments = json!({ "task_id": id, "keys": ["x", "enter"], "wait_ms": 20000 });
    let last = call("task_send", arguments).unwrap();
    assert!(eventually(LONG, || {
        let seen = call("task_screen", json!({ "task_id": id })).unwrap();
        seen.json["state"] == "finished" && seen.json["exit_code"] == 3
    }));
    assert_eq!(last.json["sent_bytes"], 2);

    let wrong = call("task_send", json!({ "task_id": id, "keys": ["nokey"] }));
    assert!(wrong.unwrap_err().to_string().contains("ctrl-c"));
    let ended = call("bash_run", json!({ "command": "tty; exit 4", "tty": true })).unwrap();
    assert_eq!(
        (&ended.json["exit_code"], &ended.json["stdout"]),
        (&json!(4), &json!("/dev/pts/0\r\n"))
    );
}
