//! The front of `bashful run`: hands what this process has been given to a resident process, and
//! ends as that says.
//!
//! Most of a short call is the program's own start, so this comes before it: before the C library
//! has begun, in an executable that is linked for that (see [`crate::main_is`]), else first thing in
//! `main`. It calls nothing of the C library, and makes no copy that the compiler would leave to
//! `memcpy`, which is not there yet. Where anything is not as it should be, it undoes what it did
//! and returns: the program then does its work itself.
//!
//! Nothing is done twice: a pipe holds one byte, the ticket, and whoever takes that out runs the
//! command, the resident or we.

use core::mem::MaybeUninit;
use core::ptr::{read_volatile, write_volatile};
use core::sync::atomic::{AtomicBool, Ordering};

use self::kernel::{address, close, end, numbers, raw, system};
use self::line::{Address, Message, Part, is_ready, poll, receive};
use self::signals::{Signals, unblock};

use super::front_wire::{ALONE, Descriptors, ENDED, HIDDEN, Header, MAGIC, SOCKET, TAKEN};

mod kernel;
mod line;
mod signals;

/// It was tried already.
static TRIED: AtomicBool = AtomicBool::new(false);

/// So long, in milliseconds, a resident may take to begin.
const PATIENCE: isize = 2000;

/// What the program exits with when the resident is lost on the way: it is broken.
const LOST: usize = 125;

/// Hands the call to a resident and does not return, or returns and has changed nothing.
///
/// # Safety
///
/// `stack` is where the kernel put the arguments: their number, pointers to them and zero, pointers
/// to the environment and zero.
pub(super) unsafe fn hand_over(stack: *const usize) {
    if TRIED.swap(true, Ordering::Relaxed) {
        return;
    }
    // SAFETY: what the caller promises.
    let call = unsafe { Call::read(stack) };
    let Some(call) = call else { return };
    if let Some(connection) = call.connect() {
        call.be_served(connection);
        close(connection);
    }
}

/// What this process was started with.
struct Call {
    environment: *const *const u8,
    header: Header,
    /// Where the texts of both begin and end: the kernel puts them side by side.
    first: *const u8,
    variables: *const u8,
    end: *const u8,
}

impl Call {
    /// A call that a resident could serve: `run` with something behind it, no stream that is a
    /// terminal, where a person notices no millisecond and may be asked something, and no argument
    /// that names a descriptor of this process, which a resident does not have.
    unsafe fn read(stack: *const usize) -> Option<Self> {
        // SAFETY: the number of arguments comes first.
        let count = unsafe { *stack };
        let arguments = stack.wrapping_add(1).cast::<*const u8>();
        let environment = arguments.wrapping_add(count + 1);
        if count < 3 {
            return None;
        }
        // SAFETY: there are at least three.
        let first = unsafe { *arguments };
        // SAFETY: the same.
        let verb = unsafe { *arguments.wrapping_add(1) };
        begins_with(verb, b"run\0")?;
        let mut variables = 0;
        // SAFETY: there are at least three.
        let mut last = unsafe { *arguments.wrapping_add(count - 1) };
        let behind_arguments = end_of(last);
        loop {
            // SAFETY: we have not passed the zero at the end.
            let variable = unsafe { *environment.wrapping_add(variables) };
            if variable.is_null() {
                break;
            }
            last = variable;
            variables += 1;
        }
        let call = Self {
            environment,
            header: Header {
                magic: MAGIC,
                blocked: 0,
                arguments: u32::try_from(count).ok()?,
                variables: u32::try_from(variables).ok()?,
            },
            first,
            variables: behind_arguments,
            end: end_of(last),
        };
        let is_served = call.variable(ALONE).is_none()
            && !(0..3).any(is_terminal_or_closed)
            && !call.names_descriptors();
        is_served.then_some(call)
    }

    /// Whether an argument may be the path of an open descriptor, as `<(…)` of a shell makes it.
    fn names_descriptors(&self) -> bool {
        let mut place = self.first;
        while place.addr() < self.variables.addr() {
            if begins_with(place, b"/fd/").is_some() {
                return true;
            }
            place = place.wrapping_add(1);
        }
        false
    }

    /// The value of a variable, if it has one. `name` ends with `=`.
    fn variable(&self, name: &[u8]) -> Option<*const u8> {
        let mut next = self.environment;
        loop {
            // SAFETY: we have not passed the zero at the end.
            let variable = unsafe { *next };
            if variable.is_null() {
                return None;
            }
            if let Some(value) = begins_with(variable, name) {
                // SAFETY: it is within a text, which has an end.
                return (unsafe { *value } != 0).then_some(value);
            }
            next = next.wrapping_add(1);
        }
    }

    /// A connection to the resident of this user, if there is one: where the engine puts sockets,
    /// see its `places.rs`.
    fn connect(&self) -> Option<usize> {
        let runtime = self.variable(b"XDG_RUNTIME_DIR=");
        let state = match self.variable(b"XDG_STATE_HOME=") {
            Some(state) => (Some(state), &b"/bashful/run/"[..]),
            None => (self.variable(b"HOME="), &b"/.local/state/bashful/run/"[..]),
        };
        let connect = |(directory, below): (Option<*const u8>, &[u8])| {
            let directory = begins_with(directory?, b"/")?.wrapping_sub(1);
            let mut address = Address::new();
            let is_whole = address.text(directory, usize::MAX)
                && address.text(below.as_ptr(), below.len())
                && address.text(SOCKET.as_ptr(), SOCKET.len());
            is_whole.then(|| address.connect()).flatten()
        };
        connect((runtime, b"/bashful/")).or_else(|| connect(state))
    }

    /// Has the call served. Returns if it is not.
    fn be_served(mut self, connection: usize) {
        let here = numbers::O_PATH | numbers::O_DIRECTORY | numbers::O_CLOEXEC;
        let directory = system(
            numbers::OPENAT,
            [
                numbers::AT_FDCWD,
                address(c".".as_ptr().cast()),
                here,
                0,
                0,
                0,
            ],
        );
        let mut ticket = [0_i32; 2];
        let flags = numbers::O_CLOEXEC | numbers::O_NONBLOCK;
        let piped = system(
            numbers::PIPE2,
            [ticket.as_mut_ptr().addr(), flags, 0, 0, 0, 0],
        );
        if let (Some(directory), Some(_)) = (directory, piped) {
            let [read_end, write_end] = ticket.map(|one| usize::try_from(one).unwrap_or(0));
            let one = 1_u8;
            let signals = Signals::catch(&mut self.header);
            if system(
                numbers::WRITE,
                [write_end, (&raw const one).addr(), 1, 0, 0, 0],
            ) == Some(1)
                && let Some(signals) = &signals
                && is_ready(connection)
                && self.send(connection, [0, 1, 2, directory, read_end])
            {
                self.wait(connection, [read_end, write_end], signals);
            }
            if let Some(signals) = signals {
                signals.give_back(&self.header);
            }
            close(read_end);
            close(write_end);
        }
        if let Some(directory) = directory {
            close(directory);
        }
    }

    fn send(&self, connection: usize, descriptors: [usize; 5]) -> bool {
        let parts = [
            Part {
                start: (&raw const self.header).cast(),
                length: size_of::<Header>(),
            },
            Part {
                start: self.first,
                length: self.end.addr().wrapping_sub(self.first.addr()),
            },
        ];
        let control = Descriptors::of(descriptors);
        let message = Message {
            name: 0,
            name_length: 0,
            parts: parts.as_ptr(),
            part_count: 2,
            control: (&raw const control).cast_mut(),
            control_length: size_of::<Descriptors>(),
            flags: 0,
        };
        let quietly = numbers::MSG_NOSIGNAL;
        system(
            numbers::SENDMSG,
            [connection, (&raw const message).addr(), quietly, 0, 0, 0],
        )
        .is_some()
    }

    /// Waits for the end of the call and ends with it; passes on what interrupts us. Returns if
    /// the ticket is ours again.
    fn wait(&self, connection: usize, [ticket, back]: [usize; 2], signals: &Signals) {
        let mut resident: Option<usize> = None;
        let mut passed_on = 0;
        let mut patience = PATIENCE;
        loop {
            let heard = if resident.is_some() {
                signals.descriptor
            } else {
                usize::MAX
            };
            match poll([connection, heard], patience) {
                None => {}
                Some([false, false]) => {
                    // It said nothing in time.
                    if take(ticket) {
                        return;
                    }
                    patience = -1;
                }
                Some([_, true]) => {
                    if let (Some(resident), Some(signal)) = (resident, signals.next()) {
                        system(numbers::PIDFD_SEND_SIGNAL, [resident, signal, 0, 0, 0, 0]);
                        passed_on = signal;
                    }
                }
                Some([true, _]) => match receive(connection) {
                    Some((TAKEN, _, Some(process))) => {
                        self.hide();
                        resident = Some(process);
                        patience = -1;
                        let hidden = HIDDEN;
                        let said = [back, (&raw const hidden).addr(), 1, 0, 0, 0];
                        system(numbers::WRITE, said);
                    }
                    Some((ENDED, code, _)) => end(code.into()),
                    _ => {
                        // After that word, what is in the pipe is the word.
                        if resident.is_none() && take(ticket) {
                            return;
                        }
                        self.lost(passed_on);
                    }
                },
            }
        }
    }

    /// What the whole program does as well before it runs anything: nobody reads our memory, and
    /// the environment is gone.
    fn hide(&self) {
        system(numbers::PRCTL, [numbers::PR_SET_DUMPABLE, 0, 0, 0, 0, 0]);
        let mut place = self.variables.cast_mut();
        while place.addr() < self.end.addr() {
            // SAFETY: the kernel put our environment there, and nobody needs it any more.
            unsafe { write_volatile(place, 0) };
            place = place.wrapping_add(1);
        }
    }

    /// The resident has ended without a word.
    fn lost(&self, passed_on: usize) -> ! {
        if passed_on != 0 {
            // As the program would have ended.
            unblock(&self.header);
            let own = system(numbers::GETPID, [0; 6]).unwrap_or(0);
            system(numbers::KILL, [own, passed_on, 0, 0, 0, 0]);
        }
        let text = b"bashful: error: the resident engine ended in the middle of the run; `bashful tasks --all` shows what became of it\n";
        let said = [2, address(text.as_ptr()), text.len(), 0, 0, 0];
        system(numbers::WRITE, said);
        end(LOST)
    }
}

/// Takes the ticket, if it is still there.
fn take(ticket: usize) -> bool {
    let mut byte = 0_u8;
    system(numbers::READ, [ticket, (&raw mut byte).addr(), 1, 0, 0, 0]) == Some(1)
}

/// What follows a beginning, if a text has it.
fn begins_with(text: *const u8, beginning: &[u8]) -> Option<*const u8> {
    let mut position = 0;
    while position < beginning.len() {
        // SAFETY: it is not behind the end of the text, which would have been a difference.
        let byte = unsafe { read_volatile(text.wrapping_add(position)) };
        if beginning.get(position) != Some(&byte) {
            return None;
        }
        position += 1;
    }
    Some(text.wrapping_add(position))
}

/// Where a text ends: behind its zero.
fn end_of(mut text: *const u8) -> *const u8 {
    // SAFETY: a text of the kernel's ends with a zero.
    while unsafe { read_volatile(text) } != 0 {
        text = text.wrapping_add(1);
    }
    text.wrapping_add(1)
}

fn is_terminal_or_closed(descriptor: usize) -> bool {
    let mut settings = MaybeUninit::<[u8; 64]>::uninit();
    let asked = [
        descriptor,
        numbers::TCGETS,
        settings.as_mut_ptr().addr(),
        0,
        0,
        0,
    ];
    // SAFETY: the kernel writes at most 36 bytes there.
    let found = unsafe { raw(numbers::IOCTL, asked) };
    found == 0 || found == -numbers::EBADF
}
