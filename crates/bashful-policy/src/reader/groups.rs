//! Compound commands: the reserved words that open and close them.

use super::{Group, GroupKind, Level, Reader};
use crate::script::{Function, Word};
use crate::words::Place;

impl Reader<'_, '_> {
    /// Acts on a reserved word; `false` when the word is not one.
    pub(super) fn reserved(&mut self, level: &mut Level, word: &Word, start: usize) -> bool {
        if word.quoted || !word.is_literal() {
            return false;
        }
        match word.text.as_str() {
            "then" | "else" | "elif" | "do" | "!" => {}
            "if" => self.open(level, GroupKind::If),
            "while" | "until" => self.open(level, GroupKind::Loop),
            "for" | "select" => {
                self.open(level, GroupKind::Loop);
                level.header = true;
            }
            "{" => self.open(level, GroupKind::Brace),
            "case" => {
                self.open(level, GroupKind::Case);
                self.case_header();
            }
            "fi" => self.close(level, Some(GroupKind::If)),
            "done" => self.close(level, Some(GroupKind::Loop)),
            "esac" => self.close(level, Some(GroupKind::Case)),
            "}" if level.closer == Some(b'}') && level.groups.is_empty() => level.closed = true,
            "}" => self.close(level, Some(GroupKind::Brace)),
            "time" => {
                self.skip_time_options();
                // Any other option makes it the program of that name.
                return self.peek() != Some(b'-');
            }
            "function" => {
                self.skip_blanks();
                let name = self.word(Place::Command).pop().unwrap_or_default();
                self.skip_blanks();
                if self.peek() == Some(b'(') {
                    self.position += 1;
                    self.empty_parentheses();
                }
                level.function = Some(name.text);
            }
            "coproc" => self.skip_coprocess_name(),
            "[[" => self.test(level, start),
            _ => return false,
        }
        true
    }

    /// `[[ … ]]`, where `<`, `(` and `&&` are not operators of the shell.
    fn test(&mut self, level: &mut Level, start: usize) {
        loop {
            self.skip_space_and_comments();
            if self.peek().is_none() {
                self.script.trouble = true;
                break;
            }
            if self.skip_test_end() {
                break;
            }
            self.word(Place::Test);
        }
        level.command.words.push(Word {
            text: "[[".to_owned(),
            ..Word::default()
        });
        level.command.span = self.span_from(start);
        self.end_command(level);
    }

    pub(super) fn open(&mut self, level: &mut Level, kind: GroupKind) {
        if !self.enter() {
            return;
        }
        let start = self.script.commands.len();
        level.groups.push(Group {
            kind,
            start,
            start_byte: self.position,
            stages: std::mem::replace(&mut level.stages, vec![start]),
            list_start: std::mem::replace(&mut level.list_start, start),
            function: level.function.take(),
            directory: self.directory.clone(),
        });
    }

    pub(super) fn close(&mut self, level: &mut Level, kind: Option<GroupKind>) {
        self.end_list(level);
        if level.groups.last().map(|group| group.kind) == kind
            && let Some(group) = level.groups.pop()
        {
            self.leave_group(level, group);
        } else {
            self.script.trouble = true;
        }
    }

    pub(super) fn leave_group(&mut self, level: &mut Level, group: Group) {
        self.leave();
        let end = self.script.commands.len();
        if let Some(name) = group.function {
            let span = self.span_from(group.start_byte);
            self.script.functions.push(Function {
                name,
                body: group.start..end,
                span,
            });
        }
        if group.kind == GroupKind::Parenthesis {
            self.directory = group.directory;
        }
        level.stages = group.stages;
        level.list_start = group.list_start;
    }
}
