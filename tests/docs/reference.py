"""The reference of all public names, made of their docstrings.

``python -m tests.docs.reference`` writes it to ``docs/reference.md``; a test compares it.
"""

from __future__ import annotations

import ast
import enum
import inspect
import itertools
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kibitz
from kibitz import authoring

PAGE = Path(__file__).parents[2] / "docs" / "reference.md"

INTRODUCTION = """# Reference

All public names, from their docstrings: those of `kibitz`, and those of `kibitz.authoring`, from
which rules in Python import. `python -m tests.docs.reference` writes this page.
"""

TYPES = ("Playable", "Lineup", "Workers", "Progress")
"""The types of arguments that annotations name."""

SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Yields):$", re.MULTILINE)
ITEM = re.compile(r"^(?P<names>[\w*., `\[\]]+): (?P<text>.*)$", re.DOTALL)


def page() -> str:
    """The whole page."""
    functions = [name for name in kibitz.__all__ if inspect.isfunction(getattr(kibitz, name))]
    classes = [name for name in kibitz.__all__ if inspect.isclass(getattr(kibitz, name))]
    entries = [INTRODUCTION, "## Functions\n"]
    entries += [described(name, getattr(kibitz, name)) for name in functions]
    entries += ["## Types of arguments\n"]
    entries += [f"### `{name}`\n\n{plain(constant_docstring(name))}\n" for name in TYPES]
    entries += ["## Classes\n"]
    entries += [described(name, getattr(kibitz, name)) for name in classes]
    entries += ["## For authors of games\n"]
    entries += [
        described(name, getattr(authoring, name))
        for name in authoring.__all__
        if name not in kibitz.__all__
    ]
    return "\n".join(entries).rstrip() + "\n"


def described(name: str, member: Any) -> str:
    """The entry of a name: its signature, its docstring, and the members of a class."""
    lines = [f"### `{name}`\n"]
    if inspect.isclass(member) and issubclass(member, enum.Enum):
        lines.append(f"One of {', '.join(f'`{member.name}`' for member in member)}.\n")
    elif inspect.isfunction(member) or "\nArgs:\n" in (inspect.getdoc(member) or ""):
        lines.append(f"```text\n{signature(name, member)}\n```\n")
    if inspect.isfunction(member) or inspect.isclass(member):
        lines.append(markdown(inspect.getdoc(member) or ""))
    else:
        lines.append(f"{member!r}. {markdown(constant_docstring(name))}")
    if inspect.isclass(member):
        members = list(own_members(member))
        if members:
            lines += [f"- `{title}`: {summary}" for title, summary in members] + [""]
    return "\n".join(lines)


def constant_docstring(name: str) -> str:
    """The docstring after the assignment of a constant."""
    for module in [m for key, m in sys.modules.items() if key.startswith("kibitz.")]:
        if name in vars(module):
            body = ast.parse(inspect.getsource(module)).body
            for statement, following in itertools.pairwise(body):
                match statement, following:
                    case (
                        ast.Assign(targets=[ast.Name(id=target)])
                        | ast.AnnAssign(target=ast.Name(id=target)),
                        ast.Expr(value=ast.Constant(value=str(text))),
                    ) if target == name:
                        return inspect.cleandoc(text)
    return ""


def own_members(cls: type) -> Iterator[tuple[str, str]]:
    """The public methods and properties that a class or a base of ours defines, documented."""
    for name, member in inspect.getmembers(cls):
        if name.startswith("_") or not defined_here(cls, name):
            continue
        static = inspect.getattr_static(cls, name)
        document = inspect.getdoc(static if isinstance(static, property) else member)
        summary = " ".join((document or "").split("\n\n")[0].split())
        if isinstance(static, property) or type(static).__name__ == "cached_property":
            yield name, plain(summary)
        elif inspect.isfunction(member) or inspect.ismethod(member):
            yield f"{name}{arguments(member)}", plain(summary)


def defined_here(cls: type, name: str) -> bool:
    """Whether a member comes from one of our classes."""
    owners = [base for base in cls.__mro__ if name in vars(base)]
    return bool(owners) and owners[0].__module__.startswith("kibitz")


def arguments(method: Any) -> str:
    """The names of a method's arguments, without types."""
    names = [name for name in inspect.signature(method).parameters if name != "self"]
    return f"({', '.join(names)})"


def signature(name: str, callable_: Any) -> str:
    """A signature with an argument on each line if it is long."""
    try:
        shape = inspect.signature(callable_)
    except (TypeError, ValueError):
        return name
    arguments_ = [str(parameter) for parameter in shape.parameters.values()]
    for number, parameter in enumerate(shape.parameters.values()):
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            arguments_.insert(number, "*")
            break
    returned = f" -> {shape.return_annotation}" if inspect.isfunction(callable_) else ""
    plain = [tidy(argument) for argument in arguments_]
    line = f"{name}({', '.join(plain)}){tidy(returned)}"
    if len(line) <= 100:
        return line
    inside = "".join(f"    {argument},\n" for argument in plain)
    return f"{name}(\n{inside}){tidy(returned)}"


def tidy(text: str) -> str:
    """Without the quotes of annotations, addresses and the values of enumerations."""
    text = re.sub(r": '([^']*)'", r": \1", text)
    text = re.sub(r" -> '([^']*)'", r" -> \1", text)
    text = re.sub(r"<(\w+\.\w+): [^>]*>", r"\1", text)
    text = re.sub(r"<function (\w+)[^>]*>", r"\1", text)
    return re.sub(r"<factory>|<object object at \w+>", "...", text)


def markdown(docstring: str) -> str:
    """A docstring in Google style as Markdown."""
    pieces = SECTION.split(docstring)
    paragraphs = [prose(pieces[0])]
    for title, body in zip(pieces[1::2], pieces[2::2], strict=True):
        lines = body.strip("\n").split("\n")
        indented = next((n for n, line in enumerate(lines) if line[:1].strip()), len(lines))
        paragraphs.append(
            f"{title}:\n\n{items(textwrap.dedent(chr(10).join(lines[:indented])))}\n"
        )
        paragraphs.append(prose("\n".join(lines[indented:])))
    return "\n".join(paragraph for paragraph in paragraphs if paragraph.strip())


def prose(text: str) -> str:
    """Paragraphs with names in single backquotes, and examples as code."""
    blocks = []
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        if ">>> " in paragraph:
            blocks.append(f"```python\n{textwrap.dedent(paragraph)}\n```\n")
        elif paragraph.startswith("    ") or paragraph.rstrip().endswith("::"):
            blocks.append(f"```text\n{textwrap.dedent(paragraph)}\n```\n")
        elif paragraph.strip():
            blocks.append(plain(paragraph) + "\n")
    return "\n".join(blocks)


def items(block: str) -> str:
    """The items of a section as a list."""
    entries = re.split(r"\n(?=\S)", block.strip("\n"))
    lines = []
    for entry in entries:
        text = " ".join(entry.split())
        match = ITEM.match(text)
        lines.append(
            f"- `{match['names']}`: {plain(match['text'])}" if match else f"- {plain(text)}"
        )
    return "\n".join(lines)


def plain(text: str) -> str:
    """A paragraph of a docstring as Markdown."""
    return re.sub(r"``([^`]*)``", r"`\1`", " ".join(text.split()))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
