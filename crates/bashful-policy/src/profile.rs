//! Permission profiles: token globs on the action string `tool:bash:<command>`.

use thiserror::Error;

use crate::context::{Context, Reading};
use crate::decide::too_complex;
use crate::decision::{Decision, Effect, Layer};
use crate::facts::{Argument, Call, Facts, UnknownKind};
use crate::glob;
use crate::read::read;

/// An agent's rules: what it may run, what is asked, what is denied.
///
/// Deny beats ask, ask beats allow, allow beats the default; the order of the rules never matters.
/// A compound command gets the strictest decision of its parts.
///
/// ```
/// use bashful_policy::{Effect, PermissionProfile};
///
/// let profile = PermissionProfile::new("reviewer")
///     .allow("tool:bash:git *")
///     .ask("tool:bash:git push *")
///     .default_effect(Effect::Deny)
///     .build()?;
/// assert_eq!(profile.decide("git status").effect, Effect::Allow);
/// assert_eq!(profile.decide("git status; git push origin main").effect, Effect::Ask);
/// assert_eq!(profile.decide("make").effect, Effect::Deny);
/// # Ok::<(), bashful_policy::ProfileError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionProfile {
    name: String,
    rules: Vec<Rule>,
    default: Effect,
}

/// Collects the rules of a profile.
#[derive(Debug, Clone)]
#[must_use = "call `build` to get the profile"]
pub struct ProfileBuilder {
    name: String,
    rules: Vec<(Effect, String)>,
    default: Effect,
}

/// Why a profile cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// A pattern does not name a tool.
    #[error("pattern `{pattern}` of profile `{profile}` does not start with `tool:<name>`")]
    MalformedPattern {
        /// The profile with the pattern.
        profile: String,
        /// The pattern as given.
        pattern: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    effect: Effect,
    /// The pattern as given, which is also the rule's name.
    pattern: String,
    /// Its words after `tool:bash:`; nothing when it is about another tool.
    tokens: Option<Vec<String>>,
}

impl PermissionProfile {
    /// Starts a profile that allows everything until rules are added.
    #[expect(
        clippy::new_ret_no_self,
        reason = "a profile is only built once its patterns are checked"
    )]
    pub fn new(name: impl Into<String>) -> ProfileBuilder {
        ProfileBuilder {
            name: name.into(),
            rules: Vec::new(),
            default: Effect::Allow,
        }
    }

    /// The profile's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Decides about a whole command.
    pub fn decide(&self, command: &str) -> Decision {
        self.decide_text(command, Reading::Command)
    }

    /// Decides about a text of this kind.
    pub fn decide_text(&self, command: &str, reading: Reading) -> Decision {
        let context = Context {
            reading,
            ..Context::default()
        };
        let facts = read(command, &context);
        let has = |kind| facts.unknowns.iter().any(|unknown| unknown.kind == kind);
        if has(UnknownKind::TooComplex) {
            return too_complex();
        }
        // Wherever a command could start, also one that is no call, such as `if`.
        let separators = command.match_indices([';', '&', '|', '\n', '(', '{']);
        let starts = separators.map(|(at, separator)| at + separator.len());
        let starts = std::iter::once(0).chain(starts);
        let texts: Vec<&str> = starts.filter_map(|start| command.get(start..)).collect();
        let whole = [Effect::Deny, Effect::Ask]
            .into_iter()
            .find_map(|effect| {
                self.rule(effect, |tokens| {
                    texts.iter().any(|text| restricts_text(tokens, text))
                })
            })
            .map(|rule| self.ruled(rule, None));
        let unreadable = has(UnknownKind::Syntax);
        let parts = facts
            .calls
            .iter()
            .map(|call| self.decide_part(&facts, call, unreadable));
        let unread = unreadable.then(|| self.unread());
        // Of equally strict ones the first wins: a part says more than the whole.
        let strictest = unread
            .into_iter()
            .chain(parts)
            .chain(whole)
            .reduce(|strictest, next| {
                if next.effect > strictest.effect {
                    next
                } else {
                    strictest
                }
            });
        strictest.unwrap_or_else(|| {
            let reason = "starts no program";
            Decision::new(Effect::Allow, Layer::Builtin, "nothing-runs", reason)
        })
    }

    /// Decides about one call.
    fn decide_part(&self, facts: &Facts, call: &Call, unreadable: bool) -> Decision {
        let restricted = [Effect::Deny, Effect::Ask]
            .into_iter()
            .find_map(|effect| self.rule(effect, |tokens| restricts(tokens, &call.arguments)));
        if let Some(rule) = restricted {
            return self.ruled(rule, Some(call));
        }
        match self.allowing(facts, call).filter(|_| !unreadable) {
            Some(rule) => self.ruled(rule, Some(call)),
            None => self.by_default(Some(call)),
        }
    }

    /// The rule that allows a call. An assignment can change what a program does, so it counts as
    /// a word that must be allowed.
    fn allowing(&self, facts: &Facts, call: &Call) -> Option<&Rule> {
        let assignments = call.assignments.iter();
        let assignments: Vec<Argument> = assignments
            .filter_map(|index| facts.assignments.get(*index))
            .map(|assignment| Argument {
                text: format!("{}={}", assignment.name, assignment.value.text),
                ..assignment.value.clone()
            })
            .collect();
        let redirects = call.redirects.iter();
        let mut targets = redirects.filter_map(|index| facts.redirects.get(*index));
        let argv: Vec<&Argument> = assignments.iter().chain(&call.arguments).collect();
        // What a variable holds was not written where the rule looks.
        let written = |word: &&Argument| word.is_known() && !word.from_variable;
        if !argv.iter().all(written) || !targets.all(|redirect| redirect.target.is_known()) {
            return None;
        }
        self.rule(Effect::Allow, |tokens| allows(tokens, &argv))
    }

    fn rule(&self, effect: Effect, matches: impl Fn(&[String]) -> bool) -> Option<&Rule> {
        let mut rules = self.rules.iter().filter(|rule| rule.effect == effect);
        rules.find(|rule| rule.tokens.as_deref().is_some_and(&matches))
    }

    fn ruled(&self, rule: &Rule, call: Option<&Call>) -> Decision {
        let reason = format!(
            "profile `{}` has the rule {} `{}`",
            self.name, rule.effect, rule.pattern
        );
        decision(rule.effect, &rule.pattern, &reason, call)
    }

    fn by_default(&self, call: Option<&Call>) -> Decision {
        let reason = format!("no rule of profile `{}` knows it", self.name);
        decision(self.default, "profile-default", &reason, call)
    }

    /// What cannot be read might hold what a rule forbids.
    fn unread(&self) -> Decision {
        let effect = self.default.max(Effect::Ask);
        decision(
            effect,
            "unreadable",
            "is not valid shell, so it cannot be judged",
            None,
        )
    }
}

impl Default for PermissionProfile {
    /// The profile without rules: everything is allowed.
    fn default() -> Self {
        Self {
            name: "default".to_owned(),
            rules: Vec::new(),
            default: Effect::Allow,
        }
    }
}

impl ProfileBuilder {
    /// Allows what matches, if no stricter rule does.
    pub fn allow(self, pattern: impl Into<String>) -> Self {
        self.rule(Effect::Allow, pattern)
    }

    /// Asks before what matches.
    pub fn ask(self, pattern: impl Into<String>) -> Self {
        self.rule(Effect::Ask, pattern)
    }

    /// Denies what matches.
    pub fn deny(self, pattern: impl Into<String>) -> Self {
        self.rule(Effect::Deny, pattern)
    }

    /// Adds a rule whose effect is only known at run time.
    pub fn rule(mut self, effect: Effect, pattern: impl Into<String>) -> Self {
        self.rules.push((effect, pattern.into()));
        self
    }

    /// What happens to a command that no rule knows.
    pub fn default_effect(mut self, effect: Effect) -> Self {
        self.default = effect;
        self
    }

    /// Checks the patterns and makes the profile.
    pub fn build(self) -> Result<PermissionProfile, ProfileError> {
        let Self {
            name,
            rules,
            default,
        } = self;
        let rule = |(effect, pattern): (Effect, String)| {
            let Some((tool, tokens)) = parse(&pattern) else {
                let profile = name.clone();
                return Err(ProfileError::MalformedPattern { profile, pattern });
            };
            let tokens = glob::matches_token(tool, "bash").then_some(tokens);
            Ok(Rule {
                effect,
                pattern,
                tokens,
            })
        };
        let rules = rules.into_iter().map(rule).collect::<Result<_, _>>()?;
        Ok(PermissionProfile {
            name,
            rules,
            default,
        })
    }
}

fn decision(effect: Effect, rule: &str, reason: &str, call: Option<&Call>) -> Decision {
    Decision {
        span: call.map(|call| call.span),
        fact: call.map(Call::line),
        ..Decision::new(effect, Layer::User, rule, reason)
    }
}

/// The tool and the words of a pattern; nothing when it is malformed.
fn parse(pattern: &str) -> Option<(&str, Vec<String>)> {
    let action = pattern.strip_prefix("tool:")?;
    let (tool, command) = action.split_once(':').unwrap_or((action, "*"));
    let named = !tool.is_empty() && !tool.contains(char::is_whitespace);
    let tokens = command.split_whitespace().map(str::to_owned).collect();
    named.then_some((tool, tokens))
}

/// Whether a deny or ask pattern matches, the program with or without its directory.
fn restricts(tokens: &[String], view: &[Argument]) -> bool {
    let mut argv: Vec<&str> = view.iter().map(|word| word.text.as_str()).collect();
    if glob::matches_tokens(tokens, &argv) {
        return true;
    }
    if let (Some(first), Some(word)) = (argv.first_mut(), view.first()) {
        *first = word.program();
    }
    glob::matches_tokens(tokens, &argv)
}

/// Whether a deny or ask pattern matches the text as written, from here up to its end or to the end
/// of one of its commands: what is denied alone is denied in company.
fn restricts_text(tokens: &[String], text: &str) -> bool {
    let (fixed, open) = match tokens {
        [fixed @ .., last] if last == "*" => (fixed, true),
        fixed => (fixed, false),
    };
    let mut words = text.split_whitespace();
    for (index, token) in fixed.iter().enumerate() {
        let Some(word) = words.next() else {
            return false;
        };
        let bare = word.trim_end_matches([';', '&']);
        let ends = index + 1 == fixed.len() && bare.len() < word.len();
        if ends && glob::matches_token(token, bare) {
            return true;
        }
        if !glob::matches_token(token, word) {
            return false;
        }
    }
    open || words
        .next()
        .is_none_or(|word| word.starts_with([';', '&', '|', ')']))
}

/// Whether an allow pattern matches. A glob of the shell may only stand where the pattern leaves
/// the rest open: elsewhere it could become another word.
fn allows(tokens: &[String], argv: &[&Argument]) -> bool {
    let fixed = tokens.iter().take_while(|token| *token != "*").count();
    let texts: Vec<&str> = argv.iter().map(|word| word.text.as_str()).collect();
    glob::matches_tokens(tokens, &texts) && !argv.iter().take(fixed).any(|word| word.glob)
}
