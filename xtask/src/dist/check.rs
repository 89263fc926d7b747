//! What must be true of the executable as it is shipped, read off the file.
//!
//! The front runs before the C library is ready. There, `memcpy` and its like are slots that are
//! filled later: a call through one would not copy but return, and nothing else would tell.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::{ENTRY, START};
use crate::process::stdout_of;

pub(crate) fn check(program: &Path) -> Result<()> {
    let mut readelf = Command::new("readelf");
    readelf.args(["--wide", "--file-header", "--program-headers"]);
    let headers = stdout_of(readelf.arg(program))?;
    check_headers(&headers)?;
    if ENTRY.is_empty() {
        return Ok(());
    }
    let start = address_of(START, &stdout_of(Command::new("nm").arg(program))?)?;
    let begins = field(&headers, "Entry point address:")?;
    ensure!(
        u64::from_str_radix(begins.trim_start_matches("0x"), 16)? == start,
        "it begins at {begins}, not at `{START}`"
    );
    check_front(|function| {
        let mut objdump = Command::new("objdump");
        let only = format!("--disassemble={function}");
        stdout_of(
            objdump
                .args(["-d", "--no-show-raw-insn", &only])
                .arg(program),
        )
    })
}

/// At a fixed address, whole, and without a stack that can be executed.
fn check_headers(text: &str) -> Result<()> {
    let kind = field(text, "Type:")?;
    ensure!(kind.starts_with("EXEC "), "it is of the type `{kind}`");
    ensure!(!text.contains("INTERP"), "it wants a dynamic linker");
    let stack = field(text, "GNU_STACK")?;
    ensure!(!stack.contains('E'), "its stack can be executed");
    for line in text
        .lines()
        .filter(|line| line.trim_start().starts_with("LOAD"))
    {
        let is_open = line.contains("RWE");
        ensure!(!is_open, "what can be written can be executed: {line}");
    }
    Ok(())
}

/// What stands behind a name on its line.
fn field<'a>(text: &'a str, name: &str) -> Result<&'a str> {
    let mut found = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix(name));
    let found = found
        .next()
        .with_context(|| format!("readelf tells no `{name}`"))?;
    Ok(found.trim())
}

/// The address of a symbol, as `nm` lists it.
fn address_of(name: &str, list: &str) -> Result<u64> {
    let mut lines = list.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let found = lines.find_map(|words| match words[..] {
        [address, _, symbol] if symbol == name => Some(address.to_owned()),
        _ => None,
    });
    let found = found.with_context(|| format!("it has no symbol `{name}`"))?;
    Ok(u64::from_str_radix(&found, 16)?)
}

/// Follows the calls of the front. All of them are to code of our own, until the C library begins.
fn check_front(disassemble: impl Fn(&str) -> Result<String>) -> Result<()> {
    let mut left = vec![START.to_owned()];
    let mut seen = BTreeSet::new();
    while let Some(function) = left.pop() {
        // The end of a check that the compiler could not prove away.
        let is_panic = function.contains("4core9panicking");
        if function == "_start" || is_panic || !seen.insert(function.clone()) {
            continue;
        }
        ensure!(
            function == START || function.contains("bashful_sandbox"),
            "the front calls `{function}`, before the C library is there"
        );
        for line in disassemble(&function)?.lines() {
            let Some((_, instruction)) = line.split_once(":\t") else {
                continue;
            };
            let mut words = instruction.split_whitespace();
            let (Some(verb), Some(place)) = (words.next(), words.next()) else {
                continue;
            };
            if !verb.starts_with("call") && !verb.starts_with('j') {
                continue;
            }
            let Some(target) = words.next() else {
                bail!(
                    "`{function}` of the front goes to where only a register knows: {verb} {place}"
                );
            };
            let target = target.trim_matches(['<', '>']);
            // A jump within the function has an offset.
            if target.split('+').next() != Some(function.as_str()) {
                left.push(target.to_owned());
            }
        }
    }
    ensure!(
        seen.len() > 5,
        "the front has only {} functions",
        seen.len()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADERS: &str = "  Type:                              EXEC (Executable file)
  LOAD           0x000000 0x0000000000200000 0x0000000000200000 0x2fbe08 0x2fbe08 R   0x1000
  LOAD           0x2fbe40 0x00000000004fce40 0x00000000004fce40 0xc3c1d0 0xc3c1d0 R E 0x1000
  GNU_STACK      0x000000 0x0000000000000000 0x0000000000000000 0x000000 0x000000 RW  0
";

    #[test]
    fn headers_that_protect_less_are_told() {
        check_headers(HEADERS).unwrap();
        for (from, to) in [
            ("EXEC", "DYN"),
            ("RW  0", "RWE 0"),
            (" R E ", " RWE "),
            ("  GNU_STACK", "  INTERP x\n  GNU_STACK"),
        ] {
            assert!(check_headers(&HEADERS.replace(from, to)).is_err(), "{to}");
        }
    }

    /// Six functions of which each calls the next, and what the last one does.
    fn front(last: &'static str) -> impl Fn(&str) -> Result<String> {
        move |function| {
            let number = function
                .trim_start_matches("_bashful_sandbox")
                .parse()
                .unwrap_or(0);
            let next = match number {
                6 => last.to_owned(),
                number => format!("call   e2 <_bashful_sandbox{}>", number + 1),
            };
            Ok(format!(
                "  e1:\tjne    e1 <{function}+0x1a>\n  e2:\t{next}\n  e3:\tret\n"
            ))
        }
    }

    #[test]
    fn a_front_that_needs_the_c_library_is_told() {
        check_front(front("jmp    e3 <_start>")).unwrap();
        for last in [
            "call   e4 <memcpy>",
            "call   e4 <*ABS*+0xec0a40@plt>",
            "call   *0x8(%rax)",
        ] {
            assert!(check_front(front(last)).is_err(), "{last}");
        }
    }
}
