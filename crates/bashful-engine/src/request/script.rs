//! A managed script as it comes to the engine: its sealed text, where its paths lead, its scratch.

pub(crate) mod advice;
pub(crate) mod call;
pub(crate) mod destinations;
pub(crate) mod scratch;
pub(crate) mod sealed;
pub(crate) mod terms;
