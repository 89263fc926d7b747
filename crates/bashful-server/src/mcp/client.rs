//! What is known about a client, and what it likes to read.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientCapabilities, ProtocolVersion};
use rmcp::service::RequestContext;

/// A client, as far as one of its requests tells.
#[derive(Debug, Clone)]
pub(super) struct Client {
    /// Its name and version, for the record.
    pub(super) name: String,
    /// How it asks a person.
    pub(super) asks: Asks,
    /// Whether it follows background work as MCP tasks.
    pub(super) follows_tasks: bool,
    /// What its model reads.
    pub(super) taste: Taste,
}

/// How a client can put a question to its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    /// It cannot: a person must answer elsewhere.
    No,
    /// While a call goes on, by a request of ours.
    WithinTheCall {
        /// Whether it knows choices with titles.
        titles: bool,
    },
    /// Between two calls: the first ends with the question, the second brings the answer.
    BetweenCalls,
}

/// What of an answer reaches a client's model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Taste {
    /// Whether it gets the answer as JSON besides the text. Some clients then show the model
    /// nothing but the JSON, as one escaped line.
    pub(super) structured: bool,
    /// How many characters of each stream it shows without cutting by itself.
    pub(super) most_output: Option<usize>,
    /// How long it waits for an answer, whatever it hears of progress.
    pub(super) patience: Option<Duration>,
}

/// The usual taste: a program may want the JSON, a model reads the text.
const USUAL: Taste = Taste {
    structured: true,
    most_output: None,
    patience: None,
};

/// Clients whose taste was tried, by the name that they give.
const TASTES: &[(&str, Taste)] = &[
    (
        "claude-code",
        Taste {
            structured: false,
            most_output: None,
            patience: None,
        },
    ),
    // It cuts the middle out of what is longer than 30,000 characters in all, and its mark says
    // otherwise.
    (
        "codex-mcp-client",
        Taste {
            structured: false,
            most_output: Some(14_000),
            // It gives up after five minutes.
            patience: Some(Duration::from_secs(280)),
        },
    ),
];

impl Client {
    /// Who sent this request.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        let info = context.client_info();
        let named = info.as_ref().map_or("", |info| info.name.as_str());
        let version = info.as_ref().map_or("", |info| info.version.as_str());
        let capabilities = context.client_capabilities().unwrap_or_default();
        let version_of_protocol = context.protocol_version().unwrap_or_default();
        let taste = TASTES.iter().find(|(name, _)| *name == named);
        Self {
            name: recorded(named, version),
            asks: Asks::of(&capabilities, &version_of_protocol),
            follows_tasks: capabilities.supports_tasks()
                && is_stateless(Some(&version_of_protocol)),
            taste: taste.map_or(USUAL, |(_, taste)| *taste),
        }
    }
}

impl Asks {
    fn of(capabilities: &ClientCapabilities, version: &ProtocolVersion) -> Self {
        let Some(elicitation) = &capabilities.elicitation else {
            return Self::No;
        };
        // Before there were two kinds, saying nothing meant forms.
        if elicitation.form.is_none() && elicitation.url.is_some() {
            return Self::No;
        }
        if is_stateless(Some(version)) {
            Self::BetweenCalls
        } else {
            let titles = version.as_str() >= ProtocolVersion::V_2025_11_25.as_str();
            Self::WithinTheCall { titles }
        }
    }
}

/// Whether this is the generation that keeps no connection. Versions are dates, so they sort.
pub(super) fn is_stateless(version: Option<&ProtocolVersion>) -> bool {
    version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// A client's name as it goes on record: short, and nothing but plain characters.
fn recorded(name: &str, version: &str) -> String {
    let plain = |text: &str| -> String {
        let plain = |c: &char| c.is_ascii_alphanumeric() || "-_./ ".contains(*c);
        text.chars().filter(plain).take(64).collect()
    };
    match (plain(name), plain(version)) {
        (name, _) if name.is_empty() => "unnamed".to_owned(),
        (name, version) if version.is_empty() => name,
        (name, version) => format!("{name} {version}"),
    }
}
