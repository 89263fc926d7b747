//! Directories: where `cd` and its kin lead.

use crate::facts::Argument;
use crate::facts::state::{State, Value};
use crate::facts::walk::Walker;
use crate::places::normal;

impl Walker<'_> {
    /// Follows `cd`, `pushd` and `popd`; returns the state after a failure.
    pub(super) fn change_place(
        &mut self,
        name: &str,
        operands: &[Argument],
        state: &mut State,
    ) -> State {
        let before = state.clone();
        match name {
            "popd" => {
                let there = state.pushed.pop().unwrap_or_default();
                state.go(there);
            }
            "pushd" => {
                let here = state.directories.clone();
                self.change_directory(cd_target(operands), state);
                state.pushed.push(here);
            }
            _ => self.change_directory(cd_target(operands), state),
        }
        let physical = |word: &Argument| {
            let text = word.known();
            text.starts_with('-') && !text.starts_with("--") && text.contains('P')
        };
        if operands.iter().any(physical) {
            // It follows links, and the text does not show what `..` is then.
            state.go(Vec::new());
        }
        before
    }

    fn change_directory(&mut self, target: Target<'_>, state: &mut State) {
        let places = match target {
            Target::Home => self.home.map(str::to_owned).into_iter().collect(),
            Target::Previous => state.previous(),
            Target::Path(path) if path.is_literal() && !path.text.is_empty() => {
                // With a search path, a relative name can lead elsewhere.
                let path_to = state.variable("CDPATH");
                let searched = path_to.is_some_and(|value| *value != Value::empty());
                if path.text.starts_with('/') {
                    vec![normal(&path.text)]
                } else if searched {
                    Vec::new()
                } else {
                    let here = state.directories.iter();
                    here.map(|here| normal(&format!("{here}/{}", path.text)))
                        .collect()
                }
            }
            Target::Path(_) => Vec::new(),
        };
        state.go(places);
    }
}

/// Where `cd` goes.
#[derive(Debug, Clone, Copy)]
enum Target<'a> {
    Home,
    Previous,
    Path(&'a Argument),
}

fn cd_target(operands: &[Argument]) -> Target<'_> {
    let option = |word: &&Argument| {
        let text = word.known();
        text.starts_with('-') && text.len() > 1 && word.is_known()
    };
    match operands.iter().find(|word| !option(word)) {
        None => Target::Home,
        Some(word) if word.text == "-" => Target::Previous,
        Some(word) => Target::Path(word),
    }
}
