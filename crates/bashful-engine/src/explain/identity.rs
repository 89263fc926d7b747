//! Who a run would be, in plain words.

use bashful_sandbox::{Backend, Identity, Plan};
use serde::Serialize;

/// Who a run would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PlannedIdentity {
    /// How that is arranged.
    pub kind: IdentityKind,
    /// The user id, where it is known before the room is built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<u32>,
    /// The group id, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<u32>,
    /// The same for people.
    pub words: String,
}

/// How a run comes to be who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum IdentityKind {
    /// The user who asks, with all rights of that user.
    Caller,
    /// The user who asks, in a user namespace of its own.
    Own,
    /// Root asks, and the run is the owner of the workspace.
    Owner,
    /// Root asks, and the run is a user of the room's own; root's files look like its own.
    Mapped,
    /// Root asks, and a user namespace stands between the run and root's rights.
    SingleId,
}

/// Who a run in a room would be.
pub(super) fn planned(plan: &Plan) -> PlannedIdentity {
    let has_namespace = matches!(plan.backend(), Backend::Native | Backend::Bubblewrap);
    match plan.identity {
        Identity::Own { user, group } => PlannedIdentity {
            kind: IdentityKind::Own,
            user: Some(user),
            group: Some(group),
            words: format!("you (user {user}), without any special rights"),
        },
        Identity::Owner { user: 0, .. } => root("no user namespace can be made"),
        Identity::SingleId { .. } if !has_namespace => root("this backend makes no user namespace"),
        Identity::Owner { user, group } => PlannedIdentity {
            kind: IdentityKind::Owner,
            user: Some(user),
            group: Some(group),
            words: format!("the owner of the workspace (user {user}), not root"),
        },
        // Every room has a number of its own, which is not known before it is built.
        Identity::Mapped { .. } => nameless(
            IdentityKind::Mapped,
            "a user of the room's own, not root; root's files in the workspace look like its own",
        ),
        Identity::SingleId { .. } => nameless(
            IdentityKind::SingleId,
            "root's files without root's rights: a user of the room's own in a user namespace",
        ),
    }
}

/// Who a run without a sandbox would be.
pub(super) fn caller() -> PlannedIdentity {
    let user = rustix::process::geteuid().as_raw();
    PlannedIdentity {
        kind: IdentityKind::Caller,
        user: Some(user),
        group: Some(rustix::process::getegid().as_raw()),
        words: match user {
            0 => "root, with all rights of root".to_owned(),
            _ => format!("you (user {user}), with all your rights"),
        },
    }
}

/// Root asks, the workspace is root's, and no mapping makes it look like another user's.
fn root(why: &str) -> PlannedIdentity {
    PlannedIdentity {
        kind: IdentityKind::Owner,
        user: Some(0),
        group: Some(0),
        words: format!("root, without any special rights: {why}"),
    }
}

fn nameless(kind: IdentityKind, words: &str) -> PlannedIdentity {
    PlannedIdentity {
        kind,
        user: None,
        group: None,
        words: words.to_owned(),
    }
}
