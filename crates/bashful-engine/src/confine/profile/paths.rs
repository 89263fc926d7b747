//! Paths as people write them, resolved once: `~`, patterns, symbolic links.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::glob;
use crate::base::real;
use crate::model::error::confine::ConfineError;

/// The most paths of one run, patterns spelled out.
pub(super) const MOST_PATHS: usize = 256;

/// The most entries that are looked at for the patterns of one run.
const MOST_ENTRIES: usize = 20_000;

/// A path as written and as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    /// As its author wrote it, for messages.
    pub(super) written: String,
    /// Absolute and canonical.
    pub(super) path: PathBuf,
}

/// Resolves the paths of one run.
#[derive(Debug)]
pub(super) struct Resolver<'a> {
    workspace: &'a Path,
    home: Option<&'a Path>,
    /// Paths that a person saw as they stand, so that they may lead nowhere else.
    as_seen: &'a [String],
    paths: usize,
    entries: usize,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(workspace: &'a Path, home: Option<&'a Path>) -> Self {
        Self {
            workspace,
            home,
            as_seen: &[],
            paths: 0,
            entries: 0,
        }
    }

    /// Refuses to follow these.
    pub(super) fn not_following(mut self, paths: &'a [String]) -> Self {
        self.as_seen = paths;
        self
    }

    /// The existing, canonical paths that the entries of a capability name.
    pub(super) fn resolve(
        &mut self,
        key: &'static str,
        entries: &[String],
    ) -> Result<Vec<Named>, ConfineError> {
        let mut all = Vec::new();
        for written in entries {
            let found = self.one(key, written)?;
            self.paths += found.len();
            if self.paths > MOST_PATHS {
                return Err(ConfineError::TooMany {
                    what: "paths",
                    limit: MOST_PATHS,
                });
            }
            for path in found {
                check_text(&path)?;
                let written = written.clone();
                all.push(Named { written, path });
            }
        }
        Ok(all)
    }

    fn one(&mut self, key: &'static str, written: &str) -> Result<Vec<PathBuf>, ConfineError> {
        if written.is_empty() {
            return Err(ConfineError::EmptyPath { key });
        }
        if written.chars().any(char::is_control) {
            return Err(ConfineError::ControlCharacter {
                path: written.to_owned(),
            });
        }
        // The workspace is canonical already; most runs name nothing else.
        if written == "." {
            return Ok(vec![self.workspace.to_owned()]);
        }
        let path = self.absolute(key, written)?;
        match real::real(&path) {
            Ok(real) if real != path && self.as_seen.iter().any(|seen| seen == written) => {
                Err(ConfineError::LeadsElsewhere {
                    key,
                    written: written.to_owned(),
                    resolved: real,
                })
            }
            Ok(real) if self.leads_out(key, &path, &real) => Err(ConfineError::LeadsOut {
                key,
                written: written.to_owned(),
                resolved: real,
            }),
            Ok(real) => Ok(vec![real]),
            // A name with a bracket in it may exist as it stands; then that is meant.
            Err(error) if is_missing(&error) && glob::is_pattern(written) => {
                self.expand(key, written, &path)
            }
            Err(error) if is_missing(&error) => Err(ConfineError::MissingPath {
                key,
                written: written.to_owned(),
                resolved: path,
            }),
            Err(source) => Err(ConfineError::UnreadablePath {
                key,
                written: written.to_owned(),
                resolved: path,
                source,
            }),
        }
    }

    /// Whether a path in the workspace leads out of it. To deny that is no harm.
    fn leads_out(&self, key: &str, path: &Path, real: &Path) -> bool {
        key != "paths_deny"
            && lexically(path).starts_with(self.workspace)
            && !real.starts_with(self.workspace)
    }

    fn absolute(&self, key: &'static str, written: &str) -> Result<PathBuf, ConfineError> {
        let Some(rest) = written.strip_prefix('~') else {
            return Ok(self.workspace.join(written));
        };
        if !rest.is_empty() && !rest.starts_with('/') {
            return Err(ConfineError::OtherHome {
                key,
                written: written.to_owned(),
            });
        }
        let home = self.home.ok_or_else(|| ConfineError::NoHome {
            key,
            written: written.to_owned(),
        })?;
        Ok(home.join(rest.trim_start_matches('/')))
    }

    /// What a pattern matches, component by component.
    fn expand(
        &mut self,
        key: &'static str,
        written: &str,
        path: &Path,
    ) -> Result<Vec<PathBuf>, ConfineError> {
        if let Some(problem) = glob::problem(written) {
            return Err(ConfineError::BadPattern {
                key,
                written: written.to_owned(),
                problem,
            });
        }
        let mut found = vec![PathBuf::from("/")];
        for component in path.components() {
            match component {
                Component::Normal(name) => {
                    let pattern = name.to_str().filter(|name| glob::is_pattern(name));
                    found = match pattern {
                        Some(pattern) => self.children(&found, pattern)?,
                        None => found.into_iter().map(|base| base.join(name)).collect(),
                    };
                }
                // Below a link, `..` is where the link leads; canonicalising sees to that.
                Component::ParentDir => found.iter_mut().for_each(|base| base.push("..")),
                _ => {}
            }
        }
        let as_seen = self.as_seen.iter().any(|seen| seen == written);
        let mut real = Vec::new();
        for path in found {
            match real::real(&path) {
                Ok(resolved) if as_seen && resolved != path => {
                    return Err(ConfineError::LeadsElsewhere {
                        key,
                        written: written.to_owned(),
                        resolved,
                    });
                }
                // What a run put among them is not meant.
                Ok(resolved) if !self.leads_out(key, &path, &resolved) => real.push(resolved),
                _ => {}
            }
        }
        real.sort();
        real.dedup();
        if real.is_empty() {
            return Err(ConfineError::NoMatch {
                key,
                written: written.to_owned(),
            });
        }
        Ok(real)
    }

    fn children(&mut self, bases: &[PathBuf], pattern: &str) -> Result<Vec<PathBuf>, ConfineError> {
        let mut found = Vec::new();
        for base in bases {
            let Ok(entries) = fs::read_dir(base) else {
                continue;
            };
            for entry in entries.filter_map(Result::ok) {
                self.entries += 1;
                if self.entries > MOST_ENTRIES || found.len() > MOST_PATHS {
                    return Err(ConfineError::TooMany {
                        what: "names that a pattern is compared with",
                        limit: MOST_ENTRIES,
                    });
                }
                let name = entry.file_name();
                if name
                    .to_str()
                    .is_some_and(|name| glob::matches(pattern, name))
                {
                    found.push(entry.path());
                }
            }
        }
        Ok(found)
    }
}

/// A path without its `..`, as it reads.
fn lexically(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// A path goes to the keeper as text, and into messages.
pub(super) fn check_text(path: &Path) -> Result<(), ConfineError> {
    let Some(text) = path.to_str() else {
        return Err(ConfineError::PathNotUtf8 {
            path: path.to_owned(),
        });
    };
    if text.chars().any(char::is_control) {
        return Err(ConfineError::ControlCharacter {
            path: text.to_owned(),
        });
    }
    Ok(())
}
