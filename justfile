# The menu. Everything here is a `cargo xtask` chore; see `cargo xtask --help`.

# List the menu.
default:
    @just --list

# Everything that must hold before a change goes in.
test *ARGS:
    cargo xtask test {{ARGS}}

# The text-level rules that the security claims rest on.
tidy:
    cargo xtask tidy

# The long jobs: properties and fault rounds.
soak *ARGS:
    cargo xtask soak {{ARGS}}

# Build for release and measure.
bench *ARGS:
    cargo xtask bench {{ARGS}}
