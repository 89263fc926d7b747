//! Where values stand in a part: templates, variables that hold them, files and functions.

use super::words::mentions;
use super::{Flow, Holder, Place, Taint};
use crate::facts::Span;
use crate::shell::{Role, Usage};
use crate::templates::name::is_identifier;
use crate::templates::part::Part;
use crate::templates::site::{self, Found};

impl<'s> Flow<'s> {
    /// Where values stand in a part.
    pub(in crate::templates) fn places(&self, part: &Part<'s>) -> Vec<Place> {
        let mut places = Vec::new();
        if self.templates {
            for (index, span) in part.templates.iter().enumerate() {
                let found = site::locate(&part.text, *span, &part.marks);
                if let (Found::Site(_), Some(mark)) = (found, part.mark(span.0)) {
                    places.push(Place {
                        at: span.0,
                        taint: Taint::of(part.first_template + index),
                        holder: Holder::Template(index),
                        role: mark.role,
                        usage: Usage::Value,
                        target: mark.target.clone(),
                        word: mark.word,
                    });
                }
            }
        }
        let shifted_from = shifted_from(&part.text);
        for reference in &part.references {
            let at = reference.span.0;
            if part
                .templates
                .binary_search_by_key(&at, |span| span.0)
                .is_ok()
            {
                continue;
            }
            let shifts = shifted_from.is_some_and(|from| at >= from);
            let mut taint = self.held(&reference.name, part.scope_at(at), shifts);
            let mut usage = reference.usage;
            if usage == Usage::Name && taint.is_empty() {
                // The name is the script's own, and whatever it names is what stands here.
                taint = self.anything();
                usage = Usage::Value;
            }
            if !taint.is_empty() {
                places.push(Place {
                    at,
                    taint,
                    holder: Holder::Variable(reference.name.clone()),
                    role: reference.role,
                    usage,
                    target: reference.target.clone(),
                    word: reference.word,
                });
            }
        }
        self.evaluated_names(part, &mut places);
        for (file, taint) in &self.written {
            for substitution in &part.substitutions {
                if mentions(part.slice(substitution.span), file) {
                    places.push(Place {
                        at: substitution.span.0,
                        taint: taint.clone(),
                        holder: Holder::File(file.clone()),
                        role: substitution.role,
                        usage: Usage::Value,
                        target: substitution.target.clone(),
                        word: substitution.word,
                    });
                }
            }
        }
        if !self.spoken.is_empty() {
            for call in &part.facts.calls {
                let name = call.program();
                if let Some(taint) = self.spoken.get(name)
                    && part.around(call.span.0).next().is_some()
                {
                    places.push(Place {
                        at: call.span.0,
                        taint: taint.clone(),
                        holder: Holder::Function(name.to_owned()),
                        role: Role::Argument,
                        usage: Usage::Value,
                        target: None,
                        word: call.arguments.first().map_or(call.span, |word| word.span),
                    });
                }
            }
        }
        places.sort_by_key(|place| place.at);
        places
    }

    /// Variables that a text names which is evaluated only after its words are known: those of
    /// `let`, and what a variable gets that is a number.
    fn evaluated_names(&self, part: &Part<'s>, places: &mut Vec<Place>) {
        let mut add = |text: &str, span: Span| {
            let ends = |sign: char| !(sign.is_ascii_alphanumeric() || sign == '_');
            for name in text.split(ends).filter(|name| is_identifier(name)) {
                if let Some(taint) = self.names.get(name) {
                    places.push(Place {
                        at: span.0,
                        taint: taint.clone(),
                        holder: Holder::Variable(name.to_owned()),
                        role: Role::Arithmetic,
                        usage: Usage::Value,
                        target: None,
                        word: span,
                    });
                }
            }
        };
        for call in &part.facts.calls {
            if call.program() == "let" {
                for word in call.operands() {
                    add(&word.text, word.span);
                }
            }
        }
        for assignment in &part.facts.assignments {
            if self.attributes.is_integer(&assignment.name) {
                add(&assignment.value.text, assignment.value.span);
            }
        }
    }
}

/// From where on parameters can have other numbers than they were given: a `shift`, or a loop
/// before it that may come by again.
fn shifted_from(text: &str) -> Option<usize> {
    let shift = text.find("shift")?;
    let loops = ["while", "until", "for "];
    let first_loop = loops.iter().filter_map(|word| text.find(word)).min();
    Some(first_loop.map_or(shift, |first| first.min(shift)))
}
