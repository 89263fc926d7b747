//! Runs a case: first without the sandbox, to show that the act works, then inside.

use bashful_sandbox::{Backend, ExitStatus};

use crate::case::{Case, Control, Place, Witness};
use crate::owner::Owner;
use crate::process::{Ended, Ground, Helper, perform};
use crate::room::{self, InWrapper};
use crate::scene::Scene;
use crate::wrapped;

/// What became of a case.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The act was held back, in these ways.
    Held(String),
    /// The act got out, as the table of weaknesses says.
    Known(String),
    /// This kernel lacks what the act is about, as its control has shown.
    Skipped(String),
    /// The act got out, or the suite is broken.
    Failed(String),
}

/// How a report of an escape begins.
const ESCAPED: &str = "ESCAPED";

/// What an act came to, by its own word.
#[derive(Debug, PartialEq, Eq)]
enum Word {
    Reached(String),
    Blocked(String),
    Broken(String),
}

fn word(case: &Case, ended: &Ended) -> Word {
    let last = ended.output.lines().last().unwrap_or_default();
    let after = |prefix: &str| last.strip_prefix(prefix).map(|it| it.trim().to_owned());
    match (ended.status, after("reached:"), after("blocked:")) {
        (ExitStatus::Code(0), Some(what), _) => Word::Reached(what),
        (ExitStatus::Code(3), _, Some(why)) => Word::Blocked(why),
        (ExitStatus::Signal(signal), ..) if case.may_be_killed => {
            Word::Blocked(format!("signal {signal}"))
        }
        (status, ..) => Word::Broken(format!("{status:?}: {}", ended.output)),
    }
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

pub(crate) fn judge(case: &Case) -> Outcome {
    let lack = match control(case) {
        Ok(lack) => lack,
        Err(problem) => return Outcome::Failed(format!("control: {problem}")),
    };
    if case.is_weakness {
        return match attack(case, Owner::Ourselves) {
            Err(problem) if problem.starts_with(ESCAPED) => Outcome::Known(problem),
            Err(problem) => Outcome::Failed(problem),
            Ok(way) => Outcome::Failed(format!(
                "SECURITY.md calls it a weakness, but it held: {way}"
            )),
        };
    }
    let owners: &[Owner] = if is_root() {
        &[Owner::Ourselves, Owner::SomebodyElse, Owner::OnOverlay]
    } else {
        &[Owner::Ourselves]
    };
    let mut ways: Vec<String> = Vec::new();
    for owner in owners {
        match attack(case, *owner) {
            Ok(way) if ways.contains(&way) => {}
            Ok(way) => ways.push(way),
            Err(problem) => {
                return Outcome::Failed(format!("workspace of {owner:?}: {problem}"));
            }
        }
    }
    // What a kernel lacks cannot be held back, but the attack was made all the same.
    match lack {
        Some(lack) => Outcome::Skipped(lack),
        None => Outcome::Held(ways.join(" / ")),
    }
}

/// Shows that the act works. Returns what the kernel lacks, if that is why it does not.
fn control(case: &Case) -> Result<Option<String>, String> {
    match case.control {
        Control::Never(_) => return Ok(None),
        Control::Root(_) if !is_root() => return Ok(None),
        Control::Root(_) | Control::Everyone => {}
    }
    let mut scene = Scene::new(Owner::Ourselves);
    scene.tell("CONTROL", "yes");
    (case.prepare)(&mut scene);
    let helper = case
        .helper
        .map(|(_, act)| Helper::start(act, &mut scene, &mut Ground::Host));
    let helper = helper.transpose()?;
    scene.set();
    let ended = perform(case.act, &mut scene, &mut Ground::Host)?;
    let mut felt = scene.felt();
    felt.extend(helper.map(Helper::finish).transpose()?.flatten());
    match (word(case, &ended), case.may_lack) {
        (Word::Broken(how), _) => return Err(format!("the act is broken: {how}")),
        (Word::Blocked(why), Some((what, answers))) if answers.contains(&why.as_str()) => {
            return Ok(Some(format!("{what}: the control was told {why}")));
        }
        (Word::Blocked(why), _) if case.witness != Witness::Host => {
            return Err(format!("the act does not work without a sandbox: {why}"));
        }
        (Word::Blocked(_) | Word::Reached(_), _) => {}
    }
    if case.witness != Witness::Act && felt.is_empty() {
        return Err("the host has not felt the act".to_owned());
    }
    Ok(None)
}

/// Runs the act inside. Returns how it was held back.
fn attack(case: &Case, owner: Owner) -> Result<String, String> {
    if let Some(attack) = case.attack {
        return attack(case, owner);
    }
    let has_other = matches!(case.helper, Some((Place::OtherRoom, _)));
    let is_copied = owner == Owner::SomebodyElse && case.backend == Backend::Native;
    let mut scene = if has_other || is_copied {
        Scene::for_copies(owner)
    } else {
        Scene::new(owner)
    };
    (case.prepare)(&mut scene);
    let on_host = case.helper.filter(|(place, _)| *place == Place::Host);
    let host_helper = on_host.map(|(_, act)| Helper::start(act, &mut scene, &mut Ground::Host));
    let host_helper = host_helper.transpose()?;
    scene.set();
    let mut profile = scene.profile();
    (case.profile)(&mut profile, &scene);
    if case.backend != Backend::Native {
        wrapped::excuse(&mut profile, case.backend);
        let mut wrapper = InWrapper::open(&profile, case.backend)?;
        let ended = perform(case.act, &mut scene, &mut Ground::Wrapper(&mut wrapper))?;
        let mut felt = scene.felt();
        if let Some(helper) = host_helper {
            felt.extend(helper.finish()?);
        }
        drop(wrapper);
        felt.extend(scene.felt());
        return sentence(case, &ended, felt);
    }
    let mut room = room::open(&profile)?;
    if is_copied {
        // The one that it is copied from goes.
        room = room::open_like(&profile, Some(&mut room))?;
    }
    // Most runs get into a process that was made ahead of time; the first of a room does not.
    if owner == Owner::Ourselves {
        room.prepare();
        assert!(room.is_prepared(), "nothing was made ahead of time");
    }
    let mut other = None;
    let inside = match case.helper {
        Some((Place::SameRoom, act)) => Some(Helper::start(
            act,
            &mut scene,
            &mut Ground::Room(&mut room),
        )?),
        Some((Place::OtherRoom, act)) => {
            let other = other.insert(room::open_like(&profile, Some(&mut room))?);
            assert!(other.is_copied(), "it was built from nothing");
            Some(Helper::start(act, &mut scene, &mut Ground::Room(other))?)
        }
        Some((Place::Host, _)) | None => None,
    };
    let ended = perform(case.act, &mut scene, &mut Ground::Room(&mut room))?;
    let mut felt = scene.felt();
    for helper in [host_helper, inside].into_iter().flatten() {
        felt.extend(helper.finish()?);
    }
    drop((room, other));
    felt.extend(scene.felt());
    sentence(case, &ended, felt)
}

/// What an attack came to, from what the act says and what the host felt.
pub(crate) fn sentence(
    case: &Case,
    ended: &Ended,
    mut felt: Vec<String>,
) -> Result<String, String> {
    if !felt.is_empty() {
        felt.dedup();
        return Err(format!(
            "{ESCAPED}, the host felt: {}; {ended:?}",
            felt.join("; ")
        ));
    }
    match word(case, ended) {
        Word::Blocked(why) => Ok(why),
        Word::Reached(_) if case.witness == Witness::Host => Ok("nothing was felt".to_owned()),
        Word::Reached(what) => Err(format!("{ESCAPED}, the act says: {what}; {}", ended.output)),
        Word::Broken(how) => Err(format!("the act is broken inside: {how}")),
    }
}
