"""A LeanMinHash of the scheme ``legacy``."""

from __future__ import annotations

from nearprint.datasketch import lean_minhash

__all__ = ["LeanMinHash"]


class LeanMinHash(lean_minhash.LeanMinHash):
    """A LeanMinHash whose ``scheme`` is ``legacy`` unless another one is named."""

    @classmethod
    def _scheme(cls, scheme: str | None, given: bool) -> str:
        return super()._scheme(scheme or "legacy", given)
