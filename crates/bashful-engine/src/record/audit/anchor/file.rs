//! Anchors in a file, one a line.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

use super::{Anchor, AnchorError, Place, line, parse};
use crate::record::audit::trail::Trail;

/// A file that is larger is not read.
const MAX_SIZE: u64 = 64 << 20;

/// Neither a link nor a pipe that another process put in its place.
const NEITHER_FOLLOW_NOR_WAIT: i32 = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .bits()
    .cast_signed();

pub(super) fn write(trail: &Trail, path: &Path, anchor: &Anchor) -> Result<(), AnchorError> {
    let fail = failed("write to", path);
    let parent = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let parent = parent.canonicalize().map_err(&fail)?;
    let state = trail.state().canonicalize().map_err(&fail)?;
    if parent.starts_with(state) {
        return Err(AnchorError::Inside {
            path: path.to_owned(),
        });
    }
    append(path, anchor).map_err(&fail)
}

fn append(path: &Path, anchor: &Anchor) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.append(true).create(true).read(true).mode(0o600);
    let mut file = open(&options, path)?;
    let mut text = String::new();
    if file.seek(SeekFrom::End(0))? > 0 {
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            // A write before this one was cut off; this line shall be whole.
            text.push('\n');
        }
    }
    text.push_str(&line(anchor)?);
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

pub(super) fn read(path: &Path) -> Result<Vec<Anchor>, AnchorError> {
    let fail = failed("read from", path);
    let file = open(OpenOptions::new().read(true), path).map_err(&fail)?;
    let mut text = Vec::new();
    file.take(MAX_SIZE + 1)
        .read_to_end(&mut text)
        .map_err(&fail)?;
    if text.len() as u64 > MAX_SIZE {
        return Err(fail(io::Error::other("it is too large")));
    }
    parse(&text, &Place::File(path.to_owned()).to_string())
}

fn open(options: &OpenOptions, path: &Path) -> io::Result<File> {
    let mut options = options.clone();
    let file = options.custom_flags(NEITHER_FOLLOW_NOR_WAIT).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    Ok(file)
}

fn failed(doing: &'static str, path: &Path) -> impl Fn(io::Error) -> AnchorError {
    move |source| AnchorError::Failed {
        doing,
        place: Place::File(path.to_owned()).to_string(),
        source,
    }
}
