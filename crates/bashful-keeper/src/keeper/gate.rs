//! What gates say: each connection goes on record with the run that wants it, before it is made.

use bashful_sandbox::{GateNews, Passage, Violation};

use super::{Keeper, Source};
use crate::run::Run;

/// What is heard at once; others wait for the keeper too.
const MOST_AT_ONCE: usize = 32;

impl Keeper {
    /// Hears the gate of a room.
    pub(super) fn hear_gate(&mut self, room: u64) {
        for _ in 0..MOST_AT_ONCE {
            let Some(gate) = self.rooms.gate(room) else {
                // The room has left, and with it the gate goes.
                return self.rooms.end_left();
            };
            let news = match gate.hear() {
                Ok(Some(news)) => news,
                Ok(None) => return,
                // The next run gets another room.
                Err(_) => return self.events.forget(Source::Gate(room), gate),
            };
            // It read what hostile programs sent, and what it says is not taken for true.
            let Ok(news) = serde_json::from_slice::<GateNews>(&news) else {
                continue;
            };
            let recorded = match &news {
                GateNews::Opens(passage) => self.record(room, passage, &news),
                GateNews::Ended(passed) => {
                    let ended = self.in_room(room, |run| run.has_connection(passed.connection));
                    for run in ended {
                        let _ = run.note_connection(passed.connection, &news);
                    }
                    None
                }
            };
            if let (Some(connection), Some(gate)) = (recorded, self.rooms.gate(room)) {
                gate.recorded(connection);
            }
        }
    }

    /// Puts a connection on record with the run that wants it; its number if that is done. If it cannot
    /// be told which run that is, all of the room are said to.
    fn record(&mut self, room: u64, passage: &Passage, news: &GateNews) -> Option<u64> {
        let mut wanting = self.in_room(room, |run| run.has_port(passage.from));
        if wanting.is_empty() {
            wanting = self.in_room(room, |_| true);
        }
        let mut done = None;
        for run in wanting {
            run.note_connection(passage.connection, news).ok()?;
            if let Some((violation, place)) = refused(passage).zip(run.place.as_mut()) {
                place.tell_all(vec![violation]);
            }
            done = Some(passage.connection);
        }
        done
    }

    fn in_room(&mut self, room: u64, which: impl Fn(&Run) -> bool) -> Vec<&mut Run> {
        let is_there = |run: &&mut Run| run.place.as_ref().is_some_and(|it| it.number() == room);
        let runs = self.runs.values_mut().filter(is_there);
        runs.filter(|run| which(run)).collect()
    }
}

/// What is told of a connection that some rule would have opened.
fn refused(passage: &Passage) -> Option<Violation> {
    let (why, rules) = (passage.refused.as_ref()?, passage.opened_by.as_ref()?);
    let host = &passage.host;
    let host = if host.contains(':') {
        format!("[{host}]")
    } else {
        host.clone()
    };
    Some(Violation {
        kind: "network".to_owned(),
        address: Some(format!("{host}:{}", passage.port)),
        missing: "hosts".to_owned(),
        flag: Some(rules.clone()),
        source: "gate".to_owned(),
        note: Some(format!("it {why}")),
        ..Violation::default()
    })
}
