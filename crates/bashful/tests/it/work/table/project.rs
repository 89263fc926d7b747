//! A project of the table, as new for each command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::line::{is_there, repository};
use super::person::Person;

/// A folder with the project and what lies beside it.
pub(super) struct Project {
    folder: PathBuf,
    /// The same as it was made, kept elsewhere.
    kept: PathBuf,
    name: String,
}

impl Project {
    /// What its script makes, or why it cannot be made here.
    pub(super) fn make(person: &Person, name: &str) -> Result<Self, String> {
        let script = repository().join(format!("tests/work/projects/{name}.sh"));
        let text = fs::read_to_string(&script).unwrap();
        let needs = text.lines().find_map(|line| line.strip_prefix("# Needs: "));
        for program in needs.unwrap_or_default().split_whitespace() {
            if !is_there(program) && !person.has_tool(program) {
                return Err(format!("this host has no `{program}` for this user"));
            }
        }
        let project = Self {
            folder: person.home().join("src").join(name),
            kept: person.home().with_file_name("kept").join(name),
            name: name.to_owned(),
        };
        fs::create_dir_all(project.place()).unwrap();
        let mut command = person.program("bash");
        command.args(["-e", "-o", "pipefail"]).arg(&script);
        let output = command.current_dir(project.place()).output().unwrap();
        assert!(output.status.success(), "{name}: {output:?}");
        copy(&project.folder, &project.kept);
        Ok(project)
    }

    /// Where its commands run.
    pub(super) fn place(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// Makes it what it was.
    pub(super) fn renew(&self) {
        // What a run has held back or closed is the owner's to remove.
        let _ = Command::new("chmod")
            .arg("-R")
            .arg("u+rwx")
            .arg(&self.folder)
            .output();
        fs::remove_dir_all(&self.folder).unwrap();
        copy(&self.kept, &self.folder);
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    let output = Command::new("cp")
        .arg("-a")
        .arg(from)
        .arg(to)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}
