//! The private copy of a repository's configuration, merged back.
//!
//! A run works on its own copy of `.git/config`. Afterwards [`merge`] carries what is
//! harmless over to the host's file; a key that can make git execute a program on the
//! host is held back and reported. [`sanitise`] does the same for a file that the run
//! itself brought into being.
//!
//! Nothing is decided on raw text and no raw text of the run is copied: the run's file is
//! read as git reads it, entries of the allow-list in [`harmless`] are written anew, and
//! the outcome is read once more and compared with what was meant.

mod address;
mod decide;
mod edit;
mod harmless;
mod hooks;
mod remotes;
mod syntax;
#[cfg(test)]
mod tests;
mod write;

use std::collections::{BTreeSet, HashSet};

use thiserror::Error;

use self::decide::Decision;
pub use self::hooks::obeyed_by_git;
pub use self::remotes::GitRemotes;
use self::syntax::{Document, SyntaxError};
use crate::profile::Network;

/// What became of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Merged {
    /// The new content of the host's file, equal to the old if nothing changes.
    pub(crate) text: Vec<u8>,
    /// What the run changed and we did not let through, in the order of the run's file.
    pub(crate) held: Vec<HeldKey>,
    /// Addresses of remotes that we let through: the result reports them.
    pub(crate) addresses: Vec<HeldKey>,
    /// Whether `text` differs from what the host's file holds now.
    pub(crate) changed: bool,
}

/// The hosts outside that git may be made to contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Hosts {
    /// Any: the run had the network, and could have sent there what it knows.
    Any,
    /// These, and those of the host's own configuration.
    Known(BTreeSet<Vec<u8>>),
}

impl Hosts {
    /// For runs with this network: none besides those of the host's own configuration where
    /// it is off.
    pub(crate) fn for_runs_with(network: Network) -> Self {
        match network {
            Network::Off | Network::Named => Self::Known(BTreeSet::new()),
            Network::On => Self::Any,
        }
    }

    /// Adds the hosts that a configuration of the person's names.
    pub(crate) fn add(&mut self, text: &[u8]) {
        if let Self::Known(hosts) = self
            && let Ok(document) = syntax::parse(text)
        {
            hosts.extend(hosts_in(&document));
        }
    }

    fn and_those_of(&self, documents: [&Document; 2]) -> Self {
        match self {
            Self::Any => Self::Any,
            Self::Known(hosts) => {
                let own = documents.into_iter().flat_map(hosts_in);
                Self::Known(own.chain(hosts.iter().cloned()).collect())
            }
        }
    }

    /// Whether every address in a text is of such a host. Relative ones count: they lead to where
    /// the repository itself came from, unless they climb so far that the host is another.
    pub(crate) fn include_all_in(&self, text: &[u8]) -> bool {
        let harmless = |entry: &syntax::Entry| {
            let value = entry.value.as_deref().unwrap_or_default();
            let is_address =
                entry.key.ends_with(b"url") || value.windows(3).any(|part| part == b"://");
            let parts = value.split(|byte| *byte == b'/');
            let climbs = parts.filter(|part| *part == b"..").count();
            let relative = value.starts_with(b"./") || value.starts_with(b"../");
            let relative = relative && climbs <= 1;
            let known = || address::host_of(value).is_some_and(|host| self.include(&host));
            !is_address || relative || known()
        };
        *self == Self::Any
            || syntax::parse(text).is_ok_and(|document| document.entries.iter().all(harmless))
    }

    fn include(&self, host: &[u8]) -> bool {
        match self {
            Self::Any => true,
            Self::Known(hosts) => hosts.contains(host),
        }
    }
}

fn hosts_in(document: &Document) -> impl Iterator<Item = Vec<u8>> {
    let addresses = document.entries.iter().filter(|entry| {
        harmless::rule(document.name(entry)).is_some_and(harmless::Rule::is_address)
    });
    addresses.filter_map(|entry| address::host_of(entry.value.as_deref()?))
}

/// A change that was not let through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeldKey {
    /// The whole name, such as `core.fsmonitor`, fit to be shown.
    pub(crate) key: String,
    /// The value, shortened and fit to be shown.
    pub(crate) value: String,
    /// What the run did with this value.
    pub(crate) attempt: Attempt,
}

impl HeldKey {
    /// What the run did, in words.
    pub(crate) fn doing(&self) -> String {
        match self.attempt {
            Attempt::Set => format!("set {} to {}", self.key, self.value),
            Attempt::Remove => format!("remove {}", self.key),
        }
    }
}

/// What a run did with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// It added the value, or put it in the place of another one.
    Set,
    /// It took the value away.
    Remove,
}

/// Why nothing is merged; the host's file stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum ConfigError {
    /// One of the three texts is not a configuration.
    #[error("cannot read the git configuration {side}")]
    Unreadable {
        /// The text that cannot be read.
        side: Side,
        /// Where it is not a configuration, and why.
        source: SyntaxError,
    },
    /// The outcome does not read as it was meant, so it must not be used.
    #[error("the merged git configuration does not read as intended")]
    Unfaithful,
}

/// One of the texts that take part in a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// What the private copy began as.
    Base,
    /// What the run left.
    Private,
    /// What the host's file is now.
    Host,
    /// What the host's file would become.
    Outcome,
}

impl std::fmt::Display for Side {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Base => "that the run began with",
            Self::Private => "that the run left",
            Self::Host => "of the host",
            Self::Outcome => "that came out of merging",
        })
    }
}

/// Carries the harmless part of what changed from `base` to `private` over to `host`.
pub(crate) fn merge(
    base: &[u8],
    private: &[u8],
    host: &[u8],
    hosts: &Hosts,
) -> Result<Merged, ConfigError> {
    let base = read(base, Side::Base)?;
    let private = read(private, Side::Private)?;
    let document = read(host, Side::Host)?;
    let decision = decide::decide(&base, &private, &document, hosts);
    let Decision {
        targets,
        held,
        addresses,
    } = decision;
    if targets.is_empty() {
        return Ok(Merged {
            text: host.to_vec(),
            held,
            addresses,
            changed: false,
        });
    }
    let text = edit::apply(host, &document, &targets);
    verify(&text, &document, &targets)?;
    Ok(Merged {
        changed: text != host,
        text,
        held,
        addresses,
    })
}

/// Takes everything that is not harmless out of a configuration that the run made.
///
/// The outcome is always written anew, without the run's comments. `changed` says
/// whether it differs from `text`.
pub(crate) fn sanitise(text: &[u8], hosts: &Hosts) -> Result<Merged, ConfigError> {
    let mut merged = merge(b"", text, b"", hosts)?;
    merged.changed = merged.text != text;
    Ok(merged)
}

fn read(text: &[u8], side: Side) -> Result<Document, ConfigError> {
    syntax::parse(text).map_err(|source| ConfigError::Unreadable { side, source })
}

/// Checks that the new text says what was meant: the targets, all else as on the host,
/// and of entries that are not harmless exactly the host's in the host's order.
fn verify(text: &[u8], host: &Document, targets: &[decide::Target<'_>]) -> Result<(), ConfigError> {
    let outcome = read(text, Side::Outcome)?;
    let after = decide::values_by_name(&outcome);
    let before = decide::values_by_name(host);
    let touched: HashSet<_> = targets.iter().map(|target| target.name).collect();

    let meant = targets
        .iter()
        .filter(|target| !target.values.is_empty())
        .map(|target| {
            let values: Vec<_> = target.values.iter().map(|wanted| wanted.value).collect();
            (target.name, values)
        });
    let kept = before
        .into_iter()
        .filter(|(name, _)| !touched.contains(name));
    let expected: decide::Values<'_> = kept.chain(meant).collect();

    let same_dangers = harmless::exceptions(&outcome).eq(harmless::exceptions(host));
    if after == expected && same_dangers {
        Ok(())
    } else {
        Err(ConfigError::Unfaithful)
    }
}

/// The values of a variable, whatever its subsection, as git reads them; none if git would
/// not read the text at all.
pub(crate) fn values_of(text: &[u8], section: &str, key: &str) -> Vec<String> {
    let Ok(document) = syntax::parse(text) else {
        return Vec::new();
    };
    let wanted = |entry: &&syntax::Entry| {
        let stem = entry.header.and_then(|index| document.headers.get(index));
        let stem = stem.map_or(&[][..], |header| &header.stem);
        let own_section = stem.split(|byte| *byte == b'.').next().unwrap_or(stem);
        own_section == section.as_bytes() && entry.key == key.as_bytes()
    };
    let text = |entry: &syntax::Entry| {
        let value = entry.value.as_deref().unwrap_or_default();
        String::from_utf8_lossy(value).into_owned()
    };
    document.entries.iter().filter(wanted).map(text).collect()
}
