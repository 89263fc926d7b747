//! What wakes a keeper, and what does no longer.

use std::os::unix::net::UnixStream;

use super::*;

/// What has happened by this moment.
fn events(keeper: &Keeper) -> Vec<Source> {
    keeper.events.wait(Some(&Timespec::default())).unwrap()
}

#[test]
fn what_an_ended_run_left_open_wakes_the_keeper_once() {
    let (engine, ours) = UnixStream::pair().unwrap();
    let mut keeper = Keeper::new(ours.into(), 0).unwrap();
    // The run is told as ended in the moment in which its line closes.
    let (report, theirs) = UnixStream::pair().unwrap();
    let source = Source::Report(77);
    keeper.events.add(source, &report, EventFlags::IN).unwrap();
    keeper.rooms.closing.push(report.into());
    assert!(events(&keeper).is_empty());
    drop(theirs);
    let woken = events(&keeper);
    assert_eq!(woken.len(), 1);
    for source in woken {
        keeper.handle(source);
    }
    assert!(events(&keeper).is_empty(), "it would be woken for ever");
    drop(engine);
}
