//! The rooms that a keeper keeps, and the plans for what runs in them.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::rc::Rc;

use bashful_sandbox::{
    AbsentNames, Backend, BuildError, Confined, Enforcement, ExecError, Freshness, Gate, Hint,
    Launch, LaunchError, Lookout, Notices, Plan, PlanError, Profile, Sentry, SpareNamespaces,
    Survey, Violation, WrapperError, remove_abandoned,
};

use crate::protocol::RoomRequest;
use crate::run::Apart;
use crate::task_directory::{Spec, TaskDirectoryError};

mod diary;
mod kind;
mod place;

use diary::{Diary, Page};
use kind::RoomKind;
pub(crate) use place::InRoom;

/// All rooms of a keeper.
#[derive(Debug, Default)]
pub(crate) struct Rooms {
    kept: BTreeMap<u64, Kept>,
    /// The plans that were used last, the newest at the end.
    plans: Vec<Planned>,
    next: u64,
    /// Where rooms keep what must be on disk.
    pub(crate) directory: PathBuf,
    /// Rooms that go, once there is time for it.
    leaving: Vec<Kept>,
    /// Descriptors of ended runs, for the same time.
    pub(crate) closing: Vec<OwnedFd>,
    /// For the next room that is opened.
    spare: Option<SpareNamespaces>,
    /// There is none: an ordinary user cannot make them apart from a room.
    no_spare: bool,
    /// A whole room for the next run that wants one of its own, by the plan of the last.
    spare_room: Option<RoomKind>,
    /// The plan of the last run that had a room of its own, until there is a spare one for it.
    spare_plan: Option<Rc<Plan>>,
    /// The keeper reads the kernel's audit records, which tell what a run was refused.
    pub(crate) recorded: bool,
    /// What killed keepers left there has been removed.
    swept: bool,
    /// When runs were going on.
    pub(crate) diary: Diary,
    /// Searches that go on though their runs have ended.
    late: Vec<(Apart, Vec<Page>)>,
    /// Tells of secrets that come into being, once a run could see one. It stays: the kernel takes
    /// milliseconds to end it.
    sentry: Option<Sentry>,
}

#[derive(Debug)]
struct Kept {
    room: RoomKind,
    /// It is for one run, and goes with it.
    fresh: bool,
    /// Through which its runs reach hosts by name.
    gate: Option<Gate>,
}

impl Kept {
    /// Whether runs by this plan may come in. A room whose gate has gone reaches nothing any more.
    fn fits(&self, plan: &Plan) -> bool {
        self.room.fits(plan) && self.gate.as_ref().is_none_or(Gate::serves)
    }
}

/// A plan, and whether it still fits the host.
#[derive(Debug)]
struct Planned {
    backend: Backend,
    profile: Profile,
    plan: Rc<Plan>,
    freshness: Freshness,
    /// What it rests on was looked at once more, after which the next look costs next to nothing.
    looked_at: bool,
}

/// Plans that are remembered.
const MOST_PLANS: usize = 16;

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
    /// The files of its task could not be made.
    Files(TaskDirectoryError),
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
    /// Starts a process in the room that the request asks for. Nothing is executed before `ready`
    /// has returned, nor if it fails.
    pub(crate) fn start(
        &mut self,
        request: &RoomRequest,
        launch: Launch,
        ready: impl FnOnce() -> Result<(), Refusal>,
    ) -> Result<InRoom, Refusal> {
        self.guard(&request.absent).map_err(Refusal::Survey)?;
        let mut ready = Some(ready);
        // Who builds a room first takes its time, and the task is looked for meanwhile.
        let is_quick = !request.fresh && self.shared().any(|kept| kept.room.is_prepared());
        if !is_quick && let Some(ready) = ready.take() {
            ready()?;
        }
        let ready = || ready.map_or(Ok(()), |ready| ready());
        let (number, plan, freshness) = self.enter_whole(request)?;
        let pages = self.diary.begin(freshness.grounds());
        let pages = pages.map_err(Refusal::Survey)?;
        let kept = self.kept.get_mut(&number);
        let started = kept.map(|kept| kept.room.start(&plan, launch, ready));
        // A room that its own runs have spoilt is given up; the next call gets another.
        if matches!(started, Some(Err(Refusal::Build(_)))) {
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
                held: self.diary.take_recovered(),
                untold: 0,
                pages,
                changes: [None; 2],
                absent: request.absent.clone(),
                mounts: None,
                torn: false,
                bare: Vec::new(),
            }),
            Some(Err(error)) => {
                self.diary.end(&pages);
                self.leave(number);
                Err(error)
            }
            None => Err(Refusal::Group(std::io::ErrorKind::NotFound.into())),
        }
    }

    /// Begins what every first room takes, whatever it is for, while its engine still finds out.
    pub(crate) fn look_ahead(&mut self) {
        bashful_sandbox::look_ahead();
        self.begin_spare();
    }

    fn begin_spare(&mut self) {
        self.spare = SpareNamespaces::begin();
        self.no_spare = self.spare.is_none();
    }

    /// Builds the room of runs like this. Where that fails, the first of them will say why.
    pub(crate) fn get_ready(&mut self, request: &RoomRequest) {
        let _ = self.enter_whole(request);
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
                "`{}` was created just now; try again",
                path.display()
            ))),
        }
    }

    /// The gate of this room.
    pub(crate) fn gate(&self, number: u64) -> Option<&Gate> {
        self.kept.get(&number)?.gate.as_ref()
    }

    /// Ends what has left already, now.
    pub(crate) fn end_left(&mut self) {
        self.leaving.clear();
    }

    /// The sentry that tells of secrets that come into being.
    pub(crate) fn sentry(&self) -> Option<&Sentry> {
        self.sentry.as_ref()
    }

    /// The same, to be asked.
    pub(crate) fn sentry_mut(&mut self) -> Option<&mut Sentry> {
        self.sentry.as_mut()
    }

    /// Like `enter`, but what was built is what was planned: where the host replaced a file in
    /// between, both are done again.
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
                // The host keeps replacing files; a cover that is torn off later is noticed.
                Ok(true) if tries == MOST_TRIES => return Ok((number, plan, freshness)),
                _ => {}
            }
            self.forget_plan(request);
            self.leave(number);
        }
    }

    /// The room for a request and the plan for its profile, both as new as need be.
    fn enter(&mut self, request: &RoomRequest) -> Result<(u64, Rc<Plan>, Freshness), Refusal> {
        for kept in self.kept.values_mut().filter(|kept| !kept.fresh) {
            kept.room.notice_mounts();
        }
        let (plan, freshness) = match self.planned(request) {
            Some(found) => found,
            None => self.make_plan(request)?,
        };
        let number = self.room_for(&plan, request)?;
        Ok((number, plan, freshness))
    }

    /// The plan for this profile, if everything it rests on is still so.
    fn planned(&mut self, request: &RoomRequest) -> Option<(Rc<Plan>, Freshness)> {
        let mut plans = self.plans.iter_mut();
        let planned = plans.find(|planned| planned.is_for(request))?;
        if planned.freshness.holds_for_another() {
            return Some((Rc::clone(&planned.plan), planned.freshness.clone()));
        }
        self.forget_plan(request);
        None
    }

    fn forget_plan(&mut self, request: &RoomRequest) {
        self.plans.retain(|planned| !planned.is_for(request));
    }

    fn make_plan(&mut self, request: &RoomRequest) -> Result<(Rc<Plan>, Freshness), Refusal> {
        let profile = &request.profile;
        let survey = Survey::for_backend(profile, request.cache.as_deref(), request.backend)
            .map_err(Refusal::Survey)?;
        let plan = Plan::compile(profile, &survey).map_err(Refusal::Plan)?;
        let planned = Planned {
            backend: request.backend,
            profile: profile.clone(),
            freshness: Freshness::of(&plan),
            plan: Rc::new(plan),
            looked_at: false,
        };
        let found = (Rc::clone(&planned.plan), planned.freshness.clone());
        self.forget_plan(request);
        if self.plans.len() >= MOST_PLANS {
            self.plans.remove(0);
        }
        self.plans.push(planned);
        Ok(found)
    }

    fn room_for(&mut self, plan: &Rc<Plan>, request: &RoomRequest) -> Result<u64, Refusal> {
        let fitting = self
            .kept
            .iter()
            .find(|(_, kept)| !kept.fresh && !request.fresh && kept.fits(plan));
        if let Some((number, _)) = fitting {
            return Ok(*number);
        }
        let mut spare = None;
        if request.fresh {
            spare = self.take_spare_room(plan);
        }
        let mut room = if let Some(room) = spare {
            room
        } else {
            self.open(plan)?
        };
        if self.recorded {
            room.record_refusals();
        }
        let gate = room.start_gate(plan).map_err(Refusal::Build)?;
        self.next += 1;
        let kept = Kept {
            room,
            fresh: request.fresh,
            gate,
        };
        self.kept.insert(self.next, kept);
        Ok(self.next)
    }

    /// A new room: a copy of one that has a template for this plan, or built from nothing.
    fn open(&mut self, plan: &Rc<Plan>) -> Result<RoomKind, ExecError> {
        let name = self.next_directory();
        let like = self.kept.values_mut().find_map(|kept| {
            let room = &mut kept.room;
            room.has_template(plan).then_some(room)
        });
        RoomKind::open(plan, self.spare.take(), like, &name)
    }

    /// Where the next room keeps what must be on disk.
    fn next_directory(&self) -> PathBuf {
        let name = format!("{}-{}", std::process::id(), self.next + 1);
        self.directory.join(name)
    }

    /// The room that was made ahead of time, if it is for this plan. The next one is made for it.
    fn take_spare_room(&mut self, plan: &Rc<Plan>) -> Option<RoomKind> {
        let is_native = plan.backend() == Backend::Native;
        self.spare_plan = is_native.then(|| Rc::clone(plan));
        let mut room = self.spare_room.take()?;
        room.notice_mounts();
        room.is_made_for(plan).then_some(room)
    }

    /// Makes a room ahead of time, with a first process that waits in it.
    fn make_spare_room(&mut self, plan: &Rc<Plan>) {
        let Ok(mut room) = self.open(plan) else {
            return;
        };
        if self.recorded {
            room.record_refusals();
        }
        if room.build_for(plan).is_ok() {
            room.prepare();
            self.spare_room = Some(room);
        }
    }

    /// The run has ended: what it ran into, and what of its doings was held back.
    pub(crate) fn finish(
        &mut self,
        mut place: InRoom,
        ended: Option<bashful_sandbox::Ended>,
        spec: &Spec,
    ) -> ToldOfRun {
        let tag = spec.id.as_str();
        let watched = place.watched();
        let mut hints = Confined::hints(&place.plan, ended);
        hints.extend(Confined::unseen(
            &place.plan,
            ended,
            &spec.command,
            &spec.cwd,
        ));
        let mut found = place.confined.violations(&place.plan, ended);
        if place.may_have_changed_files() {
            if let Some(kept) = self.kept.get(&place.number) {
                kept.room.mend_copies();
            }
            place.hold_back(tag);
            if !place.torn {
                place.held.extend(place.freshness.hold_back_in_place(tag));
            }
        }
        // The last calls may not have been looked at; no process waits for their answers any more.
        let notices = place.confined.notices.as_mut();
        found.extend(notices.map(Notices::take_violations).unwrap_or_default());
        found.append(&mut place.held);
        found.extend(Violation::untold(place.untold));
        let enforcement = place.plan.enforcement;
        let number = place.number;
        if let Some(kept) = self.kept.get_mut(&number) {
            found.extend(kept.room.merge_copies());
            found.extend(kept.room.full());
            // Closing takes time, and a caller waits for the end of this run.
            self.closing.extend(place.mounts.map(OwnedFd::from));
            self.closing.extend(kept.room.release(place.confined));
        }
        self.diary.end(&place.pages);
        self.leave(number);
        ToldOfRun {
            enforcement: Some(enforcement),
            violations: found,
            hints,
            watched: Some(watched),
        }
    }

    /// A search goes on after its run: until then it counts as going on.
    pub(crate) fn search_on(&mut self, search: Apart, place: &mut InRoom) {
        self.late.push((search, std::mem::take(&mut place.pages)));
    }

    /// Whether a run may be planned: what killed keepers' runs left does not pass for the person's.
    pub(crate) fn is_recovered(&mut self, request: &RoomRequest) -> bool {
        self.diary.is_recovered(&request.profile)
    }

    /// Whether a run waits for that.
    pub(crate) fn is_recovering(&self) -> bool {
        self.diary.is_recovering()
    }

    /// Takes what late searches found, for the next run to tell.
    pub(crate) fn hear_late(&mut self) {
        let heard = |(search, _): &mut (Apart, Vec<Page>)| search.has_told();
        for (search, pages) in self.late.extract_if(.., heard) {
            self.diary.recovered.extend(search.found());
            self.diary.end(&pages);
        }
    }

    /// Whether searches go on.
    pub(crate) fn is_searched(&self) -> bool {
        !self.late.is_empty()
    }

    /// Closes what ended runs had open.
    pub(crate) fn close_left(&mut self) {
        self.closing.clear();
    }

    /// Whether a cover was torn off while this run started: after the room was looked at, and
    /// before its own mounts could be.
    pub(crate) fn lost_cover(&mut self, place: &InRoom) -> bool {
        let kept = self.kept.get_mut(&place.number);
        // A workspace that is gone tears no cover off: only the run's own mounts tell.
        let is_bare = || {
            let bare = place.plan.uncovered(place.confined.first());
            bare.is_none_or(|bare| !bare.is_empty())
        };
        kept.is_some_and(|kept| kept.room.has_lost_cover(&place.plan))
            || (!place.freshness.replaced().is_empty() && is_bare())
    }

    /// A run that did not start after all.
    pub(crate) fn give_back(&mut self, place: InRoom) {
        let number = place.number;
        self.diary.end(&place.pages);
        if let Some(kept) = self.kept.get_mut(&number) {
            drop(kept.room.release(place.confined));
        }
        self.leave(number);
    }

    fn leave(&mut self, number: u64) {
        if self.kept.get(&number).is_some_and(|kept| kept.fresh) {
            self.leaving.extend(self.kept.remove(&number));
        }
    }

    /// Whether there are rooms or descriptors to make or remove ahead of time.
    pub(crate) fn want_preparing(&self) -> bool {
        !self.leaving.is_empty()
            || !self.closing.is_empty()
            || !self.swept
            || (!self.no_spare && self.spare.is_none())
            || self.spare_plan.is_some()
            || self.shared().any(|kept| kept.room.wants_preparing())
    }

    /// Whether this process is no run's: it was made ahead of time for one to come, or searches.
    pub(crate) fn own(&self, pid: i32) -> bool {
        let rooms = self.kept.values().map(|kept| &kept.room);
        let is_gate = |kept: &Kept| kept.gate.as_ref().is_some_and(|gate| gate.pid() == pid);
        let spare = self.spare.as_ref();
        spare.is_some_and(|spare| spare.are_made_by(pid))
            || rooms.chain(&self.spare_room).any(|room| room.waits(pid))
            || self.kept.values().chain(&self.leaving).any(is_gate)
            || self.late.iter().any(|(search, _)| search.pid() == pid)
            || self.diary.searcher() == Some(pid)
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
        if !self.no_spare && self.spare.is_none() {
            self.begin_spare();
        }
        if let Some(plan) = self.spare_plan.take() {
            self.make_spare_room(&plan);
        }
        for kept in self.kept.values_mut().filter(|kept| !kept.fresh) {
            if kept.room.wants_preparing() {
                kept.room.prepare();
            }
        }
        for planned in &mut self.plans {
            if !std::mem::replace(&mut planned.looked_at, true) {
                planned.freshness.holds();
            }
        }
        // Last: with this the first processes of ended runs end, which takes a processor its time.
        self.close_left();
    }
}

impl Planned {
    fn is_for(&self, request: &RoomRequest) -> bool {
        self.backend == request.backend && self.profile == request.profile
    }
}
