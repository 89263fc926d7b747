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
use super::paths::check_text;
use super::roots::Roots;
use super::view::{is_below, is_system};
use crate::base::real;
use crate::confine::environment::AUTHORITIES;
use crate::model::error::confine::ConfineError;

mod list;

use list::{DATABASES, IN_HOME, INSTALLED, ROOTS, SECRETS, TOOLS};

/// The most programs of one directory on PATH that are looked at.
const MOST_PROGRAMS: usize = 4096;

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
) -> Result<Toolchains, ConfineError> {
    let mut found = Search {
        request,
        home,
        denied,
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
            self.places.insert(written.to_owned());
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
        let Ok(entries) = fs::read_dir(directory) else {
            return;
        };
        self.lists.insert(directory.to_owned());
        let mut is_toolchain = false;
        for entry in entries.take(MOST_PROGRAMS).flatten() {
            is_toolchain |= entry.file_name().to_str().is_some_and(is_tool);
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                self.linked.push(entry.path());
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
        // One list tells of all that is not there.
        self.lists.insert(home.to_owned());
        let Ok(entries) = fs::read_dir(home) else {
            return;
        };
        let names: BTreeSet<OsString> = entries.flatten().map(|entry| entry.file_name()).collect();
        for (folder, variable) in IN_HOME {
            let named = variable.and_then(|variable| self.request.caller.variable(variable));
            let named = named.map(PathBuf::from).filter(|path| path.is_absolute());
            let top = Path::new(folder).components().next();
            if named.is_none() && !top.is_some_and(|top| names.contains(top.as_os_str())) {
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
                expand(root, pattern, &mut self.lists, &mut found);
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

/// What exists of a pattern below a directory.
fn expand(base: &Path, pattern: &str, lists: &mut BTreeSet<PathBuf>, found: &mut Vec<PathBuf>) {
    let (first, rest) = pattern.split_once('/').unwrap_or((pattern, ""));
    let mut go_on = |path: PathBuf, lists: &mut BTreeSet<PathBuf>| {
        if rest.is_empty() {
            if path.symlink_metadata().is_ok() {
                found.push(path);
            }
        } else {
            expand(&path, rest, lists, found);
        }
    };
    if !glob::is_pattern(first) {
        if rest.is_empty() {
            lists.insert(base.to_owned());
        }
        go_on(base.join(first), lists);
        return;
    }
    let Ok(entries) = fs::read_dir(base) else {
        return;
    };
    lists.insert(base.to_owned());
    for entry in entries.take(MOST_PROGRAMS).flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| glob::matches(first, name)) {
            go_on(entry.path(), lists);
        }
    }
}
