//! Another time: a clock that goes before or after.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::world::World;

/// Stands before the system's own, for one process.
const SOURCE: &str = r#"
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static long shift;
/* At once: a program may wipe its environment later. */
__attribute__((constructor)) static void read_shift(void) {
    const char *text = getenv("TEST_CLOCK_SHIFT");
    shift = text ? atol(text) : 0;
}
int clock_gettime(clockid_t id, struct timespec *time) {
    int failed = syscall(SYS_clock_gettime, id, time);
    if (!failed && id == CLOCK_REALTIME) time->tv_sec += shift;
    return failed;
}
"#;

/// Lets this command see another time: this many seconds later, or earlier.
pub(crate) fn shifted(world: &World, command: &mut Command, seconds: i64) {
    command
        .env("LD_PRELOAD", library(world))
        .env("TEST_CLOCK_SHIFT", seconds.to_string());
}

fn library(world: &World) -> PathBuf {
    let library = world.path("clock.so");
    if !library.exists() {
        let source = world.path("clock.c");
        fs::write(&source, SOURCE).unwrap();
        let mut compiler = world.program("gcc");
        compiler.args(["-shared", "-fPIC", "-o"]);
        let made = compiler.arg(&library).arg(&source).status().unwrap();
        assert!(made.success());
    }
    library
}
