"""The answers of rivals, kept in bench/work/found."""

import hashlib
import pickle
from importlib.metadata import version
from pathlib import Path

from .cache import digest
from .folders import WORK

CODE = [
    Path(__file__).parent / name for name in ("tools.py", "rivals.py", "thresholds.py", "words.py")
]


def kept(tool, name: str, texts: list[str], language: str) -> dict:
    """The answers of a rival, kept from an earlier run with equal texts, code and versions."""
    whole = hashlib.blake2b(digest_size=8)
    for part in (
        tool.name,
        *tool.version(),
        version("rjieba"),
        version("numpy"),
        digest(*CODE),
        language,
        *texts,
    ):
        whole.update(part.encode("utf-8", "surrogatepass") + b"\0")
    path = WORK / "found" / f"{name}.{tool.name}.{whole.hexdigest()}.pickle"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(".part")
        new.write_bytes(pickle.dumps(tool.answers(texts, language)))
        new.rename(path)
    return pickle.loads(path.read_bytes())
