//! The flags of the verbs about terminals and input.

use bashful_engine::{KEY_NAMES, Key, TerminalSize};
use clap::{ArgGroup, Args};

#[derive(Debug, Args)]
pub(crate) struct TerminalArguments {
    /// Give the command a terminal, and attach yours to it if you have one; Ctrl-\ twice leaves it
    /// running.
    #[arg(long, conflicts_with_all = ["stdin", "max_output", "retry_on_grant"])]
    pub(crate) tty: bool,
    /// The size of that terminal [default: that of yours, else 80x24].
    #[arg(long, value_name = "COLUMNSxROWS", requires = "tty", value_parser = terminal_size)]
    pub(crate) size: Option<TerminalSize>,
    /// Keep the command's standard input open, so that `bashful send` can write to it.
    #[arg(long, conflicts_with_all = ["stdin", "tty", "retry_on_grant"])]
    pub(crate) keep_input: bool,
}

const SEND_EXAMPLES: &str = "\
Examples:
  bashful send bash-1m7ff 'yes' --enter
  bashful send dev-server --keys ctrl-c
  bashful send repl --keys up,enter
  bashful send filter --eof

Keys: KEY_NAMES. Input waits until
the task reads it. The policy does not judge it: what the task may do was decided when it started.

Exit codes: 0 sent, 2 usage or no such task, 125 it could not be sent.";

#[derive(Debug, Args)]
#[command(
    after_help = SEND_EXAMPLES.replace("KEY_NAMES", KEY_NAMES),
    group(ArgGroup::new("what").required(true).multiple(true).args(["text", "keys", "enter", "eof"]))
)]
pub(crate) struct SendArguments {
    /// The task, by id or name.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Text to type, as one argument.
    #[arg(value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// Press Enter after the text.
    #[arg(long)]
    pub(crate) enter: bool,
    /// Keys to press after that, separated by commas.
    #[arg(long, value_name = "KEYS", value_delimiter = ',', value_parser = key)]
    pub(crate) keys: Vec<Key>,
    /// Signal the end of the input: Ctrl-D on a terminal.
    #[arg(long)]
    pub(crate) eof: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

const ATTACH_EXAMPLES: &str = "\
Examples:
  bashful attach bash-1m7ff
  bashful attach repl

Ctrl-\\ twice leaves, and the task goes on. The task's terminal takes the size of yours. Bashful
redraws what the task prints, so it cannot reach your clipboard, window title or keyboard.

Exit codes: 0 you left it, else the command's own if it ended; 2 usage or no such task, 125 Bashful
failed.";

#[derive(Debug, Args)]
#[command(after_help = ATTACH_EXAMPLES)]
pub(crate) struct AttachArguments {
    /// The task, by id or name.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
}

fn key(name: &str) -> Result<Key, String> {
    name.parse()
        .map_err(|error: bashful_engine::UnknownKey| error.to_string())
}

fn terminal_size(text: &str) -> Result<TerminalSize, String> {
    let parsed = text.split_once('x').and_then(|(columns, rows)| {
        let (columns, rows) = (columns.parse().ok()?, rows.parse().ok()?);
        Some(TerminalSize { rows, columns })
    });
    parsed
        .filter(|size| (1..=500).contains(&size.rows) && (1..=500).contains(&size.columns))
        .ok_or_else(|| "expected columns and rows up to 500, as in 80x24".to_owned())
}
