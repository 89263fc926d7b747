//! The policy from outside: tables of decisions, laws, and real bash as the judge.

mod agreement;
mod benign;
mod corpus;
mod documents;
mod fill;
mod found;
mod fuzz;
mod hiding;
mod laws;
mod limits;
mod profile;
mod shell_memory;
mod support;
mod tables;
mod templates;
mod validator;
mod variables;
