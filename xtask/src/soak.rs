//! `cargo xtask soak`: the long jobs.
//!
//! A job is a set of ordinary tests that read `BASHFUL_SOAK_SECONDS` and work that long. Without the
//! variable they take a slice, and run with all others in `cargo xtask test`. Only what boots a
//! system of its own runs here alone.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::process::{cargo, run};
use crate::repository::Repository;
use crate::{clients, dist, ordinary_user, setup};

/// How long a job's tests shall work, in whole seconds.
const SECONDS_VARIABLE: &str = "BASHFUL_SOAK_SECONDS";

/// The executable that tests run, where it is not the one that was built with them.
const TESTED: &str = "BASHFUL_TEST_BINARY";

/// From this time on a job that has an end does all of its work, however long that takes.
const WHOLE: Duration = Duration::from_secs(60);

/// Building, starting and tidying up, on top of the time that a job works.
const ALLOWANCE: Duration = Duration::from_secs(600);

struct Job {
    name: &'static str,
    why: &'static str,
    work: Work,
    /// What the job gets where the person named no time, if its share is less.
    least: Duration,
}

/// What a job does.
enum Work {
    Tests {
        package: &'static str,
        /// The integration test file; every test of the package when there is none.
        file: Option<&'static str>,
        /// A part of the names of the tests; all of them when empty.
        tests: &'static str,
    },
    /// A test file that no other run takes: `test = false` in its manifest.
    Apart {
        package: &'static str,
        file: &'static str,
    },
    /// Tests of the executable with the tests of another build of it: how it begins differs.
    Shipped,
    /// The same as the first, always as an ordinary user: what people and agents are.
    AsUser { tests: &'static str },
    /// Other people's agents, which take as long as they take.
    Agents,
}

const JOBS: &[Job] = &[
    Job {
        name: "masking",
        why: "no listed secret passes the keeper, however the output is cut into pieces",
        work: Work::Tests {
            package: "bashful-keeper",
            file: None,
            tests: "mask",
        },
        least: Duration::ZERO,
    },
    Job {
        name: "faults",
        why: "kill -9 of keeper and engine at random moments leaves honest records",
        work: Work::Tests {
            package: "bashful",
            file: Some("faults"),
            tests: "",
        },
        least: Duration::ZERO,
    },
    Job {
        name: "races",
        why: "of many answers one counts, and of many runs one uses a yes, a hundred times",
        work: Work::Tests {
            package: "bashful",
            file: Some("it"),
            tests: "races::",
        },
        least: WHOLE,
    },
    Job {
        name: "tasks",
        why: "whoever is killed, every background task has a truthful end and nothing is left",
        work: Work::Tests {
            package: "bashful",
            file: Some("it"),
            tests: "tasks_faults::",
        },
        least: WHOLE,
    },
    Job {
        name: "steps",
        why: "kill -9 between any two steps of an ask, an answer and a run leaves what is true",
        work: Work::Tests {
            package: "bashful",
            file: Some("it"),
            tests: "steps::",
        },
        least: WHOLE,
    },
    Job {
        name: "served",
        why: "kill -9 of front, stand-in or resident: an answer, nothing twice, nothing unrecorded",
        work: Work::Tests {
            package: "bashful",
            file: Some("it"),
            tests: "resident::kills::",
        },
        least: WHOLE,
    },
    Job {
        name: "dist",
        why: "the executable as it is shipped has the form it should, and runs and serves calls",
        work: Work::Shipped,
        least: Duration::ZERO,
    },
    Job {
        name: "scope",
        why: "under a real systemd a task outlives the service that started it",
        work: Work::Apart {
            package: "bashful",
            file: "scope",
        },
        least: Duration::ZERO,
    },
    Job {
        name: "fuzz",
        why: "random shell text neither breaks nor slows the reader of commands",
        work: Work::Tests {
            package: "bashful-policy",
            file: Some("it"),
            tests: "fuzz::",
        },
        least: Duration::from_secs(600),
    },
    Job {
        name: "limits",
        why: "no length, depth or count slows the reader of commands or weakens a decision",
        work: Work::Tests {
            package: "bashful-policy",
            file: Some("it"),
            tests: "limits::",
        },
        least: WHOLE,
    },
    Job {
        name: "hiding",
        why: "what bash executes in any place inside any other is found or flagged",
        work: Work::Tests {
            package: "bashful-policy",
            file: Some("it"),
            tests: "hiding::",
        },
        least: Duration::from_secs(2400),
    },
    Job {
        name: "agreement",
        why: "bash and the reader of commands agree on which scripts are valid",
        work: Work::Tests {
            package: "bashful-policy",
            file: Some("it"),
            tests: "agreement::",
        },
        least: WHOLE,
    },
    Job {
        name: "work",
        why: "of the commands of a working day nine in ten work at once, the rest as they are told",
        work: Work::AsUser {
            tests: "work::table::",
        },
        least: WHOLE,
    },
    Job {
        name: "agents",
        why: "Claude Code and Codex, with a scripted model, read what they should",
        work: Work::Agents,
        least: Duration::ZERO,
    },
];

pub(crate) fn soak(repository: &Repository, arguments: &[String]) -> Result<()> {
    let mut minutes = None;
    let mut jobs: Vec<&Job> = JOBS.iter().collect();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--list" => {
                for job in JOBS {
                    println!("{:10} {}", job.name, job.why);
                }
                return Ok(());
            }
            "--minutes" => {
                let value = words.next().context("`--minutes` needs a number")?;
                let number = value
                    .parse::<u64>()
                    .with_context(|| format!("`{value}` is not a number of minutes"))?;
                minutes = Some(number);
            }
            "--only" => jobs = chosen(words.next().context("`--only` needs names")?)?,
            other => bail!("`cargo xtask soak` takes no argument `{other}`"),
        }
    }
    let share = Duration::from_secs(minutes.unwrap_or(10) * 60) / u32::try_from(jobs.len())?;
    jobs.iter().try_for_each(|job| {
        let time = minutes.map_or(share.max(job.least), |_| share);
        run_job(repository, job, time)
    })
}

fn chosen(names: &str) -> Result<Vec<&'static Job>> {
    let find = |name| JOBS.iter().find(|job| job.name == name);
    names
        .split(',')
        .map(|name| find(name).with_context(|| format!("no soak job is called `{name}`")))
        .collect()
}

fn run_job(repository: &Repository, job: &Job, time: Duration) -> Result<()> {
    println!("soak {}: {} s: {}", job.name, time.as_secs(), job.why);
    if matches!(job.work, Work::Agents) {
        return clients::soak_with_agents(repository);
    }
    if let Work::AsUser { tests } = job.work
        && setup::is_root()?
    {
        let seconds = time.as_secs().to_string();
        return ordinary_user::soak(repository, tests, (SECONDS_VARIABLE, &seconds))
            .with_context(|| format!("soak job `{}` failed", job.name));
    }
    let arguments = job.cargo_arguments(setup::has_nextest(repository));
    let cargo = cargo(repository);
    // Nextest answers an interrupt by ending its tests in order, so a hanging job leaves nothing.
    let mut command = Command::new("timeout");
    command
        .args(["--signal=INT", "--kill-after=30"])
        .arg((time * 2 + ALLOWANCE).as_secs().to_string())
        .arg(cargo.get_program())
        .args(arguments)
        .current_dir(repository.root())
        .env(SECONDS_VARIABLE, time.as_secs().to_string());
    if matches!(job.work, Work::Shipped) {
        let program = dist::build(repository)?;
        dist::check(&program).with_context(|| format!("`{}`", program.display()))?;
        command.env(TESTED, program);
    }
    run(&mut command).with_context(|| format!("soak job `{}` failed", job.name))
}

impl Job {
    /// What cargo is told.
    fn cargo_arguments(&self, has_nextest: bool) -> Vec<String> {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (package, file, tests) = match self.work {
            Work::Tests {
                package,
                file,
                tests,
            } => (package, file, vec![tests]),
            Work::Apart { package, file } => {
                return words(&format!("test --locked -p {package} --test {file}"));
            }
            Work::AsUser { tests } => ("bashful", Some("it"), vec![tests]),
            Work::Shipped => ("bashful", Some("it"), vec!["basics::", "resident::"]),
            Work::Agents => return Vec::new(),
        };
        if !has_nextest {
            let file = file.map_or(String::new(), |file| format!(" --test {file}"));
            let mut arguments = words(&format!("test --locked -p {package}{file}"));
            // Several names are for the tests themselves.
            arguments.extend((tests.len() > 1).then(|| "--".to_owned()));
            let named = tests.iter().filter(|name| !name.is_empty());
            arguments.extend(named.map(|name| (*name).to_owned()));
            return arguments;
        }
        // The whole workspace and a filter, as `-p` would choose other features and build again.
        let mut filter = format!("package(={package})");
        if let Some(file) = file {
            filter.extend([" & binary(=", file, ")"]);
        }
        let named = tests.iter().filter(|name| !name.is_empty());
        let named: Vec<String> = named.map(|name| format!("test(~{name})")).collect();
        match named.as_slice() {
            [] => {}
            [one] => filter.extend([" & ", one]),
            several => filter.extend([" & (", &several.join(" | "), ")"]),
        }
        let mut arguments = words("nextest run --workspace --locked --profile soak -E");
        arguments.push(filter);
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_becomes_a_filter() {
        let [masking, faults, ..] = JOBS else {
            panic!("the table has changed")
        };
        let filter = |job: &Job| job.cargo_arguments(true).pop().unwrap();
        assert_eq!(filter(masking), "package(=bashful-keeper) & test(~mask)");
        assert_eq!(filter(faults), "package(=bashful) & binary(=faults)");
    }

    #[test]
    fn what_is_shipped_is_tested_by_several() {
        let job = chosen("dist").unwrap()[0];
        let tests = "test(~basics::) | test(~resident::)";
        let filter = format!("package(=bashful) & binary(=it) & ({tests})");
        assert_eq!(job.cargo_arguments(true).pop(), Some(filter));
        let line = "test --locked -p bashful --test it -- basics:: resident::";
        assert_eq!(job.cargo_arguments(false).join(" "), line);
    }

    #[test]
    fn without_nextest_cargo_test_runs_the_same_tests() {
        let line = |job: &Job| job.cargo_arguments(false).join(" ");
        let lines: Vec<String> = JOBS.iter().take(2).map(line).collect();
        assert_eq!(
            lines,
            [
                "test --locked -p bashful-keeper mask",
                "test --locked -p bashful --test faults"
            ]
        );
    }

    #[test]
    fn an_unknown_job_is_an_error() {
        assert!(chosen("faults,masking").is_ok());
        assert!(chosen("fault").is_err());
    }
}
