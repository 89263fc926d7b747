//! `bashful`: the shell that asks first.

#![cfg_attr(not(test), no_main)]

mod cli;
mod clients;
mod commands;
mod early;
mod errors;
mod exit;
mod printer;
mod prompt;
mod view;

use std::ffi::OsString;

#[cfg(not(test))]
bashful_engine::main_is!(program);

/// The whole program; returns the code to exit with.
#[cfg_attr(test, expect(dead_code, reason = "tests have a `main` of their own"))]
fn program() -> u8 {
    // First of all: this same executable serves as keeper, and as resident engine.
    bashful_engine::init();
    bashful_engine::serve_as_resident_if_asked(answer, cli::Cli::get_ready)
        .unwrap_or_else(|| answer(std::env::args_os().collect()))
}

/// Answers one call, for this process or for a front that handed it over.
fn answer(arguments: Vec<OsString>) -> u8 {
    // First, so that it gets ready while we read our arguments.
    let keeper = early::keeper(&arguments);
    let cli = match cli::Cli::read(arguments) {
        Ok(cli) => cli,
        Err(error) => return errors::report_usage(error).code(),
    };
    let printer = printer::Printer::new(cli.color.into());
    let outcome = match &cli.command {
        cli::Command::Run(arguments) => commands::run::run(arguments, keeper, &printer),
        cli::Command::Explain(arguments) => commands::explain::explain(arguments, &printer),
        cli::Command::Doctor(arguments) => commands::doctor::doctor(arguments, &printer),
        cli::Command::Status(arguments) => commands::status::status(arguments, &printer),
        cli::Command::Stop(arguments) => commands::stop::stop(arguments, &printer),
        cli::Command::Tasks(arguments) => commands::tasks::tasks(arguments, &printer),
        cli::Command::Logs(arguments) => commands::logs::logs(arguments, &printer),
        cli::Command::Wait(arguments) => commands::wait::wait(arguments, &printer),
        cli::Command::Kill(arguments) => commands::kill::kill(arguments, &printer),
        cli::Command::Config(arguments) => commands::config::config(arguments, &printer),
        cli::Command::Policy(arguments) => commands::policy::policy(arguments, &printer),
        cli::Command::Approvals(arguments) => commands::approvals::approvals(arguments, &printer),
        cli::Command::Grants(arguments) => commands::grants::grants(arguments, &printer),
        cli::Command::Shells(arguments) => commands::shells::shells(arguments, &printer),
        cli::Command::Scripts(arguments) => commands::scripts::scripts(arguments, &printer),
        cli::Command::Action(arguments) => commands::action::action(arguments, &printer),
        cli::Command::Audit(arguments) => commands::audit::audit(arguments, &printer),
        cli::Command::Tools(arguments) => commands::tools::tools(arguments, &printer),
        cli::Command::Mcp(arguments) => commands::mcp::mcp(arguments, &printer),
        cli::Command::Send(arguments) => commands::send::send(arguments, &printer),
        cli::Command::Attach(arguments) => commands::attach::attach(arguments, &printer),
        cli::Command::Hook(arguments) => Ok(commands::hook::hook(arguments, &printer)),
        cli::Command::Cache(arguments) => commands::cache::cache(arguments, &printer),
        cli::Command::Uninstall(arguments) => commands::uninstall::uninstall(arguments, &printer),
        cli::Command::Completions(arguments) => {
            commands::completions::completions(arguments, &printer)
        }
    };
    let exit =
        outcome.unwrap_or_else(|error| errors::report(&error, cli.command.wants_json(), &printer));
    exit.code()
}
