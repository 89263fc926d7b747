//! What wakes a keeper, and what does no longer.

use std::os::unix::net::UnixStream;

use super::*;

/// How many events there are at this moment.
fn events(keeper: &Keeper) -> Vec<epoll::Event> {
    let mut events = Vec::with_capacity(8);
    epoll::wait(
        &keeper.epoll,
        spare_capacity(&mut events),
        Some(&Timespec::default()),
    )
    .unwrap();
    events
}

#[test]
fn what_an_ended_run_left_open_wakes_the_keeper_once() {
    let (engine, ours) = UnixStream::pair().unwrap();
    let mut keeper = Keeper::new(ours.into(), 0).unwrap();
    // The run is told as ended in the moment in which its line closes.
    let (report, theirs) = UnixStream::pair().unwrap();
    epoll::add(
        &keeper.epoll,
        &report,
        Source::Report(77).encode(),
        EventFlags::IN,
    )
    .unwrap();
    keeper.rooms.closing.push(report.into());
    assert!(events(&keeper).is_empty());
    drop(theirs);
    let woken = events(&keeper);
    assert_eq!(woken.len(), 1);
    for event in &woken {
        keeper.handle(Source::decode(event.data));
    }
    assert!(events(&keeper).is_empty(), "it would be woken for ever");
    drop(engine);
}
