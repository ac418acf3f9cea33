"""Faults that can be planted in a module: small edits of its source, made by rule."""

from __future__ import annotations

import ast
import hashlib
import itertools
import re
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
OPERATORS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "+"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "//"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}
ORDERED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift)
"""Operators whose operands cannot be exchanged."""

INVERTED = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
"""Comparison operators that the rule for comparisons replaces by their negation."""

PREDICATES = dict(
    zip(
        ["slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge", "eq", "ne"],
        ["sle", "slt", "sge", "sgt", "ule", "ult", "uge", "ugt", "ne", "eq"],
        strict=True,
    )
)
"""Comparisons of LLVM's ``icmp``."""

INSTRUCTIONS = dict(
    zip(
        ["add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor", "sdiv", "udiv", "urem"],
        ["sub", "add", "add", "lshr", "shl", "shl", "or", "and", "or", "mul", "mul", "udiv"],
        strict=True,
    )
)
"""Operators of LLVM, each with another one of the same types."""

NATIVE = re.compile(
    rf"\bicmp ({'|'.join(PREDICATES)})\b|\b({'|'.join(INSTRUCTIONS)}) i(?:1|8|16|32|64)\b"
)
"""A comparison or an operator in a template of machine code: LLVM's text in a string."""

EVENT = re.compile("announce|emit|event|notify|progress|publish|report|send|tell|warn")
"""Matches the names of functions that pass on that something happened."""

UNMUTATED = ("TYPE_CHECKING", "__name__", "logger")
"""Statements that begin with these names get no faults."""


@dataclass(frozen=True)
class Fault:
    """An edit of a module's source.

    Attributes:
        file: the module's path, from the root of the checkout.
        function: the qualified name of the function or class it is in; empty outside of any.
        rule: the kind of fault.
        line: the number of the edit's first line.
        before: the lines that the edit changes, with single spaces.
        after: these lines with the fault.
        start: offset of the replaced bytes.
        end: offset of the first byte after them.
        replacement: what stands there instead.
    """

    file: str
    function: str
    rule: str
    line: int
    before: str
    after: str
    start: int
    end: int
    replacement: bytes

    @property
    def key(self) -> str:
        """Identifies the fault, whatever happens to lines above it."""
        text = "\n".join((self.file, self.function, self.before, self.after))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def planted(self, source: bytes) -> bytes:
        """The module's source with the fault."""
        return source[: self.start] + self.replacement + source[self.end :]


def faults(file: str, source: bytes) -> list[Fault]:
    """All faults that the rules plant in a module, in the order of the source."""
    planter = _Planter(file, source)
    planter.visit(ast.parse(source))
    return list({fault.key: fault for fault in sorted(planter.faults, key=_position)}.values())


def changes_code(fault: Fault, source: bytes) -> bool:
    """Whether the module's bytecode differs with the fault; a module that is no code does."""
    try:
        planted = compile(fault.planted(source), fault.file, "exec")
    except SyntaxError:
        return False
    return _essence(planted) != _essence(compile(source, fault.file, "exec"))


def _position(fault: Fault) -> tuple[int, int]:
    return fault.start, fault.end


def _essence(code: types.CodeType) -> tuple[Any, ...]:
    """A code object without its positions in the source."""
    constants = tuple(
        _essence(value) if isinstance(value, types.CodeType) else repr(value)
        for value in code.co_consts
    )
    return code.co_code, code.co_names, code.co_varnames, constants, code.co_exceptiontable


class _Planter(ast.NodeVisitor):
    """Collects the faults of a module."""

    def __init__(self, file: str, source: bytes) -> None:
        self.file = file
        self.source = source
        self.faults: list[Fault] = []
        self.scope: list[str] = []
        self.lines = [0]
        for line in source.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))

    def visit(self, node: ast.AST) -> None:
        """Adds the faults of a node and of what is in it; annotations and decorators get none."""
        if isinstance(node, ast.stmt) and self.text(node).startswith(UNMUTATED, _prefix(node)):
            return
        for rule, start, end, replacement in self.edits(node):
            self.add(rule, start, end, replacement)
        named = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if named:
            self.scope.append(node.name)  # type: ignore[attr-defined]
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list", "bases"):
                continue
            for child in value if isinstance(value, list) else [value]:
                # an f-string's parts have no exact positions before Python 3.12
                if isinstance(child, ast.AST) and not isinstance(node, ast.JoinedStr):
                    self.visit(child)
        if named:
            self.scope.pop()

    def edits(self, node: ast.AST) -> Iterator[tuple[str, int, int, str]]:
        """The edits of one node: the rule, the first offset, the end, the replacement."""
        match node:
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                for before, op, after in zip([left, *comparators], ops, comparators, strict=False):
                    yield from self.operator("comparison", before, after, COMPARISONS[type(op)])
            case ast.BoolOp(op=op, values=[first, second, *_]):
                words = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
                yield from self.operator("and/or", first, second, words)
            case ast.BinOp(left=left, op=op, right=right):
                if type(op) in OPERATORS:
                    yield from self.operator("operator", left, right, OPERATORS[type(op)])
                if isinstance(op, ORDERED):
                    yield from self.swap(left, right)
            case ast.Constant(value=bool(value)):
                yield "constant", *self.span(node), str(not value)
            case ast.Constant(value=int(value)):
                yield "off by one", *self.span(node), str(value + 1)
            case ast.Constant(value=float(value)):
                yield "constant", *self.span(node), repr(value * 2 if value else 1.0)
            case ast.Call(func=called, args=[*arguments]):
                for first, second in itertools.pairwise(arguments):
                    are_places = _is_place(first) and _is_place(second)
                    if are_places and self.text(called) != "isinstance":
                        yield from self.swap(first, second)
                for argument in arguments:
                    if isinstance(argument, ast.Constant) and argument.value in PREDICATES:
                        predicate = PREDICATES[argument.value]
                        yield "machine code", *self.span(argument), f'"{predicate}"'
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                yield from self.negation(test)
            case ast.comprehension(ifs=[*tests]):
                for test in tests:
                    yield from self.negation(test)
            case ast.Expr(value=ast.Yield()):
                yield "lost event", *self.span(node), "pass"
            case ast.Expr(value=ast.Call(func=function)):
                name = self.text(function).rpartition(".")[2]
                rule = "lost event" if EVENT.search(name) else "dropped statement"
                yield rule, *self.span(node), "pass"
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                yield "dropped statement", *self.span(node), "pass"
            case (
                ast.AugAssign() | ast.Raise() | ast.Break() | ast.Continue()
                | ast.Return(value=None)
            ):  # fmt: skip
                yield "dropped statement", *self.span(node), "pass"
        if isinstance(node, ast.JoinedStr) or (
            isinstance(node, ast.Constant) and isinstance(node.value, str)
        ):
            start, end = self.span(node)
            for match in NATIVE.finditer(self.source[start:end].decode()):
                group = match.lastindex or 1
                word = match.group(group)
                before = len(match.string[: match.start(group)].encode())
                other_word = PREDICATES.get(word) or INSTRUCTIONS[word]
                yield "machine code", start + before, start + before + len(word), other_word

    def operator(
        self, rule: str, left: ast.AST, right: ast.AST, words: tuple[str, str]
    ) -> Iterator[tuple[str, int, int, str]]:
        """The edit that replaces an operator between two operands."""
        start, end = self.span(left)[1], self.span(right)[0]
        gap = self.source[start:end].decode()
        match = re.search(r"\s+".join(map(re.escape, words[0].split())), gap)
        if match and "#" not in gap:
            yield rule, start + match.start(), start + match.end(), words[1]

    def swap(self, first: ast.AST, second: ast.AST) -> Iterator[tuple[str, int, int, str]]:
        """The edit that exchanges two operands or arguments."""
        (start, after), (before, end) = self.span(first), self.span(second)
        between = self.source[after:before].decode()
        if ast.dump(first) != ast.dump(second):
            yield "swapped operands", start, end, self.text(second) + between + self.text(first)

    def negation(self, test: ast.expr) -> Iterator[tuple[str, int, int, str]]:
        """The edit that negates a condition, unless that is the fault of its comparison."""
        match test:
            case ast.Compare(ops=[op]) if isinstance(op, INVERTED):
                return
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield "negated condition", *self.span(test), f"({self.text(operand)})"
            case _:
                yield "negated condition", *self.span(test), f"(not ({self.text(test)}))"

    def add(self, rule: str, start: int, end: int, replacement: str) -> None:
        """Adds a fault, with the lines around it."""
        first = self.source.rfind(b"\n", 0, start) + 1
        last = self.source.find(b"\n", end)
        last = len(self.source) if last < 0 else last
        before = self.source[first:last]
        after = self.source[first:start] + replacement.encode() + self.source[end:last]
        texts = [" ".join(text.decode().split()) for text in (before, after)]
        line = self.source.count(b"\n", 0, start) + 1
        where = (self.file, ".".join(self.scope), rule, line)
        self.faults.append(Fault(*where, *texts, start, end, replacement.encode()))

    def span(self, node: Any) -> tuple[int, int]:
        """The offsets of a node in the source."""
        start = self.lines[node.lineno - 1] + node.col_offset
        return start, self.lines[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.AST) -> str:
        """The source of a node."""
        start, end = self.span(node)
        return self.source[start:end].decode()


def _prefix(node: ast.stmt) -> int:
    """The length of the keyword before the condition of an ``if``."""
    return len("if ") if isinstance(node, ast.If) else 0


def _is_place(node: ast.expr) -> bool:
    """Whether an argument is a variable, which could be taken for the one beside it."""
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
