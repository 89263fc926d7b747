//! One target of a write, and the verdict on it.

use crate::context::Context;
use crate::facts::Argument;
use crate::places::{is_within, normal};

use super::protected::{Protected, climbs, is_everything, is_named, is_repository, protected};

/// How a program writes a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Its content: opened as it is.
    Write,
    /// It is made, replaced or gets other properties.
    Change,
    /// It goes away.
    Delete,
}

/// One target of a write.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) argument: Argument,
    pub(super) way: Way,
}

/// The verdict on a target, from the mildest on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    /// It is inside the workspace, or nothing.
    Inside,
    /// It is inside another root.
    InsideRoot,
    /// A device, which the classes judge.
    Device,
    /// The text does not show where it leads.
    Unknown,
    /// It is the repository's own.
    Repository(String),
    /// It would run on the host later.
    RunsLater(String),
    /// Nearly all of the workspace goes.
    Wipes(String),
    /// It is outside of all roots.
    Outside(String),
}

/// Where a path leads.
struct Lead {
    path: String,
    /// It passes `/proc` or another place where a name leads elsewhere for each process.
    is_magic: bool,
}

impl Target {
    pub(super) fn new(argument: Argument, way: Way) -> Self {
        Self { argument, way }
    }

    /// Whether a glob stands for directories on the way: a link can be among what it finds, and
    /// the engine did not look.
    pub(super) fn passes_a_glob(&self) -> bool {
        let known = self.argument.known();
        let directory = known
            .rsplit_once('/')
            .map_or("", |(directory, _)| directory);
        self.argument.glob && self.way != Way::Delete && directory.contains(['*', '?', '['])
    }

    /// The verdict on it if it loses what is in it. What a glob finds is there, so that
    /// emptying it is like deleting it.
    pub(super) fn emptied(&self, directories: &[String], context: &Context) -> Verdict {
        let verdict = self.verdict(directories, context);
        let found = self.argument.found_from;
        let Some(from) = found.filter(|_| self.argument.is_known()) else {
            return verdict;
        };
        let before = self.argument.text.get(..from).unwrap_or_default();
        // A name in another directory is a new one.
        let same = |place: &String| normal(&format!("{place}/{before}")) == normal(place);
        let here = before.is_empty()
            || before.starts_with('/')
                && directories
                    .iter()
                    .any(|place| normal(before) == normal(place))
            || !before.starts_with('/') && directories.iter().any(same);
        if !here {
            return verdict;
        }
        let deleted = Self::new(self.argument.clone(), Way::Delete);
        verdict
            .max(deleted.verdict(directories, context))
            .max(Verdict::Unknown)
    }

    /// The verdict on it, seen from these directories.
    pub(super) fn verdict(&self, directories: &[String], context: &Context) -> Verdict {
        if self.argument.pattern.is_some() {
            let argument = self.argument.as_path().into_owned();
            return Self::new(argument, self.way).verdict(directories, context);
        }
        let argument = &self.argument;
        if argument.is_pipe {
            return Verdict::Inside;
        }
        let known = argument.known();
        let is_unknown = argument.unknown_from.is_some();
        // What is not known can continue a name, so only the directory before it is certain.
        let certain = if is_unknown {
            let end = known.rfind('/').map_or(0, |at| at + 1);
            known.get(..end).unwrap_or_default()
        } else {
            known
        };
        if is_unknown && certain.is_empty() {
            return Verdict::Unknown;
        }
        if self.way == Way::Write && !is_unknown && is_stream(certain) {
            return Verdict::Inside;
        }
        let whole: Vec<String> = if certain.starts_with('/') {
            vec![certain.to_owned()]
        } else {
            let joined = directories.iter().map(|from| format!("{from}/{certain}"));
            joined.collect()
        };
        let each = whole.iter().map(|path| {
            let lead = lead(path, self.way, context);
            if is_unknown {
                unknown_below(&lead, context)
            } else {
                self.judge(&lead, context)
            }
        });
        each.max().unwrap_or(Verdict::Unknown)
    }

    fn judge(&self, lead: &Lead, context: &Context) -> Verdict {
        let path = lead.path.as_str();
        if self.way == Way::Write && !lead.is_magic && is_device(path) {
            return Verdict::Device;
        }
        if context.write_roots.is_empty() && !lead.is_magic {
            // Without roots, only the system's own places are known to be outside.
            return if is_system(path) {
                Verdict::Outside(path.to_owned())
            } else {
                Verdict::InsideRoot
            };
        }
        let root = roots(context).find(|root| is_within(path, root));
        let (Some(root), false) = (root, lead.is_magic) else {
            return Verdict::Outside(path.to_owned());
        };
        if self.way == Way::Delete && wipes(path, context)
            || self.way == Way::Write && path.ends_with("/**") && wipes(path, context)
        {
            return Verdict::Wipes(path.to_owned());
        }
        let below = components(
            path.get(root.trim_end_matches('/').len()..)
                .unwrap_or_default(),
        );
        if self.argument.glob && below.iter().any(|component| climbs(component)) {
            return Verdict::Unknown;
        }
        match protected(&below) {
            Some(Protected::RunsLater) => return Verdict::RunsLater(path.to_owned()),
            Some(Protected::Repository) => return Verdict::Repository(path.to_owned()),
            None => {}
        }
        let workspace = context.workspace.as_deref();
        if workspace.is_some_and(|workspace| is_within(path, workspace)) {
            Verdict::Inside
        } else {
            Verdict::InsideRoot
        }
    }
}

/// All that may be written, as written and as it really is.
fn roots(context: &Context) -> impl Iterator<Item = &str> {
    let real = |root: &'_ String| context.links.get(root).map(String::as_str);
    let named = context.write_roots.iter().map(String::as_str);
    named.chain(context.write_roots.iter().filter_map(real))
}

/// A path of which only the beginning is known.
fn unknown_below(lead: &Lead, context: &Context) -> Verdict {
    let can_be_inside = |root: &str| is_within(&lead.path, root) || is_within(root, &lead.path);
    if !lead.is_magic && roots(context).any(can_be_inside) {
        Verdict::Unknown
    } else {
        Verdict::Outside(lead.path.clone())
    }
}

/// Follows a path the way the kernel does, as far as links are known.
fn lead(path: &str, way: Way, context: &Context) -> Lead {
    // Below these, names lead elsewhere for each process, so their text says nothing.
    const MAGIC: [&str; 2] = ["/proc", "/dev/fd"];
    if !path.contains("..") && context.links.is_empty() {
        let path = normal(path);
        let is_magic = MAGIC.iter().any(|magic| is_within(&path, magic));
        return Lead { path, is_magic };
    }
    let mut sofar = String::new();
    let mut is_magic = false;
    // A link that is deleted does not take along what it leads to.
    let last = if way == Way::Delete {
        path.rfind('/')
    } else {
        None
    };
    let mut at = 0;
    for part in path.split('/') {
        let is_last = last.is_some_and(|last| at > last);
        at += part.len() + 1;
        match part {
            "" | "." => {}
            ".." => sofar.truncate(sofar.rfind('/').unwrap_or(0)),
            _ => {
                sofar.push('/');
                sofar.push_str(part);
                is_magic |= MAGIC.contains(&sofar.as_str());
                if let Some(real) = context.links.get(&sofar).filter(|_| !is_last) {
                    sofar.clone_from(real);
                    is_magic |= MAGIC.iter().any(|magic| is_within(real, magic));
                }
            }
        }
    }
    if sofar.is_empty() {
        sofar.push('/');
    }
    Lead {
        path: sofar,
        is_magic,
    }
}

/// Whether deleting this takes the workspace, a root, or the repository.
fn wipes(path: &str, context: &Context) -> bool {
    if context.write_roots.iter().any(|root| root == path) {
        return true;
    }
    let Some(workspace) = context.workspace.as_deref() else {
        return false;
    };
    let parts = components(path);
    let whole = components(workspace);
    let reaches = |parts: &[&str]| {
        let mut pairs = parts.iter().zip(&whole);
        pairs.all(|(part, name)| is_named(part, name))
    };
    if parts.len() <= whole.len() {
        return reaches(&parts);
    }
    let below = parts.get(whole.len()..).unwrap_or_default();
    reaches(&parts) && (is_repository(below) || matches!(below, [only] if is_everything(only)))
}

/// Names of streams that may always be written.
fn is_stream(text: &str) -> bool {
    const STREAMS: &[&str] = &[
        "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty",
        "/dev/stdin", "/dev/stdout", "/dev/stderr",
    ];
    let number = text
        .strip_prefix("/dev/fd/")
        .or_else(|| text.strip_prefix("/proc/self/fd/"));
    STREAMS.contains(&text)
        || number.is_some_and(|number| {
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
}

/// Disks, memory and the shell's network devices.
fn is_device(path: &str) -> bool {
    const DEVICES: &[&str] = &[
        "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "dm-", "md", "loop", "sr", "ram", "zram", "nbd",
        "mapper/", "disk/", "mem", "kmem", "port", "tcp/", "udp/",
    ];
    path.strip_prefix("/dev/")
        .is_some_and(|name| DEVICES.iter().any(|device| name.starts_with(device)))
}

fn components(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty()).collect()
}

/// Whether a path belongs to the system.
fn is_system(path: &str) -> bool {
    const PLACES: &[&str] = &[
        "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/sbin",
        "/sys", "/usr",
    ];
    let own = is_within(path, "/dev/shm") || is_within(path, "/usr/local/src");
    path == "/" || !own && PLACES.iter().any(|place| is_within(path, place))
}
