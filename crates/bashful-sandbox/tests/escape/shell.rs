//! Running what the list of allowed programs does not name, by the shell alone, and taking over
//! a program that was allowed.

use bashful_sandbox::Profile;

use crate::case::Case;
use crate::programs::{CLASS, program, with_a_library, with_a_tool};
use crate::scene::Scene;

/// Nothing but the shell and its built-ins.
fn only_the_shell(profile: &mut Profile, _: &Scene) {
    profile.commands = Some(vec![program("/bin/bash")]);
}

/// The shell and `cat`.
fn only_cat(profile: &mut Profile, _: &Scene) {
    profile.commands = Some(vec![program("/bin/bash"), program("/usr/bin/cat")]);
}

fn bash(name: &'static str, code: &'static str) -> Case {
    Case::bash(CLASS, name, code)
        .profile(only_the_shell)
        .prepare(with_a_tool)
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        bash("shell_directly", r#"runs /usr/bin/id; blocked "$last""#),
        bash(
            "shell_by_the_search_path",
            r#"runs command -p id; blocked "$last""#,
        ),
        bash(
            "shell_by_exec_with_another_name",
            r#"
            last=$( (exec -a bash /usr/bin/id) 2>&1); [[ $last == *uid=* ]] && reached; blocked "$last""#,
        ),
        bash(
            "shell_with_own_program",
            r#"runs "$WORKSPACE/tool"; blocked "$last""#,
        ),
        bash(
            "shell_by_the_loader",
            r#"
            for loader in /lib*/ld-linux-*.so.*; do runs "$loader" "$WORKSPACE/tool"; done
            blocked "$last""#,
        ),
        bash(
            "shell_by_a_copy_made_with_built_ins",
            r#"
            # A shell can read and write files without any program.
            { printf '#!/usr/bin/env -S id\n' > /tmp/$MARKER; } 2>/dev/null
            hash -p /usr/bin/id echo2; runs echo2; blocked "$last""#,
        ),
        bash(
            "shell_with_a_built_in_of_its_own",
            r#"
            last=$(enable -f "$WORKSPACE/evil.so" evil 2>&1)
            [[ $last == *"$PROOF"* ]] && reached; blocked "$last""#,
        )
        .prepare(with_a_library),
        bash(
            "allowed_program_with_a_library",
            r#"
            last=$(LD_PRELOAD="$WORKSPACE/evil.so" /usr/bin/cat /dev/null 2>&1)
            [[ $last == *"$PROOF"* ]] && reached; blocked "${last:-not loaded}""#,
        )
        .profile(only_cat)
        .prepare(with_a_library),
        bash(
            "allowed_program_with_a_library_path",
            r#"
            last=$(LD_LIBRARY_PATH="$WORKSPACE" LD_PRELOAD=evil.so /usr/bin/cat /dev/null 2>&1)
            [[ $last == *"$PROOF"* ]] && reached; blocked "${last:-not loaded}""#,
        )
        .profile(only_cat)
        .prepare(with_a_library),
        bash(
            "allowed_program_audited",
            r#"
            last=$(LD_AUDIT="$WORKSPACE/evil.so" /usr/bin/cat /dev/null 2>&1)
            [[ $last == *"$PROOF"* ]] && reached; blocked "${last:-not loaded}""#,
        )
        .profile(only_cat)
        .prepare(with_a_library),
    ]
}
