//! What every store holds, one law each. A store lists them with `laws!` and a place of its own.

use super::{AskLimits, OpenedAsk, Settlement, Store};

mod asks;
mod examples;
mod grants;
mod index;
mod lasting;
mod races;
mod scripts;

pub(super) use asks::*;
pub(crate) use examples::*;
pub(super) use grants::*;
pub(super) use index::*;
pub(super) use lasting::*;
pub(super) use races::*;
pub(super) use scripts::*;

/// Somewhere for one store; every handle is one as another process would have it.
pub(super) trait Place: Sync {
    fn open(&self) -> Box<dyn Store>;
}

/// One test for each law, with a new place for each.
macro_rules! laws {
    ($place:path) => {
        $crate::store::conformance::laws! { @ $place:
            // Asks.
            an_ask_is_kept_whole
            only_what_waits_is_put
            equal_asks_join
            what_differs_does_not_join
            the_first_answer_wins
            an_unknown_ask_cannot_be_settled
            a_losing_answer_leaves_no_grant
            an_answer_that_cannot_be_recorded_does_not_count
            an_ask_that_cannot_be_recorded_does_not_wait
            an_answer_that_makes_no_sense_is_refused
            an_ask_past_its_time_expires_instead
            asks_expire_once_and_at_their_time
            an_agent_can_have_so_many_asks
            an_agent_can_put_so_many_asks_in_a_while
            asks_are_listed_by_what_is_wanted
            // Grants.
            a_grant_is_kept_whole
            a_grant_is_added_once
            a_grant_is_claimed_once
            what_does_not_hold_cannot_be_claimed
            only_the_claimant_gives_a_grant_back
            a_revoked_grant_stays_so
            a_change_that_cannot_be_recorded_is_none
            grants_are_listed_by_what_is_wanted
            cleaning_keeps_what_has_an_effect
            what_was_recorded_is_restored
            restoring_equal_asks_keeps_the_younger
            // One yes for many.
            a_lasting_yes_settles_equal_asks
            a_yes_without_shapes_settles_no_other_text
            a_yes_for_one_call_settles_one_ask
            a_lasting_yes_leaves_others_alone
            a_session_and_a_project_are_the_border
            a_no_settles_one_ask
            // The index.
            tasks_are_indexed_and_brought_up_to_date
            sessions_are_known_from_all_that_is_kept
            // Scripts.
            a_script_is_kept_whole
            a_name_belongs_to_one_script
            whoever_changes_an_older_script_comes_too_late
            a_script_that_cannot_be_recorded_is_not_kept
            versions_are_kept_by_their_hash
            old_versions_are_forgotten
            runs_are_counted_beside_a_script
            a_yes_to_an_ask_approves_the_script
            a_yes_to_what_a_script_was_has_no_effect
            what_is_asked_about_a_script_ends_with_it
            // Races.
            ten_approvers_one_answer
            ten_consumers_one_start
            an_answer_in_the_moment_of_expiry
            revoked_or_claimed_but_not_both
            ten_equal_asks_are_one
            a_flood_from_ten_threads_is_limited
        }
    };
    (@ $place:path: $($law:ident)*) => {
        $(
            #[test]
            fn $law() {
                $crate::store::conformance::$law(&$place());
            }
        )*
    };
}
pub(super) use laws;
