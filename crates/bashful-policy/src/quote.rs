//! Quoting: building a command from a program and arguments that may hold anything.

/// Quotes one argument so that the shell passes it on unchanged.
///
/// ```
/// assert_eq!(bashful_policy::escape_arg("it's"), r"'it'\''s'");
/// ```
pub fn escape_arg(argument: &str) -> String {
    format!("'{}'", argument.replace('\'', r"'\''"))
}

/// Builds a command line from a command and its arguments. The command is taken as it is, the
/// arguments are quoted.
///
/// ```
/// let line = bashful_policy::build_safe_command("grep", &["it's", "a b.txt"]);
/// assert_eq!(line, r"grep 'it'\''s' 'a b.txt'");
/// ```
pub fn build_safe_command<S: AsRef<str>>(command: &str, arguments: &[S]) -> String {
    let mut line = command.to_owned();
    for argument in arguments {
        line.push(' ');
        line.push_str(&escape_arg(argument.as_ref()));
    }
    line
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Context, read};

    #[test]
    fn an_empty_argument_stays_an_argument() {
        assert_eq!(escape_arg(""), "''");
        assert_eq!(build_safe_command::<&str>("ls", &[]), "ls");
    }

    proptest! {
        #[test]
        fn what_was_quoted_is_read_back(arguments in prop::collection::vec("[^\0]*", 0..6)) {
            let facts = read(&build_safe_command("greet", &arguments), &Context::default());
            prop_assert_eq!(facts.calls.len(), 1);
            let words = facts.calls[0].operands();
            let read: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            prop_assert_eq!(read, arguments);
            prop_assert!(words.iter().all(crate::Argument::is_literal));
        }
    }
}
