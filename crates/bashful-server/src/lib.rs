//! Bashful for other programs.
//!
//! [`mcp`] is the MCP server: every tool of the engine's registry, for every client that speaks
//! either generation of the protocol, on standard input and output or over HTTP. Only the
//! engine's public interface is used here, and nothing in here decides anything about a command.

pub mod mcp;
