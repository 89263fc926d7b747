//! From what was found to what is told: pure but for the advice.

use bashful_keeper::VERSION;
use bashful_sandbox::{ControlGroup, Host, IdMaps, Level, Protection};

use super::mend;
use super::trial::{Ran, Trial};
use super::{Diagnosis, Finding, Missing, State};
use crate::config::Config;
use crate::result::Enforcement;

/// Landlock keeps abstract sockets apart since this version.
const GOOD_LANDLOCK: u32 = 6;

/// What this host offers and what will be enforced, if the trial was made just now.
pub(super) fn judge(host: &Host, trial: &Trial) -> Diagnosis {
    let user = rustix::process::geteuid().as_raw();
    let (enforcement, checks) = match trial {
        Trial::Ran(ran) => (Enforcement::of(Some(ran.enforcement)), tried(ran)),
        Trial::NotBuilt { .. } => (Enforcement::NONE, Vec::new()),
    };
    let config = Config::default();
    let optional = &config.profile_for("").optional;
    let needed = [
        Protection::Filesystem,
        Protection::Network,
        Protection::Commands,
        Protection::Processes,
        Protection::Resources,
    ];
    let enforced = needed
        .into_iter()
        .filter(|protection| !optional.contains(protection))
        .all(|protection| enforcement.of_protection(protection) == Level::Full);
    let held = matches!(trial, Trial::Ran(ran) if ran.held());
    Diagnosis {
        v: 1,
        ok: enforced && held,
        remembered: false,
        version: VERSION,
        user,
        host: offered(host, trial),
        checks,
        missing: missing(host, trial, user),
        kept: Vec::new(),
        enforcement,
    }
}

fn finding(name: &'static str, state: State, words: impl Into<String>) -> Finding {
    Finding {
        name,
        state,
        words: words.into(),
    }
}

fn tried(ran: &Ran) -> Vec<Finding> {
    let described = ran.checks.iter().filter_map(|check| {
        let (name, words) = check.describe()?;
        let state = if check.held { State::Ok } else { State::Failed };
        Some(finding(name, state, words))
    });
    described.collect()
}

fn offered(host: &Host, trial: &Trial) -> Vec<Finding> {
    let mut found = vec![
        finding("kernel", State::Ok, format!("Linux {}", host.kernel)),
        match trial {
            Trial::Ran(_) => finding("sandbox", State::Ok, "a sandbox can be built"),
            Trial::NotBuilt { .. } => finding("sandbox", State::Failed, "no sandbox can be built"),
        },
        match host.landlock {
            0 => finding("landlock", State::Failed, "Landlock is missing"),
            version @ 1..GOOD_LANDLOCK => finding(
                "landlock",
                State::Weak,
                format!("Landlock version {version}, which is an old one"),
            ),
            version => finding("landlock", State::Ok, format!("Landlock version {version}")),
        },
        if host.system_call_filter {
            finding("seccomp", State::Ok, "system calls can be filtered")
        } else {
            finding("seccomp", State::Failed, "system calls cannot be filtered")
        },
    ];
    found.extend(host.control_groups.iter().map(group));
    found.extend(match host.id_maps {
        IdMaps::Possible => Some(finding(
            "id_maps",
            State::Ok,
            "this directory takes id-mapped mounts",
        )),
        IdMaps::Refused => Some(finding(
            "id_maps",
            State::Weak,
            "this directory's file system takes no id-mapped mounts",
        )),
        IdMaps::NotNeeded => None,
    });
    found
}

fn group(group: &ControlGroup) -> Finding {
    let what = group.limit.replace('_', " ");
    match &group.place {
        Some((version, directory)) => finding(
            group.limit,
            State::Ok,
            format!(
                "{what} by control group version {version}, {}",
                directory.display()
            ),
        ),
        None => finding(
            group.limit,
            State::Weak,
            format!("{what}: no control group can be made"),
        ),
    }
}

fn missing(host: &Host, trial: &Trial, user: u32) -> Vec<Missing> {
    let mut missing = Vec::new();
    let mut add = |what, reason: String, mend| missing.push(Missing { what, reason, mend });
    match trial {
        Trial::NotBuilt { reason } => add(
            "sandbox",
            reason.clone(),
            mend::building(&mend::restrictions()),
        ),
        Trial::Ran(ran) => {
            for check in ran.checks.iter().filter(|check| !check.held) {
                if let Some((name, words)) = check.describe() {
                    let mend = "do not rely on the sandbox here, and report this".to_owned();
                    add(name, format!("a run {words}"), vec![mend]);
                }
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
    let weak_identity = matches!(trial, Trial::Ran(ran) if ran.enforcement.identity < Level::Full);
    if weak_identity || host.id_maps == IdMaps::Refused {
        add(
            "identity",
            "as root, in a workspace of root, on a file system that takes no id-mapped mounts: \
             a user namespace alone stands between a run and root"
                .to_owned(),
            mend::identity(),
        );
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
