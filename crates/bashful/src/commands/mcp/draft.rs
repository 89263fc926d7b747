//! Changes to a client's files that no person has agreed to yet.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::clients::{
    Document, FileEdit, FileError, Format, Found, Misfit, Reach, Receipt, Receipts, Step,
    TakenBack, UserEnvironment, Written, holds, make, parse, read, take_back, write,
};
use crate::errors::UsageError;
use crate::prompt::now_ms;

/// The files of one client, as they are and as they would be.
pub(super) struct Draft<'a> {
    user: &'a UserEnvironment,
    reach: Reach,
    files: Vec<Working>,
}

/// One file, and what it would become.
struct Working {
    named: PathBuf,
    found: Found,
    /// What it would hold; none if it would not be there.
    text: Option<String>,
    steps: Vec<Step>,
}

/// What one part of a change does to one file.
pub(super) struct Part {
    pub(super) path: String,
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
}

/// Where a draft stood, to go back to.
pub(super) struct Mark(Vec<(PathBuf, Option<String>, usize)>);

impl<'a> Draft<'a> {
    pub(super) fn new(user: &'a UserEnvironment, reach: Reach) -> Self {
        Self {
            user,
            reach,
            files: Vec::new(),
        }
    }

    /// Makes changes hold in a file; says what that does to it, if anything.
    pub(super) fn make(&mut self, edit: &FileEdit) -> anyhow::Result<Option<Part>> {
        let part = self.change(&edit.path, edit.format, |document, steps| {
            for change in &edit.changes {
                steps.extend(make(document, change)?);
            }
            Ok(!steps.is_empty())
        })?;
        // Read again as the client will read it: what was asked for must be there.
        if let Some(after) = part.as_ref().and_then(|part| part.after.as_deref()) {
            let document = parse(edit.format, after).context("the new file cannot be read")?;
            for change in &edit.changes {
                let holds = holds(&*document, change).context("the new file does not hold it")?;
                anyhow::ensure!(holds, "the new file does not hold what it should");
            }
        }
        Ok(part)
    }

    /// Takes steps back, the last one first. What a person changed since is told and left.
    pub(super) fn take_back(
        &mut self,
        edit: &FileEdit,
        receipt: &Receipt,
        left: &mut Vec<String>,
    ) -> anyhow::Result<Option<Part>> {
        let part = self.change(&edit.path, edit.format, |document, _| {
            let mut changed = false;
            for step in receipt.steps.iter().rev() {
                match take_back(document, step)? {
                    TakenBack::Done => changed = true,
                    TakenBack::Gone => {}
                    TakenBack::Changed => {
                        let at = step.at.join(".");
                        left.push(format!("`{at}` was changed since then, so it stays."));
                    }
                }
            }
            Ok(changed)
        })?;
        let Some(mut part) = part else {
            return Ok(None);
        };
        let working = self.working(&edit.path)?;
        if receipt.created && is_empty(edit.format, part.after.as_deref()) {
            working.text = None;
            part.after = None;
        }
        Ok(Some(part))
    }

    fn change(
        &mut self,
        path: &Path,
        format: Format,
        act: impl FnOnce(&mut dyn Document, &mut Vec<Step>) -> Result<bool, Misfit>,
    ) -> anyhow::Result<Option<Part>> {
        let working = self.working(path)?;
        let shown = working.found.path.display().to_string();
        let misread = |error: &dyn std::fmt::Display| {
            UsageError(format!(
                "cannot use `{shown}`: {error}; it was left as it is"
            ))
        };
        let text = working.text.clone().unwrap_or_default();
        let mut document = parse(format, &text).map_err(|error| misread(&error))?;
        let mut steps = Vec::new();
        if !act(&mut *document, &mut steps).map_err(|error| misread(&error))? {
            return Ok(None);
        }
        let after = document.text();
        let before = working.text.replace(after.clone());
        working.steps.extend(steps);
        Ok(Some(Part {
            path: shown,
            before,
            after: Some(after),
        }))
    }

    fn working(&mut self, path: &Path) -> anyhow::Result<&mut Working> {
        let known = self.files.iter().position(|it| it.named == path);
        let index = known.unwrap_or(self.files.len());
        if known.is_none() {
            let found = read(path, self.reach, &self.user.project).map_err(mistake)?;
            self.files.push(Working {
                named: path.to_owned(),
                text: found.text.clone(),
                found,
                steps: Vec::new(),
            });
        }
        self.files.get_mut(index).context("a file got lost")
    }

    /// Where a file really is.
    pub(super) fn real_path(&mut self, path: &Path) -> anyhow::Result<PathBuf> {
        Ok(self.working(path)?.found.path.clone())
    }

    pub(super) fn mark(&self) -> Mark {
        let files = self.files.iter();
        Mark(
            files
                .map(|it| (it.named.clone(), it.text.clone(), it.steps.len()))
                .collect(),
        )
    }

    /// Forgets what was done since.
    pub(super) fn back_to(&mut self, mark: &Mark) {
        for file in &mut self.files {
            let marked = mark.0.iter().find(|(named, ..)| *named == file.named);
            let (text, steps) = marked.map_or_else(
                || (file.found.text.clone(), 0),
                |(_, text, steps)| (text.clone(), *steps),
            );
            file.text = text;
            file.steps.truncate(steps);
        }
    }

    /// Writes all that changed, and puts it on record.
    pub(super) fn write(self, receipts: &mut Receipts, note: Note) -> anyhow::Result<Vec<Written>> {
        let mut written = Vec::new();
        for file in self.files {
            if file.text == file.found.text {
                continue;
            }
            // On record first: what is recorded and not there is found to be gone; what is there
            // and not recorded could not be taken back.
            if note == Note::Done {
                let created = file.found.text.is_none();
                let steps = file.steps;
                receipts.add(&file.found.path, Receipt { created, steps });
                receipts.save()?;
            }
            written.push(write(&file.found, file.text.as_deref(), now_ms())?);
            if note == Note::Undone {
                receipts.forget(&file.found.path);
                receipts.save()?;
            }
        }
        Ok(written)
    }
}

/// A file that is not as it should be is no fault of ours.
fn mistake(error: FileError) -> anyhow::Error {
    match error {
        FileError::Odd(..) => UsageError(error.to_string()).into(),
        FileError::System(..) => error.into(),
    }
}

/// What the record says about what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Note {
    Done,
    Undone,
}

/// Whether nothing is left in a file that was made by us.
fn is_empty(format: Format, text: Option<&str>) -> bool {
    let text: String = text.unwrap_or_default().split_whitespace().collect();
    match format {
        Format::Json | Format::JsonWithComments => text.is_empty() || text == "{}",
        Format::Toml => text.is_empty(),
    }
}
