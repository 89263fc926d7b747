//! From a text to facts.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::context::Context;
use crate::facts::{Argument, Facts, Input, Span, Unknown, UnknownKind, walk};
use crate::shell::{self, Base};

/// More text than this is more than a person reads before saying yes.
const LONG: usize = 10 * 1024;
/// Texts up to this long, with few enough brackets, are read on the caller's stack.
const SHORT: usize = 512;
const FEW_BRACKETS: usize = 16;
/// Others are read on a stack of their own, which is large enough for the deepest text.
const STACK: usize = 32 << 20;

/// Reads everything that a command's text would do.
///
/// `~` is judged as what it is in the run. Where that is not known, it is judged as the real home and
/// as the workspace, so texts that name it are followed twice.
///
/// ```
/// use bashful_policy::{Context, read};
///
/// let facts = read("cd sub && git push", &Context::default());
/// let programs: Vec<&str> = facts.calls.iter().map(|call| call.program()).collect();
/// assert_eq!(programs, ["cd", "git"]);
/// ```
pub fn read(text: &str, context: &Context) -> Facts {
    let remembers = context.shell.as_ref();
    let functions = remembers.map_or("", |memory| memory.functions.as_str());
    let facts = on_enough_stack(&[text, functions], || read_here(text, context));
    facts.unwrap_or_else(|| unreadable(text))
}

/// Runs `work`, which parses these texts: on this stack if all of them together are short and
/// shallow, otherwise in a thread with a larger one. None if there is no such thread, or if `work`
/// panics: the parser is another project's, and a fault in it makes a text unreadable.
pub(crate) fn on_enough_stack<T: Send>(
    texts: &[&str],
    work: impl FnOnce() -> T + Send,
) -> Option<T> {
    let is_bracket = |byte: &u8| matches!(byte, b'(' | b'{' | b'`' | b'[');
    let length: usize = texts.iter().map(|text| text.len()).sum();
    let bytes = texts.iter().flat_map(|text| text.bytes());
    if length <= SHORT && bytes.filter(is_bracket).count() <= FEW_BRACKETS {
        return catch_unwind(AssertUnwindSafe(work)).ok();
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let working = thread.spawn_scoped(scope, work);
        working.ok().and_then(|working| working.join().ok())
    })
}

/// The facts of a text of which nothing is known.
fn unreadable(text: &str) -> Facts {
    let unknown = Unknown {
        span: (0, text.len()),
        kind: UnknownKind::TooComplex,
        fact: String::new(),
    };
    Facts {
        unknowns: vec![unknown],
        ..Facts::default()
    }
}

fn read_here(text: &str, context: &Context) -> Facts {
    let tree = shell::parse(text, Base::Offset(0));
    let home = context.run_home.as_ref().or(context.home.as_ref());
    let home = home.map(String::as_str);
    let mut facts = walk(text, &tree, context, home);
    let inside = context.workspace.as_deref();
    let names_home = || text.contains('~') || text.contains("HOME") || text.contains("cd");
    if context.run_home.is_none() && inside.is_some() && inside != home && names_home() {
        let other = walk(text, &tree, context, inside);
        if other.calls.len() == facts.calls.len() {
            add_differing(&mut facts, other);
        } else {
            append(&mut facts, other);
        }
    }
    characters(text, &mut facts);
    if text.len() > LONG {
        facts.unknowns.push(Unknown {
            span: (0, text.len()),
            kind: UnknownKind::Length,
            fact: format!("{} bytes", text.len()),
        });
    }
    facts
}

/// Adds what the second walk saw differently. Both saw the same calls in the same order, so what
/// one of them says about another is true of both.
fn add_differing(facts: &mut Facts, more: Facts) {
    fn add<T: PartialEq>(known: &mut Vec<T>, more: Vec<T>) {
        let end = known.len();
        for (index, fact) in more.into_iter().enumerate() {
            if index >= end || known.get(index) != Some(&fact) {
                known.push(fact);
            }
        }
    }
    add(&mut facts.calls, more.calls);
    add(&mut facts.redirects, more.redirects);
    add(&mut facts.assignments, more.assignments);
    add(&mut facts.unknowns, more.unknowns);
}

/// Puts the facts of a second walk behind those of the first.
fn append(facts: &mut Facts, mut more: Facts) {
    let by = facts.calls.len();
    let (redirects, assignments) = (facts.redirects.len(), facts.assignments.len());
    let shift = |range: &mut Range<usize>| *range = range.start + by..range.end + by;
    let shift_argument = |argument: &mut Argument| argument.sources.iter_mut().for_each(shift);
    for call in &mut more.calls {
        call.arguments.iter_mut().for_each(shift_argument);
        match &mut call.input {
            Input::Pipe(range) => shift(range),
            Input::Text(argument) | Input::File(argument) => shift_argument(argument),
            Input::Inherited => {}
        }
        call.redirects
            .iter_mut()
            .for_each(|index| *index += redirects);
        call.assignments
            .iter_mut()
            .for_each(|index| *index += assignments);
    }
    more.redirects
        .iter_mut()
        .for_each(|redirect| shift_argument(&mut redirect.target));
    more.assignments
        .iter_mut()
        .for_each(|assignment| shift_argument(&mut assignment.value));
    more.functions
        .iter_mut()
        .for_each(|function| shift(&mut function.body));
    facts.calls.append(&mut more.calls);
    facts.redirects.append(&mut more.redirects);
    facts.assignments.append(&mut more.assignments);
    facts.functions.append(&mut more.functions);
    for unknown in more.unknowns {
        if !facts.unknowns.contains(&unknown) {
            facts.unknowns.push(unknown);
        }
    }
}

/// Flags characters that a reader cannot see or would mistake for others.
fn characters(text: &str, facts: &mut Facts) {
    if text
        .bytes()
        .all(|byte| matches!(byte, b'\t' | b'\n' | 0x20..0x7f))
    {
        return;
    }
    let mut found: Vec<(Span, String)> = Vec::new();
    let hidden = text
        .char_indices()
        .find(|(_, character)| is_hidden(*character));
    if let Some((at, character)) = hidden {
        let span = (at, at + character.len_utf8());
        found.push((span, format!("U+{:04X}", u32::from(character))));
    }
    for call in &facts.calls {
        let name = call.arguments.first();
        let name = name.filter(|name| !name.text.is_ascii());
        let dash = call
            .arguments
            .iter()
            .find(|word| word.text.starts_with(is_dash));
        if let Some(word) = name.or(dash) {
            found.push((word.span, word.text.clone()));
            break;
        }
    }
    for (span, fact) in found {
        facts.unknowns.push(Unknown {
            span,
            kind: UnknownKind::Characters,
            fact,
        });
    }
}

/// Characters that are not seen, or that turn what follows around.
fn is_hidden(character: char) -> bool {
    matches!(
        character,
        '\0'..='\u{8}'
            | '\u{b}'..='\u{1f}'
            | '\u{7f}'..='\u{a0}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{1680}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180e}'
            | '\u{2000}'..='\u{200f}'
            | '\u{2028}'..='\u{202f}'
            | '\u{205f}'..='\u{206f}'
            | '\u{3000}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// Dashes that a program does not take for the start of an option.
fn is_dash(character: char) -> bool {
    matches!(
        character,
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}'
    )
}
