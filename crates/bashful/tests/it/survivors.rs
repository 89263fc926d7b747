//! What outlives its command is ended or adopted; no run waits for it.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Marker, Walls, World, eventually, seq};

#[test]
fn a_background_process_is_not_waited_for() {
    for world in World::both() {
        let marker = Marker::fresh();
        let ended = world.ended(&[format!("{} & echo hi", marker.sleep())]);
        marker.assert_gone();
        let stderr = format!(
            "bashful: note: ended a process left behind: {}\n\
             bashful: hint: use --survivors adopt to let such processes go on as a task\n",
            marker.sleep()
        );
        assert_eq!(ended.outcome(), world.ran(0, "hi\n", &stderr));
        assert!(ended.took < Duration::from_secs(10), "{:?}", ended.took);
    }
}

#[test]
fn survivors_are_killed_and_reported() {
    for world in World::both() {
        let marker = Marker::fresh();
        let text = format!(
            "{0} & first=$!; setsid {0} & echo $first $!; exit 4",
            marker.sleep()
        );
        let (code, result) = world.json(&[&text]);
        marker.assert_gone();
        let mut survivors = result["survivors"].as_array().unwrap().clone();
        survivors.sort_by_key(|survivor| survivor["pid"].as_i64());
        let pids: Vec<i64> = match world.walls() {
            // What `setsid` started has the number that bash was told, unless it had to fork.
            Walls::Nothing => {
                let told = result["stdout"].as_str().unwrap().split_whitespace();
                told.map(|pid| pid.parse().unwrap()).collect()
            }
            // The command has numbers of its own; the result has those of the machine.
            Walls::Sandbox => {
                let pids = survivors.iter().map(|survivor| survivor["pid"].as_i64());
                pids.map(Option::unwrap).collect()
            }
        };
        let entry = |pid: i64| json!({ "pid": pid, "command": marker.sleep(), "fate": "killed" });
        assert_eq!(
            json!([code, survivors]),
            json!([4, [entry(pids[0]), entry(pids[1])]])
        );
        assert_ne!(pids[0], pids[1]);
        assert_eq!(world.records()[0]["survivors"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn survivors_that_ignore_sigterm_are_killed() {
    for world in World::both() {
        let marker = Marker::fresh();
        let text = format!("(trap '' TERM; exec setsid {}) & echo hi", marker.sleep());
        let (code, result) = world.json(&[&text]);
        marker.assert_gone();
        let found = json!([
            code,
            result["status"],
            result["stdout"],
            result["survivors"][0]["fate"]
        ]);
        assert_eq!(found, json!([0, "success", "hi\n", "killed"]));
    }
}

#[test]
fn a_daemon_that_holds_the_pipe_never_empties_the_output() {
    for world in World::both() {
        for round in 0..10 {
            let marker = Marker::fresh();
            let text = format!("setsid {} & printf out; printf err >&2", marker.sleep());
            let (code, result) = world.json(&[&text]);
            marker.assert_gone();
            let found = json!([code, result["stdout"], result["stderr"]]);
            assert_eq!(found, json!([0, "out", "err"]), "round {round}");
        }
    }
}

#[test]
fn a_daemon_that_holds_the_pipe_does_not_cut_long_output() {
    for world in World::both() {
        let marker = Marker::fresh();
        let outcome = world.run(&[format!("setsid {} & seq 1 100000", marker.sleep())]);
        marker.assert_gone();
        let expected = seq(1, 100_000);
        assert!(outcome.stdout == expected, "{} bytes", outcome.stdout.len());
    }
}

#[test]
fn a_chatty_survivor_does_not_keep_the_run_alive() {
    for world in World::both() {
        let marker = Marker::fresh();
        let text = format!("yes {} & sleep 0.1; exit 5", marker.sleep());
        let ended = world.ended(&["--json", &text]);
        marker.assert_gone();
        let (code, result) = ended.outcome().json();
        assert_eq!(
            json!([code, result["survivors"][0]["fate"]]),
            json!([5, "killed"])
        );
        assert!(ended.took < Duration::from_secs(30), "{:?}", ended.took);
    }
}

#[test]
fn adopted_survivors_go_on_as_a_task() {
    for world in World::both() {
        let marker = Marker::fresh();
        let text = format!(
            "(exec -a ticker bash -c 'while :; do echo tick; sleep 0.05; done' {}) & echo hi",
            marker.sleep()
        );
        let (code, result) = world.json(&["--survivors", "adopt", &text]);
        let survivor = &result["survivors"][0];
        let shown = survivor["command"].as_str().unwrap();
        assert!(shown.starts_with("ticker "), "{result}");
        let found = json!([
            code,
            result["stdout"].as_str().unwrap().contains("hi\n"),
            survivor["fate"]
        ]);
        assert_eq!(found, json!([0, true, "adopted"]));
        let id = survivor["task_id"].as_str().unwrap();
        assert_ne!(result["task_id"], id);

        let [task] = &world.status()[..] else {
            panic!("not one task")
        };
        assert_eq!(task["task_id"], id);
        let log = task["output_file"].as_str().unwrap();
        let size = || fs::metadata(log).unwrap().len();
        let before = size();
        assert!(eventually(|| size() > before + 50), "the log does not grow");
        assert!(fs::read_to_string(log).unwrap().contains("tick\n"));

        let outcome = world.call(&["stop", "--all"]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "Stopped 1.\n"));
        marker.assert_gone();
        assert_eq!(world.status(), [] as [Value; 0]);
        let records = world.records();
        let adopted = records.iter().find(|record| record["id"] == id).unwrap();
        let found = json!([adopted["phase"], adopted["ending"]]);
        assert_eq!(found, json!(["finished", "keeper_stopped"]));
    }
}

#[test]
fn an_adopted_task_that_ends_by_itself_is_on_record() {
    for world in World::both() {
        let text = "(sleep 2; echo late) & echo hi";
        let (code, result) = world.json(&["--survivors", "adopt", text]);
        assert_eq!(json!([code, result["stdout"]]), json!([0, "hi\n"]));
        let id = result["survivors"][0]["task_id"].as_str().unwrap();
        assert!(eventually(|| world.status().is_empty()));
        let records = world.records();
        let adopted = records.iter().find(|record| record["id"] == id).unwrap();
        let found = json!([adopted["phase"], adopted["ending"], adopted["exit_code"]]);
        assert_eq!(found, json!(["finished", "exited", 0]));
        let log = world.state().join("tasks").join(id).join("out.log");
        assert_eq!(fs::read_to_string(log).unwrap(), "late\n");
        assert!(eventually(|| world.living_keepers().is_empty()));
    }
}

#[test]
fn a_person_is_told_of_an_adopted_task() {
    for world in World::both() {
        let marker = Marker::fresh();
        let text = format!("{} & echo hi", marker.sleep());
        let outcome = world.run(&["--survivors", "adopt", &text]);
        let id = world.status()[0]["task_id"].as_str().unwrap().to_owned();
        assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "hi\n"));
        for part in [
            "Started in the background",
            &id,
            &marker.sleep(),
            "out.log",
            "bashful logs",
        ] {
            assert!(outcome.stderr.contains(part), "{part} in {outcome:?}");
        }
        assert_eq!(world.call(&["stop", "--all"]).code, 0);
        marker.assert_gone();
    }
}

#[test]
fn no_survivors_no_word_about_them() {
    for world in World::both() {
        let (_, result) = world.json(&["sleep 0.05 & wait"]);
        assert_eq!(result.get("survivors"), None);
    }
}
