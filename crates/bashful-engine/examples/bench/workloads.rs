//! The jobs of the bench `work`, and what each needs on disk.

use std::cell::Cell;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::violations::source;

type Failure = Box<dyn std::error::Error>;

/// A job whose runs are timed.
pub(crate) struct Workload {
    pub(crate) title: &'static str,
    /// Its figure, in a room of plain; and of the same run without a listener.
    pub(crate) figure: &'static str,
    pub(crate) of_silence: Option<&'static str>,
    pub(crate) text: &'static str,
    pub(crate) rounds: usize,
    pub(crate) directory: PathBuf,
    /// How many new directories there were, if each run wants one. An old one is removed: what is
    /// searched after a run must not grow.
    fresh: Option<Cell<usize>>,
}

impl Workload {
    /// Where the next run works.
    pub(crate) fn place(&self) -> PathBuf {
        let Some(count) = &self.fresh else {
            return self.directory.clone();
        };
        let named = |number: usize| self.directory.join(format!("run{number}"));
        let old = count.replace(count.get() + 1);
        let place = named(count.get());
        let made = fs::create_dir(&place);
        assert!(made.is_ok(), "{made:?}");
        drop(fs::remove_dir_all(named(old)));
        place
    }
}

/// All jobs, with their files made below this directory.
pub(crate) fn workloads(root: &Path) -> Result<Vec<Workload>, Failure> {
    let job = |title, figure, text, rounds, name: &str| -> Result<Workload, Failure> {
        let directory = root.join(name);
        fs::create_dir_all(&directory)?;
        Ok(Workload {
            title,
            figure,
            of_silence: None,
            text,
            rounds,
            directory,
            fresh: None,
        })
    };
    let mut jobs = vec![
        job(
            "50 C files compiled",
            "work-compile",
            "for file in *.c; do gcc -O1 -c \"$file\" || exit; done",
            5,
            "compile",
        )?,
        job(
            "git status of 20,000 files",
            "work-git-status",
            "git status",
            11,
            "tree",
        )?,
        job(
            "find in 20,000 files",
            "work-find",
            "find . -name '*7.txt'",
            11,
            "tree",
        )?,
        job(
            "tar x of 2,000 files",
            "work-tar",
            "tar xf ../files.tar",
            11,
            "tar",
        )?,
        job(
            "A Python test suite",
            "work-python",
            "/usr/bin/python3 -m unittest discover -s .",
            11,
            "python",
        )?,
        job(
            "500 small creates",
            "work-creates",
            "for i in {1..500}; do echo >\"f$i\"; done",
            21,
            "creates",
        )?,
    ];
    for job in &mut jobs {
        match job.figure {
            "work-compile" => c_files(&job.directory)?,
            "work-git-status" => tree(&job.directory)?,
            "work-tar" => archive(&job.directory)?,
            "work-python" => python(&job.directory)?,
            "work-creates" => job.of_silence = Some("creates"),
            _ => {}
        }
        if matches!(job.figure, "work-tar" | "work-creates") {
            job.fresh = Some(Cell::new(0));
        }
    }
    if Path::new("/usr/bin/npm").is_file() {
        let text = "/usr/bin/npm ci --offline --no-audit --no-fund --cache ./cache";
        let job = job("npm ci from local tarballs", "work-npm", text, 5, "npm")?;
        packages(&job.directory)?;
        jobs.push(job);
    } else {
        println!("\nnot measured: npm ci, because there is no /usr/bin/npm");
    }
    Ok(jobs)
}

fn c_files(directory: &Path) -> Result<(), Failure> {
    for file in 0..50 {
        fs::write(directory.join(format!("part{file}.c")), source(file)?)?;
    }
    Ok(())
}

/// 20,000 files in 200 directories, committed.
fn tree(directory: &Path) -> Result<(), Failure> {
    for number in 0..200 {
        let below = directory.join(format!("d{number}"));
        fs::create_dir_all(&below)?;
        for file in 0..100 {
            fs::write(
                below.join(format!("{file}.txt")),
                format!("{number} {file}\n"),
            )?;
        }
    }
    let identity = "-c user.name=bench -c user.email=bench@localhost";
    prepare(directory, "git init -q . && git add .")?;
    prepare(directory, &format!("git {identity} commit -qm tree"))
}

fn archive(directory: &Path) -> Result<(), Failure> {
    let below = directory.join("files");
    fs::create_dir_all(&below)?;
    for file in 0..2000 {
        fs::write(
            below.join(format!("{file}.txt")),
            "text\n".repeat(file % 100),
        )?;
    }
    prepare(directory, "tar cf files.tar files")
}

fn python(directory: &Path) -> Result<(), Failure> {
    for file in 0..20 {
        let mut text =
            String::from("import json, os, tempfile, unittest\n\nclass Case(unittest.TestCase):\n");
        for test in 0..10 {
            writeln!(
                text,
                "    def test_{test}(self):\n        \
                 with tempfile.TemporaryDirectory() as place:\n            \
                 path = os.path.join(place, 'value.json')\n            \
                 with open(path, 'w') as file:\n                json.dump([{test}] * 100, file)\n            \
                 with open(path) as file:\n                self.assertEqual(json.load(file), [{test}] * 100)\n"
            )?;
        }
        fs::write(directory.join(format!("test_{file}.py")), text)?;
    }
    Ok(())
}

/// Packages as tarballs, and a lock file that names them.
fn packages(directory: &Path) -> Result<(), Failure> {
    let mut wanted = Vec::new();
    for number in 0..20 {
        let package = directory.join(format!("sources/{number}/package"));
        fs::create_dir_all(&package)?;
        let name = format!("part{number}");
        let manifest = format!(r#"{{"name":"{name}","version":"1.0.0"}}"#);
        fs::write(package.join("package.json"), manifest)?;
        for file in 0..20 {
            let text = format!("exports.value = {file};\n");
            fs::write(package.join(format!("{file}.js")), text)?;
        }
        prepare(
            directory,
            &format!("tar czf {name}.tgz -C sources/{number} package"),
        )?;
        wanted.push(format!(r#""{name}":"file:{name}.tgz""#));
    }
    let wanted = wanted.join(",");
    let manifest = format!(r#"{{"name":"bench","version":"1.0.0","dependencies":{{{wanted}}}}}"#);
    fs::write(directory.join("package.json"), manifest)?;
    prepare(
        directory,
        "/usr/bin/npm install --offline --no-audit --no-fund --cache ./cache >/dev/null",
    )
}

fn prepare(directory: &Path, text: &str) -> Result<(), Failure> {
    #[expect(clippy::disallowed_methods, reason = "what is measured needs files")]
    let status = Command::new("bash")
        .args(["--noprofile", "--norc", "-c", text])
        .current_dir(directory)
        .status()?;
    if !status.success() {
        return Err(format!("`{text}` failed").into());
    }
    Ok(())
}
