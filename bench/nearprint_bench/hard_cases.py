"""Hard cases with their expected answers, in Chinese and English, made from real articles by a seed.

    bench/run.sh hard_cases --out FOLDER --seed 1

FOLDER then holds corpus.jsonl (id, text, class, language), truth.jsonl (left, right, label, class, language, detail;
label 1: to be merged, 0: not to be merged, null: left out of the count), containment.jsonl (the pairs that are
duplicates under --verify containment), chains.jsonl and README.md. Pairs not listed are no duplicates.
"""

import difflib
import random
from collections import Counter, defaultdict
from pathlib import Path

import opencc

from . import corpora, rewrites, templates
from .corpora import HAN, Original, arguments, bare, is_word, joiner, sentences, shingles, tokens

CLASSES = {
    "paragraph_order": "MERGE. The paragraphs of an article in another order: shuffled, rotated, reversed, halves exchanged, one moved.",
    "boilerplate_sites": "MERGE. One article on two of a few sites; each site puts its own header and footer, 25-35 % of the text (half of the cases: 30 %), around many articles. Listed as 0: two articles on one site.",
    "boilerplate_once": "MERGE. The same, with sites that appear only once in the corpus.",
    "ocr": "MERGE. 3-6 % of the characters wrong (half of the cases: 5 %), by looks or by chance; English: blanks lost and added too.",
    "traditional": "MERGE. Simplified against Traditional Chinese (OpenCC s2t, s2tw, s2hk; some s2twp, which changes words too).",
    "width": "MERGE. Full-width against half-width letters, digits, marks, or all.",
    "rewording": "MERGE. 10-15 % of the words changed, sentence by sentence: synonyms or other words, 0-30 % of the changes insert or delete one.",
    "template_pair": "NOT. One template filled twice; 30-50 % of the text differs. Half of them press releases, court notices, weather, earnings reports and product pages, half real articles with slots of words, numbers and whole sentences.",
    "template_family": "NOT. The same, filled six times.",
    "same_event": "NOT. Two articles on one event in other words: real pairs of one or two days, with common names and few common shingles; and articles given the names and numbers of another.",
    "half_copied": "NOT. A text of which half (45-55 %) is another's: in one piece or by turns of paragraphs, of like length.",
    "containment_joined": "NOT by default, found with --verify containment. An article against itself joined with another of like length.",
    "containment_half": "NOT by default, found with --verify containment. An article cut to half.",
    "chain": "Each of 3 to 5 versions edits another 15-20 % of the one before it. Rule: every removed version has its keeper in what is kept, and the two are next to each other in the chain or share 60 % of their text. As pairs: neighbors are left out, versions that share less than half are 0.",
    "table_equal": "MERGE. A table with one figure changed, in one layout or two.",
    "table_other": "NOT. The same labels with other figures in 60-100 % of the cells.",
    "code_equal": "MERGE. A function reformatted, or with one comment changed.",
    "code_other": "NOT. Another function of the same module.",
    "sentence_equal": "MERGE. A sentence of news with one character (not a digit) changed, lost or added.",
    "sentence_frame": "NOT. One frame with another name and another number.",
    "mixed_language": "MERGE. Chinese with English terms and code, or English with Chinese passages, 2-6 % of the words changed.",
    "translation": "NOT. A Chinese text against one in English with the same terms, code and numbers.",
}  # fmt: skip


class Corpus:
    """Documents and labelled pairs of one language."""

    def __init__(self, language, rng, pool, vocabulary, fresh):
        self.language, self.rng, self.pool, self.vocabulary = language, rng, pool, vocabulary
        self.documents, self.truth, self.containment, self.chains = [], [], [], []
        self.filler = templates.Filler(language, vocabulary, rng)
        self.fresh, self.fresh_at = fresh, 0

    def take(self, paragraphs=1, shortest=0, longest=10**9):
        """The next unused original that fits."""
        for i, item in enumerate(self.pool):
            if len(item.paragraphs) >= paragraphs and shortest <= len(item.text) <= longest:
                return self.pool.pop(i)
        raise SystemExit(f"too few originals with {paragraphs} paragraphs and {shortest} characters")

    def sentence(self):
        """A real sentence that no other text has got."""
        self.fresh_at += 1
        return self.fresh[(self.fresh_at - 1) % len(self.fresh)]

    def add(self, text, name):
        self.documents.append({"id": f"{self.language}-{name}-{len(self.documents):05}", "text": text, "class": name})
        return self.documents[-1]["id"]

    def pair(self, left, right, label, name, **detail):
        self.truth.append({"left": left, "right": right, "label": label, "class": name, "language": self.language, "detail": detail})

    def add_pair(self, left, right, label, name, **detail):
        ids = [self.add(left, name), self.add(right, name)]
        if self.rng.random() < 0.5:
            ids.reverse()
        self.pair(*ids, label, name, **detail)


def plain(sentence, language):
    """A whole sentence of running text."""
    if not 12 <= len(sentence) <= 200 or "  " in sentence:
        return False
    if language == "zh":
        return len(HAN.findall(sentence)) >= 0.6 * len(sentence) and sentence[-1] in "。！？"
    return sum(c.isalpha() or c == " " for c in sentence) >= 0.85 * len(sentence) and sentence[0].isupper() and sentence[-1] in ".!?"


def share_near(rng, usual, low, high):
    """The usual share in half of the cases, else one drawn uniformly."""
    return usual if rng.random() < 0.5 else rng.uniform(low, high)


def paragraph_order(corpus, count):
    for i in range(count):
        item = corpus.take(3 if i % 3 == 0 else 4)
        parts, how = rewrites.reorder(item.paragraphs, corpus.rng)
        corpus.add_pair(item.text, "\n".join(parts), 1, "paragraph_order", how=how, paragraphs=len(parts))


def boilerplate_sites(corpus, count):
    rng = corpus.rng
    titles = [item.title for item in corpus.pool[-400:] if 6 <= len(item.title) <= 80]
    sites = [templates.Site(corpus.filler, titles, corpus.sentence) for _ in range(6)]
    by_site = defaultdict(list)
    for i in range(count):
        text, ids = corpus.take(2).text, []
        share = share_near(rng, 0.3, 0.25, 0.35)
        for site in rng.sample(range(len(sites)), 2):
            ids.append(corpus.add(sites[site].around(text, share), "boilerplate_sites"))
            by_site[site].append((i, ids[-1]))
        corpus.pair(*ids, 1, "boilerplate_sites", share=round(share, 3))
    for pages in by_site.values():
        for (i, left), (k, right) in zip(pages, pages[1:]):
            if i != k:
                corpus.pair(left, right, 0, "boilerplate_sites", how="other article")


def boilerplate_once(corpus, count):
    rng = corpus.rng
    titles = [item.title for item in corpus.pool[-400:] if 6 <= len(item.title) <= 80]
    for _ in range(count):
        text, share = corpus.take(2).text, share_near(rng, 0.3, 0.25, 0.35)
        pages = [templates.Site(corpus.filler, titles, corpus.sentence).around(text, share) for _ in range(2)]
        corpus.add_pair(*pages, 1, "boilerplate_once", share=round(share, 3))


def ocr(corpus, count):
    rng = corpus.rng
    for _ in range(count):
        text, rate, confusion = corpus.take().text, share_near(rng, 0.05, 0.03, 0.06), rng.choice([0, 0.5, 1, rng.random()])
        wrong = rewrites.misread(text, rate, confusion, corpus.vocabulary, rng, spaces=rng.random() < 0.7)
        corpus.add_pair(text, wrong, 1, "ocr", rate=round(rate, 3), confusion=round(confusion, 2))


def traditional(corpus, count):
    if corpus.language == "en":
        return
    converters = {name: opencc.OpenCC(name) for name in ("s2t", "s2tw", "s2hk", "s2twp")}
    for _ in range(count):
        text = corpus.take().text
        how = corpus.rng.choice(["s2t", "s2t", "s2t", "s2tw", "s2tw", "s2hk", "s2hk", "s2twp"])
        corpus.add_pair(text, converters[how].convert(text), 1, "traditional", how=how)


def width(corpus, count):
    rng = corpus.rng
    for _ in range(count):
        text = corpus.take().text
        what = rng.choice(["all", "letters", "digits", "marks"] + (["narrow"] if corpus.language == "zh" else []))
        other = rewrites.narrow(text) if what == "narrow" else rewrites.wide(text, what, rng)
        if other == text:
            other = rewrites.narrow(text) if corpus.language == "zh" else rewrites.wide(text, "all", rng)
        corpus.add_pair(text, other, 1, "width", how=what)


def rewording(corpus, count):
    rng = corpus.rng
    for _ in range(count):
        text, rate = corpus.take().text, rng.uniform(0.10, 0.15)
        synonyms, small = rng.choice([0, 0.5, 1]), rng.choice([0, 0.1, 0.3])
        other = rewrites.reword(text, rate, synonyms, small, corpus.vocabulary, rng)
        corpus.add_pair(text, other, 1, "rewording", rate=round(rate, 3), synonyms=synonyms, small=small)


def fill_template(corpus, members, name, i):
    rng, language = corpus.rng, corpus.language
    share = rng.uniform(0.30, 0.50)
    length = rng.uniform(300, 1500) * (1 if language == "zh" else 2)
    if i % 2:
        kind = sorted(templates.FRAMES[language])[i // 2 % 5]
        texts = templates.written_template(corpus.filler, members, share, length, kind, corpus.sentence)
    else:
        kind = "article"
        parts = sentences(corpus.take(1, shortest=250 if language == "zh" else 500).text, language)
        whole = rng.choice([0, 0.3, 0.6, 1])
        texts = templates.article_template(parts, members, share, whole, corpus.filler, corpus.sentence)
    ids = [corpus.add(text, name) for text in texts]
    for a in range(members):
        for b in range(a):
            corpus.pair(ids[b], ids[a], 0, name, share=round(share, 3), kind=kind, **({} if i % 2 else {"whole": whole}))


def template_pair(corpus, count):
    for i in range(count):
        fill_template(corpus, 2, "template_pair", i)


def template_family(corpus, count):
    for i in range(max(10, count // 3)):
        fill_template(corpus, 6, "template_family", i)


def same_event(corpus, count, found):
    rng, language = corpus.rng, corpus.language
    for left, right, detail in found[: count // 2]:
        corpus.add_pair(left, right, 0, "same_event", kind="real", **detail)
    for _ in range(count - len(found[: count // 2])):
        one, other = corpus.take(2), corpus.take(2)
        names = telling(one.text, corpus.vocabulary, 40)
        theirs = telling(other.text, corpus.vocabulary, 40)
        exchange = dict(zip(theirs, names))
        text = "".join(exchange.get(t, t) for t in tokens(other.text, language))
        corpus.add_pair(one.text, text, 0, "same_event", kind="same names and numbers", names=len(exchange))


def telling(text, vocabulary, most):
    """The names, numbers and rare words of a text, rarest first."""
    rank = vocabulary.rank
    found = {t for t in tokens(text, vocabulary.language) if is_word(t) and (t[0].isdigit() or len(t) > 1)}
    key = lambda t: rank.get(t if vocabulary.language == "zh" else t.lower(), len(rank))
    return [t for t in sorted(found, key=lambda t: (-key(t), t)) if key(t) > 300][:most]


def half_copied(corpus, count):
    rng = corpus.rng
    for _ in range(count):
        one = corpus.take(4, shortest=300)
        other = corpus.take(4, shortest=int(0.6 * len(one.text)), longest=int(2 * len(one.text)) + 400)
        share = rng.uniform(0.45, 0.55)
        how = rng.choice(["begins with it", "ends with it", "in the middle", "by turns", "by turns"])
        length = len(one.text) * rng.uniform(0.8, 1.2)
        if how == "by turns":
            taken = spread(one.paragraphs, share * length, rng)
            own = spread(other.paragraphs, (1 - share) * length, rng)
            parts = [p for two in zip(taken, own) for p in two] + taken[len(own) :] + own[len(taken) :]
        else:
            start = rng.uniform(0, max(0, len(one.text) - share * length))
            piece = one.text[int(start) : int(start + share * length)]
            rest = other.text[: int((1 - share) * length)]
            at = rewrites.sentence_end(rest, 0.5)
            parts = {"begins with it": [piece, rest], "ends with it": [rest, piece]}.get(how, [rest[:at], piece, rest[at:]])
        text = "\n".join(parts)
        corpus.add_pair(one.text, text, 0, "half_copied", how=how, share=round(copied_share(text, one.text), 3))


def spread(paragraphs, length, rng):
    """Paragraphs in their order, chosen evenly, up to a length."""
    order, chosen, total = list(range(len(paragraphs))), [], 0
    rng.shuffle(order)
    for i in order:
        if not chosen or total + len(paragraphs[i]) / 2 <= length:
            chosen.append(i)
            total += len(paragraphs[i])
    return [paragraphs[i] for i in sorted(chosen)]


def copied_share(text, source):
    """Which share of the shingles of TEXT is in SOURCE."""
    ours = shingles(text, 5)
    return len(ours & shingles(source, 5)) / len(ours)


def containment_joined(corpus, count):
    rng = corpus.rng
    for i in range(count):
        one = corpus.take(2)
        size = len(one.text)
        other = corpus.take(2, shortest=int(0.7 * size), longest=int(1.4 * size) + 60)
        parts = [one.text, other.text]
        rng.shuffle(parts)
        joined = corpus.add("\n".join(parts), "containment_joined")
        for text in (one.text, other.text)[: 1 + i % 2]:
            part = corpus.add(text, "containment_joined")
            corpus.pair(part, joined, 0, "containment_joined", share=round(len(text) / len("".join(parts)), 3))
            corpus.containment.append(dict(corpus.truth[-1], label=1))


def containment_half(corpus, count):
    rng = corpus.rng
    for _ in range(count):
        text = corpus.take(2, shortest=300).text
        how = rng.choice(["first half", "first half", "second half", "first half, through a sentence"])
        at = len(text) // 2 if "through" in how else rewrites.sentence_end(text, 0.5)
        if not 0.4 <= at / len(text) <= 0.55:
            at = len(text) // 2
        half = text[at:] if how == "second half" else text[:at]
        corpus.add_pair(text, half, 0, "containment_half", how=how, share=round(len(half) / len(text), 3))
        corpus.containment.append(dict(corpus.truth[-1], label=1))


def chain(corpus, count):
    rng = corpus.rng
    for _ in range(count):
        versions, share = [corpus.take(2, shortest=300).text], rng.uniform(0.15, 0.20)
        steps = rng.choice([2, 2, 2, 3, 4])
        starts = [k * share * 1.05 for k in range(int(1 / (share * 1.05)))]
        how = rng.choice(["sentences", "words"])
        for start in rng.sample(starts, steps):
            foreign = [corpus.sentence() for _ in range(12)]
            versions.append(rewrites.replace_part(versions[-1], start, share, corpus.vocabulary, rng, how, foreign))
        ids = [corpus.add(v, "chain") for v in versions]
        pairs = []
        for a in range(len(ids)):
            for b in range(a + 1, len(ids)):
                common = same_share(versions[a], versions[b])
                pairs.append([ids[a], ids[b], round(common, 3)])
                label = 0 if b - a > 1 and common < 0.5 else None
                corpus.pair(ids[a], ids[b], label, "chain", steps=b - a, common=round(common, 3), how=how)
        corpus.chains.append({"chain": ids, "language": corpus.language, "common": pairs})


def same_share(left, right):
    """Which share of two texts is the same, in order: the ratio of difflib over words or characters."""
    split = (lambda t: list(bare(t))) if HAN.search(left) else str.split
    return difflib.SequenceMatcher(None, split(left), split(right), autojunk=False).ratio()


def tables(corpus, count):
    rng = corpus.rng
    labels = sorted({corpus.filler.slot(rng.choice(["city", "company", "person"])) for _ in range(400)})
    for name in ("table_equal", "table_other"):
        for _ in range(count):
            head, rows = templates.table(corpus.filler, labels)
            separator = rng.choice(["\t", " | ", ",", "  ", ", "])
            left = templates.laid_out_table(head, rows, separator)
            if name == "table_equal":
                other = rng.choice([separator] * 3 + [" | ", "\t"])
                right = templates.laid_out_table(head, templates.altered_table(rows, 0, rng), other)
                detail = {"how": "one figure" + ("" if other == separator else ", another layout")}
            else:
                share = rng.uniform(0.6, 1)
                right = templates.laid_out_table(head, templates.altered_table(rows, share, rng), separator)
                detail = {"share": round(share, 3)}
            corpus.add_pair(left, right, int(name == "table_equal"), name, rows=len(rows), columns=len(rows[0]), **detail)


def code(corpus, count, by_module):
    rng, language = corpus.rng, corpus.language
    comments = [c.rstrip("。.") for c in (corpus.sentence() for _ in range(600)) if 8 <= len(c) <= 80] or ["see above"]
    modules = sorted(by_module)
    for i in range(count):
        name, module = ["code_equal", "code_other"][i % 2], rng.choice([m for m in modules if len(by_module[m]) > 1])
        chosen = by_module[module]
        rng.shuffle(chosen)
        source = chosen.pop()[1]
        if language == "zh":
            source = templates.commented(source, comments, rng, max(1, source.count("\n") // 6))
        if name == "code_other":
            other = chosen.pop()[1]
            if language == "zh":
                other = templates.commented(other, comments, rng, max(1, other.count("\n") // 6))
            corpus.add_pair(source, other, 0, name, module=module)
        elif rng.random() < 0.5:
            other, ways = templates.reformatted(source, rng)
            corpus.add_pair(source, other, 1, name, how="reformatted", ways=ways)
        else:
            corpus.add_pair(source, templates.other_comment(source, comments, rng), 1, name, how="comment")


def one_sentence(corpus, count):
    rng, language = corpus.rng, corpus.language
    low, high = (12, 60) if language == "zh" else (30, 160)
    short = [s for s in (corpus.sentence() for _ in range(count * 8)) if low <= len(s) <= high]
    for text in short[:count]:
        places = [i for i, c in enumerate(text) if c.isalpha()]
        at, how = rng.choice(places), rng.choice(["changed", "changed", "lost", "added"])
        drawn = rng.choice(corpus.vocabulary.characters or "abcdefghijklmnopqrstuvwxyz")
        while drawn == text[at].lower():
            drawn = rng.choice(corpus.vocabulary.characters or "abcdefghijklmnopqrstuvwxyz")
        new = {"changed": drawn, "lost": "", "added": text[at] + drawn}[how]
        corpus.add_pair(text, text[:at] + new + text[at + 1 :], 1, "sentence_equal", how=how, length=len(text))
    frames = [templates.one_line(f, language) for f in templates.SENTENCE_FRAMES[language].split("|")]
    for i in range(max(1, count // 3)):
        filled, tries = [], 0
        while len(filled) < 3 and tries < 50:
            text, tries = corpus.filler.fill(frames[i % len(frames)])[0], tries + 1
            # Slots are drawn freely, so names may meet: at least a name or three characters are to differ.
            if all(len(text) + len(o) - 2 * sum(m.size for m in matches(text, o)) >= 4 for o in filled):
                filled.append(text)
        ids = [corpus.add(text, "sentence_frame") for text in filled]
        for a in range(len(ids)):
            for b in range(a):
                corpus.pair(ids[b], ids[a], 0, "sentence_frame", frame=frames[i % len(frames)], length=len(filled[a]))


def matches(left, right):
    return difflib.SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()


def mixed_language(corpus, count, technical, english):
    """TECHNICAL: Chinese originals with many Latin terms; ENGLISH: a vocabulary to replace Chinese words from."""
    rng, language = corpus.rng, corpus.language
    for i in range(count):
        rate = rng.uniform(0.02, 0.06)
        if language == "zh":
            text = technical.pop().text
        else:
            ours, theirs = corpus.take(3).paragraphs, technical.pop().paragraphs
            text = "\n".join(p for two in zip(ours, theirs) for p in two)
        other = rewrites.reword(text, rate, 0.5, 0.2, corpus.vocabulary, rng)
        corpus.add_pair(text, other, 1, "mixed_language", rate=round(rate, 3))
    if language == "zh":
        for _ in range(count):
            text, known = technical.pop().text, {}
            out = []
            for token in tokens(text, "zh"):
                if HAN.search(token):
                    known.setdefault(token, english.like(token, rng))
                    out.append(" " + known[token] + " ")
                else:
                    out.append(token)
            corpus.add_pair(text, "\n".join(" ".join(line.split()) for line in "".join(out).split("\n")), 0, "translation")


def event_pairs(folder, language, rng, most):
    """Real pairs on one event: within two days, many rare words in common, few shingles. (pairs, ids of their rows)"""
    source = {"zh": "zh_xwlb", "en": "en_reuters21578"}[language]
    low, high = (200, 2500) if language == "zh" else (500, 4000)
    found = [r for r in corpora.rows(folder, source) if low <= len(r["text"]) <= high and corpora.ordinary(r["text"], language)]
    found = [r for r in found if "快讯" not in r["title"]]
    terms, frequency = [], Counter()
    for row in found:
        drawn = {w for w in corpora.words(row["text"], language) if len(w) > 1}
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
        # Apart from the pairs before, as the first and the third report of one event may be one text.
        if common <= 0.25 and all(len(own & taken) <= 0.15 * len(own) for own in (left, right)):
            used |= {i, k}
            taken |= left | right
            pairs.append((found[k]["text"], found[i]["text"], {"rare_words": n, "contained": round(common, 3)}))
        if len(pairs) == most:
            break
    return pairs, {found[i]["id"] for i in used}


def technical_originals(folder, count, rng):
    """Chinese articles with many Latin words: (for mixed texts), whose rows no other class takes."""
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


def generate(folder, seed, count, background, languages=("zh", "en")):
    """One Corpus for each language."""
    rng = random.Random(seed)
    technical = technical_originals(folder, 3 * count + 10, rng)
    mixed = {t.source for t in technical}
    by_module = templates.functions()
    corpora_made, english = [], None
    for language in sorted(languages):  # English first: its words serve as translations
        found, skip = event_pairs(folder, language, rng, count)
        need = 14 * count + 2 * count + background + 900
        items = corpora.originals(folder, language, need, rng, skip=skip | mixed, apart=[t for pair in found for t in pair[:2]])
        vocabulary = rewrites.Vocabulary([o.text for o in items], language)
        if not english:
            texts = [o.text for o in corpora.originals(folder, "en", 300, random.Random(seed))]
            english = vocabulary if language == "en" else rewrites.Vocabulary(texts, "en")
        # A sixth of the articles gives single sentences; they are in no text as articles.
        cut = len(items) // 6
        fresh = [s for o in items[:cut] for s in sentences(o.text, language) if plain(s, language)]
        rng.shuffle(fresh)
        corpus = Corpus(language, rng, items[cut:], vocabulary, fresh)
        for make in (half_copied, containment_joined, paragraph_order, containment_half, chain, boilerplate_sites):
            make(corpus, count)
        for make in (boilerplate_once, ocr, traditional, width, rewording, template_pair, template_family):
            make(corpus, count)
        same_event(corpus, count, found)
        tables(corpus, count)
        code(corpus, 2 * count, by_module)
        one_sentence(corpus, count)
        mixed_language(corpus, count, technical, english)
        for item in corpus.pool[:background]:
            corpus.add(item.text, "background")
        corpora_made.append(corpus)
    return corpora_made


def write(corpora_made, out, seed):
    rng = random.Random(seed)
    out.mkdir(parents=True, exist_ok=True)
    documents = [dict(d, language=c.language) for c in corpora_made for d in c.documents]
    rng.shuffle(documents)
    corpora.write_rows(out / "corpus.jsonl", documents)
    for name in ("truth", "containment", "chains"):
        corpora.write_rows(out / f"{name}.jsonl", [row for c in corpora_made for row in getattr(c, name)])
    lines = ["# Hard cases", "", f"Seed {seed}; {len(documents)} documents. Pairs: label 1, label 0, left out.", ""]
    lines += ["| class | what | " + " | ".join(c.language for c in corpora_made) + " |", "|---|---|" + "---|" * len(corpora_made)]
    for name, what in CLASSES.items():
        counts = []
        for c in corpora_made:
            labels = Counter(row["label"] for row in c.truth if row["class"] == name)
            counts.append(", ".join(str(labels[k]) for k in (1, 0, None)) if labels else "-")
        lines.append(f"| `{name}` | {what} | {' | '.join(counts)} |")
    lines += ["", f"And {sum(d['class'] == 'background' for d in documents)} articles that are duplicates of nothing."]
    (out / "README.md").write_text("\n".join(lines) + "\n", encoding="utf8")


def main():
    parser = arguments(__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=corpora.WORK / "hard-cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=60, help="cases of each class and language")
    parser.add_argument("--background", type=int, default=1500, help="ordinary articles of each language")
    parser.add_argument("--languages", default="zh,en")
    options = parser.parse_args()
    made = generate(options.data, options.seed, options.cases, options.background, options.languages.split(","))
    write(made, options.out, options.seed)
    print(f"{options.out}: {sum(len(c.documents) for c in made)} documents")


if __name__ == "__main__":
    main()
