//! Literals: which of them bash reads otherwise, and what is left when backslashes are gone.

use shuck_ast as ast;

use crate::shell::{Piece, Quoting};

/// Whether what opens at the start of a part closes at its end. The parser takes the end of the
/// text for the end of what is open; bash does not.
pub(super) fn is_closed(text: &str, kind: &ast::WordPart) -> bool {
    use ast::WordPart as Part;
    match kind {
        Part::Literal(_) | Part::ZshQualifiedGlob(_) => true,
        Part::SingleQuoted { .. } => text.len() >= 2 && text.ends_with('\''),
        Part::DoubleQuoted { .. } => text.len() >= 2 && text.ends_with('"'),
        Part::CommandSubstitution { .. } => {
            text.ends_with(')') || text.len() >= 2 && text.ends_with('`')
        }
        Part::ProcessSubstitution { .. } => text.ends_with(')'),
        Part::ArithmeticExpansion { .. } => text.ends_with("))") || text.ends_with(']'),
        _ => !text.starts_with("${") || text.ends_with('}'),
    }
}

/// Whether a literal text has the start of an expansion, or a `(` that bash takes no word for.
pub(super) fn has_open_end(raw: &str, quoting: Quoting) -> bool {
    let mut before = ' ';
    let mut escaped = false;
    for character in raw.chars() {
        if !escaped {
            let expansion = before == '$' && matches!(character, '{' | '(');
            let parenthesis = quoting == Quoting::Bare
                && character == '('
                && !matches!(before, '?' | '*' | '+' | '@' | '!' | ' ');
            // The parser takes what follows an open brace into the word, line ends and all.
            let ends = quoting == Quoting::Bare
                && matches!(character, ' ' | '\t' | '\n' | ';' | '|' | '&' | '<' | '>');
            if expansion || parenthesis || ends {
                return true;
            }
        }
        before = if escaped { ' ' } else { character };
        escaped = character == '\\' && !escaped;
    }
    false
}

/// Removes backslashes the way the shell does in this kind of quotes.
pub(super) fn unescape(raw: &str, quoting: Quoting, pieces: &mut Vec<Piece>) {
    if !raw.contains('\\') {
        pieces.push(Piece::Text(raw.to_owned(), quoting));
        return;
    }
    let mut run = String::new();
    let mut characters = raw.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            run.push(character);
            continue;
        }
        match characters.next() {
            Some('\n') => {}
            Some(next) if quoting == Quoting::Quoted && !matches!(next, '$' | '`' | '"' | '\\') => {
                run.push('\\');
                run.push(next);
            }
            Some(next) if quoting == Quoting::Quoted => run.push(next),
            Some(next) => {
                pieces.push(Piece::Text(std::mem::take(&mut run), quoting));
                pieces.push(Piece::Text(next.to_string(), Quoting::Quoted));
            }
            None => run.push('\\'),
        }
    }
    pieces.push(Piece::Text(run, quoting));
}

/// Removes backslashes the way the shell does in a here-document, where a quote is only a sign: the
/// backslash before it stays, and a shell that is fed the document sees it.
pub(super) fn unescape_document(raw: &str) -> String {
    let mut plain = String::with_capacity(raw.len());
    let mut characters = raw.chars();
    while let Some(character) = characters.next() {
        let escaped = (character == '\\').then(|| characters.next()).flatten();
        match escaped {
            Some('\n') => {}
            Some(next @ ('$' | '`' | '\\')) => plain.push(next),
            Some(next) => plain.extend(['\\', next]),
            None => plain.push(character),
        }
    }
    plain
}

/// Removes the backslashes that backticks need, and says whether there were any.
pub(super) fn unescape_backticks(text: &str) -> (String, bool) {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let escaped = |next: &char| matches!(next, '$' | '`' | '\\');
        match characters.next_if(|next| character == '\\' && escaped(next)) {
            Some(next) => plain.push(next),
            None => plain.push(character),
        }
    }
    let changed = plain.len() != text.len();
    (plain, changed)
}

/// Whether a `${…}` has a `{` in it that starts no expansion, and is not escaped.
pub(super) fn has_bare_brace(text: &str) -> bool {
    let (mut before, mut escaped) = (' ', false);
    for character in text.chars() {
        let is_text = before == '\\' && !escaped;
        if character == '{' && !is_text && (before != '$' || escaped) {
            return true;
        }
        // Whether the sign before the next character was itself escaped.
        escaped = before == '\\' && !escaped;
        before = character;
    }
    false
}
