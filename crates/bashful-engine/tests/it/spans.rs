//! A span for each call, with nothing in it that must not be shown.

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};

use bashful_engine::Invocation;
use bashful_engine::primitive::{BashOptions, bash};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::support::House;

/// Writes down everything that it is told.
#[derive(Clone, Default)]
struct Everything(Arc<Mutex<String>>);

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl Everything {
    fn line(&self, what: &str, visit: impl FnOnce(&mut Fields<'_>)) {
        let mut text = self.0.lock().unwrap();
        text.push_str(what);
        visit(&mut Fields(&mut text));
        text.push('\n');
    }

    fn text(&self) -> String {
        self.0.lock().unwrap().clone()
    }
}

impl Subscriber for Everything {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.line(&format!("span {}", span.metadata().name()), |fields| {
            span.record(fields);
        });
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        self.line("record", |fields| values.record(fields));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.line("event", |fields| event.record(fields));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// All that a subscriber on this thread hears of a piece of work.
fn heard(work: impl Future<Output = ()>) -> String {
    let everything = Everything::default();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    tracing::subscriber::with_default(everything.clone(), || runtime.block_on(work));
    everything.text()
}

#[test]
fn a_call_is_a_span_with_command_and_operation_id() {
    let house = House::new();
    let ctx = house.context().with_operation_id("op-77");
    let text = heard(async {
        let options = BashOptions::new().env("INJECTED", "value-of-injected");
        let command = "printf '%s' prin; echo ted; echo \"$INJECTED\" >&2";
        let result = bash(&ctx, command, Some(options)).await.unwrap();
        assert_eq!(result.stdout, "printed\n");
        assert_eq!(result.stderr, "value-of-injected\n");
    });
    let span = text.lines().find(|line| line.starts_with("span bash "));
    let span = span.unwrap_or_else(|| panic!("no span in {text}"));
    assert!(span.contains("command=") && span.contains("echo ted"));
    assert!(span.contains("operation_id=") && span.contains("op-77"));
    for absent in ["printed", "value-of-injected"] {
        assert!(!text.contains(absent), "`{absent}` is in {text}");
    }
}

#[test]
fn each_call_without_a_name_has_an_operation_id_of_its_own() {
    let house = House::new();
    let ctx = house.context();
    let mut id = String::new();
    let text = heard(async {
        id = bash(&ctx, "true", None)
            .await
            .unwrap()
            .metadata
            .operation_id;
    });
    assert!(text.contains(&id), "{id} is not in {text}");
}

#[test]
fn a_run_of_the_engine_is_a_span_without_environment_and_output() {
    let house = House::new();
    let mut environment = house.environment();
    environment.insert("PLANTED_API_KEY".into(), "planted-secret-value".into());
    environment.insert("USER".into(), "name-of-the-user".into());
    let engine = house.builder().environment(environment).build().unwrap();
    let text = heard(async {
        let invocation = Invocation::bash("printf '%s' prin; echo ted; echo $USER")
            .operation_id("op-78")
            .variable("INJECTED", "value-of-injected");
        let result = engine.run(invocation).await.unwrap();
        assert_eq!(result.stdout, "printed\nname-of-the-user\n");
    });
    let span = text.lines().find(|line| line.starts_with("span run "));
    let span = span.unwrap_or_else(|| panic!("no span in {text}"));
    assert!(span.contains("echo ted") && span.contains("op-78"));
    for absent in [
        "printed",
        "value-of-injected",
        "planted-secret-value",
        "name-of-the-user",
    ] {
        assert!(!text.contains(absent), "`{absent}` is in {text}");
    }
}
