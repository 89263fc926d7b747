//! Over https.
