//! The prompt on a terminal of its own, with keys that arrive when the test says so.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use bashful_engine::approvals::{Answer, Ask, Pending, Scope};
use rustix::event::{EventfdFlags, eventfd};
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcgetattr, tcsetwinsize};

use super::*;
use crate::view::{ColourChoice, ask_about};

/// No test waits longer for anything.
const BOUND: Duration = Duration::from_secs(30);

/// An ask that is settled when the test says so.
struct Switch {
    open: AtomicBool,
    hint: OwnedFd,
}

impl Switch {
    fn new() -> Arc<Self> {
        let hint = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).unwrap();
        Arc::new(Self {
            open: AtomicBool::new(true),
            hint,
        })
    }

    fn settle(&self) {
        self.open.store(false, Ordering::SeqCst);
        rustix::io::write(&self.hint, &1_u64.to_ne_bytes()).unwrap();
    }
}

impl Pending for Switch {
    fn is_open(&self) -> bool {
        self.open.load(Ordering::SeqCst)
    }

    fn hint(&self) -> Option<BorrowedFd<'_>> {
        Some(rustix::fd::AsFd::as_fd(&self.hint))
    }

    fn take_hint(&self) {
        let _ = rustix::io::read(&self.hint, &mut [0; 8]);
    }
}

/// A terminal with an ask on it and the test as the person who answers.
struct TestTerminal {
    keyboard: OwnedFd,
    screen: Arc<Mutex<Vec<u8>>>,
    switch: Arc<Switch>,
    asked: Option<JoinHandle<(Said, bool)>>,
}

impl TestTerminal {
    fn asking(ask: Ask) -> Self {
        Self::asking_while_typing(ask, b"")
    }

    /// With keys typed before the question.
    fn asking_while_typing(ask: Ask, ahead: &[u8]) -> Self {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let keyboard = openpt(flags).unwrap();
        grantpt(&keyboard).unwrap();
        unlockpt(&keyboard).unwrap();
        let peer = ioctl_tiocgptpeer(&keyboard, flags).unwrap();
        let size = Winsize {
            ws_row: 30,
            ws_col: 100,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&peer, size).unwrap();
        let switch = Switch::new();
        let screen = Arc::new(Mutex::new(Vec::new()));
        let (seen, ours) = (Arc::clone(&screen), keyboard.try_clone().unwrap());
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = rustix::io::read(&ours, &mut buffer) {
                seen.lock().unwrap().extend(&buffer[..count]);
            }
        });
        rustix::io::write(&keyboard, ahead).unwrap();
        let pending = Arc::clone(&switch);
        let manner = Printer::new(ColourChoice::Never).manner();
        let asked = std::thread::spawn(move || {
            let before = tcgetattr(&peer).unwrap();
            let terminal = Terminal::over(peer.try_clone().unwrap(), manner);
            let waiting = Waiting::new(&terminal, Some(&*pending), None);
            let said = put(&ask, Editing::Offered, &waiting);
            let after = tcgetattr(&peer).unwrap_or_else(|_| before.clone());
            let is_restored = before.local_modes == after.local_modes
                && before.input_modes == after.input_modes
                && before.output_modes == after.output_modes;
            (said, is_restored)
        });
        Self {
            keyboard,
            screen,
            switch,
            asked: Some(asked),
        }
    }

    fn seen(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().unwrap()).replace("\r\n", "\n")
    }

    /// Waits until this stands on the screen this often.
    fn look_for(&self, text: &str, times: usize) {
        let began = Instant::now();
        while self.seen().matches(text).count() < times {
            assert!(began.elapsed() < BOUND, "no {text:?} in {}", self.seen());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until the question stands there this often and was there for a while.
    fn asked(&self, times: usize) {
        self.look_for("ENTER is no] ", times);
        std::thread::sleep(Duration::from_millis(400));
    }

    fn press(&self, keys: &[u8]) {
        for key in keys {
            rustix::io::write(&self.keyboard, &[*key]).unwrap();
            std::thread::sleep(Duration::from_millis(80));
        }
    }

    fn paste(&self, text: &[u8]) {
        rustix::io::write(&self.keyboard, text).unwrap();
    }

    /// What came of it. The modes of the terminal must be what they were.
    fn said(mut self) -> Said {
        let asked = self.asked.take().unwrap();
        let began = Instant::now();
        while !asked.is_finished() {
            assert!(began.elapsed() < BOUND, "no answer: {}", self.seen());
            std::thread::sleep(Duration::from_millis(5));
        }
        let (said, is_restored) = asked.join().unwrap();
        assert!(is_restored, "the modes are not what they were");
        said
    }
}

fn allow(scope: Scope, expires: Option<Duration>) -> Said {
    Said::Answer(Answer::Allow { scope, expires })
}

fn deny(message: Option<&str>) -> Said {
    let message = message.map(str::to_owned);
    Said::Answer(Answer::Deny { message })
}

fn push() -> Ask {
    let mut ask = ask_about("git push origin main");
    ask.expires_at_ms = now_ms() + 600_000;
    ask
}

/// What comes of one question when these keys are pressed, one after another.
fn pressing(keys: &[u8]) -> Said {
    let terminal = TestTerminal::asking(push());
    terminal.asked(1);
    terminal.press(keys);
    terminal.said()
}

#[test]
fn every_key_says_what_it_says() {
    assert_eq!(pressing(b"y"), allow(Scope::Call, None));
    assert_eq!(pressing(b"n"), deny(None));
    assert_eq!(pressing(b"\r"), deny(None));
    assert_eq!(pressing(b"\x04"), deny(None));
    assert_eq!(pressing(b"\x03"), Said::Stopped);
    assert_eq!(pressing(b"mnot now\r"), deny(Some("not now")));
    assert_eq!(pressing(b"m\x03"), deny(None));
}

#[test]
fn a_lasting_yes_has_a_scope_and_a_time() {
    let cases: [(u8, &[u8], Said); 3] = [
        (b's', b"\r", allow(Scope::Session, None)),
        (
            b'p',
            b"1h\r",
            allow(Scope::Project, Some(Duration::from_secs(3600))),
        ),
        (
            b'a',
            b"7d\r",
            allow(Scope::User, Some(Duration::from_secs(7 * 86_400))),
        ),
    ];
    for (key, time, expected) in cases {
        let terminal = TestTerminal::asking(push());
        terminal.asked(1);
        terminal.press(&[key]);
        terminal.look_for("for │ ", 1);
        terminal.press(time);
        assert_eq!(terminal.said(), expected);
    }
}

#[test]
fn an_enter_right_behind_the_letter_is_no_time() {
    let terminal = TestTerminal::asking(push());
    terminal.asked(1);
    terminal.press(b"s\r");
    terminal.look_for("for │ ", 1);
    terminal.press(b"soon\r");
    terminal.look_for("That is not a length of time", 1);
    terminal.asked(2);
    terminal.press(b"n");
    assert_eq!(terminal.said(), deny(None));
}

#[test]
fn what_was_typed_ahead_does_not_count() {
    let terminal = TestTerminal::asking_while_typing(push(), b"yyy");
    terminal.asked(1);
    terminal.press(b"n");
    assert_eq!(terminal.said(), deny(None));
}

#[test]
fn a_key_that_is_held_down_does_not_answer() {
    let terminal = TestTerminal::asking(push());
    for _ in 0..20 {
        terminal.paste(b"y");
        std::thread::sleep(Duration::from_millis(30));
    }
    terminal.look_for("does not count", 1);
    terminal.asked(2);
    assert!(
        terminal
            .asked
            .as_ref()
            .is_some_and(|asked| !asked.is_finished())
    );
    terminal.press(b"n");
    assert_eq!(terminal.said(), deny(None));
}

#[test]
fn a_paste_is_no_answer() {
    let terminal = TestTerminal::asking(push());
    terminal.asked(1);
    terminal.paste(b"yes please\r");
    terminal.look_for("Several keys at once", 1);
    terminal.asked(2);
    // A single letter of a paste, as a terminal with marks for pastes sends it.
    terminal.paste(b"\x1b[200~y\x1b[201~");
    terminal.look_for("Several keys at once", 2);
    terminal.asked(3);
    terminal.press(b"y");
    assert_eq!(terminal.said(), allow(Scope::Call, None));
}

#[test]
fn three_wrong_keys_are_a_no() {
    let terminal = TestTerminal::asking(push());
    for times in 1..=3 {
        terminal.asked(times);
        terminal.press(b"x");
    }
    terminal.look_for("counts as a no", 1);
    assert_eq!(terminal.said(), deny(None));
}

#[test]
fn help_and_pages_are_no_mistakes() {
    let mut ask = push();
    let lines = (0..500).map(|line| format!("echo {line}"));
    ask.command = lines.collect::<Vec<_>>().join("\n");
    let terminal = TestTerminal::asking(ask);
    terminal.asked(1);
    assert!(terminal.seen().contains(" rows left out; v shows all"));
    assert!(!terminal.seen().contains("echo 250"));
    for round in 2..6 {
        terminal.press(b"?");
        terminal.asked(round);
    }
    terminal.press(b"v");
    for page in 1..=18 {
        terminal.look_for("SPACE goes on", page);
        terminal.press(b" ");
    }
    terminal.asked(6);
    assert!(terminal.seen().contains("│ echo 250"));
    terminal.press(b"\r");
    assert_eq!(terminal.said(), deny(None));
}

#[test]
fn an_edited_command_comes_back_changed() {
    let terminal = TestTerminal::asking(push());
    terminal.asked(1);
    terminal.press(b"e");
    terminal.look_for("edit │ ", 1);
    terminal.press(b"\x17--dry-run\r");
    let command = "git push origin --dry-run".to_owned();
    assert_eq!(terminal.said(), Said::Answer(Answer::Edit { command }));
}

#[test]
fn an_unchanged_or_a_masked_command_is_no_answer() {
    let terminal = TestTerminal::asking(push());
    terminal.asked(1);
    terminal.press(b"e");
    terminal.look_for("edit │ ", 1);
    terminal.press(b"\r");
    terminal.look_for("It is unchanged", 1);
    terminal.asked(2);
    terminal.press(b"n");
    assert_eq!(terminal.said(), deny(None));
    let mut ask = push();
    ask.command = "curl -H 'Token: ***'".to_owned();
    let terminal = TestTerminal::asking(ask);
    terminal.asked(1);
    terminal.press(b"e");
    terminal.look_for("is masked", 1);
    terminal.asked(2);
    terminal.press(b"n");
    assert_eq!(terminal.said(), deny(None));
}

#[test]
fn an_answer_elsewhere_ends_the_question() {
    let terminal = TestTerminal::asking(push());
    terminal.asked(1);
    let began = Instant::now();
    terminal.switch.settle();
    terminal.look_for("Answered elsewhere.", 1);
    assert!(began.elapsed() < Duration::from_millis(900), "{began:?}");
    assert_eq!(terminal.said(), Said::Elsewhere);
}

#[test]
fn a_question_that_expired_says_so() {
    let mut ask = push();
    ask.expires_at_ms = now_ms();
    let terminal = TestTerminal::asking(ask);
    terminal.switch.settle();
    terminal.look_for("No answer came in time.", 1);
    assert_eq!(terminal.said(), Said::Elsewhere);
}

#[test]
fn one_question_at_a_time() {
    let runtime = tempfile::tempdir().unwrap();
    let manner = Printer::new(ColourChoice::Never).manner();
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let keyboard = openpt(flags).unwrap();
    unlockpt(&keyboard).unwrap();
    let peer = ioctl_tiocgptpeer(&keyboard, flags).unwrap();
    let terminal = Terminal::over(peer, manner);
    let switch = Switch::new();
    let waiting = Waiting::new(&terminal, Some(&*switch), None);
    let path = runtime.path().join("new");
    let take = || Turn::take_at(&path, "prompt-1.lock", &waiting);
    let first = take().unwrap();
    std::thread::scope(|scope| {
        let pending = Arc::clone(&switch);
        let second = scope.spawn(move || {
            // What is not settled waits for its turn, what is settled gives up.
            std::thread::sleep(Duration::from_millis(300));
            pending.settle();
        });
        assert!(take().is_none());
        second.join().unwrap();
    });
    drop(first);
    switch.open.store(true, Ordering::SeqCst);
    assert!(take().is_some());
    assert_eq!(std::fs::read_dir(&path).unwrap().count(), 0);
}
