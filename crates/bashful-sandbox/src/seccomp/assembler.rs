//! A small assembler for the kernel's classic packet-filter language.
//!
//! Programs are written from their end to their beginning. A jump can then only lead to
//! what exists already, which is what the kernel demands (no loops) and makes a jump to
//! nowhere impossible to write.

/// One instruction, laid out like the kernel's `struct sock_filter`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instruction {
    /// The operation, one of the constants below.
    pub(crate) code: u16,
    /// How many instructions to skip if a condition is true.
    pub(crate) jt: u8,
    /// How many instructions to skip if a condition is false.
    pub(crate) jf: u8,
    /// The operand: an offset, a mask, a number to compare with, or an answer.
    pub(crate) k: u32,
}

impl Instruction {
    /// As it lies in memory, which is as the kernel takes it.
    pub(crate) fn to_bytes(self) -> [u8; 8] {
        let mut bytes = [0, 0, self.jt, self.jf, 0, 0, 0, 0];
        let parts = [
            (0, self.code.to_ne_bytes().to_vec()),
            (4, self.k.to_ne_bytes().to_vec()),
        ];
        for (at, part) in parts {
            for (target, source) in bytes.iter_mut().skip(at).zip(part) {
                *target = source;
            }
        }
        bytes
    }

    /// The instructions that were written so; none if these are not such bytes.
    pub(crate) fn all_from_bytes(bytes: &[u8]) -> Option<Vec<Self>> {
        let chunks = bytes.chunks_exact(8);
        if !chunks.remainder().is_empty() {
            return None;
        }
        let one = |chunk: &[u8]| {
            Some(Self {
                code: u16::from_ne_bytes(chunk.get(..2)?.try_into().ok()?),
                jt: *chunk.get(2)?,
                jf: *chunk.get(3)?,
                k: u32::from_ne_bytes(chunk.get(4..)?.try_into().ok()?),
            })
        };
        chunks.map(one).collect()
    }
}

/// `BPF_LD | BPF_W | BPF_ABS`: the accumulator becomes a word of the call's data.
pub(super) const LOAD: u16 = 0x20;
/// `BPF_ALU | BPF_AND | BPF_K`: the accumulator keeps the bits of the operand only.
pub(super) const AND: u16 = 0x54;
/// `BPF_JMP | BPF_JA`: skips as many instructions as the operand says.
pub(super) const JUMP: u16 = 0x05;
/// `BPF_RET | BPF_K`: ends with the operand as the answer.
pub(super) const RETURN: u16 = 0x06;

/// What the accumulator is compared for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub(super) enum Condition {
    /// `BPF_JMP | BPF_JEQ | BPF_K`
    Equal = 0x15,
    /// `BPF_JMP | BPF_JGE | BPF_K`, without sign.
    AtLeast = 0x35,
    /// `BPF_JMP | BPF_JSET | BPF_K`: has any of the operand's bits.
    HasAny = 0x45,
}

/// A place in the program: how many instructions there are from it to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Label(u32);

/// A program that grows from its end to its beginning.
///
/// Every method puts instructions in front of those that are there and returns the place
/// at which they begin.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    reversed: Vec<Instruction>,
    length: u32,
}

impl Assembler {
    /// Ends the program with this answer.
    pub(super) fn answer(&mut self, value: u32) -> Label {
        self.push(RETURN, (0, 0), value)
    }

    /// Loads the word at this offset of the call's data, then goes on there.
    pub(super) fn load(&mut self, offset: u32, then: Label) -> Label {
        self.fall_through_to(then);
        self.push(LOAD, (0, 0), offset)
    }

    /// Clears all other bits, then goes on there.
    pub(super) fn and(&mut self, mask: u32, then: Label) -> Label {
        self.fall_through_to(then);
        self.push(AND, (0, 0), mask)
    }

    /// Goes on at one of two places.
    pub(super) fn branch(
        &mut self,
        condition: Condition,
        value: u32,
        yes: Label,
        no: Label,
    ) -> Label {
        // A condition can skip 255 instructions; what is farther is reached by a jump
        // placed behind it. That jump moves the other target away by one, so look again.
        match (
            u8::try_from(self.distance(yes)),
            u8::try_from(self.distance(no)),
        ) {
            (Ok(jt), Ok(jf)) => self.push(condition as u16, (jt, jf), value),
            (Err(_), _) => {
                let yes = self.jump(yes);
                self.branch(condition, value, yes, no)
            }
            (Ok(_), Err(_)) => {
                let no = self.jump(no);
                self.branch(condition, value, yes, no)
            }
        }
    }

    /// The program from its beginning.
    pub(super) fn finish(mut self) -> Vec<Instruction> {
        self.reversed.reverse();
        self.reversed
    }

    fn jump(&mut self, to: Label) -> Label {
        let distance = self.distance(to);
        self.push(JUMP, (0, 0), distance)
    }

    fn fall_through_to(&mut self, then: Label) {
        if self.distance(then) > 0 {
            self.jump(then);
        }
    }

    /// How many instructions are between the front of the program and that place.
    fn distance(&self, to: Label) -> u32 {
        self.length - to.0
    }

    fn push(&mut self, code: u16, (jt, jf): (u8, u8), k: u32) -> Label {
        self.reversed.push(Instruction { code, jt, jf, k });
        self.length += 1;
        Label(self.length)
    }
}
