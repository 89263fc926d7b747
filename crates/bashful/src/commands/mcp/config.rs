//! `bashful mcp config`: what a client's configuration needs, and where; nothing is written.

use serde_json::json;

use crate::cli::McpConfigArguments;
use crate::clients::{FileEdit, OwnShell, UserEnvironment, make, parse};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::visible;

pub(super) fn config(arguments: &McpConfigArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let user = UserEnvironment::here()?;
    let client = arguments.client.client();
    let wanted = super::wanted(client, &arguments.wish, &user)?;
    let title = client.title();
    let server = client.server(&wanted, &user);
    let mut parts = vec![Piece {
        purpose: "server",
        words: format!("{title} starts Bashful with this"),
        content: content(&server)?,
        edit: server,
    }];
    let mut notes = Vec::new();
    if wanted.shell == OwnShell::Off
        && let Some(switch) = client.shell(&wanted, &user)
    {
        for edit in switch.edits {
            parts.push(Piece {
                purpose: "shell",
                words: switch.offer.to_owned(),
                content: content(&edit)?,
                edit,
            });
        }
        notes.extend(switch.by_hand.map(str::to_owned));
    }
    if wanted.shell == OwnShell::Hook
        && let Some(edit) = client.hook(&wanted, &user)
    {
        parts.push(Piece {
            purpose: "hook",
            words: "Its own shell goes through Bashful with this".to_owned(),
            content: content(&edit)?,
            edit,
        });
    }
    notes.extend(client.notes(&wanted));
    if arguments.json {
        let files = parts.iter().map(|part| {
            json!({
                "purpose": part.purpose,
                "path": part.edit.path.to_string_lossy(),
                "format": part.edit.format.as_str(),
                "content": part.content,
            })
        });
        printer.json(&json!({
            "v": 1,
            "client": client.name(),
            "scope": wanted.reach.as_str(),
            "files": files.collect::<Vec<_>>(),
            "notes": notes,
        }))?;
        return Ok(Exit::Success);
    }
    let mut out = String::new();
    for part in &parts {
        let path = visible(&part.edit.path.to_string_lossy());
        out.extend([&part.words, "\nIn ", &path, ":\n\n"]);
        for line in part.content.lines() {
            out.push_str(&visible(line));
            out.push('\n');
        }
        out.push('\n');
    }
    for note in &notes {
        out.extend(["Note: ", note, "\n"]);
    }
    printer.data(out.as_bytes())?;
    Ok(Exit::Success)
}

struct Piece {
    purpose: &'static str,
    words: String,
    content: String,
    edit: FileEdit,
}

/// What a file would hold that holds nothing else.
fn content(edit: &FileEdit) -> anyhow::Result<String> {
    let mut document = parse(edit.format, "")?;
    for change in &edit.changes {
        make(&mut *document, change)?;
    }
    Ok(document.text())
}
