//! Rooms that end before their runs do.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::case::Case;
use crate::owner::Owner;
use crate::process::{Ground, Helper, kill, marked};
use crate::room;
use crate::scene::Scene;

/// How long the kernel may take to end what a killed keeper had.
const PATIENCE: Duration = Duration::from_secs(5);

/// Ends the room, as its keeper does, while its helper works.
pub(crate) fn close_the_room(case: &Case, owner: Owner) -> Result<String, String> {
    let (scene, room, helper) = start(case, owner)?;
    helper.kill()?;
    drop(room);
    nothing_left(&scene.marker, Duration::ZERO)
}

/// Kills the keeper of a room while its helper works.
pub(crate) fn kill_the_keeper(case: &Case, _: Owner) -> Result<String, String> {
    nothing_left(&killed_keeper(case)?, PATIENCE)
}

fn nothing_left(marker: &str, patience: Duration) -> Result<String, String> {
    let until = Instant::now() + patience;
    loop {
        let left = marked(marker);
        if left.is_empty() {
            return Ok("nothing was left".to_owned());
        }
        if Instant::now() > until {
            left.iter().copied().for_each(kill);
            return Err(format!("ESCAPED, processes {left:?} live on"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A scene, a room in it, and the helper at work there.
fn start(case: &Case, owner: Owner) -> Result<(Scene, bashful_sandbox::Room, Helper), String> {
    let mut scene = Scene::new(owner);
    (case.prepare)(&mut scene);
    scene.set();
    let mut room = room::open(&scene.profile())?;
    let (_, act) = case.helper.ok_or("the case has no helper")?;
    let helper = Helper::start(act, &mut scene, &mut Ground::Room(&mut room))?;
    if marked(&scene.marker).is_empty() {
        return Err("the helper has left nothing".to_owned());
    }
    Ok((scene, room, helper))
}

/// Is a keeper until it is killed.
pub(crate) fn be_a_keeper(case: &Case) -> Result<(), String> {
    let (scene, _room, _helper) = start(case, Owner::Ourselves)?;
    println!("{}", scene.marker);
    // Until the end of our input, which does not come before our own.
    drop(std::io::stdin().read(&mut [0]));
    Ok(())
}

/// Starts a keeper with a room, and kills it. Returns the marker of its run.
#[expect(
    clippy::disallowed_methods,
    reason = "a keeper of its own, which is no process of the sandbox"
)]
fn killed_keeper(case: &Case) -> Result<String, String> {
    let text = |error: std::io::Error| error.to_string();
    // It cannot clean up after itself.
    let directory = tempfile::tempdir().map_err(text)?;
    let mut keeper = Command::new(std::env::current_exe().map_err(text)?)
        .args(["--keeper", "--exact", &case.full_name()])
        .env("TMPDIR", directory.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(text)?;
    let output = keeper.stdout.take().ok_or("a keeper has an output")?;
    let mut marker = String::new();
    BufReader::new(output)
        .read_line(&mut marker)
        .map_err(text)?;
    keeper.kill().map_err(text)?;
    keeper.wait().map_err(text)?;
    let marker = marker.trim_end().to_owned();
    if marker.is_empty() {
        return Err("the keeper did not start its run".to_owned());
    }
    Ok(marker)
}
