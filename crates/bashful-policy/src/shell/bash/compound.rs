//! Compound commands: lists, pipelines, conditions and loops.

use shuck_ast as ast;

use super::{Base, Reader};
use crate::shell::mark::{Role, Usage};
use crate::shell::{Arm, Joint, Loop, Node, Word};

impl Reader<'_> {
    pub(super) fn binary(&mut self, binary: &ast::BinaryCommand) -> Node {
        // Chains lean to the left and can be long, so their spine is walked, not recursed.
        let is_pipe =
            |op: ast::BinaryOp| matches!(op, ast::BinaryOp::Pipe | ast::BinaryOp::PipeAll);
        let pipe = is_pipe(binary.op);
        let mut spine = vec![(binary.op, &*binary.right)];
        let mut left = &*binary.left;
        while let ast::Command::Binary(inner) = &left.command
            && is_pipe(inner.op) == pipe
            && left.redirects.is_empty()
            && !left.negated
        {
            spine.push((inner.op, &*inner.right));
            left = &inner.left;
        }
        let first = self.statement(left);
        let rest = spine.into_iter().rev();
        if pipe {
            let mut stages = vec![first];
            stages.extend(rest.map(|(_, statement)| self.statement(statement)));
            return Node::Pipeline(stages);
        }
        let mut list = vec![(Joint::First, first)];
        for (op, statement) in rest {
            let joint = match op {
                ast::BinaryOp::Or => Joint::Or,
                _ => Joint::And,
            };
            list.push((joint, self.statement(statement)));
        }
        Node::List(list)
    }

    fn arm(&mut self, item: &ast::CaseItem) -> Arm {
        let patterns = self.as_role(Role::Pattern, |reader| {
            let patterns = item.patterns.iter();
            patterns.map(|pattern| reader.pattern(pattern)).collect()
        });
        Arm {
            patterns,
            body: self.statements(&item.body),
            goes_on: !matches!(item.terminator, ast::CaseTerminator::Break),
        }
    }

    pub(super) fn compound(&mut self, compound: &ast::CompoundCommand) -> Node {
        use ast::CompoundCommand as Compound;
        match compound {
            Compound::If(it) => {
                let mut branches = vec![(
                    self.statements(&it.condition),
                    self.statements(&it.then_branch),
                )];
                for (condition, body) in &it.elif_branches {
                    branches.push((self.statements(condition), self.statements(body)));
                }
                let otherwise = it.else_branch.as_ref();
                let otherwise = otherwise.map(|body| self.statements(body));
                Node::If(branches, otherwise.unwrap_or_default())
            }
            Compound::For(it) => {
                let variable = it.targets.first().and_then(|target| target.name.as_ref());
                let variable = variable.map(|name| name.as_str().to_owned());
                if variable.is_none() || it.targets.len() > 1 {
                    self.not_bash(it.span);
                }
                if it.words.is_none() {
                    self.loop_parameters(variable.as_deref(), it.span);
                }
                Node::Loop(Loop {
                    words: it
                        .words
                        .as_ref()
                        .map(|words| self.loop_words(variable.as_deref(), words)),
                    variable,
                    body: self.statements(&it.body),
                    ..Loop::default()
                })
            }
            Compound::Select(it) => self.select(it),
            Compound::ArithmeticFor(it) => {
                let parts = [
                    (it.init_span, &it.init_ast),
                    (it.condition_span, &it.condition_ast),
                    (it.step_span, &it.step_ast),
                ];
                let expressions = parts
                    .into_iter()
                    .filter_map(|(span, node)| Some(self.expression(node.as_ref(), span?)))
                    .collect();
                Node::Loop(Loop {
                    expressions,
                    body: self.statements(&it.body),
                    ..Loop::default()
                })
            }
            Compound::While(it) => Node::Loop(Loop {
                condition: self.statements(&it.condition),
                body: self.statements(&it.body),
                ..Loop::default()
            }),
            Compound::Until(it) => Node::Loop(Loop {
                condition: self.statements(&it.condition),
                body: self.statements(&it.body),
                ..Loop::default()
            }),
            Compound::Case(it) => {
                let word = self.as_role(Role::Subject, |reader| reader.word(&it.word));
                let arms = it.cases.iter().map(|item| self.arm(item));
                Node::Case(word, arms.collect())
            }
            Compound::Subshell(body) => Node::Subshell(self.statements(body)),
            Compound::BraceGroup(body) => Node::Group(self.statements(body)),
            Compound::Arithmetic(it) => self.arithmetic_command(it),
            Compound::Time(it) => {
                let command = it.command.as_ref();
                Node::Timed(command.map(|command| Box::new(self.statement(command))))
            }
            Compound::Conditional(it) => {
                let strict = std::mem::replace(&mut self.strict, false);
                let operands = self.conditional(&it.expression);
                self.strict = strict;
                Node::Test(operands)
            }
            Compound::Coproc(it) => Node::Coprocess(Box::new(self.statement(&it.body))),
            Compound::Repeat(it) => {
                self.not_bash(it.span);
                Node::Group(self.statements(&it.body))
            }
            Compound::Foreach(it) => {
                self.not_bash(it.span);
                Node::Group(self.statements(&it.body))
            }
            Compound::Always(it) => {
                self.not_bash(it.span);
                let mut body = self.statements(&it.body);
                body.extend(self.statements(&it.always_body));
                Node::Group(body)
            }
        }
    }

    fn select(&mut self, it: &ast::SelectCommand) -> Node {
        let variable = it.variable.as_str();
        if it.words.is_empty() {
            self.loop_parameters(Some(variable), it.span);
        }
        Node::Loop(Loop {
            variable: Some(variable.to_owned()),
            words: Some(self.loop_words(Some(variable), &it.words)),
            body: self.statements(&it.body),
            ..Loop::default()
        })
    }

    fn loop_words(&mut self, variable: Option<&str>, words: &[ast::Word]) -> Vec<Word> {
        self.as_role(Role::LoopWord, |reader| {
            reader.as_target(variable, |reader| reader.words(words))
        })
    }

    /// A loop without words takes the parameters.
    fn loop_parameters(&mut self, variable: Option<&str>, span: ast::Span) {
        let start = span.start.offset();
        self.as_role(Role::LoopWord, |reader| {
            let span = (start, start + 1);
            let word = std::mem::replace(&mut reader.marks.word, span);
            reader.as_target(variable, |reader| reader.refer("@", Usage::Value, span));
            reader.marks.word = word;
        });
    }

    /// `((…))`, which is sometimes two nested subshells.
    fn arithmetic_command(&mut self, command: &ast::ArithmeticCommand) -> Node {
        let span = command.span;
        if command.expr_ast.is_some() || command.expr_span.is_none() {
            let whole = command.expr_span.unwrap_or(span);
            let strict = std::mem::replace(&mut self.strict, false);
            let expression = self.expression(command.expr_ast.as_ref(), whole);
            self.strict = strict;
            return Node::Arithmetic(expression);
        }
        self.not_bash(span);
        let (start, end) = (span.start.offset(), span.end.offset().min(self.text.len()));
        let inside = self.text.get(start + 1..end.saturating_sub(1));
        let inside = inside.unwrap_or_default().to_owned();
        self.seen.whole(start, end);
        let base = match self.base {
            Base::Offset(offset) => Base::Offset(offset + start + 1),
            fixed @ Base::Fixed(_) => fixed,
        };
        Node::Subshell(self.nested(&inside, base))
    }
}
