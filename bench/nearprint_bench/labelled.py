"""Labelled data: precision, recall and F1 of pairs, nearprint beside its rivals.

    bench/run.sh labelled [--planted FOLDER] [--sets NAME,…] [--tools NAME,…]

Tables go to bench/work/labelled.csv and labelled.md. What rivals found is kept in bench/work/found, so that another run
redoes nearprint alone.
"""

import csv
import hashlib
import pickle
import random
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy
import opencc

from . import corpora, tools
from .corpora import HAN, WORK, arguments, bare, read_rows, rows, sentences, write_rows


@dataclass
class Dataset:
    """Texts, the pairs that are duplicates, and which found pairs count."""

    name: str
    language: str
    texts: list
    truth: set
    judged: set = None  # only these pairs count
    excused: callable = None  # a found pair that is no duplicate, and is left out of the count
    right: callable = None  # a found pair that is right although unlisted
    labels: dict = field(default_factory=dict)  # pair -> label, for a report by label
    memory: dict = field(default_factory=dict)

    def once(self, decide, pair):
        if pair not in self.memory:
            self.memory[pair] = decide(*pair)
        return self.memory[pair]

    def count(self, found):
        """precision, recall, F1 and the numbers behind them."""
        if self.judged is not None:
            found = found & self.judged
        others, hits = found - self.truth, len(found & self.truth)
        good = 0
        if self.excused:
            others = {p for p in others if not self.once(self.excused, p)}
        if self.right and len(others) <= 20000:
            good = sum(self.once(self.right, p) for p in others)
        elif self.right:
            sample = random.Random(2).sample(sorted(others), 20000)
            good = sum(self.once(self.right, p) for p in sample) * len(others) / 20000
        precision = (hits + good) / max(1, hits + len(others))
        recall = hits / max(1, len(self.truth))
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0
        return {
            "precision": round(precision, 4),
            "recall": round(recall, 4),
            "f1": round(f1, 4),
            "found": hits + len(others),
            "truth": len(self.truth),
        }

    def write(self, folder):
        """CORPUS.jsonl and CORPUS.truth.tsv (left, right, label) for other programs."""
        write_rows(folder / f"{self.name}.jsonl", ({"id": i, "text": t} for i, t in enumerate(self.texts)))
        with open(folder / f"{self.name}.truth.tsv", "w") as file:
            file.write("left\tright\tlabel\n")
            for a, b in sorted(self.truth):
                file.write(f"{a}\t{b}\t1\n")
            for a, b in sorted((self.judged or set()) - self.truth):
                file.write(f"{a}\t{b}\t0\n")


def shingle_hashes(text, size):
    """Distinct 64-bit hashes of the character shingles of the bare text, sorted."""
    points = numpy.frombuffer(bare(text).encode("utf-32-le"), dtype=numpy.uint32).astype(numpy.uint64)
    if len(points) == 0:
        return numpy.zeros(0, dtype=numpy.uint64)
    count = max(1, len(points) - size + 1)
    value = numpy.zeros(count, dtype=numpy.uint64)
    with numpy.errstate(over="ignore"):
        for k in range(min(size, len(points))):
            value = (value ^ points[k : k + count]) * numpy.uint64(0x9E3779B97F4A7C15)
            value ^= value >> numpy.uint64(29)
    return numpy.unique(value)


def jaccard(left, right):
    common = len(numpy.intersect1d(left, right, assume_unique=True))
    return common / max(1, len(left) + len(right) - common)


def similar_pairs(texts, size, least):
    """All pairs of shingle Jaccard LEAST or more, exactly: two such sets share one of the rarest (1 - LEAST) of each."""
    sets = [shingle_hashes(t, size) for t in texts]
    values, counts = numpy.unique(numpy.concatenate(sets), return_counts=True)
    candidates, places = set(), defaultdict(list)
    for i, own in enumerate(sets):
        if len(own) == 0:
            continue
        numbers = numpy.searchsorted(values, own)
        rarest = numbers[numpy.lexsort((numbers, counts[numbers]))]
        for n in rarest[: len(own) - int(numpy.ceil(least * len(own) - 1e-9)) + 1].tolist():
            if counts[n] > 1:
                candidates.update((k, i) for k in places[n])
                places[n].append(i)
    return {(a, b) for a, b in candidates if fits(sets[a], sets[b], least) and jaccard(sets[a], sets[b]) >= least}


def fits(left, right, least):
    return min(len(left), len(right)) >= least * max(len(left), len(right)) - 1e-9


def revisions(options):
    texts, truth, unsure = [], set(), set()
    for row in rows(options.data, "zh_lctt_revisions"):
        pair = (len(texts), len(texts) + 1)
        texts += [row["text_a"], row["text_b"]]
        (truth if row["lev_sim"] >= 0.8 else unsure).add(pair)
    kept = {}

    def hashes(i):
        if i not in kept:
            kept[i] = shingle_hashes(texts[i], 9)
        return kept[i]

    def excused(a, b):
        return (a, b) in unsure or jaccard(hashes(a), hashes(b)) >= 0.5

    return Dataset("zh_lctt_revisions", "zh", texts, truth, excused=excused)


def web_pages(options):
    texts, at, truth, judged, labels = [], {}, set(), set(), {}
    for row in rows(options.data, "en_webdup_gov2_pairs"):
        for side in "ab":
            if row[f"{side}_id"] not in at:
                at[row[f"{side}_id"]] = len(texts)
                texts.append(row[f"text_{side}"])
        pair = tuple(sorted((at[row["a_id"]], at[row["b_id"]])))
        judged.add(pair)
        labels[pair] = str(row["label"])
        if row["label"] >= 1:
            truth.add(pair)
    return Dataset("en_webdup_gov2_pairs", "en", texts, truth, judged=judged, labels=labels)


def answers_of_students(options):
    """Duplicates are near copies (cut) and light revisions; heavy revisions are left out, other answers are not."""
    found = list(rows(options.data, "en_plagiarised_answers"))
    at = {row["id"]: i for i, row in enumerate(found)}
    truth, judged, labels = set(), set(), {}
    for row in found:
        if row["is_source"]:
            continue
        pair = tuple(sorted((at[row["id"]], at[row["source_id"]])))
        labels[pair] = row["label"]
        if row["label"] != "heavy":
            judged.add(pair)
        if row["label"] in ("cut", "light"):
            truth.add(pair)
    return Dataset("en_plagiarised_answers", "en", [r["text"] for r in found], truth, judged=judged, labels=labels)


def articles(options):
    found = list(rows(options.data, "en_minhash_articles"))
    clusters = defaultdict(list)
    for i, row in enumerate(found):
        if row.get("cluster"):
            clusters[row["cluster"]].append(i)
    truth = {(a, b) for c in clusters.values() for k, a in enumerate(c) for b in c[k + 1 :]}
    return Dataset("en_minhash_articles", "en", [r["text"] for r in found], truth)


def by_brute_force(name, language):
    def make(options):
        texts = [row["text"] for row in rows(options.data, name)]
        return Dataset(name, language, texts, similar_pairs(texts, 9, 0.8))

    return make


def short_pairs(options):
    texts, truth, judged, labels = [], set(), set(), {}
    for row in rows(options.data, "zh_short_pairs"):
        pair = (len(texts), len(texts) + 1)
        texts += [row["text_a"], row["text_b"]]
        judged.add(pair)
        labels[pair] = f"{row['subset']} {row['label']}"
        if row["label"]:
            truth.add(pair)
    return Dataset("zh_short_pairs", "zh", texts, truth, judged=judged, labels=labels)


def planted(name, simplified=False):
    """Found pairs that were not planted are right at a word-3-shingle Jaccard of 0.7. SIMPLIFIED: of simplified texts, so
    that a text in Traditional and in Simplified Chinese counts as the same; these corpora hold some."""

    def make(options):
        if not options.planted:
            return None
        texts = [row["text"] for row in read_rows(options.planted / f"{name}.jsonl")]
        lines = (options.planted / f"{name}.truth.tsv").read_text().splitlines()
        truth = {tuple(sorted(map(int, line.split()))) for line in lines if line.strip()}
        language, kept, convert = name[:2], {}, opencc.OpenCC("t2s").convert if simplified else str

        def right(a, b):
            for i in (a, b):
                if i not in kept:
                    kept[i] = tools.word_shingles(convert(texts[i]), language)
            return len(kept[a] & kept[b]) >= 0.7 * len(kept[a] | kept[b])

        return Dataset(f"{name}~simplified" if simplified else name, language, texts, truth, right=right)

    return make


def short_texts(language, count=4000, copies=1000):
    """Sentences of 20 to 100 characters, a quarter of them with one copy of which one character to a tenth is edited."""

    def make(options):
        rng = random.Random(options.seed)
        texts, seen = [], defaultdict(list)
        sources = list(corpora.SOURCES[language])
        pools = []
        for source in sources:
            drawn = [row for row in rows(options.data, source) if corpora.ordinary(row["text"], language)]
            rng.shuffle(drawn)
            pool = []
            for row in drawn[: 2 * count]:
                own = [s for s in sentences(row["text"], language) if 20 <= len(s) <= 100 and whole(s, language)]
                pool += own[1:3] or own  # first sentences of broadcasts are formulas
            rng.shuffle(pool)
            pools.append(pool)
        while len(texts) < count and any(pools):
            for pool in pools:
                if not pool or len(texts) == count:
                    continue
                text = pool.pop()
                grams = {text[i : i + 3] for i in range(len(text) - 2)}
                shared = defaultdict(int)
                for g in grams:
                    for other in seen[g]:
                        shared[other] += 1
                if max(shared.values(), default=0) >= 0.4 * len(grams):
                    continue
                for g in grams:
                    seen[g].append(len(texts))
                texts.append(text)
        characters = [c for t in texts for c in t if c.isalpha()]
        planted_pairs = set()
        for i in rng.sample(range(len(texts)), min(copies, len(texts))):
            planted_pairs.add((i, len(texts)))
            texts.append(edited(texts[i], characters, rng))
        order = list(range(len(texts)))
        rng.shuffle(order)
        place = {old: new for new, old in enumerate(order)}
        truth = {tuple(sorted((place[a], place[b]))) for a, b in planted_pairs}
        return Dataset(f"{language}_planted_short", language, [texts[i] for i in order], truth)

    return make


def whole(sentence, language):
    if language == "zh":
        return len(HAN.findall(sentence)) >= 0.6 * len(sentence) and sentence[-1] in "。！？"
    return sentence[0].isupper() and sentence[-1] in ".!?" and sum(c.isalpha() or c == " " for c in sentence) >= 0.85 * len(sentence)


def edited(text, characters, rng):
    """One character to a tenth of them substituted, deleted or inserted."""
    out = list(text)
    for _ in range(rng.randint(1, max(1, len(text) // 10))):
        at, how = rng.randrange(len(out)), rng.randrange(3)
        drawn = rng.choice(characters)
        while drawn == out[at]:
            drawn = rng.choice(characters)
        out[at : at + 1] = [[drawn], [], [out[at], drawn]][how]
    return "".join(out)


SETS = {
    "zh_lctt_revisions": revisions,
    "en_webdup_gov2_pairs": web_pages,
    "en_plagiarised_answers": answers_of_students,
    "en_minhash_articles": articles,
    "en_reuters21578": by_brute_force("en_reuters21578", "en"),
    "en_spdx_licenses": by_brute_force("en_spdx_licenses", "en"),
    "zh_short_pairs": short_pairs,
    "zh_planted_short": short_texts("zh"),
    "en_planted_short": short_texts("en"),
    "zh5k": planted("zh5k"),
    "zh5k~simplified": planted("zh5k", simplified=True),
    "en20k": planted("en20k"),
    "zh": planted("zh"),
    "zh~simplified": planted("zh", simplified=True),
    "en": planted("en"),
}
# Rivals that would take an hour on these.
TOO_LARGE = {"en": {"datasketch", "simhash", "text-dedup"}, "zh": {"simhash", "text-dedup"}, "zh~simplified": {"simhash", "text-dedup"}}


def cached(tool, data):
    """What a rival finds, from bench/work/found where the same texts were given to it before."""
    digest = hashlib.blake2b(digest_size=8)
    for text in data.texts:
        digest.update(text.encode("utf8", "surrogatepass") + b"\0")
    digest.update(repr(tool.grid).encode())
    path = WORK / "found" / f"{data.name.split('~')[0]}.{tool.name}.{digest.hexdigest()}.pickle"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        answers = tool.answers(data.texts, data.language)
        path.write_bytes(pickle.dumps(answers))
    return pickle.loads(path.read_bytes())


def measure(tool, data, answers):
    """Two rows: at the usual threshold, and at the best."""
    counted = {t: data.count(found) for t, found in answers.items() if found is not None}
    grid = [t for t in tool.grid if t in counted]
    best = max(grid, key=lambda t: counted[t]["f1"]) if grid else None
    table = []
    for setting, threshold in (("usual", tool.usual), ("best", best)):
        if threshold in counted:
            by_label = defaultdict(lambda: [0, 0])
            for pair, label in data.labels.items():
                by_label[label][0] += pair in answers[threshold]
                by_label[label][1] += 1
            labels = "; ".join(f"{k}: {a}/{n}" for k, (a, n) in sorted(by_label.items()))
            table.append({"set": data.name, "tool": tool.name, "setting": setting, "threshold": threshold, **counted[threshold], "labels": labels})
    return table


COLUMNS = ["set", "tool", "setting", "threshold", "precision", "recall", "f1", "found", "truth", "labels"]


def write_tables(table):
    with open(WORK / "labelled.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(table)
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(str(row[c]) for c in COLUMNS) + " |" for row in table]
    (WORK / "labelled.md").write_text("\n".join(lines) + "\n")


def main():
    parser = arguments(__doc__.split("\n")[0])
    parser.add_argument("--planted", type=Path, help="folder of en20k.jsonl, en20k.truth.tsv and so on")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--tools", default="nearprint," + ",".join(t.name for t in tools.RIVALS))
    parser.add_argument("--flags", default="", help="further flags of nearprint dedup, with blanks between them")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chosen = [t for t in [tools.Nearprint(options.flags.split()), *tools.RIVALS] if t.name in options.tools.split(",")]
    WORK.mkdir(parents=True, exist_ok=True)
    table = []
    for name in options.sets.split(","):
        data = SETS[name](options)
        if data is None:
            print(f"{name}: left out, --planted says where it is", flush=True)
            continue
        (WORK / "sets").mkdir(exist_ok=True)
        data.write(WORK / "sets")
        for tool in chosen:
            if tool.name in TOO_LARGE.get(name, ()):
                continue
            try:
                answers = tool.answers(data.texts, data.language) if tool.name == "nearprint" else cached(tool, data)
            except Exception as problem:
                print(f"{name}: {tool.name} failed: {problem}", flush=True)
                continue
            for row in measure(tool, data, answers):
                table.append(row)
                print(" ".join(str(row[c]) for c in COLUMNS), flush=True)
        write_tables(table)


if __name__ == "__main__":
    main()
