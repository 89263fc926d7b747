//! Fork bombs: functions that start more than one copy of themselves.

use super::{FORK_BOMB, Finding};
use crate::script::{Command, Function, Script};

/// The first function that calls itself at least twice, in a pipe or in the background. A function
/// that calls itself one after the other is ordinary recursion.
pub(super) fn check(script: &Script) -> Option<Finding> {
    let bomb = script
        .functions
        .iter()
        .find(|function| is_bomb(script, function))?;
    let fact = format!("{}() calls itself more than once at a time", bomb.name);
    Some(Finding {
        class: &FORK_BOMB,
        fact,
        span: bomb.span,
    })
}

fn is_bomb(script: &Script, function: &Function) -> bool {
    let calls = |command: &Command| {
        let mut views = command.views();
        views.any(|view| view.first().is_some_and(|word| word.text == function.name))
    };
    let body = script
        .commands
        .get(function.body.clone())
        .unwrap_or_default();
    let own: Vec<&Command> = body.iter().filter(|command| calls(command)).collect();
    if own.len() < 2 {
        return false;
    }
    // Pipelines are listed in the order in which they end, so the body's own stand together.
    let end = |stages: &Vec<usize>| stages.last().copied().unwrap_or_default();
    let first = script
        .pipelines
        .partition_point(|stages| end(stages) <= function.body.start);
    let inside = script.pipelines.iter().skip(first);
    let mut inside = inside.take_while(|stages| end(stages) <= function.body.end);
    let piped = inside.any(|stages| {
        let range = stages.first().copied().unwrap_or_default()..end(stages);
        let commands = script.commands.get(range).unwrap_or_default();
        commands.iter().filter(|command| calls(command)).count() > 1
    });
    piped || own.iter().any(|command| command.background)
}
