"""What the replacement does not have, and what to use in its place."""

from __future__ import annotations

from nearprint.errors import UsageError

_ASYNC = "use MinHashLSH, by asyncio.to_thread if calls must not block"
_INSTEAD = {
    "AsyncMinHashLSH": _ASYNC,
    "HNSW": "use a package for vectors, such as hnswlib or usearch",
    "HyperLogLog": "keep datasketch for it, beside this package",
    "HyperLogLogPlusPlus": "keep datasketch for it, beside this package",
    "MinHashLSHBloom": "use MinHashLSH, or nearprint.Index, which is on disk",
    "aio": _ASYNC,
    "experimental": _ASYNC,
}


def refuse(name: str) -> None:
    """Raises UsageError for a name of datasketch that is not here."""
    if name in _INSTEAD:
        raise UsageError(f"nearprint.datasketch has no {name}; {_INSTEAD[name]}", setting=name)


def check_minhash(minhash: object, setting: str) -> None:
    """Raises UsageError for an object that is no MinHash."""
    if not hasattr(minhash, "hashvalues"):
        raise UsageError(
            f"{setting}: {minhash!r} is no MinHash; make one from its items by MinHash",
            setting=setting,
        )


def check_storage(config: dict[str, object] | None) -> None:
    """Raises UsageError for a storage other than memory."""
    kind = config.get("type") if config else "dict"
    if kind != "dict":
        raise UsageError(
            f"no index in {kind!r}; leave storage_config out and pickle the index, or use "
            "nearprint.Index, which is on disk",
            setting="storage_config",
        )
