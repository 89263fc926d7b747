//! The programs on PATH and the toolchains of the home that lie outside the system directories:
//! what they need to be found and to run, read-only.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

use bashful_policy::NetworkCapability;

use super::ConfineRequest;
use super::deny::Denied;
use super::glob;
use super::listed::Listed;
use super::paths::check_text;
use super::roots::Roots;
use super::view::{is_below, is_system};
use crate::base::real;
use crate::confine::environment::AUTHORITIES;
use crate::model::error::confine::ConfineError;

mod list;

use list::{DATABASES, IN_HOME, INSTALLED, ROOTS, SECRETS, TOOLS};

/// What was found for toolchains.
#[derive(Debug, Default)]
pub(super) struct Toolchains {
    /// Variables that let them be found though the home is another.
    pub(super) environment: Vec<(String, String)>,
    /// The secrets in them, canonical.
    pub(super) secrets: Vec<PathBuf>,
    /// What was looked up by where it leads.
    pub(super) places: Vec<PathBuf>,
    /// Directories of which the list of names counts.
    pub(super) lists: Vec<PathBuf>,
    /// Files whose text counts.
    pub(super) texts: Vec<PathBuf>,
}

/// Adds what the programs on PATH and the toolchains of the home need.
pub(super) fn add(
    request: &ConfineRequest<'_>,
    home: Option<&Path>,
    denied: &Denied,
    roots: &mut Roots,
    listed: &mut Listed,
) -> Result<Toolchains, ConfineError> {
    let mut found = Search {
        request,
        home,
        denied,
        listed,
        roots: Vec::new(),
        linked: Vec::new(),
        places: BTreeSet::new(),
        lists: BTreeSet::new(),
        texts: Vec::new(),
        variables: BTreeMap::new(),
    };
    found.look_on_path(roots);
    found.look_at_home();
    found.add_named();
    found.add_authorities();
    // After the toolchains, in which most links end.
    found.follow_links();
    let secrets = found.secrets();
    for path in &found.roots {
        check_text(path)?;
    }
    roots.tools = found.roots;
    roots.databases = databases(denied);
    Ok(Toolchains {
        environment: found.variables.into_iter().collect(),
        secrets,
        places: found.places.into_iter().collect(),
        lists: found.lists.into_iter().collect(),
        texts: found.texts,
    })
}

struct Search<'a> {
    request: &'a ConfineRequest<'a>,
    home: Option<&'a Path>,
    denied: &'a Denied,
    listed: &'a mut Listed,
    /// What is to be readable.
    roots: Vec<PathBuf>,
    /// Programs on PATH that are links.
    linked: Vec<PathBuf>,
    places: BTreeSet<PathBuf>,
    lists: BTreeSet<PathBuf>,
    texts: Vec<PathBuf>,
    variables: BTreeMap<String, String>,
}

impl Search<'_> {
    fn look_on_path(&mut self, declared: &Roots) {
        for place in self.request.path_variable.split(':') {
            let written = Path::new(place);
            // A relative entry means the workspace or nothing.
            if !written.is_absolute() || is_system(written) {
                continue;
            }
            // Many a PATH names a directory twice.
            if !self.places.insert(written.to_owned()) {
                continue;
            }
            let Ok(real) = real::real(written) else {
                continue;
            };
            // What runs can put there is no program of the caller's.
            if is_system(&real) || declared.lets_write(&real) || !self.is_narrow(&real) {
                continue;
            }
            self.look_into(&real);
        }
    }

    /// Adds one directory of programs, with what they need beside them.
    fn look_into(&mut self, directory: &Path) {
        let list = self.listed.of(directory);
        if !list.is_read {
            return;
        }
        self.lists.insert(directory.to_owned());
        let mut is_toolchain = false;
        for entry in &list.entries {
            is_toolchain |= entry.name.to_str().is_some_and(is_tool);
            if entry.is_link() {
                self.linked.push(directory.join(&entry.name));
            }
        }
        self.add_environment(directory);
        let around = self.installation(directory, is_toolchain);
        self.add_root(around.unwrap_or_else(|| directory.to_owned()));
    }

    /// What programs in a `bin` belong to: what is above it, if that is one installation.
    fn installation(&self, bin: &Path, is_toolchain: bool) -> Option<PathBuf> {
        let above = bin.parent().filter(|above| self.is_narrow(above))?;
        // The proxies of cargo need nothing beside them, and beside them are credentials.
        if bin.file_name()? != "bin" || above.file_name()? == ".cargo" {
            return None;
        }
        let has = |name: &str| above.join(name).exists();
        let is_one = is_toolchain || (INSTALLED.into_iter().any(has) && !has(".git"));
        is_one.then(|| above.to_owned())
    }

    /// Whether a directory is small enough to be one toolchain.
    fn is_narrow(&self, directory: &Path) -> bool {
        let holds = |path: &Path| path.starts_with(directory);
        let shared = [
            "/opt",
            "/usr/local",
            "/var",
            "/srv",
            "/snap",
            "/home",
            "/tmp",
        ];
        let at_home = |home: &Path| {
            [
                ".local",
                ".config",
                ".cache",
                ".local/share",
                ".local/state",
            ]
            .iter()
            .any(|folder| holds(&home.join(folder)))
        };
        !holds(self.request.workspace)
            && !self.home.is_some_and(|home| holds(home) || at_home(home))
            && !shared.iter().any(|shared| holds(Path::new(shared)))
    }

    /// A virtual environment of Python runs the interpreter that it was made from.
    fn add_environment(&mut self, bin: &Path) {
        let Some(root) = bin.parent().filter(|root| self.is_narrow(root)) else {
            return;
        };
        let settings = root.join("pyvenv.cfg");
        let Ok(text) = fs::read_to_string(&settings) else {
            return;
        };
        self.add_root(root.to_owned());
        self.texts.push(settings);
        let base = text.lines().find_map(|line| {
            let (key, value) = line.split_once('=')?;
            (key.trim() == "home").then(|| PathBuf::from(value.trim()))
        });
        if let Some(base) = base.filter(|base| base.is_absolute())
            && let Ok(python) = real::real(&base.join("python3"))
        {
            self.add_program(&python);
        }
    }

    /// Adds what a program needs that a link on PATH leads to.
    fn add_program(&mut self, file: &Path) {
        if is_system(file) || file.starts_with(self.request.workspace) {
            return;
        }
        if let Some(modules) = modules_around(file).filter(|all| self.is_narrow(all)) {
            self.add_root(modules);
            return;
        }
        let name = file.file_name().and_then(|name| name.to_str());
        let is_toolchain = name.is_some_and(|name| {
            is_tool(name.trim_end_matches(|last: char| last.is_ascii_digit() || last == '.'))
                || is_tool(name)
        });
        let around = file.parent().and_then(|directory| {
            let beside = || {
                let lib = directory.join("lib").is_dir() && !directory.join(".git").exists();
                (lib && self.is_narrow(directory)).then(|| directory.to_owned())
            };
            self.installation(directory, is_toolchain).or_else(beside)
        });
        // Of a directory that is no installation, nothing else is the program's.
        self.add_root(around.unwrap_or_else(|| file.to_owned()));
    }

    /// Adds the toolchains that a home is known to keep.
    fn look_at_home(&mut self) {
        let Some(home) = self.home else { return };
        self.lists.insert(home.to_owned());
        for (folder, variable) in IN_HOME {
            let named = variable.and_then(|variable| self.request.caller.variable(variable));
            let named = named.map(PathBuf::from).filter(|path| path.is_absolute());
            if named.is_none() && !self.listed.may_reach(home, Path::new(folder)) {
                continue;
            }
            let place = named.unwrap_or_else(|| home.join(folder));
            self.places.insert(place.clone());
            let Ok(place) = real::real(&place) else {
                continue;
            };
            if place.is_dir() && self.is_narrow(&place) && self.add_root(place.clone()) {
                self.set(variable, &place);
            }
        }
    }

    /// Adds the toolchains that the caller names by a variable.
    fn add_named(&mut self) {
        for (variable, program) in ROOTS {
            let Some(place) = self.request.caller.variable(variable).map(Path::new) else {
                continue;
            };
            let Ok(real) = real::real(place) else {
                continue;
            };
            self.places.insert(place.to_owned());
            if !place.is_absolute() || !real.join(program).is_file() {
                continue;
            }
            if is_system(&real) || (self.is_narrow(&real) && self.add_root(real.clone())) {
                self.set(Some(variable), &real);
            }
        }
    }

    /// Adds the certificates that the caller's variables name, for a run that reaches the network.
    fn add_authorities(&mut self) {
        if self.request.capabilities.network == NetworkCapability::Off {
            return;
        }
        for variable in AUTHORITIES {
            let place = self.request.caller.variable(variable).map(Path::new);
            let Some(place) = place.filter(|place| place.is_absolute()) else {
                continue;
            };
            let Ok(real) = real::real(place) else {
                continue;
            };
            self.places.insert(place.to_owned());
            if real.is_file() || self.is_narrow(&real) {
                self.add_root(real);
            }
        }
    }

    /// Adds what links on PATH lead to.
    fn follow_links(&mut self) {
        for link in std::mem::take(&mut self.linked) {
            // What the same directory holds is there without it, and the list tells if it changes.
            if fs::read_link(&link).is_ok_and(|target| is_name(&target)) {
                continue;
            }
            let file = real::real(&link);
            self.places.insert(link);
            let Ok(file) = file else { continue };
            if is_system(&file) || !file.is_file() {
                continue;
            }
            if let Some(bin) = file.parent() {
                self.add_environment(bin);
            }
            if !is_below(&file, &self.roots) {
                self.add_program(&file);
            }
        }
    }

    /// Makes a path readable, unless it is there anyway or denied.
    fn add_root(&mut self, path: PathBuf) -> bool {
        if self.denied.hold(&path) {
            return false;
        }
        let there = is_system(&path) || is_below(&path, &self.roots);
        if !there {
            self.roots.retain(|root| !root.starts_with(&path));
            self.roots.push(path);
        }
        true
    }

    fn set(&mut self, variable: Option<&str>, path: &Path) {
        if let (Some(variable), Some(text)) = (variable, path.to_str()) {
            self.variables.insert(variable.to_owned(), text.to_owned());
        }
    }

    /// The secrets in what was found.
    fn secrets(&mut self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for root in &self.roots {
            for pattern in SECRETS {
                expand(root, pattern, self.listed, &mut self.lists, &mut found);
            }
        }
        let real = found.iter().filter_map(|path| real::real(path).ok());
        real.collect()
    }
}

/// The lists of what the system has installed, as far as they are there.
fn databases(denied: &Denied) -> Vec<PathBuf> {
    let there = DATABASES.iter().map(|place| real::real(Path::new(place)));
    there.flatten().filter(|real| !denied.hold(real)).collect()
}

fn is_tool(name: &str) -> bool {
    TOOLS.contains(&name)
}

/// The outermost folder of packages around a program of one: packages use each other.
fn modules_around(file: &Path) -> Option<PathBuf> {
    let mut around = PathBuf::new();
    for part in file.components() {
        around.push(part);
        if part == Component::Normal("node_modules".as_ref()) {
            return Some(around);
        }
    }
    None
}

/// Whether a link leads to what lies beside it.
fn is_name(target: &Path) -> bool {
    let mut parts = target.components();
    matches!(parts.next(), Some(Component::Normal(_))) && parts.next().is_none()
}

/// What exists of a pattern below a directory.
fn expand(
    base: &Path,
    pattern: &str,
    listed: &mut Listed,
    lists: &mut BTreeSet<PathBuf>,
    found: &mut Vec<PathBuf>,
) {
    let (first, rest) = pattern.split_once('/').unwrap_or((pattern, ""));
    if !glob::is_pattern(first) {
        let path = base.join(first);
        let may_be = listed.may_have(base, first.as_ref());
        if may_be && !rest.is_empty() {
            return expand(&path, rest, listed, lists, found);
        }
        // Here it would come into being.
        lists.insert(base.to_owned());
        if may_be && path.symlink_metadata().is_ok() {
            found.push(path);
        }
        return;
    }
    let list = listed.of(base);
    if !list.is_read {
        return;
    }
    lists.insert(base.to_owned());
    let entries = list.entries.iter();
    let entries = entries.filter(|entry| rest.is_empty() || entry.may_hold());
    let fits = |name: &&OsString| {
        let name = name.to_str();
        name.is_some_and(|name| glob::matches(first, name))
    };
    let names: Vec<OsString> = entries
        .map(|entry| &entry.name)
        .filter(fits)
        .cloned()
        .collect();
    for name in names {
        let path = base.join(name);
        if glob::is_pattern(rest) {
            expand(&path, rest, listed, lists, found);
            continue;
        }
        // One look into each of many takes less than to list them all.
        let path = if rest.is_empty() {
            path
        } else {
            path.join(rest)
        };
        if path.symlink_metadata().is_ok() {
            found.push(path.clone());
        }
        lists.extend(path.parent().map(Path::to_owned));
    }
}
