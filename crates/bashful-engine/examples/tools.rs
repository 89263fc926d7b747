//! The tools of agents inside a program of your own: describe them to a model, and make the calls
//! that it asks for.
//!
//! ```text
//! cargo run -p bashful-engine --example tools
//! cargo run -p bashful-engine --example tools -- task_list '{}'
//! ```
//!
//! A real program sends the descriptions to a model's API and gets calls back. This one makes a
//! call itself.

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::sync::Arc;

use bashful_engine::{CallContext, Dialect, Engine, Places, ToolRegistry};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    bashful_engine::init();
    let mut words = std::env::args().skip(1);
    let name = words.next().unwrap_or_else(|| "bash_run".to_owned());
    let usual = r#"{ "command": "echo hello from $PWD; exit 3", "description": "Say hello" }"#;
    let arguments = words.next().unwrap_or_else(|| usual.to_owned());

    let directory = tempfile::tempdir()?;
    // The agent and its workspace are yours to choose, never the model's.
    let engine = Engine::builder()
        .agent("example")
        .workspace(directory.path())
        .places(Places::under(directory.path()))
        .build()?;
    let registry = ToolRegistry::new(&engine);

    let described = ToolRegistry::describe(Dialect::Anthropic);
    println!(
        "what the model's API is told: {} bytes",
        described.to_string().len()
    );

    let mut context = CallContext::default();
    context.on_output = Some(Arc::new(|bytes| {
        print!("while it runs: {}", String::from_utf8_lossy(bytes));
    }));
    // In an async program: `registry.call(…).await`, and dropping the future ends the command.
    let answer = registry.call_and_wait(&name, serde_json::from_str(&arguments)?, context)?;
    println!("what the model reads:\n{}", answer.text);
    println!("an error to the model: {}", answer.is_error);
    println!("for programs: {}", answer.json);
    Ok(())
}
