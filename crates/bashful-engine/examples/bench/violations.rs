//! What reporting costs: 50 C files compiled in a room, and a no-op, with and without it.

use std::fmt::Write;
use std::fs;
use std::time::Duration;

use bashful_engine::{Engine, Invocation, Places, Reporting};

use crate::table::{Times, in_turns, print_ratios, ratio, require};
use crate::{Outcome, Setting};

const ROUNDS: usize = 9;
const START_ROUNDS: usize = 200;
const KINDS: [Reporting; 3] = [Reporting::Limits, Reporting::Usual, Reporting::Reads];
const FILES: usize = 50;
/// How many of them one run compiles.
const PIECE: usize = 5;

pub(crate) fn bench(setting: &Setting) -> Outcome {
    let workspace = setting.scratch.join("compile");
    fs::create_dir_all(&workspace)?;
    for file in 0..FILES {
        fs::write(workspace.join(format!("part{file}.c")), source(file)?)?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    // One engine for each: a keeper makes ready what was wanted last.
    let engines: Result<Vec<Engine>, _> = KINDS
        .iter()
        .map(|_| {
            Engine::builder()
                .workspace(&workspace)
                .places(Places::under(&setting.scratch))
                .build()
        })
        .collect();
    let engines = engines?;
    let run = |kind: usize, text: &str| {
        let invocation = Invocation::bash(text).reporting(KINDS[kind]);
        let result = runtime.block_on(engines[kind].run(invocation));
        assert!(
            result
                .as_ref()
                .is_ok_and(|result| result.success && result.sandbox_violations.is_empty()),
            "{result:?}"
        );
    };
    let measure = |rounds, text: &str| {
        let mut none = || run(0, text);
        let mut usual = || run(1, text);
        let mut reads = || run(2, text);
        in_turns(rounds, &mut [&mut none, &mut usual, &mut reads])
    };
    let names = ["limits only", "as usual", "with --trace-reads"];
    let starts = measure(START_ROUNDS, "true");
    print_ratios("A no-op in a room", &names, &starts, &[None; 3]);
    // The best of each piece: what else the machine does makes nothing faster.
    let mut sums = [Duration::ZERO; KINDS.len()];
    for first in (0..FILES).step_by(PIECE) {
        let names: Vec<String> = (first..first + PIECE)
            .map(|file| format!("part{file}"))
            .collect();
        let text = format!(
            "for name in {}; do gcc -O1 -c \"$name.c\" -o \"$name.o\" || exit; done",
            names.join(" ")
        );
        for (sum, times) in sums.iter_mut().zip(measure(ROUNDS, &text)) {
            *sum += times.at(0.0);
        }
    }
    let times = sums.map(|sum| Times::of(vec![sum]));
    print_ratios("50 C files compiled in a room", &names, &times, &[None; 3]);
    println!();
    Ok(require(
        "reporting as usual, to none",
        ratio(&times[1], &times[0], 0.5),
        1.05,
    ))
}

/// A file that is neither empty nor large.
pub(crate) fn source(file: usize) -> Result<String, std::fmt::Error> {
    let mut text = String::from("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n");
    for function in 0..20 {
        writeln!(
            text,
            "int part{file}_{function}(const char *word, int many) {{\n\
             \x20   char *copy = malloc(strlen(word) + 1);\n\
             \x20   if (!copy) return -1;\n\
             \x20   strcpy(copy, word);\n\
             \x20   for (int i = 0; i < many; i++) many += printf(\"%s %d\\n\", copy, i);\n\
             \x20   free(copy);\n\
             \x20   return many * {function};\n}}"
        )?;
    }
    Ok(text)
}
