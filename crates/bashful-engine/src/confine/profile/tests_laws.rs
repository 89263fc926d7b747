//! The claim of this module, on random trees and capabilities.
//!
//! Whatever is granted: what the profile shows lies in what was granted, in the workspace or in
//! the system directories; nothing denied or secret is seen under any of its names; a further
//! denial takes away and never adds; so does narrowing.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use bashful_policy::{Capabilities, CapabilityChanges, Preset, ResourceLimits};
use bashful_sandbox::Profile;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::tests_support::{World, is_readable, is_writable};

/// Where files are. Some are secrets.
const FILES: [&str; 16] = [
    "home/project/a/f",
    "home/project/a/g",
    "home/project/b/f",
    "home/project/.env",
    "home/notes/f",
    "home/notes/deep/f",
    "home/.ssh/id",
    "home/.config/gh/hosts",
    "home/.config/other",
    "home/.cargo/credentials.toml",
    "home/work/.env",
    "home/.local/state/bashful/f",
    "data/a/f",
    "data/a/g",
    "data/b/.env.local",
    "data/b/f",
];

/// What is a secret unless it or what is in it is named.
const SECRETS: [&str; 7] = [
    "home/.ssh",
    "home/.config/gh",
    "home/.cargo/credentials.toml",
    "home/work/.env",
    "home/.local/state/bashful",
    "data/b/.env.local",
    "run/bashful",
];

/// What capabilities name.
const NAMES: [&str; 20] = [
    ".",
    "a",
    "a/f",
    "b",
    "a/*",
    "link0",
    "link1/f",
    "~",
    "~/notes",
    "~/notes/deep",
    "~/link2",
    "~/.ssh",
    "~/.ssh/id",
    "~/.config",
    "~/work",
    "BASE/data",
    "BASE/data/a",
    "BASE/data/*/f",
    "BASE/data/b/.env.local",
    "BASE/run",
];

/// Where links are made.
const LINKS: [&str; 3] = ["home/project/link0", "home/project/link1", "home/link2"];

#[derive(Debug, Clone)]
struct Plan {
    /// For each link, what it leads to.
    links: Vec<&'static str>,
    /// Pairs of a file and a new name for it.
    hard: Vec<(&'static str, usize)>,
    granted: Vec<Vec<&'static str>>,
    denial: &'static str,
    narrower: Vec<Vec<&'static str>>,
    preset: Preset,
}

fn plan() -> impl Strategy<Value = Plan> {
    let targets = select(vec![
        "data/a",
        "home/notes",
        "home/.ssh",
        "home/project/a",
        "data/b/f",
    ]);
    let names = || vec(select(NAMES.as_slice()), 0..3);
    let presets = select(vec![Preset::ReadOnly, Preset::Workspace, Preset::Build]);
    (
        vec(targets, LINKS.len()),
        vec((select(FILES.as_slice()), 0..3usize), 0..4),
        vec(names(), 3),
        select(NAMES.as_slice()),
        vec(names(), 2),
        presets,
    )
        .prop_map(|(links, hard, granted, denial, narrower, preset)| Plan {
            links,
            hard,
            granted,
            denial,
            narrower,
            preset,
        })
}

impl Plan {
    fn world(&self) -> World {
        let mut world = World::new();
        world.preset = self.preset;
        for name in FILES {
            world.file(name);
        }
        for (name, target) in LINKS.iter().zip(&self.links) {
            world.link(world.base.join(target), name);
        }
        for (number, (file, place)) in self.hard.iter().enumerate() {
            let folder = ["home/project/a", "data/a", "home/notes"][*place];
            let name = world.base.join(folder).join(format!("hard{number}"));
            fs::hard_link(world.base.join(file), name).unwrap();
        }
        world
    }

    fn changes(&self, world: &World) -> CapabilityChanges {
        let spelled = |names: &[&str]| names.iter().map(|name| spell(world, name)).collect();
        CapabilityChanges {
            paths_read: spelled(&self.granted[0]),
            paths_write: spelled(&self.granted[1]),
            paths_deny: spelled(&self.granted[2]),
            ..CapabilityChanges::default()
        }
    }
}

fn spell(world: &World, name: &str) -> String {
    name.replace("BASE", &world.base.display().to_string())
}

/// Every file and directory of the world, links not followed.
fn everything(world: &World) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut left = vec![world.base.clone()];
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let entry = entry.unwrap();
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                left.push(entry.path());
            }
            if !kind.is_symlink() {
                all.push(entry.path());
            }
        }
    }
    all
}

/// What names mean, worked out anew and more simply: patterns become the directory above.
fn meant(world: &World, names: &[String]) -> Vec<PathBuf> {
    let one = |name: &String| {
        let name = name.split("/*").next().unwrap();
        let path = match name.strip_prefix('~') {
            Some(rest) => world.home.join(rest.trim_start_matches('/')),
            None => world.workspace.join(name),
        };
        path.canonicalize().unwrap()
    };
    names.iter().map(one).collect()
}

fn below(path: &Path, roots: &[PathBuf]) -> bool {
    roots.iter().any(|root| path.starts_with(root))
}

fn holds(world: &World, capabilities: &Capabilities, profile: &Profile) {
    let all = everything(world);
    let read = meant(world, &capabilities.paths_read);
    let write = meant(world, &capabilities.paths_write);
    let named: Vec<PathBuf> = read.iter().chain(&write).cloned().collect();
    for path in &all {
        let own = path.starts_with(&world.cache);
        if is_readable(profile, path) {
            let granted = below(path, &named) || path.starts_with(&world.workspace);
            assert!(granted || own, "{} is readable", path.display());
        }
        if is_writable(profile, path) {
            assert!(below(path, &write) || own, "{} is writable", path.display());
            assert!(is_readable(profile, path));
        }
    }
    for secret in SECRETS.map(|secret| world.base.join(secret)) {
        // A root that is the secret or lies in it was named for what it is.
        let exact = named.iter().any(|root| root.starts_with(&secret));
        for path in all.iter().filter(|path| path.starts_with(&secret)) {
            assert!(exact || !is_readable(profile, path), "{}", path.display());
        }
    }
}

/// Nothing that is denied can be read, whatever it is called.
fn denials_hold(world: &World, denied: &[PathBuf], profile: &Profile) {
    let all = everything(world);
    let identity = |path: &PathBuf| {
        let metadata = fs::metadata(path).unwrap();
        (metadata.dev(), metadata.ino())
    };
    let inodes: Vec<_> = all
        .iter()
        .filter(|path| below(path, denied))
        .map(identity)
        .collect();
    for path in all.iter().filter(|path| inodes.contains(&identity(path))) {
        assert!(!is_readable(profile, path), "{} is denied", path.display());
    }
}

/// Nothing is seen or written in the first that is not in the second.
fn is_within(world: &World, narrow: &Profile, wide: &Profile) {
    for path in everything(world) {
        assert!(
            !is_readable(narrow, &path) || is_readable(wide, &path),
            "{} became readable",
            path.display()
        );
        assert!(
            !is_writable(narrow, &path) || is_writable(wide, &path),
            "{} became writable",
            path.display()
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_shown_was_granted(plan in plan()) {
        let world = plan.world();
        let granted = plan.preset.capabilities().with(&plan.changes(&world));
        // What contradicts itself is refused; the tables look at that.
        let Ok(confined) = world.confine_with(&granted) else {
            return Ok(());
        };
        let profile = confined.profile;
        holds(&world, &granted, &profile);
        // A pattern may have matched less than the directory above it; then the tables count.
        let exact = granted.paths_deny.iter().filter(|name| !name.contains('*'));
        let exact: Vec<String> = exact.cloned().collect();
        denials_hold(&world, &meant(&world, &exact), &profile);

        let denied = granted.with(&CapabilityChanges {
            paths_deny: vec![spell(&world, plan.denial)],
            ..CapabilityChanges::default()
        });
        if let Ok(narrower) = world.confine_with(&denied) {
            is_within(&world, &narrower.profile, &profile);
        }
        let wish = CapabilityChanges {
            paths_read: plan.narrower[0].iter().map(|name| spell(&world, name)).collect(),
            paths_deny: plan.narrower[1].iter().map(|name| spell(&world, name)).collect(),
            ..CapabilityChanges::default()
        };
        let (narrowed, _) = granted.narrow(&wish, &ResourceLimits::default());
        if let Ok(narrower) = world.confine_with(&narrowed) {
            // Without the exact name of a secret a run does not see it; the rest is as before.
            is_within(&world, &narrower.profile, &profile);
        }
    }
}
