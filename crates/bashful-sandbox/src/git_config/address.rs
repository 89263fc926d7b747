//! What git does with an address: which host it names, if it names one and nothing else.
//!
//! An address can also name a program: `ext::sh -c …` runs it, `name::…` and `name://…`
//! run `git-remote-name`, and what begins with a dash becomes an option of ssh. And a path
//! names a repository whose own hooks run when a person pushes there.

/// The schemes of plain addresses; what git does with others is for a person to decide.
const SCHEMES: [&[u8]; 3] = [b"git", b"https", b"ssh"];

/// The host that git contacts for an address of the form `https://`, `ssh://`, `git://` or
/// `user@host:path`, in small letters. None for all else: paths, helpers, options.
pub(super) fn host_of(address: &[u8]) -> Option<Vec<u8>> {
    if address.starts_with(b"-") || address.iter().any(u8::is_ascii_control) {
        return None;
    }
    let is_scheme_byte = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let length = address
        .iter()
        .take_while(|byte| is_scheme_byte(byte))
        .count();
    let (scheme, rest) = address.split_at(length);
    if rest.starts_with(b"::") {
        return None;
    }
    let authority = match rest.strip_prefix(b"://") {
        Some(_) if !SCHEMES.contains(&scheme) => return None,
        Some(rest) => before_any(rest, b"/?#"),
        // Without a colon in front of the first slash it is a path.
        None if address.windows(3).any(|part| part == b"://") => return None,
        None => {
            let front = before_any(address, b"/");
            let colon = if front.contains(&b'[') {
                front.iter().position(|byte| *byte == b']')? + 1
            } else {
                front.iter().position(|byte| *byte == b':')?
            };
            if front.get(colon) != Some(&b':') {
                return None;
            }
            front.get(..colon)?
        }
    };
    let host = authority.rsplit(|byte| *byte == b'@').next()?;
    let host = match host.strip_prefix(b"[") {
        Some(inside) => before_any(inside, b"]"),
        None => before_any(host, b":"),
    };
    // Git decodes a URL before it looks for the dash, and old versions did not look.
    let is_odd = |byte: &u8| !(byte.is_ascii_alphanumeric() || b".-_:".contains(byte));
    let plain = !authority.starts_with(b"-")
        && !authority.starts_with(b"%")
        && !host.starts_with(b"-")
        && !host.is_empty()
        && !host.iter().any(is_odd);
    plain.then(|| host.to_ascii_lowercase())
}

/// Whether this can only be the name of a remote: git takes anything else for an address.
pub(super) fn is_remote_name(name: &[u8]) -> bool {
    let is_name_byte = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    !name.is_empty()
        && !name.starts_with(b"-")
        && !name.starts_with(b".")
        && name.iter().all(is_name_byte)
}

fn before_any<'a>(text: &'a [u8], stops: &[u8]) -> &'a [u8] {
    text.split(|byte| stops.contains(byte))
        .next()
        .unwrap_or_default()
}
