//! What logind does when a user logs out, from its files.

use std::fs;
use std::path::{Path, PathBuf};

/// Where logind is configured; what a later one says counts.
const DIRECTORIES: [&str; 3] = ["/usr/lib/systemd", "/run/systemd", "/etc/systemd"];
/// No file of this kind is longer.
const LONGEST: u64 = 1 << 20;

/// Whether it kills what a session leaves behind.
pub(super) fn kills(is_root: bool) -> bool {
    are_killed(&configuration(), is_root)
}

pub(super) fn are_killed(configuration: &[String], is_root: bool) -> bool {
    let said = |key: &str| {
        let lines = configuration.iter().flat_map(|text| text.lines());
        let pairs = lines.filter_map(|line| line.trim().split_once('='));
        let mut values = pairs.filter(|(name, _)| name.trim() == key);
        values.next_back().map(|(_, value)| value.trim().to_owned())
    };
    let kills = said("KillUserProcesses").is_some_and(|value| {
        ["yes", "true", "on", "1"].contains(&value.to_ascii_lowercase().as_str())
    });
    // Root is left alone unless the configuration says otherwise.
    let spared = is_root && said("KillExcludeUsers").is_none_or(|users| users.contains("root"));
    kills && !spared
}

/// Whether this user's manager stays when the user is logged out.
pub(super) fn lingers(user: u32) -> bool {
    // For a logged-in user logind has a file; one who only lingers is in `/etc/passwd`.
    let logged_in = read(Path::new(&format!("/run/systemd/users/{user}")))
        .and_then(|text| value_of(&text, "NAME").map(str::to_owned));
    let name = logged_in.or_else(|| {
        let users = read(Path::new("/etc/passwd"))?;
        name_of(&users, user).map(str::to_owned)
    });
    // A name leads nowhere else.
    let plain = |name: &String| !name.is_empty() && !name.contains('/') && !name.starts_with('.');
    name.filter(plain)
        .is_some_and(|name| Path::new("/var/lib/systemd/linger").join(name).exists())
}

fn value_of<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let mut pairs = text.lines().filter_map(|line| line.split_once('='));
    pairs.find_map(|(name, value)| (name == key).then_some(value))
}

pub(super) fn name_of(users: &str, user: u32) -> Option<&str> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(user)).then_some(name)
    })
}

/// The texts of logind's configuration files; what the last one says counts.
fn configuration() -> Vec<String> {
    let mut files: Vec<PathBuf> = DIRECTORIES
        .iter()
        .map(|directory| Path::new(directory).join("logind.conf"))
        .collect();
    let mut extra: Vec<PathBuf> = DIRECTORIES
        .iter()
        .filter_map(|directory| fs::read_dir(Path::new(directory).join("logind.conf.d")).ok())
        .flat_map(|entries| entries.flatten().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "conf"))
        .collect();
    extra.sort_by(|one, other| one.file_name().cmp(&other.file_name()));
    files.extend(extra);
    files.iter().filter_map(|path| read(path)).collect()
}

fn read(path: &Path) -> Option<String> {
    let about = fs::metadata(path).ok()?;
    let fits = about.is_file() && about.len() <= LONGEST;
    fits.then(|| fs::read_to_string(path).ok()).flatten()
}
