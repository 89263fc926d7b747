//! The versions of a script: listing and comparing them.

use bashful_engine::scripts::Scripts;
use serde_json::json;

use crate::printer::Printer;
use crate::prompt::now_ms;
use crate::view::{Difference, short_hash, show_diff, show_versions};

pub(super) fn history(
    scripts: &Scripts<'_>,
    which: &str,
    as_json: bool,
    printer: &Printer,
) -> anyhow::Result<()> {
    let versions = scripts.history(which)?;
    if as_json {
        printer.json(&json!({ "v": 1, "versions": versions }))?;
        return Ok(());
    }
    let mut out = Vec::new();
    show_versions(&versions, now_ms(), printer.data_style(), &mut out);
    printer.data(&out)?;
    Ok(())
}

pub(super) fn diff(
    scripts: &Scripts<'_>,
    which: &str,
    (before, after): (Option<&str>, Option<&str>),
    as_json: bool,
    printer: &Printer,
) -> anyhow::Result<()> {
    let two = scripts.diff(which, before, after)?;
    if as_json {
        let mut told = serde_json::to_value(&two)?;
        told["v"] = 1.into();
        printer.json(&told)?;
        return Ok(());
    }
    if two.old == two.new {
        let words = format!(
            "Versions {} and {} are the same.\n",
            two.before.number, two.after.number
        );
        printer.data(words.as_bytes())?;
        return Ok(());
    }
    let title = format!(
        "version {} ({}) to {} ({})",
        two.before.number,
        short_hash(&two.before.content_hash),
        two.after.number,
        short_hash(&two.after.content_hash)
    );
    let difference = Difference {
        path: &title,
        before: Some(&two.old),
        after: Some(&two.new),
    };
    let mut out = Vec::new();
    show_diff(&difference, printer.data_style(), &mut out);
    printer.data(&out)?;
    Ok(())
}
