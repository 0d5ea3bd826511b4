"""Limits on templates: the syntax they may use, and the work they may do, so that nested loops end.

Jinja2's sandbox restricts what a template can access, but neither its time nor its output.
Therefore each body of a template reports its size when it starts, and all text that is written,
joined or compared is counted by the sandbox. No clock is involved: the same template is refused
everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jinja2 import nodes
from jinja2.compiler import CodeGenerator
from jinja2.exceptions import TemplateSyntaxError
from jinja2.visitor import NodeTransformer

if TYPE_CHECKING:
    from collections.abc import Iterable

_STATEMENTS = (
    *(nodes.Template, nodes.Output, nodes.TemplateData),
    *(nodes.If, nodes.For, nodes.Assign, nodes.AssignBlock, nodes.Include, nodes.FilterBlock),
)
_EXPRESSIONS = (
    *(nodes.Name, nodes.Const, nodes.Tuple, nodes.List, nodes.Keyword),
    *(nodes.Getattr, nodes.Getitem, nodes.Filter, nodes.Test, nodes.Concat, nodes.CondExpr),
    *(nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.Neg, nodes.Pos),
    *(nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.Pow),
)
_KNOWN = frozenset((*_STATEMENTS, *_EXPRESSIONS))
_STRANGE: dict[type[nodes.Node], str] = {
    nodes.Call: "calls are not supported",
    nodes.Dict: "`{...}` is not supported",
    nodes.Slice: "slices are not supported",
    nodes.NSRef: "only a plain name can be set",
    nodes.CallBlock: "`call` is not supported",
    nodes.FromImport: "`from` is not supported",
    nodes.Scope: "`autoescape` is not supported",
}


class Generator(CodeGenerator):
    """Compiles templates with these limits. Raises `TemplateSyntaxError` for forbidden syntax."""

    def visit_Template(self, node: nodes.Template, frame: Any = None) -> None:  # noqa: N802
        """Compile a template, without macros and other forbidden nodes."""
        tree = _Bounded(self.name, self.filename).visit(node)
        tree.set_environment(self.environment)
        super().visit_Template(tree, frame)


class _Bounded(NodeTransformer):
    def __init__(self, name: str | None, filename: str | None) -> None:
        self._name = name
        self._filename = filename

    def visit(self, node: nodes.Node, *args: Any, **kwargs: Any) -> Any:
        if type(node) not in _KNOWN:
            fault = _STRANGE.get(type(node), f"`{type(node).__name__.lower()}` is not supported")
            message = f"templates support only if, for, set, include and filter: {fault}"
            raise TemplateSyntaxError(message, node.lineno or 1, self._name, self._filename)
        return super().visit(node, *args, **kwargs)

    def visit_Template(self, node: nodes.Template) -> nodes.Node:  # noqa: N802
        """Make a template report its size."""
        size = _size(node.body)
        self.generic_visit(node)
        node.body.insert(0, _told(size, node))
        return node

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802
        """Make each iteration of a loop report its size, including filtered ones."""
        size = _size(node.body)
        self.generic_visit(node)
        node.body.insert(0, _told(size, node))
        if node.test is not None:
            price = _asked("spend", [nodes.Const(_size([node.test]))], node)
            node.test = nodes.And(price, node.test, lineno=node.lineno)
        return node

    def visit_Output(self, node: nodes.Output) -> nodes.Node:  # noqa: N802
        """Make literal text go through the same output as expressions."""
        self.generic_visit(node)
        node.nodes = [
            nodes.Const(part.data, lineno=part.lineno)
            if isinstance(part, nodes.TemplateData)
            else part
            for part in node.nodes
        ]
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802
        """Make joined text count like output."""
        self.generic_visit(node)
        return _asked("joined", node.nodes, node)

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:  # noqa: N802
        """Make both sides of a comparison count."""
        self.generic_visit(node)
        node.expr = _asked("weighed", [node.expr], node)
        for operand in node.ops:
            operand.expr = _asked("weighed", [operand.expr], node)
        return node


def _asked(method: str, exprs: list[nodes.Expr], at: nodes.Node) -> nodes.Call:
    """Return a call of a sandbox method."""
    return nodes.Call(nodes.EnvironmentAttribute(method), exprs, [], None, None, lineno=at.lineno)


def _told(size: int, at: nodes.Node) -> nodes.Stmt:
    return nodes.ExprStmt(_asked("spend", [nodes.Const(size)], at), lineno=at.lineno)


def _size(body: Iterable[nodes.Node]) -> int:
    """Return the number of nodes in a body, without the bodies of its loops, plus one, because an
    empty body takes time too."""
    count, waiting = 1, [*body]
    while waiting:
        node = waiting.pop()
        count += 1
        leave_out = ("body",) if isinstance(node, nodes.For) else None
        waiting += node.iter_child_nodes(exclude=leave_out)
    return count
