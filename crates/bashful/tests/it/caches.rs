//! `bashful cache`: what tools cached is shown and emptied, a quota is kept, and no link leads out.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Running, World};

/// A run leaves a file of 300 KiB in each of these caches, as old as said.
fn fill(world: &World, flags: &[&str], tools: &[(&str, &str)]) {
    let line = |(tool, age): &(&str, &str)| {
        format!(
            "mkdir -p $(dirname $CARGO_HOME)/{tool}/sub && cd $(dirname $CARGO_HOME)/{tool}/sub && \
             head -c 300000 /dev/zero > blob && touch -d '{age}' blob"
        )
    };
    let lines: Vec<String> = tools.iter().map(line).collect();
    let mut arguments = flags.to_vec();
    let text = lines.join(" && ");
    arguments.push(&text);
    let outcome = world.run(&arguments);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
}

fn shown(world: &World, flags: &[&str]) -> Vec<Value> {
    let arguments = [&["cache", "show", "--json"], flags].concat();
    let (code, shown) = world.call(&arguments).json();
    assert_eq!((code, &shown["v"]), (0, &json!(1)));
    shown["caches"].as_array().unwrap().clone()
}

fn cleaned(world: &World, flags: &[&str]) -> (i32, Value) {
    let arguments = [&["cache", "clean", "--json"], flags].concat();
    world.call(&arguments).json()
}

#[test]
fn caches_are_shown_by_owner_and_emptied_as_named() {
    let world = World::unjudged();
    let other = world.path("other");
    fs::create_dir(&other).unwrap();
    let other = other.to_str().unwrap();
    let tools = [("one", "3 days ago"), ("two", "3 days ago")];
    fill(&world, &[], &tools);
    fill(&world, &["--agent", "ann"], &tools[..1]);
    fill(&world, &["--workspace", other], &tools[..1]);
    let all = shown(&world, &[]);
    let owners: Vec<_> = all.iter().map(|cache| &cache["owner"]["agent"]).collect();
    assert_eq!(owners.len(), 3, "{all:?}");
    assert_eq!(owners[0]["project"], json!(world.workspace()));
    assert!(all[0]["bytes"].as_u64() >= Some(600_000), "{all:?}");
    assert_eq!(all[0]["in_use"], false);
    assert_eq!(shown(&world, &["--agent", "ann"]).len(), 1);
    let there = shown(&world, &["--project", other]);
    assert_eq!(there[0]["owner"]["agent"]["project"], other);
    // As people see it.
    let table = world.call(&["cache", "show"]).stdout;
    assert!(table.starts_with("AGENT  "), "{table}");
    assert!(
        table.contains("3d ") && table.contains("the quota of each is 10.0 GiB"),
        "{table}"
    );
    // Only what is named goes, and nothing in a dry run.
    let (code, dry) = cleaned(&world, &["--dry-run", "--all"]);
    assert_eq!((code, dry["removed"].as_array().unwrap().len()), (0, 4));
    assert_eq!(shown(&world, &[]).len(), 3);
    assert_eq!(cleaned(&world, &["--agent", "ann"]).0, 0);
    assert_eq!(shown(&world, &["--agent", "ann"]).len(), 0);
    assert_eq!(cleaned(&world, &[]).0, 0);
    assert_eq!(shown(&world, &[]), there);
    // A later run finds its cache as new.
    fill(&world, &[], &tools[..1]);
    assert_eq!(cleaned(&world, &["--all"]).0, 0);
    assert_eq!(
        world.call(&["cache", "show"]).stdout,
        "Nothing is cached.\n"
    );
}

#[test]
fn a_cache_in_use_stays() {
    let world = World::unjudged();
    fill(&world, &[], &[("one", "3 days ago")]);
    let running = world.start(&["sleep 60"]);
    let is_used = || shown(&world, &[])[0]["in_use"] == true;
    assert!(crate::support::eventually(is_used));
    let (code, told) = cleaned(&world, &["--all"]);
    assert_eq!((code, told["in_use"].as_array().unwrap().len()), (1, 1));
    assert_eq!(shown(&world, &[]).len(), 1);
    world.call(&["stop", "--all"]);
    drop(Running::end(running));
    assert_eq!(cleaned(&world, &["--all"]).0, 0);
    assert!(shown(&world, &[]).is_empty());
}

#[test]
fn the_quota_takes_the_oldest_and_leaves_what_is_new() {
    let world = World::unjudged();
    let tools = [
        ("old", "9 days ago"),
        ("older", "30 days ago"),
        ("fresh", "1 second ago"),
    ];
    fill(&world, &[], &tools);
    let bytes = shown(&world, &[])[0]["bytes"].as_u64().unwrap();
    // One of them has to go; then what is left fits.
    world.configure(&format!("[caches]\nquota = \"{}K\"\n", bytes / 1024 - 4));
    let again = || {
        for stamp in ["tasks.cleaned", "caches.cleaned"] {
            let _ = fs::remove_file(world.state().join(stamp));
        }
        assert_eq!(world.run(&["true"]).code, 0);
        let cache = shown(&world, &[])[0]["path"].as_str().unwrap().to_owned();
        let there = |tool: &str| Path::new(&cache).join(tool).exists();
        tools.map(|(tool, _)| there(tool))
    };
    assert_eq!(again(), [true, false, true]);
    // What was used just now may be in use: it stays, whatever the quota.
    world.configure("[caches]\nquota = \"1K\"\n");
    assert_eq!(again(), [false, false, true]);
    // It is looked at once a day.
    fill(&world, &[], &[("old", "9 days ago")]);
    fs::remove_file(world.state().join("tasks.cleaned")).unwrap();
    assert_eq!(world.run(&["true"]).code, 0);
    let (_, left) = cleaned(&world, &["--dry-run"]);
    assert_eq!(left["removed"].as_array().unwrap().len(), 2);
}

#[test]
fn nothing_in_a_cache_leads_the_cleaning_out_of_it() {
    let world = World::unjudged();
    let kept = world.path("kept");
    fs::create_dir(&kept).unwrap();
    fs::write(kept.join("file"), vec![7; 500_000]).unwrap();
    let plant = format!(
        "cd $(dirname $CARGO_HOME) && ln -s {0} one && mkdir two && ln -s {0} two/link && \
         mkdir two/closed && ln -s ../../../homes two/closed/up && chmod 0 two/closed",
        kept.display()
    );
    assert_eq!(world.run(&[&plant]).code, 0);
    let bytes = shown(&world, &[])[0]["bytes"].as_u64().unwrap();
    assert!(bytes < 200_000, "{bytes}");
    assert_eq!(cleaned(&world, &[]).0, 0);
    assert!(shown(&world, &[]).is_empty());
    assert_eq!(fs::read(kept.join("file")).unwrap().len(), 500_000);
    assert!(world.path("cache/bashful/homes").is_dir());
}

#[test]
fn a_run_cannot_say_whose_a_cache_is() {
    let world = World::unjudged();
    fill(&world, &[], &[("one", "3 days ago")]);
    let note = world.state().join("caches");
    let write = format!("echo x > {}/x; ls {}", note.display(), note.display());
    assert_ne!(world.run(&[&write]).code, 0);
    assert_eq!(fs::read_dir(note).unwrap().count(), 1);
}
