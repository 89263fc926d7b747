//! Having a person write a script in their own editor.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use bashful_sandbox::{ExitStatus, Launch, reap};
use rustix::io::fcntl_dupfd_cloexec;

use super::Scripts;
use crate::model::error::body::MAX_SCRIPT_BYTES;
use crate::model::error::script::ScriptError;
use crate::model::places::make_private;

/// What reads the words of an editor, as other programs do: `code --wait`.
const SHELL: &str = "/bin/sh";

/// An editor and what it is to know: the caller's own environment and directory, because the
/// person who types is the caller.
#[derive(Debug, Clone)]
pub struct Editor {
    /// How it is called, such as `vi` or `code --wait`.
    pub words: OsString,
    /// The variables of its environment, which are the caller's own.
    pub environment: Vec<(OsString, OsString)>,
    /// Where it starts.
    pub directory: PathBuf,
}

/// What a person wrote in their editor. The file of it stays until it is known that nothing in it
/// is needed any more: [`Edited::discard`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Edited {
    /// What was written, and one byte more than a script may have at most.
    pub content: Vec<u8>,
    /// How the editor ended.
    pub ended: EditorEnd,
    /// Where it is kept.
    pub draft: PathBuf,
}

/// How an editor ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditorEnd {
    /// It says that all went well.
    Well,
    /// It says that it failed, which some do on request: what was written is not wanted.
    Failed,
}

impl Edited {
    /// Takes the file away: what was written is kept elsewhere, or is nothing.
    pub fn discard(self) {
        let _ = fs::remove_file(&self.draft);
    }
}

impl Scripts<'_> {
    /// What a person makes of a text in their editor, at our terminal; none if there is nothing
    /// left of it. Nothing that they wrote is lost: it stays in a private file until it is
    /// discarded.
    pub fn written_in(&self, editor: &Editor, before: &str) -> Result<Option<Edited>, ScriptError> {
        let failed = |error: io::Error| ScriptError::Tool {
            program: "an editor",
            detail: error.to_string(),
        };
        let directory = self.settings().places.state.join("drafts");
        make_private(&directory).map_err(failed)?;
        let mut random = [0; 8];
        rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())
            .map_err(|error| failed(error.into()))?;
        let draft = format!("script-{:016x}.sh", u64::from_ne_bytes(random));
        let draft = directory.join(draft);
        let mut options = fs::OpenOptions::new();
        let mut file = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&draft)
            .map_err(failed)?;
        file.write_all(before.as_bytes()).map_err(failed)?;
        drop(file);
        let own = |number: i32| {
            let stream = match number {
                0 => fcntl_dupfd_cloexec(io::stdin(), 3),
                1 => fcntl_dupfd_cloexec(io::stdout(), 3),
                _ => fcntl_dupfd_cloexec(io::stderr(), 3),
            };
            stream.map_err(|error| failed(error.into()))
        };
        let mut words = editor.words.clone();
        words.push(" \"$@\"");
        let mut launch = Launch::new(SHELL, "sh")
            .argument("-c")
            .argument(words)
            .argument("sh")
            .argument(&draft)
            .directory(&editor.directory)
            .stdin(own(0)?)
            .stdout(own(1)?)
            .stderr(own(2)?);
        for (name, value) in &editor.environment {
            launch = launch.variable(name, value);
        }
        let pid = launch
            .start()
            .map_err(|error| failed(io::Error::other(error)))?;
        let exit = reap(pid).map_err(failed)?;
        let mut content = Vec::new();
        let read = fs::File::open(&draft).and_then(|file| {
            file.take(MAX_SCRIPT_BYTES as u64 + 1)
                .read_to_end(&mut content)
        });
        match read {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        }
        Ok(Some(Edited {
            content,
            ended: if exit.status == ExitStatus::Code(0) {
                EditorEnd::Well
            } else {
                EditorEnd::Failed
            },
            draft,
        }))
    }
}
