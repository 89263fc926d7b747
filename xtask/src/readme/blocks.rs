//! Finds the console blocks of a Markdown text that are marked as tested.

use anyhow::{Result, bail};

/// Where a block's commands run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Scratch,
    Repository,
}

/// One command and what the document says it prints.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Example {
    pub(super) line: usize,
    pub(super) command: String,
    pub(super) expected: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) place: Place,
    pub(super) examples: Vec<Example>,
}

/// The marked blocks in order. A mark with nothing to test behind it is an error, not silence.
pub(super) fn tested(markdown: &str) -> Result<Vec<Block>> {
    let mut blocks = Vec::new();
    let mut mark: Option<(usize, Place)> = None;
    let mut lines = markdown.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let number = index + 1;
        let text = line.trim();
        if let Some((fence, language)) = opening_fence(text) {
            let indent = line.len() - line.trim_start().len();
            // Marks inside a fence are text about marks, so the whole block is taken at once.
            let body: Vec<(usize, &str)> = lines
                .by_ref()
                .map(|(index, line)| (index + 1, unindent(line, indent)))
                .take_while(|(_, line)| !is_closing(line, fence))
                .collect();
            if let Some((_, place)) = mark.take() {
                if language != "console" {
                    bail!("line {number}: a tested block must be a `console` block");
                }
                let examples = examples(&body, number)?;
                blocks.push(Block { place, examples });
            }
        } else if let Some(place) = read_mark(text, number)? {
            if let Some((earlier, _)) = mark.replace((number, place)) {
                bail!("line {earlier}: the test mark is not followed by a block");
            }
        } else if let (false, Some((earlier, _))) = (text.is_empty(), mark) {
            bail!("line {earlier}: the test mark is not followed by a block");
        }
    }
    match mark {
        Some((earlier, _)) => bail!("line {earlier}: the test mark is not followed by a block"),
        None => Ok(blocks),
    }
}

fn read_mark(text: &str, number: usize) -> Result<Option<Place>> {
    let inside = text
        .strip_prefix("<!--")
        .and_then(|it| it.strip_suffix("-->"));
    let Some(words) = inside.map(str::trim) else {
        return Ok(None);
    };
    match words.strip_prefix("test").map(str::trim) {
        Some("") => Ok(Some(Place::Scratch)),
        Some(rest) if rest.starts_with(':') => match rest.trim_start_matches(':').trim() {
            "root" => Ok(Some(Place::Repository)),
            other => bail!("line {number}: no test mark is called `{other}`"),
        },
        _ => Ok(None),
    }
}

fn opening_fence(text: &str) -> Option<(&str, &str)> {
    let length = text
        .chars()
        .take_while(|&character| character == '`')
        .count();
    let (fence, language) = text.split_at_checked(length)?;
    (length >= 3 && !language.contains('`')).then(|| (fence, language.trim()))
}

fn is_closing(line: &str, fence: &str) -> bool {
    let text = line.trim();
    text.starts_with(fence) && text.chars().all(|character| character == '`')
}

fn unindent(line: &str, indent: usize) -> &str {
    let spaces = line.len() - line.trim_start().len();
    line.get(indent.min(spaces)..).unwrap_or(line)
}

fn examples(body: &[(usize, &str)], fence: usize) -> Result<Vec<Example>> {
    let mut examples: Vec<Example> = Vec::new();
    let mut continues = false;
    for &(line, text) in body {
        let last = examples.last_mut();
        match (text.strip_prefix("$ "), last) {
            (_, Some(example)) if continues => {
                example.command.push('\n');
                example
                    .command
                    .push_str(text.strip_prefix("> ").unwrap_or(text));
                continues = text.ends_with('\\');
            }
            (Some(command), _) => {
                continues = command.ends_with('\\');
                let (command, expected) = (command.to_owned(), Vec::new());
                examples.push(Example {
                    line,
                    command,
                    expected,
                });
            }
            (None, Some(example)) => example.expected.push(text.to_owned()),
            (None, None) => bail!("line {line}: a console block starts with a `$ ` line"),
        }
    }
    if examples.is_empty() {
        bail!("line {fence}: the tested block has no `$ ` line");
    }
    Ok(examples)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(line: usize, command: &str, expected: &[&str]) -> Example {
        Example {
            line,
            command: command.to_owned(),
            expected: expected.iter().map(|&it| it.to_owned()).collect(),
        }
    }

    #[test]
    fn takes_marked_blocks_only() {
        let text = "\
# Title

```console
$ not this
```

<!-- test: root -->
```console
$ echo a
a

$ echo \\
> b
b
```
<!-- another comment -->
1. In a list:

   <!-- test -->

   ```console
   $ true
   ```
";
        let expected = [
            Block {
                place: Place::Repository,
                examples: vec![
                    example(9, "echo a", &["a", ""]),
                    example(12, "echo \\\nb", &["b"]),
                ],
            },
            Block {
                place: Place::Scratch,
                examples: vec![example(22, "true", &[])],
            },
        ];
        assert_eq!(tested(text).unwrap(), expected);
    }

    #[test]
    fn marks_inside_a_fence_are_text() {
        let text = "````markdown\n<!-- test -->\n```console\n$ false\n```\n````\n";
        assert_eq!(tested(text).unwrap(), []);
    }

    #[test]
    fn a_mark_that_tests_nothing_is_an_error() {
        for text in [
            "<!-- test -->\nwords\n",
            "<!-- test -->\n",
            "<!-- test -->\n```sh\ntrue\n```\n",
            "<!-- test: rot -->\n```console\n$ true\n```\n",
            "<!-- test -->\n```console\n```\n",
            "<!-- test -->\n```console\noutput first\n```\n",
        ] {
            assert!(tested(text).is_err(), "{text}");
        }
    }
}
