//! Task directories of format 1 must load for ever.

use std::fs;
use std::path::{Path, PathBuf};

use bashful_keeper::{
    Chunk, Ending, Fate, Holder, LogEnd, LogReader, OnLogFull, OutputTotals, Phase, Stream,
    Survivor, TaskDirectory, TaskId, UsageRecord,
};

/// Where the samples are, also when the repository was moved since the build.
fn state() -> PathBuf {
    let root = std::env::var_os("BASHFUL_TEST_REPO").map(PathBuf::from);
    let package = root.map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).to_owned(),
        |root| root.join("crates/bashful-keeper"),
    );
    package.join("tests/fixtures/state-v1")
}

fn id(text: &str) -> TaskId {
    TaskId::parse(text).unwrap()
}

fn task(text: &str) -> TaskDirectory {
    TaskDirectory::of(&state(), &id(text))
}

const FINISHED: &str = "bash-1m7fghksyad8f4mc";
const LOST: &str = "bash-1m7fghktlost0000";
const BEGUN: &str = "python-1m7fghkubegun000";

#[test]
fn an_old_spec_loads() {
    let spec = task(FINISHED).read_spec().unwrap();
    assert_eq!((spec.v, spec.id.as_str()), (1, FINISHED));
    assert_eq!(spec.command, "make test");
    assert_eq!(spec.description.as_deref(), Some("run the tests"));
    assert_eq!(spec.agent, "ann");
    assert_eq!(spec.session, "session-1m7fghksxh6g0gvz");
    assert_eq!(spec.operation_id.as_deref(), Some("op-7"));
    assert_eq!(spec.workspace, Path::new("/home/ann/project"));
    assert_eq!(spec.cwd, Path::new("/home/ann/project/sub"));
    assert_eq!(spec.variables, ["HOME", "PATH"]);
    assert_eq!(
        (spec.timeout_ms, spec.warn_after_ms),
        (Some(120_000), Some(60_000))
    );
    assert_eq!(
        (spec.term_grace_ms, spec.log_quota, spec.keep_tail),
        (2000, 20, 8)
    );
    assert_eq!(
        (spec.on_log_full, spec.adopt_survivors),
        (OnLogFull::Continue, true)
    );
    assert_eq!(spec.adopted_from, Some(id("bash-1m7fghksxxxxxxxx")));
    assert_eq!(spec.created_at_ms, 1_794_743_258_942);

    let spare = task(LOST).read_spec().unwrap();
    assert_eq!(spare.on_log_full, OnLogFull::Stop);
    let optional = (spare.description, spare.operation_id, spare.timeout_ms);
    assert_eq!(optional, (None, None, None));
    assert_eq!(task(BEGUN).read_spec().unwrap().id.prefix(), "python");
}

#[test]
fn an_old_record_loads() {
    let state = task(FINISHED).read_state().unwrap().unwrap();
    assert_eq!((state.v, state.phase), (1, Phase::Finished));
    let keeper = Holder {
        pid: 32070,
        started: 449_626,
    };
    assert_eq!((state.keeper, state.pid), (keeper, Some(32071)));
    assert_eq!(state.started_at_ms, 1_794_743_258_943);
    assert_eq!(state.duration_us, Some(355_810));
    assert_eq!(state.ending, Some(Ending::TimedOut));
    assert_eq!((state.exit_code, state.signal), (None, Some(15)));
    let survivor = |pid, command: &str, fate, task_id: Option<&str>| Survivor {
        pid,
        command: command.to_owned(),
        fate,
        task_id: task_id.map(id),
    };
    assert_eq!(
        state.survivors,
        [
            survivor(32074, "sleep 77", Fate::Killed, None),
            survivor(32075, "httpd", Fate::Adopted, Some("bash-1m7fghksyyyyyyyy")),
            survivor(32076, "su", Fate::Unreachable, None),
        ]
    );
    assert_eq!(
        state.output,
        OutputTotals {
            stdout_bytes: 40,
            stderr_bytes: 10,
            stdout_chars: 39,
            stderr_chars: 10,
            log_bytes: 36,
            omitted_bytes: 14,
            log_end: Some(LogEnd::Quota),
            copy_failed: false,
        }
    );
    let usage = UsageRecord {
        cpu_us: 4200,
        max_rss_kib: 3132,
    };
    assert_eq!(state.usage, usage);
}

#[test]
fn a_task_whose_keeper_died_is_lost_whatever_the_cut_off_line_says() {
    let directory = task(LOST);
    assert!(!directory.is_owned());
    let state = directory.read_state().unwrap().unwrap();
    assert_eq!((state.phase, state.ending), (Phase::Lost, None));
    assert_eq!(state.exit_code, None);
}

#[test]
fn a_task_that_was_never_begun_has_no_state() {
    assert!(task(BEGUN).read_state().unwrap().is_none());
    assert!(!task(BEGUN).is_owned());
    assert!(task("bash-1m7fghkmissing0").read_spec().is_err());
}

#[test]
fn an_old_log_reads_in_order_and_by_stream() {
    let mut reader = LogReader::open(&task(FINISHED)).unwrap();
    let mut pieces = Vec::new();
    while let Some(chunk) = reader.next(1000).unwrap() {
        pieces.push(chunk);
    }
    let data = |stream, offset, bytes: &str| Chunk::Data {
        stream,
        offset,
        bytes: bytes.as_bytes().to_vec(),
    };
    assert_eq!(
        pieces,
        [
            data(Stream::Stdout, 0, "out one 2\n"),
            data(Stream::Stderr, 10, "err\n"),
            data(Stream::Stdout, 14, "ü two"),
            Chunk::Gap {
                stream: Stream::Stdout,
                offset: 20,
                missing: 14
            },
            data(Stream::Stdout, 20, "tail-out"),
            data(Stream::Stderr, 28, "tail-err"),
        ]
    );
    let head = reader.head(Stream::Stdout, 1000).unwrap();
    assert_eq!(head, "out one 2\nü two".as_bytes());
    // The gap is in standard output, so standard error has none.
    assert_eq!(reader.tail(Stream::Stdout, 1000).unwrap(), b"tail-out");
    assert_eq!(reader.tail(Stream::Stderr, 1000).unwrap(), b"err\ntail-err");
    assert_eq!(reader.tail(Stream::Stderr, 3).unwrap(), b"err");
    assert_eq!(reader.end().unwrap(), 36);
}

#[test]
fn the_log_of_a_lost_task_reads_as_far_as_its_index_is_whole() {
    let mut reader = LogReader::open(&task(LOST)).unwrap();
    assert_eq!(reader.head(Stream::Stdout, 1000).unwrap(), b"half ");
    assert_eq!(reader.tail(Stream::Stderr, 1000).unwrap(), b"");
    assert_eq!(reader.end().unwrap(), 5);
}

#[test]
fn a_newer_keeper_may_say_more() {
    let temporary = tempfile::tempdir().unwrap();
    let copy = TaskDirectory::of(temporary.path(), &id(FINISHED));
    fs::create_dir_all(copy.path()).unwrap();
    for name in ["spec", "state"] {
        let text = fs::read_to_string(task(FINISHED).path().join(name)).unwrap();
        let more = text.replace(r#"{"v":1,"#, r#"{"v":1,"newer":{"x":[1]},"#);
        assert_ne!(more, text);
        fs::write(copy.path().join(name), more).unwrap();
    }
    assert_eq!(copy.read_spec().unwrap().command, "make test");
    let state = copy.read_state().unwrap().unwrap();
    assert_eq!(state.phase, Phase::Finished);
}

#[test]
fn rubbish_in_a_state_hides_no_earlier_record() {
    let temporary = tempfile::tempdir().unwrap();
    let copy = TaskDirectory::of(temporary.path(), &id(FINISHED));
    fs::create_dir_all(copy.path()).unwrap();
    let text = fs::read_to_string(task(FINISHED).path().join("state")).unwrap();
    for rubbish in [
        "rubbish\n",
        "{\"v\":1,\"id\"{\"v\":1}\n",
        "\n\n\0\0\n",
        "half",
    ] {
        fs::write(copy.path().join("state"), format!("{text}{rubbish}")).unwrap();
        let state = copy.read_state().unwrap().unwrap();
        assert_eq!(state.phase, Phase::Finished, "{rubbish:?}");
    }
}

#[test]
fn nonsense_is_an_error_that_names_the_file() {
    let temporary = tempfile::tempdir().unwrap();
    let directory = TaskDirectory::of(temporary.path(), &id(FINISHED));
    fs::create_dir_all(directory.path()).unwrap();
    fs::write(directory.path().join("spec"), "{}").unwrap();
    fs::write(directory.path().join("state"), "{\"v\":1}\n").unwrap();
    for error in [
        directory.read_spec().unwrap_err().to_string(),
        directory.read_state().unwrap_err().to_string(),
    ] {
        assert!(error.contains(FINISHED), "{error}");
    }
    fs::write(directory.path().join("state"), "no line end").unwrap();
    assert!(directory.read_state().unwrap().is_none());
    fs::write(directory.path().join("state"), "\n").unwrap();
    assert!(directory.read_state().unwrap().is_none());
}
