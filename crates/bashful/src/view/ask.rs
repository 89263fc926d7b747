//! A question for a person: all that there is to know, and what each answer would remember.

use bashful_engine::Transfer;
use bashful_engine::approvals::{Ask, AskState, Cause, Reachable};

use super::{
    block::Block,
    listing::{ListedRow, Piece, excerpt, listing},
    scripts::{ScriptBefore, ScriptCard},
    style::{Style, Tone},
    text,
};

mod brief;
mod words;

pub(crate) use words::{between, opening, shape, state, subject, witness};

/// The columns of the names.
const NAMES: usize = 12;
/// The columns of the keys and what they do.
const OFFERS: usize = 20;
/// The most rows of an entry that is not the command.
const ROWS: usize = 16;
/// The most rows of what a yes would cover; [`text::visible`] reads no more than that anyway.
const COVERED_ROWS: usize = 500;
/// The sandbox that is none.
const UNCONFINED: &str = "none";
/// What a yes to a script comes to.
const A_YES_TO_A_SCRIPT: &str = "exactly this text with what it declares; it then runs without a \
    question until one of them changes or a person revokes it";
/// More shapes than this are listed once, not with each answer.
const SHAPES_REPEATED: usize = 3;

/// Whether the person who answers can change the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Editing {
    /// It can: the run that asks is the one that hears the answer.
    Offered,
    /// It cannot: an answer from elsewhere is a yes or a no.
    NotHere,
}

/// What can be read, written and reached, in rows.
pub(crate) fn reach_rows(reach: &Reachable) -> Vec<(&'static str, String)> {
    if reach.sandbox == UNCONFINED {
        // Whatever the profile says, nothing holds the command to it.
        let words = "everything that you can: nothing confines it";
        return vec![("Can reach", words.to_owned())];
    }
    let list = |items: &[String], none: &str| match items {
        [] => none.to_owned(),
        _ => items.join(", "),
    };
    vec![
        ("Can read", list(&reach.read, "the system only")),
        ("Can write", list(&reach.write, "nothing")),
        ("Network", reach.network.clone()),
        ("Sandbox", reach.sandbox.clone()),
    ]
}

/// An ask as it is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AskCard<'a> {
    /// The ask, which may hold what an agent wrote.
    pub(crate) ask: &'a Ask,
    /// The time, in milliseconds since 1970.
    pub(crate) now_ms: u64,
}

impl AskCard<'_> {
    /// Writes what is asked, without the answers.
    pub(crate) fn write(&self, style: Style, out: &mut Vec<u8>) {
        let mut block = self.body(style, out);
        if self.ask.state == AskState::Pending && self.ask.script.is_some() {
            block.text("A yes", Tone::Plain, A_YES_TO_A_SCRIPT, ROWS);
        } else if self.ask.state == AskState::Pending {
            self.offer(
                &mut block,
                "Lasting yes",
                "covers this, in the scope that is named",
            );
        }
        block.close();
    }

    /// Writes what is asked, and which key gives which answer.
    pub(crate) fn write_with_offers(&self, editing: Editing, style: Style, out: &mut Vec<u8>) {
        let mut block = self.body(style, out);
        self.answers(&mut block, editing);
        block.close();
    }

    /// Which key gives which answer.
    fn answers(&self, block: &mut Block<'_>, editing: Editing) {
        if self.ask.script.is_some() {
            block.heading("Answers", OFFERS);
            block.text("y  approve", Tone::Plain, A_YES_TO_A_SCRIPT, ROWS);
            self.refusals(block, "v shows the whole script", editing);
            return;
        }
        // What a grant will be bound to is what is said of it.
        let bound = self.ask.is_for_directory();
        let place = if bound {
            "in this directory"
        } else {
            "wherever it works"
        };
        let always = format!("{}, {place}", self.ask.agent);
        // An exact command says so itself.
        let says_so = self.ask.shapes.is_empty();
        let here = |place: &str| {
            if bound && !says_so {
                return format!("{place}, in this directory");
            }
            place.to_owned()
        };
        let project = here(&self.ask.project.to_string_lossy());
        let session = here(&self.ask.session);
        block.heading("Answers", OFFERS);
        let once = "this command, this one time";
        block.text("y  allow once", Tone::Plain, once, ROWS);
        self.opened(block);
        self.offer(block, "s  in this session", &session);
        self.offer(block, "p  in this project", &project);
        self.offer(block, "a  always", &always);
        if editing == Editing::Offered {
            let edit = "the changed command is judged again";
            block.text("e  edit the command", Tone::Plain, edit, ROWS);
        }
        self.refusals(block, "v shows the whole command", editing);
    }

    /// The keys that refuse, and those that answer nothing.
    fn refusals(&self, block: &mut Block<'_>, whole: &str, editing: Editing) {
        let at_the_run = editing == Editing::Offered || self.ask.script.is_some();
        let deny = if at_the_run {
            "also ENTER and Ctrl-C"
        } else {
            "also ENTER"
        };
        block.text("n  deny", Tone::Plain, deny, ROWS);
        let message = "what you type goes to the agent";
        block.text("m  deny and say why", Tone::Plain, message, ROWS);
        block.text("?  help", Tone::Plain, whole, ROWS);
    }

    /// Whether rows of the command are left out.
    pub(crate) fn is_cut(&self, style: Style) -> bool {
        let mut out = Vec::new();
        let block = Block::open(style, (Tone::Heading, ""), NAMES, &mut out);
        let mut pieces = excerpt(self.listed(&block)).into_iter();
        pieces.any(|piece| matches!(piece, Piece::LeftOut(_)))
    }

    /// Writes every row of the command.
    pub(crate) fn write_whole_command(&self, style: Style, out: &mut Vec<u8>) {
        let title = match self.ask.script {
            Some(_) => "The whole script",
            None => "The whole command",
        };
        let mut block = Block::open(style, (Tone::Heading, title), NAMES, out);
        let rows = self.listed(&block);
        let numbered = is_numbered(&rows);
        for row in rows {
            self.write_row(&mut block, row, numbered);
        }
        block.close();
    }

    fn title(&self) -> (Tone, &'static str) {
        match (&self.ask.state, &self.ask.cause) {
            (AskState::Pending, Cause::Policy) if self.ask.script.is_some() => (
                Tone::Warning,
                "? May this script run whenever it is asked for?",
            ),
            (AskState::Pending, Cause::Policy) if self.ask.directories.is_some() => {
                (Tone::Warning, "? May it write there?")
            }
            (AskState::Pending, Cause::Refused { .. }) if self.ask.directories.is_some() => {
                (Tone::Warning, "? It was stopped. May it write there?")
            }
            (AskState::Pending, Cause::Policy) => (Tone::Warning, "? May this command run?"),
            (AskState::Pending, Cause::Refused { .. }) => (
                Tone::Warning,
                "? It was stopped. May it run with more rights?",
            ),
            _ => (Tone::Heading, "An ask that was settled"),
        }
    }

    fn body<'b>(&self, style: Style, out: &'b mut Vec<u8>) -> Block<'b> {
        let mut block = Block::open(style, self.title(), NAMES, out);
        self.command(&mut block);
        self.details(&mut block);
        block
    }

    /// All but the command.
    fn details(&self, block: &mut Block<'_>) {
        let ask = self.ask;
        self.script(block);
        let mut entry = |name: &str, content: &str| {
            block.text(name, Tone::Plain, content, ROWS);
        };
        entry("Agent", &ask.agent);
        if let Some(description) = &ask.description {
            entry("It says", description);
        }
        entry("Directory", &ask.cwd.to_string_lossy());
        for variable in &ask.variables {
            entry("Variable", variable);
        }
        match (&ask.input, ask.reads_input) {
            (Some(input), _) => {
                for line in input.lines() {
                    entry("Input", line);
                }
            }
            (None, true) => entry(
                "Input",
                "it also reads what the agent gives it, which is not shown",
            ),
            (None, false) => {}
        }
        if let Some(memory) = &ask.memory {
            entry("Shell", &format!("{}, which remembers:", memory.shell));
            for line in memory.text.lines() {
                entry("", line);
            }
        }
        entry("Why it asks", &ask.ground.reason);
        entry("Rule", &self.rule());
        if let Cause::Refused { task } = &ask.cause {
            entry("Ran as", task);
        }
        self.reach(&mut entry);
        if !ask.opens.is_empty() {
            entry("A yes opens", &opening(&ask.opens).join(", "));
        }
        for (name, content) in Transfer::used(&ask.opens.git) {
            entry(name, content);
        }
        if ask.count > 1 {
            entry("Asked", &format!("{} times", ask.count));
        }
        entry("Ask", &ask.id);
        if ask.state == AskState::Pending {
            entry("Open for", &self.time_left());
        } else {
            entry("State", &state(&ask.state, self.now_ms));
        }
        if ask.shapes.len() > SHAPES_REPEATED {
            let shapes: Vec<String> = ask.shapes.iter().map(|words| shape(words)).collect();
            for (index, covered) in shapes.iter().enumerate() {
                let name = if index == 0 { "Its shapes" } else { "" };
                block.text(name, Tone::Literal, covered, COVERED_ROWS);
            }
        }
    }

    /// What there is to know about a script besides its text.
    fn script(&self, block: &mut Block<'_>) {
        let Some(script) = &self.ask.script else {
            return;
        };
        block.text("Name", Tone::Plain, script.name.as_str(), ROWS);
        let before = script.approved_before.as_ref();
        let card = ScriptCard {
            name: script.name.as_str(),
            hash: &script.content_hash,
            capabilities: &script.capabilities,
            variables: &script.variables,
            findings: &script.findings,
            // That stands below, as for every command.
            reach: &[],
            before: before.map(|before| ScriptBefore {
                text: before.content.as_deref(),
                is_same_text: before.content_hash == script.content_hash,
                capabilities: &before.capabilities,
                variables: &before.variables,
                at_ms: before.approved_at_ms,
            }),
            now_ms: self.now_ms,
        };
        card.write_rows(&self.ask.command, block);
    }

    /// What the command would be able to read, write and reach.
    fn reach(&self, entry: &mut dyn FnMut(&str, &str)) {
        for (name, content) in reach_rows(&self.ask.reach) {
            entry(name, &content);
        }
    }

    fn rule(&self) -> String {
        let ground = &self.ask.ground;
        let rule = format!("{} ({})", ground.rule, ground.layer);
        match &ground.fact {
            Some(fact) if ground.span.is_none() => format!("{rule}: {fact}"),
            _ => rule,
        }
    }

    fn time_left(&self) -> String {
        let left = between(self.now_ms, self.ask.expires_at_ms);
        format!("{} more", text::whole_seconds(left))
    }

    fn listed(&self, block: &Block<'_>) -> Vec<ListedRow> {
        listing(&self.ask.command, self.ask.ground.span, block.room())
    }

    fn command(&self, block: &mut Block<'_>) {
        let rows = self.listed(block);
        let numbered = is_numbered(&rows);
        for piece in excerpt(rows) {
            match piece {
                Piece::Row(row) => self.write_row(block, row, numbered),
                Piece::LeftOut(count) => {
                    block.remark(&format!("{count} rows left out; v shows all"));
                }
            }
        }
    }

    /// One row of the command, its number in the column of names.
    fn write_row(&self, block: &mut Block<'_>, listed: ListedRow, numbered: bool) {
        let label = match self.ask.script {
            Some(_) => "Script",
            None => "Command",
        };
        let name = match listed.number {
            Some(1) if numbered => format!("{label:<7}{:>5}", 1),
            Some(1) => label.to_owned(),
            Some(number) => format!("{number:>NAMES$}"),
            None => String::new(),
        };
        block.rows(&name, [(Tone::Literal, listed.row.line)]);
        if !listed.row.marks.is_empty() {
            block.rows("", [(Tone::Error, listed.row.marks)]);
        }
    }

    /// One answer that is remembered: for what, and where.
    fn offer(&self, block: &mut Block<'_>, key: &str, place: &str) {
        let shapes = &self.ask.shapes;
        let covered = match shapes.len() {
            _ if self.ask.directories.is_some() => vec!["every command".to_owned()],
            0 => vec!["this exact command in this directory".to_owned()],
            1..=SHAPES_REPEATED => shapes.iter().map(|words| shape(words)).collect(),
            count => vec![format!("each of the {count} shapes above")],
        };
        let mut key = key;
        for covered in covered {
            block.text(key, Tone::Literal, &covered, COVERED_ROWS);
            key = "";
        }
        self.opened(block);
        block.text("", Tone::Rule, place, ROWS);
    }

    /// What a yes opens, beside the answer that does.
    fn opened(&self, block: &mut Block<'_>) {
        if !self.ask.opens.is_empty() {
            let opened = format!("and opens {}", opening(&self.ask.opens).join(", "));
            block.text("", Tone::Warning, &opened, COVERED_ROWS);
        }
    }
}

fn is_numbered(rows: &[ListedRow]) -> bool {
    rows.iter().filter(|row| row.number.is_some()).count() > 1
}

#[cfg(test)]
pub(crate) mod tests;
