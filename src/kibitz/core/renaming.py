"""Former names, which still work for one more release."""

from __future__ import annotations

import warnings


def warn_renamed(former: str, name: str) -> None:
    """Warns whoever called the function that calls this: they used a former name.

    Args:
        former: the deprecated name, to be removed in the next release.
        name: what it is called now.
    """
    warnings.warn(f"{former} is now called {name}.", category=DeprecationWarning, stacklevel=3)
