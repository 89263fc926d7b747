//! Rule: the policy crate sees no file, no environment, no process, no network and no clock.

use super::Finding;
use super::source::{Source, line_of, modules_behind, occurrences};

const PURE: &str = "bashful-policy";
const BANNED: &[&str] = &["env", "fs", "net", "os", "process", "time"];

pub(super) fn check(source: &Source) -> Vec<Finding> {
    if source.shipped_crate() != Some(PURE) {
        return Vec::new();
    }
    let code = &source.shipped;
    let used = occurrences(code, "std::").into_iter().flat_map(|offset| {
        let modules = modules_behind(code, offset + "std::".len());
        modules.into_iter().map(move |module| (offset, module))
    });
    used.filter(|(_, module)| BANNED.contains(module))
        .map(|(offset, module)| {
            let message = format!("`{PURE}` decides without `std::{module}`");
            source.finding("purity", line_of(code, offset), message)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_banned_modules_alone_and_in_lists() {
        let text = "use std::fmt;\nuse std::fs::File;\nuse std::{collections::{env, BTreeMap}, \
                    time::Instant};\nlet x = std::env::var(\"A\"); // std::net\n\
                    #[cfg(test)]\nmod tests { use std::fs; }\nuse core::time::Duration;\n";
        let lines = |path: &str| -> Vec<usize> {
            let findings = check(&Source::new(path, text));
            findings.iter().map(|finding| finding.line).collect()
        };
        assert_eq!(lines("crates/bashful-policy/src/lib.rs"), [2, 3, 4]);
        assert_eq!(
            lines("crates/bashful-engine/src/lib.rs"),
            Vec::<usize>::new()
        );
    }
}
