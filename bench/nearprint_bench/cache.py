"""Results kept between runs in bench/work.

Each result is a file, named by the digest of all that it depends on.
"""

import hashlib
import json
from pathlib import Path

from .folders import WORK


class Cache:
    """The results of one experiment. `common` is what all of them depend on (data, code)."""

    def __init__(self, name: str, common: list):
        self.folder = WORK / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.common = common
        self.computed = 0

    def get(self, parts: list, compute):
        """The kept result for these parts, or else a new one of `compute`, kept as JSON."""
        key = hashlib.sha256(json.dumps([self.common, parts]).encode()).hexdigest()[:32]
        path = self.folder / f"{key}.json"
        if not path.exists():
            self.computed += 1
            new = self.folder / f"{key}.part"
            new.write_text(json.dumps(compute()))
            new.rename(path)
        return json.loads(path.read_text())


def digest(*paths: Path) -> str:
    """The SHA-256 of the contents of these files, one after the other."""
    whole = hashlib.sha256()
    for path in paths:
        whole.update(Path(path).read_bytes())
    return whole.hexdigest()
