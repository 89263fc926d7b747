//! Runs the commands that README.md and docs/ show, and compares what they print.
//!
//! A console block takes part when `<!-- test -->` stands directly before it. The commands of one
//! document share a fresh directory and a fresh home, as a reader would type them in order.
//! `<!-- test: root -->` runs a block in the repository instead.

mod blocks;
mod matching;
mod session;

use anyhow::{Context, Result, bail};

use crate::repository::{Repository, has_extension};
use crate::scratch::Scratch;
use session::{Session, Verdict};

pub(crate) fn check(repository: &Repository) -> Result<String> {
    let binary = repository.target_directory()?.join("debug/bashful");
    if !binary.is_file() {
        bail!(
            "there is no `{}`; the step `build` comes first",
            binary.display()
        );
    }
    let (mut passed, mut failed, mut left_out) = (0, 0, 0);
    for file in repository.files()? {
        if !is_document(&file) {
            continue;
        }
        let text = std::fs::read_to_string(repository.root().join(&file))
            .with_context(|| format!("cannot read `{file}`"))?;
        let blocks = blocks::tested(&text).with_context(|| format!("in `{file}`"))?;
        if blocks.is_empty() {
            continue;
        }
        let scratch = Scratch::new()?;
        let session = Session::new(repository, &binary, &scratch)?;
        for block in &blocks {
            for (example, verdict) in session.run(block)? {
                match verdict {
                    Verdict::AsShown => passed += 1,
                    Verdict::LeftOut => left_out += 1,
                    Verdict::Different(difference) => {
                        failed += 1;
                        println!("{file}:{}: $ {}", example.line, example.command);
                        print!("{difference}");
                    }
                }
            }
        }
    }
    if failed > 0 {
        bail!("commands that print something else than shown: {failed}");
    }
    if passed == 0 {
        bail!("no document has a block marked `<!-- test -->`, so nothing was checked");
    }
    Ok(format!("{passed} commands as shown, {left_out} left out"))
}

fn is_document(file: &str) -> bool {
    file == "README.md" || (file.starts_with("docs/") && has_extension(file, "md"))
}
