//! Sockets by their paths, however long these are.
//!
//! The address of a unix socket has room for 108 bytes, and a home can be deeper than that. A socket
//! is then reached through a descriptor of its directory, which has a short name: so it lies in the
//! same private place as any other, and never in one that is open to all.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

/// How long to wait for a listener whose queue of callers is full.
const PATIENCE: Duration = Duration::from_secs(10);

/// Connects to the socket at this path. If the listener does not accept callers, the wait ends
/// after a while.
pub fn connect(path: &Path) -> io::Result<UnixStream> {
    let address = Address::of(path)?;
    let socket = rustix::net::socket_with(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )?;
    set_socket_timeout(&socket, Timeout::Send, Some(PATIENCE))?;
    rustix::net::connect(&socket, &address.short)?;
    set_socket_timeout(&socket, Timeout::Send, None)?;
    Ok(socket.into())
}

/// Gives a socket this path.
pub(crate) fn bind(socket: impl AsFd, path: &Path) -> io::Result<()> {
    let address = Address::of(path)?;
    Ok(rustix::net::bind(socket, &address.short)?)
}

/// The address of a path.
struct Address {
    short: SocketAddrUnix,
    /// The directory, where the address names its descriptor: open as long as that is used.
    _directory: Option<File>,
}

impl Address {
    fn of(path: &Path) -> io::Result<Self> {
        match SocketAddrUnix::new(path) {
            Ok(short) => Ok(Self {
                short,
                _directory: None,
            }),
            Err(rustix::io::Errno::NAMETOOLONG) => Self::through_directory(path),
            Err(errno) => Err(errno.into()),
        }
    }

    fn through_directory(path: &Path) -> io::Result<Self> {
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = File::from(rustix::fs::open(above, flags, Mode::empty())?);
        let short = Path::new("/proc/self/fd")
            .join(directory.as_raw_fd().to_string())
            .join(name);
        Ok(Self {
            short: SocketAddrUnix::new(&short)?,
            _directory: Some(directory),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn a_socket_can_lie_deep() {
        let house = tempfile::tempdir().unwrap();
        let deep = house.path().join("d".repeat(120)).join("e".repeat(200));
        std::fs::create_dir_all(&deep).unwrap();
        let path = deep.join("keeper.sock");
        // By its own path it cannot be reached.
        assert!(UnixListener::bind(&path).is_err());
        assert!(UnixStream::connect(&path).is_err());
        let refused = connect(&path).map(drop).map_err(|error| error.kind());
        assert_eq!(refused, Err(io::ErrorKind::NotFound));
        let flags = SocketFlags::CLOEXEC;
        let socket =
            rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).unwrap();
        bind(&socket, &path).unwrap();
        let refused = connect(&path).map(drop).map_err(|error| error.kind());
        assert_eq!(refused, Err(io::ErrorKind::ConnectionRefused));
        rustix::net::listen(&socket, 1).unwrap();
        connect(&path).unwrap();
        let names: Vec<_> = std::fs::read_dir(&deep).unwrap().flatten().collect();
        assert_eq!(names.len(), 1, "{names:?}");
    }
}
