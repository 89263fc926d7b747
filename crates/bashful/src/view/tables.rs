//! Asks and grants for people: a row each.

use bashful_engine::approvals::{Ask, AskState, Grant, Scope};

use super::{
    ask::{between, opening, subject, witness},
    style::{Style, Tone},
    text::{columns_of, shorten, size, visible, whole_seconds},
};

/// The widest columns, but for the last.
const WIDEST: usize = 24;
/// The least columns of the last.
const LEAST_LAST: usize = 20;
/// The least letters of an id that are shown.
const LEAST_ID: usize = 4;

/// Writes a table of asks; those that differ in nothing that matters share a row.
pub(crate) fn show_asks(
    asks: &[Ask],
    known: &[&str],
    now_ms: u64,
    style: Style,
    out: &mut Vec<u8>,
) {
    if asks.is_empty() {
        out.extend(b"Nothing waits for an answer.\n");
        return;
    }
    let mut groups: Vec<(&Ask, usize)> = Vec::new();
    for ask in asks {
        match groups.iter_mut().find(|(first, _)| alike(first, ask)) {
            Some((_, count)) => *count += 1,
            None => groups.push((ask, 1)),
        }
    }
    let rows = groups.into_iter().map(|(ask, count)| {
        let capability = ask.ground.capability.clone();
        let what = match &ask.script {
            // Each version of a script is another question.
            Some(script) => format!("script {}", super::short_hash(&script.content_hash)),
            None => capability.unwrap_or_else(|| ask.ground.rule.clone()),
        };
        let command = match &ask.script {
            Some(script) => format!("script {}", script.name),
            None => ask.command.clone(),
        };
        let command = match count {
            1 => command,
            _ => format!("({count} like this) {command}"),
        };
        let age = whole_seconds(between(ask.created_at_ms, now_ms));
        let state = ask.state.as_str().to_owned();
        vec![
            short_id(&ask.id, known),
            age,
            state,
            ask.agent.clone(),
            what,
            command,
        ]
    });
    let header = ["ID", "AGE", "STATE", "AGENT", "WHAT", "COMMAND"];
    table(&header, rows.collect(), style, out);
}

/// Whether one answer would do for both: the same agent is asked about for the same reason and
/// the same shapes or, without shapes, the same text.
pub(crate) fn alike(one: &Ask, other: &Ask) -> bool {
    let about = |ask: &Ask| ask.script.as_ref().map(|script| script.id);
    let same_text = || !one.shapes.is_empty() || one.digest == other.digest;
    one.agent == other.agent
        && one.state.as_str() == other.state.as_str()
        && one.ground.rule == other.ground.rule
        && one.opens == other.opens
        && one.shapes == other.shapes
        && same_text()
        && about(one) == about(other)
        && matches!(one.state, AskState::Pending)
}

/// Writes a table of grants.
pub(crate) fn show_grants(
    grants: &[Grant],
    known: &[&str],
    now_ms: u64,
    style: Style,
    out: &mut Vec<u8>,
) {
    if grants.is_empty() {
        out.extend(b"Nothing is granted.\n");
        return;
    }
    let rows = grants.iter().map(|grant| {
        vec![
            short_id(&grant.id, known),
            grant.scope.to_string(),
            until(grant, now_ms),
            grant.agent.clone(),
            opening(&grant.opens).join(", "),
            subject(&grant.subject).join(" | "),
        ]
    });
    let header = ["ID", "SCOPE", "UNTIL", "AGENT", "OPENS", "WHAT"];
    table(&header, rows.collect(), style, out);
}

/// All that is known about a grant.
pub(crate) fn grant_entries(grant: &Grant, now_ms: u64) -> Vec<(&'static str, String)> {
    let mut entries = vec![
        ("Grant", grant.id.clone()),
        ("Scope", grant.scope.to_string()),
    ];
    let subjects = subject(&grant.subject).into_iter();
    entries.extend(subjects.map(|text| ("What", text)));
    let opens = opening(&grant.opens);
    if !opens.is_empty() {
        entries.push(("Opens", opens.join(", ")));
    }
    entries.push(("Agent", grant.agent.clone()));
    let session = grant.session.clone();
    entries.extend(session.map(|session| ("Session", session)));
    let path = |path: &std::path::PathBuf| path.to_string_lossy().into_owned();
    entries.extend(grant.project.as_ref().map(|at| ("Project", path(at))));
    entries.extend(grant.directory.as_ref().map(|at| ("Directory", path(at))));
    entries.push(("Until", until(grant, now_ms)));
    entries.push(("Given by", witness(&grant.by)));
    entries.extend(grant.ask.clone().map(|ask| ("Ask", ask)));
    entries
}

/// Writes a table of clients.
pub(crate) fn show_clients(rows: Vec<[String; 5]>, style: Style, out: &mut Vec<u8>) {
    let header = ["CLIENT", "FOUND", "SET UP", "OWN SHELL", "NEXT"];
    let rows = rows.into_iter().map(Vec::from);
    table(&header, rows.collect(), style, out);
}

/// A cache, as a row says it.
#[derive(Debug)]
pub(crate) struct CacheRow {
    pub(crate) agent: String,
    pub(crate) project: String,
    pub(crate) bytes: u64,
    pub(crate) last_used_ms: Option<u64>,
    pub(crate) in_use: bool,
}

/// Writes a table of caches.
pub(crate) fn show_caches(rows: Vec<CacheRow>, now_ms: u64, style: Style, out: &mut Vec<u8>) {
    if rows.is_empty() {
        out.extend(b"Nothing is cached.\n");
        return;
    }
    let rows = rows.into_iter().map(|row| {
        let ago = |at| format!("{} ago", whole_seconds(between(at, now_ms)));
        let used = match row.last_used_ms {
            _ if row.in_use => "in use".to_owned(),
            Some(at) => ago(at),
            None => String::new(),
        };
        vec![row.agent, size(row.bytes), used, row.project]
    });
    let header = ["AGENT", "SIZE", "LAST USED", "PROJECT"];
    table(&header, rows.collect(), style, out);
}

/// Until when a grant holds, or why it does not.
fn until(grant: &Grant, now_ms: u64) -> String {
    if grant.claimed_by.is_some() {
        return "used up".to_owned();
    }
    if grant.revoked_at_ms.is_some() {
        return "revoked".to_owned();
    }
    match grant.expires_at_ms {
        None if grant.scope == Scope::Call => "one run".to_owned(),
        None => "no end".to_owned(),
        Some(end) if grant.holds_at(now_ms) => {
            format!("{} more", whole_seconds(between(now_ms, end)))
        }
        Some(_) => "expired".to_owned(),
    }
}

/// The shortest beginning of an id that is like no other, without its first part.
fn short_id(id: &str, known: &[&str]) -> String {
    let letters = id.find('-').map_or(0, |at| at + 1);
    let is_unique = |start: &str| {
        let like = known.iter().filter(|other| other.starts_with(start));
        like.count() <= 1
    };
    let lengths = letters + LEAST_ID..id.len();
    let mut starts = lengths.filter_map(|length| id.get(..length));
    let short = starts.find(|start| is_unique(start)).unwrap_or(id);
    short.get(letters..).unwrap_or(id).to_owned()
}

/// Columns as wide as they need to be; the last takes what is left. Everything is made safe here.
pub(super) fn table(header: &[&str], rows: Vec<Vec<String>>, style: Style, out: &mut Vec<u8>) {
    let safe = |row: Vec<String>| row.iter().map(|cell| visible(cell)).collect();
    let rows: Vec<Vec<String>> = rows.into_iter().map(safe).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let widest = cells.map(|cell| columns_of(cell)).max().unwrap_or(0);
        let name = header.get(column).map_or(0, |name| name.len());
        widest.clamp(name, WIDEST)
    };
    let widths: Vec<usize> = (0..header.len().saturating_sub(1)).map(width).collect();
    let taken: usize = widths.iter().map(|width| width + 2).sum();
    let room = style.room_beside(taken).max(LEAST_LAST);
    let mut line = |tone: Tone, cells: &[String]| {
        let mut row = String::new();
        for (index, cell) in cells.iter().enumerate() {
            let width = widths.get(index).copied();
            let cell = shorten(cell, width.unwrap_or(room));
            row.push_str(&cell);
            if let Some(width) = width {
                row.push_str(&" ".repeat(width.saturating_sub(columns_of(&cell)) + 2));
            }
        }
        // On a narrow terminal a row is cut, not wrapped.
        let row = if style.is_narrow() {
            shorten(row.trim_end(), style.columns())
        } else {
            row
        };
        style.paint(tone, &row, out);
        out.push(b'\n');
    };
    let header: Vec<String> = header.iter().map(|name| (*name).to_owned()).collect();
    line(Tone::Heading, &header);
    for row in &rows {
        line(Tone::Plain, row);
    }
}

#[cfg(test)]
mod tests {
    use super::super::ask::tests::ask_about;
    use super::super::style::Colour;
    use super::*;

    #[test]
    fn ids_are_as_short_as_they_can_be() {
        let known = ["ask-abcdefgh", "ask-abcdxfgh", "ask-zzzzzzzz", "ask-zzzz"];
        let short = known.map(|id| short_id(id, &known));
        assert_eq!(short, ["abcde", "abcdx", "zzzzz", "zzzz"]);
    }

    #[test]
    fn no_row_is_wider_than_a_narrow_terminal() {
        let style = Style {
            width: 40,
            colour: Colour::Off,
        };
        let cell = |text: &str| text.repeat(10);
        let mut out = Vec::new();
        table(
            &["ONE", "TWO", "LAST"],
            vec![vec![cell("abc"), cell("日本"), cell("x")]],
            style,
            &mut out,
        );
        for line in String::from_utf8(out).unwrap().lines() {
            assert!(columns_of(line) < 40, "{line}");
        }
    }

    #[test]
    fn equal_asks_share_a_row_and_nothing_breaks_the_table() {
        let mut other = ask_about("git push origin \u{1b}[2J\nx");
        other.id = "ask-2".to_owned();
        let mut deploy = ask_about("make deploy");
        deploy.shapes.clear();
        let asks = [ask_about("git push origin main"), other, deploy];
        let known: Vec<&str> = asks.iter().map(|ask| ask.id.as_str()).collect();
        let style = Style {
            width: 80,
            colour: Colour::Off,
        };
        let now = asks[0].created_at_ms + 5000;
        let mut out = Vec::new();
        show_asks(&asks, &known, now, style, &mut out);
        let expected = "\
ID  AGE  STATE    AGENT   WHAT      COMMAND
1   5s   pending  claude  git-push  (2 like this) git push origin main
1   5s   pending  claude  git-push  make deploy
";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
        let mut out = Vec::new();
        show_asks(&asks[1..2], &known, now, style, &mut out);
        let text = String::from_utf8(out).unwrap();
        assert!(text.ends_with("git push origin ␛[2J␊x\n"), "{text}");
    }
}
