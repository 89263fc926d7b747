//! Taking back our own pages after a fork.
//!
//! A fork leaves parent and child with the same pages, and the first write to each costs
//! a fault. A process that forks while it has nothing else to do takes these faults then,
//! and not in the middle of the next run.

use std::ffi::c_void;
use std::fs;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::OnceLock;

/// Larger mappings are buffers that are rarely written whole.
const MOST_BYTES: usize = 1 << 20;

/// Where our code and constants were in use: a place in each window.
static IN_USE: OnceLock<Vec<usize>> = OnceLock::new();

/// What the kernel makes available at the first use of a page of a file: the pages round it.
const WINDOW: usize = 64 << 10;

/// Makes our private, writable pages our own again. That it cannot be done is no matter.
pub(crate) fn take_back_pages() {
    let Ok(maps) = fs::read_to_string("/proc/self/maps") else {
        return;
    };
    take_back(&maps);
}

/// Notes which parts of our code and constants are in use now, for processes that we fork later. A
/// fork has none of them in its tables, and would find each at its first use.
pub fn note_pages_in_use() {
    let Ok(maps) = fs::read_to_string("/proc/self/maps") else {
        return;
    };
    // Those of the kernel's own have no file, and not all of them can be read.
    let files: Vec<&str> = maps.lines().filter(|line| line.contains('/')).collect();
    let all = ["r-xp", "r--p"].map(|kind| files.iter().filter_map(move |line| mapping(line, kind)));
    let in_use = all.into_iter().flatten();
    let in_use = in_use.flat_map(|(start, length)| in_use_of(start, length).unwrap_or_default());
    IN_USE.get_or_init(|| in_use.collect());
}

/// A place in each window of a mapping that is in use.
fn in_use_of(start: usize, length: usize) -> io::Result<Vec<usize>> {
    let page = rustix::param::page_size();
    let mut states = vec![0; length / page * size_of::<u64>()];
    let place = (start / page * size_of::<u64>()) as u64;
    fs::File::open("/proc/self/pagemap")?.read_exact_at(&mut states, place)?;
    let states = states.chunks_exact(size_of::<u64>()).enumerate();
    // The highest bit: it is there.
    let there = states.filter(|(_, state)| state.last().is_some_and(|byte| byte >> 7 == 1));
    let mut places: Vec<usize> = there.map(|(index, _)| start + index * page).collect();
    places.dedup_by_key(|place| *place / WINDOW);
    Ok(places)
}

/// Makes our pages our own, and has those at hand that were in use when that was noted.
pub(super) fn settle_in() {
    take_back_pages();
    for place in IN_USE.get().into_iter().flatten() {
        let place = std::ptr::without_provenance::<u8>(*place);
        // One page is looked at; those round it come along.
        // SAFETY: it is in a file that we are made of, readable, and mapped for as long as we live.
        unsafe { std::ptr::read_volatile(place) };
    }
}

fn take_back(maps: &str) {
    for (start, length) in mappings(maps, "rw-p") {
        if length <= MOST_BYTES {
            populate(start, length, libc::MADV_POPULATE_WRITE);
        }
    }
}

fn populate(start: usize, length: usize, how: libc::c_int) {
    let address = std::ptr::without_provenance_mut::<c_void>(start);
    // SAFETY: populating pages changes no content; the kernel checks the range.
    unsafe { libc::madvise(address, length, how) };
}

/// The start and length of each mapping of this kind.
fn mappings(maps: &str, kind: &str) -> impl Iterator<Item = (usize, usize)> {
    maps.lines().filter_map(move |line| mapping(line, kind))
}

fn mapping(line: &str, kind: &str) -> Option<(usize, usize)> {
    let mut fields = line.split_ascii_whitespace();
    let (start, end) = fields.next()?.split_once('-')?;
    if fields.next()? != kind {
        return None;
    }
    let number = |text: &str| usize::from_str_radix(text, 16).ok();
    let (start, end) = (number(start)?, number(end)?);
    Some((start, end.checked_sub(start)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_private_writable_mappings_count() {
        let heap = "55d0-75d0 rw-p 00000000 00:00 0   [heap]";
        assert_eq!(mapping(heap, "rw-p"), Some((0x55d0, 0x2000)));
        for line in [
            "55d0-75d0 r--p 00000000 00:00 0",
            "55d0-75d0 rw-s 00000000 00:00 0",
            "nonsense",
            "",
        ] {
            assert_eq!(mapping(line, "rw-p"), None, "{line}");
        }
    }

    #[test]
    fn nothing_is_changed() {
        let kept: Vec<u8> = (0..=255).cycle().take(100_000).collect();
        note_pages_in_use();
        take_back_pages();
        settle_in();
        assert!(IN_USE.get().is_some_and(|pages| !pages.is_empty()));
        assert!(
            kept.iter()
                .zip((0..=255).cycle())
                .all(|(is, was)| *is == was)
        );
    }
}
