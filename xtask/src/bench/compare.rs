//! `cargo xtask bench --compare COMMIT`: this checkout and another commit, measured in turns.
//!
//! The other commit gets the bench of this one, so that both are measured alike.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::Bench;
use crate::process::{run, stdout_of};
use crate::repository::Repository;

/// How often each bench runs for each of the two: many short runs, as the machine's mood lasts.
const ROUNDS: usize = 7;

/// The benches that tell figures, unless others are named.
const BENCHES: &[&str] = &[
    "sandbox",
    "no-op",
    "command-line",
    "approvals",
    "mcp",
    "shells",
    "bubblewrap",
    "scripts",
    "work",
];

/// Figures that say what a feature adds. They may be about nothing, and nothing has no ratio.
const SUMS: &[&str] = &["script-adds", "yes-adds", "mcp-call"];

/// What both had in each round, by the name of the figure.
type Figures = BTreeMap<String, Vec<(f64, f64)>>;

pub(super) fn compare(repository: &Repository, commit: &str, names: &[String]) -> Result<()> {
    let names: Vec<&str> = match names {
        [] => BENCHES.to_vec(),
        names => names.iter().map(String::as_str).collect(),
    };
    let (other, hash) = checkout(repository, commit)?;
    let benches = [Bench::build(repository)?, Bench::build(&other)?];
    let mut figures = Figures::new();
    for round in 1..=ROUNDS {
        for name in &names {
            println!("==> {name}, round {round} of {ROUNDS}");
            let mut taken = [BTreeMap::new(), BTreeMap::new()];
            // The first to run finds another machine than the second, so a coin decides.
            let order = if is_heads() { [0, 1] } else { [1, 0] };
            for which in order {
                taken[which] = measure(repository, &benches[which], name)?;
            }
            let [own, others] = taken;
            for (figure, own) in own {
                if let Some(other) = others.get(&figure) {
                    figures.entry(figure).or_default().push((own, *other));
                }
            }
        }
    }
    print!("{}", report(&figures, &hash)?);
    Ok(())
}

/// A checkout of another commit below the target directory, with the bench of this one.
fn checkout(repository: &Repository, commit: &str) -> Result<(Repository, String)> {
    let git = |directory: &Path| {
        let mut command = Command::new("git");
        command.current_dir(directory);
        command
    };
    let root = repository.root();
    let verify = format!("{commit}^{{commit}}");
    let hash = stdout_of(git(root).args(["rev-parse", "--verify", "--end-of-options", &verify]))
        .with_context(|| format!("`{commit}` is no commit"))?;
    let hash = hash.trim().to_owned();
    // One place for all: what most commits share is built once.
    let place = repository.target_directory()?.join("compare");
    if place.join(".git").exists() {
        run(git(&place).args(["checkout", "--quiet", "--force", "--detach", &hash]))?;
    } else {
        run(git(root).args(["worktree", "prune"]))?;
        let add = ["worktree", "add", "--quiet", "--force", "--detach"];
        run(git(root).args(add).arg(&place).arg(&hash))?;
    }
    let examples = "crates/bashful-engine/examples";
    for file in repository.files()? {
        if file.starts_with(examples) {
            let to = place.join(&file);
            fs::create_dir_all(to.parent().context("a file has a directory")?)?;
            fs::copy(root.join(&file), &to).with_context(|| format!("cannot copy `{file}`"))?;
        }
    }
    Ok((Repository::elsewhere(place), hash))
}

/// One bench; its figures.
fn measure(repository: &Repository, bench: &Bench, name: &str) -> Result<BTreeMap<String, f64>> {
    let place = repository.target_directory()?.join("compare-figures");
    let mut command = bench.command(repository);
    run(command
        .args(["--quick", "--hand-over"])
        .arg(&place)
        .arg(name))?;
    let text = fs::read_to_string(&place)?;
    let figure = |line: &str| {
        let (name, value) = line.split_once(' ')?;
        Some((name.to_owned(), value.parse().ok()?))
    };
    let figures: BTreeMap<String, f64> = text.lines().filter_map(figure).collect();
    if figures.is_empty() {
        bail!("the bench `{name}` tells no figure");
    }
    Ok(figures)
}

/// A coin: the standard library draws new keys for each.
fn is_heads() -> bool {
    RandomState::new().hash_one(0).is_multiple_of(2)
}

/// Figures side by side, and how each pair compares: the middle, the least and the greatest.
fn report(figures: &Figures, hash: &str) -> Result<String> {
    let short: String = hash.chars().take(9).collect();
    let title = "ratio (or difference, with a sign) and its spread";
    let mut text = format!("\n{:<24} {:>9} {short:>9}   {title}\n", "", "here");
    for (name, pairs) in figures {
        let own = middle(pairs.iter().map(|pair| pair.0));
        let other = middle(pairs.iter().map(|pair| pair.1));
        let is_sum = SUMS.contains(&name.as_str());
        let compared = || {
            let compare =
                |&(own, other): &(f64, f64)| if is_sum { own - other } else { own / other };
            pairs.iter().map(compare)
        };
        let least = compared().fold(f64::INFINITY, f64::min);
        let most = compared().fold(f64::NEG_INFINITY, f64::max);
        let typical = middle(compared());
        write!(text, "{name:<24} {own:>9.2} {other:>9.2}   ")?;
        if is_sum {
            writeln!(text, "{typical:+.2} ({least:+.2} to {most:+.2})")?;
        } else {
            writeln!(text, "{typical:.2} ({least:.2} to {most:.2})")?;
        }
    }
    Ok(text)
}

fn middle(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_both_figures_and_the_spread_of_their_ratio() {
        let pairs = vec![(1.0, 2.0), (1.5, 2.0), (3.0, 2.0)];
        let names = ["live-room", "mcp-call"];
        let figures = Figures::from(names.map(|name| (name.to_owned(), pairs.clone())));
        let text = report(&figures, "0123456789abcdef").unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].contains("012345678 "), "{text}");
        assert_eq!(
            lines[2],
            "live-room                     1.50      2.00   0.75 (0.50 to 1.50)"
        );
        assert_eq!(
            lines[3],
            "mcp-call                      1.50      2.00   -0.50 (-1.00 to +1.00)"
        );
    }

    #[test]
    fn a_coin_has_two_sides() {
        let throws: Vec<bool> = (0..200).map(|_| is_heads()).collect();
        assert!(throws.contains(&true) && throws.contains(&false));
    }
}
