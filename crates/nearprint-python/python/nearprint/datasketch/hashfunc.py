"""Bytes -> hash values, the first bytes of SHA-1. A MinHash with one of them hashes in Rust."""

from __future__ import annotations

import hashlib

__all__ = ["sha1_hash32", "sha1_hash64"]


def sha1_hash32(data: bytes) -> int:
    """A hash value of 32 bits.

    >>> sha1_hash32(b"Hello")
    2342453239
    """
    return int.from_bytes(hashlib.sha1(data).digest()[:4], "little")


def sha1_hash64(data: bytes) -> int:
    """A hash value of 64 bits.

    >>> sha1_hash64(b"Hello")
    11232173714355191799
    """
    return int.from_bytes(hashlib.sha1(data).digest()[:8], "little")
