//! The rules once more, said plainly and with the kernel's bare numbers, so that a slip in
//! the table, in a constant or in the compiler shows.

use super::super::CommandsRule;
use super::machine::Call;

/// What happens to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Allow,
    Kill,
    Error(u32),
}

use Verdict::{Allow, Error, Kill};

impl Verdict {
    pub(super) fn from_kernel(answer: u32) -> Self {
        match (answer >> 16, answer & 0xffff) {
            (0x7fff, 0) => Allow,
            (0x8000, 0) => Kill,
            (0x0005, error) => Error(error),
            _ => panic!("not an answer of ours: {answer:#x}"),
        }
    }
}

const EPERM: u32 = 1;
const ENOTTY: u32 = 25;
const ENOSYS: u32 = 38;
const EPROTONOSUPPORT: u32 = 93;
const ESOCKTNOSUPPORT: u32 = 94;
const EAFNOSUPPORT: u32 = 97;

/// Numbers of the calls by which the architectures differ.
struct Numbers {
    architecture: u32,
    refused: &'static [u32],
    memfd_create: u32,
    clone: u32,
    ioctl: u32,
    fcntl: u32,
    personality: u32,
    fchmod: u32,
    fchmodat: u32,
    openat: u32,
    mkdirat: u32,
    mknodat: u32,
    socket: u32,
    socketpair: u32,
    /// `open`, `creat`, `chmod`, `mkdir`, `mknod`.
    old: Option<[u32; 5]>,
}

#[cfg(target_arch = "x86_64")]
const NUMBERS: Numbers = Numbers {
    architecture: 0xc000_003e,
    refused: &[
        101, 103, 134, 153, 154, 155, 159, 161, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172,
        173, 175, 176, 179, 180, 212, 227, 237, 238, 239, 246, 248, 249, 250, 256, 272, 279, 298,
        300, 301, 303, 304, 305, 308, 310, 311, 312, 313, 320, 321, 323,
    ],
    memfd_create: 319,
    clone: 56,
    ioctl: 16,
    fcntl: 72,
    personality: 135,
    fchmod: 91,
    fchmodat: 268,
    openat: 257,
    mkdirat: 258,
    mknodat: 259,
    socket: 41,
    socketpair: 53,
    old: Some([2, 85, 90, 83, 133]),
};

#[cfg(target_arch = "aarch64")]
const NUMBERS: Numbers = Numbers {
    architecture: 0xc000_00b7,
    refused: &[
        18, 39, 40, 41, 42, 51, 58, 60, 89, 97, 104, 105, 106, 112, 116, 117, 142, 161, 162, 170,
        171, 217, 218, 219, 224, 225, 235, 236, 237, 238, 239, 241, 262, 263, 264, 265, 266, 268,
        270, 271, 272, 273, 280, 282, 294,
    ],
    memfd_create: 279,
    clone: 220,
    ioctl: 29,
    fcntl: 25,
    personality: 92,
    fchmod: 52,
    fchmodat: 53,
    openat: 56,
    mkdirat: 34,
    mknodat: 33,
    socket: 198,
    socketpair: 199,
    old: None,
};

const REFUSED_EVERYWHERE: &[u32] = &[
    425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 440, 442, 443, 447, 450, 457, 458, 460, 467,
];
const CLONE3: u32 = 435;
const OPENAT2: u32 = 437;
const FCHMODAT2: u32 = 452;

/// The calls whose arguments decide.
pub(super) fn examined() -> Vec<u32> {
    let mut numbers = vec![
        NUMBERS.clone,
        NUMBERS.ioctl,
        NUMBERS.fcntl,
        NUMBERS.personality,
        NUMBERS.fchmod,
        NUMBERS.fchmodat,
        NUMBERS.openat,
        NUMBERS.mkdirat,
        NUMBERS.mknodat,
        NUMBERS.socket,
        NUMBERS.socketpair,
        FCHMODAT2,
    ];
    numbers.extend(NUMBERS.old.iter().flatten());
    numbers
}

/// What must happen to this call.
pub(super) fn expected(commands: CommandsRule, call: &Call) -> Verdict {
    let number = call.number;
    if call.architecture != NUMBERS.architecture {
        return Kill;
    }
    if cfg!(target_arch = "x86_64") && number >= 0x4000_0000 {
        return Error(ENOSYS);
    }
    if NUMBERS.refused.contains(&number) || REFUSED_EVERYWHERE.contains(&number) {
        return Error(EPERM);
    }
    if number == CLONE3 || number == OPENAT2 {
        return Error(ENOSYS);
    }
    if number == NUMBERS.memfd_create && commands == CommandsRule::Listed {
        return Error(EPERM);
    }
    // What the kernel takes for an `int`.
    let argument = |index: usize| u32::try_from(call.arguments[index] & 0xffff_ffff).unwrap();
    let refuse_if = |wrong: bool| if wrong { Error(EPERM) } else { Allow };
    let lends = |mode: u32| mode & 0o6000 != 0;
    let creates = |flags: u32| flags & 0o100 != 0 || flags & 0o20_000_000 != 0;
    let device = |mode: u32| matches!(mode & 0o170_000, 0o020_000 | 0o060_000);

    if number == NUMBERS.clone {
        return refuse_if(argument(0) & 0x7e02_0080 != 0);
    }
    if number == NUMBERS.ioctl {
        if [0x4030_5828, 0x4030_582a, 0x4030_5839].contains(&argument(1)) {
            return Error(ENOTTY);
        }
        return refuse_if([0x5412, 0x541c, 0x5423].contains(&argument(1)));
    }
    if number == NUMBERS.fcntl {
        return refuse_if(argument(1) == 1024);
    }
    if number == NUMBERS.personality {
        return refuse_if(![0, 0x40000, 0xffff_ffff].contains(&argument(0)));
    }
    if number == NUMBERS.fchmod {
        return refuse_if(lends(argument(1)));
    }
    if [NUMBERS.fchmodat, NUMBERS.mkdirat, FCHMODAT2].contains(&number) {
        return refuse_if(lends(argument(2)));
    }
    if number == NUMBERS.openat {
        return refuse_if(creates(argument(2)) && lends(argument(3)));
    }
    if number == NUMBERS.mknodat {
        return refuse_if(lends(argument(2)) || device(argument(2)));
    }
    if let Some([open, creat, chmod, mkdir, mknod]) = NUMBERS.old {
        if number == open {
            return refuse_if(creates(argument(1)) && lends(argument(2)));
        }
        if [creat, chmod, mkdir].contains(&number) {
            return refuse_if(lends(argument(1)));
        }
        if number == mknod {
            return refuse_if(lends(argument(1)) || device(argument(1)));
        }
    }
    if number == NUMBERS.socket {
        return socket(argument(0), argument(1) & 0xf, argument(2));
    }
    if number == NUMBERS.socketpair {
        return match (argument(0), argument(1) & 0xf) {
            (1, 1 | 5) => Allow,
            (1, _) => Error(EPERM),
            _ => Error(EAFNOSUPPORT),
        };
    }
    Allow
}

fn socket(family: u32, kind: u32, protocol: u32) -> Verdict {
    match (family, kind, protocol) {
        (1, _, _) | (2 | 10, 3 | 10, _) => Error(EPERM),
        (2 | 10, 1 | 2, 0 | 1 | 6 | 17 | 58 | 136 | 262) | (16, _, 0) => Allow,
        (2 | 10, 1 | 2, _) | (16, _, _) => Error(EPROTONOSUPPORT),
        (2 | 10, _, _) => Error(ESOCKTNOSUPPORT),
        _ => Error(EAFNOSUPPORT),
    }
}
