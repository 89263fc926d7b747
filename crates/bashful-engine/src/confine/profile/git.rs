//! Which of a workspace's files the person's own git obeys, and where that is written.

use std::fs;
use std::path::PathBuf;

use bashful_sandbox::obeyed_by_git;

use super::ConfineRequest;

/// What git obeys, and the files that say so.
#[derive(Debug, Default)]
pub(super) struct GitObeys {
    /// Where the person's own git looks for hooks in every work tree, and what it includes.
    pub(super) paths: Vec<PathBuf>,
    /// The person's own configuration, the workspace's `.git`, and all that these name.
    pub(super) own: Vec<PathBuf>,
    /// The configurations of repositories around the workspace.
    pub(super) around: Vec<PathBuf>,
}

impl GitObeys {
    pub(super) fn find(request: &ConfineRequest<'_>) -> Self {
        let variable = |name| request.caller.variable(name).map(PathBuf::from);
        let home = request.real_home;
        let settings = variable("XDG_CONFIG_HOME").or_else(|| Some(home?.join(".config")));
        let global = variable("GIT_CONFIG_GLOBAL").map_or_else(
            || {
                let usual = settings.map(|settings| settings.join("git/config"));
                usual
                    .into_iter()
                    .chain(home.map(|home| home.join(".gitconfig")))
                    .collect()
            },
            |named| vec![named],
        );
        let system = variable("GIT_CONFIG_SYSTEM").unwrap_or_else(|| "/etc/gitconfig".into());
        let mut own: Vec<PathBuf> = global.into_iter().chain([system]).collect();
        let mut paths = obeyed_by_git(&own, home);
        // A worktree may have a configuration of its own, elsewhere.
        let dot_git = request.workspace.join(".git");
        let text = fs::read_to_string(&dot_git).unwrap_or_default();
        own.push(dot_git);
        if let Some(named) = text.strip_prefix("gitdir:") {
            let worktree = request.workspace.join(named.trim()).join("config.worktree");
            paths.extend(obeyed_by_git(std::slice::from_ref(&worktree), home));
            own.push(worktree);
        }
        // What is included may include more.
        own.extend(paths.iter().filter(|path| path.is_absolute()).cloned());
        // A repository around the workspace may look for hooks in it.
        let mut around = Vec::new();
        for above in request.workspace.ancestors().skip(1) {
            let config = above.join(".git/config");
            let named = obeyed_by_git(std::slice::from_ref(&config), home);
            around.push(config);
            let named = named.iter().map(|path| above.join(path));
            let from = paths.len();
            paths.extend(named);
            around.extend(paths.iter().skip(from).cloned());
        }
        Self { paths, own, around }
    }
}
