"""A function that takes settings as keyword arguments -> the same with a signature that names each.

So ``help``, notebooks and ``inspect.signature`` show all settings. Type checkers read them from
:class:`nearprint.Settings`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from nearprint.settings import Settings

__all__ = ["with_settings"]

Function = TypeVar("Function", bound=Callable[..., Any])


def with_settings(function: Function) -> Function:
    """Names the settings in the signature of a function with the parameter ``**settings``. Those
    that are parameters of its own stay as they are."""
    signature = inspect.signature(function)
    own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
    # Their names in functions are text and id.
    named = {each.name for each in own} | {f"{each.name}_field" for each in own}
    settings = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=getattr(kind, "__forward_arg__", kind),
        )
        for name, kind in Settings.__annotations__.items()
        if name not in named
    ]
    shown = signature.replace(parameters=[*own, *settings])
    function.__signature__ = shown  # type: ignore[attr-defined]
    return function
