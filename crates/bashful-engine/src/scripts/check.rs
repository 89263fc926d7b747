//! Whether a text can be a script at all: it is text for bash, its templates can be bound, and it parses.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use bashful_sandbox::{ExitStatus, Launch, reap, reap_if_ended, signal_tree};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::process::Signal;

use super::body::check_beginning;
use super::programs::find_own;
use super::templates;
use crate::model::error::body::UnfitBody;
use crate::model::error::script::ScriptError;
use crate::request::settings::Settings;

/// A program that takes longer to look at a script is ended.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often its end is looked for.
const GLANCE: Duration = Duration::from_millis(1);

/// What it can print; more is cut off.
const MOST_OUTPUT: u64 = 8 << 20;

/// Whether bash can read a text, with its templates bound. The outer error is a failure of ours.
pub(crate) fn check_syntax(
    settings: &Settings,
    text: &str,
) -> Result<Result<(), UnfitBody>, ScriptError> {
    if let Err(unfit) = check_beginning(text) {
        return Ok(Err(unfit));
    }
    let plain = match templates::with_placeholders(text) {
        Ok(plain) => plain,
        Err(unfit) => return Ok(Err(unfit)),
    };
    let bash = find_own("bash", settings).ok_or_else(|| missing("bash"))?;
    let launch = Launch::new(bash, "script")
        .argument("--noprofile")
        .argument("--norc")
        .argument("-n");
    let told = look(launch, plain.as_bytes(), "bash")?;
    if told.status == ExitStatus::Code(0) {
        return Ok(Ok(()));
    }
    let (line, detail) = complaint(&told.errors);
    Ok(Err(UnfitBody::Syntax { line, detail }))
}

/// What a program said about a script.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) status: ExitStatus,
    pub(crate) output: Vec<u8>,
    pub(crate) errors: Vec<u8>,
}

/// Has a program look at a text on its standard input. It gets nothing else: no environment but
/// `PATH`, no terminal, the root as its directory.
pub(crate) fn look(
    launch: Launch,
    text: &[u8],
    program: &'static str,
) -> Result<Told, ScriptError> {
    let failed = |error: io::Error| ScriptError::Tool {
        program,
        detail: error.to_string(),
    };
    let (ours, theirs) = bounded().map_err(failed)?;
    let (our_errors, their_errors) = bounded().map_err(failed)?;
    let pid = launch
        .variable("PATH", "/usr/local/bin:/usr/bin:/bin")
        .variable("LC_ALL", "C.UTF-8")
        .stdin(in_memory(text).map_err(failed)?)
        .stdout(theirs)
        .stderr(their_errors)
        .new_session()
        .start()
        .map_err(|error| failed(io::Error::other(error)))?;
    let until = Instant::now() + PATIENCE;
    let status = loop {
        if let Some(exit) = reap_if_ended(pid).map_err(failed)? {
            break exit.status;
        }
        if Instant::now() > until {
            signal_tree(&[pid], Signal::KILL);
            let _ = reap(pid);
            return Err(failed(io::Error::new(
                io::ErrorKind::TimedOut,
                "it takes too long",
            )));
        }
        std::thread::sleep(GLANCE);
    };
    Ok(Told {
        status,
        output: written(ours).map_err(failed)?,
        errors: written(our_errors).map_err(failed)?,
    })
}

pub(crate) fn missing(program: &'static str) -> ScriptError {
    ScriptError::Tool {
        program,
        detail: "it is not on PATH".to_owned(),
    }
}

/// The line that bash complains about, and what it says: `script: line 3: syntax error …`.
fn complaint(errors: &[u8]) -> (Option<usize>, String) {
    let text = String::from_utf8_lossy(errors);
    let first = text.lines().next().unwrap_or("bash cannot read it");
    let rest = first.strip_prefix("script: ").unwrap_or(first);
    let numbered = rest.strip_prefix("line ").and_then(|rest| {
        let (number, said) = rest.split_once(": ")?;
        Some((number.parse::<usize>().ok()?, said))
    });
    let (line, said) = match numbered {
        Some((line, said)) => (Some(line), said),
        None => (None, rest),
    };
    (line, said.chars().take(500).collect())
}

/// A file in memory with these bytes.
fn in_memory(bytes: &[u8]) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create("script", MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file.into())
}

/// A file in memory that takes a fixed number of bytes: our descriptor, and one to give away.
fn bounded() -> io::Result<(File, OwnedFd)> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let file = File::from(memfd_create("script", flags)?);
    file.set_len(MOST_OUTPUT)?;
    fcntl_add_seals(&file, SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
    let theirs = file.try_clone()?;
    Ok((file, theirs.into()))
}

/// What was written there. Both descriptors have one position.
fn written(mut file: File) -> io::Result<Vec<u8>> {
    let end = file.stream_position()?.min(MOST_OUTPUT);
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.take(end).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_of_bash_has_its_line() {
        let told = complaint(b"script: line 3: syntax error near unexpected token `fi'\nmore");
        let expected = "syntax error near unexpected token `fi'".to_owned();
        assert_eq!(told, (Some(3), expected));
        assert_eq!(complaint(b"what?"), (None, "what?".to_owned()));
        assert_eq!(complaint(b""), (None, "bash cannot read it".to_owned()));
    }
}
