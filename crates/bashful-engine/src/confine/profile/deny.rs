//! What is denied: it holds by what a file is, not by how it is spelled.

use std::path::{Path, PathBuf};

use super::ConfineRequest;
use super::aliases;
use super::links;
use super::paths::{Named, Resolver};
use super::roots::Roots;
use super::view::{is_below, simplify};
use crate::model::error::confine::ConfineError;

/// Without these no program runs.
const NEEDED: [&str; 5] = ["/usr/bin", "/usr/lib", "/bin", "/lib", "/lib64"];

/// The denied paths of a run.
#[derive(Debug)]
pub(super) struct Denied(Vec<Named>);

impl Denied {
    pub(super) fn resolve(
        request: &ConfineRequest<'_>,
        resolver: &mut Resolver<'_>,
    ) -> Result<Self, ConfineError> {
        let denied = resolver.resolve("paths_deny", &request.capabilities.paths_deny)?;
        Ok(Self(denied))
    }

    /// Whether a path is denied or lies below one that is.
    pub(super) fn hold(&self, path: &Path) -> bool {
        is_below(path, self.0.iter().map(|named| &named.path))
    }

    /// Refuses what contradicts itself: a granted path that is denied or lies in a denied one.
    pub(super) fn check(
        &self,
        request: &ConfineRequest<'_>,
        roots: &Roots,
    ) -> Result<(), ConfineError> {
        for Named { written, path } in &self.0 {
            for place in [request.workspace, request.directory] {
                if place.starts_with(path) {
                    return Err(ConfineError::DeniesWorkspace {
                        written: written.clone(),
                        workspace: place.to_owned(),
                    });
                }
            }
            if NEEDED
                .iter()
                .any(|needed| Path::new(needed).starts_with(path))
            {
                return Err(ConfineError::DeniesSystem {
                    written: written.clone(),
                    resolved: path.clone(),
                });
            }
            let declared = roots.read.iter().chain(&roots.write);
            let declared = declared.map(|named| (named.written.as_str(), &named.path));
            let home = roots.home.iter().map(|home| ("the real home", home));
            let caches = roots.engine_writes.iter();
            let caches = caches.map(|cache| ("the cache of the project", cache));
            for (granted, root) in declared.chain(home).chain(caches) {
                if root.starts_with(path) {
                    return Err(ConfineError::Contradiction {
                        granted: granted.to_owned(),
                        denied: written.clone(),
                        path: root.clone(),
                    });
                }
            }
        }
        Ok(())
    }

    /// All names below the roots under which a denied path could be seen.
    pub(super) fn hidden(&self, roots: &Roots) -> Result<Vec<PathBuf>, ConfineError> {
        if self.0.is_empty() {
            return Ok(Vec::new());
        }
        let mut all: Vec<PathBuf> = self.0.iter().map(|named| named.path.clone()).collect();
        all.extend(aliases::of(&all)?);
        simplify(&mut all);
        let links = links::other_names(&all, roots)?;
        all.extend(links);
        if let Some(named) = all
            .iter()
            .find_map(|path| roots.all().find(|root| root.starts_with(path)))
        {
            // Under another name it is granted.
            return Err(ConfineError::Contradiction {
                granted: named.display().to_string(),
                denied: self.written(),
                path: named.to_owned(),
            });
        }
        all.retain(|path| roots.show(path));
        Ok(all)
    }

    fn written(&self) -> String {
        let written: Vec<&str> = self.0.iter().map(|named| named.written.as_str()).collect();
        written.join("`, `")
    }
}
