"""Former names, which still work for one more release."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping


def warn_renamed(former: str, name: str) -> None:
    """Warns whoever called the function that calls this: they used a former name.

    Args:
        former: the deprecated name, to be removed in the next release.
        name: what it is called now.
    """
    warnings.warn(f"{former} is now called {name}.", category=DeprecationWarning, stacklevel=3)


def former_names(module: str, names: Mapping[str, str]) -> Callable[[str], object]:
    """The ``__getattr__`` of a module some of whose members were renamed: it warns of them.

    Args:
        module: its name.
        names: what each deprecated name is called now.
    """

    def find(name: str) -> object:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warn_renamed(f"{module}.{name}", names[name])
        return getattr(sys.modules[module], names[name])

    return find
