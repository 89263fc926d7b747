//! `cargo xtask bench --compare COMMIT`: this checkout and another commit, measured in turns.
//!
//! The other commit gets the bench of this one, so that both are measured alike. Where it has older
//! names for what the bench uses, it gets the bench with those.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::program::{Bench, scratch};
use crate::process::{run, stdout_of, succeeds};
use crate::repository::Repository;

/// How often each bench runs for each of the two: many short runs, as the machine's mood lasts.
const ROUNDS: usize = 7;

/// What the bench uses, and what it was called before.
const RENAMED: &[(&str, &str)] = &[("ApprovalQueue", "Desk"), ("AnsweredBy", "Witness")];

/// A bench that needs what was not there before, and that.
const LATER: &[(&str, &str)] = &[("work", "Reporting")];

/// Stands in for such a bench.
const NOTHING: &str = "//! Nothing: this commit lacks what is measured here.

pub(crate) fn bench(_: &crate::Setting) -> crate::Outcome {
    Ok(true)
}
";

/// Figures that say what a feature adds. They may be about nothing, and nothing has no ratio.
const SUMS: &[&str] = &["script-adds", "yes-adds", "mcp-call"];

/// What both had in each round, by the name of the figure; nothing where a commit does not tell it.
type Figures = BTreeMap<String, Vec<[Option<f64>; 2]>>;

pub(super) fn compare(repository: &Repository, commit: &str, names: &[&str]) -> Result<()> {
    let (other, hash) = checkout(repository, commit)?;
    let benches = [Bench::build(repository)?, Bench::build(&other)?];
    let scratch = scratch(repository)?;
    let mut figures = Figures::new();
    for round in 1..=ROUNDS {
        for name in names {
            println!("==> {name}, round {round} of {ROUNDS}");
            let mut taken = [BTreeMap::new(), BTreeMap::new()];
            // The first to run finds another machine than the second, so a coin decides.
            let order = if is_heads() { [0, 1] } else { [1, 0] };
            for which in order {
                let mut command = benches[which].command(repository, scratch.path());
                let told = Bench::measure(command.arg("--quick"), name, scratch.path())?;
                told.ended?;
                taken[which] = told.figures;
            }
            let told: BTreeSet<&String> = taken.iter().flat_map(BTreeMap::keys).collect();
            if told.is_empty() {
                bail!("the bench `{name}` tells no figure");
            }
            for figure in told {
                let pair = taken.each_ref().map(|one| one.get(figure).copied());
                figures.entry(figure.clone()).or_default().push(pair);
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
            let text = bench_for(&place, &file, fs::read_to_string(root.join(&file))?);
            fs::write(&to, text).with_context(|| format!("cannot copy `{file}`"))?;
        }
    }
    Ok((Repository::elsewhere(place), hash))
}

/// A file of the bench, as it fits what a checkout has.
fn bench_for(checkout: &Path, file: &str, text: String) -> String {
    let knows = |name: &str| {
        let grep = ["grep", "--quiet", "--word-regexp", name, "HEAD", "--"];
        let mut git = Command::new("git");
        succeeds(git.current_dir(checkout).args(grep).arg("crates/*/src/*"))
    };
    let is_bench = |name: &str| file.ends_with(&format!("/bench/{name}.rs"));
    let lacks = LATER.iter().find(|(name, _)| is_bench(name));
    if lacks.is_some_and(|(_, needed)| !knows(needed)) {
        return NOTHING.to_owned();
    }
    let renamed = RENAMED.iter().filter(|(now, _)| text.contains(now));
    let renamed: Vec<_> = renamed.filter(|(now, _)| !knows(now)).collect();
    let rename = |text: String, (now, before): &(&str, &str)| text.replace(now, before);
    renamed.into_iter().fold(text, rename)
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
    for (name, rounds) in figures {
        let values = |which: usize| rounds.iter().filter_map(move |pair| pair[which]);
        let number = |which: usize| match middle(values(which)) {
            it if it.is_nan() => "–".to_owned(),
            it => format!("{it:.2}"),
        };
        write!(text, "{name:<24} {:>9} {:>9}   ", number(0), number(1))?;
        let is_sum = SUMS.contains(&name.as_str());
        let compare = |(own, other): (f64, f64)| if is_sum { own - other } else { own / other };
        let compared = || {
            let pairs = rounds.iter().filter_map(|[own, other]| (*own).zip(*other));
            pairs.map(compare)
        };
        let least = compared().fold(f64::INFINITY, f64::min);
        let most = compared().fold(f64::NEG_INFINITY, f64::max);
        let typical = middle(compared());
        if typical.is_nan() {
            let only = if values(0).next().is_some() {
                "here"
            } else {
                "there"
            };
            writeln!(text, "told only {only}")?;
        } else if is_sum {
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
        let pairs = [(1.0, 2.0), (1.5, 2.0), (3.0, 2.0)];
        let both = pairs.map(|(own, other)| [Some(own), Some(other)]).to_vec();
        let own = pairs.map(|(own, _)| [Some(own), None]).to_vec();
        let figures = [
            ("live-room", both.clone()),
            ("mcp-call", both),
            ("work-tar", own),
        ];
        let figures = figures
            .map(|(name, rounds)| (name.to_owned(), rounds))
            .into();
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
        assert_eq!(
            lines[4],
            "work-tar                      1.50         –   told only here"
        );
    }

    #[test]
    fn a_coin_has_two_sides() {
        let throws: Vec<bool> = (0..200).map(|_| is_heads()).collect();
        assert!(throws.contains(&true) && throws.contains(&false));
    }
}
