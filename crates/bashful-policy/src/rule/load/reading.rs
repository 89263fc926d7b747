//! One rule out of a table: which fields it has, and what is wrong with them.

use toml::Spanned;
use toml::de::DeValue;

use super::fields::is_id;
use super::{Reading, shown};
use crate::rule::{Rule, RuleEffect, RuleErrorKind};

/// The fields of a rule.
const FIELDS: [&str; 14] = [
    "id", "effect", "reason", "advice", "capability", "needs", "command", "action", "regex",
    "unless", "require", "redirects", "match", "not_match",
];

impl Reading<'_, '_> {
    pub(super) fn rule(mut self) -> Option<Rule> {
        self.id = self.text("id");
        self.unknown_fields();
        let id = match self.id.clone() {
            Some(id) if is_id(&id) => Some(id),
            Some(_) => {
                let expected = "letters, digits, `-`, `_`, `.`, `:` and `/`";
                self.bad("id".to_owned(), expected, "id")
            }
            None => self.missing("id", "a short name, such as `id = \"git-push\"`"),
        };
        let effect = self.effect();
        let matcher = self.matcher();
        let reason = self.text("reason");
        let capability = self.name("capability");
        let needs = self.name("needs");
        let advice = self.text("advice");
        let unless = self.words("unless");
        let require = self.alternatives("require");
        let redirects = self.redirects();
        let examples = self.words("match");
        let counterexamples = self.words("not_match");
        if effect == Some(RuleEffect::Refuse) && capability.is_none() {
            self.fault(None, RuleErrorKind::NoCapability);
        }
        if reason.is_none() && effect.is_some_and(|effect| effect != RuleEffect::Allow) {
            let hint = "why, fit to follow the command: `reason = \"publishes commits\"`";
            self.missing::<String>("reason", hint);
        }
        let (Some(id), Some(effect), Some(matcher), false) = (id, effect, matcher, self.faulty)
        else {
            return None;
        };
        Some(Rule {
            file: self.loader.source.file.to_owned(),
            line: self.line,
            reason: reason.unwrap_or_else(|| "is allowed".to_owned()),
            capability,
            needs,
            advice,
            examples,
            counterexamples,
            unless,
            require,
            redirects,
            ..Rule::new(id, effect, self.loader.source.layer, matcher)
        })
    }

    pub(super) fn fault(&mut self, field: Option<&str>, kind: RuleErrorKind) {
        let at = field.and_then(|field| self.table.get(field));
        let line = at.map_or(self.line, |value| {
            self.loader.lines.number(value.span().start)
        });
        self.faulty = true;
        self.loader.error(line, self.id.clone(), kind);
    }

    pub(super) fn missing<T>(&mut self, field: &'static str, hint: &'static str) -> Option<T> {
        // A field of the wrong type is there, and was reported.
        if !self.table.contains_key(field) {
            self.fault(None, RuleErrorKind::MissingField { field, hint });
        }
        None
    }

    pub(super) fn bad<T>(&mut self, field: String, expected: &'static str, at: &str) -> Option<T> {
        self.fault(Some(at), RuleErrorKind::BadValue { field, expected });
        None
    }

    pub(super) fn wrong<T>(
        &mut self,
        field: String,
        expected: &'static str,
        value: &Spanned<DeValue<'_>>,
    ) -> Option<T> {
        let line = self.loader.lines.number(value.span().start);
        let kind = RuleErrorKind::WrongType {
            field,
            expected,
            found: found(value),
        };
        self.faulty = true;
        self.loader.error(line, self.id.clone(), kind);
        None
    }

    fn unknown_fields(&mut self) {
        for (key, _) in self.table {
            if FIELDS.contains(&key.get_ref().as_ref()) {
                continue;
            }
            let line = self.loader.lines.number(key.span().start);
            let kind = RuleErrorKind::UnknownField {
                field: shown(key.get_ref()),
                suggestion: nearest(key.get_ref(), &FIELDS),
            };
            self.faulty = true;
            self.loader.error(line, self.id.clone(), kind);
        }
    }
}

pub(super) fn found(value: &Spanned<DeValue<'_>>) -> &'static str {
    match value.get_ref() {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a number",
        DeValue::Float(_) => "a fraction",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// The nearest of some names, if one is near.
pub(super) fn nearest(name: &str, names: &[&str]) -> Option<String> {
    let near = names
        .iter()
        .map(|known| (strsim::jaro_winkler(known, name), *known));
    let best = near.max_by(|one, other| one.0.total_cmp(&other.0));
    best.filter(|(score, _)| *score > 0.75)
        .map(|(_, known)| known.to_owned())
}
