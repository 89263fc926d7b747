//! The library's faces: tools for agents, the primitive, explanations, the doctor, and the resident engine.

pub(crate) mod agent_tool;
pub(crate) mod doctor;
pub mod primitive;
pub(crate) mod resident;
pub(crate) mod tools;
