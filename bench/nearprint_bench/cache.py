"""Results kept between runs, in bench/work: a file for each, named by the digest of all it depends
on."""

import hashlib
import json
from pathlib import Path

from .folders import WORK


class Cache:
    """Results of one experiment. What is common to all of them (data, code) is given once."""

    def __init__(self, name: str, common: list):
        self.folder = WORK / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.common = common
        self.computed = 0

    def get(self, parts: list, compute):
        """The result for these parts: the one kept, or else a new one, which must be made of what
        JSON knows."""
        key = hashlib.sha256(json.dumps([self.common, parts]).encode()).hexdigest()[:32]
        path = self.folder / f"{key}.json"
        if not path.exists():
            self.computed += 1
            new = self.folder / f"{key}.part"
            new.write_text(json.dumps(compute()))
            new.rename(path)
        return json.loads(path.read_text())


def digest(*paths: Path) -> str:
    """Tells one state of these files from another."""
    whole = hashlib.sha256()
    for path in paths:
        whole.update(Path(path).read_bytes())
    return whole.hexdigest()
