//! Parts of simple commands: built-ins that the parser knows, declarations and assignments.

use shuck_ast as ast;

use super::Reader;
use crate::facts::UnknownKind;
use crate::shell::mark::Role;
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
        if has_broken_array(self.slice(declaration.span)) {
            self.not_bash(declaration.span);
        }
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
                            value: ValueNode::Array(Vec::new(), Vec::new()),
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
        if declaration.operands.iter().any(|one| self.makes_keyed(one)) {
            // These keys are texts, and nothing evaluates them.
            for node in &mut declared {
                if let ValueNode::Array(_, keys) = &mut node.value {
                    keys.clear();
                }
            }
        }
        Node::Simple(Simple {
            assignments: self.assignments(&declaration.assignments),
            words,
            declared,
        })
    }

    /// Whether an operand of a declaration is `-A`.
    fn makes_keyed(&self, operand: &ast::DeclOperand) -> bool {
        let ast::DeclOperand::Flag(word) = operand else {
            return false;
        };
        let text = self.slice(word.span);
        text.starts_with('-') && text.contains('A')
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
            ast::AssignmentValue::Scalar(word) => {
                let name = assignment.target.name.as_str();
                ValueNode::Word(self.as_role(Role::Value, |reader| {
                    reader.as_target(Some(name), |reader| reader.word(word))
                }))
            }
            ast::AssignmentValue::Compound(array) => {
                if !self.slice(assignment.span).ends_with(')') || !self.is_plain_array(array) {
                    self.not_bash(assignment.span);
                }
                let mut words = Vec::new();
                let mut keys = Vec::new();
                for element in &array.elements {
                    match element {
                        ast::ArrayElem::Sequential(value) => {
                            words.push(self.element(assignment, Role::Element, &value.word));
                        }
                        ast::ArrayElem::Keyed { key, value }
                        | ast::ArrayElem::KeyedAppend { key, value } => {
                            if self.slice(key.span()).contains(['$', '`']) {
                                // What a key expands to can be evaluated once more.
                                let (start, end) = (key.span().start, key.span().end);
                                self.problem(
                                    UnknownKind::StringEvaluation,
                                    start.offset(),
                                    end.offset(),
                                );
                            }
                            let mut expression = self.subscript_expression(key);
                            words.append(&mut expression.words);
                            keys.push(expression);
                            words.push(self.element(assignment, Role::Value, &value.word));
                        }
                    }
                }
                ValueNode::Array(words, keys)
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

    fn element(&mut self, assignment: &ast::Assignment, role: Role, word: &ast::Word) -> Word {
        let name = assignment.target.name.as_str();
        self.as_role(role, |reader| {
            reader.as_target(Some(name), |reader| reader.word(word))
        })
    }

    /// Whether nothing but blanks stands between the elements of an array; where bash sees more,
    /// it gives up and goes on with the next line.
    fn is_plain_array(&self, array: &ast::ArrayExpr) -> bool {
        let text = |from: usize, to: usize| self.text.get(from..to).unwrap_or_default();
        let mut at = array.span.start.offset();
        for element in &array.elements {
            let (ast::ArrayElem::Sequential(value)
            | ast::ArrayElem::Keyed { value, .. }
            | ast::ArrayElem::KeyedAppend { value, .. }) = element;
            let keyed = !matches!(element, ast::ArrayElem::Sequential(_));
            let span = value.word.span;
            let between = text(at, span.start.offset());
            if !keyed && between.contains([';', '|', '&', '<', '>']) && !between.contains('#') {
                return false;
            }
            at = span.end.offset();
        }
        let rest = text(at, array.span.end.offset());
        !rest.contains([';', '|', '&', '<', '>']) || rest.contains('#')
    }
}

/// Whether the array in a declaration has what ends a command, outside of quotes. Bash gives up
/// there and goes on with the next line.
fn has_broken_array(text: &str) -> bool {
    // The operator behind it is no part of it.
    let text = text.trim_end_matches([' ', '\t', '\n', ';', '&', '|']);
    let Some((_, array)) = text.split_once("=(") else {
        return false;
    };
    if array.contains("$(") || array.contains("<(") || array.contains('`') {
        return !text.trim_end().ends_with(')');
    }
    let (mut quote, mut escaped) = (None, false);
    for character in array.chars() {
        match (quote, character) {
            _ if escaped => {}
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), close) if open == close => quote = None,
            (None, ';' | '|' | '&' | '<' | '>') => return true,
            _ => {}
        }
        escaped = character == '\\' && !escaped && quote != Some('\'');
    }
    quote.is_some() || !text.contains(')')
}
