//! Parts of simple commands: built-ins that the parser knows, declarations and assignments.

use shuck_ast as ast;

use super::Reader;
use crate::shell::{AssignmentNode, Node, Simple, ValueNode, Word};

impl Reader<'_> {
    pub(super) fn builtin(&mut self, builtin: &ast::BuiltinCommand) -> Node {
        let (name, first, rest, assignments) = match builtin {
            ast::BuiltinCommand::Break(it) => ("break", &it.depth, &it.extra_args, &it.assignments),
            ast::BuiltinCommand::Continue(it) => {
                ("continue", &it.depth, &it.extra_args, &it.assignments)
            }
            ast::BuiltinCommand::Return(it) => {
                ("return", &it.code, &it.extra_args, &it.assignments)
            }
            ast::BuiltinCommand::Exit(it) => ("exit", &it.code, &it.extra_args, &it.assignments),
        };
        let mut words = vec![Word::text(name, (0, 0))];
        for word in first.iter().chain(rest) {
            words.push(self.word(word));
        }
        if let (Some(span), Some(word)) = (words.get(1).map(|word| word.span), words.first_mut()) {
            word.span = span;
        }
        Node::Simple(Simple {
            assignments: self.assignments(assignments),
            words,
            declared: Vec::new(),
        })
    }

    pub(super) fn declaration(&mut self, declaration: &ast::DeclClause) -> Node {
        let name = declaration.variant.as_str();
        let mut words = vec![Word::text(name, self.span(declaration.variant_span))];
        let mut declared = Vec::new();
        for operand in &declaration.operands {
            match operand {
                ast::DeclOperand::Flag(word) | ast::DeclOperand::Dynamic(word) => {
                    words.push(self.word(word));
                }
                ast::DeclOperand::Name(reference) => {
                    words.push(Word::text(
                        self.slice(reference.span),
                        self.span(reference.span),
                    ));
                    if let Some(expression) = self.subscript(reference) {
                        declared.push(AssignmentNode {
                            name: reference.name.as_str().to_owned(),
                            subscript: Some(expression),
                            value: ValueNode::Array(Vec::new()),
                            append: true,
                            span: self.span(reference.span),
                        });
                    }
                }
                ast::DeclOperand::Assignment(assignment) => {
                    words.push(Word::text(
                        self.slice(assignment.span),
                        self.span(assignment.span),
                    ));
                    declared.push(self.assignment(assignment));
                }
            }
        }
        Node::Simple(Simple {
            assignments: self.assignments(&declaration.assignments),
            words,
            declared,
        })
    }

    pub(super) fn words(&mut self, words: &[ast::Word]) -> Vec<Word> {
        words.iter().map(|word| self.word(word)).collect()
    }

    pub(super) fn assignments(&mut self, assignments: &[ast::Assignment]) -> Vec<AssignmentNode> {
        assignments
            .iter()
            .map(|assignment| self.assignment(assignment))
            .collect()
    }

    fn assignment(&mut self, assignment: &ast::Assignment) -> AssignmentNode {
        let subscript = self.subscript(&assignment.target);
        let value = match &assignment.value {
            ast::AssignmentValue::Scalar(word) => ValueNode::Word(self.word(word)),
            ast::AssignmentValue::Compound(array) => {
                if !self.slice(assignment.span).ends_with(')') {
                    self.not_bash(assignment.span);
                }
                let mut words = Vec::new();
                for element in &array.elements {
                    match element {
                        ast::ArrayElem::Sequential(value) => words.push(self.word(&value.word)),
                        ast::ArrayElem::Keyed { key, value }
                        | ast::ArrayElem::KeyedAppend { key, value } => {
                            let expression = self.subscript_expression(key);
                            words.extend(expression.words);
                            words.push(self.word(&value.word));
                        }
                    }
                }
                ValueNode::Array(words)
            }
        };
        AssignmentNode {
            name: assignment.target.name.as_str().to_owned(),
            subscript,
            value,
            append: assignment.append,
            span: self.span(assignment.span),
        }
    }
}
