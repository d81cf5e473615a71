"""The progress of a run -> calls of a function, or a bar."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Union

__all__ = ["Progress", "ProgressFunction", "followed"]

#: Called with the stage (``"read"``, ``"join"``, ``"verify"``, …), the documents done, and the
#: total, if known.
ProgressFunction = Callable[[str, int, Union[int, None]], object]

#: ``True`` for a bar, or a function.
Progress = Union[bool, ProgressFunction]


@contextmanager
def followed(progress: Progress | None) -> Iterator[ProgressFunction | None]:
    """The function to report to; a bar is closed at the end."""
    if not progress:
        yield None
    elif progress is not True:
        yield progress
    else:
        from tqdm.auto import tqdm

        bar = tqdm(unit=" documents", leave=False, delay=0.2)

        def show(stage: str, done: int, total: int | None) -> None:
            if bar.desc != f"{stage}: ":
                bar.reset(total)
                bar.set_description(stage, refresh=False)
            bar.total = total
            bar.n = done
            bar.refresh()

        try:
            yield show
        finally:
            bar.close()
