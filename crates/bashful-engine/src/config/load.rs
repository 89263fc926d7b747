//! Loading: files in, configuration out.

use std::path::{Path, PathBuf};

use super::ceilings::Ceilings;
use super::error::ConfigError;
use super::file::{ROOT, Trust, read};
use super::parse::parse;
use super::place::{Layer, Origins};
use super::raw::RawConfig;
use super::resolve::{Layers, Resolved, resolve};
use super::settings::Config;
use super::sources::{AdminOwner, Sources};
use super::warning::Warning;

/// A configuration with everything that is known about how it came to be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loaded {
    /// What to go by.
    pub config: Config,
    /// Where each value came from.
    pub origins: Origins,
    /// What flags and environment must not pass.
    pub ceilings: Ceilings,
    /// What was said in vain; a front end shows these to a person.
    pub warnings: Vec<Warning>,
    /// The files that exist and were read.
    pub sources_read: Vec<SourceRead>,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceRead {
    /// Which of the files.
    pub layer: Layer,
    /// The path that the engine looks at for it.
    pub path: PathBuf,
}

impl Config {
    /// Reads the files and resolves what they say.
    ///
    /// A file that is missing says nothing. A file that cannot be read, trusted or understood is
    /// an error: going on without it could mean going on without a rule that it sets.
    pub fn load(sources: &Sources) -> Result<Loaded, ConfigError> {
        Self::load_layers(sources, |files| {
            let this_user = rustix::process::geteuid().as_raw();
            files.layer(
                Layer::User,
                sources.user.as_deref(),
                Trust::OwnedBy(this_user),
            )
        })
    }

    /// The same with this text in the place of the user's file, to see what it would change. It is
    /// no configuration to go by: the engine did not look at who could write that file.
    pub fn load_with_user(
        sources: &Sources,
        text: &str,
        path: &Path,
    ) -> Result<Loaded, ConfigError> {
        Self::load_layers(sources, |_| parse(text, path, Layer::User))
    }

    fn load_layers(
        sources: &Sources,
        user: impl FnOnce(&mut Files) -> Result<RawConfig, ConfigError>,
    ) -> Result<Loaded, ConfigError> {
        let this_user = rustix::process::geteuid().as_raw();
        let admin_owner = match sources.admin_owner {
            AdminOwner::Root => ROOT,
            AdminOwner::RootOrSelf => this_user,
        };
        let mut files = Files::default();
        let layers = Layers {
            admin: files.layer(
                Layer::Admin,
                Some(&sources.admin),
                Trust::OwnedBy(admin_owner),
            )?,
            user: user(&mut files)?,
            project: files.layer(Layer::Project, sources.project.as_deref(), Trust::Nobody)?,
        };
        let ceilings = Ceilings::of(&layers.admin);
        let Resolved {
            config,
            origins,
            warnings,
        } = resolve(layers)?;
        Ok(Loaded {
            config,
            origins,
            ceilings,
            warnings,
            sources_read: files.read,
        })
    }
}

/// Whether the text of a file is one that could be loaded as the user's.
pub(crate) fn check_file(text: &str, path: &Path) -> Result<(), ConfigError> {
    let user = parse(text, path, Layer::User)?;
    let layers = Layers {
        user,
        ..Layers::default()
    };
    resolve(layers).map(drop)
}

/// Keeps the list of what was read.
#[derive(Default)]
struct Files {
    read: Vec<SourceRead>,
}

impl Files {
    fn layer(
        &mut self,
        layer: Layer,
        path: Option<&Path>,
        trust: Trust,
    ) -> Result<RawConfig, ConfigError> {
        let Some(path) = path else {
            return Ok(RawConfig::default());
        };
        let Some(text) = read(path, trust)? else {
            return Ok(RawConfig::default());
        };
        self.read.push(SourceRead {
            layer,
            path: path.to_owned(),
        });
        parse(&text, path, layer)
    }
}
