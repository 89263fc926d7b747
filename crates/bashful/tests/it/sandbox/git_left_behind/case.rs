//! Reading the tables of cases: shell scripts with headings.

/// One case of a table: what happens before, in and after the sandbox.
pub(super) struct Case {
    pub(super) name: &'static str,
    /// What the person did before.
    pub(super) before: &'static str,
    /// What runs do in the sandbox, one after the other.
    pub(super) runs: Vec<&'static str>,
    /// What the person does afterwards, if it is not what every person does.
    pub(super) person: Option<&'static str>,
    /// Whether it is tried in other sandboxes too.
    pub(super) is_core: bool,
    /// Whether a part of ordinary work is held back, and told.
    pub(super) is_told: bool,
}

/// The cases of a table, in order.
pub(super) fn read(table: &'static str) -> Vec<Case> {
    let cases: Vec<Case> = sections(table, "\n#= ")
        .map(|(name, text)| {
            let mut case = Case {
                name,
                before: "",
                runs: Vec::new(),
                person: None,
                is_core: false,
                is_told: false,
            };
            for (heading, script) in sections(text, "\n#: ") {
                match heading {
                    "before" => case.before = script,
                    "run" => case.runs.push(script),
                    "person" => case.person = Some(script),
                    "core" => case.is_core = true,
                    "told" => case.is_told = true,
                    other => panic!("{name}: what is `{other}`?"),
                }
            }
            assert!(!case.runs.is_empty(), "{name} runs nothing");
            case
        })
        .collect();
    assert!(!cases.is_empty());
    cases
}

/// The headings with this mark in front, each with what follows it.
fn sections(
    text: &'static str,
    mark: &'static str,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.split(mark).skip(1).map(|section| {
        let end = section.find('\n').unwrap_or(section.len());
        section.split_at(end)
    })
}
