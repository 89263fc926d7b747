//! Tests of what a file may say and how it is told what is wrong.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::tests::{chain, load};

/// The message for a user file with this text, without the directory.
fn refused(text: &str) -> String {
    let (result, directory) = load("", text, "");
    match result {
        Ok(_) => "accepted".to_owned(),
        Err(error) => chain(&error).replace(&directory, ""),
    }
}

#[test]
fn unknown_keys_come_with_a_suggestion() {
    let cases = [
        (
            "\n\nlimts.timeout = \"5s\"",
            "`limts.timeout` in `user.toml` line 3: did you mean `limits`?",
        ),
        (
            "[limts]\ntimeout = \"5s\"",
            "`limts.timeout` in `user.toml` line 1: did you mean `limits`?",
        ),
        (
            "[limits]\n\ntimout = 5",
            "`limits.timout` in `user.toml` line 3: did you mean `limits.timeout`?",
        ),
        (
            "[limits]\nmax-output = 5",
            "`limits.max-output` in `user.toml` line 2: did you mean `limits.max_output`?",
        ),
        (
            "limits = { keeep = 1 }",
            "`limits.keeep` in `user.toml` line 1: did you mean `limits.keep`?",
        ),
        (
            "timeout = \"5s\"",
            "`timeout` in `user.toml` line 1: did you mean `limits.timeout`?",
        ),
        (
            "[limits]\nidle = 1",
            "`limits.idle` in `user.toml` line 2: did you mean `keeper.idle`?",
        ),
        (
            "Require_Description = true",
            "`Require_Description` in `user.toml` line 1: did you mean `require_description`?",
        ),
        (
            "[secret]\n",
            "`secret` in `user.toml` line 1: did you mean `secrets`?",
        ),
        (
            "[env]\npass = []",
            "`env.pass` in `user.toml` line 1: did you mean `environment`?",
        ),
        (
            "[environment.pass]\nx = 1",
            "`environment.pass.x` in `user.toml` line 1",
        ),
        (
            "[profile.default]\nprest = \"x\"",
            "`profile.default.prest` in `user.toml` line 2: did you mean `profile.default.preset`?",
        ),
        (
            "[profile.mine.capabilites]\n",
            "`profile.mine.capabilites` in `user.toml` line 1: \
             did you mean `profile.mine.capabilities`?",
        ),
        (
            "[profile.mine]\nmemory = \"1G\"",
            "`profile.mine.memory` in `user.toml` line 2: \
             did you mean `profile.mine.capabilities.resources.memory`?",
        ),
        (
            "[agent.coder]\nprofil = \"x\"",
            "`agent.coder.profil` in `user.toml` line 2: did you mean `agent.coder.profile`?",
        ),
        ("zzz = 1\naaa = 2", "`zzz` in `user.toml` line 1"),
        ("\"\" = 1", "`\"\"` in `user.toml` line 1"),
        (
            "\"limits.timeout\" = 1",
            "`\"limits.timeout\"` in `user.toml` line 1: did you mean `limits.timeout`?",
        ),
        (
            "\"\\u001b[31m\\u202Ex\" = 1",
            "`\"\\u{1b}[31m\\u{202e}x\"` in `user.toml` line 1",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(refused(text), format!("unknown key {expected}"), "{text}");
    }
    let long = refused(&format!("{} = 1", "a".repeat(100_000)));
    assert!(long.len() < 200, "{long}");
}

/// Texts and what is said about them; `AT` is the file and line.
const WRONG_VALUES: &[(&str, &str)] = &[
    (
        "[limits]\ntimeout = 120",
        "wrong type for `limits.timeout` AT 11: \
                 expected a string with a unit, such as `\"90s\"`, found a bare number",
    ),
    (
        "[limits]\nlog_quota = 1.5",
        "wrong type for `limits.log_quota` AT 13: \
                 expected a string with a unit, such as `\"256M\"`, found a fraction",
    ),
    (
        "[limits]\ntimeout = \"120\"",
        "bad value for `limits.timeout` AT 11: \
                 duration `120` has no unit: add `ms`, `s`, `m`, `h` or `d`, as in `90s`",
    ),
    (
        "[limits]\nlog_quota = \"0M\"",
        "bad value for `limits.log_quota` AT 13: size `0M` is zero: it must be more",
    ),
    (
        "[limits]\nmax_output = \"30000\"",
        "wrong type for `limits.max_output` AT 14: expected a number of characters \
                 without a unit, such as `30000`, found a string",
    ),
    (
        "[limits]\nmax_output = 0",
        "bad value for `limits.max_output` AT 14: \
                 expected a number from `1` to `1073741824`",
    ),
    (
        "[limits]\nkeep = \"middle\"",
        "bad value for `limits.keep` AT 8: \
                 `middle` is not one of `head`, `tail`, `head-tail`",
    ),
    (
        "\nrequire_description = \"yes\"",
        "wrong type for `require_description` AT 23: \
                 expected `true` or `false`, found a string",
    ),
    (
        "\nblocked_commands = \"dd\"",
        "wrong type for `blocked_commands` AT 20: \
                 expected a list of strings, found a string",
    ),
    (
        "\nblocked_commands = [\"é\", 1]",
        "wrong type for `blocked_commands[1]` AT 26: \
                 expected a string, found a bare number",
    ),
    (
        "\nblocked_commands = [\" \"]",
        "bad value for `blocked_commands[0]` AT 21: expected a command",
    ),
    (
        "[environment]\npass = [\"A\", \"A=b\"]",
        "bad value for `environment.pass[1]` AT 14: \
                 expected the name of an environment variable",
    ),
    (
        "[secrets]\nvalues = [\"longenough\", \"1234567\"]",
        "`secrets.values[1]` AT 25 has fewer than 8 characters: \
                 masking it would garble ordinary output",
    ),
    (
        "\ndefault_agent = \"../x\"",
        "bad value for `default_agent` AT 17: \
                 expected at most 64 letters, digits, `.`, `_` and `-`, a letter or digit first",
    ),
    (
        "[approvals]\nexpire = \"0s\"",
        "bad value for `approvals.expire` AT 10: duration `0s` is zero: it must be more",
    ),
    (
        "[approvals]\nwait = \"-1s\"",
        "bad value for `approvals.wait` AT 8: duration `-1s` is negative",
    ),
    (
        "[approvals]\nmost_pending = 0",
        "bad value for `approvals.most_pending` AT 16: \
                 expected a number from `1` to `4294967295`",
    ),
    (
        "[approvals]\nnotify_command = \"a\\u0000b\"",
        "bad value for `approvals.notify_command` AT 18: expected a command or `\"\"`",
    ),
    (
        "[audit]\nanchors = [\"journald\", \"file:here\"]",
        "bad value for `audit.anchors[1]` AT 24: expected `file:` with an absolute path, \
                 `journald`, or `command:` with a command",
    ),
    (
        "[profile.default]\npreset = \"workspce\"",
        "bad value for `profile.default.preset` AT 10: `workspce` is not one of \
                 `read-only`, `workspace`, `build`, `full`: did you mean `workspace`?",
    ),
    (
        "[profile.mine]\noptional = [\"resources\", \"filesytem\"]",
        "bad value for `profile.mine.optional` AT 26: `filesytem` is not one of `filesystem`, \
                 `network`, `commands`, `processes`, `resources`, `identity`: \
                 did you mean `filesystem`?",
    ),
    (
        "[profile.mine]\nhome = \"real_masked\"",
        "bad value for `profile.mine.home` AT 8: `real_masked` is not one of `project`, \
                 `workspace`, `private`, `real-masked`: did you mean `real-masked`?",
    ),
    (
        "\nsandbox = \"off\"",
        "bad value for `sandbox` AT 11: `off` is not one of `auto`, `native`, `bubblewrap`, `firejail`, `landlock`, `none`",
    ),
    (
        "[agent.coder]\nprofile = \"defalt\"",
        "there is no profile `defalt`, named in `user.toml` line 2: did you mean `default`?",
    ),
    (
        "[profile.x.capabilities]\nnetwork = \"maybe\"",
        "bad value for `profile.x.capabilities.network` AT 11: expected `\"off\"`, `\"on\"`, \
                 `true`, `false` or `{ hosts = […] }`",
    ),
    (
        "[profile.x.capabilities]\nnetwork = { host = [] }",
        "bad value for `profile.x.capabilities.network` AT 11: expected `\"off\"`, `\"on\"`, \
                 `true`, `false` or `{ hosts = […] }`",
    ),
    (
        "[profile.x.capabilities]\nnetwork = 1",
        "wrong type for `profile.x.capabilities.network` AT 11: expected `\"off\"`, `\"on\"`, \
                 `true`, `false` or `{ hosts = […] }`, found a bare number",
    ),
    (
        "[profile.x.capabilities]\npaths_read = [\"a\\nb\"]",
        "bad value for `profile.x.capabilities.paths_read[0]` AT 15: expected a path",
    ),
    (
        "[profile.x.capabilities.resources]\nmemory = 5",
        "wrong type for `profile.x.capabilities.resources.memory` AT 10: \
                 expected a string with a unit, such as `\"256M\"`, found a bare number",
    ),
    (
        "[profile.x.capabilities.resources]\nprocesses = 0",
        "bad value for `profile.x.capabilities.resources.processes` AT 13: \
                 expected a number from `1` to `4294967295`",
    ),
    (
        "\nprofile = 5",
        "wrong type for `profile` AT 11: expected a table, found a bare number",
    ),
    (
        "\nprofile.x = 5",
        "wrong type for `profile.x` AT 13: expected a table, found a bare number",
    ),
    (
        "\n[profile.\"../x\"]",
        "bad value for `profile.\"../x\"` AT 10: \
                 expected at most 64 letters, digits, `.`, `_` and `-`, a letter or digit first",
    ),
    (
        "\nlimits = 5",
        "wrong type for `limits` AT 10: expected a table, found a bare number",
    ),
    (
        "\ndefault_agent = {}",
        "wrong type for `default_agent` AT 17: expected a string, found a table",
    ),
];

#[test]
fn wrong_values_are_located() {
    for (text, expected) in WRONG_VALUES {
        let expected = expected.replace("AT", "in `user.toml` line 2 column");
        assert_eq!(refused(text), expected, "{text}");
    }
}

#[test]
fn counts_have_bounds() {
    for (number, accepted) in [
        ("1", true),
        ("30_000", true),
        ("0x10", true),
        ("1073741824", true),
        ("1073741825", false),
        ("-1", false),
        ("9223372036854775807", false),
        ("99999999999999999999999", false),
    ] {
        let message = refused(&format!("limits.max_output = {number}"));
        assert_eq!(message == "accepted", accepted, "{number}: {message}");
    }
}

#[test]
fn broken_toml_is_located() {
    let message = refused("[limits]\ntimeout = \"5s");
    assert!(
        message.starts_with("invalid TOML in `user.toml` line 2 column "),
        "{message}"
    );
    let message = refused("default_agent = \"a\"\ndefault_agent = \"b\"");
    assert_eq!(
        message,
        "invalid TOML in `user.toml` line 2 column 1: duplicate key"
    );
}

/// Hostile files end in an error, not in a crash or a long wait.
#[test]
fn deep_and_wide_files_are_refused() {
    let deep = "a.".repeat(400_000) + "a = 1";
    let nested = format!("default_agent = {}", "[".repeat(900_000));
    let mut wide = String::new();
    for number in 0..40_000 {
        writeln!(wide, "[t{number}.a]").unwrap();
    }
    for text in [deep, nested, wide] {
        assert_ne!(refused(&text), "accepted");
    }
}

/// A list of many commands costs time in proportion; comparing each with each takes minutes.
#[test]
fn long_lists_are_read_quickly() {
    let mut text = "blocked_commands = [".to_owned();
    for number in 0..120_000 {
        write!(text, "'{number:x}',").unwrap();
    }
    text.push(']');
    let start = Instant::now();
    let loaded = load("", "", &text).0.unwrap();
    assert_eq!(loaded.config.blocked_commands.len(), 120_000);
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_fine() {
    assert_eq!(
        refused("\u{feff}default_agent = \"a\"\r\n[limits]\r\nkeep = \"tail\"\r\n"),
        "accepted"
    );
}
