//! Limits hold, and running into one is told apart from an ordinary failure.

use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::AsFd;

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use serde_json::{Value, json};

use super::{is_root, kinds};
use crate::support::World;

/// Runs a command that runs into one limit: how it ended, and of which kinds its violations are. A
/// person who runs it is told of the same.
fn runs_into(flags: &[&str], text: &str) -> (i32, Value, Vec<String>) {
    let world = World::unjudged();
    let (code, result) = world.json(&[flags, &[text]].concat());
    let kinds: Vec<String> = kinds(&result).into_iter().map(str::to_owned).collect();
    let outcome = World::unjudged().run(&[flags, &[text]].concat());
    for kind in &kinds {
        let line = format!("bashful: sandbox: {}", kind.replace('_', " "));
        assert!(outcome.stderr.contains(&line), "{line} in {outcome:?}");
    }
    if kinds.is_empty() {
        assert!(!outcome.stderr.contains("bashful: sandbox"), "{outcome:?}");
    }
    (code, result, kinds)
}

/// What is enforced when limits are set: control groups need root here.
fn level(result: &Value) -> bool {
    let level = &result["enforcement"]["resources"];
    assert!(level == "full" || level == "partial", "{result}");
    level == "full"
}

#[test]
fn too_much_memory() {
    // Without a control group the keeper has to see it, which looks every few milliseconds.
    let text =
        "python3 -c \"import time; block = bytearray(400 << 20); time.sleep(1); print('got it')\"";
    let (code, result, kinds) = runs_into(&["--memory", "100M"], text);
    assert_eq!(result["stdout"], "", "{result}");
    assert_ne!(code, 0);
    assert_eq!(kinds, ["memory"], "{result}");
    let (code, result, kinds) = runs_into(&["--memory", "600M"], text);
    assert_eq!(
        json!([code, result["stdout"], kinds]),
        json!([0, "got it\n", []])
    );
}

/// Addresses are no memory: what sanitizers reserve by the terabyte is hardly touched, with a limit
/// and without.
#[test]
fn sanitizers_reserve_addresses_as_they_like() {
    let world = World::new();
    world.write(
        "wrong.c",
        "#include <stdlib.h>\nint main(int count, char **words) {\n\
         char *p = malloc(4); p[count + 3] = 1; return p[0]; }\n",
    );
    world.write(
        "race.c",
        "#include <pthread.h>\nint shared;\nvoid *add(void *p) { shared++; return p; }\n\
         int main(void) { pthread_t one; pthread_create(&one, 0, add, 0); shared++;\n\
         pthread_join(one, 0); return 0; }\n",
    );
    let text = "gcc -g -fsanitize=address wrong.c -o wrong && ./wrong 2>&1 | grep -o heap-buffer-overflow | uniq;
        gcc -g -fsanitize=thread race.c -o race -pthread && ./race 2>&1 | grep -o 'data race' | uniq";
    for flags in [&[] as &[&str], &["--memory", "400M"]] {
        let outcome = world.run(&[flags, &[text]].concat());
        assert_eq!(
            outcome.stdout, "heap-buffer-overflow\ndata race\n",
            "{outcome:?}"
        );
    }
}

#[test]
fn memory_of_all_processes_together() {
    let text = "for n in 1 2 3 4; do python3 -c \
                \"block = bytearray(60 << 20); import time; time.sleep(1)\" & done; \
                wait -n; wait -n; wait; echo over";
    let (_, result, kinds) = runs_into(&["--memory", "150M"], text);
    assert!(kinds.contains(&"memory".to_owned()), "{result}");
    let source = if level(&result) { "cgroup" } else { "keeper" };
    assert_eq!(result["sandbox_violations"][0]["source"], source);
    let (_, result, kinds) = runs_into(&["--memory", "600M"], text);
    assert_eq!(json!([result["stdout"], kinds]), json!(["over\n", []]));
}

/// Memory that no process has among its own data: files without a name, and what is shared. Each
/// would take 900 MiB.
#[test]
fn memory_that_is_nobodys_data() {
    let nameless = "
files = []
for number in range(30):
    files.append(os.memfd_create('x'))
    for _ in range(30): os.write(files[-1], block)
    time.sleep(0.02)";
    let closed_by_one_kept_by_another = "
ours, theirs = os.pipe()
if os.fork() == 0:
    files = [os.memfd_create('x') for _ in range(30)]
    for file in files:
        for _ in range(30): os.write(file, block)
        time.sleep(0.02)
    os.write(theirs, b'x')
    time.sleep(2)
    os._exit(0)
os.close(theirs)
if os.read(ours, 1) != b'x': os._exit(1)";
    let shared = "
areas = []
for number in range(30):
    areas.append(mmap.mmap(-1, 30 << 20))
    for _ in range(30): areas[-1].write(block)
    time.sleep(0.02)";
    let on_its_way_through_a_socket = "
ours, theirs = socket.socketpair()
for number in range(30):
    file = os.memfd_create('x')
    for _ in range(30): os.write(file, block)
    socket.send_fds(ours, [b'x'], [file])
    os.close(file)
    time.sleep(0.02)";
    let mapped_and_not_touched = "
areas = []
for number in range(30):
    file = os.memfd_create('x')
    for _ in range(30): os.write(file, block)
    areas.append(mmap.mmap(file, 30 << 20))
    os.close(file)
    time.sleep(0.02)";
    let of_one_who_hides = format!("\nctypes.CDLL(None).prctl(4, 0, 0, 0, 0){nameless}");
    let acts = [
        nameless,
        closed_by_one_kept_by_another,
        shared,
        on_its_way_through_a_socket,
        mapped_and_not_touched,
        &of_one_who_hides,
    ];
    let text = |act: &str, seconds| {
        format!(
            "python3 -c \"\nimport ctypes, mmap, os, socket, time\nblock = bytes(1 << 20){act}\ntime.sleep({seconds})\nprint('all')\""
        )
    };
    // Most of the time they wait to be found, so they are held side by side.
    std::thread::scope(|scope| {
        for act in acts {
            scope.spawn(move || {
                let flags = ["--memory", "128M", "--allow", "fork-bomb"];
                let (_, result, kinds) = runs_into(&flags, &text(act, 2.0));
                let found = json!([result["stdout"], kinds]);
                assert_eq!(found, json!(["", ["memory"]]), "{result}");
            });
        }
    });
    // These get all that they want, so only one does at a time.
    for act in acts {
        let flags = ["--memory", "2G", "--allow", "fork-bomb"];
        let (_, result, kinds) = runs_into(&flags, &text(act, 0.3));
        assert_eq!(
            json!([result["stdout"], kinds]),
            json!(["all\n", []]),
            "{result}"
        );
    }
}

/// What others take of the machine meanwhile is not the run's.
#[test]
fn memory_that_is_somebody_elses() {
    use std::io::Write;
    let text = "python3 -c 'import time; time.sleep(1)'; echo over";
    let mut others = tempfile::tempfile_in("/dev/shm").unwrap();
    std::thread::scope(|scope| {
        let run = scope.spawn(|| runs_into(&["--memory", "128M"], text));
        for _ in 0..400 {
            others.write_all(&vec![1; 1 << 20]).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        let (_, result, kinds) = run.join().unwrap();
        let found = json!([result["stdout"], kinds]);
        assert_eq!(found, json!(["over\n", []]), "{result}");
    });
}

const FORKS: &str = "python3 -c \"
import os, time
count = 0
try:
    while count < 100:
        if os.fork() == 0: time.sleep(30); os._exit(0)
        count += 1
    print('all')
except OSError: print('refused')
\"";

#[test]
fn too_many_processes() {
    let (code, result, kinds) = runs_into(&["--processes", "20", "--allow", "fork-bomb"], FORKS);
    assert_eq!(
        json!([code, result["stdout"]]),
        json!([0, "refused\n"]),
        "{result}"
    );
    if level(&result) {
        assert_eq!(kinds, ["processes"], "{result}");
    }
    let (_, result, kinds) = runs_into(&["--processes", "150", "--allow", "fork-bomb"], FORKS);
    assert_eq!(json!([result["stdout"], kinds]), json!(["all\n", []]));
}

#[test]
fn too_much_processor_time() {
    let (code, result, kinds) = runs_into(&["--cpu-time", "1s"], "while :; do :; done");
    assert_ne!(code, 0, "{result}");
    assert_eq!(kinds, ["cpu_time"], "{result}");
    let took = result["duration_ms"].as_u64().unwrap();
    assert!(took < 30_000, "{took} ms");
}

#[test]
fn a_file_that_is_too_large() {
    let world = World::unjudged();
    let text = "exec head -c 2M /dev/zero > file";
    let (_, result, kinds) = runs_into(&["--file-size", "1M"], text);
    assert_eq!(kinds, ["file_size"], "{result}");
    let told = &result["sandbox_violations"][0];
    assert_eq!(
        json!([told["source"], told["limit"], told["flag"]]),
        json!(["rlimit", 1 << 20, "--file-size 2M"])
    );
    let (code, _) = world.json(&["--file-size", "4M", "head -c 2M /dev/zero > file"]);
    assert_eq!(code, 0);
}

#[test]
fn what_an_exit_code_suggests_is_a_hint_and_no_violation() {
    // The first is what a shell makes of a signal; the second is a program that only says so.
    for text in ["head -c 2M /dev/zero > file; exit", "exit 153"] {
        let (code, result, kinds) = runs_into(&["--file-size", "1M"], text);
        assert_eq!(json!([code, kinds]), json!([153, []]), "{result}");
        let hint = &result["sandbox_hints"][0];
        assert_eq!(
            json!([hint["kind"], hint["source"], hint["flag"]]),
            json!(["file_size", "exit_code", "--file-size 2M"]),
            "{result}"
        );
        let told = World::unjudged().run(&["--file-size", "1M", text]);
        let line = "bashful: hint: its exit code is as if a file grew to its limit";
        assert!(told.stderr.contains(line), "{told:?}");
    }
    let (_, result, _) = runs_into(&["--file-size", "1M"], "exit 7");
    assert_eq!(result["sandbox_hints"], Value::Null);
}

#[test]
fn too_many_open_files() {
    let text = "python3 -c \"files = [open('/dev/null') for _ in range(100)]\"";
    let world = World::unjudged();
    let outcome = world.run(&["--open-files", "50", text]);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome.stderr.contains("Too many open files"),
        "{outcome:?}"
    );
    assert_eq!(world.run(&["--open-files", "500", text]).code, 0);
}

/// The kernel counts descriptors that are on their way through sockets for the user, and lets no
/// process of a lower limit send another.
#[test]
fn few_open_files_while_the_user_has_many_under_way() {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
    for _ in 0..30 {
        let sent = [ours.as_fd(), theirs.as_fd()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        assert!(ancillary.push(SendAncillaryMessage::ScmRights(&sent)));
        let data = [IoSlice::new(b"x")];
        sendmsg(&ours, &data, &mut ancillary, SendFlags::empty()).unwrap();
    }
    let world = World::unjudged();
    for session in [&[][..], &["--session", "s"], &["--session", "s"]] {
        let outcome = world.run(&[session, &["--open-files", "20", "ulimit -n"]].concat());
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (0, "20\n"),
            "{outcome:?}"
        );
    }
}

#[test]
fn a_full_tmp() {
    let flags = ["--tmp-size", "8M"];
    let (code, result, kinds) = runs_into(&flags, "head -c 20M /dev/zero > /tmp/fill");
    assert_eq!(json!([code, kinds]), json!([1, ["disk"]]), "{result}");
    let (code, result, kinds) = runs_into(&flags, "head -c 2M /dev/zero > /tmp/fill");
    assert_eq!(json!([code, kinds]), json!([0, []]), "{result}");
}

#[test]
fn the_size_of_tmp_holds_in_a_live_room() {
    let world = World::unjudged();
    let fill = "head -c 8M /dev/zero > /tmp/fill && echo all; rm -f /tmp/fill";
    let session = ["--session", "s"];
    assert_eq!(super::output(&world, &session, fill), "all\n");
    let small = ["--session", "s", "--tmp-size", "4M"];
    let outcome = world.run(&[&small[..], &[fill]].concat());
    assert_ne!(outcome.stdout, "all\n", "{outcome:?}");
    assert_eq!(super::output(&world, &session, fill), "all\n");
}

#[test]
fn too_many_files_in_tmp() {
    let text = "python3 -c \"
import os
try:
    for number in range(5_000_000): os.close(os.open(f'/tmp/{number}', os.O_CREAT))
    print('all')
except OSError as error: print(error.errno)
\"";
    let (_, result, kinds) = runs_into(&["--tmp-size", "4M"], text);
    assert_eq!(json!([result["stdout"], kinds]), json!(["28\n", ["disk"]]));
}

#[test]
fn shared_memory_has_a_size_too() {
    let world = World::unjudged();
    let text = "python3 -c \"
try:
    with open('/dev/shm/fill', 'wb') as file:
        for _ in range(64): file.write(bytes(1 << 20))
    print('all')
except OSError as error: print(error.errno)
\"";
    let seen = world.run(&["--tmp-size", "8M", text]);
    assert_eq!(seen.stdout, "28\n", "{seen:?}");
}

#[test]
fn files_in_memory_are_memory() {
    let text = "python3 -c \"
total = 0
for place in ['/tmp', '/dev/shm', '/run/bashful/home']:
    try:
        with open(place + '/fill', 'wb', buffering=0) as file:
            for _ in range(600): total += file.write(bytes(1 << 20))
    except OSError: pass
print(total <= 256 << 20)
\"";
    let flags = ["--memory", "256M", "--tmp-size", "600M"];
    let (_, result, kinds) = runs_into(&flags, text);
    if level(&result) {
        assert_eq!(kinds, ["memory"], "{result}");
        return;
    }
    let told = &result["sandbox_violations"][0];
    assert_eq!(
        json!([result["stdout"], kinds, told["missing"], told["flag"]]),
        json!(["True\n", ["disk"], "resources.memory", "--memory 512M"]),
        "{result}"
    );
    // With as much memory it all fits.
    let (_, result, kinds) = runs_into(&["--memory", "4G", "--tmp-size", "2G"], text);
    assert_eq!(
        json!([result["stdout"], kinds[..]]),
        json!(["False\n", ["disk"]])
    );
}

/// There `/tmp` is on disk, and bounded as such. What is in memory is looked at from time to time, so it
/// is written slowly here: what a run takes between two looks is not held back.
#[test]
fn files_in_memory_are_bounded_in_bubblewrap_too() {
    let text = "python3 -c \"
import time
total = 0
try:
    with open('/dev/shm/fill', 'wb', buffering=0) as file:
        for _ in range(600):
            total += file.write(bytes(1 << 20))
            time.sleep(0.01)
except OSError: pass
print(total <= 256 << 20)
\"";
    let flags = ["--sandbox", "bubblewrap", "--memory", "256M"];
    let (_, result, _) = runs_into(&flags, text);
    assert_ne!(result["stdout"], "False\n", "{result}");
}

#[test]
fn an_ordinary_failure_is_no_violation() {
    for text in [
        "exit 3",
        "false",
        "kill -9 $$",
        "exit 137",
        "cat /nowhere",
        "kill -TERM $$",
    ] {
        let world = World::unjudged();
        let (_, result) = world.json(&["--memory", "500M", "--processes", "50", text]);
        assert_eq!(kinds(&result), [] as [&str; 0], "{text}: {result}");
    }
}

#[test]
fn processor_share_slows_and_does_not_end() {
    let world = World::unjudged();
    let text = "python3 -c \"
import time
began, used = time.monotonic(), time.process_time()
while time.monotonic() - began < 1: pass
print(int((time.process_time() - used) * 100))
\"";
    let (code, result) = world.json(&["--cpu-share", "20", text]);
    assert_eq!(code, 0, "{result}");
    if level(&result) {
        let share: i32 = result["stdout"].as_str().unwrap().trim().parse().unwrap();
        assert!(share < 45, "{share} percent");
    }
}

#[test]
fn root_has_limits_in_full_and_others_say_what_they_have() {
    let world = World::unjudged();
    let (code, result) = world.json(&["true"]);
    let mut expected = json!({
        "backend": "native", "filesystem": "full", "network": "full", "commands": "full",
        "processes": "full", "resources": "full", "identity": "full",
    });
    // Without a control group of one's own, memory is limited for each process alone.
    if !is_root() {
        expected["resources"] = json!("partial");
    }
    assert_eq!(json!([code, result["enforcement"]]), json!([0, expected]));
}
