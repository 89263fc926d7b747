//! Redirects: what they do, and to what.

use shuck_ast as ast;

use super::Reader;
use crate::facts::{RedirectKind, UnknownKind};
use crate::shell::RedirectNode;
use crate::shell::mark::Role;

impl Reader<'_> {
    pub(super) fn redirect(&mut self, redirect: &ast::Redirect) -> RedirectNode {
        use ast::RedirectKind as Kind;
        let start = redirect.span.start.offset();
        if self.text.get(..start).is_some_and(names_element) {
            self.problem(UnknownKind::StringEvaluation, start, start + 1);
        }
        let (kind, target) = match &redirect.target {
            ast::RedirectTarget::Heredoc(document) => {
                (RedirectKind::Text, self.here_document(document))
            }
            ast::RedirectTarget::Word(word) => {
                let text = self.slice(word.span).to_owned();
                let descriptor = text == "-"
                    || text
                        .strip_suffix('-')
                        .unwrap_or(&text)
                        .bytes()
                        .all(|byte| byte.is_ascii_digit());
                let twice = matches!(redirect.kind, Kind::DupOutput | Kind::DupInput);
                if twice && text.contains(['\'', '"', '\\']) && text.contains(['$', '`']) {
                    // Bash expands this word a second time.
                    let (start, end) = (word.span.start.offset(), word.span.end.offset());
                    self.problem(UnknownKind::StringEvaluation, start, end);
                }
                let kind = match redirect.kind {
                    Kind::Output | Kind::Clobber | Kind::OutputBoth => RedirectKind::Write,
                    Kind::Append => RedirectKind::Append,
                    Kind::Input => RedirectKind::Read,
                    Kind::ReadWrite => RedirectKind::ReadWrite,
                    Kind::HereDoc | Kind::HereDocStrip | Kind::HereString => RedirectKind::Text,
                    // `>& file` writes it; an unknown word could be either.
                    Kind::DupOutput if !descriptor => RedirectKind::Write,
                    Kind::DupOutput | Kind::DupInput => RedirectKind::Duplicate,
                };
                let role = match redirect.kind {
                    Kind::DupOutput | Kind::DupInput => Role::Duplicate,
                    Kind::HereString => Role::HereString,
                    _ => Role::Target,
                };
                (kind, self.as_role(role, |reader| reader.word(word)))
            }
        };
        RedirectNode {
            kind,
            descriptor: redirect.fd,
            variable: redirect
                .fd_var
                .as_ref()
                .map(|name| name.as_str().to_owned()),
            target,
            span: self.span(redirect.span),
        }
    }
}

/// Whether a text ends in `{name[…]}`, the element of an array that is to get the descriptor. The
/// parser takes it for a word.
fn names_element(before: &str) -> bool {
    if !before.ends_with("]}") {
        return false;
    }
    let mut depth = 0_usize;
    let mut opens = |byte: u8| {
        match byte {
            b'}' => depth += 1,
            b'{' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    };
    let open = before.bytes().rev().position(&mut opens);
    let start = open.map_or(0, |open| before.len() - open - 1);
    !before.get(..start).is_some_and(|rest| rest.ends_with('$'))
}
