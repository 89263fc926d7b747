//! A command that tries to say yes to itself, by every road. Each road has its control: a person
//! outside gets through on it.

use std::fs;
use std::time::Duration;

use serde_json::Value;

use super::{ask_about, asking, grants, made, pending};
use crate::support::{Running, Terminal, World, binary, eventually};

/// The variables without which another Bashful would be asked.
fn places(world: &World) -> String {
    let variables = [
        ("HOME", "home"),
        ("XDG_STATE_HOME", "state"),
        ("XDG_CONFIG_HOME", "config"),
        ("XDG_RUNTIME_DIR", "run"),
    ];
    let set = variables.map(|(name, place)| format!("{name}={}", world.path(place).display()));
    set.join(" ")
}

/// `bashful approvals allow` as a command can write it.
fn saying_yes(world: &World, id: &str) -> String {
    let program = binary();
    format!(
        "env {} {} approvals allow {id}",
        places(world),
        program.display()
    )
}

fn state_of(world: &World, id: &str) -> Value {
    let (code, shown) = world.call(&["approvals", "show", "--json", id]).json();
    assert_eq!(code, 0, "{shown}");
    shown["ask"]["state"]["is"].clone()
}

/// A program that gives itself another name, and a terminal.
const RENAMED: &str = "
import ctypes, os, pty, sys
ctypes.CDLL(None).prctl(15, b'login', 0, 0, 0)
sys.exit(os.waitstatus_to_exitcode(pty.spawn(['/bin/sh', sys.argv[1]])))
";

/// The roads, each with what a command writes to take it. `answer.sh` says yes. Where a terminal
/// of `script` would see the end of its input at once, it gets one that lasts.
const ROADS: [(&str, &str); 11] = [
    (
        "a terminal of its own",
        "script -qec 'sh answer.sh' /dev/null",
    ),
    (
        "another session of processes",
        "setsid -w script -qec 'sh answer.sh' /dev/null",
    ),
    (
        "no environment",
        "env -i PATH=\"$PATH\" script -qec 'sh answer.sh' /dev/null",
    ),
    (
        "no hangup",
        "nohup script -qec 'sh answer.sh' /dev/null < <(sleep 2)",
    ),
    (
        "other privileges",
        "setpriv --no-new-privs script -qec 'sh answer.sh' /dev/null",
    ),
    ("another name", "/usr/bin/python3 renamed.py answer.sh"),
    (
        "no mark",
        "prlimit --rttime=1000:1000 script -qec 'sh answer.sh' /dev/null",
    ),
    (
        // Its keeper cannot be seen from there; the mark is all that tells.
        "another process namespace",
        "unshare -U -r -p -f --mount-proc script -qec 'sh answer.sh' /dev/null",
    ),
    (
        "a daemon",
        "( ( setsid script -qec 'sh answer.sh' /dev/null < <(sleep 2) & ) & ); wait_for_it",
    ),
    (
        "a daemon without a mark",
        "( ( prlimit --rttime=1000:1000 setsid script -qec 'sh answer.sh' /dev/null < <(sleep 2) & ) & ); \
         wait_for_it",
    ),
    (
        "a daemon without a mark and under another name",
        "( ( prlimit --rttime=1000:1000 setsid /usr/bin/python3 renamed.py answer.sh & ) & ); \
         wait_for_it",
    ),
];

/// Waits for what goes on behind.
const WAITING: &str = "wait_for_it() { for _ in $(seq 200); do test -e answered && return; \
    sleep 0.05; done; exit 9; }\n";

#[test]
fn no_road_leads_out_of_a_run_with_all_rights() {
    let world = asking();
    world.write("renamed.py", RENAMED);
    for (road, script) in ROADS {
        let id = ask_about(&world, "touch made");
        let answer = saying_yes(&world, &id);
        let answer = format!("{answer} >said 2>&1; code=$?; echo $code >answered; exit $code");
        world.write("answer.sh", &answer);
        world.write("try.sh", format!("{WAITING}{script}"));
        let _ = fs::remove_file(world.workspace().join("answered"));
        let program = binary();
        let call = format!(
            "{} run --sandbox none --policy none 'bash try.sh'",
            program.display()
        );
        let (_, screen) = Terminal::line(&world, &call).end();
        let (code, said) = (world.read("answered"), world.read("said"));
        assert_eq!(code, "120\n", "{road}: {said} {screen}");
        assert!(said.contains("started by Bashful"), "{road}: {said}");
        assert_eq!(state_of(&world, &id), "pending", "{road}");
        // The control: on the same road, a person.
        fs::remove_file(world.workspace().join("answered")).unwrap();
        let (_, screen) = Terminal::line(&world, "bash try.sh").end();
        let (code, said) = (world.read("answered"), world.read("said"));
        assert_eq!(code, "0\n", "{road}: {said} {screen}");
        assert_eq!(state_of(&world, &id), "allowed", "{road}");
        let (code, result) = world.json(&["--session", "talk", "touch made"]);
        assert_eq!(code, 0, "{result}");
    }
}

#[test]
fn grants_and_repairs_are_no_way_around() {
    let world = asking();
    let program = binary();
    let program = program.display();
    let places = places(&world);
    for verb in [
        "grants add --exact 'touch made' --scope call",
        "grants revoke --all",
        "doctor --repair",
    ] {
        let before = grants(&world);
        let inner = format!("env {places} {program} {verb}");
        world.write("inner.sh", &inner);
        let text = "script -qec 'sh inner.sh' /dev/null";
        let (code, screen) = Terminal::line(
            &world,
            &format!("{program} run --sandbox none --policy none \"{text}\""),
        )
        .end();
        assert_eq!(code, 120, "{verb}: {screen}");
        assert!(screen.contains("started by Bashful"), "{verb}: {screen}");
        assert_eq!(grants(&world), before, "{verb}");
        let (code, screen) = Terminal::line(&world, text).end();
        assert_eq!(code, 0, "{verb}: {screen}");
    }
}

/// What a run in a sandbox looks for, and what a person outside finds there.
const LOOKING: &str = r"
import glob, os, socket, sys
state, runtime, started, terminal = sys.argv[1:5]
def tries(name, act):
    try:
        print(name, act())
    except OSError as error:
        print(name, 'no')
def connect():
    path = glob.glob(runtime + '/bashful/*.sock')
    if not path: raise OSError
    socket.socket(socket.AF_UNIX).connect(path[0])
    return 'yes'
def starts():
    for path in glob.glob('/proc/[0-9]*/stat'):
        try:
            yield open(path).read().rsplit(')', 1)[1].split()[19]
        except OSError:
            pass  # It has just ended.
def keepers():
    return 'yes' if started in starts() else 'no'
def database():
    return 'yes' if open(state + '/bashful/bashful.db', 'r+b') else 'no'
def trail():
    return 'yes' if open(state + '/bashful/trail.jsonl', 'ab') else 'no'
def person():
    return 'yes' if open('/dev/tty', 'r+b', buffering=0) else 'no'
def terminals():
    if any(os.isatty(fd) for fd in range(64)): return 'yes'
    return 'yes' if open(terminal, 'r+b', buffering=0) else 'no'
for act in [connect, keepers, database, trail, person, terminals]:
    tries(act.__name__, act)
";

#[test]
fn nothing_of_ours_is_there_in_a_sandbox() {
    let world = asking();
    ask_about(&world, "touch made");
    world.write("looking.py", LOOKING);
    // A session whose keeper lives, and has a socket. What the keeper makes ahead for its second run
    // may begin in the same hundredth of a second as the keeper, which is known by that here: the
    // second run uses it up, before this looks.
    for _ in 0..2 {
        assert_eq!(world.json(&["--session", "talk", "true"]).0, 0);
        std::thread::sleep(Duration::from_millis(50));
    }
    let [(_, started)] = world.living_keepers()[..] else {
        panic!("not one keeper");
    };
    let [state, runtime] = ["state", "run"].map(|name| world.path(name));
    let (state, runtime) = (state.display(), runtime.display());
    let look = format!("/usr/bin/python3 looking.py {state} {runtime} {started} $(tty)");
    let program = binary();
    let program = program.display();
    let found = |answer: &str| {
        let names = [
            "connect",
            "keepers",
            "database",
            "trail",
            "person",
            "terminals",
        ];
        names.map(|name| format!("{name} {answer}\n")).concat()
    };
    for flag in ["", "--stdin "] {
        let call = format!("{program} run --session talk --policy none {flag}\"{look}\"");
        let (code, screen) = Terminal::line(&world, &call).end();
        assert_eq!(code, 0, "{screen}");
        let rows = screen.lines().filter_map(|row| row.split_once("│ "));
        let mut told: Vec<&str> = rows.map(|(_, row)| row).collect();
        let expected = found("no");
        let mut expected: Vec<&str> = expected.lines().collect();
        if !flag.is_empty() {
            // What is given as input is there: to be read, as the next test shows.
            told.retain(|row| !row.starts_with("terminals "));
            expected.retain(|row| !row.starts_with("terminals "));
        }
        assert_eq!(told, expected, "{flag}{screen}");
    }
    let (code, screen) = Terminal::line(&world, &look).end();
    assert_eq!((code, screen), (0, found("yes")));
}

#[test]
fn a_terminal_given_as_input_is_not_drawn_on() {
    let world = asking();
    let text = "printf DRA''WN >&0; printf DRA''WN >/proc/self/fd/0; read -r line; echo got $line";
    world.write("draw.sh", text);
    let program = binary();
    let program = program.display();
    let call = format!("{program} run --policy none --stdin 'bash draw.sh'");
    for (call, drawn) in [(call.as_str(), false), ("bash draw.sh", true)] {
        let mut terminal = Terminal::line(&world, call);
        std::thread::sleep(Duration::from_millis(300));
        terminal.paste(b"this\r");
        let (code, screen) = terminal.end();
        assert_eq!(code, 0, "{screen}");
        assert!(screen.contains("got this"), "{screen}");
        assert_eq!(screen.contains("DRAWN"), drawn, "{screen}");
    }
}

#[test]
fn our_own_program_answers_nothing_in_a_sandbox() {
    let world = asking();
    let id = ask_about(&world, "touch made");
    // In a directory of its own: where it was built, there is too much to look through.
    let directory = world.path("bin");
    fs::create_dir(&directory).unwrap();
    let program = directory.join("bashful");
    fs::copy(binary(), &program).unwrap();
    let answer = saying_yes(&world, &id);
    let built = binary().display().to_string();
    let answer = answer.replace(&built, &program.display().to_string());
    world.write(
        "answer.sh",
        format!("{answer} >said 2>&1; echo $? >answered"),
    );
    let text = "script -qec 'sh answer.sh' /dev/null || sh answer.sh";
    // The program itself is there, and what is read of its state as well.
    let state = world.path("state");
    let read = ["--read", state.to_str().unwrap()];
    for more in [&[][..], &read] {
        let directory = directory.to_str().unwrap();
        let mut arguments = vec!["--policy", "none", "--read", directory];
        arguments.extend(more);
        arguments.push(text);
        let outcome = world.run(&arguments);
        let said = world.read("said");
        assert_ne!(world.read("answered"), "0\n", "{said} {outcome:?}");
        assert_eq!(state_of(&world, &id), "pending", "{said} {outcome:?}");
    }
    let (code, screen) = Terminal::line(&world, text).end();
    assert_eq!(
        (code, world.read("answered").as_str()),
        (0, "0\n"),
        "{screen}"
    );
    assert_eq!(state_of(&world, &id), "allowed");
}

/// Types `y` into a terminal, by whichever way leads to it, about as often as a person could. It
/// knows of that one terminal only: there are others on the machine.
const TYPING: &str = r"
import fcntl, os, sys, time
def ways():
    for fd in range(3):
        yield os.dup(fd)
    for path in ['/dev/tty', sys.argv[1]]:
        try:
            yield os.open(path, os.O_RDWR | os.O_NOCTTY)
        except OSError:
            pass
def types():
    for fd in ways():
        try:
            fcntl.ioctl(fd, 0x5412, b'y')
            return
        except OSError:
            pass
        finally:
            os.close(fd)
open('typing', 'w').close()
for _ in range(30):
    types()
    time.sleep(0.6)
    if os.path.exists('enough'): break
";

/// Asks on a terminal on which a command types as well; whether that was a yes.
fn typed_into(typist: &str) -> bool {
    let world = asking();
    world.write("typing.py", TYPING);
    let program = binary();
    let program = program.display();
    let typist = typist.replace("bashful", &program.to_string());
    // A shell waits until the typist types.
    let line = format!(
        "{typist} >typed 2>&1 & while test ! -e typing; do sleep 0.02; done; {program} run 'touch made'; \
         code=$?; touch enough; wait; (exit $code)"
    );
    let mut terminal = Terminal::line(&world, &line);
    terminal.look_for("ENTER is no] ", 1);
    let answered = || made(&world, "made");
    for _ in 0..30 {
        std::thread::sleep(Duration::from_millis(100));
        if answered() {
            break;
        }
    }
    let typed = answered();
    if !typed {
        world.write("enough", "");
        // The typist gets time to stop; then the person says no.
        std::thread::sleep(Duration::from_millis(700));
        terminal.press(b"n");
    }
    let (code, screen) = terminal.end();
    assert_eq!(code, if typed { 0 } else { 120 }, "{screen}");
    typed
}

#[test]
fn nothing_types_into_the_terminal_of_a_person() {
    let typing = "/usr/bin/python3 typing.py $(tty)";
    for flags in ["", "--stdin "] {
        let call = format!("bashful run --policy none {flags}\"{typing}\" </dev/tty");
        assert!(!typed_into(&call), "{flags}");
    }
    let legacy = fs::read_to_string("/proc/sys/dev/tty/legacy_tiocsti");
    if legacy.is_ok_and(|text| text.trim() == "0") {
        println!("no control: this kernel lets nobody type for others");
        return;
    }
    assert!(typed_into(typing));
}

#[test]
fn what_a_terminal_reports_is_no_answer() {
    // What terminals send when a text asks for their kind, the place of the cursor, a colour, the
    // clipboard, or a title that a command set to `y`.
    let reports: [&[u8]; 5] = [
        b"\x1b[?62;22c",
        b"\x1b[12;40R",
        b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\",
        b"\x1b]52;c;eQ==\x07",
        b"\x1b]ly\x1b\\",
    ];
    for (number, report) in reports.into_iter().enumerate() {
        let world = asking();
        let mut terminal = Terminal::bashful(&world, &["run", "touch made"]);
        terminal.asked(1);
        terminal.paste(report);
        terminal.asked(2);
        // The same on a slow line, byte by byte.
        for byte in report {
            terminal.paste(&[*byte]);
            std::thread::sleep(Duration::from_millis(60));
        }
        terminal.asked(3);
        assert_eq!(pending(&world).len(), 1, "{number}: {}", terminal.seen());
        terminal.press(b"y");
        // The control: a key is an answer.
        let (code, screen) = terminal.end();
        assert_eq!((code, made(&world, "made")), (0, true), "{screen}");
    }
}

#[test]
fn the_pipes_of_a_run_carry_no_answer() {
    let world = asking();
    let words = "y\ny\na\n\n/allow\n";
    world.write("words", words);
    let mut command = world.run_command(&["--stdin", "--wait", "2s", "--json", "touch made"]);
    command.stdin(fs::File::open(world.workspace().join("words")).unwrap());
    let run = Running::start(command);
    assert!(eventually(|| !pending(&world).is_empty()));
    let (code, result) = run.end().outcome().json();
    assert_eq!((code, made(&world, "made")), (121, false), "{result}");
    assert_eq!(grants(&world), [] as [Value; 0]);
}
