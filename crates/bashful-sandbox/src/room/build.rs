//! Building a room and its templates, each in a process of its own.
//!
//! The process that builds lives in the namespaces it makes, and hands over what it made
//! as descriptors. If anything fails, it says which step and path, and nothing is left.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;

use rustix::fs::{Mode, OFlags};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};

use super::assemble::{Own, Sources, assemble};
use super::landlock::make_ruleset;
use super::private::open_own;
use super::{Shared, Template};
use crate::plan::Plan;
use crate::profile::Network;
use crate::survey::Identity;
use crate::sys::namespaces::{new_mount_namespace, raise_loopback};

mod child;
mod error;

pub(super) use child::Builder;
use child::in_child;
pub(super) use error::at;
pub use error::{BuildError, BuildStep};

pub(super) struct Built {
    pub(super) shared: Shared,
    pub(super) template: Template,
    pub(super) builder: Builder,
}

/// Namespaces of a room made ahead of time: a network takes as long as all the rest.
#[derive(Debug)]
pub struct SpareNamespaces {
    ipc: OwnedFd,
    network: OwnedFd,
}

impl SpareNamespaces {
    /// Makes them, where they can be made apart from a user namespace: as root.
    pub fn make() -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            return None;
        }
        let work = || {
            raise_loopback().map_err(at(BuildStep::Namespaces, "lo"))?;
            limit_shared_memory();
            let own = own_namespaces()?;
            Ok(vec![namespace(&own, "ipc")?, namespace(&own, "net")?])
        };
        let made = in_child(libc::CLONE_NEWIPC | libc::CLONE_NEWNET, work, || {});
        let (made, _) = made.ok()?;
        let mut made = made.into_iter();
        Some(Self {
            ipc: made.next()?,
            network: made.next()?,
        })
    }
}

/// Builds a room with its first template.
pub(super) fn room(
    plan: &Rc<Plan>,
    spare: Option<SpareNamespaces>,
    meanwhile: impl FnOnce(),
) -> Result<Built, BuildError> {
    let with_user = matches!(
        plan.identity,
        Identity::Own { .. } | Identity::SingleId { .. }
    );
    let with_network = plan.network == Network::Off;
    let spare = spare.filter(|_| with_network && !with_user);
    let mut flags = libc::CLONE_NEWPID | libc::CLONE_NEWNS;
    if with_user {
        flags |= libc::CLONE_NEWUSER;
    }
    if spare.is_none() {
        flags |= libc::CLONE_NEWIPC;
        if with_network {
            flags |= libc::CLONE_NEWNET;
        }
    }
    let who = (rustix::process::geteuid(), rustix::process::getegid());
    let map = take_id_map(plan)?;
    let wanted = [
        ("user", with_user),
        ("ipc", spare.is_none()),
        ("net", spare.is_none() && with_network),
    ];
    let work = || {
        if spare.is_none() {
            limit_shared_memory();
        }
        if with_user {
            map_self(plan.identity, who.0.as_raw(), who.1.as_raw())?;
        }
        if with_network && spare.is_none() {
            raise_loopback().map_err(at(BuildStep::Namespaces, "lo"))?;
        }
        cut_off()?;
        let own = own_namespaces()?;
        let sources = Sources::take(plan, map.as_ref().map(|map| map.as_fd()))?;
        let mut made = Vec::new();
        for (name, _) in wanted.iter().filter(|(_, wanted)| *wanted) {
            made.push(namespace(&own, name)?);
        }
        assemble(plan, sources, Own::Made)?;
        made.push(namespace(&own, "mnt")?);
        made.extend(open_own(plan)?);
        made.extend(finish_template(plan, &own)?);
        Ok(made)
    };
    let (parts, builder) = in_child(flags, work, meanwhile)?;
    let mut parts = parts.into_iter();
    let missing = || BuildError::new(BuildStep::Report, "", io::ErrorKind::UnexpectedEof.into());
    let mut next = || parts.next().ok_or_else(missing);
    let user = with_user.then(&mut next).transpose()?;
    let (ipc, network) = match spare {
        Some(spare) => (spare.ipc, Some(spare.network)),
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
        builder,
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
        new_mount_namespace().map_err(at(BuildStep::Namespaces, "mnt"))?;
        cut_off()?;
        let own = own_namespaces()?;
        let sources = Sources::take(plan, map.as_ref().map(|map| map.as_fd()))?;
        enter(&shared.base)?;
        new_mount_namespace().map_err(at(BuildStep::Namespaces, "mnt"))?;
        assemble(plan, sources, Own::Taken)?;
        finish_template(plan, &own)
    };
    let (parts, builder) = in_child(0, work, || {})?;
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

fn enter(namespace: &OwnedFd) -> Result<(), BuildError> {
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
