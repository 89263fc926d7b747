//! The screens that a person sees most, whole: what no other test looks at from top to bottom.

use insta::assert_snapshot;

use crate::support::{Marker, Running, World};

/// A run that sleeps for a minute, in the background; `bashful stop --all` ends it.
fn sleeper(world: &World) {
    let started = world.screen(&["run", "--background", "--name", "dev", "sleep 60"]);
    assert!(started.starts_with("exit code 0\n"), "{started}");
}

#[test]
fn help() {
    assert_snapshot!(World::new().screen(&["--help"]), @"
    exit code 0
    ----- stdout -----
    The shell that asks first: run commands for AI agents and always get an answer

    Usage: bashful [OPTIONS] <COMMAND>

    Commands:
      run          Run a command and report how it went
      explain      Show what a command would be allowed to do, without running it
      doctor       Show what this host offers and what will be enforced on it
      status       Show what is running now
      stop         End what is running now
      tasks        List tasks: what is running in the background, and what has ended
      logs         Show what a task printed
      wait         Wait for tasks to end
      kill         End tasks
      config       Show and change the configuration
      policy       Ask the policy about a command, and look at its rules
      approvals    See what is waiting for an answer, and answer it
      grants       See which grants hold, give new ones and take them back
      shells       See which shells are kept and what they remember, and make them forget
      scripts      Keep scripts, approve them by content, and run them
      action       Run actions: scripts with their values, as JSON
      audit        Look at the record of what was asked, decided and run
      tools        See which tools agents have, and call one
      mcp          Serve the tools to an MCP client, and set clients up
      send         Type into a task's terminal, or write to its standard input
      attach       Attach your terminal to a task's terminal
      hook         Judge, as a client's hook, what its own shell is about to run
      cache        Show or empty what tools cached for agents
      uninstall    Show what Bashful keeps on this machine, and remove it
      completions  Print a script that lets a shell complete Bashful's verbs and options
      help         Print this message or the help of the given subcommand(s)

    Options:
          --color <WHEN>
              When to use colour

              Possible values:
              - auto:   On a terminal, unless NO_COLOR is set
              - always
              - never

              [default: auto]

      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version
    ");
}

#[test]
fn help_of_run_in_short() {
    assert_snapshot!(World::new().screen(&["run", "-h"]), @r"
    exit code 0
    ----- stdout -----
    Run a command and report how it went

    Usage: bashful run [OPTIONS] 'COMMAND'
           bashful run [OPTIONS] PROGRAM ARGS...
           bashful run [OPTIONS] -- PROGRAM [ARGS]...
           bashful run [OPTIONS] --file FILE

    Arguments:
      [COMMAND]          Bash text to run, as one argument
      [PROGRAM ARGS]...  A program with its arguments, run without a shell

    Options:
          --color <WHEN>                 When to use colour [default: auto] [possible values: auto,
                                         always, never]
      -f, --file <FILE>                  Read the bash text from this file, at most 1 MiB; - is standard
                                         input
          --json                         Print the result as one JSON object
      -d, --description <TEXT>           What the command is for, in a few words
      -w, --workspace <DIR>              The writable root [default: --cwd, else the current directory]
      -C, --cwd <DIR>                    The working directory, inside the workspace
      -e, --env <NAME=VALUE>             Set a variable for the command; repeatable
          --allow-startup-env            Accept variables that change how programs load or start, such
                                         as LD_PRELOAD
      -t, --timeout <TIME>               End the command after this time [default: 120s]
          --warn-after <TIME>            Warn when the command takes longer than this; it goes on
          --max-output <CHARS>           Show at most this many characters of each stream; without it,
                                         everything is streamed (and --json holds 30000)
          --keep <PART>                  Which part of longer output to show [possible values: head,
                                         tail, head-tail]
          --log <FILE>                   Also write the complete log to this file
          --log-quota <SIZE>             Store at most this much output [default: 1G]
          --on-log-full <WHAT>           What to do when that limit is reached [default: auto, which
                                         stops background tasks] [possible values: auto, continue, stop]
          --stdin                        Pass standard input on to the command; without this it gets
                                         none
          --survivors <WHAT>             What happens to processes that outlive the command [default:
                                         kill] [possible values: kill, adopt]
          --agent <NAME>                 The agent that asks
          --session <NAME>               The session this call belongs to [default: BASHFUL_SESSION,
                                         else the terminal]
          --shell <NAME>                 Run in the shell of this name, which keeps its directory,
                                         variables and functions
          --fresh                        Use a room of its own, which is removed when the command ends
          --wait <TIME>                  Wait up to this long for a yes from elsewhere, if one is needed
                                         [default: not at all]
          --no-ask                       Do not ask at this terminal
          --retry-on-grant               Ask about what the sandbox stopped, and run the command again
                                         after a yes
      -b, --background                   Return at once and let the command go on; `bashful tasks`,
                                         `logs`, `wait` and `kill` find it
          --name <NAME>                  A name to use instead of the task's id, such as dev-server
          --on-timeout <WHAT>            What to do at the timeout: end the command, or let it go on in
                                         the background [default: kill] [possible values: kill,
                                         background]
          --ready-when <REGEX|tcp:PORT>  Return once a line of output matches, or the command listens on
                                         a port
          --ready-timeout <TIME>         How long that may take [default: 60s]
          --tty                          Give the command a terminal, and attach yours to it if you have
                                         one; Ctrl-\ twice leaves it running
          --size <COLUMNSxROWS>          The size of that terminal [default: that of yours, else 80x24]
          --keep-input                   Keep the command's standard input open, so that `bashful send`
                                         can write to it
      -h, --help                         Print help (see more with '--help')

    What the command may do:
          --sandbox <BACKEND>    What confines the command [default: the strongest that works here]
                                 [possible values: auto, native, bubblewrap, firejail, landlock, none]
          --preset <PRESET>      A ready-made set of rights; `full` is dangerous [default: workspace]
                                 [possible values: read-only, workspace, build, full]
          --read <PATH>          Let it read this file or directory; repeatable
          --write <PATH>         Let it write this file or directory; repeatable
          --deny <PATH>          Hide this file or directory from it; repeatable
          --network <REACH>      off, on, or hosts, as in pypi,example.com:443 [default: off]
          --command <NAME>       Let it run this program and no others; repeatable. An empty name leaves
                                 only the shell's built-ins
          --memory <SIZE>        Memory of all its processes together, such as 2G
          --processes <COUNT>    Processes and threads at a time
          --cpu-time <TIME>      Processor time of all its processes together, such as 90s
          --cpu-share <PERCENT>  Processor share in percent of one core
          --open-files <COUNT>   Open files of each process
          --file-size <SIZE>     The largest file it may write, such as 500M
          --tmp-size <SIZE>      How much its /tmp holds
          --disk-size <SIZE>     How much it may add to the disk, such as 40G
          --home <WHICH>         Which directory is its home [default: project] [possible values:
                                 project, workspace, private, real-masked]
          --allow <CLASS>        Allow a class of commands that is otherwise refused, such as sudo;
                                 repeatable
          --trace-reads          Also report files that it tries to read but cannot see; every open
                                 costs more
          --profile <NAME>       Judge it by this profile [default: the agent's]; `careful` and
                                 `confined` always exist
          --policy <WHICH>       Whether it is judged before it runs; the sandbox stays on [default:
                                 profile] [possible values: profile, none]
    ");
}

#[test]
fn help_of_a_small_verb() {
    assert_snapshot!(World::new().screen(&["wait", "--help"]), @"
    exit code 0
    ----- stdout -----
    Wait for tasks to end

    Usage: bashful wait [OPTIONS] <ID>...

    Arguments:
      <ID>...
              The tasks, by id or name

    Options:
          --color <WHEN>
              When to use colour

              Possible values:
              - auto:   On a terminal, unless NO_COLOR is set
              - always
              - never

              [default: auto]

      -t, --timeout <TIME>
              Wait no longer than this

          --json
              Print JSON

      -h, --help
              Print help (see a summary with '-h')

    Examples:
      bashful wait dev-server --timeout 5m
      bashful wait bash-1m7ff bash-1m7gg --json

    Exit codes: the command's own; of several, that of the first that failed; 124 the time ran out,
    2 usage or no such task, 125 Bashful failed or the task was lost, 130 it was cancelled.
    ");
}

#[test]
fn nothing_to_do() {
    assert_snapshot!(World::new().screen(&["run"]), @"
    exit code 2
    ----- stderr -----
    error: the following required arguments were not provided:
      <COMMAND>

    Usage: bashful run [OPTIONS] 'COMMAND'
           bashful run [OPTIONS] PROGRAM ARGS...
           bashful run [OPTIONS] -- PROGRAM [ARGS]...
           bashful run [OPTIONS] --file FILE

    For more information, try '--help'.
    ");
}

#[test]
fn a_flag_that_is_misspelled() {
    assert_snapshot!(World::new().screen(&["run", "--netwrok", "on", "ls"]), @"
    exit code 2
    ----- stderr -----
    error: unexpected argument '--netwrok' found

      tip: a similar argument exists: '--network'
      tip: to pass '--netwrok' as a value, use '-- --netwrok'

    Usage: bashful run [OPTIONS] 'COMMAND'
           bashful run [OPTIONS] PROGRAM ARGS...
           bashful run [OPTIONS] -- PROGRAM [ARGS]...
           bashful run [OPTIONS] --file FILE

    For more information, try '--help'.
    ");
}

#[test]
fn a_verb_that_does_not_exist() {
    assert_snapshot!(World::new().screen(&["frobnicate"]), @"
    exit code 2
    ----- stderr -----
    error: unrecognized subcommand 'frobnicate'

    Usage: bashful [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
}

#[test]
fn a_run_that_fails() {
    let world = World::new();
    assert_snapshot!(world.screen(&["run", "echo out; echo err >&2; exit 3"]), @"
    exit code 3
    ----- stdout -----
    out
    ----- stderr -----
    err
    ");
}

#[test]
fn a_run_that_is_out_of_time() {
    let world = World::new();
    let marker = Marker::fresh();
    let command = format!("echo before; {}", marker.sleep());
    assert_snapshot!(world.screen(&["run", "--timeout", "3s", &command]), @"
    exit code 124
    ----- stdout -----
    before
    ----- stderr -----
    bashful: error: the command reached its time limit and was ended
    bashful: hint: `--timeout TIME` gives it longer; `--background` lets it go on without a limit
    ");
    marker.assert_gone();
}

#[test]
fn a_run_without_walls() {
    let world = World::new();
    let flags = ["run", "--sandbox", "none", "--policy", "none", "echo hi"];
    assert_snapshot!(world.screen(&flags), @"
    exit code 0
    ----- stdout -----
    hi
    ----- stderr -----
    bashful: warning: the policy is off, as asked
    ! Nothing is enforced: commands run with all your rights (no sandbox)
    ");
}

#[test]
fn what_runs_and_its_end() {
    let world = World::new();
    assert_snapshot!(world.screen(&["tasks"]), @"
    exit code 0
    ----- stdout -----
    Nothing is running; `bashful tasks --all` shows what has ended.
    ");
    sleeper(&world);
    assert_snapshot!(world.table(&["tasks"]), @"
    exit code 0
    ----- stdout -----
    TASK  NAME  STATE  TIME  OUTPUT  COMMAND
    bash-[ID]  dev  running  [DURATION]  0 B  sleep 60
    ");
    assert_snapshot!(world.screen(&["stop", "--all"]), @"
    exit code 0
    ----- stdout -----
    Stopped 1.
    ");
    assert_snapshot!(world.table(&["tasks", "--all"]), @"
    exit code 0
    ----- stdout -----
    TASK  NAME  STATE  TIME  OUTPUT  COMMAND
    bash-[ID]  dev  cancelled  [DURATION]  0 B  sleep 60
    ");
}

#[test]
fn a_task_that_does_not_exist() {
    assert_snapshot!(World::new().screen(&["logs", "nothing"]), @"
    exit code 2
    ----- stderr -----
    bashful: error: there is no task `nothing`
    bashful: hint: `bashful tasks --all` lists them
    ");
}

#[test]
fn what_the_policy_says() {
    let world = World::new();
    assert_snapshot!(world.screen(&["policy", "check", "ls -la"]), @"
    exit code 0
    ----- stdout -----
    ✓ Allowed  read-only (builtin)

      ls -la

    Why           only reads
    Profile       default

    └─ ls -la
       └─ ✓ only reads  (read-only, builtin)
    ");
    assert_snapshot!(world.screen(&["policy", "check", "sudo ls"]), @"
    exit code 120
    ----- stdout -----
    ✗ Refused  sudo (builtin)

      sudo ls
      ^^^^^^^

    Why           runs with the rights of another user
    Instead       run it as yourself, or tell the person which command needs more
                  rights
    Profile       default

    ├─ sudo ls
    │  └─ ✗ runs with the rights of another user  (sudo, builtin)
    └─ ls  (by sudo)
       └─ ✓ only reads  (read-only, builtin)
    ");
}

#[test]
fn a_script_from_its_making_to_its_end() {
    let world = World::new();
    let create = world.bashful(&[
        "scripts",
        "create",
        "--name",
        "greet",
        "--variable",
        "NAME",
        "-",
    ]);
    let made = Running::start_with_input(create, b"echo \"hello $NAME\"\n").end();
    assert_snapshot!(world.as_screen(&made.outcome()), @"
    exit code 0
    ----- stdout -----
    ╭─ Made; not approved yet
    │ Script       │ greet
    │ Id           │ [ID]
    │ State        │ not approved yet, so a person is asked first
    │ Hash         │ 442c7d16802ce3e581df4f082f8ba2d9a87566eb7e54990a7f7bb5c122f3
    │              │ 691d
    ╰───────────────────────────────────────
    ");
    assert_snapshot!(world.table(&["scripts", "list"]), @"
    exit code 0
    ----- stdout -----
    NAME  STATE  BY  RUNS  LAST RUN  DESCRIPTION
    greet  not approved  user  0  never
    ");
    assert_snapshot!(world.screen(&["scripts", "validate", "greet"]), @"
    exit code 0
    ----- stdout -----
    ╭─ ✓ Nothing is wrong with it
    │ Found        │ nothing
    ├─ It declares
    │ May read     │ the system only
    │ May write    │ its own scratch only
    │ Network      │ off
    │ May run      │ any program it sees
    ╰───────────────────────────────────────
    ");
    assert_snapshot!(world.screen(&["scripts", "run", "greet", "--var", "NAME=you"]), @"
    exit code 121
    ----- stderr -----
    ╭─ ? Needs approval: this script did not run
    │ Command    script greet
    │ Matched    rule script-not-approved (user): SHA-256
    │            [DIGEST]
    │ Why        the script `greet` was not approved yet
    │ To permit  bashful approvals allow ask-[ID]
    ╰───────────────────────────────────────
    bashful: hint: a person has to look at it: `bashful scripts approve [ID]`
    ");
    assert_snapshot!(world.screen(&["scripts", "approve", "greet", "--yes"]), @"
    exit code 0
    ----- stdout -----
    ╭─ Approved: it runs without a question until it or what it declares changes
    │ Script       │ greet
    │ Id           │ [ID]
    │ State        │ approved as it is: it runs without a question
    │ Hash         │ 442c7d16802ce3e581df4f082f8ba2d9a87566eb7e54990a7f7bb5c122f3
    │              │ 691d
    ╰───────────────────────────────────────
    ");
    assert_snapshot!(world.screen(&["scripts", "run", "greet", "--var", "NAME=you"]), @"
    exit code 0
    ----- stdout -----
    hello you
    ");
    assert_snapshot!(world.screen(&["scripts", "delete", "greet"]), @"
    exit code 0
    ----- stdout -----
    Deleted greet; `bashful scripts restore [ID]` brings it back.
    ");
}
