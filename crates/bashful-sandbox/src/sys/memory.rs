//! Taking back our own pages after a fork.
//!
//! A fork leaves parent and child with the same pages, and the first write to each costs
//! a fault. A process that forks while it has nothing else to do takes these faults then,
//! and not in the middle of the next run.

use std::ffi::c_void;
use std::fs;

/// Larger mappings are buffers that are rarely written whole.
const MOST_BYTES: usize = 1 << 20;

/// Makes our private, writable pages our own again. That it cannot be done is no matter.
pub(crate) fn take_back_pages() {
    let Ok(maps) = fs::read_to_string("/proc/self/maps") else {
        return;
    };
    for (start, length) in maps.lines().filter_map(private_and_writable) {
        if length <= MOST_BYTES {
            let address = std::ptr::without_provenance_mut::<c_void>(start);
            // SAFETY: populating pages changes no content; the kernel checks the range.
            unsafe { libc::madvise(address, length, libc::MADV_POPULATE_WRITE) };
        }
    }
}

/// The start and length of a mapping, if it is private and writable.
fn private_and_writable(line: &str) -> Option<(usize, usize)> {
    let mut fields = line.split_ascii_whitespace();
    let (start, end) = fields.next()?.split_once('-')?;
    if !fields.next()?.starts_with("rw-p") {
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
        assert_eq!(private_and_writable(heap), Some((0x55d0, 0x2000)));
        for line in [
            "55d0-75d0 r--p 00000000 00:00 0",
            "55d0-75d0 rw-s 00000000 00:00 0",
            "nonsense",
            "",
        ] {
            assert_eq!(private_and_writable(line), None, "{line}");
        }
    }

    #[test]
    fn nothing_is_changed() {
        let kept: Vec<u8> = (0..=255).cycle().take(100_000).collect();
        take_back_pages();
        assert!(
            kept.iter()
                .zip((0..=255).cycle())
                .all(|(is, was)| *is == was)
        );
    }
}
