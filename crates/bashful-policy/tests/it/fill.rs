//! Filling the disk: what real bash goes on writing until a limit stops it is refused, and what
//! ends by itself is not.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "tests compare with real bash; the crate itself starts nothing and reads no file"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use bashful_policy::CommandValidator;

/// No file of a test gets larger than this many blocks of 1024 bytes.
const BLOCKS: u64 = 256;

/// Commands that write until the limit stops them.
const FILLS: &[&str] = &[
    "dd if=/dev/zero of=f",
    "dd if=/dev/zero bs=4k > f",
    "dd if=/dev/zero | tee f",
    "cat /dev/zero > f",
    "cat < /dev/urandom >> f",
    "cp /dev/zero f",
    "yes > f",
    "yes | tee f",
    "yes &> f",
    "yes | cat | cat >> f",
    "yes | gzip > f.gz",
    "timeout 3 yes > f",
    "bash -c yes > f",
    "{ yes; } > f",
    "(cat /dev/zero) > f",
    "exec > f; yes",
    "exec 3> f; yes >&3",
    "head -c 1T /dev/zero > f",
    "head -n 1 /dev/zero > f",
    "yes | head -n 100000000000 > f",
    "base64 /dev/urandom > f",
    "tr -d x < /dev/urandom > f",
    "seq inf > f",
    "shuf -r -i 1-10 > f",
    "split -b 1G /dev/zero",
    "cat <(yes) > f",
    "yes > >(cat > f); sleep 1",
    "f() { yes; }; f > f",
    "yes | while read -r x; do echo \"$x $x $x $x $x $x $x $x $x $x $x $x $x\"; done > f",
    "x=$(printf %9999s); while :; do echo \"$x\" >> f; done",
    "x=$(printf %9999s); until false; do echo \"$x\"; done > f",
    "x=$(printf %9999s); for ((;;)); do echo \"$x\" >> f; done",
    "x=$(printf %9999s); while [ 1 ]; do echo \"$x\" >> f; done",
    "x=$(printf %9999s); while echo \"$x\" >> f; do :; done",
    "awk 'BEGIN{while(1)print \"x\"}' > f",
    "cat /dev/./zero > f",
    "cat /dev/zer? > f",
    "dd if=/dev/zero of=f bs=1G count=1000",
];

/// Commands that end by themselves, below the limit.
const ENDS: &[&str] = &[
    "dd if=/dev/zero of=f bs=1k count=10",
    "head -c 10k /dev/zero > f",
    "yes | head -n 5 > f",
    "yes | head > f",
    "yes | dd of=f bs=1k count=10",
    "yes | sed 5q > f",
    "tr -dc a-z < /dev/urandom | head -c 32 > f",
    "seq 1 100 > f",
    "shuf -i 1-10 > f",
    "fallocate -l 10k f",
    "truncate -s 10k f",
    "for i in 1 2 3; do echo $i >> f; done",
    "yes n | cp -i /dev/null f",
    "yes > /dev/null & kill $!",
    "(echo a; yes | head -n 3) | tee f",
];

/// Whether a command writes more than the limit lets it, in a directory of its own.
fn fills(command: &str, directory: &Path) -> bool {
    fs::create_dir(directory).unwrap();
    let text = format!("ulimit -f {BLOCKS}\n{command}");
    let mut child = Command::new("timeout")
        .args(["-k", "1", "5", "bash", "--norc", "-c", &text])
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.wait().unwrap();
    let most = fs::read_dir(directory).unwrap().map(|entry| {
        let entry = entry.unwrap();
        entry.metadata().unwrap().len()
    });
    let full = most
        .max()
        .is_some_and(|most| most >= BLOCKS * 1024 - 16 * 1024);
    fs::remove_dir_all(directory).unwrap();
    full
}

#[test]
fn what_fills_the_disk_is_refused() {
    let works = Command::new("bash").args(["-c", ":"]).status();
    if !works.is_ok_and(|status| status.success()) {
        eprintln!("skipped: bash is not installed");
        return;
    }
    let root = std::env::temp_dir().join(format!("bashful-fill-{}", std::process::id()));
    fs::create_dir(&root).unwrap();
    let validator = CommandValidator::default();
    let mut wrong = Vec::new();
    for (texts, expected) in [(FILLS, true), (ENDS, false)] {
        for (index, command) in texts.iter().enumerate() {
            if fills(command, &root.join(index.to_string())) != expected {
                wrong.push(format!("bash does not fill as expected: {command}"));
            }
            let rule = validator.check(command).map(|decision| decision.rule);
            if (rule.as_deref() == Some("disk-fill")) != expected {
                wrong.push(format!("{rule:?}: {command}"));
            }
        }
    }
    fs::remove_dir_all(&root).unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
