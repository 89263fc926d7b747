//! Archives, databases, pipelines and a large sort.

use super::{steps, work};
use crate::support::World;

#[test]
fn archives_make_the_round_trip() {
    let world = World::new();
    let printed = steps(
        &world,
        &[
            "mkdir -p tree/deep/er && seq 1 2000 > tree/deep/numbers",
            "ln -s deep/numbers tree/link && printf '#!/bin/sh\\necho ran\\n' > tree/run",
            "chmod 755 tree/run && ln tree/deep/numbers tree/hard && touch -d 2001-01-01 tree/run",
            "tar -czf tree.tar.gz tree && mkdir a && tar -xzf tree.tar.gz -C a",
            "tar -cJf tree.tar.xz tree && mkdir b && tar -xJf tree.tar.xz -C b",
            "zip -qry tree.zip tree && mkdir c && (cd c && python3 -m zipfile -e ../tree.zip .)",
            "gzip -c tree/hard > hard.gz && gunzip -c hard.gz | cmp - tree/deep/numbers",
            "diff -r --no-dereference a/tree b/tree",
            "cmp c/tree/deep/numbers tree/deep/numbers",
            "a/tree/run && readlink b/tree/link && stat -c '%a %Y' b/tree/run",
        ],
    );
    let time = printed.lines().last().unwrap().to_owned();
    assert!(printed.starts_with("ran\ndeep/numbers\n755 9783"), "{time}");
}

#[test]
fn a_database_works_with_a_write_ahead_log() {
    let world = World::new();
    let printed = steps(
        &world,
        &[
            "sqlite3 data.db 'pragma journal_mode=wal; create table t(n integer);'",
            "for number in 1 2 3 4; do (for turn in 1 2 3 4 5; do sqlite3 -cmd '.timeout 20000' \
             data.db \"insert into t values ($number);\"; done) & done; wait",
            "sqlite3 data.db 'select count(*), sum(n) from t; pragma integrity_check;'",
        ],
    );
    assert_eq!(printed, "wal\n20|50\nok\n");
    // The reader outside sees the same.
    let mut command = world.program("sqlite3");
    let output = command.args(["data.db", "select count(*) from t"]).output();
    assert_eq!(output.unwrap().stdout, b"20\n");
}

#[test]
fn a_pipeline_of_twenty_processes() {
    let world = World::new();
    let middle = vec!["cat"; 18].join(" | ");
    let text = format!("set -o pipefail; seq 1 100000 | {middle} | tail -n 1");
    assert_eq!(work(&world, &text), "100000\n");
}

#[test]
fn shells_have_what_scripts_use() {
    let world = World::new();
    let printed = steps(
        &world,
        &[
            "diff <(seq 3) <(seq 3) && echo same",
            "file=$(mktemp) && echo text > $file && cat $file && rm $file",
            "cat <<< here",
            "mkfifo pipe && (echo through > pipe &) && cat pipe && rm pipe",
            "exec 9> lock && flock -n 9 && echo locked",
            "find . -name lock -print0 | xargs -0 -n1 -P4 basename",
            "timeout 5 true && nice -n 5 echo nice && env -i /bin/echo env",
            "touch -d '2 hours ago' old && test -n \"$(find . -mmin +60 -name old)\" && echo old",
            "(ulimit -n 64; echo lower) && umask 077 && date +%Z > /dev/null",
            "script -qec 'test -t 1 && echo terminal' /dev/null | tr -d '\\r'",
            "echo > /dev/null && head -c 4 /dev/urandom | wc -c && echo err >/dev/stderr",
        ],
    );
    let expected = "same\ntext\nhere\nthrough\nlocked\nlock\nnice\nenv\nold\nlower\nterminal\n4\n";
    assert_eq!(printed, expected);
}

/// Twelve random mebibytes become sixteen of text. The buffer is a quarter of all copies, so
/// the rest has to be in temporary files. The whole gibibyte is for one user only, as it
/// takes its time.
#[test]
fn heavy_a_sort_of_one_gibibyte_has_room_for_its_files() {
    let world = World::new();
    let root = rustix::process::geteuid().is_root();
    let copies: u64 = if root { 64 } else { 8 };
    println!("sorting {} MiB", copies * 16);
    let sort = format!(
        "for copy in $(seq {copies}); do cat /tmp/block; done | sort -S {}M | \
         tee >(wc -c > /tmp/count) | sort -c",
        copies * 4
    );
    let printed = steps(
        &world,
        &[
            "export LC_ALL=C",
            "head -c 12582912 /dev/urandom | base64 -w 9999 > /tmp/block",
            "(until ls /tmp | grep -q '^sort[A-Za-z0-9]'; do sleep 0.02; done; touch /tmp/seen) &",
            &sort,
            "test -e /tmp/seen && while ! test -s /tmp/count; do sleep 0.05; done",
            "cat /tmp/count; ls /tmp | grep -c '^sort[A-Za-z0-9]'; true",
        ],
    );
    let (bytes, left) = printed.trim().split_once('\n').unwrap();
    assert_eq!(left, "0");
    assert!(bytes.parse::<u64>().unwrap() >= copies << 24, "{bytes}");
}
