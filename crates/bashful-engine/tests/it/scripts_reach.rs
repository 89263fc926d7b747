//! What a script reaches is what a person saw: links, programs and folders that a run puts in the
//! way open nothing.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bashful_engine::scripts::{BashRun, MissingValues, Seen, StartedScript};
use bashful_engine::{Engine, Status};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;

use crate::scripts::{new, witness};
use crate::scripts_approval::run;
use crate::scripts_run::{approved, with};
use crate::support::{House, script};

/// An engine of an agent with this first on its `PATH`.
fn engine_with_path(house: &House, first: &std::path::Path) -> Engine {
    let mut environment = house.environment();
    let path = environment.get("PATH").cloned().unwrap_or_default();
    let path = format!("{}:{path}", first.display());
    environment.insert("PATH".to_owned(), path);
    house.builder().environment(environment).build().unwrap()
}

#[test]
fn a_link_in_the_place_of_a_declared_path_asks_again() {
    let house = House::new();
    let engine = house.engine();
    let secret = house.path().join("secret");
    fs::create_dir(&secret).unwrap();
    let reports = house.file("reports");
    fs::create_dir(&reports).unwrap();
    let caps = json!({"paths_write": [reports]});
    let text = format!("d={}; echo line >> $d/report\n", reports.display());
    approved(&engine, with("report", &text, &caps));
    let ran = run(&engine, &BashRun::of("report"));
    assert_eq!(ran.status, Status::Success, "{ran:?}");
    assert!(reports.join("report").exists());

    fs::rename(&reports, house.file("old")).unwrap();
    symlink(&secret, &reports).unwrap();
    let asked = run(&engine, &BashRun::of("report"));
    assert_eq!(asked.status, Status::NeedsApproval, "{asked:?}");
    let reason = asked.decision.unwrap().reason;
    assert!(reason.contains("led elsewhere"), "{reason}");
    assert!(!engine.scripts().show("report").unwrap().approved);
    assert_eq!(fs::read_dir(&secret).unwrap().count(), 0);

    // A person who says yes to where it leads now gets that.
    let yes = engine.scripts().approve("report", Seen::AsItIs, &witness());
    assert!(yes.unwrap().approved);
    let ran = run(&engine, &BashRun::of("report"));
    assert_eq!(ran.decision.unwrap().rule, "script-approved");
    // And put back, it is asked about again.
    fs::remove_file(&reports).unwrap();
    fs::rename(house.file("old"), &reports).unwrap();
    let asked = run(&engine, &BashRun::of("report"));
    assert_eq!(asked.status, Status::NeedsApproval, "{asked:?}");
}

#[test]
fn what_was_not_there_when_it_was_approved_is_no_link_later() {
    let house = House::new();
    let engine = house.engine();
    let secret = house.path().join("secret");
    fs::create_dir(&secret).unwrap();
    let later = house.file("later");
    approved(
        &engine,
        with("a", "ls\n", &json!({"paths_read": [later.clone()]})),
    );
    symlink(&secret, &later).unwrap();
    let asked = run(&engine, &BashRun::of("a"));
    assert_eq!(asked.status, Status::NeedsApproval, "{asked:?}");
    fs::remove_file(&later).unwrap();
    fs::create_dir(&later).unwrap();
    assert_eq!(run(&engine, &BashRun::of("a")).status, Status::Success);
}

#[test]
fn patterns_find_no_links() {
    let house = House::new();
    let engine = house.engine();
    let secret = house.path().join("secret");
    let data = house.path().join("data");
    for directory in [&secret, &data, &data.join("sub")] {
        fs::create_dir(directory).unwrap();
    }
    fs::write(data.join("sub/x"), "inside\n").unwrap();
    fs::write(secret.join("x"), "secret\n").unwrap();
    let text = format!("d={}; cat $d/sub/x $d/link/x\n", data.display());
    let caps = json!({"paths_read": [data.join("*")]});
    approved(&engine, with("some", &text, &caps));
    assert_eq!(run(&engine, &BashRun::of("some")).stdout, "inside\n");
    symlink(&secret, data.join("link")).unwrap();
    let action = BashRun::of("some");
    let refused = engine.scripts().start(&action, MissingValues::Refuse);
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("leads"), "{refused}");
}

#[test]
fn neither_a_call_nor_a_directory_opens_what_is_hidden_or_protected() {
    let house = House::new();
    let engine = house.engine();
    for directory in [".git/hooks", ".ssh", "data/sub"] {
        fs::create_dir_all(house.file(directory)).unwrap();
    }
    let workspace = house.workspace();
    let text = "f=$(echo x); echo x > $f; cd /; true\n";
    approved(&engine, with("here", text, &json!({"paths_write": ["."]})));
    let whole = json!({"paths_write": [workspace.clone()]});
    approved(&engine, with("whole", text, &whole));
    for name in ["here", "whole"] {
        for directory in [".git/hooks", ".ssh", ".git"] {
            let mut action = BashRun::of(name);
            action.working_directory = Some(directory.to_owned());
            let refused = engine.scripts().start(&action, MissingValues::Refuse);
            let refused = refused.unwrap_err();
            assert_eq!(
                refused.kind(),
                "bad_directory",
                "{name} {directory}: {refused}"
            );
        }
        let mut action = BashRun::of(name);
        action.working_directory = Some("data/sub".to_owned());
        assert!(run(&engine, &action).success);
        assert!(house.file("data/sub/x").exists(), "{name}");
        fs::remove_file(house.file("data/sub/x")).unwrap();
    }
    let mut action = BashRun::of("whole");
    let caps = json!({"paths_write": [workspace.join(".git/hooks")]});
    action.capabilities = serde_json::from_value(caps).unwrap();
    let refused = engine.scripts().start(&action, MissingValues::Refuse);
    assert_eq!(refused.unwrap_err().kind(), "widens");
}

#[test]
fn a_yes_is_to_where_the_paths_led_when_they_were_seen() {
    let house = House::new();
    let engine = house.engine();
    let (secret, out) = (house.path().join("secret"), house.file("out"));
    fs::create_dir(&secret).unwrap();
    fs::create_dir(&out).unwrap();
    let caps = json!({"paths_write": [out.clone()]});
    let made = engine.scripts().create(with("a", "true\n", &caps)).unwrap();
    fs::remove_dir(&out).unwrap();
    symlink(&secret, &out).unwrap();
    let seen = Seen::Digest(&made.digest);
    let refused = engine.scripts().approve("a", seen, &witness());
    assert_eq!(refused.unwrap_err().kind(), "changed");
    let now = engine.scripts().show("a").unwrap().digest;
    let yes = engine
        .scripts()
        .approve("a", Seen::Digest(&now), &witness());
    assert!(yes.unwrap().approved);
}

#[test]
fn a_home_behind_a_link_is_a_home() {
    let house = House::new();
    let link = house.path().join("linked");
    symlink(house.path(), &link).unwrap();
    let engine = house
        .builder()
        .places(bashful_engine::Places::under(&link))
        .build()
        .unwrap();
    approved(&engine, new("a", "pwd > x; cat x\n"));
    let result = run(&engine, &BashRun::of("a"));
    assert!(result.success, "{result:?}");
}

#[test]
fn heavy_a_directory_that_is_swapped_is_not_entered() {
    let house = House::new();
    let engine = house.engine();
    let secret = house.path().join("secret");
    fs::create_dir(&secret).unwrap();
    fs::write(secret.join("key"), "").unwrap();
    let (directory, link) = (house.file("flip"), house.file("flop"));
    fs::create_dir(&directory).unwrap();
    symlink(&secret, &link).unwrap();
    approved(&engine, with("a", "ls\n", &json!({"paths_read": ["."]})));
    let stop = Arc::new(AtomicBool::new(false));
    let flipping = std::thread::spawn({
        let (stop, one, other) = (Arc::clone(&stop), directory.clone(), link.clone());
        move || {
            while !stop.load(Ordering::Relaxed) {
                // There and back, and then long enough for a run to begin and end.
                for pause in [1, 40] {
                    let _ = renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE);
                    std::thread::sleep(std::time::Duration::from_millis(pause));
                }
            }
        }
    });
    let mut entered = 0;
    for round in 0..400 {
        if round >= 60 && entered >= 3 {
            break;
        }
        let mut action = BashRun::of("a");
        action.working_directory = Some("flip".to_owned());
        let started = engine.scripts().start(&action, MissingValues::Refuse);
        if let Ok(StartedScript::Running(running)) = started {
            // A room whose directory is swapped while it is built is none.
            let Ok(result) = running.wait_here() else {
                continue;
            };
            entered += u32::from(result.success);
            assert_eq!(result.stdout, "", "it was in another place");
        }
    }
    stop.store(true, Ordering::Relaxed);
    flipping.join().unwrap();
    assert!(
        entered > 0,
        "nothing was ever entered, so nothing was tried"
    );
}

#[test]
fn programs_are_not_taken_from_where_an_agent_can_put_them() {
    let house = House::new();
    let bin = house.file("bin");
    fs::create_dir(&bin).unwrap();
    for name in ["bash", "ls", "shellcheck"] {
        script(&bin.join(name), "#!/bin/sh\necho TAKEN\n");
    }
    let own = house.path().join("own");
    fs::create_dir(&own).unwrap();
    script(&own.join("ls"), "#!/bin/sh\necho TAKEN\n");
    for (name, first, caps) in [
        ("reads", &bin, json!({"paths_read": [bin.clone()]})),
        ("writes", &own, json!({"paths_write": [own.clone()]})),
        ("here", &bin, json!({"paths_read": ["."]})),
    ] {
        let engine = engine_with_path(&house, first);
        approved(&engine, with(name, "ls / | head -n 1\n", &caps));
        let mut action = BashRun::of(name);
        if name == "here" {
            action.working_directory = Some(".".to_owned());
        }
        let result = run(&engine, &action);
        assert!(
            result.success && !result.stdout.contains("TAKEN"),
            "{result:?}"
        );
    }
}

#[test]
fn the_home_of_a_script_is_the_users_with_what_it_declares() {
    let house = House::new();
    let engine = house.engine();
    let home = house.path().join("home");
    fs::create_dir_all(home.join("invoices")).unwrap();
    fs::write(home.join("invoices/a.txt"), "12\n").unwrap();
    fs::write(home.join("other"), "private\n").unwrap();
    fs::write(home.join("expenses.txt"), "").unwrap();
    let text = "cat ~/invoices/a.txt >> ~/expenses.txt; ls -A ~; f=$(echo x); echo y > ~/$f\n";
    let caps = json!({"paths_read": ["~/invoices"], "paths_write": ["~/expenses.txt"]});
    approved(&engine, with("a", text, &caps));
    let result = run(&engine, &BashRun::of("a"));
    assert_eq!(result.stdout, "expenses.txt\ninvoices\n", "{result:?}");
    // The home lies in `/tmp` here, which is the run's own; elsewhere what is not declared cannot
    // be written at all.
    assert_eq!(
        fs::read_to_string(home.join("expenses.txt")).unwrap(),
        "12\n"
    );
    assert!(!home.join("x").exists());
}

#[test]
fn nothing_of_bashfuls_own_can_be_declared() {
    let house = House::new();
    let engine = house.engine();
    approved(&engine, new("first", "true\n"));
    assert!(run(&engine, &BashRun::of("first")).success);
    for (number, own) in ["state", "cache", "cache/sandbox"].iter().enumerate() {
        let path = house.path().join(own);
        fs::create_dir_all(&path).unwrap();
        let name = format!("a{number}");
        approved(&engine, with(&name, "ls\n", &json!({"paths_read": [path]})));
        let action = BashRun::of(&name);
        let refused = engine.scripts().start(&action, MissingValues::Refuse);
        assert_eq!(refused.unwrap_err().kind(), "bad_capabilities", "{own}");
    }
    let both = json!({"paths_write": [house.path(), "/var/tmp"]});
    approved(&engine, with("both", "pwd\n", &both));
    let refused = engine
        .scripts()
        .start(&BashRun::of("both"), MissingValues::Refuse);
    let refused = bashful_engine::in_full(&refused.unwrap_err());
    assert!(refused.contains("declare less"), "{refused}");
}

#[test]
fn no_script_sees_what_others_work_with() {
    let house = House::new();
    let engine = house.engine();
    let cache = house.path().join("cache");
    approved(&engine, new("first", "true\n"));
    assert!(run(&engine, &BashRun::of("first")).success);
    for hidden in ["scripts", "sandbox"] {
        fs::create_dir_all(cache.join(hidden).join("other")).unwrap();
    }
    let text = format!(
        "d={}; ls -A $d/scripts $d/sandbox; f=$(echo $d/scripts/other/x); echo x > $f; pwd\n",
        cache.display()
    );
    for caps in [
        json!({"paths_read": [house.path()]}),
        json!({"paths_write": [house.path()]}),
    ] {
        let name = format!("a{}", caps.to_string().len());
        approved(&engine, with(&name, &text, &caps));
        let result = run(&engine, &BashRun::of(&name));
        assert!(!result.stdout.contains("other"), "{result:?}");
        assert!(result.success, "{result:?}");
        assert!(!cache.join("scripts/other/x").exists());
        // Its own scratch is elsewhere, and gone.
        let place = result.stdout.lines().last().unwrap();
        assert!(place.starts_with("/var/tmp/bashful-"), "{place}");
        assert!(!std::path::Path::new(place).exists());
    }
}
