//! Hosts that people mean together, by one word.

const PRESETS: &str = include_str!("presets.txt");

/// The words for presets.
pub fn preset_names() -> Vec<&'static str> {
    presets().map(|(name, _)| name).collect()
}

/// The hosts of a preset.
pub(super) fn hosts_of(word: &str) -> Option<impl Iterator<Item = &'static str>> {
    let (_, hosts) = presets().find(|(name, _)| *name == word)?;
    Some(hosts.split_ascii_whitespace())
}

fn presets() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = PRESETS.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(':'))
}
