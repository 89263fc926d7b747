//! Where a script may run, and what it may never name.

use std::path::{Component, Path, PathBuf};

use super::Scripts;
use super::action::BashRun;
use crate::base::real::real;
use crate::model::error::script::ScriptError;
use crate::model::script::Destinations;
use crate::model::script::Script;

/// Where a run was told to work.
#[derive(Debug)]
pub(super) enum Told {
    /// In what the script declares: a path, or `.` for wherever it is run in the workspace.
    Declared(PathBuf),
    /// In the workspace, of which it does not declare this.
    Closed(PathBuf),
}

impl Scripts<'_> {
    /// Where a run works if it was told where. A call opens nothing that the script does not
    /// declare: where it does not declare the directory, that is empty but for what it declares.
    /// All of it is compared as it really is.
    pub(super) fn directory(
        &self,
        action: &BashRun,
        script: &Script,
        reach: &Destinations,
    ) -> Result<Option<Told>, ScriptError> {
        let Some(wanted) = &action.working_directory else {
            return Ok(None);
        };
        let path = || wanted.chars().take(200).collect::<String>();
        let settings = self.settings();
        let named = settings.workspace.as_deref().unwrap_or(Path::new("."));
        let missing = |_| ScriptError::NoDirectory { path: path() };
        let workspace = real(named).map_err(missing)?;
        let expanded = crate::request::script::destinations::expanded(settings, wanted);
        let expanded = expanded.unwrap_or_else(|| workspace.join(wanted));
        let real = real(&expanded).map_err(missing)?;
        if !real.is_dir() {
            return Err(ScriptError::NoDirectory { path: path() });
        }
        let capabilities = &script.capabilities;
        let paths = || capabilities.paths_read.iter();
        let paths = || paths().chain(&capabilities.paths_write);
        let leads_around = |path: &&String| reach.get(*path).filter(|at| real.starts_with(at));
        let around = paths().find_map(|path| leads_around(&path)).cloned();
        // No caller said that the home is a workspace, only that a process was started there.
        let is_meant = settings.workspace.is_some()
            || (workspace.parent().is_some() && Some(&workspace) != settings.home().as_ref());
        let inside = is_meant && real.starts_with(&workspace);
        let here = inside && paths().any(|path| path == ".");
        let root = if here { Some(workspace) } else { around };
        match root {
            Some(root) if is_closed(&real, &root) => {
                Err(ScriptError::ClosedDirectory { path: path() })
            }
            Some(_) => Ok(Some(Told::Declared(real))),
            None if inside => Ok(Some(Told::Closed(real))),
            None => Err(ScriptError::Directory { path: path() }),
        }
    }

    /// Bashful's own directories are not to be seen by scripts, also not by one that names them.
    pub(super) fn check_apart(&self, reach: &Destinations) -> Result<(), ScriptError> {
        if reach.is_empty() {
            return Ok(());
        }
        let settings = self.settings();
        let places = &settings.places;
        let own = [&places.state, &places.runtime, &places.cache].map(PathBuf::clone);
        let own = own.into_iter().chain(settings.configuration());
        let own: Vec<PathBuf> = own.filter_map(|own| real(&own).ok()).collect();
        let inside = |(_, real): &(&String, &PathBuf)| own.iter().any(|own| real.starts_with(own));
        if let Some((path, _)) = reach.iter().find(inside) {
            let path = path.escape_debug();
            let detail = format!("`{path}` is Bashful's own, and hidden from scripts");
            return Err(ScriptError::Capabilities { detail });
        }
        Ok(())
    }
}

/// Whether a directory below a root is one of those that are hidden or protected there: as a root
/// of its own it would be open. All of them have names with a dot, but for the hooks of a bare
/// repository.
fn is_closed(directory: &Path, root: &Path) -> bool {
    let below = directory.strip_prefix(root).unwrap_or(directory);
    let dotted = |part: Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
    let above = directory
        .ancestors()
        .take_while(|above| above.starts_with(root) && *above != root);
    let is_hooks = |place: &Path| {
        let repository = place
            .parent()
            .is_some_and(|above| above.join("HEAD").exists());
        place.ends_with("hooks") && repository
    };
    below.components().any(dotted) || above.into_iter().any(is_hooks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_or_protected_below_a_root_is_no_place_to_work() {
        let house = tempfile::tempdir().unwrap();
        let root = house.path();
        for directory in ["bare/hooks/x", "plain/hooks"] {
            std::fs::create_dir_all(root.join(directory)).unwrap();
        }
        std::fs::write(root.join("bare/HEAD"), "").unwrap();
        for (directory, closed) in [
            ("", false),
            ("a/b", false),
            ("plain/hooks", false),
            (".git/hooks", true),
            ("a/.ssh", true),
            (".vscode", true),
            ("bare/hooks", true),
            ("bare/hooks/x", true),
            ("bare", false),
        ] {
            assert_eq!(
                is_closed(&root.join(directory), root),
                closed,
                "{directory}"
            );
        }
    }
}
