"""A MinHash of the scheme ``legacy``."""

from __future__ import annotations

from nearprint.datasketch import minhash

__all__ = ["MinHash"]


class MinHash(minhash.MinHash):
    """A MinHash whose ``scheme`` is ``legacy`` unless another one is named."""

    @classmethod
    def _scheme(cls, scheme: str | None, given: bool) -> str:
        return super()._scheme(scheme or "legacy", given)
