//! The rooms that a keeper keeps, and the plans for what runs in them.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use bashful_sandbox::{
    AbsentNames, Backend, BuildError, Confined, Enforcement, ExecError, Freshness, Hint, Launch,
    LaunchError, Line, Lookout, Notices, Plan, PlanError, Profile, Sentry, SpareNamespaces, Survey,
    Terminal, Violation, WrapperError, remove_abandoned,
};

use crate::protocol::RoomRequest;

mod quarters;

use quarters::Quarters;

/// All rooms of a keeper.
#[derive(Debug, Default)]
pub(crate) struct Rooms {
    kept: BTreeMap<u64, Kept>,
    next: u64,
    /// Where rooms keep what must be on disk.
    pub(crate) directory: PathBuf,
    /// Rooms that go, once there is time for it.
    leaving: Vec<Kept>,
    /// For the next room that is opened.
    spare: Option<SpareNamespaces>,
    /// Whether that is worth having: somebody asked for a room of its own.
    wants_spare: bool,
    /// Somebody reads what the kernel records.
    pub(crate) recorded: bool,
    /// What keepers left there that were killed is removed.
    swept: bool,
    /// Tells of secrets that come into being, while a run could see one.
    sentry: Option<Sentry>,
}

#[derive(Debug)]
struct Kept {
    room: Quarters,
    plans: Vec<Planned>,
    /// It is for one run, and goes with it.
    fresh: bool,
}

/// A plan, and whether it still fits the host.
#[derive(Debug)]
struct Planned {
    profile: Profile,
    plan: Rc<Plan>,
    freshness: Freshness,
}

/// Violations that are told of one run; the holding back goes on.
const MOST_HELD: usize = 100;
/// Plans that a room remembers.
const MOST_PLANS: usize = 8;

/// A run's place in its room.
#[derive(Debug)]
pub(crate) struct InRoom {
    number: u64,
    plan: Rc<Plan>,
    freshness: Freshness,
    pub(crate) confined: Confined,
    /// Somebody reads what the kernel records about it.
    recorded: bool,
    /// Secrets that it must not see should they come into being.
    absent: AbsentNames,
    /// What was held back so far.
    held: Vec<Violation>,
    /// The table of its mounts, which tells when something was torn off.
    mounts: Option<File>,
    /// Where its `/tmp` is, if that is on disk.
    on_disk: Option<PathBuf>,
    /// Something was torn off, and told: what is there now may be the user's.
    torn: bool,
}

/// What is told of a run that was in a room.
#[derive(Debug, Default)]
pub(crate) struct ToldOfRun {
    pub(crate) enforcement: Option<Enforcement>,
    pub(crate) violations: Vec<Violation>,
    pub(crate) hints: Vec<Hint>,
    pub(crate) watched: Option<Lookout>,
}

/// Why a run got no place.
#[derive(Debug)]
pub(crate) enum Refusal {
    Survey(std::io::Error),
    Plan(PlanError),
    Build(BuildError),
    Group(std::io::Error),
    Launch(LaunchError),
    Wrapper(WrapperError),
}

impl From<ExecError> for Refusal {
    fn from(error: ExecError) -> Self {
        match error {
            ExecError::Build(error) => Self::Build(error),
            ExecError::Launch(error) => Self::Launch(error),
            ExecError::Group(error) => Self::Group(error),
            ExecError::Wrapper(error) => Self::Wrapper(error),
            // The type is open for more; whatever comes, nothing has started.
            other => Self::Group(std::io::Error::other(other.to_string())),
        }
    }
}

impl Rooms {
    /// Starts something in the room it asks for.
    pub(crate) fn start(
        &mut self,
        request: &RoomRequest,
        launch: Launch,
    ) -> Result<InRoom, Refusal> {
        self.guard(&request.absent).map_err(Refusal::Survey)?;
        let (number, plan, freshness) = self.enter_whole(request)?;
        let kept = self.kept.get_mut(&number);
        let started = kept.map(|kept| kept.room.start(&plan, launch));
        // A room that its own runs have spoilt is given up; the next call gets another.
        if matches!(started, Some(Err(ExecError::Build(_)))) {
            self.leaving.extend(self.kept.remove(&number));
        }
        match started {
            Some(Ok(confined)) => Ok(InRoom {
                number,
                on_disk: (plan.backend() != Backend::Native).then(|| self.directory.clone()),
                plan,
                freshness,
                confined,
                recorded: self.recorded,
                absent: request.absent.clone(),
                held: Vec::new(),
                mounts: None,
                torn: false,
            }),
            Some(Err(error)) => {
                self.leave(number);
                Err(error.into())
            }
            None => Err(Refusal::Group(std::io::ErrorKind::NotFound.into())),
        }
    }

    /// Watches for secrets that a run could see. One that has come into being since its bounds
    /// were found is an error: nothing has started, and the next call hides it.
    fn guard(&mut self, absent: &AbsentNames) -> std::io::Result<()> {
        if absent.is_empty() {
            return Ok(());
        }
        let sentry = match &mut self.sentry {
            Some(sentry) => sentry,
            none => none.insert(Sentry::open()?),
        };
        match sentry.guard(absent)? {
            None => Ok(()),
            Some(path) => Err(std::io::Error::other(format!(
                "`{}` has come into being this moment; try again",
                path.display()
            ))),
        }
    }

    /// Who tells of secrets that come into being.
    pub(crate) fn sentry(&mut self) -> &mut Option<Sentry> {
        &mut self.sentry
    }

    /// The same as `enter`, and what was built is what was planned: where something was
    /// replaced in between, both are done again.
    fn enter_whole(
        &mut self,
        request: &RoomRequest,
    ) -> Result<(u64, Rc<Plan>, Freshness), Refusal> {
        const MOST_TRIES: usize = 4;
        let mut tries = 0;
        loop {
            tries += 1;
            let (number, plan, mut freshness) = self.enter(request)?;
            let Some(kept) = self.kept.get_mut(&number) else {
                return Err(Refusal::Group(std::io::ErrorKind::NotFound.into()));
            };
            match kept.room.build_for(&plan) {
                Ok(false) => return Ok((number, plan, freshness)),
                Ok(true) if freshness.holds() && kept.room.has_template(&plan) => {
                    return Ok((number, plan, freshness));
                }
                Err(error) if tries == MOST_TRIES => {
                    // A room that its own runs have spoilt is given up.
                    self.leaving.extend(self.kept.remove(&number));
                    return Err(Refusal::Build(error));
                }
                // Somebody keeps replacing things; what is torn off later is noticed.
                Ok(true) if tries == MOST_TRIES => return Ok((number, plan, freshness)),
                _ => {}
            }
            kept.plans
                .retain(|planned| planned.profile != request.profile);
            self.leave(number);
        }
    }

    /// The room for a request and the plan for its profile, both as new as need be.
    fn enter(&mut self, request: &RoomRequest) -> Result<(u64, Rc<Plan>, Freshness), Refusal> {
        let profile = &request.profile;
        if !request.fresh {
            for (number, kept) in &mut self.kept {
                if kept.fresh
                    || kept.room.backend() != request.backend
                    || kept.room.network() != profile.network
                {
                    continue;
                }
                kept.room.notice_mounts();
                if let Some(planned) = kept.planned(profile) {
                    return Ok((*number, Rc::clone(&planned.plan), planned.freshness.clone()));
                }
            }
        }
        let survey = Survey::for_backend(profile, request.cache.as_deref(), request.backend)
            .map_err(Refusal::Survey)?;
        let plan = Plan::compile(profile, &survey).map_err(Refusal::Plan)?;
        let planned = Planned {
            profile: profile.clone(),
            freshness: Freshness::of(&plan),
            plan: Rc::new(plan),
        };
        let number = self.room_for(&planned.plan, request)?;
        let found = (number, Rc::clone(&planned.plan), planned.freshness.clone());
        if let Some(kept) = self.kept.get_mut(&number) {
            kept.plans.retain(|other| other.profile != *profile);
            if kept.plans.len() >= MOST_PLANS {
                kept.plans.remove(0);
            }
            kept.plans.push(planned);
        }
        Ok(found)
    }

    fn room_for(&mut self, plan: &Rc<Plan>, request: &RoomRequest) -> Result<u64, Refusal> {
        let fitting = self
            .kept
            .iter()
            .find(|(_, kept)| !kept.fresh && !request.fresh && kept.room.fits(plan));
        if let Some((number, _)) = fitting {
            return Ok(*number);
        }
        self.wants_spare |= request.fresh;
        self.next += 1;
        let name = format!("{}-{}", std::process::id(), self.next);
        let mut room = Quarters::open(plan, self.spare.take(), &self.directory.join(name))?;
        if self.recorded {
            room.record_refusals();
        }
        let kept = Kept {
            room,
            plans: Vec::new(),
            fresh: request.fresh,
        };
        self.kept.insert(self.next, kept);
        Ok(self.next)
    }

    /// The run has ended: what it ran into, and what of its doings was held back.
    pub(crate) fn finish(
        &mut self,
        mut place: InRoom,
        ended: Option<bashful_sandbox::Ended>,
        tag: &str,
    ) -> ToldOfRun {
        let watched = place.watched();
        let hints = Confined::hints(&place.plan, ended);
        let mut found = place.confined.violations(&place.plan, ended);
        // The last calls may not have been looked at; nobody waits for an answer any more.
        let notices = place.confined.notices.take();
        found.extend(notices.map(Notices::into_violations).unwrap_or_default());
        if let Some(kept) = self.kept.get(&place.number) {
            kept.room.mend_copies();
        }
        place.hold_back(tag);
        if !place.torn {
            place.held.extend(place.freshness.hold_back_in_place(tag));
        }
        found.append(&mut place.held);
        let enforcement = place.plan.enforcement;
        let number = place.number;
        if let Some(kept) = self.kept.get_mut(&number) {
            found.extend(kept.room.merge_copies());
            found.extend(kept.room.full());
            kept.room.release(place.confined);
        }
        self.leave(number);
        ToldOfRun {
            enforcement: Some(enforcement),
            violations: found,
            hints,
            watched: Some(watched),
        }
    }

    /// Whether something was torn off while this run started: after the room was looked at,
    /// and before its own mounts could be.
    pub(crate) fn lost_cover(&mut self, place: &InRoom) -> bool {
        let kept = self.kept.get_mut(&place.number);
        kept.is_some_and(|kept| kept.room.has_lost_cover(&place.plan))
            || !place.freshness.replaced().is_empty()
    }

    /// A run that did not start after all.
    pub(crate) fn give_back(&mut self, place: InRoom) {
        let number = place.number;
        if let Some(kept) = self.kept.get_mut(&number) {
            kept.room.release(place.confined);
        }
        self.leave(number);
    }

    fn leave(&mut self, number: u64) {
        if self.kept.get(&number).is_some_and(|kept| kept.fresh) {
            self.leaving.extend(self.kept.remove(&number));
        }
    }

    /// Whether there is something to make or remove ahead of time.
    pub(crate) fn want_preparing(&self) -> bool {
        !self.leaving.is_empty()
            || !self.swept
            || (self.wants_spare && self.spare.is_none())
            || self.shared().any(|kept| kept.room.wants_preparing())
    }

    /// Whether this process was made ahead of time, for a run to come.
    pub(crate) fn made_ahead(&self, pid: i32) -> bool {
        self.kept.values().any(|kept| kept.room.waits(pid))
    }

    /// Rooms in which more than one run happens.
    fn shared(&self) -> impl Iterator<Item = &Kept> {
        self.kept.values().filter(|kept| !kept.fresh)
    }

    pub(crate) fn prepare(&mut self) {
        self.leaving.clear();
        if !self.swept && !self.directory.as_os_str().is_empty() {
            remove_abandoned(&self.directory);
        }
        self.swept = true;
        if self.wants_spare && self.spare.is_none() {
            self.spare = SpareNamespaces::make();
            // An ordinary user has none; that is not tried again and again.
            self.wants_spare = self.spare.is_some();
        }
        for kept in self.kept.values_mut().filter(|kept| !kept.fresh) {
            if kept.room.wants_preparing() {
                kept.room.prepare();
            }
        }
    }
}

impl Kept {
    /// The plan for this profile, if everything it rests on is still so.
    fn planned(&mut self, profile: &Profile) -> Option<&Planned> {
        let index = self
            .plans
            .iter()
            .position(|planned| planned.profile == *profile)?;
        // Who stands for root must not see what root made since.
        let planned = self.plans.get(index)?;
        if planned.plan.identity.stands_for_root() {
            return None;
        }
        if self.plans.get_mut(index)?.freshness.holds() {
            return self.plans.get(index);
        }
        self.plans.remove(index);
        None
    }
}

impl InRoom {
    /// Holds back what appeared and would execute on the host.
    pub(crate) fn hold_back(&mut self, tag: &str) {
        for violation in self.freshness.hold_back(tag) {
            // What cannot be helped is told once.
            if self.held.len() < MOST_HELD && !self.held.contains(&violation) {
                self.held.push(violation);
            }
        }
    }

    /// Waits until the command has executed. From then on no mount of it changes, unless
    /// the host replaces something that is covered in it.
    pub(crate) fn await_start(&mut self) -> Result<(), LaunchError> {
        self.confined.await_start()?;
        self.mounts = File::open(format!("/proc/{}/mountinfo", self.confined.first())).ok();
        Ok(())
    }

    /// Whether none of its processes can be anywhere but below its first one.
    pub(crate) fn is_closed(&self) -> bool {
        self.plan.backend() != Backend::Landlock
    }

    /// Lets calls go on that the kernel tells about, and looks at them; whether more may come.
    pub(crate) fn serve_notices(&mut self, may_allocate: &mut dyn FnMut(u64) -> bool) -> Line {
        let notices = self.confined.notices.as_mut();
        notices.map_or(Line::Closed, |notices| {
            notices.serve(&self.plan, may_allocate)
        })
    }

    /// Whether the kernel told of this process as one of the run's.
    pub(crate) fn knows(&self, pid: i32) -> bool {
        let notices = self.confined.notices.as_ref();
        notices.is_some_and(|notices| notices.knows(pid))
    }

    /// Adds what was learnt elsewhere about the run.
    pub(crate) fn add(&mut self, violation: Violation) {
        if let Some(notices) = &mut self.confined.notices {
            notices.add(violation);
        }
    }

    /// The keeper's end of its terminal.
    pub(crate) fn take_terminal(&mut self) -> Option<Terminal> {
        self.confined.take_terminal()
    }

    pub(crate) fn mounts(&self) -> Option<&File> {
        self.mounts.as_ref()
    }

    /// Tells what was replaced on the host, and so is no longer covered.
    pub(crate) fn tell_replaced(&mut self) {
        self.torn = true;
        let mut replaced = self.freshness.replaced();
        if replaced.is_empty() {
            // It looks the same by now; which one it was cannot be told.
            replaced.push(PathBuf::new());
        }
        for path in replaced {
            self.held.push(Violation {
                kind: "protected".to_owned(),
                path: Some(path).filter(|path| !path.as_os_str().is_empty()),
                missing: "paths_write".to_owned(),
                source: "keeper".to_owned(),
                note: Some(
                    "it was replaced outside while the run was going on, which takes its protection away; the run was ended, and may have changed it: look at it"
                        .to_owned(),
                ),
                ..Violation::default()
            });
        }
    }

    pub(crate) fn enforcement(&self) -> Enforcement {
        self.plan.enforcement
    }

    /// What was looked at so far. What the kernel records is told only beside the calls.
    pub(crate) fn watched(&self) -> Lookout {
        let notices = self.confined.notices.as_ref();
        notices.map_or_else(Lookout::default, |notices| Lookout {
            record: self.recorded,
            ..notices.watched()
        })
    }

    /// How much processor time it may use.
    pub(crate) fn cpu_limit_ms(&self) -> Option<u64> {
        self.plan.group.cpu_time_ms
    }

    /// Whether it has used up its processor time.
    pub(crate) fn is_out_of_time(&self) -> bool {
        let Some(limit) = self.plan.group.cpu_time_ms else {
            return false;
        };
        let used = self.confined.cpu_time().unwrap_or_default();
        used.as_millis() >= u128::from(limit)
    }

    /// The limit of memory that nobody but the keeper holds all its processes to.
    pub(crate) fn uncounted_memory(&self) -> Option<u64> {
        self.plan.uncounted_memory()
    }

    /// What it may add to disks, and where it can.
    pub(crate) fn disk_bound(&self) -> Option<(u64, Vec<PathBuf>)> {
        let limit = self.plan.disk_size?;
        let written = self.plan.written().map(Path::to_owned);
        Some((limit, written.chain(self.on_disk.clone()).collect()))
    }

    /// The secrets that it must not see should they come into being.
    pub(crate) fn absent(&self) -> Option<&AbsentNames> {
        Some(&self.absent).filter(|absent| !absent.is_empty())
    }

    /// Adds something that it was stopped at by the keeper.
    pub(crate) fn tell(&mut self, violation: Violation) {
        self.held.push(violation);
    }

    /// Whether a clock must look after its processor time.
    pub(crate) fn is_timed(&self) -> bool {
        self.plan.group.cpu_time_ms.is_some()
    }
}
