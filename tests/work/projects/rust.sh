# A crate with a library of its own by path, tests, an example and a build script.
# Needs: cargo
git init -q -b main
mkdir -p src core/src examples tests
cat > Cargo.toml <<'X'
[workspace]
members = ["core"]

[package]
name = "greet"
version = "0.1.0"
edition = "2021"
license = "MIT"
description = "Greets."

[dependencies]
greet-core = { path = "core", version = "0.1.0" }
X
cat > core/Cargo.toml <<'X'
[package]
name = "greet-core"
version = "0.1.0"
edition = "2021"
license = "MIT"
description = "The words."
X
cat > core/src/lib.rs <<'X'
/// Greets somebody.
///
/// ```
/// assert_eq!(greet_core::greeting("you"), "hello you");
/// ```
pub fn greeting(name: &str) -> String {
    format!("hello {name}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn greets() {
        assert_eq!(super::greeting("x"), "hello x");
    }
}
X
cat > src/main.rs <<'X'
fn main() {
    let name = std::env::args().nth(1).unwrap_or_else(|| env!("BUILT_FOR").to_owned());
    println!("{}", greet_core::greeting(&name));
}
X
echo 'fn main() { println!("{}", greet_core::greeting("example")); }' > examples/hello.rs
echo 'fn main() { println!("cargo:rustc-env=BUILT_FOR={}", std::env::var("TARGET").unwrap()); }' > build.rs
cat > tests/files.rs <<'X'
use std::io::{Read, Write};

#[test]
fn a_file_and_a_socket_work() {
    let file = std::env::temp_dir().join("greet-test");
    std::fs::write(&file, "x").unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    listener.accept().unwrap().0.write_all(b"y").unwrap();
    let mut text = String::new();
    client.read_to_string(&mut text).unwrap();
    assert_eq!(text, "y");
}
X
echo 'fn main() { println!("{}", 6 * 7); }' > single.rs
printf 'target\n' > .gitignore
git add . && git commit -qm 'A crate that greets'
cargo build -q --offline
