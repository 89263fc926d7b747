//! Expansions: everything about a `${…}`.

use shuck_ast as ast;

use crate::facts::UnknownKind;
use crate::shell::bash::Reader;
use crate::shell::mark::Role;
use crate::shell::{Expansion, Operator};

impl Reader<'_> {
    /// Everything about a `${…}`, in whichever of its two shapes the parser gives it.
    pub(super) fn expansion(&mut self, part: &ast::WordPart) -> Expansion {
        use ast::WordPart as Part;
        let mut expansion = Expansion::default();
        match part {
            Part::Parameter(parameter) => match &parameter.syntax {
                ast::ParameterExpansionSyntax::Bourne(bourne) => {
                    self.bourne(bourne, &mut expansion);
                }
                // Another shell's syntax, which bash refuses when it gets there. Commands inside
                // are not in the tree, which the guard notices.
                ast::ParameterExpansionSyntax::Zsh(_) => {}
            },
            Part::ParameterExpansion {
                reference,
                operator,
                operand_word_ast,
                ..
            } => {
                self.reference(reference, &mut expansion);
                self.operator(operator, operand_word_ast.as_deref(), &mut expansion);
            }
            Part::Length(reference) | Part::ArrayLength(reference) => {
                self.reference(reference, &mut expansion);
                expansion.operator = Operator::Length;
            }
            Part::ArrayAccess(reference) | Part::ArrayIndices(reference) => {
                self.reference(reference, &mut expansion);
            }
            Part::Substring {
                reference,
                offset_ast,
                offset_word_ast,
                length_ast,
                length_word_ast,
                ..
            }
            | Part::ArraySlice {
                reference,
                offset_ast,
                offset_word_ast,
                length_ast,
                length_word_ast,
                ..
            } => {
                self.reference(reference, &mut expansion);
                self.slice_part(offset_ast.as_deref(), offset_word_ast, &mut expansion);
                if let Some(word) = length_word_ast {
                    self.slice_part(length_ast.as_deref(), word, &mut expansion);
                }
            }
            Part::IndirectExpansion {
                reference,
                operator,
                operand_word_ast,
                ..
            } => {
                self.reference(reference, &mut expansion);
                if let Some(operator) = operator {
                    self.operator(operator, operand_word_ast.as_deref(), &mut expansion);
                }
                expansion.operator = Operator::Indirect;
            }
            Part::Transformation {
                reference,
                operator,
            } => {
                self.reference(reference, &mut expansion);
                expansion.operator = transformation(*operator);
            }
            _ => {}
        }
        expansion
    }

    /// `${!x@Q}` and its kin, which bash takes for an operator on what `x` names, and the parser
    /// for a variable or a beginning of names.
    pub(super) fn misread(&mut self, part: &ast::WordPart, span: ast::Span) -> Option<Expansion> {
        use ast::BourneParameterExpansion as Bourne;
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let bourne = match part {
            ast::WordPart::Parameter(parameter) => parameter.bourne(),
            _ => None,
        };
        let body = match (part, bourne) {
            (ast::WordPart::Variable(name), _) => name.as_str().strip_prefix('!')?,
            (_, Some(Bourne::Access { reference })) => reference.name.as_str().strip_prefix('!')?,
            (ast::WordPart::PrefixMatch { prefix, .. }, _)
            | (_, Some(Bourne::PrefixMatch { prefix, .. }))
                if !prefix.as_str().bytes().all(is_part) =>
            {
                prefix.as_str()
            }
            _ => return None,
        };
        if body.is_empty() {
            return None;
        }
        let end = body.bytes().position(|byte| !is_part(byte));
        let (name, operator) = body.split_at(end.unwrap_or(body.len()));
        if name.is_empty() || !operator.starts_with(['@', '^', ',']) || operator == "@P" {
            // A slice or a subscript, which is evaluated and has no tree here.
            let (start, end) = (span.start.offset(), span.end.offset());
            self.problem(UnknownKind::StringEvaluation, start, end);
        }
        Some(Expansion {
            name: name.to_owned(),
            operator: Operator::Indirect,
            span: self.span(span),
            ..Expansion::default()
        })
    }

    fn bourne(&mut self, bourne: &ast::BourneParameterExpansion, expansion: &mut Expansion) {
        use ast::BourneParameterExpansion as Bourne;
        match bourne {
            Bourne::Access { reference } | Bourne::Indices { reference } => {
                self.reference(reference, expansion);
            }
            Bourne::Length { reference } => {
                self.reference(reference, expansion);
                expansion.operator = Operator::Length;
            }
            Bourne::Indirect {
                reference,
                operator,
                operand_word_ast,
                ..
            } => {
                self.reference(reference, expansion);
                if let Some(operator) = operator {
                    self.operator(operator, operand_word_ast.as_deref(), expansion);
                }
                expansion.operator = Operator::Indirect;
            }
            Bourne::PrefixMatch { .. } => {}
            Bourne::Slice {
                reference,
                offset_ast,
                offset_word_ast,
                length_ast,
                length_word_ast,
                ..
            } => {
                self.reference(reference, expansion);
                self.slice_part(offset_ast.as_deref(), offset_word_ast, expansion);
                if let Some(word) = length_word_ast {
                    self.slice_part(length_ast.as_deref(), word, expansion);
                }
            }
            Bourne::Operation {
                reference,
                operator,
                operand_word_ast,
                ..
            } => {
                self.reference(reference, expansion);
                self.operator(operator, operand_word_ast.as_deref(), expansion);
            }
            Bourne::Transformation {
                reference,
                operator,
            } => {
                self.reference(reference, expansion);
                expansion.operator = transformation(*operator);
            }
        }
    }

    fn slice_part(
        &mut self,
        tree: Option<&ast::ArithmeticExprNode>,
        word: &ast::Word,
        expansion: &mut Expansion,
    ) {
        let expression = self.expression(tree, word.span);
        expansion.expressions.push(expression);
        if tree.is_none() {
            let word = self.as_role(Role::Arithmetic, |reader| reader.word(word));
            expansion.words.push(word);
        }
    }

    fn reference(&mut self, reference: &ast::VarRef, expansion: &mut Expansion) {
        reference.name.as_str().clone_into(&mut expansion.name);
        let subscript = self.subscript(reference);
        expansion.expressions.extend(subscript);
    }

    fn operator(
        &mut self,
        operator: &ast::ParameterOp,
        operand: Option<&ast::Word>,
        expansion: &mut Expansion,
    ) {
        use ast::ParameterOp as Op;
        if let Some(operand) = operand {
            let plain = matches!(
                operator,
                Op::UseDefault | Op::AssignDefault | Op::UseReplacement | Op::Error
            );
            let quoted = std::mem::replace(&mut self.quoted_word, plain && self.in_quotes);
            let role = match (plain, self.in_quotes) {
                (true, true) => Role::QuotedDefault,
                (true, false) => Role::Default,
                (false, _) => Role::Pattern,
            };
            let role = role.inside(self.marks.role);
            let assigned = matches!(operator, Op::AssignDefault).then_some(expansion.name.as_str());
            let word = self.as_role(role, |reader| {
                reader.as_target(assigned, |reader| reader.word(operand))
            });
            self.quoted_word = quoted;
            expansion.words.push(word);
        }
        expansion.operator = match operator {
            Op::UseDefault => Operator::Default,
            Op::AssignDefault => Operator::Assign,
            Op::UseReplacement => Operator::Alternative,
            Op::Error => Operator::Require,
            Op::RemovePrefixShort { pattern }
            | Op::RemovePrefixLong { pattern }
            | Op::RemoveSuffixShort { pattern }
            | Op::RemoveSuffixLong { pattern } => {
                let word = self.as_role(Role::Pattern, |reader| reader.pattern(pattern));
                expansion.words.push(word);
                match operator {
                    Op::RemovePrefixLong { .. } => Operator::Prefix,
                    Op::RemovePrefixShort { .. } => Operator::Other,
                    _ => Operator::Suffix,
                }
            }
            Op::ReplaceFirst {
                pattern,
                replacement_word_ast,
                ..
            }
            | Op::ReplaceAll {
                pattern,
                replacement_word_ast,
                ..
            } => {
                let pattern = self.as_role(Role::Pattern, |reader| reader.pattern(pattern));
                let splits = matches!(
                    self.marks.role,
                    Role::Argument | Role::LoopWord | Role::Element | Role::Default
                );
                let role = if splits && !self.in_quotes {
                    Role::SplitReplacement
                } else {
                    Role::Replacement
                };
                let role = role.inside(self.marks.role);
                let replacement = self.as_role(role, |reader| reader.word(replacement_word_ast));
                expansion.words.extend([pattern, replacement]);
                Operator::Other
            }
            Op::UpperFirst | Op::UpperAll | Op::LowerFirst | Op::LowerAll => Operator::Other,
        };
    }
}

fn transformation(operator: char) -> Operator {
    match operator {
        'P' => Operator::Evaluate,
        _ => Operator::Other,
    }
}
