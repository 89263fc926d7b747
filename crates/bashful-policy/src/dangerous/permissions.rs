//! Opening a whole tree to every user.

use super::{Finding, PERMISSIONS_WIDE, View};
use crate::options::{self, Valued};
use crate::paths::{self, Reach};

pub(super) fn check(view: &View) -> Option<Finding> {
    let arguments = view.arguments();
    let changes = matches!(view.name, "chmod" | "chown" | "chgrp");
    if !changes || !options::has_flag(arguments, 'R', "recursive") {
        return None;
    }
    let operands = options::operands(arguments, &Valued::NONE);
    let (mode, paths) = operands.split_first()?;
    let wide = view.name == "chmod" && mode.text.split(',').any(is_wide);
    let system = paths
        .iter()
        .any(|word| paths::reach(word, view.directory()) == Some(Reach::Root));
    (wide || system).then(|| view.finding(&PERMISSIONS_WIDE))
}

/// Whether a mode gives everybody every right: `777`, `a+rwx`, `ugo=rwx`.
fn is_wide(mode: &str) -> bool {
    let octal = mode.trim_start_matches('=');
    if let Ok(bits) = u32::from_str_radix(octal, 8) {
        return bits & 0o777 == 0o777;
    }
    let Some((who, rights)) = mode.split_once(['+', '=']) else {
        return false;
    };
    let has = |text: &str, letters: &str| letters.chars().all(|letter| text.contains(letter));
    let everybody = who.is_empty() || who.contains('a') || has(who, "ugo");
    everybody && has(rights, "rw") && rights.contains(['x', 'X'])
}
