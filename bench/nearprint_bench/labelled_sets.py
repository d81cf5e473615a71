"""The labelled sets, and corpora with planted copies."""

import random
from collections import defaultdict

import opencc

from . import corpora, tools
from .corpora import HAN, sentences
from .data import read_rows, rows
from .dataset import Dataset
from .resemblance import jaccard, shingle_hashes, similar_pairs


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
    """Answers of students and their sources.

    Near copies (cut) and light revisions are duplicates, other answers are none, and heavy revisions
    are left out.
    """
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
    return Dataset(
        "en_plagiarised_answers",
        "en",
        [r["text"] for r in found],
        truth,
        judged=judged,
        labels=labels,
    )


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
    """A corpus with planted copies. Other found pairs are right at a word-3-shingle Jaccard of 0.7.

    With SIMPLIFIED, shingles are of simplified texts, so that a text and its Traditional Chinese
    version count as equal. The Chinese corpora have such pairs.
    """

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

        return Dataset(
            f"{name}~simplified" if simplified else name, language, texts, truth, right=right
        )

    return make


def short_texts(language, count=4000, copies=1000):
    """Sentences of 20 to 100 characters; a quarter of them have a copy with one to a tenth of the
    characters edited."""

    def make(options):
        rng = random.Random(options.seed)
        texts, seen = [], defaultdict(list)
        sources = list(corpora.SOURCES[language])
        pools = []
        for source in sources:
            drawn = [
                row for row in rows(options.data, source) if corpora.ordinary(row["text"], language)
            ]
            rng.shuffle(drawn)
            pool = []
            for row in drawn[: 2 * count]:
                own = [
                    s
                    for s in sentences(row["text"], language)
                    if 20 <= len(s) <= 100 and whole(s, language)
                ]
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
    return (
        sentence[0].isupper()
        and sentence[-1] in ".!?"
        and sum(c.isalpha() or c == " " for c in sentence) >= 0.85 * len(sentence)
    )


def edited(text, characters, rng):
    """The text with one to a tenth of its characters substituted, deleted or inserted.

    Digits stay, because other digits change the meaning.
    """
    out = list(text)
    for _ in range(rng.randint(1, max(1, len(text) // 10))):
        at, how = (
            rng.choice([place for place, c in enumerate(out) if not c.isdigit()]),
            rng.randrange(3),
        )
        drawn = rng.choice(characters)
        while drawn == out[at] or drawn.isdigit():
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
