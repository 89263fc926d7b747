//! The two messages that we have for a manager, in the bytes of D-Bus.
//!
//! <https://dbus.freedesktop.org/doc/dbus-specification.html>, "Marshaling". Everything is
//! aligned to its own size, counted from the beginning of the message.

/// The signature of what follows the header of `StartTransientUnit`.
const SIGNATURE: &str = "ssa(sv)a(sa(sv))";

/// An order to put processes into a new scope.
#[derive(Debug, Clone, Copy)]
pub(super) struct StartScope<'a> {
    pub(super) name: &'a str,
    pub(super) processes: &'a [i32],
    /// The default one unless given.
    pub(super) slice: Option<&'a str>,
}

impl StartScope<'_> {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut body = Bytes::default();
        body.text(self.name);
        body.text("fail");
        body.array(8, |properties| {
            properties.property("Description", "s", |value| {
                value.text("Bashful: commands of an agent");
            });
            properties.property("PIDs", "au", |value| {
                value.array(4, |list| {
                    for process in self.processes {
                        list.number(process.unsigned_abs());
                    }
                });
            });
            // Groups for the runs are made below it.
            properties.property("Delegate", "b", |value| value.number(1));
            // It goes when it is empty, however it ended.
            properties.property("CollectMode", "s", |value| value.text("inactive-or-failed"));
            if let Some(slice) = self.slice {
                properties.property("Slice", "s", |value| value.text(slice));
            }
        });
        // No other units come with it.
        body.array(8, |_| {});
        call(
            "org.freedesktop.systemd1.Manager",
            "StartTransientUnit",
            Some((SIGNATURE, body)),
        )
    }
}

/// A question that every manager answers.
pub(super) fn ping() -> Vec<u8> {
    call("org.freedesktop.DBus.Peer", "Ping", None)
}

/// A call of a method of the manager.
fn call(interface: &str, member: &str, body: Option<(&str, Bytes)>) -> Vec<u8> {
    let (signature, body) = body.map_or((None, Vec::new()), |(signature, body)| {
        (Some(signature), body.0)
    });
    let mut message = Bytes::default();
    // Little-endian, a call, no flags, version 1 of the protocol.
    message.0.extend(*b"l\x01\x00\x01");
    message.number(length(&body));
    message.number(SERIAL);
    message.array(8, |fields| {
        fields.field(1, "o", |value| value.text("/org/freedesktop/systemd1"));
        fields.field(2, "s", |value| value.text(interface));
        fields.field(3, "s", |value| value.text(member));
        fields.field(6, "s", |value| value.text("org.freedesktop.systemd1"));
        if let Some(signature) = signature {
            fields.field(8, "g", |value| value.signature(signature));
        }
    });
    message.align(8);
    message.0.extend(body);
    message.0
}

/// The number of our only call.
pub(super) const SERIAL: u32 = 1;

/// Bytes of a message.
#[derive(Debug, Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn align(&mut self, size: usize) {
        self.0.resize(self.0.len().next_multiple_of(size), 0);
    }

    fn number(&mut self, number: u32) {
        self.align(4);
        self.0.extend(number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(length(text.as_bytes()));
        self.0.extend(text.as_bytes());
        self.0.push(0);
    }

    fn signature(&mut self, signature: &str) {
        self.0
            .push(u8::try_from(signature.len()).unwrap_or(u8::MAX));
        self.0.extend(signature.as_bytes());
        self.0.push(0);
    }

    /// A list whose elements are aligned like this.
    fn array(&mut self, alignment: usize, fill: impl FnOnce(&mut Self)) {
        self.number(0);
        let place = self.0.len();
        self.align(alignment);
        let start = self.0.len();
        fill(self);
        let filled = length(self.0.get(start..).unwrap_or_default());
        if let Some(count) = self.0.get_mut(place - 4..place) {
            count.copy_from_slice(&filled.to_le_bytes());
        }
    }

    fn property(&mut self, name: &str, signature: &str, value: impl FnOnce(&mut Self)) {
        self.align(8);
        self.text(name);
        self.signature(signature);
        value(self);
    }

    fn field(&mut self, code: u8, signature: &str, value: impl FnOnce(&mut Self)) {
        self.align(8);
        self.0.push(code);
        self.signature(signature);
        value(self);
    }
}

fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}
