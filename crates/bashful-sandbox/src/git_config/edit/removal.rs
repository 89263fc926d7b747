//! Taking entries out of a text, and the headers that they leave alone.

use std::collections::BTreeSet;

use super::Edit;
use crate::git_config::syntax::is_space;

impl Edit<'_> {
    /// The ranges to take out: entries, and headers that have nothing left below them.
    pub(super) fn removals(&self) -> Vec<(usize, usize, Vec<u8>)> {
        let mut ranges = Vec::new();
        let mut losing = BTreeSet::new();
        for index in &self.removed {
            let Some(entry) = self.document.entries.get(*index) else {
                continue;
            };
            losing.extend(entry.header);
            let range = match self.line_start(entry.start) {
                Some(start) => (start, entry.end),
                None => (entry.start, entry.body_end),
            };
            ranges.push(range);
        }
        let mut emptied = self.emptied(&losing);
        ranges.retain(|range| {
            let index = emptied.partition_point(|other| other.0 <= range.0);
            let outer = index.checked_sub(1).and_then(|index| emptied.get(index));
            outer.is_none_or(|outer| range.0 >= outer.1)
        });
        ranges.append(&mut emptied);
        ranges
            .into_iter()
            .map(|(start, end)| (start, end, Vec::new()))
            .collect()
    }

    /// The ranges of sections, of those that lose entries, that hold nothing afterwards.
    fn emptied(&self, losing: &BTreeSet<usize>) -> Vec<(usize, usize)> {
        let mut ranges = Vec::new();
        let mut entries = self.document.entries.iter().enumerate().peekable();
        for (index, header) in self.document.headers.iter().enumerate() {
            let next = self.document.headers.get(index + 1);
            let section_end = next.map_or(self.text.len(), |next| next.start);
            let mut empty = losing.contains(&index) && !self.grown.contains(&index);
            let mut position = header.end;
            while let Some((number, entry)) =
                entries.next_if(|(_, entry)| entry.header <= Some(index))
            {
                if entry.header == Some(index) {
                    empty = empty
                        && self.removed.contains(&number)
                        && self.is_blank(position, entry.start);
                    position = entry.end;
                }
            }
            if empty && self.is_blank(position, section_end) {
                let start = self.line_start(header.start).unwrap_or(header.start);
                ranges.push((start, position));
            }
        }
        ranges
    }

    fn is_blank(&self, start: usize, end: usize) -> bool {
        let range = self.text.get(start..end).unwrap_or_default();
        range.iter().all(|byte| is_space(*byte))
    }

    /// The beginning of the line if there is only blank space before this position.
    fn line_start(&self, position: usize) -> Option<usize> {
        let before = self.text.get(..position).unwrap_or_default();
        let blank = before.iter().rev().take_while(|b| b" \t".contains(b));
        let start = position - blank.count();
        let at_line = start == 0 || self.text.get(start - 1) == Some(&b'\n');
        at_line.then_some(start)
    }
}
