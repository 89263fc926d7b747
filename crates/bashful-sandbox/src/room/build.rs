//! Building a room and its templates, each in a process of its own.
//!
//! The process that builds lives in the namespaces it makes, and hands over what it made
//! as descriptors. If anything fails, it says which step and path, and nothing is left.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::rc::Rc;

use rustix::fs::{Mode, OFlags};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};

use super::assemble::{Own, Sources, assemble};
use super::landlock::make_ruleset;
use super::private::{open_own, replace_own};
use super::{Shared, Template};
use crate::plan::Plan;
use crate::profile::Network;
use crate::survey::Identity;
use crate::sys::namespaces::{new_namespaces, raise_loopback};

mod child;
mod error;

pub(super) use child::Builder;
use child::Working;
pub(super) use child::in_child;
pub(super) use error::at;
pub use error::{BuildError, BuildStep};

/// The error for a gate that does not serve.
pub(crate) fn gate_error(error: io::Error) -> BuildError {
    BuildError::new(BuildStep::Gate, "gate", error)
}

pub(super) struct Built {
    pub(super) shared: Shared,
    pub(super) template: Template,
    pub(super) builders: Vec<Builder>,
}

/// Namespaces of a room made ahead of time, by a process that may still be at it: a network takes
/// as long as all the rest.
#[derive(Debug)]
pub struct SpareNamespaces(Working);

impl SpareNamespaces {
    /// Has them made, where they can be made apart from a user namespace: as root.
    pub fn begin() -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            return None;
        }
        let made = Working::begin(0, || make_namespaces(Network::Off, None));
        made.ok().map(Self)
    }

    /// Waits for them. What could not be made ahead of time is made now.
    fn finish_or(
        self,
        now: impl FnOnce() -> Result<Working, BuildError>,
    ) -> Result<(Vec<OwnedFd>, Builder), BuildError> {
        let made = self.0.finish();
        made.or_else(|_| now()?.finish())
    }

    /// Whether this process makes them.
    pub fn are_made_by(&self, pid: i32) -> bool {
        self.0.pid == pid
    }
}

/// A room of the same kind that a new one is copied from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Model<'a> {
    pub(super) user: Option<BorrowedFd<'a>>,
    pub(super) template: BorrowedFd<'a>,
}

/// Builds a room with its first template.
pub(super) fn room(
    plan: &Rc<Plan>,
    spare: Option<SpareNamespaces>,
    model: Option<Model<'_>>,
    meanwhile: impl FnOnce(),
) -> Result<Built, BuildError> {
    let with_user = matches!(
        plan.identity,
        Identity::Own { .. } | Identity::SingleId { .. }
    );
    let with_network = plan.network.is_own();
    let spare = spare.filter(|_| with_network && !with_user);
    let who = (rustix::process::geteuid(), rustix::process::getegid());
    let map = take_id_map(plan)?;
    // What rooms have together of a user namespace is who they are.
    let user = model.and_then(|model| model.user);
    let makes_user = with_user && user.is_none();
    // To make a network takes the kernel as long as all the rest, so it is made meanwhile: by a
    // process of its own, which sees the host's `/proc` until its end.
    let namespaces = || Working::begin(0, || make_namespaces(plan.network, user));
    let work = || {
        // In a user namespace it belongs to that, and is made by a process in it.
        let mut within = None;
        if makes_user {
            map_self(plan.identity, who.0.as_raw(), who.1.as_raw())?;
            within = Some(namespaces()?);
        }
        let own = own_namespaces()?;
        let mut made = Vec::new();
        if makes_user {
            made.push(namespace(&own, "user")?);
        }
        if let Some(model) = model {
            if let Some(user) = model.user {
                enter(user)?;
            }
            enter(model.template)?;
            new_namespaces(libc::CLONE_NEWNS).map_err(at(BuildStep::Namespaces, "mnt"))?;
            replace_own(plan)?;
        } else {
            new_namespaces(libc::CLONE_NEWNS).map_err(at(BuildStep::Namespaces, "mnt"))?;
            cut_off()?;
            let sources = Sources::take(plan, map.as_ref().map(|map| map.as_fd()))?;
            assemble(plan, sources, Own::Made)?;
        }
        if let Some(within) = within {
            let (namespaces, maker) = within.finish()?;
            made.extend(namespaces);
            // It ends with us at the latest, who are the first process of its namespace.
            std::mem::forget(maker);
        }
        made.push(namespace(&own, "mnt")?);
        made.extend(open_own(plan)?);
        made.extend(finish_template(plan, &own)?);
        Ok(made)
    };
    let flags = if makes_user {
        libc::CLONE_NEWUSER | libc::CLONE_NEWPID
    } else {
        0
    };
    let building = Working::begin(flags, work)?;
    let mut apart = None;
    if !makes_user && spare.is_none() {
        apart = Some(namespaces()?);
    }
    meanwhile();
    let (parts, builder) = building.finish()?;
    let mut builders = vec![builder];
    let mut parts = parts.into_iter();
    let missing = || BuildError::new(BuildStep::Report, "", io::ErrorKind::UnexpectedEof.into());
    let mut next = || parts.next().ok_or_else(missing);
    let user = match user {
        Some(user) => Some(
            user.try_clone_to_owned()
                .map_err(at(BuildStep::Report, ""))?,
        ),
        None => makes_user.then(&mut next).transpose()?,
    };
    let made = match spare {
        Some(spare) => Some(spare.finish_or(namespaces)?),
        None => apart.map(Working::finish).transpose()?,
    };
    let (ipc, network) = match made {
        Some((made, maker)) => {
            builders.push(maker);
            let mut made = made.into_iter();
            (made.next().ok_or_else(missing)?, made.next())
        }
        None => (next()?, with_network.then(&mut next).transpose()?),
    };
    let shared = Shared {
        user,
        ipc,
        network,
        base: next()?,
        copies: next()?,
        tmp: next()?,
    };
    let template = Template {
        number: 0,
        plan: Rc::clone(plan),
        mounts: next()?,
        events: next()?,
        ruleset: parts.next(),
    };
    Ok(Built {
        shared,
        template,
        builders,
    })
}

/// Builds one more template of a room.
pub(super) fn template(
    plan: &Rc<Plan>,
    shared: &Shared,
) -> Result<(Template, Builder), BuildError> {
    let map = take_id_map(plan)?;
    let work = || {
        if let Some(user) = &shared.user {
            enter(user)?;
        }
        new_namespaces(libc::CLONE_NEWNS).map_err(at(BuildStep::Namespaces, "mnt"))?;
        cut_off()?;
        let own = own_namespaces()?;
        let sources = Sources::take(plan, map.as_ref().map(|map| map.as_fd()))?;
        enter(&shared.base)?;
        new_namespaces(libc::CLONE_NEWNS).map_err(at(BuildStep::Namespaces, "mnt"))?;
        assemble(plan, sources, Own::Taken)?;
        finish_template(plan, &own)
    };
    let (parts, builder) = in_child(0, work)?;
    let mut parts = parts.into_iter();
    let missing = || BuildError::new(BuildStep::Report, "", io::ErrorKind::UnexpectedEof.into());
    let template = Template {
        number: 0,
        plan: Rc::clone(plan),
        mounts: parts.next().ok_or_else(missing)?,
        events: parts.next().ok_or_else(missing)?,
        ruleset: parts.next(),
    };
    Ok((template, builder))
}

fn finish_template(plan: &Plan, own: &OwnedFd) -> Result<Vec<OwnedFd>, BuildError> {
    let mut made = vec![namespace(own, "mnt")?, namespace(own, "../mountinfo")?];
    made.extend(make_ruleset(plan)?);
    Ok(made)
}

fn take_id_map(plan: &Plan) -> Result<Option<Rc<OwnedFd>>, BuildError> {
    let (user, group) = match plan.identity {
        Identity::Mapped { user } => (user, user),
        Identity::Owner { user, group } => (user, group),
        Identity::Own { .. } | Identity::SingleId { .. } => return Ok(None),
    };
    super::id_map::id_map(user, group)
        .map(Some)
        .map_err(at(BuildStep::Identity, "uid_map"))
}

/// Maps users and groups in our own, new user namespace: one id, and no groups.
fn map_self(identity: Identity, user: u32, group: u32) -> Result<(), BuildError> {
    let (inside_user, inside_group) = match identity {
        Identity::SingleId { user } => (user, user),
        _ => (user, group),
    };
    // Like the keeper we are not dumpable, and then these files belong to root.
    set_dumpable_behavior(DumpableBehavior::Dumpable).map_err(at(BuildStep::Identity, "prctl"))?;
    let write = |path: &str, text: String| {
        std::fs::write(path, text).map_err(at(BuildStep::Identity, path))
    };
    write("/proc/self/setgroups", "deny".to_owned())?;
    write("/proc/self/uid_map", format!("{inside_user} {user} 1"))?;
    write("/proc/self/gid_map", format!("{inside_group} {group} 1"))?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(at(BuildStep::Identity, "prctl"))
}

/// Makes what the runs of a room share besides files, by a process that sees the host's `/proc`.
fn make_namespaces(
    network: Network,
    user: Option<BorrowedFd<'_>>,
) -> Result<Vec<OwnedFd>, BuildError> {
    let own = own_namespaces()?;
    if let Some(user) = user {
        enter(user)?;
    }
    let mut kinds = libc::CLONE_NEWIPC;
    if network.is_own() {
        kinds |= libc::CLONE_NEWNET;
    }
    new_namespaces(kinds).map_err(at(BuildStep::Namespaces, "ipc"))?;
    limit_shared_memory();
    let mut made = vec![namespace(&own, "ipc")?];
    if network.is_own() {
        raise_loopback().map_err(at(BuildStep::Namespaces, "lo"))?;
        made.push(namespace(&own, "net")?);
    }
    Ok(made)
}

/// What runs leave in shared memory belongs to no run's control group, so the namespace
/// itself is limited. Where that cannot be done, `/dev/shm` has its size all the same.
fn limit_shared_memory() {
    for (name, value) in [
        ("shmall", "262144"),
        ("shmmni", "1024"),
        ("msgmni", "256"),
        ("sem", "250 32000 32 256"),
    ] {
        let _ = std::fs::write(format!("/proc/sys/kernel/{name}"), value);
    }
}

/// Nothing that we mount from here on is seen outside.
fn cut_off() -> Result<(), BuildError> {
    use rustix::mount::{MountPropagationFlags, mount_change};
    let flags = MountPropagationFlags::REC | MountPropagationFlags::PRIVATE;
    mount_change("/", flags).map_err(at(BuildStep::Namespaces, "/"))
}

pub(super) fn enter(namespace: impl AsFd) -> Result<(), BuildError> {
    rustix::thread::move_into_link_name_space(namespace.as_fd(), None)
        .map_err(at(BuildStep::Namespaces, "setns"))
}

/// The directory of our own namespaces: `/proc` itself will be another soon.
fn own_namespaces() -> Result<OwnedFd, BuildError> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open("/proc/self/ns", flags, Mode::empty())
        .map_err(at(BuildStep::Namespaces, "/proc/self/ns"))
}

fn namespace(own: &OwnedFd, name: &str) -> Result<OwnedFd, BuildError> {
    rustix::fs::openat(own, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
        .map_err(at(BuildStep::Namespaces, name))
}
