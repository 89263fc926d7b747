//! From what was found to what is told: pure but for the advice.

use bashful_keeper::VERSION;
use bashful_sandbox::{Backend, ControlGroup, Host, IdMaps, Level, Possibility};

use super::mend;
use super::restrictions;
use super::trial::{Ran, Trials};
use super::used::{Demand, falls_short};
use super::{Diagnosis, Finding, Missing, State};
use crate::model::result::Enforcement;

/// Landlock keeps abstract sockets apart since this version.
const GOOD_LANDLOCK: u32 = 6;

/// The backend that is used, and how it did.
type Used<'a> = Option<(Backend, &'a Ran)>;

/// What this host offers and what will be enforced, if the trials were made just now.
pub(super) fn judge(
    host: &Host,
    trials: &Trials,
    demand: &Demand<'_>,
    used: Used<'_>,
) -> Diagnosis {
    let user = rustix::process::geteuid().as_raw();
    let (enforcement, checks) = match used {
        Some((_, ran)) => (Enforcement::of(Some(ran.enforcement)), tried(ran)),
        None => (Enforcement::NONE, Vec::new()),
    };
    let ok = used.is_some_and(|(_, ran)| {
        let suffices = match demand.planned {
            // It was asked for what this run would be.
            Some(_) => true,
            None => falls_short(ran.enforcement, demand.optional).is_empty(),
        };
        ran.held() && suffices && demand.refused.is_none()
    });
    Diagnosis {
        v: 1,
        ok,
        remembered: false,
        version: VERSION,
        user,
        host: offered(host, trials, used),
        checks,
        missing: missing(host, trials, used, user),
        backends: Vec::new(),
        programs: Vec::new(),
        used: Vec::new(),
        places: Vec::new(),
        kept: Vec::new(),
        clients: Vec::new(),
        enforcement: demand
            .planned
            .filter(|_| used.is_some())
            .unwrap_or(enforcement),
    }
}

fn tried(ran: &Ran) -> Vec<Finding> {
    let described = ran.checks.iter().filter_map(|check| {
        let (name, words) = check.describe()?;
        let state = match (check.held, check.is_known(ran.enforcement)) {
            (true, _) => State::Ok,
            (false, true) => State::Weak,
            (false, false) => State::Failed,
        };
        Some(Finding::new(name, state, words))
    });
    described.collect()
}

fn offered(host: &Host, trials: &Trials, used: Used<'_>) -> Vec<Finding> {
    let own = trials.own();
    let mut found = vec![
        Finding::new("kernel", State::Ok, format!("Linux {}", host.kernel)),
        match (own, used) {
            (Ok(()), _) => Finding::new("sandbox", State::Ok, "a sandbox can be built"),
            (Err(_), Some((backend, _))) => Finding::new(
                "sandbox",
                State::Weak,
                format!("Bashful's own sandbox cannot be built; {backend} is used instead"),
            ),
            (Err(_), None) => Finding::new("sandbox", State::Failed, "no sandbox can be built"),
        },
        match host.landlock {
            0 => Finding::new("landlock", State::Failed, "Landlock is missing"),
            version @ 1..GOOD_LANDLOCK => Finding::new(
                "landlock",
                State::Weak,
                format!("Landlock version {version}, which is an old one"),
            ),
            version => Finding::new("landlock", State::Ok, format!("Landlock version {version}")),
        },
        if host.system_call_filter {
            Finding::new("seccomp", State::Ok, "system calls can be filtered")
        } else {
            Finding::new("seccomp", State::Failed, "system calls cannot be filtered")
        },
    ];
    found.extend(namespaces(host));
    found.extend(restrictions::present().map(|restriction| {
        // What is in the way of nothing is told all the same: it is, for other users.
        let state = match (own, used) {
            (Ok(()), _) => State::Ok,
            (Err(_), Some(_)) => State::Weak,
            (Err(_), None) => State::Failed,
        };
        let mend = (state != State::Ok).then_some(restriction.mend());
        Finding::new(restriction.name(), state, restriction.words()).mended_by(mend)
    }));
    found.extend(host.control_groups.iter().map(group));
    found.extend(match host.id_maps {
        IdMaps::Possible => Some(Finding::new(
            "id_maps",
            State::Ok,
            "this directory takes id-mapped mounts",
        )),
        IdMaps::Refused => Some(Finding::new(
            "id_maps",
            State::Weak,
            "this directory's file system takes no id-mapped mounts",
        )),
        IdMaps::NotNeeded => None,
    });
    found
}

/// What the kernel lets us do, each of which a native sandbox needs.
fn namespaces(host: &Host) -> impl Iterator<Item = Finding> {
    let all = [
        (
            "user_namespaces",
            host.user_namespaces,
            "user namespaces can be made",
            "user namespaces cannot be made",
        ),
        (
            "mounts",
            host.mounts,
            "mounts can be changed in a namespace",
            "mounts cannot be changed, not even in a namespace",
        ),
        (
            "proc",
            host.proc,
            "a /proc of its own can be mounted",
            "no /proc of its own can be mounted",
        ),
    ];
    all.into_iter()
        .map(|(name, possibility, good, bad)| match possibility {
            Possibility::Possible => Finding::new(name, State::Ok, good),
            Possibility::Refused(errno) => {
                let why = std::io::Error::from_raw_os_error(errno);
                Finding::new(name, State::Weak, format!("{bad}: {why}"))
            }
        })
}

fn group(group: &ControlGroup) -> Finding {
    let what = group.limit.replace('_', " ");
    match &group.place {
        Some((version, directory)) => Finding::new(
            group.limit,
            State::Ok,
            format!(
                "{what} by control group version {version}, {}",
                directory.display()
            ),
        ),
        None => Finding::new(
            group.limit,
            State::Weak,
            format!("{what}: no control group can be made"),
        ),
    }
}

fn missing(host: &Host, trials: &Trials, used: Used<'_>, user: u32) -> Vec<Missing> {
    let mut missing = Vec::new();
    let mut add = |what, reason: String, mend| missing.push(Missing { what, reason, mend });
    if let Err(reason) = trials.own() {
        let mut mends = mend::building(restrictions::present());
        let wrapped = [Backend::Native, Backend::Bubblewrap];
        if used.is_none_or(|(backend, _)| !wrapped.contains(&backend)) {
            mends.extend(mend::bubblewrap(host));
        }
        add("sandbox", reason.to_owned(), mends);
    }
    match used {
        None => {}
        Some((_, ran)) => {
            for (name, words) in ran.leaks() {
                let mend = "do not rely on the sandbox here, and report this".to_owned();
                add(name, format!("a run {words}"), vec![mend]);
            }
            if ran.enforcement.resources < Level::Full {
                add(
                    "resources",
                    "no control group of this process is usable, so limits on memory, processes \
                     and processor time hold for each process only"
                        .to_owned(),
                    mend::control_groups(user),
                );
            }
        }
    }
    // Where nothing can be mounted, that no map can be is no news.
    let weak_identity = used.is_some_and(|(_, ran)| {
        ran.enforcement.identity < Level::Full || host.id_maps == IdMaps::Refused
    });
    let level = used.map_or(Level::None, |(_, ran)| ran.enforcement.identity);
    match (weak_identity, user, level) {
        (false, ..) => {}
        (true, 0, Level::None) => add(
            "identity",
            "as root, in a workspace of root, without a user namespace: a run is root, but without \
             root's rights"
                .to_owned(),
            // What maps would need is not there at all.
            mend::identity(IdMaps::NotNeeded),
        ),
        (true, 0, _) => add(
            "identity",
            "as root, in a workspace of root, on a file system that takes no id-mapped mounts: \
             a user namespace alone stands between a run and root"
                .to_owned(),
            mend::identity(host.id_maps),
        ),
        (true, ..) => add(
            "identity",
            "without a user namespace, a run has your user id, but no special rights".to_owned(),
            mend::building(restrictions::present()),
        ),
    }
    if host.landlock < GOOD_LANDLOCK {
        add(
            "network",
            "with the network on, abstract sockets of the host need Landlock version 6".to_owned(),
            mend::landlock(host.landlock),
        );
    }
    missing
}

#[cfg(test)]
mod tests;
