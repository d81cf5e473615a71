"""nearprint and its rivals under one face: texts in, the pairs found at each threshold out.

Words are runs of letters and digits in lower case; Chinese is cut by rjieba. Each rival gets what its documentation
suggests for documents; `usual` is the threshold it has by default or in its first example.
"""

import json
import logging
import os
import re
import shutil
import subprocess
import tempfile
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path

import numpy

from . import nearprint
from .data import write_rows
from .folders import WORK
from .words import words

GRID = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9]


def word_shingles(text, language, size=3):
    found = words(text, language)
    return {" ".join(found[i : i + size]) for i in range(max(1, len(found) - size + 1))}


def ordered(pairs):
    return {(min(p), max(p)) for p in pairs if p[0] != p[1]}


class Nearprint:
    """The program at its default, and at every least similarity from one run at a low one."""

    name, usual = "nearprint", "default"
    grid = [0.3, 0.4, 0.5, *(round(0.56 + 0.02 * i, 2) for i in range(21))]

    def __init__(self, flags=()):
        self.flags = list(flags)

    def run(self, texts, flags):
        with tempfile.TemporaryDirectory(dir=WORK) as folder:
            corpus = Path(folder) / "corpus.jsonl"
            write_rows(corpus, ({"id": i, "text": t} for i, t in enumerate(texts)))
            rows = nearprint.dedup(corpus, flags).pairs
        # Equal texts come as pairs with the one that stands for all of them in the other rows.
        plain = [" ".join(unicodedata.normalize("NFKC", t).lower().split()) for t in texts]
        equal = [r for r in rows if plain[r["left"]] == plain[r["right"]]]
        rest = [r for r in rows if plain[r["left"]] != plain[r["right"]]]
        alike = defaultdict(set)
        for row in equal:
            group = alike[row["left"]] | alike[row["right"]] | {row["left"], row["right"]}
            for member in group:
                alike[member] = group
        found = {}
        for group in map(sorted, alike.values()):
            found.update(((a, b), 1.0) for i, a in enumerate(group) for b in group[i + 1 :])
        for row in rest:
            for a in alike.get(row["left"]) or [row["left"]]:
                for b in alike.get(row["right"]) or [row["right"]]:
                    found[min(a, b), max(a, b)] = row["similarity"]
        return found

    def answers(self, texts, language):
        low = self.run(texts, [*self.flags, "--min-similarity", str(self.grid[0])])
        by_threshold = {t: {p for p, s in low.items() if s >= t} for t in self.grid}
        return {"default": set(self.run(texts, self.flags)), **by_threshold}


class Datasketch:
    """MinHash, 128 permutations of three-word shingles; candidates of MinHashLSH kept where the estimate is enough."""

    name, usual, grid = "datasketch", 0.9, GRID

    def answers(self, texts, language):
        from datasketch import MinHash, MinHashLSH

        sets = [[s.encode() for s in word_shingles(t, language)] for t in texts]
        signatures = MinHash.bulk(sets, num_perm=128)
        found = {}
        for threshold in self.grid:
            index, pairs = MinHashLSH(threshold=threshold, num_perm=128), set()
            for i, signature in enumerate(signatures):
                pairs |= {(j, i) for j in index.query(signature) if signatures[j].jaccard(signature) >= threshold}
                index.insert(i, signature, check_duplication=False)
            found[threshold] = pairs
        return found


class Rensa:
    """R-MinHash, 128 permutations of three-word shingles, 32 bands of 4; kept where the estimate is enough."""

    name, usual, grid = "rensa", 0.8, GRID

    def answers(self, texts, language):
        from rensa import RMinHash, RMinHashLSH

        sets = [sorted(word_shingles(t, language)) for t in texts]
        signatures = RMinHash.from_token_sets(sets, num_perm=128, seed=42)
        index = RMinHashLSH(threshold=self.grid[0], num_perm=128, num_bands=32)
        index.insert_many(signatures)
        scored = {}
        for i, near in enumerate(index.query_all(signatures)):
            scored.update(((i, j), signatures[i].jaccard(signatures[j])) for j in near if j > i)
        return {t: {p for p, s in scored.items() if s >= t} for t in self.grid}


class Gaoya:
    """MinHashStringIndex with its own analyzers: three-word shingles, Chinese four characters; 32 bands of 4."""

    name, usual, grid = "gaoya", 0.75, GRID

    def answers(self, texts, language):
        from gaoya.minhash import MinHashStringIndex

        analyzer = {"analyzer": "char", "ngram_range": (4, 4)} if language == "zh" else {"analyzer": "word", "ngram_range": (3, 3)}
        found = {}
        for threshold in self.grid:
            index = MinHashStringIndex(hash_size=32, jaccard_threshold=threshold, num_bands=32, band_size=4, lowercase=True, **analyzer)
            index.par_bulk_insert_docs(list(range(len(texts))), texts)
            found[threshold] = ordered((i, j) for i, near in enumerate(index.par_bulk_query(texts)) for j in near)
        return found


class Simhash:
    """simhash (1e0ng) as it comes: four-character grams, 64 bits; thresholds are distances. Pairs are those of its
    SimhashIndex, which is exact, found by comparing all."""

    name, usual, grid = "simhash", 3, [2, 3, 4, 6, 8, 10, 12, 14]

    def answers(self, texts, language):
        logging.disable(logging.CRITICAL)
        values = numpy.array([self.fingerprint(t) for t in texts], dtype=numpy.uint64)
        near = []
        for i in range(len(values) - 1):
            distances = numpy.bitwise_count(values[i + 1 :] ^ values[i])
            near += [(i, i + 1 + int(k), int(distances[k])) for k in numpy.flatnonzero(distances <= self.grid[-1])]
            if len(near) > 30_000_000:
                raise MemoryError("simhash finds too many pairs")
        return {t: {(i, j) for i, j, d in near if d <= t} for t in self.grid}

    @staticmethod
    def fingerprint(text):
        from simhash import Simhash as Fingerprint

        try:
            return Fingerprint(text).value
        except OverflowError:  # version 2.1.2 with numpy 2, where a gram occurs more than 255 times: the same in portions
            bare = "".join(re.findall(r"[\w\u4e00-\u9fcc]+", text.lower()))
            counts = Counter(bare[i : i + 4] for i in range(max(1, len(bare) - 3)))
            return Fingerprint([(gram, min(50, n - k)) for gram, n in counts.items() for k in range(0, n, 50)]).value


class TextDedup:
    """text-dedup's MinHash command line in an environment of its own; its clusters, all pairs of each."""

    name, usual, grid = "text-dedup", 0.7, [0.5, 0.6, 0.7, 0.8, 0.9]
    home = WORK / "text-dedup-venv"

    def answers(self, texts, language):
        python = self.home / "bin" / "python"
        if not python.exists():
            subprocess.run(["python3", "-m", "venv", self.home], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", "text-dedup==0.4.0"], check=True)
        return {t: self.run(python, texts, t) for t in self.grid}

    def run(self, python, texts, threshold):
        folder = Path(tempfile.mkdtemp(dir=WORK))
        try:
            write_rows(folder / "corpus.jsonl", ({"id": i, "text": t} for i, t in enumerate(texts)))
            command = [python, "-m", "text_dedup.minhash", "--path", "json", "--data_files", folder / "corpus.jsonl", "--split", "train"]
            command += ["--cache_dir", folder / "cache", "--output", folder / "out", "--column", "text", "--num_proc", "1", "--debug"]
            command += ["--ngram", "3", "--num_perm", "128", "--threshold", threshold]
            quiet = dict(os.environ, HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_HOME=str(folder))
            subprocess.run(list(map(str, command)), check=True, capture_output=True, env=quiet)
            show = "import json, pickle, sys; u = pickle.load(open(sys.argv[1], 'rb')); print(json.dumps(list(u.parent.items())))"
            shown = subprocess.run([python, "-c", show, folder / "out" / "uf.pkl"], check=True, capture_output=True, env=quiet)
            parents = dict(json.loads(shown.stdout))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        groups = defaultdict(list)
        for i in range(len(texts)):
            root = i
            while parents.get(root, root) != root:
                root = parents[root]
            groups[root].append(i)
        if sum(len(g) ** 2 for g in groups.values()) > 60_000_000:
            return None  # one cluster of nearly all
        return {(a, b) for g in groups.values() for k, a in enumerate(g) for b in g[k + 1 :]}


RIVALS = [Datasketch(), Rensa(), Gaoya(), Simhash(), TextDedup()]
