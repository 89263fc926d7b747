//! `bashful completions`: what it prints is read by the real shells, which then complete.

use std::collections::BTreeSet;
use std::process::Command;

use crate::reference::verbs;
use crate::support::{Outcome, Running, Terminal, World, ran};

/// A world with the script for this shell in a file of the workspace.
fn world_with(shell: &str, file: &str) -> World {
    let world = World::new();
    let printed = world.call(&["completions", shell]);
    assert_eq!((printed.code, printed.stderr.as_str()), (0, ""));
    assert!(printed.stdout.contains("bashful"), "{printed:?}");
    world.write(file, printed.stdout);
    world
}

fn ended(command: Command) -> Outcome {
    Running::start(command).end().outcome()
}

/// What bash would put after these words, the last of which is being typed.
fn by_bash(world: &World, words: &[&str]) -> Vec<String> {
    // Bash calls the function with the program, the word and the one before it.
    let typed = "source completions.bash\n\
                 COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1))\n\
                 _bashful \"$1\" \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"\n\
                 printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut bash = world.program("bash");
    bash.args(["--norc", "-c", typed, "bash"]).args(words);
    let outcome = ended(bash);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    outcome.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes() {
    let world = world_with("bash", "completions.bash");
    let mut bash = world.program("bash");
    bash.args([
        "--norc",
        "-c",
        "source completions.bash; complete -p bashful",
    ]);
    let told = ended(bash);
    assert!(told.stdout.contains(" -F _bashful bashful\n"), "{told:?}");
    assert_eq!((told.code, told.stderr.as_str()), (0, ""));

    for (words, completed) in [
        (&["bashful", "ru"][..], &["run"][..]),
        (&["bashful", "mcp", "inst"], &["install"]),
        (&["bashful", "run", "--keep-"], &["--keep-input"]),
        (
            &["bashful", "run", "--keep", "head"],
            &["head", "head-tail"],
        ),
        (&["bashful", "completions", "z"], &["zsh"]),
    ] {
        assert_eq!(by_bash(&world, words), completed, "{words:?}");
    }
}

#[test]
fn the_verbs_of_the_help_are_completed_and_no_others() {
    let world = world_with("bash", "completions.bash");
    let completed = by_bash(&world, &["bashful", ""]).into_iter();
    let completed: BTreeSet<String> = completed.filter(|word| !word.starts_with('-')).collect();
    assert_eq!(completed, verbs(&world));
    assert!(completed.contains("completions"), "{completed:?}");
}

#[test]
fn zsh_completes() {
    let world = world_with("zsh", "_bashful");
    let mut check = world.program("zsh");
    check.args(["-f", "-n", "_bashful"]);
    assert_eq!(ended(check), ran(0, "", ""));

    // Found by its name, as in a directory of `fpath`. Without `-u` it would ask about directories of others.
    let start = "fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D";
    let mut registered = world.program("zsh");
    let ask = format!("{start}; print -r -- $_comps[bashful]");
    registered.args(["-f", "-c", &ask]);
    assert_eq!(ended(registered), ran(0, "_bashful\n", ""));

    // Completion is a matter of its line editor, so a person types. The line that comes of it is told.
    let told = "bashful() { print -r -- \"called with: $*\" }";
    world.write(".zshrc", format!("{start}; PS1='ready> '; {told}\n"));
    let mut terminal = Terminal::line(&world, "ZDOTDIR=$PWD zsh -d -i");
    terminal.look_for("ready> ", 1);
    terminal.press(b"bashful comple\tz\t\n");
    terminal.look_for("called with: completions zsh\n", 1);
    terminal.press(b"exit\n");
    assert_eq!(terminal.end().0, 0);
}

#[test]
fn fish_completes() {
    let world = world_with("fish", "completions.fish");
    for (line, completed) in [
        ("bashful ru", "run\tRun a command and report how it went\n"),
        ("bashful completions --col", "--color\tWhen to use colour\n"),
        ("bashful run --keep head-", "head-tail\n"),
    ] {
        let mut fish = world.program("fish");
        let ask = format!("source completions.fish; complete -C '{line}'");
        fish.args(["--no-config", "-c", &ask]);
        assert_eq!(ended(fish), ran(0, completed, ""), "{line}");
    }
}

#[test]
fn a_shell_that_is_not_known() {
    let world = World::new();
    for (arguments, told) in [
        (&["completions"][..], "<SHELL>"),
        (&["completions", "powershell"], "bash, zsh, fish"),
    ] {
        let outcome = world.call(arguments);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
        assert!(outcome.stderr.contains(told), "{outcome:?}");
    }
}
