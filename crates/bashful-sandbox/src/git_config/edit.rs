//! Putting decided values into the host's text, leaving every other line as it is.

mod removal;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::decide::{Target, Wanted};
use super::syntax::{Document, Entry, Header, Name};
use super::write;

/// The host's text with the targets in it.
pub(super) fn apply(text: &[u8], document: &Document, targets: &[Target<'_>]) -> Vec<u8> {
    let mut entries_by_name: HashMap<Name<'_>, Vec<usize>> = HashMap::new();
    for (index, entry) in document.entries.iter().enumerate() {
        let list = entries_by_name.entry(document.name(entry)).or_default();
        list.push(index);
    }
    let mut edit = Edit::new(text, document);
    for target in targets {
        let existing = entries_by_name.get(&target.name);
        edit.target(target, existing.map(Vec::as_slice).unwrap_or_default());
    }
    edit.finish()
}

/// An edit in the making. Positions are those of the original text.
struct Edit<'a> {
    text: &'a [u8],
    document: &'a Document,
    line_end: &'static [u8],
    last_header: HashMap<&'a [u8], usize>,
    last_entry: Vec<Option<&'a Entry>>,
    /// Replaced ranges, with their new text.
    replaced: Vec<(usize, usize, Vec<u8>)>,
    /// Entries that are removed, by index.
    removed: BTreeSet<usize>,
    /// Lines that are added, by position.
    inserted: BTreeMap<usize, Vec<u8>>,
    /// Headers below which a line is added.
    grown: BTreeSet<usize>,
    /// Sections that are added, in order of appearance.
    sections: Vec<(&'a [u8], Vec<u8>)>,
    section_index: HashMap<&'a [u8], usize>,
}

impl<'a> Edit<'a> {
    fn new(text: &'a [u8], document: &'a Document) -> Self {
        let first_line_end = text.iter().position(|byte| *byte == b'\n');
        let carriage_return = first_line_end
            .and_then(|position| position.checked_sub(1))
            .is_some_and(|position| text.get(position) == Some(&b'\r'));
        let mut last_entry = vec![None; document.headers.len()];
        for entry in &document.entries {
            if let Some(slot) = entry.header.and_then(|index| last_entry.get_mut(index)) {
                *slot = Some(entry);
            }
        }
        let stems = document.headers.iter().enumerate();
        Self {
            text,
            document,
            line_end: if carriage_return { b"\r\n" } else { b"\n" },
            last_header: stems
                .map(|(index, header)| (header.stem.as_slice(), index))
                .collect(),
            last_entry,
            replaced: Vec::new(),
            removed: BTreeSet::new(),
            inserted: BTreeMap::new(),
            grown: BTreeSet::new(),
            sections: Vec::new(),
            section_index: HashMap::new(),
        }
    }

    /// Turns the values of one variable, found in the entries `existing`, into those of
    /// the target. What both have at the beginning and at the end is not touched.
    fn target(&mut self, target: &Target<'a>, existing: &[usize]) {
        let entries: Vec<_> = existing
            .iter()
            .filter_map(|index| Some((*index, self.document.entries.get(*index)?)))
            .collect();
        let is_same = |((_, entry), wanted): &(&(usize, &Entry), &Wanted<'_>)| {
            entry.value.as_deref() == wanted.value
        };
        let shorter = entries.len().min(target.values.len());
        let head = entries.iter().zip(&target.values);
        let head = head.take_while(is_same).count();
        let tail = entries.iter().rev().zip(target.values.iter().rev());
        let mut tail = tail.take(shorter - head).take_while(is_same).count();
        if head == 0 && shorter == tail && target.values.len() > entries.len() {
            // New values in front of all others have nothing to stand behind.
            tail = 0;
        }

        let mut old = entries.iter().take(entries.len() - tail).skip(head);
        let mut anchor = head.checked_sub(1).and_then(|index| entries.get(index));
        let new = target.values.iter().take(target.values.len() - tail);
        for wanted in new.skip(head) {
            if let Some(place) = old.next() {
                let mut assignment = Vec::new();
                write::assignment(&mut assignment, wanted.value);
                let (_, entry) = place;
                self.replaced
                    .push((entry.key_end, entry.body_end, assignment));
                anchor = Some(place);
            } else if let Some((_, entry)) = anchor {
                self.insert_line(entry.end, entry.header, wanted);
            } else {
                self.insert_in_section(target.name, wanted);
            }
        }
        self.removed.extend(old.map(|(index, _)| *index));
    }

    fn insert_in_section(&mut self, name: Name<'a>, wanted: &Wanted<'_>) {
        // Only variables in sections are ever decided on.
        let stem = name.stem.unwrap_or_default();
        if let Some(index) = self.last_header.get(stem).copied() {
            let last = self.last_entry.get(index).copied().flatten();
            let position = match (last, self.document.headers.get(index)) {
                (Some(entry), _) => entry.end,
                (None, Some(header)) => self.behind_line_of(header),
                (None, None) => self.text.len(),
            };
            self.insert_line(position, Some(index), wanted);
            return;
        }
        let index = *self.section_index.entry(stem).or_insert_with(|| {
            self.sections.push((stem, Vec::new()));
            self.sections.len() - 1
        });
        if let Some((_, lines)) = self.sections.get_mut(index) {
            write::line(lines, wanted, self.line_end);
        }
    }

    fn insert_line(&mut self, position: usize, header: Option<usize>, wanted: &Wanted<'_>) {
        self.grown.extend(header);
        let line_end = self.line_end;
        write::line(self.lines_at(position), wanted, line_end);
    }

    /// The lines that are added at a position, begun with what ends the line before them.
    fn lines_at(&mut self, position: usize) -> &mut Vec<u8> {
        let (text, line_end) = (self.text, self.line_end);
        let last = position.checked_sub(1).and_then(|index| text.get(index));
        let at_end = position == text.len();
        let open = last.is_some_and(|byte| *byte != b'\n');
        self.inserted.entry(position).or_insert_with(|| {
            let mut lines = Vec::new();
            if open || (at_end && self.document.ends_in_entry) {
                lines.extend_from_slice(line_end);
            }
            if at_end && last == Some(&b'\\') {
                // The first line end only ends a continued line.
                lines.extend_from_slice(line_end);
            }
            lines
        })
    }

    /// Behind the line of a header if nothing else is on it, else behind the header.
    fn behind_line_of(&self, header: &Header) -> usize {
        let rest = self.text.get(header.end..).unwrap_or_default();
        let blank = rest.iter().take_while(|byte| b" \t\r".contains(byte));
        let blank = blank.count();
        if rest.get(blank) == Some(&b'\n') {
            header.end + blank + 1
        } else {
            header.end
        }
    }

    fn finish(mut self) -> Vec<u8> {
        let sections = std::mem::take(&mut self.sections);
        for (stem, section_lines) in sections {
            let line_end = self.line_end;
            let lines = self.lines_at(self.text.len());
            write::header(lines, stem, line_end);
            lines.extend_from_slice(&section_lines);
        }
        let mut edits = self.removals();
        edits.append(&mut self.replaced);
        let inserted = std::mem::take(&mut self.inserted);
        edits.extend(
            inserted
                .into_iter()
                .map(|(position, lines)| (position, position, lines)),
        );
        // What is added at a position stands in front of what is removed from there.
        edits.sort_by_key(|(start, end, _)| (*start, *end));

        let mut out = Vec::with_capacity(self.text.len());
        let mut position = 0;
        for (start, end, replacement) in edits {
            out.extend_from_slice(self.text.get(position..start).unwrap_or_default());
            out.extend_from_slice(&replacement);
            position = position.max(end);
        }
        out.extend_from_slice(self.text.get(position..).unwrap_or_default());
        out
    }
}
