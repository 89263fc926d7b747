//! Reads what `strace -f -Y` has written: one call after another, and where each run begins.

use std::collections::HashMap;

/// One system call of one thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) thread: i32,
    /// What the thread was called when it made the call: after an exec, the new program.
    pub(crate) program: String,
    pub(crate) name: String,
    /// The arguments and the result, as they are printed.
    pub(crate) text: String,
    /// What it returned; none if it never came back, or not with a number.
    pub(crate) result: Option<i64>,
}

impl Call {
    pub(crate) fn is_fork(&self) -> bool {
        let makes = matches!(self.name.as_str(), "clone" | "clone3" | "fork" | "vfork");
        makes && self.result.is_some_and(|child| child > 0)
    }

    /// Whether it made a thread and not a process.
    pub(crate) fn makes_thread(&self) -> bool {
        self.is_fork() && self.text.contains("CLONE_THREAD")
    }

    pub(crate) fn is_exec(&self) -> bool {
        matches!(self.name.as_str(), "execve" | "execveat") && self.result == Some(0)
    }

    /// Whether it puts a filter or Landlock on its process, or prepares that.
    pub(crate) fn is_confining(&self) -> bool {
        let filters = self.name == "prctl" && self.text.starts_with("PR_SET_SECCOMP");
        filters || self.name == "seccomp" || self.name.starts_with("landlock_")
    }

    /// Whether it brought what was waited for: the order of what becomes a command.
    pub(crate) fn is_order(&self) -> bool {
        self.name == "recvmsg" && self.result.is_some_and(|length| length > 0)
    }

    pub(crate) fn is_fsync(&self) -> bool {
        // `sync_file_range` as we call it waits for nothing.
        let names = ["fsync", "fdatasync", "syncfs", "sync"];
        names.contains(&self.name.as_str())
    }

    /// Whether it took a notice of a call from the kernel.
    pub(crate) fn is_notice(&self) -> bool {
        self.name == "ioctl"
            && self.text.contains("SECCOMP_IOCTL_NOTIF_RECV")
            && self.result == Some(0)
    }

    /// Whether it opened a database of SQLite; the files beside it come with it.
    pub(crate) fn is_database(&self) -> bool {
        self.name.starts_with("open")
            && self.text.contains(".db\"")
            && self.result.is_some_and(|descriptor| descriptor >= 0)
    }

    fn is_on(&self, thread: i32, beginning: &str) -> bool {
        self.thread == thread && format!("{}({}", self.name, self.text).starts_with(beginning)
    }
}

/// All calls of a process and of what it started.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) calls: Vec<Call>,
    /// For each run, the index of its first call.
    pub(crate) begins: Vec<usize>,
}

impl Trace {
    /// Reads a log. Runs begin where the first process has read a line from its standard input;
    /// that call, and the answer it writes, are not among the calls.
    pub(crate) fn read(log: &str) -> Self {
        let mut trace = Self::default();
        let mut pending: HashMap<i32, usize> = HashMap::new();
        let Some((driver, ..)) = log.lines().find_map(split) else {
            return trace;
        };
        for (thread, program, rest) in log.lines().filter_map(split) {
            let ended = if let Some(resumed) = rest.strip_prefix("<... ") {
                let Some(index) = pending.remove(&thread) else {
                    continue;
                };
                let (_, rest) = resumed.split_once("resumed>").unwrap_or_default();
                let call = &mut trace.calls[index];
                call.text.push_str(rest);
                call.result = result(rest);
                index
            } else if let Some((name, text)) = rest.split_once('(') {
                let is_over = !text.ends_with("<unfinished ...>");
                trace.calls.push(Call {
                    thread,
                    program: program.to_owned(),
                    name: name.to_owned(),
                    text: text.trim_end_matches("<unfinished ...>").to_owned(),
                    result: is_over.then(|| result(text)).flatten(),
                });
                let index = trace.calls.len() - 1;
                if !is_over {
                    pending.insert(thread, index);
                    continue;
                }
                index
            } else {
                continue;
            };
            if trace.calls[ended].is_on(driver, "read(0,") {
                trace.begins.push(trace.calls.len());
            }
        }
        let is_talk = |call: &Call| call.is_on(driver, "read(0,") || call.is_on(driver, "write(1,");
        for call in trace.calls.iter_mut().filter(|call| is_talk(call)) {
            call.name.clear();
        }
        trace
    }

    /// The process that the tracer started.
    pub(crate) fn driver(&self) -> Option<i32> {
        self.calls.first().map(|call| call.thread)
    }
}

/// The thread, its program, and the rest of a line.
fn split(line: &str) -> Option<(i32, &str, &str)> {
    let end = line.find(|it: char| !it.is_ascii_digit())?;
    let (thread, rest) = line.split_at_checked(end)?;
    let (program, rest) = match rest.strip_prefix('<') {
        Some(rest) => rest.split_once("> ")?,
        None => ("", rest),
    };
    Some((thread.parse().ok()?, program, rest.trim_start()))
}

/// The number after the last equals sign.
fn result(text: &str) -> Option<i64> {
    let (_, rest) = text.rsplit_once(" = ")?;
    let end = rest
        .find(|it: char| !it.is_ascii_digit() && it != '-')
        .unwrap_or(rest.len());
    rest.get(..end)?.parse().ok()
}
