//! What came of the lines: the table that is printed, and the bars.

use std::fmt::Write;

use super::line::{Expected, Line};

/// What came of one line.
#[derive(Debug)]
pub(super) enum Came {
    /// It worked at once.
    Worked,
    /// It worked after this.
    After(String),
    /// It did not work, though something was said to do.
    Failed(String),
    /// It did not work, and nothing was said that helps.
    Silent(String),
    /// It was not tried, for this reason.
    NotTried(String),
}

pub(super) struct Row {
    line: Line,
    came: Came,
}

impl Row {
    pub(super) fn new(line: &Line, came: Came) -> Self {
        let line = line.clone();
        Self { line, came }
    }

    fn is_as_expected(&self) -> bool {
        match self.came {
            Came::Worked | Came::NotTried(_) => true,
            Came::After(_) => self.line.expected != Expected::Works,
            Came::Failed(_) | Came::Silent(_) => self.line.expected == Expected::Open,
        }
    }
}

struct Counts {
    tried: usize,
    worked: usize,
    after: usize,
    silent: usize,
    not_tried: usize,
}

impl Counts {
    fn of<'a>(rows: &(impl Iterator<Item = &'a Row> + Clone)) -> Self {
        let count =
            |is_meant: fn(&Came) -> bool| rows.clone().filter(|row| is_meant(&row.came)).count();
        let not_tried = count(|came| matches!(came, Came::NotTried(_)));
        Self {
            tried: rows.clone().count() - not_tried,
            worked: count(|came| matches!(came, Came::Worked)),
            after: count(|came| matches!(came, Came::After(_))),
            silent: count(|came| matches!(came, Came::Silent(_))),
            not_tried,
        }
    }

    fn percent(&self, count: usize) -> usize {
        100 * count / self.tried.max(1)
    }

    fn line(&self, name: &str) -> String {
        format!(
            "{name:12} {:4} tried  {:4} at once ({:3} %)  {:3} after one step ({:3} %)  {:2} not, {} of them in silence; {} not tried\n",
            self.tried,
            self.worked,
            self.percent(self.worked),
            self.after,
            self.percent(self.worked + self.after),
            self.tried - self.worked - self.after,
            self.silent,
            self.not_tried,
        )
    }
}

/// The table for a reader.
pub(super) fn of(rows: &[Row]) -> String {
    let mut projects: Vec<&str> = rows.iter().map(|row| row.line.project.as_str()).collect();
    projects.sort_unstable();
    projects.dedup();
    let mut text = String::new();
    for row in rows {
        let name = format!(
            "{}: {}",
            row.line.project,
            row.line.text.replace('\n', "\n    ")
        );
        let _ = match &row.came {
            Came::Worked if row.line.expected == Expected::Open => {
                writeln!(text, "works now, no longer open: {name}")
            }
            Came::Worked => Ok(()),
            Came::After(step) => writeln!(text, "after {step}: {name}"),
            Came::Failed(said) => writeln!(text, "NOT: {name}\n  {said}"),
            Came::Silent(said) => writeln!(text, "NOT, and nothing said: {name}\n  {said}"),
            Came::NotTried(why) => writeln!(text, "not tried, {why}: {name}"),
        };
    }
    for project in projects {
        let own = rows.iter().filter(|row| row.line.project == project);
        text.push_str(&Counts::of(&own).line(project));
    }
    text.push_str(&Counts::of(&rows.iter()).line("all"));
    text
}

/// What is below the bars. The whole table is held to its shares, a slice to each of its lines.
pub(super) fn bars(rows: &[Row], is_whole: bool) -> Vec<String> {
    let counts = Counts::of(&rows.iter());
    let mut wrong = Vec::new();
    if is_whole {
        if counts.percent(counts.worked) < 90 {
            wrong.push("fewer than 90 % work at once".to_owned());
        }
        if counts.percent(counts.worked + counts.after) < 98 {
            wrong.push("fewer than 98 % work after one step".to_owned());
        }
        if counts.silent > 0 {
            wrong.push("a failure says nothing of what to do".to_owned());
        }
        return wrong;
    }
    let other = rows.iter().filter(|row| !row.is_as_expected());
    wrong.extend(
        other.map(|row| format!("{}: {}: {:?}", row.line.project, row.line.text, row.came)),
    );
    wrong
}
