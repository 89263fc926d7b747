//! Which repositories elsewhere a command would have git talk to: its words, and the repository's
//! configuration, read from outside as data.
//!
//! What is found here is what a person is shown, and what everything outside is held to. Where it
//! is not clear, nothing is carried out, and a person is asked about the network as a whole.

use std::path::Path;

use bashful_policy::{
    Context, Effect, Finding, GitRemote, GitTransfer, Layer, Span, git_address, git_transfers,
};
use bashful_sandbox::GitRemotes;

use crate::judge::apply_grants::HARMLESS;
use crate::judge::policy::{Case, Checked};
use crate::judge::repositories::{Here, Leads};
use crate::model::error::EngineError;
use crate::model::transfer::{Transfer, Way};
use crate::request::context::RunContext;

/// What a command would have git do elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Transfers {
    /// All that is done, sorted, each once.
    pub(crate) all: Vec<Transfer>,
    /// Calls that need no network of their own.
    pub(crate) carried: Vec<Span>,
}

impl Transfers {
    /// Those of a request that was judged; none if that is not clear.
    pub(crate) fn of(
        case: Case<'_>,
        run_context: &RunContext<'_>,
        checked: &Checked,
    ) -> Result<Self, EngineError> {
        let context = case.context(run_context)?;
        let here = Here::of(case, run_context);
        let clear = git_transfers(&checked.facts, &context).and_then(|calls| {
            let mut transfers = Self::default();
            for call in &calls {
                let found = found(call, &here)?.all;
                let needs_none = |one: &Transfer| matches!(one.way, Way::Ssh | Way::Path);
                if found.iter().all(needs_none) {
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
            Some(transfers)
        });
        Ok(clear.unwrap_or_default())
    }
}

/// The other repositories of one call.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Those that a yes opens the way to.
    pub(super) all: Vec<Transfer>,
    /// Whether the call wants no others but what its run has anyway.
    pub(super) is_clear: bool,
}

/// The repositories of one call; none if that is not clear.
pub(super) fn found(call: &GitTransfer, here: &Here<'_, '_>) -> Option<Found> {
    let directory = Path::new(&call.directory);
    let is_fresh = match &call.remote {
        GitRemote::Address { fresh, .. } | GitRemote::Path { fresh, .. } => *fresh,
        _ => false,
    };
    let is_named = matches!(
        &call.remote,
        GitRemote::Address { .. } | GitRemote::Path { .. }
    );
    let remotes = if is_fresh || is_named && !GitRemotes::are_around(directory) {
        GitRemotes::without_repository()?
    } else {
        GitRemotes::around(directory)?
    };
    let from = remotes.top().unwrap_or(directory);
    let mut found = Found {
        all: Vec::new(),
        is_clear: true,
    };
    let names: Vec<String> = match &call.remote {
        GitRemote::Usual => vec![remotes.usual(call.pushes)],
        GitRemote::Named(name) => vec![name.clone()],
        GitRemote::All => remotes.names().into_iter().map(str::to_owned).collect(),
        GitRemote::Address { address, .. } => {
            found.all.push(Transfer::of(address.clone(), call.pushes));
            Vec::new()
        }
        GitRemote::Path { path, .. } => {
            match here.look(path, from, call.pushes) {
                Some(Leads::To(transfer)) => found.all.push(transfer),
                Some(Leads::Inside) => {}
                None => found.is_clear = false,
            }
            return Some(found);
        }
    };
    for name in &names {
        for address in remotes.addresses(name, call.pushes)? {
            match git_address(&address) {
                Some(address) => found.all.push(Transfer::of(address, call.pushes)),
                None => match here.look_at_address(&address, from, call.pushes)? {
                    Leads::To(transfer) => found.all.push(transfer),
                    Leads::Inside => {}
                },
            }
        }
    }
    let over_http = |one: &Transfer| matches!(one.way, Way::Https | Way::Http);
    let is_led = found.all.iter().any(over_http) && remotes.leads_http_elsewhere();
    let is_empty = !is_named && names.is_empty();
    (!is_led && !is_empty).then_some(found)
}

/// A credential does not leave this machine in the clear.
fn takes_credential(transfer: &Transfer) -> bool {
    let here = ["localhost", "127.0.0.1", "::1"].contains(&transfer.host.as_str());
    match transfer.way {
        Way::Ssh | Way::Https | Way::Path => true,
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
