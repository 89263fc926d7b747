//! The clients that are set up, as rows of a diagnosis.

use bashful_engine::{Finding, FindingState};

use crate::clients::{ClientStanding, ShellState, UserEnvironment, all, standing};

/// A row for each client that is found here; none where we cannot tell where to look.
pub(super) fn findings() -> Vec<Finding> {
    let Ok(user) = UserEnvironment::here() else {
        return Vec::new();
    };
    all()
        .map(|client| standing(client, &user))
        .filter(|client| client.is_found() || !client.entries.is_empty())
        .map(|client| finding(&client))
        .collect()
}

fn finding(client: &ClientStanding) -> Finding {
    let told = |state, words: &str| {
        Finding::new(client.name, state, format!("{} {words}", client.title))
            .mended_by(client.next())
    };
    if let Some(problem) = client.problems.first() {
        return told(
            FindingState::Weak,
            &format!("has a file that cannot be understood: {problem}"),
        );
    }
    let Some(entry) = client.entries.first() else {
        return told(FindingState::Weak, "does not start Bashful");
    };
    if !client.entries.iter().any(|entry| entry.runs) {
        let command = &entry.command;
        return told(
            FindingState::Weak,
            &format!("is set to start `{command}`, which does not exist"),
        );
    }
    match client.shell {
        ShellState::Off => told(FindingState::Ok, "starts Bashful; its own shell is off"),
        ShellState::Hooked => told(
            FindingState::Ok,
            "starts Bashful; its own shell goes through Bashful",
        ),
        ShellState::Asks => told(
            FindingState::Ok,
            "starts Bashful; its own shell asks a person each time",
        ),
        ShellState::On => told(
            FindingState::Weak,
            "starts Bashful, but its own shell is on: what it runs there is not confined",
        ),
        ShellState::Unknown => told(
            FindingState::Weak,
            "starts Bashful; Bashful cannot tell whether its own shell is off",
        ),
    }
}
