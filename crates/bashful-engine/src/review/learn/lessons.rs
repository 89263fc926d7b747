//! Learning rules run by run, and forgetting what turns out not to be needed.

use std::collections::HashMap;

use bashful_policy::Effect;

use super::rights::LearntRights;
use super::rule::{Lesson, Matcher};
use super::{LearntRule, School};
use crate::judge::policy::{Checked, ExtraRules};
use crate::record::audit::Requested;
use crate::review::replay::Recorded;

/// The most rules that one run teaches: no ordinary command has more parts that are asked about.
const MOST_OF_ONE: usize = 64;

/// Runs of equal requests, which teach the same.
#[derive(Debug, Clone)]
pub(super) struct Run<'a> {
    pub(super) request: &'a Requested,
    pub(super) count: u64,
    /// The programs that it starts: no rule about another one has a part in it.
    programs: Vec<String>,
}

/// Runs that are judged alike, once each, in the order of the record.
pub(super) fn distinct<'a>(recorded: &[&'a Recorded]) -> Vec<Run<'a>> {
    let mut runs: Vec<Run<'a>> = Vec::new();
    let mut known = HashMap::new();
    for recorded in recorded {
        let request = &recorded.request;
        let standing = (
            &request.command,
            &request.workspace,
            &request.cwd,
            &request.sandbox,
        );
        let index = *known.entry(standing).or_insert(runs.len());
        match runs.get_mut(index) {
            Some(run) => run.count += 1,
            None => runs.push(Run {
                request,
                count: 1,
                programs: Vec::new(),
            }),
        }
    }
    runs
}

/// What was learnt so far.
#[derive(Debug)]
pub(super) struct Lessons<'a> {
    pub(super) rights: LearntRights,
    learnt: Vec<Lesson>,
    /// The runs that pass, each with the rules that it leans on.
    passing: Vec<Passing<'a>>,
}

#[derive(Debug)]
struct Passing<'a> {
    run: Run<'a>,
    needed_rules: Vec<String>,
}

impl<'a> Lessons<'a> {
    /// Learns from these runs.
    pub(super) fn take(runs: &[Run<'a>], rights: LearntRights, school: &mut School) -> Self {
        let mut lessons = Self {
            rights,
            learnt: Vec::new(),
            passing: Vec::new(),
        };
        for run in runs {
            let mut run = run.clone();
            if let Ok(checked) = lessons.judge(&run, school) {
                let calls = checked.facts.calls.iter();
                run.programs = calls.map(|call| call.program().to_owned()).collect();
            }
            lessons.learn_from(&run, school);
        }
        // A later rule can be the one that an earlier run leans on.
        for index in 0..lessons.passing.len() {
            let Some(run) = lessons.passing.get(index).map(|one| one.run.clone()) else {
                continue;
            };
            let needed_rules = lessons.needed_rules(&run, school);
            if let (Some(passing), Some(needed_rules)) =
                (lessons.passing.get_mut(index), needed_rules)
            {
                passing.needed_rules = needed_rules;
            }
        }
        lessons
    }

    fn learn_from(&mut self, run: &Run<'a>, school: &mut School) {
        let before = self.learnt.len();
        for _ in 0..MOST_OF_ONE {
            let Ok(checked) = self.judge(run, school) else {
                break;
            };
            if checked.judgement.decision.effect == Effect::Allow {
                self.passing.push(Passing {
                    run: run.clone(),
                    needed_rules: Vec::new(),
                });
                return;
            }
            if checked.judgement.decision.effect == Effect::Deny {
                break;
            }
            let Some(lesson) = Lesson::from_question(&checked, &self.learnt) else {
                break;
            };
            self.learnt.push(lesson);
        }
        // A run that does not pass teaches nothing.
        self.learnt.truncate(before);
    }

    /// Forgets every class and every rule without which all runs pass that pass with it. More
    /// rules never make a decision stricter, so what is needed now is needed in the end.
    pub(super) fn forget_what_is_not_needed(&mut self, school: &mut School) {
        for class in self.rights.changes.classes.clone() {
            let fewer = self.rights.without_class(&class);
            let all = std::mem::replace(&mut self.rights, fewer);
            let runs: Vec<Run<'a>> = self.passing.iter().map(|one| one.run.clone()).collect();
            if !runs.iter().all(|run| self.passes(run, school)) {
                self.rights = all;
            }
        }
        for lesson in self.learnt.clone() {
            let index = self.learnt.iter().position(|one| is(one, &lesson.rule.id));
            let Some(index) = index else { continue };
            let lesson = self.learnt.remove(index);
            let mut changed = Vec::new();
            for (at, passing) in self.passing.iter().enumerate() {
                if !passing.needed_rules.contains(&lesson.rule.id) {
                    continue;
                }
                let needed_rules = self.needed_rules(&passing.run, school);
                changed.push((at, needed_rules));
            }
            if changed
                .iter()
                .any(|(_, needed_rules)| needed_rules.is_none())
            {
                self.learnt.insert(index, lesson);
                continue;
            }
            for (at, needed_rules) in changed {
                if let (Some(passing), Some(needed_rules)) =
                    (self.passing.get_mut(at), needed_rules)
                {
                    passing.needed_rules = needed_rules;
                }
            }
        }
    }

    /// The rules, each with how many runs need it.
    pub(super) fn rules(&mut self, school: &mut School) -> Vec<LearntRule> {
        let mut rules = Vec::new();
        for index in 0..self.learnt.len() {
            let lesson = self.learnt.remove(index);
            let leaning = self
                .passing
                .iter()
                .filter(|one| one.needed_rules.contains(&lesson.rule.id));
            let needing: Vec<&Run<'_>> = leaning
                .map(|passing| &passing.run)
                .filter(|run| !self.passes(run, school))
                .collect();
            rules.push(LearntRule {
                id: lesson.rule.id.clone(),
                command: match &lesson.matcher {
                    Matcher::Command(words) => words.clone(),
                    Matcher::Regex(_) => Vec::new(),
                },
                regex: match &lesson.matcher {
                    Matcher::Command(_) => None,
                    Matcher::Regex(expression) => Some(expression.clone()),
                },
                needed: needing.iter().map(|run| run.count).sum(),
                example: needing
                    .first()
                    .map(|run| run.request.command.clone())
                    .unwrap_or_default(),
            });
            self.learnt.insert(index, lesson);
        }
        rules
    }

    fn judge(&self, run: &Run<'_>, school: &mut School) -> Result<Checked, String> {
        let about = |lesson: &&Lesson| run.programs.contains(&lesson.program);
        let rules = self.learnt.iter().filter(about);
        let extra = ExtraRules {
            granted: rules.map(|lesson| lesson.rule.clone()).collect(),
            careful: false,
        };
        school.judge(run.request, self.rights.granted(), extra)
    }

    fn passes(&self, run: &Run<'_>, school: &mut School) -> bool {
        let judged = self.judge(run, school);
        judged.is_ok_and(|checked| checked.judgement.decision.effect == Effect::Allow)
    }

    /// The learnt rules that decide about a part of a run; none if it does not pass.
    fn needed_rules(&self, run: &Run<'_>, school: &mut School) -> Option<Vec<String>> {
        let judgement = self.judge(run, school).ok()?.judgement;
        if judgement.decision.effect != Effect::Allow {
            return None;
        }
        let decide = |lesson: &&Lesson| {
            let mut findings = judgement.findings.iter();
            findings.any(|finding| is(lesson, &finding.rule))
        };
        let deciding = self.learnt.iter().filter(decide);
        Some(deciding.map(|lesson| lesson.rule.id.clone()).collect())
    }
}

fn is(lesson: &Lesson, id: &str) -> bool {
    lesson.rule.id == id
}
