//! Names of hosts and users: files that the run sees in another form or place.

use std::fs;
use std::path::{Path, PathBuf};

use super::Identity;
use crate::profile::{Network, Profile};

/// Files of the name service that are links to where the run sees nothing.
pub(super) fn name_service_files(profile: &Profile) -> Vec<PathBuf> {
    if profile.network == Network::Off {
        return Vec::new();
    }
    let Ok(file) = Path::new("/etc/resolv.conf").canonicalize() else {
        return Vec::new();
    };
    let elsewhere = !file.starts_with("/etc") && !file.starts_with("/usr");
    elsewhere.then_some(file).into_iter().collect()
}

/// A user's own group.
pub(super) fn primary_group(user: u32) -> Option<u32> {
    let table = fs::read_to_string("/etc/passwd").ok()?;
    let user = user.to_string();
    let mut lines = table
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>());
    let line = lines.find(|line| line.get(2) == Some(&user.as_str()))?;
    line.get(3)?.parse().ok()
}

/// The tables of users and groups, with a line for the run where they have none: some
/// programs refuse to work for a user without a name.
pub(super) fn user_tables(identity: Identity, profile: &Profile) -> Vec<(PathBuf, String)> {
    let (user, group) = match identity {
        // A user who has a name, most of the time; and the table is their own.
        Identity::Own { .. } => return Vec::new(),
        Identity::Owner { user, group } => (user, group),
        Identity::Mapped { user } | Identity::SingleId { user } => (user, user),
    };
    let home = profile.workspace.to_string_lossy();
    let home = if home.contains([':', '\n']) {
        "/".into()
    } else {
        home
    };
    let tables = [
        (
            "/etc/passwd",
            user,
            format!("bashful:x:{user}:{group}:Bashful:{home}:/bin/bash\n"),
        ),
        ("/etc/group", group, format!("bashful:x:{group}:\n")),
    ];
    tables
        .into_iter()
        .filter_map(|(path, id, line)| {
            let mut text = fs::read_to_string(path).ok()?;
            let known = text
                .lines()
                .any(|line| line.split(':').nth(2) == Some(id.to_string().as_str()));
            if known {
                return None;
            }
            if !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&line);
            Some((PathBuf::from(path), text))
        })
        .collect()
}
