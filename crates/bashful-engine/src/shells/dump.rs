//! Reading what a call left on its descriptor: sections that end with a NUL.

use super::declared;
use crate::model::shell_bytes::Bytes;
use crate::model::shell_state::{Function, Variable};

/// A call saves no more than this.
pub(super) const MOST_BYTES: u64 = 4 << 20;

/// Functions go to the next call in its environment, where the kernel takes no more of one
/// variable and of all.
const LONGEST_FUNCTION: usize = 120 << 10;
const MOST_FUNCTIONS: usize = 1 << 20;

/// More than this is not one of anything.
const MOST_PARAMETERS: usize = 100_000;

/// What a call left, as far as it can be believed to be what it looks like.
#[derive(Debug)]
pub(super) enum Left {
    /// The state was not loaded, so the command did not run.
    NotLoaded,
    /// It was loaded, and none was saved.
    NotSaved,
    /// What was saved is not what bash prints.
    Garbled(&'static str),
    Saved(Box<Dump>),
}

/// A shell at the end of a call.
#[derive(Debug)]
pub(super) struct Dump {
    /// What a new shell has.
    pub(super) usual: Usual,
    /// Those of this one.
    pub(super) options: (Vec<String>, Vec<String>),
    pub(super) parameters: Vec<Bytes>,
    pub(super) umask: u16,
    /// None if it was gone.
    pub(super) directory: Option<Bytes>,
    pub(super) aliases: Vec<(String, Bytes)>,
    pub(super) variables: Vec<Variable>,
    pub(super) functions: Vec<Function>,
}

/// A shell before it loads a state.
#[derive(Debug)]
pub(super) struct Usual {
    /// Its options of `set -o`.
    pub(super) set: Vec<String>,
    /// Those of `shopt`.
    pub(super) shopt: Vec<String>,
    pub(super) umask: u16,
}

/// Reads what is on the descriptor.
pub(super) fn read(bytes: &[u8]) -> Left {
    let mut sections = Sections { rest: bytes };
    let Some(usual) = begin(&mut sections) else {
        return Left::NotLoaded;
    };
    if sections.next() != Some(b"loaded") {
        return Left::NotLoaded;
    }
    match sections.next() {
        Some(b"state") => {}
        None if sections.rest.is_empty() => return Left::NotSaved,
        _ => return Left::Garbled("it does not begin as a state does"),
    }
    match dump(usual, &mut sections) {
        Ok(dump) => Left::Saved(Box::new(dump)),
        Err(what) => Left::Garbled(what),
    }
}

fn begin(sections: &mut Sections<'_>) -> Option<Usual> {
    (sections.next()? == b"begin").then_some(())?;
    Some(Usual {
        set: names(sections.next()?)?,
        shopt: names(sections.next()?)?,
        umask: mask(sections.next()?.strip_suffix(b"\n")?)?,
    })
}

fn dump(usual: Usual, sections: &mut Sections<'_>) -> Result<Dump, &'static str> {
    let mut next = || sections.next().ok_or("it breaks off");
    let bad_option = "an option has a strange name";
    let set = names(next()?).ok_or(bad_option)?;
    let shopt = names(next()?).ok_or(bad_option)?;
    let count = std::str::from_utf8(next()?).ok();
    let count: usize = count
        .and_then(|count| count.parse().ok())
        .filter(|count| *count <= MOST_PARAMETERS)
        .ok_or("the number of its parameters is not valid")?;
    let mut parameters = Vec::new();
    for _ in 0..count {
        parameters.push(Bytes(next()?.to_vec()));
    }
    let (umask, directory) = place(next()?).ok_or("its directory or mask is not valid")?;
    let aliases = declared::aliases(next()?).ok_or("an alias is not written as bash does")?;
    let variables = declared::variables(next()?);
    let variables = variables.ok_or("a variable is not written as bash does")?;
    // Bash always has these; without them the list is not whole.
    for name in ["BASH_VERSION", "SHELLOPTS"] {
        if variables.iter().all(|variable| variable.name != name) {
            return Err("the list of variables is not complete");
        }
    }
    let mut functions = functions(next()?).ok_or("the list of functions is not valid")?;
    let definitions = String::from_utf8(next()?.to_vec());
    let definitions = definitions.map_err(|_| "a function is not text")?;
    if next()? != b"end" || !sections.rest.is_empty() {
        return Err("it does not end as a state does");
    }
    // Of a function there is a line in one list and a definition in the other.
    let defined = bashful_policy::functions_of(&definitions)
        .map_err(|_| "its functions cannot be read, or are not functions only")?;
    let names = functions.iter().map(|function| &function.name);
    if !defined.iter().map(|one| &one.name).eq(names) {
        return Err("its functions are not those that it lists");
    }
    for (function, definition) in functions.iter_mut().zip(defined) {
        function.body = definition.body;
    }
    let longest = functions.iter().map(|one| one.body.len()).max();
    let all: usize = functions.iter().map(|one| one.body.len()).sum();
    if longest.is_some_and(|longest| longest > LONGEST_FUNCTION) || all > MOST_FUNCTIONS {
        return Err("its functions are too long");
    }
    Ok(Dump {
        usual,
        options: (set, shopt),
        parameters,
        umask,
        directory,
        aliases,
        variables,
        functions,
    })
}

/// A list of options: names with colons between them.
fn names(section: &[u8]) -> Option<Vec<String>> {
    let text = std::str::from_utf8(section).ok()?;
    let plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
    let name = |name: &str| {
        let begins = name
            .bytes()
            .next()
            .is_some_and(|byte| byte.is_ascii_lowercase());
        (begins && name.bytes().all(plain)).then(|| name.to_owned())
    };
    text.split(':')
        .filter(|part| !part.is_empty())
        .map(name)
        .collect()
}

/// The mask and the directory, a line each; a directory's name may have lines itself.
fn place(section: &[u8]) -> Option<(u16, Option<Bytes>)> {
    let line = section.iter().position(|byte| *byte == b'\n')?;
    let (first, rest) = section.split_at_checked(line)?;
    let directory = rest.strip_prefix(b"\n")?;
    let mask = mask(first)?;
    if directory.is_empty() {
        return Some((mask, None));
    }
    let directory = directory.strip_suffix(b"\n")?;
    let absolute = directory.starts_with(b"/");
    absolute.then(|| (mask, Some(Bytes(directory.to_vec()))))
}

/// What `umask` prints.
fn mask(text: &[u8]) -> Option<u16> {
    let text = std::str::from_utf8(text).ok()?;
    let digits =
        matches!(text.len(), 3 | 4) && text.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
    let mask = u16::from_str_radix(text, 8).ok();
    mask.filter(|mask| digits && *mask <= 0o777)
}

/// What `declare -F` prints.
fn functions(section: &[u8]) -> Option<Vec<Function>> {
    let text = std::str::from_utf8(section).ok()?;
    let line = |line: &str| {
        let (letters, name) = line.strip_prefix("declare -")?.split_once(' ')?;
        let mut letters: Vec<char> = letters.chars().collect();
        if !letters.contains(&'f') || letters.iter().any(|letter| !"frtx".contains(*letter)) {
            return None;
        }
        letters.retain(|letter| *letter != 'f');
        letters.sort_unstable();
        let plain = |next: char| next.is_ascii_alphanumeric() || "_.:+-@%,".contains(next);
        let begins = name.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_');
        (begins && name.chars().all(plain) && name != "builtin").then(|| Function {
            name: name.to_owned(),
            attributes: letters.into_iter().collect(),
            body: String::new(),
        })
    };
    text.lines().map(line).collect()
}

struct Sections<'a> {
    rest: &'a [u8],
}

impl<'a> Sections<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        let end = self.rest.iter().position(|byte| *byte == 0)?;
        let (section, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest.get(1..)?;
        Some(section)
    }
}
