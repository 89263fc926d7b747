//! Which repositories elsewhere a command would have git talk to: its words, and the repository's
//! configuration, read from outside as data.
//!
//! What is found here is what a person is shown, and what everything outside is held to. Where it
//! is not clear, nothing is carried out, and a person is asked about the network as a whole.

use std::path::Path;

use bashful_policy::{
    Context, Effect, Finding, GitRemote, GitTransfer, Layer, Span, git_address, git_path,
    git_transfers,
};
use bashful_sandbox::GitRemotes;

use crate::base::real::real;
use crate::judge::apply_grants::HARMLESS;
use crate::judge::policy::{Case, Checked};
use crate::model::error::EngineError;
use crate::model::transfer::{Transfer, Way};
use crate::request::context::RunContext;

mod local;

pub(crate) use local::Local;
use local::unseen;

/// What a command would have git do elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Transfers {
    /// All that is done, sorted, each once.
    pub(crate) all: Vec<Transfer>,
    /// Calls that need no network of their own.
    pub(crate) carried: Vec<Span>,
    /// Repositories of this machine that the run does not see as it has to.
    pub(crate) local: Vec<Local>,
}

/// The repositories of one call.
#[derive(Debug, Default)]
struct Found {
    elsewhere: Vec<Transfer>,
    local: Vec<Local>,
}

impl Transfers {
    /// Those of a request that was judged; none if that is not clear.
    pub(crate) fn of(
        case: Case<'_>,
        run_context: &RunContext<'_>,
        checked: &Checked,
    ) -> Result<Self, EngineError> {
        let context = case.context(run_context)?;
        let clear = git_transfers(&checked.facts, &context).and_then(|calls| {
            let mut transfers = Self::default();
            for call in &calls {
                let Found { elsewhere, local } = found(call)?;
                transfers.local.extend(unseen(local, case, run_context)?);
                let found = elsewhere;
                if found.iter().all(|one| one.way == Way::Ssh) {
                    transfers.carried.push(call.span);
                } else if !found.iter().all(takes_credential)
                    || !case.invocation.variables.is_empty()
                    || !is_alone(checked, &context)
                {
                    // The network is opened for it as ever, and nothing else.
                    continue;
                }
                transfers.all.extend(found);
            }
            transfers.all.sort();
            transfers.all.dedup();
            transfers.local.sort();
            transfers.local.dedup();
            Some(transfers)
        });
        Ok(clear.unwrap_or_default())
    }
}

/// The repositories of one call; none if that is not clear.
fn found(call: &GitTransfer) -> Option<Found> {
    let directory = Path::new(&call.directory);
    let remotes = match &call.remote {
        GitRemote::Address { fresh, .. } if *fresh || !GitRemotes::are_around(directory) => {
            GitRemotes::without_repository()?
        }
        _ => GitRemotes::around(directory)?,
    };
    let named: Vec<String> = match &call.remote {
        GitRemote::Usual => vec![remotes.usual(call.pushes)],
        GitRemote::Named(name) => vec![name.clone()],
        GitRemote::All => remotes.names().into_iter().map(str::to_owned).collect(),
        GitRemote::Address { .. } => Vec::new(),
    };
    let mut found = Found::default();
    let pushes = call.pushes;
    if let GitRemote::Address { address, .. } = &call.remote {
        let transfer = Transfer::of(address.clone(), pushes);
        found.elsewhere.push(transfer);
    }
    for name in named {
        for address in remotes.addresses(&name, pushes)? {
            if let Some(path) = git_path(&address) {
                let path = real(Path::new(path)).ok()?.to_str()?.to_owned();
                found.local.push(Local { path, pushes });
            } else {
                let address = git_address(&address)?;
                found.elsewhere.push(Transfer::of(address, pushes));
            }
        }
    }
    let over_http = found.elsewhere.iter().any(|one| one.way != Way::Ssh);
    let is_empty = found.elsewhere.is_empty() && found.local.is_empty();
    if is_empty || (over_http && remotes.leads_http_elsewhere()) {
        return None;
    }
    Some(found)
}

/// A credential does not leave this machine in the clear.
fn takes_credential(transfer: &Transfer) -> bool {
    let here = ["localhost", "127.0.0.1", "::1"].contains(&transfer.host.as_str());
    match transfer.way {
        Way::Ssh | Way::Https => true,
        Way::Http => here,
    }
}

/// Whether a command is nothing but git and what only reads, and nothing changes what git does: a
/// credential enters the run, and every program in it could take it along.
fn is_alone(checked: &Checked, context: &Context) -> bool {
    let facts = &checked.facts;
    let is_git = |span: Span| {
        let mut calls = facts.calls.iter();
        calls.any(|call| call.span == span && call.program() == "git")
    };
    let fits = |finding: &Finding| {
        let harmless = finding.effect == Effect::Allow
            && finding.layer == Layer::Builtin
            && HARMLESS.contains(&finding.rule.as_ref());
        // Git starts what the command names, such as `git rebase -x`.
        harmless || is_git(finding.span) && finding.rule != "exec-sink"
    };
    // `git config` could say whom to trust.
    let configures = facts.calls.iter().any(|call| {
        let words = call.arguments.iter().skip(1);
        call.program() == "git" && words.into_iter().any(|word| word.text == "config")
    });
    let remembers = context.shell.as_ref().is_some_and(|memory| {
        let exported = memory.variables.iter().any(|variable| variable.exported);
        exported || !memory.functions.is_empty() || !memory.aliases.is_empty()
    });
    let plain = facts.functions.is_empty() && facts.assignments.is_empty();
    plain && !configures && !remembers && checked.judgement.findings.iter().all(fits)
}
