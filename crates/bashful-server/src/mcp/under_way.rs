//! Requests that are under way, by their ids.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;

/// How many requests may be under way; more are refused.
const MOST_UNDER_WAY: usize = 1024;

/// Ids of requests that were not answered yet.
#[derive(Default)]
pub(super) struct UnderWay(Mutex<Ids>);

/// The client may use an id again as soon as it has called its request off, while the handler still
/// ends that request. The handler tells requests apart by their ids alone, so it gets another one.
#[derive(Default)]
struct Ids {
    /// By the client's id, the one that the handler knows the request by.
    open: HashMap<RequestId, RequestId>,
    /// Ids whose requests were called off before they were answered.
    called_off: HashSet<RequestId>,
    /// How many requests got another id.
    renamed: u64,
}

impl UnderWay {
    pub(super) fn is_empty(&self) -> bool {
        self.lock().open.is_empty()
    }

    /// Takes the client's id of a new request; afterwards it is the one for the handler.
    pub(super) fn add(&self, id: &mut RequestId) -> Result<(), &'static str> {
        let mut ids = self.lock();
        if ids.open.len() >= MOST_UNDER_WAY {
            return Err("too many requests are under way; wait for answers first");
        }
        if ids.open.contains_key(id) {
            return Err("a request with this id is under way");
        }
        let mut known_as = id.clone();
        if ids.called_off.contains(id) {
            ids.renamed += 1;
            known_as = RequestId::String(format!("bashful: again {}", ids.renamed).into());
        }
        ids.open.insert(id.clone(), known_as.clone());
        *id = known_as;
        Ok(())
    }

    /// The client calls a request off, and may use its id again at once.
    pub(super) fn call_off(&self, id: &mut RequestId) {
        let mut ids = self.lock();
        if let Some(known_as) = ids.open.remove(id) {
            ids.called_off.insert(std::mem::replace(id, known_as));
        }
    }

    /// Gives the handler's answer the id that the client knows; false where it wants none.
    pub(super) fn give_back(&self, id: &mut RequestId) -> bool {
        let ids = self.lock();
        let mut open = ids.open.iter();
        let Some((own, _)) = open.find(|(_, known_as)| *known_as == id) else {
            return false;
        };
        *id = own.clone();
        true
    }

    /// The answer to what the handler knows by this id is about to be written; false where the client
    /// called it off meanwhile.
    pub(super) fn answered(&self, known_as: &RequestId) -> bool {
        let mut ids = self.lock();
        let before = ids.open.len();
        ids.open.retain(|_, other| other != known_as);
        ids.open.len() < before
    }

    fn lock(&self) -> MutexGuard<'_, Ids> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_answer_is_not_taken_for_the_next_ones() {
        let under_way = UnderWay::default();
        let client = RequestId::Number(2);
        let (mut first, mut cancelled, mut second) =
            (client.clone(), client.clone(), client.clone());
        assert_eq!(under_way.add(&mut first), Ok(()));
        assert_eq!(first, client);
        assert!(under_way.add(&mut second.clone()).is_err());
        under_way.call_off(&mut cancelled);
        assert_eq!(cancelled, first);
        // The handler has not ended the first when the second comes.
        assert_eq!(under_way.add(&mut second), Ok(()));
        assert_ne!(second, first);
        assert!(!under_way.give_back(&mut first), "a late answer");
        let known_as = second.clone();
        assert!(under_way.give_back(&mut second));
        assert_eq!(second, client);
        assert!(
            !under_way.answered(&client),
            "a late answer that is written"
        );
        assert!(under_way.answered(&known_as));
        assert!(under_way.is_empty());
    }

    #[test]
    fn what_is_called_off_twice_is_told_apart_again() {
        let under_way = UnderWay::default();
        let mut seen = HashSet::new();
        for _ in 0..3 {
            let (mut id, mut cancelled) = (RequestId::Number(2), RequestId::Number(2));
            assert_eq!(under_way.add(&mut id), Ok(()));
            under_way.call_off(&mut cancelled);
            assert_eq!(cancelled, id);
            assert!(seen.insert(id));
        }
    }
}
