"""The exceptions, sorted by their remedy, as in the library.

Every exception of nearprint is an :class:`Error`. Each also derives from one of Python's own
exceptions, for code that knows only those. Ctrl-C during a call raises ``KeyboardInterrupt``, as
everywhere.
"""

from __future__ import annotations

import os
from typing import Any

__all__ = [
    "Error",
    "FileError",
    "IncompatibleError",
    "NearprintWarning",
    "RejectedError",
    "TakenError",
    "UsageError",
]


class Error(Exception):
    """The base class of all exceptions of nearprint."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), str(self), self.__dict__)


def _restored(kind: type[Error], message: str, attributes: dict[str, Any]) -> Error:
    """An exception from another process."""
    error = kind(message)
    error.__dict__.update(attributes)
    return error


class UsageError(Error, ValueError):
    """A setting or an argument that cannot be carried out. Nothing was read; change the setting."""

    setting: str
    """The name of the keyword argument."""

    def __init__(self, message: str, *, setting: str = "") -> None:
        super().__init__(message)
        self.setting = setting


class FileError(Error, OSError):
    """The operating system refused a file or folder."""

    file: str
    """The file or folder."""

    def __init__(
        self, message: str, *, file: str | os.PathLike[str] = "", errno: int | None = None
    ) -> None:
        super().__init__(message)
        self.file = os.fspath(file)
        self.errno = errno
        self.filename = self.file
        self.strerror = None if errno is None else os.strerror(errno)

    def __str__(self) -> str:
        # OSError's own text leaves the message out.
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored_file_error, (type(self), str(self), self.file, self.errno)


def _restored_file_error(
    kind: type[FileError], message: str, file: str, errno: int | None
) -> FileError:
    return kind(message, file=file, errno=errno)


class TakenError(FileError):
    """Another process was writing to the index during the whole wait; try again later. Earlier
    transactions stay.

    :attr:`file` is the folder of the index.
    """


class RejectedError(Error, ValueError):
    """An unusable row, or unusable documents; ``on_error="skip"`` leaves such rows out. If that
    leaves out more than ``max_rejected`` allows, the attributes are those of the first row."""

    file: str
    """``documents`` or ``against`` in memory, ``column`` for a column of texts, else the file."""
    row: int | None
    """The row, counted from 1 as in the message; None for a whole column or file."""
    field: str | None
    """The field or column of the problem, if there is one."""
    problem: str
    """The problem, as one word: ``null_field``, ``wrong_type``, ``missing_column``, …"""

    def __init__(
        self,
        message: str,
        *,
        file: str = "",
        row: int | None = None,
        field: str | None = None,
        problem: str = "",
    ) -> None:
        super().__init__(message)
        self.file = file
        self.row = row
        self.field = field
        self.problem = problem


class IncompatibleError(Error, ValueError):
    """Corpus statistics, an answer, fingerprints or an index that are damaged or were made with
    other settings."""

    file: str
    """The file, or ``fingerprints``."""

    def __init__(self, message: str, *, file: str | os.PathLike[str] = "") -> None:
        super().__init__(message)
        self.file = os.fspath(file)


class NearprintWarning(UserWarning):
    """A warning about a finished run, such as a recall below its target, or rows that were left
    out."""
