//! `bashful mcp status`: which clients are set up, and whether their own shell is still on.

use serde_json::{Value, json};

use crate::clients::{ClientStanding, ShellState, UserEnvironment, all, standing};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::show_clients;

pub(super) fn status(as_json: bool, printer: &Printer) -> anyhow::Result<Exit> {
    let user = UserEnvironment::here()?;
    let clients: Vec<ClientStanding> = all().map(|client| standing(client, &user)).collect();
    if as_json {
        let clients: Vec<Value> = clients.iter().map(in_json).collect();
        printer.json(&json!({ "v": 1, "clients": clients }))?;
        return Ok(Exit::Success);
    }
    let mut out = Vec::new();
    let rows = clients.iter().map(row).collect();
    show_clients(rows, printer.data_style(), &mut out);
    printer.data(&out)?;
    for client in &clients {
        for problem in &client.problems {
            printer.note("warning", problem);
        }
        let missing = client.entries.iter().filter(|entry| !entry.runs);
        for entry in missing {
            printer.note(
                "warning",
                &format!(
                    "{} is set to start `{}`, which does not exist ({})",
                    client.title,
                    entry.command,
                    entry.file.display()
                ),
            );
        }
    }
    Ok(Exit::Success)
}

fn row(client: &ClientStanding) -> [String; 5] {
    let reaches = client.entries.iter().map(|entry| {
        let broken = if entry.runs { "" } else { " (broken)" };
        format!("{}{broken}", entry.reach.as_str())
    });
    let reaches: Vec<String> = reaches.collect();
    let found = client.is_found();
    [
        client.title.to_owned(),
        if found { "yes" } else { "no" }.to_owned(),
        if reaches.is_empty() {
            "no".to_owned()
        } else {
            reaches.join(", ")
        },
        match client.shell {
            ShellState::On if !found => "",
            ShellState::Asks => "on, asks first",
            ShellState::Hooked => "through Bashful",
            shell => shell.as_str(),
        }
        .to_owned(),
        client.next().unwrap_or_default(),
    ]
}

fn in_json(client: &ClientStanding) -> Value {
    let entries = client.entries.iter().map(|entry| {
        json!({
            "scope": entry.reach.as_str(),
            "file": entry.file.to_string_lossy(),
            "command": entry.command,
            "runs": entry.runs,
        })
    });
    let path = |path: &std::path::PathBuf| path.to_string_lossy().into_owned();
    json!({
        "client": client.name,
        "title": client.title,
        "found": client.is_found(),
        "program": client.program.as_ref().map(path),
        "directory": client.directory.as_ref().map(path),
        "set_up": entries.collect::<Vec<_>>(),
        "own_shell": client.shell.as_str(),
        "problems": client.problems,
        "next": client.next(),
    })
}
