"""Sources of hard cases beside ordinary articles: real pairs on one event, articles that mix
languages."""

from collections import Counter, defaultdict

from . import corpora
from .corpora import HAN, Original, shingles
from .words import words


def event_pairs(folder, language, rng, most):
    """Real pairs on one event, and the ids of their rows.

    The two texts of a pair are within two days and share many rare words, but few shingles.
    """
    source = {"zh": "zh_xwlb", "en": "en_reuters21578"}[language]
    low, high = (200, 2500) if language == "zh" else (500, 4000)
    found = [
        r
        for r in corpora.rows(folder, source)
        if low <= len(r["text"]) <= high and corpora.ordinary(r["text"], language)
    ]
    found = [r for r in found if "快讯" not in r["title"]]
    terms, frequency = [], Counter()
    for row in found:
        drawn = {w for w in words(row["text"], language) if len(w) > 1}
        terms.append(drawn)
        frequency.update(drawn)
    rare = [{w for w in t if 2 <= frequency[w] <= 30} for t in terms]
    window, candidates = 150 if language == "en" else 30, []
    places = defaultdict(list)
    for i, drawn in enumerate(rare):
        shared = Counter(k for w in drawn for k in places[w] if i - k <= window)
        for k, n in shared.items():
            if n >= 6 and n >= 0.2 * min(len(drawn), len(rare[k])):
                candidates.append((i, k, n))
        for w in drawn:
            places[w].append(i)
    candidates.sort()
    rng.shuffle(candidates)
    pairs, used, taken = [], set(), set()
    for i, k, n in candidates:
        if i in used or k in used:
            continue
        left, right = (shingles(found[x]["text"], corpora.SHINGLE[language]) for x in (i, k))
        common = len(left & right) / min(len(left), len(right))
        # A new pair is unlike all pairs before it: the first and the third report of one event may
        # be one text.
        if common <= 0.25 and all(len(own & taken) <= 0.15 * len(own) for own in (left, right)):
            used |= {i, k}
            taken |= left | right
            pairs.append(
                (
                    found[k]["text"],
                    found[i]["text"],
                    {"rare_words": n, "contained": round(common, 3)},
                )
            )
        if len(pairs) == most:
            break
    return pairs, {found[i]["id"] for i in used}


def technical_originals(folder, count, rng):
    """Chinese articles with many Latin words, for mixed texts; no other class takes their rows."""
    chosen = []
    for row in corpora.rows(folder, "zh_weekly"):
        chosen.append((row, "zh_weekly"))
    for row in corpora.rows(folder, "zh_juejin"):
        if row["id"].startswith("juejin:article"):
            chosen.append((row, "zh_juejin"))
    rng.shuffle(chosen)
    found = []
    for row, source in chosen:
        parts = corpora.paragraphs_of(row, source, "zh", rng)
        start, kept = rng.randrange(max(1, len(parts) - 8)), []
        want = rng.uniform(300, 1800)
        for part in parts[start:]:
            if sum(map(len, kept)) + len(part) < want * 1.2:
                kept.append(part)
        text = "\n".join(kept)
        if len(text) >= 300 and 0.2 <= len(HAN.findall(text)) / len(text) <= 0.75:
            found.append(Original(row["id"], row["title"], kept))
        if len(found) == count:
            return found
    raise SystemExit("too few texts with mixed languages")
