//! What was done to which file, on record, so that exactly this can be undone.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use bashful_engine::Places;
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use super::edit::{Kind, Step};

/// The version of the file.
const VERSION: u32 = 1;

/// All receipts of a user.
#[derive(Debug)]
pub(crate) struct Receipts {
    path: PathBuf,
    held: Held,
}

#[derive(Debug, Serialize, Deserialize)]
struct Held {
    v: u32,
    files: BTreeMap<String, Receipt>,
}

/// What was done to one file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Receipt {
    /// Whether the file was not there before.
    #[serde(default)]
    pub(crate) created: bool,
    pub(crate) steps: Vec<Step>,
}

impl Receipts {
    pub(crate) fn load(places: &Places) -> anyhow::Result<Self> {
        let path = places.state.join("clients.json");
        let held = match read(&path) {
            Ok(text) => serde_json::from_slice(&text)
                .ok()
                .filter(|held: &Held| held.v == VERSION)
                .with_context(|| format!("cannot understand `{}`", path.display()))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Held {
                v: VERSION,
                files: BTreeMap::new(),
            },
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read `{}`", path.display()));
            }
        };
        Ok(Self { path, held })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.held.files.is_empty()
    }

    pub(crate) fn of(&self, file: &Path) -> Option<&Receipt> {
        self.held.files.get(&*file.to_string_lossy())
    }

    /// Adds what was just done to a file. What the first of several set-ups found is what counts.
    pub(crate) fn add(&mut self, file: &Path, new: Receipt) {
        let name = file.to_string_lossy().into_owned();
        let receipt = self.held.files.entry(name).or_default();
        receipt.created |= new.created;
        for step in new.steps {
            let same = |old: &&mut Step| {
                old.at == step.at && old.kind == step.kind && is_same_thing(old, &step)
            };
            match receipt.steps.iter_mut().find(same) {
                Some(old) => old.set = step.set,
                None => receipt.steps.push(step),
            }
        }
    }

    pub(crate) fn forget(&mut self, file: &Path) {
        self.held.files.remove(&*file.to_string_lossy());
    }

    pub(crate) fn save(&self) -> anyhow::Result<()> {
        let write = || -> io::Result<()> {
            let directory = self.path.parent().unwrap_or(&self.path);
            let mut builder = fs::DirBuilder::new();
            builder.recursive(true).mode(0o700).create(directory)?;
            let new = self
                .path
                .with_extension(format!("new-{}", std::process::id()));
            let mut file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&new)?;
            let text = serde_json::to_vec_pretty(&self.held)?;
            let done = file.write_all(&text).and_then(|()| file.sync_all());
            let done = done.and_then(|()| fs::rename(&new, &self.path));
            if done.is_err() {
                // Nothing half-written stays.
                let _ = fs::remove_file(&new);
            }
            done
        };
        write().with_context(|| format!("cannot write `{}`", self.path.display()))
    }
}

/// Items of a list stand beside each other; of all else there is one.
fn is_same_thing(old: &Step, new: &Step) -> bool {
    old.kind != Kind::Item || old.set == new.set
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    use io::Read as _;
    let flags = OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(i32::try_from(flags.bits()).unwrap_or_default())
        .open(path)?;
    let mut bytes = Vec::new();
    file.take(16 << 20).read_to_end(&mut bytes)?;
    Ok(bytes)
}
