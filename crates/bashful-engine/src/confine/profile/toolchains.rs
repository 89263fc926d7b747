//! The toolchains on PATH that lie outside the system directories: what they need to be found
//! and to run, read-only.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::ConfineRequest;
use super::deny::Denied;
use super::paths::check_text;
use super::roots::Roots;
use super::view::{is_below, is_system};
use crate::base::real;
use crate::model::error::confine::ConfineError;

/// Programs by which a directory on PATH is known to belong to a toolchain.
const TOOLS: [&str; 36] = [
    "cargo", "rustc", "rustup", "node", "npm", "npx", "pnpm", "yarn", "corepack", "bun", "deno",
    "fnm", "volta", "python", "python3", "pip", "pip3", "uv", "poetry", "pyenv", "go", "gofmt",
    "java", "javac", "mvn", "gradle", "kotlinc", "ruby", "bundle", "gem", "php", "composer",
    "mise", "asdf", "zig", "cmake",
];

/// Managers of versions: the folder in the home, the variable that names it, and what on PATH
/// needs it. A shim on PATH is a small program that looks for the real one there.
const MANAGERS: [(&str, &str, &[&str]); 12] = [
    (".rustup", "RUSTUP_HOME", &["cargo", "rustc", "rustup"]),
    (
        ".pyenv",
        "PYENV_ROOT",
        &["pyenv", "python", "python3", "pip"],
    ),
    (".nvm", "NVM_DIR", &["node", "npm"]),
    (".volta", "VOLTA_HOME", &["volta", "node", "npm"]),
    (".local/share/fnm", "FNM_DIR", &["fnm", "node"]),
    (".nodenv", "NODENV_ROOT", &["node", "npm"]),
    (
        ".sdkman",
        "SDKMAN_DIR",
        &["java", "javac", "mvn", "gradle", "kotlinc"],
    ),
    (".jenv", "JENV_ROOT", &["java", "javac"]),
    (".rbenv", "RBENV_ROOT", &["ruby", "gem", "bundle"]),
    (
        ".asdf",
        "ASDF_DATA_DIR",
        &["asdf", "node", "python", "ruby", "java", "go"],
    ),
    (
        ".local/share/mise",
        "MISE_DATA_DIR",
        &["mise", "node", "python", "ruby", "java", "go"],
    ),
    (
        ".local/share/uv/python",
        "UV_PYTHON_INSTALL_DIR",
        &["uv", "python", "python3"],
    ),
];

/// Managers that a system may have, with the versions in the home.
const IN_SYSTEM: [&str; 3] = ["rustup", "fnm", "uv"];

/// Variables that name the root of one toolchain, with its main program.
const ROOTS: [(&str, &str); 3] = [
    ("JAVA_HOME", "bin/java"),
    ("GOROOT", "bin/go"),
    ("DENO_INSTALL", "bin/deno"),
];

/// Adds what the toolchains on PATH need, and returns the variables that let them be found.
pub(super) fn add(
    request: &ConfineRequest<'_>,
    home: Option<&Path>,
    denied: &Denied,
    roots: &mut Roots,
) -> Result<Vec<(String, String)>, ConfineError> {
    let mut found = ToolchainSearch {
        request,
        home,
        denied,
        roots: Vec::new(),
        tools: Vec::new(),
        places: Vec::new(),
        variables: BTreeMap::new(),
    };
    found.look_on_path();
    found.rewrite_path();
    found.add_managers();
    found.add_named();
    for path in &found.roots {
        check_text(path)?;
    }
    roots.tools = found.roots;
    Ok(found.variables.into_iter().collect())
}

struct ToolchainSearch<'a> {
    request: &'a ConfineRequest<'a>,
    home: Option<&'a Path>,
    denied: &'a Denied,
    /// What is to be readable.
    roots: Vec<PathBuf>,
    /// The tools that were found.
    tools: Vec<&'static str>,
    /// The directories that they were found in, as PATH has them and as they are.
    places: Vec<(String, PathBuf)>,
    variables: BTreeMap<String, String>,
}

impl ToolchainSearch<'_> {
    fn look_on_path(&mut self) {
        for place in self.request.path_variable.split(':') {
            let written = Path::new(place);
            // A relative entry means the workspace or nothing.
            if !written.is_absolute() {
                continue;
            }
            let Ok(real) = real::real(written) else {
                continue;
            };
            if is_system(&real) {
                let managers = IN_SYSTEM.into_iter();
                self.tools
                    .extend(managers.filter(|tool| real.join(tool).is_file()));
                continue;
            }
            if real.starts_with(self.request.workspace) {
                continue;
            }
            let tools = TOOLS.into_iter().filter(|tool| real.join(tool).is_file());
            let tools: Vec<&'static str> = tools.collect();
            if tools.is_empty() {
                continue;
            }
            for tool in &tools {
                if let Ok(file) = real::real(&real.join(tool)) {
                    self.add_home_of(&file);
                }
            }
            self.add_environment(&real);
            self.tools.extend(tools);
            self.places.push((place.to_owned(), real.clone()));
            self.add_root(real);
        }
    }

    /// Spells PATH without links that the run does not see.
    fn rewrite_path(&mut self) {
        let is_lost = |(written, real): &&(String, PathBuf)| {
            Path::new(written) != real && !is_system(Path::new(written))
        };
        if !self.places.iter().any(|place| is_lost(&place)) {
            return;
        }
        let spelled = |entry: &str| {
            let place = self.places.iter().find(|(written, _)| written == entry);
            let real = place.filter(is_lost).and_then(|(_, real)| real.to_str());
            real.unwrap_or(entry).to_owned()
        };
        let entries: Vec<String> = self.request.path_variable.split(':').map(spelled).collect();
        self.variables.insert("PATH".to_owned(), entries.join(":"));
    }

    /// Adds the root of the toolchain that a program belongs to: what is above its `bin`.
    fn add_home_of(&mut self, file: &Path) {
        let Some(directory) = file.parent() else {
            return;
        };
        let above = directory.parent().filter(|above| {
            directory.file_name().is_some_and(|name| name == "bin") && self.is_narrow(above)
        });
        // The proxies of cargo need nothing beside them, and beside them are credentials.
        let above = above.filter(|above| above.file_name().is_none_or(|name| name != ".cargo"));
        self.add_root(above.unwrap_or(directory).to_owned());
    }

    /// Whether a directory is small enough to be one toolchain.
    fn is_narrow(&self, directory: &Path) -> bool {
        let holds = |path: &Path| path.starts_with(directory);
        let shared = ["/opt", "/usr/local", "/var", "/srv", "/snap"];
        let at_home = |home: &Path| {
            [".local", ".config", ".cache", ".local/share"]
                .iter()
                .any(|folder| holds(&home.join(folder)))
        };
        !holds(self.request.workspace)
            && !self.home.is_some_and(|home| holds(home) || at_home(home))
            && !shared.iter().any(|shared| holds(Path::new(shared)))
    }

    /// A virtual environment of Python runs the interpreter that it was made from.
    fn add_environment(&mut self, bin: &Path) {
        let Some(root) = bin.parent() else { return };
        let Ok(text) = fs::read_to_string(root.join("pyvenv.cfg")) else {
            return;
        };
        self.add_root(root.to_owned());
        let base = text.lines().find_map(|line| {
            let (key, value) = line.split_once('=')?;
            (key.trim() == "home").then(|| PathBuf::from(value.trim()))
        });
        if let Some(base) = base.filter(|base| base.is_absolute())
            && let Ok(python) = real::real(&base.join("python3"))
        {
            self.add_home_of(&python);
        }
    }

    /// Adds the managers whose shims or versions were found.
    fn add_managers(&mut self) {
        for (folder, variable, tools) in MANAGERS {
            if !tools.iter().any(|tool| self.tools.contains(tool)) {
                continue;
            }
            let named = self.request.caller.variable(variable).map(PathBuf::from);
            let usual = || self.home.map(|home| home.join(folder));
            let place = named.filter(|path| path.is_absolute()).or_else(usual);
            let Some(place) = place.and_then(|place| real::real(&place).ok()) else {
                continue;
            };
            // Rustup's proxies lie beside cargo; all others have what is on PATH inside.
            let needed = folder == ".rustup" || self.is_used(&place);
            if place.is_dir() && needed && self.is_narrow(&place) && self.add_root(place.clone()) {
                self.set(variable, &place);
            }
        }
    }

    /// Whether an entry of PATH, or a program that it leads to, lies in a directory.
    fn is_used(&self, directory: &Path) -> bool {
        let places = self.places.iter().map(|(_, real)| real);
        let mut all = places.chain(&self.roots);
        all.any(|place| place.starts_with(directory))
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
            if !place.is_absolute() || !real.join(program).is_file() {
                continue;
            }
            if is_system(&real) || (self.is_narrow(&real) && self.add_root(real.clone())) {
                self.set(variable, &real);
            }
        }
    }

    /// Makes a directory readable, unless it is there anyway or denied.
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

    fn set(&mut self, variable: &str, path: &Path) {
        if let Some(text) = path.to_str() {
            self.variables.insert(variable.to_owned(), text.to_owned());
        }
    }
}
