//! What a person reads in a client's dialogue, and what the dialogue brings back.

use std::fmt::Write;
use std::time::Duration;

use bashful_engine::approvals::{Answer, Ask, Opening, Scope};
use bashful_engine::{ServerKey, Transfer, is_legible};
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema};
use serde_json::{Value, json};

/// A longer question is not put: a dialogue would cut it, and a person must see the whole command.
const MOST_CHARACTERS: usize = 6_000;
/// The most that a person's word to the agent has.
const MOST_MESSAGE: usize = 2_000;

/// More blanks than this in a row are counted, not shown.
const MOST_BLANKS: usize = 12;

/// The choices, in the order in which they are shown. None is chosen beforehand: a client that
/// answers by itself must not say yes, and must not say no in a person's name either.
const CHOICES: [&str; 5] = ["once", "session", "project", "always", "deny"];

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reply {
    /// The client's user answered.
    Answered(Answer),
    /// The client's user did not, or not in a way that counts; why.
    Nobody(String),
}

/// The dialogue for an ask; none if it cannot be shown whole.
pub(super) fn form(
    ask: &Ask,
    titles: bool,
    session_yes: Option<Duration>,
) -> Option<ElicitRequestParams> {
    // A person cannot say yes to what is not shown.
    if ask.reads_input && ask.input.is_none() {
        return None;
    }
    let message = question(ask)?;
    if message.chars().count() > MOST_CHARACTERS {
        return None;
    }
    let requested_schema: ElicitationSchema =
        serde_json::from_value(schema(ask, titles, session_yes)).ok()?;
    Some(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema,
    })
}

/// All that there is to know. What comes from the agent stands behind a bar.
fn question(ask: &Ask) -> Option<String> {
    let mut text = match ask.script {
        Some(_) => "May this script run whenever it is asked for?\n\n",
        None => "May this command run?\n\n",
    }
    .to_owned();
    behind_a_bar(&mut text, &ask.command);
    if let Some(script) = &ask.script {
        text.push('\n');
        text.push_str(&script::about(script, &ask.command)?);
    }
    if let Some(input) = &ask.input {
        text.push_str("\nIt reads on its standard input:\n\n");
        behind_a_bar(&mut text, input);
    }
    if let Some(memory) = &ask.memory {
        let shell = visible(&memory.shell);
        let _ = write!(
            text,
            "\nIt runs in the shell `{shell}`, which remembers:\n\n"
        );
        behind_a_bar(&mut text, memory.text.trim_end());
    }
    text.push('\n');
    let mut row = |name: &str, words: &str| {
        let _ = writeln!(text, "{name}: {words}");
    };
    let ground = &ask.ground;
    row(
        "Why it asks",
        &format!(
            "{} (rule {})",
            visible(&ground.reason),
            visible(&ground.rule)
        ),
    );
    row("Agent", &visible(&ask.agent));
    if let Some(description) = &ask.description {
        row("It says", &format!("“{}”", visible(description)));
    }
    row("Directory", &visible(&ask.cwd.to_string_lossy()));
    for variable in &ask.variables {
        row("Variable", &visible(variable));
    }
    let listed = |paths: &[String]| match paths {
        [] => "nothing".to_owned(),
        paths => paths
            .iter()
            .map(|path| visible(path))
            .collect::<Vec<_>>()
            .join(", "),
    };
    row("Could write", &listed(&ask.reach.write));
    row(
        "Could read",
        &format!("the system, {}", listed(&ask.reach.read)),
    );
    row("Network", &visible(&ask.reach.network));
    row("Sandbox", &visible(&ask.reach.sandbox));
    if !ask.opens.is_empty() {
        row("A yes opens", &opened(&ask.opens));
    }
    for (name, content) in Transfer::used(&ask.opens.git) {
        row(name, content);
    }
    row("A lasting yes covers", &covered(ask));
    row("Ask", &ask.id);
    Some(text)
}

/// A text from outside, line by line. What would push the rest out of sight is told instead.
fn behind_a_bar(out: &mut String, text: &str) {
    let mut empty = 0;
    for line in text.split('\n') {
        if line.trim().is_empty() {
            empty += 1;
            continue;
        }
        blank_lines(out, std::mem::take(&mut empty));
        let _ = writeln!(out, "  │ {}", visible(line));
    }
    blank_lines(out, empty);
}

fn blank_lines(out: &mut String, count: usize) {
    let _ = match count {
        0 => Ok(()),
        1 => writeln!(out, "  │"),
        count => writeln!(out, "  │ ⟨{count} blank lines⟩"),
    };
}

fn opened(opens: &Opening) -> String {
    let network = opens
        .network
        .iter()
        .map(|network| format!("network {network}"));
    let classes = opens.classes.iter().cloned();
    let read = opens
        .paths_read
        .iter()
        .map(|path| format!("reading {path}"));
    let write = opens.paths_write.iter().map(|path| {
        let made = if opens.makes.contains(path) {
            ", which is made"
        } else {
            ""
        };
        format!("writing {path}{made}")
    });
    let limits = opens.resources.iter();
    let limits = limits.map(|(name, limit)| format!("{name} up to {limit}"));
    let git = opens.git.iter().map(Transfer::in_words);
    let keys = opens.server_keys.iter().map(ServerKey::in_words);
    let links = opens.links.iter();
    let links = links.map(|(name, target)| format!("the link {name} to {target}"));
    let all = network
        .chain(git)
        .chain(keys)
        .chain(classes)
        .chain(read)
        .chain(links)
        .chain(write)
        .chain(limits);
    all.map(|one| visible(&one)).collect::<Vec<_>>().join(", ")
}

fn covered(ask: &Ask) -> String {
    if ask.script.is_some() {
        return "exactly this text with what it declares, until one of them changes".to_owned();
    }
    if ask.directories.is_some() {
        return "every command".to_owned();
    }
    if ask.shapes.is_empty() {
        return "this exact command in this directory".to_owned();
    }
    let shapes = ask.shapes.iter();
    let shapes = shapes.map(|shape| format!("`{}`", visible(&shape.join(" "))));
    shapes.collect::<Vec<_>>().join(" and ")
}

fn schema(ask: &Ask, titles: bool, session_yes: Option<Duration>) -> Value {
    let session = match session_yes {
        None => "until the agent's session ends".to_owned(),
        Some(time) => format!("for {} hours", time.as_secs().div_ceil(3600)),
    };
    let mut names = CHOICES.to_vec();
    let mut titled = vec![
        "Allow once".to_owned(),
        "Allow in this session".to_owned(),
        format!("Allow in this project: {}", covered(ask)),
        format!("Always allow, in every project: {}", covered(ask)),
        "Deny".to_owned(),
    ];
    let mut about = format!(
        "once: this one time; session: {session}; project: in this project, until it is taken \
         back; always: the same for this agent in every session and project; deny: no"
    );
    if ask.script.is_some() {
        // A script is approved by its content, so there is one kind of yes.
        names = vec!["always", "deny"];
        titled = vec!["Approve this script".to_owned(), "Deny".to_owned()];
        "always: it runs without a question until it changes; deny: no".clone_into(&mut about);
    }
    let mut answer = json!({
        "type": "string",
        "title": "Answer",
        "description": about,
    });
    if titles {
        let choices = names.iter().zip(titled);
        let choices = choices.map(|(name, title)| json!({ "const": name, "title": title }));
        answer["oneOf"] = choices.collect();
    } else {
        answer["enum"] = json!(names);
        answer["enumNames"] = json!(titled);
    }
    json!({
        "type": "object",
        "properties": {
            "answer": answer,
            "message": {
                "type": "string",
                "title": "A message to the agent",
                "description": "Optional; sent with a no.",
                "maxLength": MOST_MESSAGE,
            },
        },
        "required": ["answer"],
    })
}

/// What a dialogue brought back.
pub(super) fn reply(result: &ElicitResult) -> Reply {
    match result.action {
        ElicitationAction::Accept => {}
        // A client sends both by itself when it has no person to ask.
        ElicitationAction::Decline => return nobody("it said `decline`"),
        ElicitationAction::Cancel => return nobody("it said `cancel`"),
        _ => return nobody("it gave another reply"),
    }
    let text = |name: &str| {
        let content = result.content.as_ref()?;
        content.get(name)?.as_str().map(str::trim)
    };
    let allow = |scope| {
        Reply::Answered(Answer::Allow {
            scope,
            expires: None,
        })
    };
    match text("answer") {
        Some("once") => allow(Scope::Call),
        Some("session") => allow(Scope::Session),
        Some("project") => allow(Scope::Project),
        Some("always") => allow(Scope::User),
        Some("deny") => {
            let message = text("message").filter(|message| !message.is_empty());
            // One line, which the model cannot take for several of ours.
            let plain = |c: char| if c.is_control() { ' ' } else { c };
            let message =
                message.map(|message| message.chars().take(MOST_MESSAGE).map(plain).collect());
            Reply::Answered(Answer::Deny { message })
        }
        _ => nobody("it accepted without one of the answers"),
    }
}

fn nobody(what: &str) -> Reply {
    Reply::Nobody(format!(
        "no person said yes in the client: {what}, as clients do by themselves when no person is \
         available"
    ))
}

/// Text from outside as one line that shows all there is: what is no plain letter, digit or mark
/// is spelled out, and so are letters that are written from right to left or that look like
/// nothing. Many blanks in a row are counted.
fn visible(text: &str) -> String {
    let mut shown = String::new();
    let mut blanks = 0;
    for c in text.chars() {
        if c == ' ' {
            blanks += 1;
            continue;
        }
        push_blanks(&mut shown, std::mem::take(&mut blanks));
        let letter = c.is_alphanumeric()
            && is_legible(c)
            && matches!(c, '\u{a0}'..'\u{590}' | '\u{1100}'..='\u{d7ff}');
        if c.is_ascii_graphic() || letter || c == '…' {
            shown.push(c);
        } else {
            // Brackets of this kind are spelled as well, so nothing typed looks like this.
            let _ = write!(shown, "⟨U+{:04X}⟩", u32::from(c));
        }
    }
    push_blanks(&mut shown, blanks);
    shown
}

/// Writes a few blanks out and counts more: a person would not notice how many there are.
fn push_blanks(shown: &mut String, count: usize) {
    if count <= MOST_BLANKS {
        shown.extend(std::iter::repeat_n(' ', count));
    } else {
        let _ = write!(shown, " ⟨{count} blanks⟩ ");
    }
}

mod script;
#[cfg(test)]
mod tests;
