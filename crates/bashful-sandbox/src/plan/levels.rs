//! How well each backend enforces a profile here: the one table of it.

use super::limits;
use crate::backend::Backend;
use crate::profile::{Enforcement, Level, Network, Profile};
use crate::survey::{Identity, Survey};

/// What enforcing this profile amounts to.
pub(super) fn of(profile: &Profile, survey: &Survey) -> Enforcement {
    let native = Enforcement {
        backend: survey.backend,
        filesystem: Level::Full,
        network: network_level(profile, survey),
        commands: match (&profile.commands, survey.landlock) {
            // Without it the loader and scripts would be ways round the list.
            (Some(_), 0) => Level::Partial,
            _ => Level::Full,
        },
        processes: Level::Full,
        resources: limits::level(&profile.resources, survey),
        identity: match survey.identity {
            Identity::SingleId { .. } => Level::Partial,
            // Root, if without rights of root.
            Identity::Owner { user: 0, .. } => Level::None,
            Identity::Own { .. } | Identity::Owner { .. } | Identity::Mapped { .. } => Level::Full,
        },
    };
    match survey.backend {
        Backend::Native => native,
        Backend::Bubblewrap => Enforcement {
            // It knows no `noexec`, and the loader runs any file that it can read.
            commands: match profile.commands {
                Some(_) => native.commands.min(Level::Partial),
                None => native.commands,
            },
            // `/tmp` is a directory of the host, whose size no limit bounds.
            resources: match profile.resources.tmp_size {
                Some(_) => native.resources.min(Level::Partial),
                None => native.resources,
            },
            ..native
        },
        Backend::Firejail | Backend::Landlock => Enforcement {
            // Below a path that is open nothing can be hidden or frozen for good: firejail
            // does both, but what is above a frozen file can be renamed.
            filesystem: if survey.landlock == 0 {
                Level::None
            } else {
                Level::Partial
            },
            commands: match profile.commands {
                Some(_) => native.commands.min(Level::Partial),
                None => native.commands,
            },
            // Others can be seen, but not signalled since Landlock's sixth version.
            processes: if survey.backend == Backend::Firejail {
                Level::Full
            } else if survey.landlock >= 6 {
                Level::Partial
            } else {
                Level::None
            },
            resources: match profile.resources.tmp_size {
                Some(_) => native.resources.min(Level::Partial),
                None => native.resources,
            },
            // The run is the user who asks, without rights beyond that.
            identity: match survey.identity {
                Identity::SingleId { .. } | Identity::Mapped { .. } => Level::None,
                Identity::Own { .. } | Identity::Owner { .. } => Level::Partial,
            },
            ..native
        },
    }
}

/// Landlock keeps abstract sockets apart since its sixth version; without it a room
/// that shares the host's network could reach them.
fn network_level(profile: &Profile, survey: &Survey) -> Level {
    match profile.network {
        Network::Off => Level::Full,
        // The filter lets no run make a unix socket of any kind.
        Network::On if survey.landlock >= 6 => Level::Full,
        // The namespace is made by others, and no gate leads out of it.
        Network::Named if survey.backend != Backend::Native => Level::None,
        Network::Named if survey.captures => Level::Full,
        Network::On | Network::Named => Level::Partial,
    }
}
