//! Paths as scripts declare them, and whether there is anything at their ends.

use std::path::{Path, PathBuf};

use bashful_policy::Capabilities;

use crate::base::programs::is_executable;
use crate::base::programs::on_path;
use crate::model::script::finding::{ScriptFinding, Severity};
use crate::request::settings::Settings;

/// The home that `~` stands for.
#[derive(Debug, Clone)]
pub(super) struct Home(Option<PathBuf>);

impl Home {
    pub(super) fn of(settings: &Settings) -> Self {
        let home = settings.environment.get("HOME").map(PathBuf::from);
        Self(home.filter(|home| home.is_absolute()))
    }

    pub(super) fn text(&self) -> Option<String> {
        self.0.as_deref().and_then(Path::to_str).map(str::to_owned)
    }

    /// Where a declared path is; none for one that is relative to wherever the script runs.
    pub(super) fn absolute(&self, path: &str) -> Option<PathBuf> {
        match (path.strip_prefix('~'), &self.0) {
            (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
                Some(home.join(rest.trim_start_matches('/')))
            }
            (Some(_), _) => None,
            (None, _) => path.starts_with('/').then(|| PathBuf::from(path)),
        }
    }

    /// Whether one path is, or lies below, another, however both are written.
    pub(super) fn is_within(&self, path: &str, root: &str) -> bool {
        let plain = |path: &str| {
            let whole = self.absolute(path).unwrap_or_else(|| PathBuf::from(path));
            whole.components().collect::<PathBuf>()
        };
        plain(path).starts_with(plain(root))
    }

    /// The path itself if it exists, else the directory that it would be made in. A home or a
    /// root as a whole is not proposed.
    pub(super) fn existing(&self, path: &str) -> String {
        let Some(whole) = self.absolute(path) else {
            return path.to_owned();
        };
        let trimmed = path.trim_end_matches('/');
        let parent = trimmed.rsplit_once('/').map_or("", |(parent, _)| parent);
        let is_great = matches!(parent, "" | "~") || self.absolute(parent) == self.0;
        if !whole.exists() && !is_great && self.absolute(parent).is_some_and(|it| it.is_dir()) {
            return parent.to_owned();
        }
        if trimmed.is_empty() { path } else { trimmed }.to_owned()
    }
}

/// What a script declares and cannot have.
pub(super) fn impossible(settings: &Settings, declared: &Capabilities) -> Vec<ScriptFinding> {
    let home = Home::of(settings);
    let mut findings = Vec::new();
    let mut tell = |code: &str, message: String| {
        findings.push(ScriptFinding::own(Severity::Error, code, message));
    };
    let places = &settings.places;
    let own = [
        settings.configuration(),
        Some(places.state.clone()),
        Some(places.runtime.clone()),
        Some(places.cache.clone()),
    ];
    let own: Vec<PathBuf> = own
        .into_iter()
        .flatten()
        .map(|path| path.canonicalize().unwrap_or(path))
        .collect();
    let reads = declared.paths_read.iter().map(|path| ("paths_read", path));
    let writes = declared
        .paths_write
        .iter()
        .map(|path| ("paths_write", path));
    for (key, path) in reads.chain(writes) {
        let Some(whole) = home.absolute(path) else {
            continue;
        };
        let Ok(real) = whole.canonicalize() else {
            let way = match key {
                "paths_read" => "make it first",
                _ => "make it first, or declare the directory that it will be in",
            };
            tell(
                "missing-path",
                format!(
                    "declares `{path}` in `{key}`, which does not exist, so it will not run: {way}"
                ),
            );
            continue;
        };
        if own.iter().any(|own| real.starts_with(own)) {
            tell(
                "own-path",
                format!("declares `{path}` in `{key}`, which is Bashful's own: it will not run"),
            );
        }
    }
    for command in declared.commands.iter().flatten() {
        let there = if command.contains('/') {
            is_executable(Path::new(command))
        } else {
            let mut found = on_path(command, settings.path()).into_iter();
            found.any(|one| is_executable(&one))
        };
        if !there && !command.is_empty() {
            tell(
                "missing-command",
                format!("declares the program `{command}`, which was not found: it will not run"),
            );
        }
    }
    findings
}
