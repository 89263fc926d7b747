//! Built-ins of bash that evaluate their arguments: as code, as names of variables, as numbers.

use super::{Codes, Inquiry, Objection};
use crate::facts::{Argument, Call, Span};
use crate::templates::name::is_identifier;

const EVALUATED: Objection = Objection::new(
    "would be evaluated by the shell",
    "write the command, and give the value to it as an argument",
);
const VARIABLE: Objection = Objection::new(
    "would be the name of a variable, and bash evaluates what is in `name[…]`",
    "write the variable's name",
);
const FORMAT: Objection = Objection::new(
    "would be a format",
    "write the format, and give the value to it: `printf '%s\\n' ${…}`",
);
const TEST: Objection = Objection::new(
    "could be read as an operator of `[`",
    "use `[[ … ]]`, or one `[` for each comparison, with the other words in quotes",
);
const OPTION: Objection = Objection::new(
    "could be read as an option of the shell",
    "write `set -- ${…}`",
);
const ARRAY: Objection = Objection::new(
    "would be evaluated where this declares an array, a number or a reference",
    "assign it in a line of its own: `name=${…}`",
);
const NUMBER: Objection = Objection::new(
    "would be evaluated as an expression",
    "use `$(( … ))`, in which it must be a whole number",
);

impl Inquiry<'_, '_> {
    /// The words of a built-in that bash evaluates.
    pub(super) fn builtin(&self, name: &str, call: &Call) -> Codes {
        let argv = call.arguments.as_slice();
        let from = |start: usize, objection: &Objection| -> Codes {
            (start..argv.len())
                .map(|index| (index, objection.clone()))
                .collect()
        };
        match name {
            "eval" | "alias" | "bind" | "complete" | "compgen" | "compopt" | "enable" | "fc"
            | "hash" | "shopt" | "history" | "jobs" => from(1, &EVALUATED),
            "let" => from(1, &NUMBER),
            "unset" | "getopts" | "mapfile" | "readarray" => from(1, &VARIABLE),
            "read" => read(argv),
            "printf" => printf(argv),
            "test" | "[" => self.test(argv),
            "set" => set(argv),
            "declare" | "typeset" | "local" | "export" | "readonly" => self.declare(call),
            _ => Codes::new(),
        }
    }

    /// `[ a = b ]` is safe where the number of words and the operator are known.
    fn test(&self, argv: &[Argument]) -> Codes {
        let mut words: Vec<usize> = (1..argv.len()).collect();
        let text = |index: &usize| argv.get(*index).map_or("", |word| word.text.as_str());
        if text(&0).ends_with('[') {
            words.pop();
        }
        let splits = |index: &usize| {
            argv.get(*index)
                .is_some_and(|word| word.splits && !self.is_one_word(word.span))
        };
        let open = words.iter().any(splits);
        if words.first().is_some_and(|first| text(first) == "!") {
            words.remove(0);
        }
        let safe = match words.as_slice() {
            [_] => true,
            [operator, _] => {
                let operator = text(operator);
                let letter = operator.strip_prefix('-').unwrap_or_default();
                letter.len() == 1 && !matches!(letter, "v" | "R") && operator.is_ascii()
            }
            [_, operator, _] => [
                "=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot",
                "-ef",
            ]
            .contains(&text(operator)),
            _ => false,
        };
        if safe && !open {
            return Codes::new();
        }
        (1..argv.len()).map(|index| (index, TEST)).collect()
    }

    /// Whether a word is one template, or in double quotes as a whole.
    fn is_one_word(&self, span: Span) -> bool {
        let text = self.part.slice(span);
        let quoted = text.len() > 1
            && text.starts_with('"')
            && text.ends_with('"')
            && text.matches('"').count() == 2;
        let alone = text.starts_with("${_Q")
            && text.find('}').is_some_and(|end| end + 1 == text.len())
            && self.places.contains(&span.0);
        quoted || alone
    }

    /// `declare name=value` keeps a value as it is, unless the variable is an array or a number.
    fn declare(&self, call: &Call) -> Codes {
        let argv = call.arguments.as_slice();
        let mut flags = String::new();
        for word in argv.iter().skip(1) {
            if let Some(letters) = word.known().strip_prefix(['-', '+']) {
                flags.push_str(letters);
            }
        }
        let wrapped = !call.wrappers.is_empty();
        let mut codes = Codes::new();
        for (index, word) in argv.iter().enumerate().skip(1) {
            let text = self.part.slice(word.span);
            let assigned = text.split_once('=').map(|(name, value)| {
                let name = name.strip_suffix('+').unwrap_or(name);
                let name = name.strip_prefix(['"', '\'']).unwrap_or(name);
                (name, value)
            });
            let objection = match assigned {
                _ if wrapped => ARRAY,
                Some((name, _)) if !is_identifier(name) => VARIABLE,
                None => VARIABLE,
                Some(_) if flags.contains(['i', 'n']) => ARRAY,
                Some((_, value)) if value.starts_with('(') => continue,
                Some(_) if flags.contains(['a', 'A']) => ARRAY,
                Some((name, _)) if self.attributes.is_array(name) => ARRAY,
                Some(_) => continue,
            };
            codes.push((index, objection));
        }
        codes
    }
}

/// `read -p prompt name`: the values of its options are data.
fn read(argv: &[Argument]) -> Codes {
    let mut codes = Codes::new();
    let mut index = 1;
    while let Some(word) = argv.get(index) {
        let known = word.known();
        let option = known.len() > 1 && known.starts_with('-');
        let valued = option && known.ends_with(['p', 'd', 't', 'n', 'N', 'u', 'i']);
        if valued && word.is_known() {
            index += 1;
        } else {
            codes.push((index, VARIABLE));
        }
        index += 1;
    }
    codes
}

/// The format and the name behind `-v` are no data.
fn printf(argv: &[Argument]) -> Codes {
    let mut codes = Codes::new();
    let mut index = 1;
    while let Some(word) = argv.get(index) {
        codes.push((index, FORMAT));
        match word.text.as_str() {
            "-v" => {
                codes.push((index + 1, VARIABLE));
                index += 2;
            }
            "--" => index += 1,
            _ => break,
        }
    }
    let format = argv.get(index).map_or("", |word| word.text.as_str());
    if format.contains("%n") {
        codes.extend((1..argv.len()).map(|later| (later, VARIABLE)));
    }
    codes
}

fn set(argv: &[Argument]) -> Codes {
    let end = argv.iter().position(|word| word.text == "--");
    (1..end.unwrap_or(argv.len()))
        .map(|index| (index, OPTION))
        .collect()
}
