//! Arithmetic and `[[ … ]]`: what they expand and evaluate.

use shuck_ast as ast;

use super::Reader;
use crate::facts::UnknownKind;
use crate::shell::mark::{Role, Usage};
use crate::shell::{Evaluated, Expression, Operand, Word};

impl Reader<'_> {
    /// An expression; a problem where the parser has no tree for it.
    pub(super) fn expression(
        &mut self,
        tree: Option<&ast::ArithmeticExprNode>,
        span: ast::Span,
    ) -> Expression {
        let mut expression = Expression {
            span: self.span(span),
            ..Expression::default()
        };
        let Some(tree) = tree else {
            let (start, end) = (span.start.offset(), span.end.offset());
            let text = self.slice(span);
            let inside = text.trim_start_matches("$((").trim_end_matches("))").trim();
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_@*+-$".contains(&byte);
            if !inside.bytes().all(plain) {
                self.problem(UnknownKind::Syntax, start, end);
            }
            return expression;
        };
        // Long chains lean to the left, so they are walked with a list of what is left to see.
        let mut left = vec![tree];
        while let Some(node) = left.pop() {
            self.arithmetic_node(node, &mut expression, &mut left);
        }
        expression
    }

    fn arithmetic_node<'n>(
        &mut self,
        node: &'n ast::ArithmeticExprNode,
        expression: &mut Expression,
        left: &mut Vec<&'n ast::ArithmeticExprNode>,
    ) {
        use ast::ArithmeticExpr as Expr;
        match &node.kind {
            Expr::Number(_) => {}
            Expr::Variable(name) => {
                self.refer_in_expression(name.as_str(), node.span);
                expression.names.push(name.as_str().to_owned());
            }
            Expr::Indexed { name, index } => {
                self.refer_in_expression(name.as_str(), node.span);
                expression.names.push(name.as_str().to_owned());
                left.push(index);
            }
            Expr::ShellWord(word) => {
                let role = match self.marks.role {
                    Role::Subscript => Role::Subscript,
                    _ => Role::Arithmetic,
                };
                let word = self.as_role(role, |reader| reader.word(word));
                expression.words.push(word);
            }
            Expr::Parenthesized { expression: inner } => left.push(inner),
            Expr::Unary { expr, op } => {
                if matches!(
                    op,
                    ast::ArithmeticUnaryOp::PreIncrement | ast::ArithmeticUnaryOp::PreDecrement
                ) {
                    assigned(expr, expression);
                }
                left.push(expr);
            }
            Expr::Postfix { expr, .. } => {
                assigned(expr, expression);
                left.push(expr);
            }
            Expr::Binary {
                left: one, right, ..
            } => left.extend([&**one, right]),
            Expr::Conditional {
                condition,
                then_expr,
                else_expr,
            } => left.extend([&**condition, then_expr, else_expr]),
            Expr::Assignment { target, value, op } => {
                match target {
                    ast::ArithmeticLvalue::Variable(name) => {
                        if !matches!(op, ast::ArithmeticAssignOp::Assign) {
                            self.refer_in_expression(name.as_str(), node.span);
                        }
                        expression.assigned.push(name.as_str().to_owned());
                    }
                    ast::ArithmeticLvalue::Indexed { name, index } => {
                        expression.assigned.push(name.as_str().to_owned());
                        left.push(index);
                    }
                }
                left.push(value);
            }
        }
    }

    fn refer_in_expression(&mut self, name: &str, span: ast::Span) {
        let span = (span.start.offset(), span.end.offset());
        let role = Role::Arithmetic.inside(self.marks.role);
        self.as_role(role, |reader| reader.refer(name, Usage::Value, span));
    }

    /// What stands in `NAME[…]`.
    pub(super) fn subscript(&mut self, reference: &ast::VarRef) -> Option<Expression> {
        let subscript = reference.subscript.as_deref()?;
        if subscript.is_array_selector() {
            return None;
        }
        Some(self.subscript_expression(subscript))
    }

    pub(super) fn subscript_expression(&mut self, subscript: &ast::Subscript) -> Expression {
        let span = subscript.span();
        let text = self.slice(span);
        if text.contains(['\'', '"', '\\']) && text.contains(['$', '`']) {
            // What is quoted here is evaluated once more.
            let (start, end) = (span.start.offset(), span.end.offset());
            self.problem(UnknownKind::StringEvaluation, start, end);
        }
        if let Some(tree) = &subscript.arithmetic_ast {
            return self.as_role(Role::Subscript, |reader| {
                reader.expression(Some(tree), span)
            });
        }
        let mut expression = Expression {
            span: self.span(span),
            ..Expression::default()
        };
        match subscript.word_ast() {
            Some(word) => {
                let word = self.as_role(Role::Subscript, |reader| reader.word(word));
                expression.words.push(word);
            }
            None => expression = self.expression(None, span),
        }
        expression
    }

    /// The operands of `[[ … ]]`.
    pub(super) fn conditional(&mut self, tree: &ast::ConditionalExpr) -> Vec<Operand> {
        use ast::{ConditionalBinaryOp as Binary, ConditionalUnaryOp as Unary};
        let mut operands = Vec::new();
        let mut left = vec![(tree, Role::Operand)];
        while let Some((node, role)) = left.pop() {
            match node {
                ast::ConditionalExpr::Binary(it) => {
                    let role = match it.op {
                        Binary::ArithmeticEq
                        | Binary::ArithmeticNe
                        | Binary::ArithmeticLe
                        | Binary::ArithmeticGe
                        | Binary::ArithmeticLt
                        | Binary::ArithmeticGt => Role::Arithmetic,
                        _ => Role::Operand,
                    };
                    left.extend([(&*it.right, role), (&*it.left, role)]);
                }
                ast::ConditionalExpr::Unary(it) => {
                    let role = match it.op {
                        Unary::VariableSet | Unary::ReferenceVariable => Role::TestedName,
                        _ => Role::Operand,
                    };
                    left.push((&it.expr, role));
                }
                ast::ConditionalExpr::Parenthesized(it) => left.push((&it.expr, Role::Operand)),
                ast::ConditionalExpr::Word(word) => {
                    let word = self.as_role(role, |reader| reader.word(word));
                    operands.push(Operand {
                        word,
                        evaluated: evaluated(role),
                    });
                }
                ast::ConditionalExpr::Regex(word) => {
                    let word = self.as_role(Role::Regex, |reader| reader.word(word));
                    operands.push(Operand {
                        word,
                        evaluated: evaluated(role),
                    });
                }
                ast::ConditionalExpr::Pattern(pattern) => {
                    let word = self.as_role(Role::Pattern, |reader| reader.pattern(pattern));
                    operands.push(Operand {
                        word,
                        evaluated: evaluated(role),
                    });
                }
                ast::ConditionalExpr::VarRef(reference) => {
                    if let Some(expression) = self.subscript(reference) {
                        let span = expression.span;
                        let names = expression.names.iter();
                        let names = names.map(|name| Word::text(name.as_str(), span));
                        let assigned = expression.assigned.iter();
                        let assigned = assigned.map(|name| Word::text(&format!("{name}=0"), span));
                        let words = expression.words.into_iter().chain(names).chain(assigned);
                        operands.extend(words.map(|word| Operand {
                            word,
                            evaluated: Evaluated::Subscript,
                        }));
                    }
                }
            }
        }
        operands
    }
}

/// What the shell makes of an operand that stands in this way.
fn evaluated(role: Role) -> Evaluated {
    match role {
        Role::Arithmetic => Evaluated::Expression,
        Role::TestedName => Evaluated::Name,
        _ => Evaluated::Text,
    }
}

/// Notes the variable that a step up or down changes.
fn assigned(node: &ast::ArithmeticExprNode, expression: &mut Expression) {
    match &node.kind {
        ast::ArithmeticExpr::Variable(name) | ast::ArithmeticExpr::Indexed { name, .. } => {
            expression.assigned.push(name.as_str().to_owned());
        }
        ast::ArithmeticExpr::Parenthesized { expression: inner } => assigned(inner, expression),
        _ => {}
    }
}
