//! What carries a value on: assignments, what reads it, functions, texts for other shells.

use super::Flow;
use super::Number;
use super::place::{Place, Taint, starts};
use crate::facts::{Argument, Call, Input, RedirectKind, Span, is_shell};
use crate::shell::Role;
use crate::templates::part::Part;

/// What one part gives to variables and others, found before any of it is noted.
#[derive(Default)]
struct Gifts {
    names: Vec<(String, Taint)>,
    /// Functions, the number of the first parameter, and what that gets.
    parameters: Vec<(String, Number, Taint)>,
    spoken: Vec<(String, Taint)>,
    files: Vec<(String, Taint)>,
    opened: Taint,
    /// Functions, and what they can read.
    inputs: Vec<(String, Taint)>,
    /// Texts that a shell runs, with where they stand and whose parameters they have.
    texts: Vec<(String, usize, String)>,
}

impl<'s> Flow<'s> {
    /// Follows everything that a part does with values.
    pub(super) fn carry(&mut self, index: usize) {
        let Some(part) = self.parts.get(index) else {
            return;
        };
        let places = self.places(part);
        let mut gifts = Gifts::default();
        if !places.is_empty() {
            assigned(part, &places, &mut gifts);
            for call in 0..part.facts.calls.len() {
                self.call(part, &places, call, &mut gifts);
            }
            for function in &part.facts.functions {
                let mut taint = Taint::default();
                for place in &places {
                    let inside = function.span.0 <= place.at && place.at < function.span.1;
                    if inside
                        && function
                            .body
                            .clone()
                            .any(|call| part.prints(call, place.at))
                    {
                        taint.add(&place.taint);
                    }
                }
                gifts.spoken.push((function.name.clone(), taint));
            }
        }
        // What is open under a number can be read anywhere later.
        for redirect in &part.facts.redirects {
            let extra = part.descriptor(redirect).is_some_and(|number| number > 2);
            if extra && matches!(redirect.kind, RedirectKind::Text | RedirectKind::Read) {
                gifts.opened.add(&within(part, &places, redirect.span));
                gifts
                    .opened
                    .add(&within(part, &places, redirect.target.span));
            }
        }
        texts(part, &places, &mut gifts);
        self.take(gifts);
    }

    fn take(&mut self, gifts: Gifts) {
        for (name, taint) in gifts.names {
            self.give(&name, &taint);
        }
        for (function, number, taint) in gifts.parameters {
            let all = self.parameters.entry(function.clone()).or_default();
            if all.entry(number).or_default().add(&taint) {
                self.look_for(function);
                self.changed = true;
            }
        }
        for (function, taint) in gifts.spoken {
            if taint.is_empty() {
                continue;
            }
            if self.spoken.entry(function.clone()).or_default().add(&taint) {
                self.look_for(function);
                self.changed = true;
            }
        }
        for (file, taint) in gifts.files {
            if !taint.is_empty() && self.written.entry(file.clone()).or_default().add(&taint) {
                self.look_for(file);
                self.changed = true;
            }
        }
        for (function, taint) in gifts.inputs {
            if !taint.is_empty() && self.inputs.entry(function.clone()).or_default().add(&taint) {
                self.look_for(function);
                self.changed = true;
            }
        }
        self.changed |= self.opened.add(&everywhere(gifts.opened));
        for (text, offset, scope) in gifts.texts {
            if self.handed.insert(format!("{offset} {scope}")) {
                // What cannot be read here is reported where the text is handed over.
                if let Ok(part) = Part::handed(text, offset, scope) {
                    self.parts.push(part);
                    self.changed = true;
                }
            }
        }
    }

    fn call(&self, part: &Part<'s>, places: &[Place], index: usize, gifts: &mut Gifts) {
        let Some(call) = part.facts.calls.get(index) else {
            return;
        };
        let words = call.operands();
        let in_words = || {
            let mut taint = Taint::default();
            for word in words {
                taint.add(&within(part, places, word.span));
            }
            taint
        };
        match call.program() {
            "read" | "mapfile" | "readarray" => {
                let mut taint = fed(part, places, call);
                taint.add(&self.opened);
                if let Some(more) = self.inputs.get(part.scope_at(call.span.0)) {
                    taint.add(more);
                }
                if let Input::File(file) = &call.input
                    && let Some(written) = self.written.get(plain_file(&file.text))
                {
                    taint.add(written);
                }
                for name in filled(call) {
                    gifts.names.push((name, everywhere(taint.clone())));
                }
            }
            "printf" => {
                let name = match words {
                    [option, name, ..] if option.text == "-v" => Some(name.text.as_str()),
                    [option, ..] => option.text.strip_prefix("-v"),
                    [] => None,
                };
                // An element is given to its array.
                let name = name.and_then(|name| name.split('[').next());
                if let Some(name) = name.filter(|name| !name.is_empty()) {
                    gifts.names.push((name.to_owned(), everywhere(in_words())));
                }
            }
            "getopts" => {
                let mut taint = in_words();
                taint.add(&self.held("@", part.scope_at(call.span.0), true));
                for name in words
                    .get(1)
                    .map(|word| word.text.as_str())
                    .into_iter()
                    .chain(["OPTARG"])
                {
                    gifts
                        .names
                        .push((name.to_owned(), everywhere(taint.clone())));
                }
            }
            "set" => {
                let scope = part.scope_at(call.span.0);
                parameters(part, places, scope, (words, 1), gifts);
            }
            name if self.functions.contains(name) => {
                parameters(part, places, name, (words, 1), gifts);
                let input = fed(part, places, call);
                gifts.inputs.push((name.to_owned(), everywhere(input)));
            }
            _ => {}
        }
        wrote(part, places, (index, call), gifts);
        if let Some(last) = words.last() {
            gifts
                .names
                .push(("_".to_owned(), within(part, places, last.span)));
        }
    }
}

/// Texts that are handed to a shell as they are written, with parameters of their own.
fn texts(part: &Part<'_>, places: &[Place], gifts: &mut Gifts) {
    for call in &part.facts.calls {
        let words = call.operands();
        let name = call.program();
        let outer = || part.scope_at(call.span.0).to_owned();
        if is_shell(name) {
            let code = words.iter().position(|word| {
                let known = word.known();
                known.starts_with('-') && !known.starts_with("--") && known.contains('c')
            });
            let Some(code) = code else { continue };
            // More options may stand before the text.
            let rest = words.get(code + 1..).unwrap_or_default();
            let options = rest.iter().take_while(|word| word.known().starts_with('-'));
            let code = code + options.count();
            let Some(text) = words.get(code + 1).filter(|word| word.is_literal()) else {
                continue;
            };
            let scope = format!("{}:{} {name}", part.offset, text.span.0);
            let rest = words.get(code + 2..).unwrap_or_default();
            parameters(part, places, &scope, (rest, 0), gifts);
            gifts
                .texts
                .push((text.text.clone(), part.position(text.span.0), scope));
        } else if matches!(name, "eval" | "trap") {
            let texts: Vec<&str> = words
                .iter()
                .filter(|word| word.is_literal())
                .map(|word| word.text.as_str())
                .take(if name == "trap" { 1 } else { usize::MAX })
                .collect();
            let at = words.first().map_or(call.span.0, |word| word.span.0);
            if words.iter().all(Argument::is_literal) || name == "trap" {
                gifts
                    .texts
                    .push((texts.join(" "), part.position(at), outer()));
            }
        }
    }
}

/// Files that get a value.
fn wrote(part: &Part<'_>, places: &[Place], (index, call): (usize, &Call), gifts: &mut Gifts) {
    for redirect in &call.redirects {
        let Some(redirect) = part.facts.redirects.get(*redirect) else {
            continue;
        };
        let writes = matches!(redirect.kind, RedirectKind::Write | RedirectKind::Append);
        if !writes || !redirect.target.is_literal() {
            continue;
        }
        let mut taint = Taint::default();
        for place in places {
            if part.prints(index, place.at) {
                taint.add(&place.taint);
            }
        }
        gifts
            .files
            .push((plain_file(&redirect.target.text).to_owned(), taint));
    }
}

/// Notes what parameters get from words.
fn parameters(
    part: &Part<'_>,
    places: &[Place],
    scope: &str,
    (words, first): (&[Argument], usize),
    gifts: &mut Gifts,
) {
    let words = words.iter().filter(|word| word.text != "--");
    let mut counted = true;
    for (index, word) in words.enumerate() {
        counted &= is_one_word(part.slice(word.span));
        let number = index + first;
        let number = if counted {
            Number::Exactly(number)
        } else {
            Number::From(number)
        };
        let taint = within(part, places, word.span);
        if !taint.is_empty() {
            gifts.parameters.push((scope.to_owned(), number, taint));
        }
    }
}

/// Whether a word is one parameter, whatever its expansions come to: it has none, or stands in
/// double quotes as a whole and has no list in it.
fn is_one_word(text: &str) -> bool {
    let plain = |text: &str| !text.contains(['$', '`', '*', '?', '[', '{', '~']);
    let quoted = text
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    plain(text)
        || quoted.is_some_and(|inside| !inside.contains(['"', '@', '`']) && !inside.contains("$("))
}

/// What variables are given by assignments, loops and comparisons.
fn assigned(part: &Part<'_>, places: &[Place], gifts: &mut Gifts) {
    let compares = part.text.contains("=~");
    for place in places {
        let at = place.at;
        if let Some(target) = place.target.as_ref().filter(|_| place.is_in_outcome()) {
            let starts = starts(&part.text, place.word, at);
            gifts
                .names
                .push((target.clone(), place.taint.clone().behind(starts)));
        }
        if compares && matches!(place.role, Role::Operand | Role::Regex | Role::Pattern) {
            gifts
                .names
                .push(("BASH_REMATCH".to_owned(), everywhere(place.taint.clone())));
        }
        for around in part.around(at) {
            if !part.leaks(around.span, at) {
                break;
            }
            if let Some(target) = &around.target {
                let starts = starts(&part.text, around.word, around.span.0);
                let taint = everywhere(place.taint.clone()).behind(starts);
                gifts.names.push((target.clone(), taint));
            }
        }
    }
    // `export "NAME=value"` is a word, and an assignment only after its quotes are gone.
    for assignment in &part.facts.assignments {
        if part.is_word_of(assignment) {
            let taint = within(part, places, assignment.span);
            gifts
                .names
                .push((assignment.name.clone(), everywhere(taint)));
        }
    }
}

/// What a span can expand to.
fn within(part: &Part<'_>, places: &[Place], span: Span) -> Taint {
    let mut taint = Taint::default();
    let from = places.partition_point(|place| place.at < span.0);
    for place in places
        .iter()
        .skip(from)
        .take_while(|place| place.at < span.1)
    {
        if place.is_in_outcome() && part.reaches(place.at, span) {
            let starts = starts(&part.text, span, place.at);
            taint.add(&place.taint.clone().behind(starts));
        }
    }
    taint
}

/// What a call reads.
fn fed(part: &Part<'_>, places: &[Place], call: &Call) -> Taint {
    let mut taint = Taint::default();
    match &call.input {
        Input::Inherited => {}
        Input::Text(word) => {
            taint.add(&within(part, places, word.span));
        }
        Input::File(word) => {
            if word.is_pipe {
                taint.add(&within(part, places, word.span));
            }
        }
        Input::Pipe(range) => {
            for place in places {
                if range.clone().any(|index| part.prints(index, place.at)) {
                    taint.add(&place.taint);
                }
            }
        }
    }
    taint
}

/// The variables that a call of `read` or `mapfile` fills.
pub(in crate::templates) fn filled(call: &Call) -> Vec<String> {
    let words = call.operands();
    let mut names = Vec::new();
    let mut index = 0;
    while let Some(word) = words.get(index) {
        let known = word.known();
        if known.len() > 1 && known.starts_with('-') {
            if let Some(at) = known.find('a').filter(|_| call.program() == "read") {
                let attached = known.get(at + 1..).unwrap_or_default();
                names.extend((!attached.is_empty()).then(|| attached.to_owned()));
            }
            let takes = match call.program() {
                "read" => known.ends_with(['p', 'd', 't', 'n', 'N', 'u', 'i']),
                _ => known.ends_with(['d', 'n', 'O', 's', 'u', 'C', 'c']),
            };
            index += usize::from(takes);
        } else {
            let name = word.text.split('[').next().unwrap_or_default();
            names.push(name.to_owned());
        }
        index += 1;
    }
    if names.is_empty() {
        names.push(match call.program() {
            "read" => "REPLY".to_owned(),
            _ => "MAPFILE".to_owned(),
        });
    }
    names
}

/// A file's name as it is compared.
pub(in crate::templates) fn plain_file(name: &str) -> &str {
    name.trim_start_matches("./")
}

/// The same, where what is known about its beginning is lost.
fn everywhere(mut taint: Taint) -> Taint {
    let any = taint.any.clone();
    taint.leading.extend(any);
    taint
}
