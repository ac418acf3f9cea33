"""Groups of options that commands share, each as one parameter of the command's function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, get_type_hints


class OptionGroup:
    """Base of frozen dataclasses whose fields are options.

    A command with a keyword-only parameter of such a type has the options of the group instead.
    """


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """The command for typer, with the options of each group as parameters of its own."""
    hints = get_type_hints(command, include_extras=True)
    groups = {
        name: kind
        for name, kind in hints.items()
        if isinstance(kind, type) and issubclass(kind, OptionGroup)
    }
    if not groups:
        return command
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name in groups:
            parameters += _options(groups[parameter.name])
        else:
            named = {"kind": parameter.KEYWORD_ONLY, "annotation": hints[parameter.name]}
            parameters.append(parameter.replace(**named))

    @functools.wraps(command)
    def with_options(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(
                **{option.name: values.pop(option.name) for option in _options(group)}
            )
        command(**values)

    with_options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {option.name: option.annotation for option in parameters}
    return with_options


def _options(group: Any) -> list[inspect.Parameter]:
    """The options of a group as parameters."""
    kinds = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=kinds[field.name],
        )
        for field in fields(group)
    ]
