//! A question that fits a small terminal: the command, who asks and why, what a yes opens. The rest is
//! a key away, and where something that an agent chose is left out, no yes counts before it was seen.

use bashful_engine::approvals::{AskScript, AskState};

use super::{
    AskCard, COVERED_ROWS, Editing, NAMES, ROWS, SHAPES_REPEATED, UNCONFINED, is_numbered, opening,
    reach_rows, shape,
};
use crate::view::block::Block;
use crate::view::listing::ListedRow;
use crate::view::scripts::capability_rows;
use crate::view::style::{Style, Tone};

/// Rows that a card has around it: the blank one before it and the question.
const AROUND: usize = 2;
/// The least rows of a command.
const LEAST_COMMAND: usize = 3;
/// The most rows of what an agent says it is for, and of where it runs.
const FEW_ROWS: usize = 2;

/// What was shown of an ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Every row of the command, and all that goes into it.
    pub(crate) is_whole: bool,
    /// Only what decides; the rest has to be asked for.
    pub(crate) is_brief: bool,
}

impl AskCard<'_> {
    /// Writes what is asked and the answers, in no more rows than there are if that can be.
    pub(crate) fn write_fitting(
        &self,
        (editing, rows): (Editing, usize),
        style: Style,
        out: &mut Vec<u8>,
    ) -> Shown {
        let mut full = Vec::new();
        self.write_with_offers(editing, style, &mut full);
        let fits = lines(&full) + AROUND <= rows;
        if fits || self.ask.state != AskState::Pending {
            out.append(&mut full);
            return Shown {
                is_whole: !self.is_cut(style),
                is_brief: false,
            };
        }
        let mut below = Vec::new();
        let leaves_out = match &self.ask.script {
            Some(script) => self.below_a_script(script, style, &mut below),
            None => self.below(editing, style, &mut below),
        };
        let room = rows.saturating_sub(AROUND + 1 + lines(&below));
        let mut block = Block::open(style, self.title(), NAMES, out);
        let is_cut = self.some_of_the_command(room.max(LEAST_COMMAND), &mut block);
        out.append(&mut below);
        Shown {
            is_whole: !is_cut && !leaves_out,
            is_brief: true,
        }
    }

    /// Everything, for a person who wants to see it.
    pub(crate) fn write_everything(&self, editing: Editing, style: Style, out: &mut Vec<u8>) {
        let mut block = Block::open(style, self.title(), NAMES, out);
        let rows = self.listed(&block);
        let numbered = is_numbered(&rows);
        for row in rows {
            self.write_row(&mut block, row, numbered);
        }
        self.details(&mut block);
        self.answers(&mut block, editing);
        block.close();
    }

    /// As many rows of the command as there is room for, with those that the question is about;
    /// whether some were left out.
    fn some_of_the_command(&self, room: usize, block: &mut Block<'_>) -> bool {
        let listed = self.listed(block);
        let height = |row: &ListedRow| 1 + usize::from(!row.row.marks.is_empty());
        let numbered = is_numbered(&listed);
        let all: usize = listed.iter().map(height).sum();
        let marked = listed.iter().position(|row| !row.row.marks.is_empty());
        // What says that rows are left out takes a row, too.
        let mut left = if all <= room { room } else { room - 1 };
        let mut hidden = 0;
        for (index, row) in listed.into_iter().enumerate() {
            // The marked row comes with its marks and with what stands before it.
            let is_ahead = marked.is_some_and(|marked| index < marked);
            let kept = if all > room && is_ahead { 3 } else { 0 };
            if Some(index) != marked && left < height(&row) + kept {
                hidden += 1;
                continue;
            }
            if hidden > 0 {
                left_out(hidden, block);
                hidden = 0;
            }
            left = left.saturating_sub(height(&row));
            self.write_row(block, row, numbered);
        }
        if hidden > 0 {
            left_out(hidden, block);
        }
        all > room
    }

    /// What stands below the command; whether something is left out that an agent chose.
    fn below(&self, editing: Editing, style: Style, out: &mut Vec<u8>) -> bool {
        let ask = self.ask;
        let mut own = Vec::new();
        let mut block = Block::open(style, (Tone::Heading, ""), NAMES, &mut own);
        block.text("Why it asks", Tone::Plain, &ask.ground.reason, ROWS);
        block.text("Agent", Tone::Plain, &ask.agent, 1);
        if let Some(description) = &ask.description {
            block.text("It says", Tone::Plain, description, FEW_ROWS);
        }
        let directory = ask.cwd.to_string_lossy();
        block.text("Directory", Tone::Plain, &directory, FEW_ROWS);
        if ask.reach.sandbox == UNCONFINED {
            for (name, reach) in reach_rows(&ask.reach) {
                block.text(name, Tone::Warning, &reach, ROWS);
            }
        }
        if !ask.opens.is_empty() {
            let opened = opening(&ask.opens).join(", ");
            block.text("A yes opens", Tone::Warning, &opened, COVERED_ROWS);
        }
        let mut more: Vec<&str> = Vec::new();
        if !ask.variables.is_empty() {
            more.push("variables that it gets");
        }
        if ask.input.is_some() || ask.reads_input {
            more.push("what it reads");
        }
        if ask.memory.is_some() {
            more.push("what its shell remembers");
        }
        let has_many = ask.shapes.len() > SHAPES_REPEATED;
        if has_many {
            more.push("what a lasting yes covers");
        }
        let leaves_out = !more.is_empty();
        more.push("what it can read, write and reach");
        if has_many {
            let count = format!("each of {} shapes; v lists them", ask.shapes.len());
            block.text("s p a cover", Tone::Plain, &count, 1);
        } else if ask.shapes.is_empty() {
            let exact = "this exact command in this directory";
            block.text("s p a cover", Tone::Plain, exact, 1);
        } else {
            let mut name = "s p a cover";
            for words in &ask.shapes {
                block.text(name, Tone::Literal, &shape(words), COVERED_ROWS);
                name = "";
            }
        }
        block.remark(&format!("v shows more: {}", more.join(", ")));
        let edit = match editing {
            Editing::Offered => ", e edit",
            Editing::NotHere => "",
        };
        let keys = format!(
            "y once, s in this session, p in this project, a always{edit}, n deny, m deny and say why"
        );
        block.text("Answers", Tone::Plain, &keys, ROWS);
        block.close();
        out.extend(without_title(own));
        leaves_out
    }

    /// The same for a script, of which there is always more than fits: a yes is to all of it.
    fn below_a_script(&self, script: &AskScript, style: Style, out: &mut Vec<u8>) -> bool {
        let ask = self.ask;
        let mut own = Vec::new();
        let mut block = Block::open(style, (Tone::Heading, ""), NAMES, &mut own);
        block.text("Why it asks", Tone::Plain, &ask.ground.reason, FEW_ROWS);
        block.text("Name", Tone::Plain, script.name.as_str(), 1);
        block.text("Agent", Tone::Plain, &ask.agent, 1);
        if let Some(description) = &ask.description {
            block.text("It says", Tone::Plain, description, FEW_ROWS);
        }
        for (name, declared) in capability_rows(&script.capabilities) {
            block.text(name, Tone::Warning, &declared, 1);
        }
        if ask.reach.sandbox == UNCONFINED {
            for (name, reach) in reach_rows(&ask.reach) {
                block.text(name, Tone::Warning, &reach, ROWS);
            }
        }
        let mut more = vec!["the whole script", "what it declares"];
        if !script.findings.is_empty() {
            more.push("what was found in it");
        }
        if script.approved_before.is_some() {
            more.push("what changed since a yes");
        }
        block.remark(&format!("v shows more: {}", more.join(", ")));
        let keys = "y approve after v, n deny, m deny and say why";
        block.text("Answers", Tone::Plain, keys, ROWS);
        block.close();
        out.extend(without_title(own));
        true
    }
}

/// A block without the row of its title.
fn without_title(mut block: Vec<u8>) -> Vec<u8> {
    let end = block.iter().position(|byte| *byte == b'\n');
    block.split_off(end.map_or(0, |end| end + 1))
}

fn left_out(rows: usize, block: &mut Block<'_>) {
    block.remark(&format!("{rows} rows left out; v shows all"));
}

fn lines(bytes: &[u8]) -> usize {
    bytes.split(|byte| *byte == b'\n').skip(1).count()
}
