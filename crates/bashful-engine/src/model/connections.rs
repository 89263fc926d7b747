//! The connections of a run: each for the record, and together for its result.

use bashful_keeper::ConnectionLine;
use bashful_sandbox::GateNews;
use serde::{Deserialize, Serialize};

/// No more are in one record, or together in one result.
const MOST_RECORDED: usize = 1000;
const MOST_TOLD: usize = 50;

/// A connection to a host by name, or one that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connected {
    /// When it was wanted, in milliseconds since 1970.
    pub at_ms: u64,
    /// The name, or the address where there is none.
    pub host: String,
    /// The port.
    pub port: u16,
    /// What was dialled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The rule that opened it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Bytes that the run said; absent if its end is not on record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<u64>,
    /// Bytes that it heard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<u64>,
    /// How long it lasted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// All connections of a run to one port of one host that were decided alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NetworkUse {
    /// The name, or the address where there is none.
    pub host: String,
    /// The port.
    pub port: u16,
    /// `allowed` or `refused`.
    pub decision: &'static str,
    /// The rule that opened it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How many there were.
    pub connections: u64,
    /// Bytes that the run said.
    pub sent: u64,
    /// Bytes that it heard.
    pub received: u64,
}

/// The connections, each with its end.
pub(crate) fn joined(lines: &[ConnectionLine]) -> Vec<Connected> {
    let mut found: Vec<(u64, Connected)> = Vec::new();
    for line in lines {
        match &line.news {
            GateNews::Opens(passage) if found.len() < MOST_RECORDED => found.push((
                passage.connection,
                Connected {
                    at_ms: line.at_ms,
                    host: passage.host.clone(),
                    port: passage.port,
                    address: passage.address.clone(),
                    rule: passage.rule.clone(),
                    refused: passage.refused.clone(),
                    sent: None,
                    received: None,
                    duration_ms: None,
                },
            )),
            GateNews::Opens(_) => {}
            GateNews::Ended(passed) => {
                let mut begun = found.iter_mut().rev();
                if let Some((_, one)) = begun.find(|(number, _)| *number == passed.connection) {
                    one.sent = Some(passed.sent);
                    one.received = Some(passed.received);
                    one.duration_ms = Some(passed.ms);
                }
            }
        }
    }
    found.into_iter().map(|(_, one)| one).collect()
}

/// The same by host and port, in the order in which they were wanted.
pub(crate) fn together(all: &[Connected]) -> Vec<NetworkUse> {
    let mut uses: Vec<NetworkUse> = Vec::new();
    for one in all {
        let alike = |known: &&mut NetworkUse| {
            known.host == one.host && known.port == one.port && known.reason == one.refused
        };
        let (sent, received) = (
            one.sent.unwrap_or_default(),
            one.received.unwrap_or_default(),
        );
        if let Some(known) = uses.iter_mut().find(alike) {
            known.connections += 1;
            known.sent += sent;
            known.received += received;
        } else if uses.len() < MOST_TOLD {
            uses.push(NetworkUse {
                host: one.host.clone(),
                port: one.port,
                decision: if one.refused.is_some() {
                    "refused"
                } else {
                    "allowed"
                },
                rule: one.rule.clone(),
                reason: one.refused.clone(),
                connections: 1,
                sent,
                received,
            });
        }
    }
    uses
}
