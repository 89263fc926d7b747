//! The question: shows an ask, and turns keys into an answer.

use std::cell::Cell;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bashful_engine::approvals::{Answer, Ask, Scope};

use super::keys::{Key, NoKey, TypedAhead, key, settle};
use super::line::{Breaks, Line};
use super::waiting::Waiting;
use crate::cli::lasting;
use crate::view::{AskCard, Editing, duration};

/// Wrong keys before it is a no.
const TRIES: usize = 3;
/// The most characters of a word to the agent.
const LONGEST_MESSAGE: usize = 2000;
/// The most characters that a changed command may have more than the first.
const LONGEST_ADDITION: usize = 10_000;
/// The most characters of a time.
const LONGEST_TIME: usize = 20;
/// What Ctrl-C sends.
const CTRL_C: u8 = 0x03;
/// What stands in a command where a secret was.
const MASKED: &str = "***";

const TYPED_AHEAD: &str = "What was typed before the question was shown does not count.";

const SEVERAL_KEYS: &str = "Several keys at once are not an answer; they were ignored.";

const QUESTION: &str = "Allow it? [y s p a n m ?, ENTER is no] ";

const SCRIPT_QUESTION: &str = "Approve it? [y n m ?, ENTER is no] ";

const SCRIPT_HELP: &str = "\
y  approves the script as it is shown. It then runs without a question, for every agent, until a
   byte of it or what it declares changes.
n  refuses it. ENTER, Ctrl-D and Ctrl-C refuse it too.
m  refuses it and tells the agent what you type.
v  shows the whole script, page by page.
`bashful scripts show` shows what is approved, `bashful scripts revoke` takes it back.
";

const HELP: &str = "\
y  runs it this one time; nothing else is remembered.
s  runs it, and what is named there will not be asked about again in this session.
p  the same in this project, also in later sessions.
a  always: the same for this agent in every session and project. What says `in this directory` is
   for this directory alone. After s, p and a you can say for how long.
e  changes the command, if the run itself asks; the changed command is judged again.
n  refuses it. ENTER, Ctrl-D and Ctrl-C refuse it too.
m  refuses it and tells the agent what you type.
v  shows the whole command and what else there is to know, page by page.
`bashful grants list` shows what is remembered, `bashful grants revoke` takes it back.
";

/// What came of a question.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// What the person at this terminal answered.
    Answer(Answer),
    /// Ctrl-C.
    Stopped,
    /// It was settled in another place, or no person answered in time.
    Elsewhere,
    /// The terminal is gone, or we are to end.
    Gone,
}

/// Puts an ask to the person at the terminal.
pub(crate) fn put(ask: &Ask, editing: Editing, waiting: &Waiting<'_>) -> Said {
    let Ok(_by_key) = waiting.terminal.by_key() else {
        return Said::Gone;
    };
    let question = Question {
        ask,
        editing,
        waiting,
        seen_whole: Cell::new(false),
        is_brief: Cell::new(false),
    };
    match question.answered() {
        Ok(said) => {
            question.say(&confirmation(&said, ask));
            said
        }
        Err(NoKey::Settled) => {
            question.clear();
            let how = if ask.expires_at_ms <= now_ms() {
                "No answer came in time."
            } else if ask.script.is_some() {
                "Answered elsewhere, or the script has changed in the meantime."
            } else {
                "Answered elsewhere."
            };
            question.say(how);
            Said::Elsewhere
        }
        Err(NoKey::HungUp) => Said::Gone,
        Err(NoKey::Interrupted) => {
            question.say("");
            Said::Gone
        }
    }
}

/// Asks for a yes; any other answer is a no. None if no person can answer here any more.
pub(crate) fn confirm(question: &str, waiting: &Waiting<'_>) -> Option<bool> {
    let _by_key = waiting.terminal.by_key().ok()?;
    let question = format!("{question} [y, ENTER is no] ");
    let ask = || waiting.terminal.write(question.as_bytes());
    let say = |words: &str| waiting.terminal.write(format!("\n{words}\n").as_bytes());
    ask();
    if settle(waiting).ok()? == TypedAhead::Dropped {
        say(TYPED_AHEAD);
        ask();
    }
    let mut pressed = key(waiting).ok()?;
    for _ in 1..TRIES {
        if pressed != Key::Several {
            break;
        }
        say(SEVERAL_KEYS);
        ask();
        pressed = key(waiting).ok()?;
    }
    let yes = matches!(pressed, Key::One(b'y' | b'Y'));
    let stopped = pressed == Key::One(CTRL_C);
    let word: &[u8] = if yes { b"y\n" } else { b"n\n" };
    waiting.terminal.write(word);
    (!stopped).then_some(yes)
}

struct Question<'a> {
    ask: &'a Ask,
    editing: Editing,
    waiting: &'a Waiting<'a>,
    /// Whether every row of the command was on the screen.
    seen_whole: Cell<bool>,
    /// Whether only what decides was shown.
    is_brief: Cell<bool>,
}

/// What a key led to.
enum Step {
    Done(Said),
    /// Ask again; this was no mistake.
    Again,
    /// Ask again, but not for ever.
    Wrong(&'static str),
}

impl Question<'_> {
    fn answered(&self) -> Result<Said, NoKey> {
        self.show();
        let mut wrong = 0;
        loop {
            self.ask()?;
            match self.step(key(self.waiting)?)? {
                Step::Done(said) => return Ok(said),
                Step::Again => {}
                Step::Wrong(why) => {
                    self.say(why);
                    wrong += 1;
                }
            }
            if wrong == TRIES {
                self.say("None of these keys was an answer, so this counts as a no.");
                return Ok(Said::Answer(Answer::Deny { message: None }));
            }
        }
    }

    fn show(&self) {
        let mut out = b"\n".to_vec();
        let terminal = self.waiting.terminal;
        let room = (self.editing, terminal.rows());
        let shown = self.card().write_fitting(room, terminal.style(), &mut out);
        self.seen_whole.set(shown.is_whole);
        self.is_brief.set(shown.is_brief);
        terminal.write(&out);
    }

    fn card(&self) -> AskCard<'_> {
        AskCard {
            ask: self.ask,
            now_ms: now_ms(),
        }
    }

    /// Asks; what was typed before the question was on the screen does not count.
    fn ask(&self) -> Result<(), NoKey> {
        let question = self.words().as_bytes();
        self.waiting.terminal.write(question);
        if settle(self.waiting)? == TypedAhead::Dropped {
            self.say(&format!("\n{TYPED_AHEAD}"));
            self.waiting.terminal.write(question);
        }
        Ok(())
    }

    fn words(&self) -> &'static str {
        match self.ask.script {
            Some(_) => SCRIPT_QUESTION,
            None => QUESTION,
        }
    }

    fn step(&self, key: Key) -> Result<Step, NoKey> {
        let deny = || Step::Done(Said::Answer(Answer::Deny { message: None }));
        let Key::One(byte) = key else {
            self.say("");
            return Ok(Step::Wrong(SEVERAL_KEYS));
        };
        if byte.is_ascii_graphic() {
            self.waiting.terminal.write(&[byte]);
        }
        self.say("");
        Ok(match byte.to_ascii_lowercase() {
            b'\r' | b'\n' | 0x04 | b'n' => deny(),
            CTRL_C => Step::Done(Said::Stopped),
            b'y' | b's' | b'p' | b'a' if !self.seen_whole.get() => {
                Step::Wrong("Not all of it was shown. Press v and look at it first.")
            }
            // Any agent may run it, anywhere: its content is what was approved.
            b'y' if self.ask.script.is_some() => Step::Done(Said::Answer(Answer::Allow {
                scope: Scope::User,
                expires: None,
            })),
            b's' | b'p' | b'a' | b'e' if self.ask.script.is_some() => {
                Step::Wrong("No answer has this key.")
            }
            b'y' => self.allow(Scope::Call)?,
            b's' => self.allow(Scope::Session)?,
            b'p' => self.allow(Scope::Project)?,
            b'a' => self.allow(Scope::User)?,
            b'm' => self.deny_with_message()?,
            b'e' if self.editing == Editing::Offered => self.edit()?,
            b'v' => {
                self.pages()?;
                Step::Again
            }
            b'?' => {
                let help = match self.ask.script {
                    Some(_) => SCRIPT_HELP,
                    None => HELP,
                };
                self.say(help.trim_end());
                Step::Again
            }
            _ => Step::Wrong("No answer has this key."),
        })
    }

    fn allow(&self, scope: Scope) -> Result<Step, NoKey> {
        let expires = if scope == Scope::Call {
            None
        } else {
            // An ENTER out of habit behind the letter is no time.
            settle(self.waiting)?;
            self.say("For how long? 30m, 1h, 7d; ENTER alone: until it is revoked.");
            match self.lasting()? {
                Lasting::For(expires) => expires,
                Lasting::GivenUp => return Ok(Step::Again),
                Lasting::NoTime => {
                    return Ok(Step::Wrong(
                        "That is not a length of time; nothing was answered.",
                    ));
                }
            }
        };
        Ok(Step::Done(Said::Answer(Answer::Allow { scope, expires })))
    }

    fn lasting(&self) -> Result<Lasting, NoKey> {
        let line = Line::new("", LONGEST_TIME, Breaks::None);
        let Some(text) = line.read("for", self.waiting)? else {
            return Ok(Lasting::GivenUp);
        };
        Ok(match text.trim() {
            "" => Lasting::For(None),
            text => lasting(text).map_or(Lasting::NoTime, |time| Lasting::For(Some(time))),
        })
    }

    fn deny_with_message(&self) -> Result<Step, NoKey> {
        let line = Line::new("", LONGEST_MESSAGE, Breaks::None);
        let message = line.read("message", self.waiting)?;
        let message = message.map(|text| text.trim().to_owned());
        let message = message.filter(|text| !text.is_empty());
        Ok(Step::Done(Said::Answer(Answer::Deny { message })))
    }

    fn edit(&self) -> Result<Step, NoKey> {
        let before = &self.ask.command;
        if before.contains(MASKED) {
            self.say("A part of this command is masked, so it cannot be edited here.");
            return Ok(Step::Again);
        }
        self.say("ENTER takes the changed command, Ctrl-J breaks a line, Ctrl-C gives up.");
        let line = Line::new(before, LONGEST_ADDITION, Breaks::Kept);
        let command = match line.read("edit", self.waiting)? {
            Some(command) if command.trim().is_empty() => {
                self.say("The command would be empty; nothing was answered.");
                return Ok(Step::Again);
            }
            Some(command) if command == *before => {
                self.say("It is unchanged; nothing was answered.");
                return Ok(Step::Again);
            }
            Some(command) => command,
            None => return Ok(Step::Again),
        };
        Ok(Step::Done(Said::Answer(Answer::Edit { command })))
    }

    /// The whole command, a page at a time.
    fn pages(&self) -> Result<(), NoKey> {
        let terminal = self.waiting.terminal;
        let mut out = Vec::new();
        if self.is_brief.get() {
            self.card()
                .write_everything(self.editing, terminal.style(), &mut out);
        } else {
            self.card().write_whole_command(terminal.style(), &mut out);
        }
        let rows: Vec<&[u8]> = out.split_inclusive(|byte| *byte == b'\n').collect();
        let page = terminal.rows().saturating_sub(2).max(4);
        let mut shown = 0;
        for rows_of_page in rows.chunks(page) {
            terminal.write(&rows_of_page.concat());
            shown += rows_of_page.len();
            if shown < rows.len() {
                let more = format!("{shown} of {} rows; SPACE goes on, q ends ", rows.len());
                terminal.write(more.as_bytes());
                let go_on = matches!(key(self.waiting)?, Key::One(b' ' | b'\r' | b'\n'));
                self.say("");
                if !go_on {
                    return Ok(());
                }
            }
        }
        self.seen_whole.set(true);
        Ok(())
    }

    /// A line of ours.
    fn say(&self, words: &str) {
        self.waiting.terminal.write(format!("{words}\n").as_bytes());
    }

    /// Takes the question back from the row that it stands in.
    fn clear(&self) {
        let blank = " ".repeat(self.words().len());
        let row = if self.waiting.terminal.can_draw() {
            "\r\x1b[K".to_owned()
        } else {
            format!("\r{blank}\r")
        };
        self.waiting.terminal.write(row.as_bytes());
    }
}

/// What is said when an answer was taken. The queue decides whether it counts.
fn confirmation(said: &Said, ask: &Ask) -> String {
    let Said::Answer(answer) = said else {
        return String::new();
    };
    match answer {
        Answer::Allow { .. } if ask.script.is_some() => "Approved.".to_owned(),
        Answer::Allow { scope, expires } => {
            let expires = expires.map_or(String::new(), |time| format!(", for {}", duration(time)));
            let scope = match scope {
                Scope::Call => "once",
                Scope::Session => "in this session",
                Scope::Project => "in this project",
                Scope::User => "always",
            };
            format!("Allowed {scope}{expires}.")
        }
        Answer::Edit { .. } => "Changed; the new command is judged now.".to_owned(),
        _ => "Denied.".to_owned(),
    }
}

/// For how long a yes is to last.
enum Lasting {
    For(Option<Duration>),
    GivenUp,
    NoTime,
}

/// The time, in milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| u64::try_from(now.as_millis()).unwrap_or(u64::MAX))
}
