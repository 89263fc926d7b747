//! Ending runs that could see a secret which has come into being.

use std::time::Instant;

use super::Keeper;
use crate::rooms::InRoom;

impl Keeper {
    /// New names in directories that runs see: those that could see a secret end.
    pub(super) fn hear_sentry(&mut self) {
        let now = Instant::now();
        let Some(sentry) = self.rooms.sentry_mut() else {
            return;
        };
        let new = sentry.new_names();
        for run in self.runs.values_mut() {
            let absent = run.place.as_ref().and_then(InRoom::absent);
            let found = absent.and_then(|absent| sentry.appeared(absent, new.as_deref()));
            if let Some(path) = found {
                run.could_see(path, now);
            }
        }
    }
}
