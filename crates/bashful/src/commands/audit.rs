//! `bashful audit`: the record of what was asked, decided and run.

use bashful_engine::audit::{Place, Trail, UnknownPlace};
use bashful_engine::bring_up_to_date;

use super::place::here;
use crate::cli::{AnchorPlaces, AuditArguments, AuditCommand};
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;

mod anchor;
mod commands;
mod export;
mod list;
mod select;
mod show;
mod tail;
mod verify;
mod words;

/// A trail that was tampered with, or a record that is not there.
const NOT_WELL: Exit = Exit::Command(1);

pub(crate) fn audit(arguments: &AuditArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let state = super::places()?.state;
    let trail = Trail::at(&state);
    if !matches!(
        arguments.what,
        AuditCommand::Verify(_) | AuditCommand::Anchor { .. }
    ) {
        // What can be read can be read without them; what is wrong with the rest is told there.
        let _ = bring_up_to_date(&state);
    }
    match &arguments.what {
        AuditCommand::List {
            filter,
            event,
            limit,
            json,
        } => {
            let wanted = list::Wanted {
                filter,
                event: event.as_deref(),
                limit: *limit,
            };
            list::list(&trail, &wanted, *json, printer)
        }
        AuditCommand::Show { which, json } => show::show(&trail, which, *json, printer),
        AuditCommand::Tail {
            lines,
            follow,
            json,
        } => {
            let wanted = tail::Wanted {
                lines: *lines,
                follow: *follow,
            };
            tail::tail(&trail, wanted, *json, printer)
        }
        AuditCommand::Commands { filter, json } => {
            commands::commands(&trail, filter, *json, printer)
        }
        AuditCommand::Export {
            since,
            format,
            output,
        } => export::export(&trail, *since, *format, output.as_deref(), printer),
        AuditCommand::Verify(arguments) => {
            let places = if arguments.unanchored {
                Vec::new()
            } else {
                named_or_configured(&arguments.places, printer)?
            };
            verify::verify(&trail, &places, arguments.json, printer)
        }
        AuditCommand::Anchor { places, json } => {
            let places = named_or_configured(places, printer)?;
            anchor::anchor(&trail, &places, *json, printer)
        }
    }
}

/// The places that the flags name; if they name none, those of the configuration.
fn named_or_configured(places: &AnchorPlaces, printer: &Printer) -> anyhow::Result<Vec<Place>> {
    let named = places.named();
    if !named.is_empty() {
        return Ok(named);
    }
    let loaded = super::load_config(&here()?, printer)?;
    let configured = loaded.config.audit.anchors.iter();
    let places = configured.map(|place| place.parse());
    let places = places.collect::<Result<_, UnknownPlace>>();
    Ok(places.map_err(|error| UsageError(error.to_string()))?)
}
