//! `bashful mcp install`: sets a client up, after showing what that changes.

use bashful_engine::approvals::{AnsweredBy, Channel};

use super::consent::{Consent, Word};
use super::draft::{Draft, Note, Part};
use crate::cli::InstallArguments;
use crate::clients::{
    Client, OwnShell, Receipts, SetUp, ShellState, Switch, SwitchEffect, UserEnvironment, Written,
    standing,
};
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::show_block;

/// The person said no.
pub(super) const DECLINED: Exit = Exit::Command(1);

pub(super) fn install(arguments: &InstallArguments, printer: &Printer) -> anyhow::Result<Exit> {
    // What we run must not open its own cage.
    AnsweredBy::outside(Channel::Terminal)?;
    let user = UserEnvironment::here()?;
    let client = arguments.client.client();
    let wanted = super::wanted(client, &arguments.wish, &user)?;
    let consent = Consent::of(arguments, printer);
    if arguments.remove {
        return super::remove::remove(client, &wanted, &user, &consent, printer);
    }
    let mut installing = Installing {
        client,
        wanted: &wanted,
        user: &user,
        consent: &consent,
        draft: Draft::new(&user, wanted.reach),
        notes: Vec::new(),
        changed: false,
    };
    match installing.agreed()? {
        Word::Yes => installing.finish(printer),
        Word::No => {
            printer.data(b"Nothing was changed.\n")?;
            Ok(DECLINED)
        }
        Word::Stop => Ok(Exit::Cancelled),
    }
}

struct Installing<'a> {
    client: &'a dyn Client,
    wanted: &'a SetUp,
    user: &'a UserEnvironment,
    consent: &'a Consent<'a>,
    draft: Draft<'a>,
    notes: Vec<String>,
    /// Whether anything is to be written.
    changed: bool,
}

impl Installing<'_> {
    /// Shows each part and asks about it; no to the first ends it.
    fn agreed(&mut self) -> anyhow::Result<Word> {
        let title = self.client.title();
        let server = self.client.server(self.wanted, self.user);
        let parts: Vec<Part> = self.draft.make(&server)?.into_iter().collect();
        if !parts.is_empty() {
            let heading = format!("{title} starts Bashful, and has its tools:");
            self.consent.show(&heading, &parts)?;
            match self.consent.ask(&format!("Set {title} up?"))? {
                Word::Yes => self.changed = true,
                word => return Ok(word),
            }
        }
        match self.wanted.shell {
            OwnShell::Off => self.offer_switch(),
            OwnShell::Hook => self.offer_hook(),
            OwnShell::Kept => {
                self.warn_about_shell();
                Ok(Word::Yes)
            }
        }
    }

    fn offer_switch(&mut self) -> anyhow::Result<Word> {
        let Some(switch) = self.client.shell(self.wanted, self.user) else {
            return Ok(Word::Yes);
        };
        let question = match switch.effect {
            SwitchEffect::Off => "Switch its own shell off? Otherwise nothing is protected.",
            SwitchEffect::Asks => "Have it ask before each command of its own shell?",
        };
        let mark = self.draft.mark();
        let mut parts = Vec::new();
        for edit in &switch.edits {
            parts.extend(self.draft.make(edit)?);
        }
        let word = self.offer(switch.offer, &parts, question)?;
        if word == Word::No {
            self.draft.back_to(&mark);
            self.warn_about_shell();
            return Ok(Word::Yes);
        }
        self.explain(&switch);
        Ok(word)
    }

    fn offer_hook(&mut self) -> anyhow::Result<Word> {
        let title = self.client.title();
        let hook = self.client.hook(self.wanted, self.user).ok_or_else(|| {
            UsageError(format!(
                "{title} has no hook that could send its commands through Bashful"
            ))
        })?;
        if standing(self.client, self.user).shell == ShellState::Off {
            self.notes.push(format!(
                "Its own shell is switched off, so the hook has nothing to do; `bashful mcp \
                 install {} --remove` undoes that.",
                self.client.name()
            ));
        }
        let mark = self.draft.mark();
        let parts: Vec<Part> = self.draft.make(&hook)?.into_iter().collect();
        let offer =
            "The hook judges what its own shell is about to run, and sends it through Bashful.";
        let word = self.offer(offer, &parts, "Add the hook?")?;
        if word == Word::No {
            self.draft.back_to(&mark);
            self.warn_about_shell();
            return Ok(Word::Yes);
        }
        Ok(word)
    }

    fn offer(&mut self, offer: &str, parts: &[Part], question: &str) -> anyhow::Result<Word> {
        if parts.is_empty() {
            return Ok(Word::Yes);
        }
        self.consent.show(offer, parts)?;
        let word = self.consent.ask(question)?;
        self.changed |= word == Word::Yes;
        Ok(word)
    }

    fn explain(&mut self, switch: &Switch) {
        self.notes.extend(switch.by_hand.map(str::to_owned));
    }

    fn warn_about_shell(&mut self) {
        self.notes.push(format!(
            "{}'s own shell is still on; Bashful neither judges nor confines what it runs there.",
            self.client.title()
        ));
    }

    fn finish(self, printer: &Printer) -> anyhow::Result<Exit> {
        let title = self.client.title();
        if !self.changed {
            let heading = format!("{title} is already set up; nothing was changed");
            return finished(&heading, &[], &self.notes, printer);
        }
        if let Consent::DryRun(_) = self.consent {
            printer.data(b"Nothing was written, as asked (--dry-run).\n")?;
            return Ok(Exit::Success);
        }
        let mut receipts = Receipts::load(&crate::commands::places()?)?;
        let written = self.draft.write(&mut receipts, Note::Done)?;
        let mut notes = self.notes;
        notes.extend(self.client.notes(self.wanted));
        finished(&format!("{title} is set up"), &written, &notes, printer)
    }
}

/// Tells what was written.
pub(super) fn finished(
    heading: &str,
    written: &[Written],
    notes: &[String],
    printer: &Printer,
) -> anyhow::Result<Exit> {
    let mut entries = Vec::new();
    for file in written {
        entries.push(("Wrote", file.path.display().to_string()));
        let backup = file.backup.as_ref();
        entries.extend(backup.map(|path| ("Backup", path.display().to_string())));
    }
    entries.extend(notes.iter().map(|note| ("Note", note.clone())));
    let mut out = Vec::new();
    show_block(heading, &entries, printer.data_style(), &mut out);
    printer.data(&out)?;
    Ok(Exit::Success)
}
