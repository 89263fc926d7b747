//! From what the files say to one configuration.
//!
//! This carries out the table in `key.rs`. Values start from the defaults; the admin's replace
//! them and become ceilings; the user's and then the project's are let in where they pass none.

use std::time::Duration;

use super::error::ConfigError;
use super::key::Key;
use super::place::{Layer, Origins};
use super::profiles::check_classes;
use super::raw::RawConfig;
use super::settings::Config;
use super::warning::Warning;

/// What the three files say; an absent file says nothing.
#[derive(Debug, Default)]
pub(super) struct Layers {
    pub(super) admin: RawConfig,
    pub(super) user: RawConfig,
    pub(super) project: RawConfig,
}

/// The outcome of a resolution.
#[derive(Debug, Default)]
pub(super) struct Resolved {
    pub(super) config: Config,
    pub(super) origins: Origins,
    pub(super) warnings: Vec<Warning>,
}

/// Brings the layers together.
pub(super) fn resolve(mut layers: Layers) -> Result<Resolved, ConfigError> {
    let mut out = Resolved::default();
    bound_scripts(&mut layers, out.config.scripts.max_timeout);
    // Each line settles one key: it starts from the default and hears the layers; which of them
    // counts is the key's rule.
    macro_rules! settle {
        ($method:ident, $key:ident, $($field:ident).+) => {
            let default = out.config.$($field).+.clone();
            out.config.$($field).+ = out.$method(Key::$key, default, [
                (Layer::Admin, layers.admin.$($field).+.take()),
                (Layer::User, layers.user.$($field).+.take()),
                (Layer::Project, layers.project.$($field).+.take()),
            ]);
        };
    }
    settle!(scalar, RequireDescription, require_description);
    settle!(list, BlockedCommands, blocked_commands);
    settle!(scalar, Agent, agent);
    settle!(scalar, Timeout, limits.timeout);
    settle!(scalar, MaxTimeout, limits.max_timeout);
    settle!(scalar, MaxOutput, limits.max_output);
    settle!(scalar, Keep, limits.keep);
    settle!(scalar, LogQuota, limits.log_quota);
    settle!(scalar, OnLogFull, limits.on_log_full);
    settle!(scalar, Survivors, limits.survivors);
    settle!(scalar, TermGrace, limits.term_grace);
    settle!(list, SecretValues, secrets.values);
    settle!(list, SecretNames, secrets.names);
    settle!(list, EnvironmentPass, environment.pass);
    settle!(scalar, KeeperIdle, keeper.idle);
    settle!(scalar, ScriptsKeepVersions, scripts.keep_versions);
    settle!(scalar, ScriptsMaxTimeout, scripts.max_timeout);
    settle!(scalar, TasksPerAgent, tasks.per_agent);
    settle!(scalar, TasksTotalLog, tasks.total_log);
    settle!(scalar, TasksKeep, tasks.keep);
    settle!(scalar, TasksMaxAge, tasks.max_age);
    settle!(scalar, CachesQuota, caches.quota);
    settle!(scalar, ApprovalsExpire, approvals.expire);
    settle!(scalar, ApprovalsWait, approvals.wait);
    settle!(scalar, ApprovalsMostPending, approvals.most_pending);
    settle!(scalar, ApprovalsNotifyDesktop, approvals.notify_desktop);
    settle!(scalar, ApprovalsNotifyCommand, approvals.notify_command);
    settle!(list, ApprovalsOutOfBand, approvals.out_of_band);
    settle!(list, AuditAnchors, audit.anchors);
    settle!(scalar, Sandbox, sandbox);
    out.bound_timeout();
    check_classes(&layers)?;
    out.profiles(&mut layers);
    out.agents(&mut layers)?;
    Ok(out)
}

/// An author who keeps all runs shorter than scripts may be means scripts as well, unless the file
/// says how long those may take.
fn bound_scripts(layers: &mut Layers, mut longest: Duration) {
    for layer in [&mut layers.admin, &mut layers.user, &mut layers.project] {
        let scripts = &mut layer.scripts.max_timeout;
        if scripts.is_none() {
            let all = layer.limits.max_timeout.clone();
            *scripts = all.filter(|all| all.value < longest);
        }
        if let Some(said) = scripts {
            longest = longest.min(said.value);
        }
    }
}
