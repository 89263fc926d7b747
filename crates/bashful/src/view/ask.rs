//! A question for a person: all that there is to know, and what each answer would remember.

use bashful_engine::approvals::{Ask, AskState, Cause};

use super::{
    block::Block,
    listing::{ListedRow, Piece, excerpt, listing},
    style::{Style, Tone},
    text,
};

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
/// More shapes than this are listed once, not with each answer.
const SHAPES_REPEATED: usize = 3;

/// Whether the command can be changed by whoever answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Editing {
    /// It can: the run that asks is the one that hears the answer.
    Offered,
    /// It cannot: an answer from elsewhere is a yes or a no.
    NotHere,
}

/// An ask as it is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AskCard<'a> {
    /// The ask.
    pub(crate) ask: &'a Ask,
    /// The time, in milliseconds since 1970.
    pub(crate) now_ms: u64,
}

impl AskCard<'_> {
    /// Writes what is asked, without the answers.
    pub(crate) fn write(&self, style: Style, out: &mut Vec<u8>) {
        let mut block = self.body(style, out);
        if self.ask.state == AskState::Pending {
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
        // What opens something, or is about one text, is for this directory.
        let anywhere = !self.ask.shapes.is_empty() && self.ask.opens.is_empty();
        let place = if anywhere {
            "wherever it works"
        } else {
            "in this directory"
        };
        let always = format!("{}, {place}", self.ask.agent);
        let project = self.ask.project.to_string_lossy();
        block.heading("Answers", OFFERS);
        let once = "this command, this one time";
        block.text("y  allow once", Tone::Plain, once, ROWS);
        self.opened(&mut block);
        self.offer(&mut block, "s  in this session", &self.ask.session);
        self.offer(&mut block, "p  in this project", &project);
        self.offer(&mut block, "a  always", &always);
        if editing == Editing::Offered {
            let edit = "the changed command is judged anew";
            block.text("e  edit the command", Tone::Plain, edit, ROWS);
        }
        let deny = match editing {
            Editing::Offered => "also ENTER and Ctrl-C",
            Editing::NotHere => "also ENTER",
        };
        block.text("n  deny", Tone::Plain, deny, ROWS);
        let message = "what you type goes to the agent";
        block.text("m  deny and say why", Tone::Plain, message, ROWS);
        block.text("?  help", Tone::Plain, "v shows the whole command", ROWS);
        block.close();
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
        let mut block = Block::open(style, (Tone::Heading, "The whole command"), NAMES, out);
        let rows = self.listed(&block);
        let numbered = is_numbered(&rows);
        for row in rows {
            write_row(&mut block, row, numbered);
        }
        block.close();
    }

    fn body<'b>(&self, style: Style, out: &'b mut Vec<u8>) -> Block<'b> {
        let ask = self.ask;
        let title = match (&ask.state, &ask.cause) {
            (AskState::Pending, Cause::Policy) => (Tone::Warning, "? May this command run?"),
            (AskState::Pending, Cause::Refused { .. }) => {
                (Tone::Warning, "? It was stopped. May it run with more?")
            }
            _ => (Tone::Heading, "An ask that was settled"),
        };
        let mut block = Block::open(style, title, NAMES, out);
        self.command(&mut block);
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
        block
    }

    /// What the command would be able to read, write and reach.
    fn reach(&self, entry: &mut dyn FnMut(&str, &str)) {
        let reach = &self.ask.reach;
        if reach.sandbox == UNCONFINED {
            // Whatever the profile says, nothing holds the command to it.
            entry("Can reach", "everything that you can: nothing confines it");
            return;
        }
        let list = |items: &[String], none: &str| match items {
            [] => none.to_owned(),
            _ => items.join(", "),
        };
        entry("Can read", &list(&reach.read, "the system only"));
        entry("Can write", &list(&reach.write, "nothing"));
        entry("Network", &reach.network);
        entry("Sandbox", &reach.sandbox);
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
                Piece::Row(row) => write_row(block, row, numbered),
                Piece::LeftOut(count) => {
                    block.remark(&format!("{count} rows left out; v shows all"));
                }
            }
        }
    }

    /// One answer that is remembered: for what, and where.
    fn offer(&self, block: &mut Block<'_>, key: &str, place: &str) {
        let shapes = &self.ask.shapes;
        let covered = match shapes.len() {
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

/// One row of the command, its number in the column of names.
fn write_row(block: &mut Block<'_>, listed: ListedRow, numbered: bool) {
    let name = match listed.number {
        Some(1) if numbered => format!("{:<7}{:>5}", "Command", 1),
        Some(1) => "Command".to_owned(),
        Some(number) => format!("{number:>NAMES$}"),
        None => String::new(),
    };
    block.rows(&name, [(Tone::Literal, listed.row.line)]);
    if !listed.row.marks.is_empty() {
        block.rows("", [(Tone::Error, listed.row.marks)]);
    }
}

#[cfg(test)]
pub(crate) mod tests;
