//! Holding the lines of a log against a pattern, one after the other.

use std::collections::VecDeque;
use std::time::Instant;

use super::matcher::Matcher;
use super::{Found, FoundLine, SearchRequest};
use crate::tasks::TaskState;

/// How much of a line is searched, in bytes.
const MOST_SEARCHED: usize = 64 << 10;
/// How many characters of a line are shown.
const MOST_SHOWN: usize = 2000;
/// How many bytes one answer holds, more or less, however many lines match.
const MOST_HELD: usize = 4 << 20;
/// How many lines are shown before and after one, at most.
const MOST_CONTEXT: usize = 20;

/// A search on its way through the log.
pub(super) struct Search {
    matcher: Matcher,
    pub(super) found: Found,
    first: u64,
    most: usize,
    context: usize,
    until: Instant,
    number: u64,
    /// The line that is being read, as far as it is searched, and where it began.
    line: Vec<u8>,
    began: Option<u64>,
    is_cut: bool,
    before: VecDeque<String>,
    /// How many bytes were collected.
    held: usize,
    stopped: bool,
}

impl Search {
    pub(super) fn new(request: &SearchRequest, matcher: Matcher) -> Self {
        let now = Instant::now();
        Self {
            matcher,
            found: Found {
                lines: Vec::new(),
                next: request.after,
                more: false,
                timed_out: false,
                cut_lines: 0,
            },
            first: request.after,
            most: request.max_matches.max(1),
            context: request.context_lines.min(MOST_CONTEXT),
            until: now.checked_add(request.patience).unwrap_or(now),
            number: 1,
            line: Vec::new(),
            began: None,
            is_cut: false,
            before: VecDeque::new(),
            held: 0,
            stopped: false,
        }
    }

    pub(super) fn goes_on(&mut self) -> bool {
        if !self.stopped && Instant::now() >= self.until {
            self.give_up();
        }
        !self.stopped
    }

    pub(super) fn take(&mut self, offset: u64, bytes: &[u8]) {
        let mut at = offset;
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.began.get_or_insert(at);
            at += piece.len() as u64;
            let room = MOST_SEARCHED - self.line.len();
            let text = piece.strip_suffix(b"\n").unwrap_or(piece);
            self.line
                .extend_from_slice(text.get(..room).unwrap_or(text));
            self.is_cut |= text.len() > room;
            if piece.len() > text.len() {
                self.finish_line();
                if self.stopped {
                    return;
                }
                self.found.next = self.found.next.max(at);
            }
        }
    }

    /// A whole line was read.
    pub(super) fn finish_line(&mut self) {
        let Some(began) = self.began.take() else {
            return;
        };
        let line = std::mem::take(&mut self.line);
        let is_cut = std::mem::take(&mut self.is_cut);
        let number = self.number;
        self.number += 1;
        if began < self.first && self.context == 0 {
            return;
        }
        let text = String::from_utf8_lossy(&line);
        self.add_behind(&text);
        if began < self.first {
            self.remember(&text);
            return;
        }
        if self.is_over(began, line.len()) {
            return;
        }
        self.found.cut_lines += u64::from(is_cut);
        if self.matcher.is_match(&text) {
            if self.found.lines.len() == self.most || self.held > MOST_HELD {
                // There is one more, so there were enough.
                (self.found.next, self.found.more) = (began, true);
                self.stopped = true;
                return;
            }
            self.held += shown(&text).len() + self.before.iter().map(String::len).sum::<usize>();
            self.found.lines.push(FoundLine {
                number,
                offset: began,
                text: shown(&text),
                is_cut,
                before: self.before.iter().cloned().collect(),
                after: Vec::new(),
            });
        }
        self.remember(&text);
    }

    /// Whether the time is up before this line.
    fn is_over(&mut self, began: u64, length: usize) -> bool {
        let worth_asking = length > 1024 || self.number.is_multiple_of(64);
        if worth_asking && Instant::now() >= self.until {
            self.found.next = began;
            self.give_up();
        }
        self.stopped
    }

    fn give_up(&mut self) {
        (self.found.more, self.found.timed_out) = (true, true);
        self.stopped = true;
    }

    /// A line is the context of those before it.
    fn add_behind(&mut self, text: &str) {
        if self.context == 0 {
            return;
        }
        let number = self.number - 1;
        for found in self.found.lines.iter_mut().rev().take(MOST_CONTEXT) {
            if number - found.number <= self.context as u64 {
                let text = shown(text);
                self.held += text.len();
                found.after.push(text);
            }
        }
    }

    fn remember(&mut self, text: &str) {
        if self.context == 0 {
            return;
        }
        if self.before.len() == self.context {
            self.before.pop_front();
        }
        self.before.push_back(shown(text));
    }

    /// This was all; the last line may have no end. Of a task that goes on it may still get one,
    /// and is searched again then.
    pub(super) fn finish(&mut self, end: u64, state: TaskState) {
        self.finish_line();
        if !self.stopped && state.is_over() {
            self.found.next = end;
        }
    }
}

fn shown(line: &str) -> String {
    line.chars().take(MOST_SHOWN).collect()
}
