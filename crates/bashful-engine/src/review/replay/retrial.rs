//! Judging recorded requests anew, by a configuration that was changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bashful_policy::{Layer, Rule, RuleError, parse_rules};
use bashful_sandbox::Backend;

use super::rights::Rights;
use crate::base::error_chain::in_full;
use crate::config::{
    Choice as _, Config, ConfigError, Granted, PROJECT_FILE, Sandbox, Sources, UnknownProfile, Wish,
};
use crate::confine::profile::write_paths;
use crate::engine::Engine;
use crate::judge::policy::{Checked, ExtraRules};
use crate::model::places::Places;
use crate::record::audit::Requested;
use crate::request::context::RunContext;
use crate::request::invocation::Invocation;
use crate::request::project::project_of;

/// What is the same for all requests that are judged anew.
#[derive(Debug, Clone)]
pub struct Circumstances {
    /// The configuration files in force; each request has the project file of its workspace.
    pub sources: Sources,
    /// The caller's environment.
    pub environment: BTreeMap<String, String>,
    /// Where things are kept.
    pub places: Places,
}

/// Judges recorded requests anew, by a configuration that was changed.
///
/// A request stands where it stood: the same workspace, directory and sandbox, the profile that
/// its agent has now, and what it asked for on top of its profile. Home, variables and files are
/// those of now.
#[derive(Debug)]
pub struct Retrial {
    circumstances: Circumstances,
    law: Law,
    profile: Option<String>,
    benches: BTreeMap<PathBuf, Bench>,
}

/// What was changed.
#[derive(Debug)]
enum Law {
    /// The user's file.
    Configuration { text: String, path: PathBuf },
    /// These rules are new in every profile.
    Rules(Vec<Rule>),
}

/// What the requests of one workspace are judged by.
#[derive(Debug)]
struct Bench {
    before: Config,
    native: Engine,
    unconfined: Engine,
}

/// Why a changed configuration cannot be tried.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RetrialError {
    /// It is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Its rules are wrong.
    #[error("{}", .errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Rules {
        /// What is wrong with each.
        errors: Vec<RuleError>,
    },
    /// It does not have the profile.
    #[error(transparent)]
    UnknownProfile(#[from] UnknownProfile),
}

impl Retrial {
    /// Tries a text: a configuration in the place of the user's file, or a file of nothing but
    /// `[[rule]]` tables, which are added to every profile.
    pub fn by_file(
        circumstances: Circumstances,
        text: &str,
        path: &Path,
    ) -> Result<Self, RetrialError> {
        let table = text.parse::<toml::Table>();
        let law = if table.is_ok_and(|table| table.contains_key("rule")) {
            let file = path.display().to_string();
            let rules = parse_rules(text, &file, Layer::User);
            Law::Rules(rules.map_err(|errors| RetrialError::Rules { errors })?)
        } else {
            Law::Configuration {
                text: text.to_owned(),
                path: path.to_owned(),
            }
        };
        let retrial = Self {
            circumstances,
            law,
            profile: None,
            benches: BTreeMap::new(),
        };
        // A mistake is told once, and not for every request.
        retrial.changed(None)?;
        Ok(retrial)
    }

    /// Judges every request by the profile with this name.
    pub fn by_profile(mut self, name: &str) -> Result<Self, RetrialError> {
        self.changed(None)?.profile_named(name)?;
        self.profile = Some(name.to_owned());
        Ok(self)
    }

    /// Judges a request anew; the error says why that cannot be done.
    pub fn judge(&mut self, request: &Requested) -> Result<Checked, String> {
        let rights = Rights::read(&request.rights).ok_or("what it was given cannot be read")?;
        let asked = self.profile.clone();
        let granted = match &self.law {
            Law::Configuration { .. } => Vec::new(),
            Law::Rules(rules) => rules.clone(),
        };
        let bench = self.bench(&request.workspace)?;
        let config = bench.engine(request).config();
        // What came from the configuration comes from the changed one; what came from a flag
        // stays.
        let usual = bench.before.profile_name(&request.agent);
        let name = match &asked {
            Some(asked) => asked,
            None if usual == request.profile => config.profile_name(&request.agent),
            None => &request.profile,
        };
        let profile = config.profile_named(name).map_err(told)?;
        let before = bench.before.profile_named(&request.profile);
        let wish = before.ok().and_then(|before| {
            let preset = Wish {
                preset: Some(rights.preset),
                ..Wish::default()
            };
            let usual = before.grant(&Wish::default()).ok()?;
            let same_preset = before.grant(&preset).ok()?;
            let capabilities = same_preset.capabilities;
            Some(rights.beyond(&Granted {
                capabilities,
                ..usual
            }))
        });
        let wish = wish.ok_or("what it asked for cannot be separated from its profile")?;
        let granted_now = profile.grant(&wish).map_err(told)?;
        let name = name.to_owned();
        let extra = ExtraRules {
            granted,
            careful: false,
        };
        self.judge_given(request, &name, granted_now, extra)
    }

    /// Judges a request by a profile alone, with what that profile gives and no more.
    pub(crate) fn judge_by(&mut self, request: &Requested, name: &str) -> Result<Checked, String> {
        let bench = self.bench(&request.workspace)?;
        let profile = bench.engine(request).config().profile_named(name);
        let granted = profile.map_err(told)?.grant(&Wish::default());
        let granted = granted.map_err(told)?;
        self.judge_given(request, name, granted, ExtraRules::default())
    }

    /// Judges a request by a profile with these rights.
    pub(crate) fn judge_given(
        &mut self,
        request: &Requested,
        name: &str,
        mut granted: Granted,
        extra: ExtraRules,
    ) -> Result<Checked, String> {
        let home = self
            .circumstances
            .environment
            .get("HOME")
            .map(PathBuf::from);
        let bench = self.bench(&request.workspace)?;
        let engine = bench.engine(request);
        let invocation = Invocation::bash(&request.command);
        invocation.action.check().map_err(told)?;
        let workspace = &request.workspace;
        // What is not there any more cannot be written any more.
        granted.capabilities.paths_write.retain(|path| {
            let one = std::slice::from_ref(path);
            write_paths(one, workspace, home.as_deref()).is_ok()
        });
        let settings = engine.settings();
        let project = project_of(workspace);
        let context = RunContext {
            cache: invocation.cache(settings, &settings.agent, &project),
            cache_owner: invocation.cache_owner(&settings.agent, &project),
            own_home: settings.own_home(&settings.agent, &project),
            project,
            is_widened: false,
            workspace: workspace.clone(),
            cwd: request.cwd.clone(),
            profile_name: name,
            profile: engine.config().profile_named(name).map_err(told)?,
            granted,
            opened: Vec::new(),
            git: Vec::new(),
            links: BTreeMap::new(),
        };
        let case = engine.case_of(&invocation);
        case.judge_with(&context, extra).map_err(told)
    }

    /// What the requests of a workspace are judged by.
    fn bench(&mut self, workspace: &Path) -> Result<&Bench, String> {
        if !self.benches.contains_key(workspace) {
            let bench = self.make_bench(workspace)?;
            self.benches.insert(workspace.to_owned(), bench);
        }
        let bench = self.benches.get(workspace);
        bench.ok_or_else(|| "nothing to judge it by".to_owned())
    }

    fn make_bench(&self, workspace: &Path) -> Result<Bench, String> {
        let changed = self.changed(Some(workspace)).map_err(told)?;
        let before = Config::load(&self.sources(Some(workspace))).map_err(told)?;
        let engine = |sandbox| {
            let builder = Engine::builder()
                .config(changed.clone())
                .environment(self.circumstances.environment.clone())
                .places(self.circumstances.places.clone())
                .sandbox(sandbox);
            builder.build().map_err(told)
        };
        Ok(Bench {
            before: before.config,
            native: engine(Sandbox::By(Backend::Native))?,
            unconfined: engine(Sandbox::None)?,
        })
    }

    /// The changed configuration for a workspace.
    fn changed(&self, workspace: Option<&Path>) -> Result<Config, ConfigError> {
        let sources = self.sources(workspace);
        let loaded = match &self.law {
            Law::Configuration { text, path } => Config::load_with_user(&sources, text, path)?,
            Law::Rules(_) => Config::load(&sources)?,
        };
        Ok(loaded.config)
    }

    fn sources(&self, workspace: Option<&Path>) -> Sources {
        Sources {
            project: workspace.map(|workspace| workspace.join(PROJECT_FILE)),
            ..self.circumstances.sources.clone()
        }
    }
}

impl Bench {
    fn engine(&self, request: &Requested) -> &Engine {
        if request.sandbox == Sandbox::None.as_str() {
            &self.unconfined
        } else {
            &self.native
        }
    }
}

fn told(error: impl std::error::Error) -> String {
    in_full(&error)
}
