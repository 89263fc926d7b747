//! `bashful audit commands`: what was asked to run, and what became of it.

use std::collections::HashMap;
use std::fmt::Write as _;

use bashful_engine::approvals::Cause;
use bashful_engine::audit::{Event, Trail};
use serde_json::json;

use super::select::{Selected, select};
use super::words::columns;
use crate::cli::RecordFilter;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::{harmless_json, shorten, utc, visible};

/// A command and its fate.
struct Asked {
    seq: u64,
    at_ms: u64,
    task: String,
    agent: String,
    session: String,
    command: String,
    /// What the policy said.
    effect: Option<String>,
    /// How it stands: `requested`, `started`, or the status of its end.
    status: String,
    exit_code: Option<i32>,
    /// The same for people.
    became: String,
}

pub(super) fn commands(
    trail: &Trail,
    filter: &RecordFilter,
    json: bool,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    let commands = gather(select(trail, filter, printer)?);
    if json {
        for one in &commands {
            let line = json!({
                "v": 1,
                "seq": one.seq,
                "at_ms": one.at_ms,
                "task": one.task,
                "agent": one.agent,
                "session": one.session,
                "effect": one.effect,
                "status": one.status,
                "exit_code": one.exit_code,
                "command": one.command,
            });
            printer.data(format!("{}\n", harmless_json(&line.to_string())).as_bytes())?;
        }
    } else if commands.is_empty() {
        printer.data(b"No command was asked for.\n")?;
    } else {
        let text = table(&commands, columns(printer));
        printer.data(text.as_bytes())?;
    }
    Ok(Exit::Success)
}

/// Brings together what the records say about each command.
fn gather(records: impl Iterator<Item = Selected>) -> Vec<Asked> {
    let mut commands: Vec<Asked> = Vec::new();
    let mut by_task: HashMap<String, usize> = HashMap::new();
    for selected in records {
        let Some(event) = selected.record.event else {
            continue;
        };
        if let Event::Request(request) = event {
            by_task.insert(request.task.clone(), commands.len());
            commands.push(Asked {
                seq: selected.record.seq,
                at_ms: selected.record.at_ms,
                task: request.task,
                agent: request.agent,
                session: request.session,
                command: request.command,
                effect: None,
                status: "requested".to_owned(),
                exit_code: None,
                became: "requested".to_owned(),
            });
            continue;
        }
        let place = by_task.get(&selected.task);
        if let Some(one) = place.and_then(|place| commands.get_mut(*place)) {
            one.learn(event);
        }
    }
    commands
}

impl Asked {
    fn learn(&mut self, event: Event) {
        match event {
            // The first counts: after a yes the same command is judged anew.
            Event::Decision(decided) => {
                self.effect.get_or_insert(decided.effect);
            }
            // One about what was stopped comes after the end, which it does not change.
            Event::Ask(asked) if asked.ask.cause == Cause::Policy => self.becomes("asked"),
            Event::Start(_) => self.becomes("started"),
            Event::Refusal(refused) => self.becomes(&refused.status),
            Event::End(ended) => {
                self.becomes(&ended.status);
                self.exit_code = ended.exit_code;
                // What a command says itself is its code; any other end has a word of ours.
                if let (Some(code), "success" | "soft_failure" | "hard_failure") =
                    (ended.exit_code, ended.status.as_str())
                {
                    self.became = format!("exit {code}");
                }
            }
            _ => {}
        }
    }

    fn becomes(&mut self, status: &str) {
        status.clone_into(&mut self.status);
        status.clone_into(&mut self.became);
    }
}

fn table(commands: &[Asked], width: usize) -> String {
    let mut text = format!(
        "{:<20}  {:<12}  {:<5}  {:<14}  COMMAND\n",
        "TIME", "AGENT", "SAID", "BECAME"
    );
    for one in commands {
        let agent = shorten(&visible(&one.agent), 12);
        let effect = shorten(&visible(one.effect.as_deref().unwrap_or("-")), 5);
        let became = shorten(&visible(&one.became), 14);
        let left = width.saturating_sub(20 + 12 + 5 + 14 + 9).max(20);
        let command = shorten(&visible(&one.command), left);
        let time = utc(one.at_ms);
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{time:<20}  {agent:<12}  {effect:<5}  {became:<14}  {command}"
        );
    }
    text
}
