"""What a run has to say -> warnings, and the log ``nearprint`` of ``logging``."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable

from nearprint.errors import NearprintWarning

__all__ = ["tell"]


def tell(cautions: Iterable[str], outcome: object = None, suggestions: Iterable[str] = ()) -> None:
    """Warns of each caution, as in the code that called the caller. Logs the outcome and the suggestions at the
    level INFO."""
    for caution in cautions:
        warnings.warn(caution, NearprintWarning, stacklevel=3)
    # A program that logs has imported it, which takes others four milliseconds.
    logging = sys.modules.get("logging")
    if logging is not None and outcome is not None:
        log = logging.getLogger("nearprint")
        for message in (outcome, *suggestions):
            log.info("%s", message)
