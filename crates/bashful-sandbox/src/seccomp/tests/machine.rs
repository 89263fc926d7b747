//! The kernel's packet-filter machine, as far as a system call filter uses it.

use super::super::Instruction;

/// What the kernel shows to a filter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    pub(super) architecture: u32,
    pub(super) number: u32,
    pub(super) arguments: [u64; 6],
}

impl Call {
    /// The word at this offset of `struct seccomp_data`.
    fn word(&self, offset: u32) -> u32 {
        let mut data = Vec::new();
        data.extend(self.number.to_le_bytes());
        data.extend(self.architecture.to_le_bytes());
        data.extend(0x7fff_1234_5678_u64.to_le_bytes());
        for argument in self.arguments {
            data.extend(argument.to_le_bytes());
        }
        let offset = usize::try_from(offset).unwrap();
        assert_eq!(offset % 4, 0, "the kernel refuses unaligned loads");
        u32::from_le_bytes(data[offset..offset + 4].try_into().unwrap())
    }
}

/// The program's answer to this call.
pub(super) fn run(program: &[Instruction], call: &Call) -> u32 {
    execute(program, call).0
}

/// How many instructions it takes to answer this call.
pub(super) fn steps(program: &[Instruction], call: &Call) -> usize {
    execute(program, call).1
}

fn execute(program: &[Instruction], call: &Call) -> (u32, usize) {
    let mut accumulator = 0;
    let mut at = 0;
    let mut steps = 0;
    loop {
        let Instruction { code, jt, jf, k } = program[at];
        let choose = |condition: bool| usize::from(if condition { jt } else { jf });
        steps += 1;
        at += 1;
        match code {
            0x20 => accumulator = call.word(k),
            0x54 => accumulator &= k,
            0x05 => at += usize::try_from(k).unwrap(),
            0x15 => at += choose(accumulator == k),
            0x35 => at += choose(accumulator >= k),
            0x45 => at += choose(accumulator & k != 0),
            0x06 => return (k, steps),
            _ => panic!("no such instruction: {code:#x}"),
        }
    }
}
