//! Managed scripts from the command line: made, approved, run, changed, carried and deleted.

mod actions;
mod approval;
mod bad_input;
mod carry;
mod editor;
mod examples;
mod files;
mod keeping;
mod looking;
mod stale;
mod tools;
mod versions;
mod words;

use std::path::PathBuf;

use serde_json::Value;

use crate::support::{Outcome, Running, World};

impl World {
    /// `bashful scripts` with these arguments, and this on its standard input.
    fn scripts_with(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Outcome {
        let command = self.bashful(&[&["scripts"], arguments].concat());
        Running::start_with_input(command, input.as_ref())
            .end()
            .outcome()
    }

    /// `bashful scripts` with these arguments.
    fn scripts(&self, arguments: &[&str]) -> Outcome {
        self.call(&[&["scripts"], arguments].concat())
    }

    /// The same with `--json`: what is told, if it went well.
    fn told(&self, arguments: &[&str]) -> Value {
        let (code, told) = self.scripts(&[arguments, &["--json"]].concat()).json();
        assert_eq!(code, 0, "{told}");
        told
    }

    /// Makes a script with these flags.
    fn keeps(&self, name: &str, text: &str, flags: &[&str]) -> Value {
        let arguments = [&["create", "--name", name, "--json"], flags, &["-"]].concat();
        let (code, told) = self.scripts_with(&arguments, text).json();
        assert_eq!(code, 0, "{told}");
        told["script"].clone()
    }

    /// Makes a script that is approved.
    fn keeps_approved(&self, name: &str, text: &str, flags: &[&str]) -> Value {
        let script = self.keeps(name, text, flags);
        let told = self.told(&["approve", name, "--yes"]);
        assert_eq!(told["script"]["approved"], true, "{told}");
        script
    }

    /// The file of a script.
    fn script_file(&self, script: &Value) -> PathBuf {
        let id = script["id"].as_str().unwrap();
        self.path("config/bashful/scripts").join(format!("{id}.sh"))
    }
}
