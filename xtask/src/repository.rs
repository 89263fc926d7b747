//! Where the repository and its build output are, and which files belong to it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process;

/// The checkout that this chore works on.
pub(crate) struct Repository {
    root: PathBuf,
    /// Where it must build to, whatever the environment says.
    own_target: Option<PathBuf>,
}

impl Repository {
    /// The workspace that holds the manifest of this very program.
    pub(crate) fn locate() -> Result<Self> {
        let manifest_directory = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest_directory
            .parent()
            .context("the manifest of xtask has no parent directory")?;
        Ok(Self {
            root: root.to_path_buf(),
            own_target: None,
        })
    }

    /// Another checkout, with a target directory inside: it must not build over ours.
    pub(crate) fn elsewhere(root: PathBuf) -> Self {
        let own_target = Some(root.join("target"));
        Self { root, own_target }
    }

    pub(crate) fn own_target(&self) -> Option<&Path> {
        self.own_target.as_deref()
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Where cargo builds to. Cargo itself is asked, as the environment and four files may say.
    pub(crate) fn target_directory(&self) -> Result<PathBuf> {
        let arguments = ["metadata", "--no-deps", "--format-version=1"];
        let metadata = process::stdout_of(process::cargo(self).args(arguments))?;
        string_field(&metadata, "target_directory")
            .map(PathBuf::from)
            .context("`cargo metadata` names no target directory")
    }

    /// Paths relative to the root, sorted: what git would track, or every file when git cannot say.
    pub(crate) fn files(&self) -> Result<Vec<String>> {
        let mut files = match self.files_by_git() {
            Some(files) => files,
            None => self.files_by_walking()?,
        };
        // Git also lists files that were deleted but not yet committed.
        files.retain(|file| self.root.join(file).is_file());
        files.sort();
        files.dedup();
        Ok(files)
    }

    fn files_by_git(&self) -> Option<Vec<String>> {
        // Asking for `.git` here keeps an export inside another repository from being judged by it.
        if !self.root.join(".git").exists() {
            return None;
        }
        let output = Command::new("git")
            .current_dir(&self.root)
            .args(["ls-files", "-z", "--cached", "--others"])
            .arg("--exclude-standard")
            .output()
            .ok()?;
        let list = String::from_utf8(output.stdout).ok()?;
        let names = list.split('\0').filter(|name| !name.is_empty());
        let files: Vec<String> = names.map(str::to_owned).collect();
        (output.status.success() && !files.is_empty()).then_some(files)
    }

    fn files_by_walking(&self) -> Result<Vec<String>> {
        let mut files = Vec::new();
        let mut directories = vec![self.root.clone()];
        while let Some(directory) = directories.pop() {
            let entries = std::fs::read_dir(&directory)
                .with_context(|| format!("cannot read `{}`", directory.display()))?;
            for entry in entries {
                let entry = entry?;
                let path = entry.path();
                if entry.file_type()?.is_dir() {
                    let name = entry.file_name();
                    if name != ".git" && name != "target" {
                        directories.push(path);
                    }
                } else if let Some(name) = path.strip_prefix(&self.root)?.to_str() {
                    files.push(name.to_owned());
                }
            }
        }
        Ok(files)
    }
}

pub(crate) fn has_extension(file: &str, extension: &str) -> bool {
    Path::new(file)
        .extension()
        .is_some_and(|it| it == extension)
}

/// The first string under this key in a JSON text. Cargo's messages need no more, and a JSON crate
/// would be compiled before the first chore can start.
pub(crate) fn string_field(json: &str, key: &str) -> Option<String> {
    let (_, rest) = json.split_once(&format!("\"{key}\":\""))?;
    let mut value = String::new();
    let mut characters = rest.chars();
    loop {
        match characters.next()? {
            '"' => return Some(value),
            '\\' => match characters.next()? {
                escaped @ ('"' | '\\' | '/') => value.push(escaped),
                // No path of ours holds a control character; better no answer than a wrong one.
                _ => return None,
            },
            other => value.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_string_field() {
        let json = r#"{"reason":"x","executable":"/a \"b\"/c","filenames":[]}"#;
        assert_eq!(
            string_field(json, "executable").as_deref(),
            Some(r#"/a "b"/c"#)
        );
        assert_eq!(string_field(json, "target_directory"), None);
        assert_eq!(string_field(r#"{"executable":null}"#, "executable"), None);
    }

    #[test]
    fn git_and_walking_agree_on_our_own_sources() {
        let repository = Repository::locate().unwrap();
        let own = "xtask/src/repository.rs".to_owned();
        assert!(repository.files().unwrap().contains(&own));
        assert!(repository.files_by_walking().unwrap().contains(&own));
    }
}
