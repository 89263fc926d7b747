//! The text of a script: what can be one, and its hash.

use crate::model::error::body::{MAX_SCRIPT_BYTES, UnfitBody};

/// These bytes as the text of a script.
pub(crate) fn text(bytes: Vec<u8>) -> Result<String, UnfitBody> {
    if bytes.len() > MAX_SCRIPT_BYTES {
        return Err(UnfitBody::TooLong {
            length: bytes.len() as u64,
        });
    }
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        return Err(UnfitBody::Binary {
            detail: format!("byte {} is NUL", at + 1),
        });
    }
    let text = String::from_utf8(bytes).map_err(|error| UnfitBody::Binary {
        detail: format!("byte {} is not UTF-8", error.utf8_error().valid_up_to() + 1),
    })?;
    if text.trim().is_empty() {
        return Err(UnfitBody::Empty);
    }
    Ok(text)
}

/// Whether a text is one for bash, as far as its beginning says.
pub(crate) fn check_beginning(text: &str) -> Result<(), UnfitBody> {
    if text.starts_with('\u{feff}') {
        return Err(UnfitBody::Mark);
    }
    let Some(line) = text.lines().next().and_then(|line| line.strip_prefix("#!")) else {
        return Ok(());
    };
    // `#!/usr/bin/env -S NAME=value bash -e` is for bash.
    let program = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    let mut words = line.split_whitespace().map(program);
    let named = match words.next() {
        Some(env) if env == "env" => {
            words.find(|word| !word.starts_with('-') && !word.contains('='))
        }
        named => named,
    };
    match named {
        Some(name) if name != "bash" && name != "sh" => Err(UnfitBody::Interpreter {
            interpreter: name.chars().take(60).collect(),
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::script::content_hash;

    #[test]
    fn what_is_no_text_is_no_script() {
        assert_eq!(text(b"echo hi\n".to_vec()).unwrap(), "echo hi\n");
        assert_eq!(text(Vec::new()), Err(UnfitBody::Empty));
        assert_eq!(text(b" \n\t\n".to_vec()), Err(UnfitBody::Empty));
        let nul = text(b"echo\0hi".to_vec()).unwrap_err();
        assert_eq!(nul.to_string(), "the script is not text: byte 5 is NUL");
        let bytes = text(vec![b'a', 0xff]).unwrap_err();
        assert_eq!(
            bytes.to_string(),
            "the script is not text: byte 2 is not UTF-8"
        );
        let longest = "#".repeat(MAX_SCRIPT_BYTES);
        assert!(text(longest.clone().into_bytes()).is_ok());
        let length = longest.len() as u64 + 1;
        assert_eq!(
            text(format!("{longest}#").into_bytes()),
            Err(UnfitBody::TooLong { length })
        );
    }

    #[test]
    fn a_first_line_names_bash_or_nothing() {
        for fit in [
            "echo hi",
            "#!/bin/bash\necho",
            "#! /bin/sh -e\necho",
            "#!/usr/bin/env bash",
            "#!/usr/bin/env -S A=1 bash -e",
            "#!\necho",
            "# python3\n#!/usr/bin/python3",
        ] {
            assert_eq!(check_beginning(fit), Ok(()), "{fit:?}");
        }
        for (unfit, named) in [
            ("#!/usr/bin/env python3\nimport os", "python3"),
            ("#!/usr/bin/perl -w", "perl"),
            ("#!/usr/bin/env -S node --x", "node"),
            ("#!/bin/zsh", "zsh"),
        ] {
            let interpreter = named.to_owned();
            assert_eq!(
                check_beginning(unfit),
                Err(UnfitBody::Interpreter { interpreter }),
                "{unfit:?}"
            );
        }
        assert_eq!(check_beginning("\u{feff}echo hi"), Err(UnfitBody::Mark));
    }

    #[test]
    fn a_hash_is_sha_256() {
        assert_eq!(
            content_hash(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
