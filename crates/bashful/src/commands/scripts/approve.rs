//! `bashful scripts approve`: a person looks at a script and says yes to exactly that.

use bashful_engine::approvals::{AnsweredBy, Channel, NotAPerson};
use bashful_engine::scripts::{ScriptView, Scripts, Seen};
use bashful_engine::{Engine, in_full};

use super::Teller;
use crate::exit::Exit;
use crate::prompt::{Terminal, Waiting, confirm, now_ms};
use crate::view::{ScriptBefore, ScriptCard, reach_rows};

/// The person did not say yes.
const NOT_APPROVED: Exit = Exit::Command(1);

/// What is to be approved, and how.
pub(super) struct Wish<'a> {
    pub(super) script: &'a str,
    pub(super) asks: Asks,
    /// What it must be, if the person looked at it before.
    pub(super) digest: Option<&'a str>,
    pub(super) json: bool,
}

/// Who is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    /// The person at this terminal.
    Here,
    /// No person: the command line itself is the yes.
    Nobody,
}

pub(super) fn approve(engine: &Engine, wish: &Wish<'_>, tell: &Teller<'_>) -> anyhow::Result<Exit> {
    let scripts = engine.scripts();
    if wish.asks == Asks::Nobody {
        let seen = wish.digest.map_or(Seen::AsItIs, Seen::Digest);
        let approved = scripts.approve(wish.script, seen, &witness()?)?;
        tell.change(TITLE, &approved, wish.json)?;
        return Ok(Exit::Success);
    }
    let by = AnsweredBy::here(Channel::Terminal).map_err(|error| {
        let without = error == NotAPerson::NoTerminal;
        let error = anyhow::Error::new(error);
        if without {
            error.context("there is no person to ask here, and `--yes` was not given")
        } else {
            error
        }
    })?;
    let view = scripts.show(wish.script)?;
    let lasts = view.script.approval.as_ref();
    let lasts = lasts.is_some_and(|approval| approval.expires_at_ms.is_none());
    let as_wanted = wish.digest.is_none_or(|digest| digest == view.digest);
    if view.approved && lasts && as_wanted {
        tell.change(ALREADY, &view, wish.json)?;
        return Ok(Exit::Success);
    }
    let id = view.script.id.to_string();
    let said = ask(&scripts, &view, tell)?;
    if !said {
        tell.printer.note(
            "note",
            "nothing was changed, and the script is still not approved",
        );
        return Ok(NOT_APPROVED);
    }
    // What was on the screen, and nothing else.
    let digest = wish.digest.unwrap_or(&view.digest);
    let approved = scripts.approve(&id, Seen::Digest(digest), &by)?;
    tell.change(TITLE, &approved, wish.json)?;
    Ok(Exit::Success)
}

const ALREADY: &str = "Already approved, exactly as it is";

const TITLE: &str = "Approved: it runs without a question until it or what it declares changes";

/// The person who changes an approval from this process. Without a terminal it is the command line
/// that speaks; what Bashful runs never does.
pub(super) fn witness() -> Result<AnsweredBy, NotAPerson> {
    match AnsweredBy::here(Channel::Terminal) {
        Err(NotAPerson::NoTerminal) => AnsweredBy::outside(Channel::CommandLine),
        known => known,
    }
}

/// Shows all there is to know, and asks.
fn ask(scripts: &Scripts<'_>, view: &ScriptView, tell: &Teller<'_>) -> anyhow::Result<bool> {
    let script = &view.script;
    let id = script.id.to_string();
    let findings = scripts.validate(&id)?.findings;
    let before = script.approval.as_ref();
    let changed = before.filter(|before| before.approved_hash != script.content_hash);
    // A text that is not kept any more cannot be compared.
    let old = changed.and_then(|before| scripts.version(&id, &before.approved_hash).ok());
    let reach = match scripts.reach(&id) {
        Ok(reach) => reach_rows(&reach),
        Err(error) => vec![("Not told", in_full(&error))],
    };
    let Some(terminal) = Terminal::open(tell.printer.manner()) else {
        anyhow::bail!(NotAPerson::NoTerminal);
    };
    let card = ScriptCard {
        name: script.name.as_str(),
        hash: &script.content_hash,
        capabilities: &script.capabilities,
        variables: &script.variables,
        findings: &findings,
        reach: &reach,
        before: before.map(|before| ScriptBefore {
            text: old.as_ref().map(|(_, text)| text.as_str()),
            is_same_text: before.approved_hash == script.content_hash,
            capabilities: &before.capabilities,
            variables: &before.variables,
            at_ms: before.approved_at_ms,
        }),
        now_ms: now_ms(),
    };
    let mut out = b"\n".to_vec();
    let text = view.content.as_deref().unwrap_or_default();
    card.write_whole(text, terminal.style(), &mut out);
    terminal.write(&out);
    let waiting = Waiting::new(&terminal, None, None);
    Ok(confirm("Approve it as it is?", &waiting) == Some(true))
}
