//! What this process is surrounded by: the boot, the kernel, its namespaces, rights and
//! restrictions. What was found out about a host is true for these only.

use std::fs;
use std::sync::OnceLock;

use bashful_keeper::VERSION;
use bashful_sandbox::kernel_text;

/// Settings that decide what a sandbox may be built of.
const SETTINGS: [&str; 4] = [
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/kernel/seccomp/actions_avail",
];

/// What stays as it is for as long as this process lives, once it was kept.
static FIXED: OnceLock<Vec<String>> = OnceLock::new();

/// Looks up what stays as it is for as long as this process and those that it forks live: for a
/// process that has time to, and never changes its own rights.
pub(crate) fn keep_what_is_fixed() {
    if let Some(fixed) = fixed() {
        FIXED.get_or_init(|| fixed);
    }
}

/// All of it in lines; none where the kernel does not tell which boot this is.
pub(crate) fn lines() -> Option<Vec<String>> {
    let mut lines = match FIXED.get() {
        Some(fixed) => fixed.clone(),
        None => fixed()?,
    };
    lines.extend(SETTINGS.map(text));
    Some(lines)
}

fn fixed() -> Option<Vec<String>> {
    let boot = kernel_text("/proc/sys/kernel/random/boot_id").ok()?;
    let mut lines = vec![
        VERSION.to_owned(),
        boot.trim().to_owned(),
        text("/proc/sys/kernel/osrelease"),
        rustix::process::geteuid().as_raw().to_string(),
    ];
    lines.extend(confined());
    Some(lines)
}

fn text(path: &str) -> String {
    kernel_text(path).unwrap_or_default()
}

/// The namespaces, rights, filters and label of this process.
pub(crate) fn confined() -> Vec<String> {
    let namespaces = ["user", "mnt", "pid"].map(|name| {
        let link = fs::read_link(format!("/proc/self/ns/{name}"));
        link.map_or_else(|_| String::new(), |link| link.display().to_string())
    });
    let status = kernel_text("/proc/self/status").unwrap_or_default();
    let rights = status.lines().filter(|line| {
        let name = line.split(':').next().unwrap_or_default();
        matches!(name, "CapEff" | "CapBnd" | "NoNewPrivs") || name.starts_with("Seccomp")
    });
    let label = kernel_text("/proc/self/attr/current").unwrap_or_default();
    let label = label.trim_end_matches(['\0', '\n']).to_owned();
    let namespaces = namespaces.into_iter();
    namespaces
        .chain(rights.map(str::to_owned))
        .chain([label])
        .collect()
}
