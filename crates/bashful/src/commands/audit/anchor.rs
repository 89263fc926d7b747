//! `bashful audit anchor`: the end of the trail, kept elsewhere.

use bashful_engine::audit::{AnchorError, Place, Trail};

use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::visible;

pub(super) fn anchor(
    trail: &Trail,
    places: &[Place],
    json: bool,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    if places.is_empty() {
        let message = "no place for the anchor is named: give --file, --journald or --command, \
                       or set `audit.anchors` in the configuration";
        return Err(UsageError(message.to_owned()).into());
    }
    let anchor = trail.anchor(places).map_err(|error| match error {
        AnchorError::Inside { .. } => anyhow::Error::new(UsageError(error.to_string())),
        error => error.into(),
    })?;
    if json {
        printer.json(&serde_json::to_value(&anchor)?)?;
        return Ok(Exit::Success);
    }
    let names: Vec<String> = places.iter().map(ToString::to_string).collect();
    let names = visible(&names.join(", "));
    let said = format!("Record {} is anchored in {names}.\n", anchor.seq);
    printer.data(said.as_bytes())?;
    Ok(Exit::Success)
}
