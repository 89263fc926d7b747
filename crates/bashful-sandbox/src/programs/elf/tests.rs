//! ELF files built by hand, and real ones.

use std::fs::File;
use std::path::Path;

use super::*;

impl Bytes for Vec<u8> {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let start = usize::try_from(offset).unwrap().min(self.len());
        let count = buffer.len().min(self.len() - start);
        buffer[..count].copy_from_slice(&self[start..start + count]);
        Ok(count)
    }
}

/// The four kinds of files: word length and byte order.
const LAYOUTS: [Layout; 4] = [
    layout(true, false),
    layout(true, true),
    layout(false, false),
    layout(false, true),
];

const fn layout(wide: bool, big_endian: bool) -> Layout {
    Layout { wide, big_endian }
}

impl Layout {
    fn put(self, bytes: &mut Vec<u8>, length: usize, value: u64) {
        let number = value.to_be_bytes();
        let number = &number[8 - length..];
        if self.big_endian {
            bytes.extend(number);
        } else {
            bytes.extend(number.iter().rev());
        }
    }
}

/// What to build.
#[derive(Clone, Default)]
struct Recipe {
    kind: u64,
    interpreter: bool,
    flags: Option<u64>,
    name: Option<&'static str>,
    /// Entries before those that matter.
    padding: usize,
}

const ADDRESS: u64 = 0x1_0000;
/// The length of what stands before the name.
const NAME_OFFSET: u64 = 7;

/// Header, table of segments, dynamic section, strings; all mapped at `ADDRESS`.
fn build(layout: Layout, recipe: &Recipe) -> Vec<u8> {
    let word = layout.word();
    let header_length = if layout.wide { 64 } else { 52 };
    let mut dynamic: Vec<(u64, u64)> = vec![(1, 0); recipe.padding];
    if let Some(flags) = recipe.flags {
        dynamic.push((DYNAMIC_FLAGS, flags));
    }
    if recipe.name.is_some() {
        dynamic.push((DYNAMIC_NAME, NAME_OFFSET));
    }
    let count = 2 + u64::from(recipe.interpreter);
    let dynamic_at = header_length + count * layout.segment_entry();
    let dynamic_length = (dynamic.len() as u64 + 2) * word as u64 * 2;
    let strings_at = dynamic_at + dynamic_length;
    dynamic.push((DYNAMIC_STRINGS, ADDRESS + strings_at));
    dynamic.push((DYNAMIC_END, 0));
    let total = strings_at + 64;

    let mut bytes = MAGIC.to_vec();
    bytes.extend([
        1 + u8::from(layout.wide),
        1 + u8::from(layout.big_endian),
        1,
    ]);
    bytes.resize(16, 0);
    layout.put(&mut bytes, 2, recipe.kind);
    layout.put(&mut bytes, 2, 62);
    layout.put(&mut bytes, 4, 1);
    for address in [0x1000, header_length, 0] {
        layout.put(&mut bytes, word, address);
    }
    layout.put(&mut bytes, 4, 0);
    for half in [header_length, layout.segment_entry(), count, 0, 0, 0] {
        layout.put(&mut bytes, 2, half);
    }
    let mut segments = vec![
        (SEGMENT_LOAD, 0, total),
        (SEGMENT_DYNAMIC, dynamic_at, dynamic_length),
    ];
    if recipe.interpreter {
        segments.push((SEGMENT_INTERPRETER, strings_at, 4));
    }
    for (kind, offset, length) in segments {
        layout.put(&mut bytes, 4, kind);
        if layout.wide {
            layout.put(&mut bytes, 4, 0);
        }
        for value in [offset, ADDRESS + offset, 0, length, length] {
            layout.put(&mut bytes, word, value);
        }
        if !layout.wide {
            layout.put(&mut bytes, 4, 0);
        }
        layout.put(&mut bytes, word, 0);
    }
    for (tag, value) in dynamic {
        layout.put(&mut bytes, word, tag);
        layout.put(&mut bytes, word, value);
    }
    bytes.extend(b"padding");
    bytes.extend(recipe.name.unwrap_or_default().as_bytes());
    bytes.resize(usize::try_from(total).unwrap(), 0);
    bytes
}

fn judge(bytes: &Vec<u8>) -> bool {
    let header = &bytes[..bytes.len().min(HEADER)];
    is_program(header, bytes).unwrap()
}

#[test]
fn programs_and_libraries_of_every_layout_are_told_apart() {
    let shared = Recipe {
        kind: TYPE_SHARED,
        ..Recipe::default()
    };
    let with_interpreter = Recipe {
        interpreter: true,
        ..shared.clone()
    };
    let named = |name| Recipe {
        name: Some(name),
        ..with_interpreter.clone()
    };
    let cases = [
        (
            "fixed address",
            Recipe {
                kind: TYPE_EXECUTABLE,
                ..Recipe::default()
            },
            true,
        ),
        ("with an interpreter", with_interpreter.clone(), true),
        (
            "static",
            Recipe {
                flags: Some(FLAG_PROGRAM | 1),
                ..shared.clone()
            },
            true,
        ),
        (
            "library",
            Recipe {
                name: Some("libz.so.1"),
                ..shared.clone()
            },
            false,
        ),
        (
            "library with flags",
            Recipe {
                flags: Some(1),
                ..shared.clone()
            },
            false,
        ),
        (
            "relocatable",
            Recipe {
                kind: 1,
                interpreter: true,
                ..Recipe::default()
            },
            false,
        ),
        (
            "core dump",
            Recipe {
                kind: 4,
                ..Recipe::default()
            },
            false,
        ),
        ("C library", named("libc.so.6"), false),
        ("loader", named("ld-linux-x86-64.so.2"), false),
        ("thread library", named("libpthread.so.0"), false),
        ("named program", named("busybox.so"), true),
        (
            "program that claims to be the C library",
            Recipe {
                flags: Some(FLAG_PROGRAM),
                ..named("libc.so.6")
            },
            true,
        ),
        (
            "table too long to read",
            Recipe {
                padding: 9000,
                ..shared.clone()
            },
            true,
        ),
        (
            "long table",
            Recipe {
                padding: 3000,
                flags: Some(FLAG_PROGRAM),
                ..shared
            },
            true,
        ),
    ];
    for (what, recipe, expected) in cases {
        for layout in LAYOUTS {
            let bytes = build(layout, &recipe);
            assert_eq!(judge(&bytes), expected, "{what}, {layout:?}");
        }
    }
}

#[test]
fn a_file_cut_anywhere_or_with_any_byte_changed_is_survived() {
    let recipe = Recipe {
        kind: TYPE_SHARED,
        interpreter: true,
        name: Some("libc.so.6"),
        ..Recipe::default()
    };
    for layout in LAYOUTS {
        let bytes = build(layout, &recipe);
        for length in 0..bytes.len() {
            judge(&bytes[..length].to_vec());
        }
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut changed = bytes.clone();
                changed[at] = value;
                judge(&changed);
            }
            let mut changed = bytes.clone();
            let end = (at + 8).min(bytes.len());
            changed[at..end].fill(0xff);
            judge(&changed);
        }
    }
}

#[test]
fn a_truncated_header_is_no_program() {
    for layout in LAYOUTS {
        let bytes = build(
            layout,
            &Recipe {
                kind: TYPE_SHARED,
                interpreter: true,
                ..Recipe::default()
            },
        );
        for length in [0, 3, 4, 5, 16, 17, 40] {
            assert!(!judge(&bytes[..length].to_vec()), "{layout:?} {length}");
        }
    }
}

#[test]
fn more_segments_than_are_read_count_as_a_program() {
    for layout in LAYOUTS {
        let mut bytes = build(
            layout,
            &Recipe {
                kind: TYPE_SHARED,
                ..Recipe::default()
            },
        );
        let count = if layout.wide { 56 } else { 44 };
        bytes[count..count + 2].fill(0xff);
        assert!(judge(&bytes), "{layout:?}");
    }
}

#[test]
fn real_files_are_judged_as_what_they_are() {
    let judge = |path: &Path| {
        let file = File::open(path).unwrap();
        let mut header = [0; HEADER];
        let filled = Bytes::read_at(&file, 0, &mut header).unwrap();
        is_program(&header[..filled], &file).unwrap()
    };
    // The test itself, and the shell.
    assert!(judge(&std::env::current_exe().unwrap()));
    assert!(judge(Path::new("/bin/sh")));
    // What this process has mapped besides: the C library and the loader, wherever
    // this host keeps them. A static build has none.
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let own = std::env::current_exe().unwrap();
    for path in maps
        .lines()
        .filter_map(|line| line.split_ascii_whitespace().nth(5))
    {
        let path = Path::new(path);
        if path.is_absolute() && path.is_file() && path != own {
            assert!(!judge(path), "{}", path.display());
        }
    }
    for git in ["/usr/lib/git-core/git", "/usr/libexec/git-core/git"].map(Path::new) {
        if git.is_file() {
            assert!(judge(git));
        }
    }
    assert!(!judge(Path::new("/proc/self/maps")));
}
