//! What the policy says about a command, for people: the decision, then a tree of what it read
//! and found.

use bashful_engine::policy::{Argument, Call, Finding, Redirect, remembered};
use bashful_engine::{Checked, Decision, Effect};

use super::{
    notice::permit,
    sheet::Sheet,
    style::{Style, Tone},
    text,
    underline::underline,
};

/// The columns of the names.
const NAMES: usize = 14;
/// The most rows that one text may take.
const ROWS: usize = 6;
/// The most calls whose facts are shown; `--json` has them all.
const CALLS: usize = 40;
/// The most findings that are shown.
const FINDINGS: usize = 200;
/// The least columns for the text of a branch.
const LEAST_BRANCH: usize = 16;

/// Writes a judgement.
pub(crate) fn show_judgement(checked: &Checked, style: Style, out: &mut Vec<u8>) {
    let decision = &checked.judgement.decision;
    let (sign, tone, word) = said(decision.effect);
    style.paint(tone, &format!("{sign} {word}"), out);
    let by = format!("  {} ({})", text::visible(&decision.rule), decision.layer);
    style.paint(Tone::Rule, &by, out);
    out.extend(b"\n\n");
    command(&checked.text, decision, style, out);
    out.push(b'\n');
    let mut sheet = Sheet {
        style,
        out,
        names: NAMES,
        rows: ROWS,
    };
    sheet.section("Why", Tone::Plain, &decision.reason);
    if let Some(suggestion) = &decision.suggestion {
        sheet.section("Instead", Tone::Plain, suggestion);
    }
    if let Some(suggestion) = &decision.remember {
        sheet.section("A yes covers", Tone::Plain, &remembered(suggestion));
    }
    if decision.effect != Effect::Allow
        && let Some(permit) = permit(decision)
    {
        sheet.section("To permit", Tone::Plain, &permit);
    }
    let mut profile = checked.profile.clone();
    if checked.judgement.fell_back {
        profile.push_str(", here as strict as careful: files and network are not fully enforced");
    }
    sheet.section("Profile", Tone::Plain, &profile);
    tree(checked, style, out);
}

fn said(effect: Effect) -> (&'static str, Tone, &'static str) {
    match effect {
        Effect::Allow => ("✓", Tone::Success, "Allowed"),
        Effect::Ask => ("?", Tone::Warning, "Needs approval"),
        Effect::Deny => ("✗", Tone::Error, "Refused"),
    }
}

/// The command with what the decision is about underlined.
fn command(command: &str, decision: &Decision, style: Style, out: &mut Vec<u8>) {
    let room = style.columns().saturating_sub(2);
    let marked = decision.span.filter(|_| decision.effect != Effect::Allow);
    let Some(span) = marked else {
        for row in text::wrap(&text::visible(command), room, ROWS) {
            out.extend(b"  ");
            style.paint(Tone::Literal, &row, out);
            out.push(b'\n');
        }
        return;
    };
    let (_, tone, _) = said(decision.effect);
    for row in underline(command, span, room) {
        for (tone, part) in [(Tone::Literal, row.line), (tone, row.marks)] {
            if !part.is_empty() {
                out.extend(b"  ");
                style.paint(tone, &part, out);
                out.push(b'\n');
            }
        }
    }
}

/// One node of the tree.
struct Node {
    tone: Tone,
    label: String,
    below: Vec<Node>,
}

impl Node {
    fn leaf(tone: Tone, label: String) -> Self {
        Self {
            tone,
            label,
            below: Vec::new(),
        }
    }
}

/// Every call with what was found about it, then what belongs to none.
fn tree(checked: &Checked, style: Style, out: &mut Vec<u8>) {
    let facts = &checked.facts;
    let shown = facts.calls.get(..CALLS).unwrap_or(&facts.calls);
    let mut nodes: Vec<Node> = shown.iter().map(of_call).collect();
    for (node, call) in nodes.iter_mut().zip(shown) {
        let redirects = call.redirects.iter();
        let redirects = redirects.filter_map(|index| facts.redirects.get(*index));
        node.below.extend(redirects.map(of_redirect));
    }
    if facts.calls.len() > CALLS {
        let more = format!("and {} more calls", facts.calls.len() - CALLS);
        nodes.push(Node::leaf(Tone::Rule, more));
    }
    for finding in checked.judgement.findings.iter().take(FINDINGS) {
        let node = of_finding(finding);
        match owner(finding, shown).and_then(|index| nodes.get_mut(index)) {
            Some(call) => call.below.push(node),
            None if facts.calls.len() <= CALLS => nodes.push(node),
            None => {}
        }
    }
    if nodes.is_empty() {
        return;
    }
    out.push(b'\n');
    draw(&nodes, "", style, out);
}

/// The innermost call that a finding stands in; where several stand in the same place, such as a
/// program and the `sudo` before it, the one whose words it is about.
fn owner(finding: &Finding, calls: &[Call]) -> Option<usize> {
    let (start, end) = finding.span;
    let around = calls.iter().enumerate();
    let around = around.filter(|(_, call)| call.span.0 <= start && end <= call.span.1);
    let nearest = around.min_by_key(|(_, call)| {
        let other = !call.line().starts_with(&finding.fact);
        (call.span.1 - call.span.0, other)
    });
    nearest.map(|(index, _)| index)
}

fn of_call(call: &Call) -> Node {
    let mut label: Vec<String> = call.arguments.iter().map(word).collect();
    if call.open_ended {
        label.push("…".to_owned());
    }
    let mut label = label.join(" ");
    if !call.wrappers.is_empty() {
        label = format!("{label}  (by {})", call.wrappers.join(", "));
    }
    match call.directories.as_slice() {
        [] => label.push_str("  (somewhere)"),
        [_] => {}
        several => label = format!("{label}  (in {})", several.join(" or ")),
    }
    Node::leaf(Tone::Literal, label)
}

/// A word, with what is not known about it in angle brackets.
fn word(argument: &Argument) -> String {
    if argument.is_known() {
        return argument.text.clone();
    }
    let known = argument.known();
    let rest = argument.text.get(known.len()..).unwrap_or_default();
    format!("{known}⟨{rest}⟩")
}

fn of_redirect(redirect: &Redirect) -> Node {
    let verb = if redirect.kind.writes() {
        "writes"
    } else {
        "reads"
    };
    Node::leaf(Tone::Plain, format!("{verb} {}", word(&redirect.target)))
}

fn of_finding(finding: &Finding) -> Node {
    let (sign, tone, _) = said(finding.effect);
    let Finding {
        rule,
        layer,
        reason,
        ..
    } = finding;
    Node::leaf(tone, format!("{sign} {reason}  ({rule}, {layer})"))
}

fn draw(nodes: &[Node], lead: &str, style: Style, out: &mut Vec<u8>) {
    for (index, node) in nodes.iter().enumerate() {
        let last = index + 1 == nodes.len();
        let (branch, below) = if last {
            ("└─ ", "   ")
        } else {
            ("├─ ", "│  ")
        };
        // Lines of a box may take two columns each.
        let room = style.columns().saturating_sub(lead.chars().count() + 6);
        let rows = text::wrap(&text::visible(&node.label), room.max(LEAST_BRANCH), ROWS);
        let hanging = format!("{lead}{below}");
        let under = if node.below.is_empty() { "" } else { "│  " };
        for (number, row) in rows.iter().enumerate() {
            let start = if number == 0 {
                format!("{lead}{branch}")
            } else {
                format!("{hanging}{under}")
            };
            style.paint(Tone::Rule, &start, out);
            style.paint(node.tone, row, out);
            out.push(b'\n');
        }
        draw(&node.below, &hanging, style, out);
    }
}
