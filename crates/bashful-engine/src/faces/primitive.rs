//! The small face: `bash(&ctx, command, options)` and little else.
//!
//! ```standalone_crate
//! use bashful_engine::primitive::{BashOptions, PrimitiveContext, bash};
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     bashful_engine::init();
//!     # let temporary = tempfile::tempdir()?;
//!     # let places = bashful_engine::Places::under(temporary.path());
//!     # let engine = bashful_engine::Engine::builder().places(places).build()?;
//!
//!     let ctx = PrimitiveContext::new("/tmp");
//!     # let ctx = ctx.with_engine(engine);
//!     let options = BashOptions::new().env("NAME", "world");
//!     let result = bash(&ctx, "echo hello $NAME", Some(options)).await?;
//!     assert_eq!(result.stdout, "hello world\n");
//!     Ok(())
//! }
//! ```

use std::sync::OnceLock;

use bashful_policy::{CommandValidator, ValidationError};
use tracing::Instrument;

use crate::config::{Config, HomeMode, Keep};
use crate::engine::{Engine, Started};
use crate::model::error::InvalidInvocation;
use crate::model::output::OutputLimit;
use crate::request::invocation::{Action, Inherit, Invocation, Timeout};

mod context;
mod options;
mod result;

pub use context::PrimitiveContext;
pub use options::BashOptions;
pub use result::{BashResult, Metadata, PrimitiveError, PrimitiveResult};

/// The name of this primitive in results.
const PRIMITIVE: &str = "bash";

/// Runs bash text in the context's working directory.
///
/// A command that fails is a result, not an error. Dropping the future ends the
/// command and everything it started.
pub async fn bash(
    ctx: &PrimitiveContext,
    command: &str,
    options: Option<BashOptions>,
) -> PrimitiveResult<BashResult> {
    let options = options.unwrap_or_default();
    let operation_id = ctx.next_operation_id();
    let span = tracing::info_span!("bash", command, operation_id);
    run(ctx, command, options, operation_id)
        .instrument(span)
        .await
}

/// Runs bash text and makes anything but exit code 0 an error that carries stderr.
pub async fn bash_success(
    ctx: &PrimitiveContext,
    command: &str,
    options: Option<BashOptions>,
) -> PrimitiveResult<BashResult> {
    let result = bash(ctx, command, options).await?;
    if result.success() {
        return Ok(result);
    }
    let message = if result.timed_out {
        format!("timed out\n{}", result.stderr)
    } else {
        result.stderr
    };
    Err(PrimitiveError::CommandFailed {
        exit_code: result.exit_code,
        message,
    })
}

/// Runs commands one after the other until one fails; the failed one is the last
/// of the results.
pub async fn bash_sequence<C: AsRef<str>>(
    ctx: &PrimitiveContext,
    commands: &[C],
    options: Option<BashOptions>,
) -> PrimitiveResult<Vec<BashResult>> {
    let mut results = Vec::with_capacity(commands.len());
    for command in commands {
        let result = bash(ctx, command.as_ref(), options.clone()).await?;
        let failed = !result.success();
        results.push(result);
        if failed {
            break;
        }
    }
    Ok(results)
}

async fn run(
    ctx: &PrimitiveContext,
    command: &str,
    options: BashOptions,
    operation_id: String,
) -> PrimitiveResult<BashResult> {
    let engine = ctx.engine().cloned().map_or_else(shared_engine, Ok);
    let invocation = match prepare(ctx, command, options, &operation_id) {
        Ok(invocation) => invocation,
        Err(error) => {
            if let Ok(engine) = &engine {
                record(engine, command, &error);
            }
            return Err(error);
        }
    };
    let result = match engine?.start(invocation)? {
        Started::Running(run) => run.wait().await?,
        Started::NotAllowed(result) => *result,
    };
    BashResult::from_execution(result, operation_id)
}

/// What is refused here goes on record like everything that the engine refuses.
fn record(engine: &Engine, command: &str, error: &PrimitiveError) {
    let action = Action::Bash(command.to_owned()).beginning();
    let rule = match error {
        PrimitiveError::Blocked(decision) => decision.rule.as_str(),
        _ => "invalid-request",
    };
    engine.record_refusal_by(rule, &format!("tool:bash:{action}"), error);
}

/// What the engine is asked for, unless the command or its directory is refused.
fn prepare(
    ctx: &PrimitiveContext,
    command: &str,
    options: BashOptions,
    operation_id: &str,
) -> PrimitiveResult<Invocation> {
    CommandValidator::new(&options.blocked)
        .validate(command)
        .map_err(|error| match error {
            ValidationError::Refused(decision) => PrimitiveError::Blocked(decision),
            ValidationError::Empty => invalid(InvalidInvocation::Empty),
            ValidationError::NulByte => invalid(InvalidInvocation::NulByte),
            ValidationError::TooLong { length, limit } => {
                invalid(InvalidInvocation::TooLong { length, limit })
            }
            other => PrimitiveError::InvalidCommand(other),
        })?;
    let directory = match &options.working_dir {
        None => ctx.working_dir().to_owned(),
        Some(asked) => {
            let path = ctx.resolve_path(asked);
            if !path.is_dir() {
                let role = "working directory";
                return Err(invalid(if path.exists() {
                    InvalidInvocation::NotADirectory { role, path }
                } else {
                    InvalidInvocation::MissingDirectory { role, path }
                }));
            }
            if !ctx.is_path_allowed(&path) {
                return Err(PrimitiveError::PathNotAllowed { path });
            }
            path
        }
    };
    let mut invocation = Invocation::bash(command)
        .workspace(directory)
        .operation_id(operation_id)
        // Programs that call this find there what a command left.
        .usual_home(HomeMode::Workspace)
        .output(OutputLimit::bytes(Keep::Head, options.max_output))
        .timeout(options.timeout.map_or(Timeout::Never, Timeout::After));
    if options.clear_env {
        invocation = invocation.inherit(Inherit::Nothing);
    }
    if options.startup_variables {
        invocation = invocation.allow_startup_variables();
    }
    for (name, value) in options.variables {
        invocation = invocation.variable(name, value);
    }
    Ok(invocation)
}

fn invalid(error: InvalidInvocation) -> PrimitiveError {
    PrimitiveError::Engine(error.into())
}

/// The engine of contexts that bring none: one for the whole process.
fn shared_engine() -> PrimitiveResult<Engine> {
    static SHARED: OnceLock<Engine> = OnceLock::new();
    if let Some(engine) = SHARED.get() {
        return Ok(engine.clone());
    }
    let mut config = Config::default();
    // A program may wait as long as it likes.
    config.limits.max_timeout = std::time::Duration::MAX;
    let engine = Engine::builder().agent("library").config(config).build()?;
    Ok(SHARED.get_or_init(|| engine).clone())
}
