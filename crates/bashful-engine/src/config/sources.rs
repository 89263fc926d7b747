//! Which files are looked for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The admin file.
pub const ADMIN_FILE: &str = "/etc/bashful/config.toml";

/// The name of the project file in its workspace.
pub const PROJECT_FILE: &str = ".bashful.toml";

/// The user file, below the configuration directory.
const USER_FILE: &str = "bashful/config.toml";

/// The files to read. A file that does not exist is no error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sources {
    /// The admin file.
    pub admin: PathBuf,
    /// Who may own the admin file.
    pub admin_owner: AdminOwner,
    /// The user file, if there is a place for one.
    pub user: Option<PathBuf>,
    /// The project file, if there is a workspace.
    pub project: Option<PathBuf>,
}

/// Who may own the admin file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AdminOwner {
    /// Only root: an admin file that its subject can write is none.
    Root,
    /// Root or the user who runs this process, for tests that bring an admin file of their own.
    RootOrSelf,
}

/// What the environment says about directories; see [`env`](super::env) for the names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lookups {
    /// The value of `XDG_CONFIG_HOME`.
    pub xdg_config_home: Option<OsString>,
    /// The value of `HOME`.
    pub home: Option<OsString>,
}

impl Sources {
    /// The usual files for a workspace.
    pub fn standard(lookups: &Lookups, workspace: &Path) -> Self {
        // The base directory specification says to ignore relative paths. For us they would
        // also make the user file depend on the current directory, which an agent may choose.
        let absolute = |value: &Option<OsString>| {
            value
                .as_ref()
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let directory = absolute(&lookups.xdg_config_home)
            .or_else(|| absolute(&lookups.home).map(|home| home.join(".config")));
        Self {
            admin: PathBuf::from(ADMIN_FILE),
            admin_owner: AdminOwner::Root,
            user: directory.map(|directory| directory.join(USER_FILE)),
            project: Some(workspace.join(PROJECT_FILE)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_file_follows_the_environment() {
        let cases = [
            (Some("/x"), Some("/home/me"), Some("/x/bashful/config.toml")),
            (
                None,
                Some("/home/me"),
                Some("/home/me/.config/bashful/config.toml"),
            ),
            (
                Some(""),
                Some("/home/me"),
                Some("/home/me/.config/bashful/config.toml"),
            ),
            (
                Some("rel"),
                Some("/home/me"),
                Some("/home/me/.config/bashful/config.toml"),
            ),
            (None, Some("rel"), None),
            (None, Some(""), None),
            (None, None, None),
        ];
        for (xdg, home, expected) in cases {
            let lookups = Lookups {
                xdg_config_home: xdg.map(OsString::from),
                home: home.map(OsString::from),
            };
            let expected = Sources {
                admin: PathBuf::from("/etc/bashful/config.toml"),
                admin_owner: AdminOwner::Root,
                user: expected.map(PathBuf::from),
                project: Some(PathBuf::from("/w/.bashful.toml")),
            };
            assert_eq!(Sources::standard(&lookups, Path::new("/w")), expected);
        }
    }
}
