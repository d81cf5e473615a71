"""One interface to the rivals: texts -> the pairs found at each threshold.

`usual` stands for the threshold that a rival has by default or in its first example. Words are runs
of letters and digits in lower case; rjieba cuts Chinese. Each rival has the settings that its
documentation suggests for documents. (rivals.py runs the rivals of bench/experiments.md: with one
index of many small bands, which finds copies down to a similarity of 0.2, and with equal words for
all algorithms. Both share the code of SimHash.)
"""

import json
import logging
import os
import shutil
import subprocess
import tempfile
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path

import numpy

from .data import write_rows
from .folders import WORK
from .thresholds import DISTANCES, GRID, RUNS, at_each
from .words import words


def word_shingles(text, language, size=3):
    found = words(text, language)
    return {" ".join(found[i : i + size]) for i in range(max(1, len(found) - size + 1))}


def with_usual(answers, usual):
    return {"usual": answers[usual], **answers}


class Datasketch:
    """datasketch: MinHash of three-word shingles, 128 permutations.

    Candidates of MinHashLSH are kept if their estimate reaches the threshold. An index is made for
    one threshold. Each threshold below 0.5, and `usual`, has its own index. Thresholds from 0.5 on
    share the index for 0.5, which finds more than an index for the threshold itself.
    """

    name, usual, grid = "datasketch", 0.9, GRID

    def version(self):
        return [version("datasketch")]

    def answers(self, texts, language):
        from datasketch import MinHash, MinHashLSH

        sets = [[s.encode() for s in word_shingles(t, language)] for t in texts]
        signatures = MinHash.bulk(sets, num_perm=128)

        def scored(threshold):
            index, found = MinHashLSH(threshold=threshold, num_perm=128), {}
            for i, signature in enumerate(signatures):
                for j in index.query(signature):
                    similarity = signatures[j].jaccard(signature)
                    if similarity >= threshold:
                        found[j, i] = similarity
                index.insert(i, signature, check_duplication=False)
            return found

        high = [threshold for threshold in self.grid if threshold >= 0.5]
        low = {threshold: set(scored(threshold)) for threshold in self.grid if threshold < 0.5}
        return {"usual": set(scored(self.usual)), **low, **at_each(scored(high[0]), high)}


class Rensa:
    """rensa: R-MinHash of three-word shingles, 128 permutations, 32 bands of 4.

    Candidates are kept if their estimate reaches the threshold.
    """

    name, usual, grid = "rensa", 0.8, GRID

    def version(self):
        return [version("rensa")]

    def answers(self, texts, language):
        from rensa import RMinHash, RMinHashLSH

        sets = [sorted(word_shingles(t, language)) for t in texts]
        signatures = RMinHash.from_token_sets(sets, num_perm=128, seed=42)
        index = RMinHashLSH(threshold=self.grid[0], num_perm=128, num_bands=32)
        index.insert_many(signatures)
        scored = {}
        for i, near in enumerate(index.query_all(signatures)):
            scored.update(((i, j), signatures[i].jaccard(signatures[j])) for j in near if j > i)
        return with_usual(at_each(scored, self.grid), self.usual)


class Gaoya:
    """gaoya: MinHashStringIndex with its own analyzers and 32 bands of 4.

    Shingles have three words, or four Chinese characters.
    """

    name, usual, grid = "gaoya", 0.75, GRID

    def version(self):
        return [version("gaoya")]

    def answers(self, texts, language):
        from gaoya.minhash import MinHashStringIndex

        analyzer = (
            {"analyzer": "char", "ngram_range": (4, 4)}
            if language == "zh"
            else {"analyzer": "word", "ngram_range": (3, 3)}
        )
        index = MinHashStringIndex(
            hash_size=32,
            jaccard_threshold=self.grid[0],
            num_bands=32,
            band_size=4,
            lowercase=True,
            **analyzer,
        )
        index.par_bulk_insert_docs(list(range(len(texts))), texts)
        scored = {}
        for i, near in enumerate(index.par_bulk_query(texts, return_similarity=True)):
            scored.update(((min(i, j), max(i, j)), similarity) for j, similarity in near if j != i)
        return with_usual(at_each(scored, self.grid), self.usual)


class Simhash:
    """simhash (1e0ng) with its defaults: four-character n-grams, 64 bits; thresholds are distances.

    All fingerprints are compared, which finds the pairs of its exact SimhashIndex.
    """

    name, usual, grid = "simhash", 3, DISTANCES

    def version(self):
        return [version("simhash")]

    def answers(self, texts, language):
        from . import rivals

        logging.disable(logging.CRITICAL)
        values = numpy.array([rivals.simhash(t) for t in texts], dtype=numpy.uint64)
        near = []
        for i in range(len(values) - 1):
            distances = numpy.bitwise_count(values[i + 1 :] ^ values[i])
            near += [
                (i, i + 1 + int(k), int(distances[k]))
                for k in numpy.flatnonzero(distances <= self.grid[-1])
            ]
            if len(near) > 30_000_000:
                raise MemoryError("simhash finds too many pairs")
        return with_usual(
            {t: {(i, j) for i, j, d in near if d <= t} for t in self.grid}, self.usual
        )


class TextDedup:
    """text-dedup's MinHash command line in an environment of its own.

    Each threshold takes a run. The pairs are all pairs of a cluster.
    """

    name, usual, grid = "text-dedup", 0.7, RUNS
    home, package = WORK / "text-dedup-venv", "text-dedup==0.4.0"

    def version(self):
        return [self.package]

    def answers(self, texts, language):
        python = self.home / "bin" / "python"
        if not python.exists():
            subprocess.run(["python3", "-m", "venv", self.home], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", self.package], check=True)
        return with_usual({t: self.run(python, texts, t) for t in self.grid}, self.usual)

    def run(self, python, texts, threshold):
        folder = Path(tempfile.mkdtemp(dir=WORK))
        try:
            write_rows(folder / "corpus.jsonl", ({"id": i, "text": t} for i, t in enumerate(texts)))
            command = [
                python,
                "-m",
                "text_dedup.minhash",
                "--path",
                "json",
                "--data_files",
                folder / "corpus.jsonl",
                "--split",
                "train",
            ]
            command += [
                "--cache_dir",
                folder / "cache",
                "--output",
                folder / "out",
                "--column",
                "text",
                "--num_proc",
                "1",
                "--debug",
            ]
            command += ["--ngram", "3", "--num_perm", "128", "--threshold", threshold]
            quiet = dict(
                os.environ, HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_HOME=str(folder)
            )
            subprocess.run(list(map(str, command)), check=True, capture_output=True, env=quiet)
            show = "import json, pickle, sys; u = pickle.load(open(sys.argv[1], 'rb')); print(json.dumps(list(u.parent.items())))"
            shown = subprocess.run(
                [python, "-c", show, folder / "out" / "uf.pkl"],
                check=True,
                capture_output=True,
                env=quiet,
            )
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
            return None  # one cluster has nearly all documents
        return {(a, b) for g in groups.values() for k, a in enumerate(g) for b in g[k + 1 :]}


RIVALS = [Datasketch(), Rensa(), Gaoya(), Simhash(), TextDedup()]
