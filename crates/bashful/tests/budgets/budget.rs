//! `budgets.toml`: what each role may use, compared with what it used.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use toml_edit::{DocumentMut, Item, Table, value};

use crate::measure::Measured;
use crate::roles::Counts;
use crate::scenario::{Role, Scenario, What};
use crate::stage::User;

/// The table of an ordinary user, below the one of a role: only what differs.
const ORDINARY: &str = "ordinary-user";
/// How often which call was seen when the budget was written, to tell what grew.
const SEEN: &str = "seen";
/// How many of the calls that grew are told.
const TOLD: usize = 6;

/// What was measured, for every user.
pub(crate) type All = BTreeMap<(User, Scenario), Measured>;

/// The file as it is.
pub(crate) struct Budgets {
    document: DocumentMut,
}

impl Budgets {
    pub(crate) fn path() -> PathBuf {
        let named = std::env::var_os("BASHFUL_TEST_REPO").map(PathBuf::from);
        let built = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
        named.unwrap_or_else(built).join("budgets.toml")
    }

    pub(crate) fn read(text: &str) -> Self {
        Self {
            document: text.parse().unwrap(),
        }
    }

    fn table(&self, scenario: Scenario, role: Role) -> Option<&Table> {
        let roles = self.document.get(scenario.name())?;
        roles.get(role.name())?.as_table()
    }

    /// The value for a user: their own, or the one for every user.
    fn item(&self, user: User, scenario: Scenario, role: Role, key: &str) -> Option<&Item> {
        let table = self.table(scenario, role)?;
        let own = table.get(ORDINARY).filter(|_| user == User::Ordinary);
        own.and_then(|own| own.get(key)).or_else(|| table.get(key))
    }

    fn budget(&self, user: User, scenario: Scenario, role: Role, what: What) -> Option<u64> {
        let item = self.item(user, scenario, role, what.name())?;
        u64::try_from(item.as_integer()?).ok()
    }

    /// Everything that does not fit, in words.
    pub(crate) fn differences(&self, all: &All) -> Vec<String> {
        let mut told = Vec::new();
        for (&(user, scenario), measured) in all {
            let nothing = Counts::default();
            for role in Role::ALL {
                let counts = measured.get(&role).unwrap_or(&nothing);
                for what in What::ALL {
                    let budget = self.budget(user, scenario, role, what);
                    let got = counts.what.get(&what).copied();
                    let Some(verdict) = verdict(what, budget, got) else {
                        continue;
                    };
                    let who = format!("{}, {}", scenario.name(), role.name());
                    told.push(format!("{who}, as {}: {verdict}", user.name()));
                    if what == What::Calls && budget < got {
                        let seen = self.item(user, scenario, role, SEEN);
                        let seen = seen.and_then(Item::as_str).unwrap_or_default();
                        told.extend(grown(&counts.names, seen));
                    }
                }
            }
        }
        told
    }

    /// The file with what was measured now. Comments stay.
    pub(crate) fn rewritten(mut self, all: &All) -> String {
        for scenario in Scenario::ALL {
            let (root, ordinary) = (
                &all[&(User::Root, scenario)],
                &all[&(User::Ordinary, scenario)],
            );
            let roles = self.document.entry(scenario.name()).or_insert_with(table);
            let roles = roles.as_table_mut().unwrap();
            roles.set_implicit(true);
            let present: BTreeSet<Role> = root.keys().chain(ordinary.keys()).copied().collect();
            for role in Role::ALL {
                if !present.contains(&role) {
                    roles.remove(role.name());
                    continue;
                }
                let entry = roles.entry(role.name()).or_insert_with(table);
                write(
                    entry.as_table_mut().unwrap(),
                    &root.get(&role).cloned().unwrap_or_default(),
                    &ordinary.get(&role).cloned().unwrap_or_default(),
                );
            }
        }
        self.document.to_string()
    }
}

fn table() -> Item {
    Item::Table(Table::new())
}

/// One role: the numbers of root, and below them what is different for an ordinary user.
fn write(table: &mut Table, root: &Counts, ordinary: &Counts) {
    let mut own = Table::new();
    for what in What::ALL {
        let counted = |counts: &Counts| counts.what.get(&what).copied();
        let (Some(root), ordinary) = (counted(root).or(counted(ordinary)), counted(ordinary))
        else {
            table.remove(what.name());
            continue;
        };
        let budget = what.budget_for(root);
        set(table, what.name(), number(budget));
        // What varies by itself is no difference.
        let differs = |got: &u64| match what {
            What::Calls => what.budget_for(*got).abs_diff(budget) * 20 > budget,
            What::Faults | What::Wakes => *got > budget,
            _ => *got != budget,
        };
        if let Some(got) = ordinary.filter(differs) {
            set(&mut own, what.name(), number(what.budget_for(got)));
        }
    }
    set(table, SEEN, value(seen(&root.names)));
    if own.contains_key(What::Calls.name()) {
        set(&mut own, SEEN, value(seen(&ordinary.names)));
    }
    table.remove(ORDINARY);
    if !own.is_empty() {
        table.insert(ORDINARY, Item::Table(own));
    }
}

fn number(budget: u64) -> Item {
    value(i64::try_from(budget).unwrap())
}

/// Sets a value and keeps the comment behind it.
fn set(table: &mut Table, key: &str, mut new: Item) {
    if let (Some(old), Some(new)) = (table.get(key).and_then(Item::as_value), new.as_value_mut()) {
        *new.decor_mut() = old.decor().clone();
    }
    table.insert(key, new);
}

/// Whether a line tells of a number that could be lower, and of nothing that is passed.
pub(crate) fn is_gain(line: &str) -> bool {
    line.contains(GAIN)
}

const GAIN: &str = ": only ";

/// What is wrong with a number, if it is over its budget or far below.
fn verdict(what: What, budget: Option<u64>, got: Option<u64>) -> Option<String> {
    let name = what.name();
    match (budget, got) {
        (None, Some(got)) if got > 0 => Some(format!("{got} {name}, and no budget")),
        (Some(budget), Some(got)) if got > budget => {
            Some(format!("{got} {name}, the budget is {budget}"))
        }
        (Some(budget), got) if what.is_traced() => {
            let got = got.unwrap_or(0);
            let is_low = (got + 5) * 4 < budget * 3;
            is_low.then(|| format!("only {got} {name}: lower the budget of {budget}"))
        }
        _ => None,
    }
}

/// Calls and how often, most first.
fn seen(names: &BTreeMap<String, u64>) -> String {
    let mut sorted: Vec<(&String, &u64)> = names.iter().collect();
    sorted.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), (*name).clone()));
    let words: Vec<String> = sorted
        .iter()
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    words.join(", ")
}

/// The calls which grew most since the budget was written.
fn grown(now: &BTreeMap<String, u64>, seen: &str) -> Option<String> {
    let before: BTreeMap<&str, u64> = seen
        .split(", ")
        .filter_map(|word| word.split_once(' '))
        .filter_map(|(name, count)| Some((name, count.parse().ok()?)))
        .collect();
    let mut grown: Vec<(u64, String)> = now
        .iter()
        .filter_map(|(name, &count)| {
            let earlier = before.get(name.as_str()).copied().unwrap_or(0);
            let more = count.checked_sub(earlier).filter(|more| *more > 0)?;
            Some((more, format!("{name} {count} (was {earlier})")))
        })
        .collect();
    grown.sort_by_key(|(more, _)| std::cmp::Reverse(*more));
    let words: Vec<String> = grown.into_iter().take(TOLD).map(|it| it.1).collect();
    (!words.is_empty()).then(|| format!("    grown: {}", words.join(", ")))
}
