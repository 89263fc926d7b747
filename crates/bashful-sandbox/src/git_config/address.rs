//! Whether the address of a remote repository only names a place.
//!
//! An address can also name a program: `ext::sh -c …` runs it, `name::…` and `name://…`
//! run `git-remote-name`, and what begins with a dash becomes an option of ssh.

/// The schemes that git handles by itself or with its own helpers.
const SCHEMES: [&[u8]; 9] = [
    b"file", b"ftp", b"ftps", b"git", b"git+ssh", b"http", b"https", b"ssh", b"ssh+git",
];

/// Whether this names a place, be it a URL, `user@host:path`, a path, or the name of a
/// remote.
pub(super) fn is_place(address: &[u8]) -> bool {
    let shown = !address.is_empty() && !address.iter().any(u8::is_ascii_control);
    shown && !address.starts_with(b"-") && !names_helper(address) && is_host_plain(address)
}

/// Whether git would look for a helper program of the name in front of `::` or `://`.
fn names_helper(address: &[u8]) -> bool {
    let is_scheme_byte = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let length = address.iter().take_while(|byte| is_scheme_byte(byte));
    let (scheme, rest) = address.split_at(length.count());
    rest.starts_with(b"::") || rest.starts_with(b"://") && !SCHEMES.contains(&scheme)
}

/// Whether neither the user nor the host of an address can be taken for an option.
fn is_host_plain(address: &[u8]) -> bool {
    let scheme_end = address.windows(3).position(|part| part == b"://");
    let authority = match scheme_end {
        Some(position) => before_any(address.get(position + 3..).unwrap_or_default(), b"/?#"),
        // Without a colon in front of the first slash it is a path.
        None if before_any(address, b"/").contains(&b':') => before_any(address, b"/"),
        None => return true,
    };
    let host = authority.rsplit(|byte| *byte == b'@').next();
    let host = host.unwrap_or_default();
    // Git decodes a URL before it looks for the dash, and old versions did not look.
    let encoded = scheme_end.is_some() && (host.contains(&b'%') || authority.starts_with(b"%"));
    let bracketed = host.strip_prefix(b"[").unwrap_or(host);
    !authority.starts_with(b"-") && !bracketed.starts_with(b"-") && !encoded
}

fn before_any<'a>(text: &'a [u8], stops: &[u8]) -> &'a [u8] {
    text.split(|byte| stops.contains(byte))
        .next()
        .unwrap_or_default()
}
