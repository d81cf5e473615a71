"""Hard cases that are not to be merged: forms, events, texts that share a half, and chains."""

import difflib

from . import rewrites, templates
from .corpora import HAN, bare, sentences, shingles
from .words import is_word, tokens


def fill_template(corpus, members, name, i):
    rng, language = corpus.rng, corpus.language
    share = rng.uniform(0.30, 0.50)
    length = rng.uniform(300, 1500) * (1 if language == "zh" else 2)
    if i % 2:
        kind = sorted(templates.FRAMES[language])[i // 2 % 5]
        texts = templates.written_template(
            corpus.filler, members, share, length, kind, corpus.sentence
        )
    else:
        kind = "article"
        parts = sentences(corpus.take(1, shortest=250 if language == "zh" else 500).text, language)
        whole = rng.choice([0, 0.3, 0.6, 1])
        texts = templates.article_template(
            parts, members, share, whole, corpus.filler, corpus.sentence
        )
    ids = [corpus.add(text, name) for text in texts]
    for a in range(members):
        for b in range(a):
            corpus.pair(
                ids[b],
                ids[a],
                0,
                name,
                share=round(share, 3),
                kind=kind,
                **({} if i % 2 else {"whole": whole}),
            )


def template_pair(corpus, count):
    for i in range(count):
        fill_template(corpus, 2, "template_pair", i)


def template_family(corpus, count):
    for i in range(max(10, count // 3)):
        fill_template(corpus, 6, "template_family", i)


def same_event(corpus, count, found):
    language = corpus.language
    for left, right, detail in found[: count // 2]:
        corpus.add_pair(left, right, 0, "same_event", kind="real", **detail)
    for _ in range(count - len(found[: count // 2])):
        one, other = corpus.take(2), corpus.take(2)
        names = rare(one.text, corpus.vocabulary, 40)
        theirs = rare(other.text, corpus.vocabulary, 40)
        exchange = dict(zip(theirs, names))
        text = "".join(exchange.get(t, t) for t in tokens(other.text, language))
        corpus.add_pair(
            one.text, text, 0, "same_event", kind="same names and numbers", names=len(exchange)
        )


def rare(text, vocabulary, most):
    """The names, numbers and rare words of a text, rarest first."""
    rank = vocabulary.rank
    found = {
        t
        for t in tokens(text, vocabulary.language)
        if is_word(t) and (t[0].isdigit() or len(t) > 1)
    }
    key = lambda t: rank.get(t if vocabulary.language == "zh" else t.lower(), len(rank))
    return [t for t in sorted(found, key=lambda t: (-key(t), t)) if key(t) > 300][:most]


def half_copied(corpus, count):
    rng = corpus.rng
    for _ in range(count):
        one = corpus.take(4, shortest=300)
        other = corpus.take(
            4, shortest=int(0.6 * len(one.text)), longest=int(2 * len(one.text)) + 400
        )
        share = rng.uniform(0.45, 0.55)
        how = rng.choice(
            ["begins with it", "ends with it", "in the middle", "by turns", "by turns"]
        )
        length = len(one.text) * rng.uniform(0.8, 1.2)
        if how == "by turns":
            taken = spread(one.paragraphs, share * length, rng)
            own = spread(other.paragraphs, (1 - share) * length, rng)
            parts = (
                [p for two in zip(taken, own) for p in two] + taken[len(own) :] + own[len(taken) :]
            )
        else:
            start = rng.uniform(0, max(0, len(one.text) - share * length))
            piece = one.text[int(start) : int(start + share * length)]
            rest = other.text[: int((1 - share) * length)]
            at = rewrites.sentence_end(rest, 0.5)
            parts = {"begins with it": [piece, rest], "ends with it": [rest, piece]}.get(
                how, [rest[:at], piece, rest[at:]]
            )
        text = "\n".join(parts)
        corpus.add_pair(
            one.text, text, 0, "half_copied", how=how, share=round(copied_share(text, one.text), 3)
        )


def spread(paragraphs, length, rng):
    """Paragraphs drawn evenly from a text up to a length, in their order."""
    order, chosen, total = list(range(len(paragraphs))), [], 0
    rng.shuffle(order)
    for i in order:
        if not chosen or total + len(paragraphs[i]) / 2 <= length:
            chosen.append(i)
            total += len(paragraphs[i])
    return [paragraphs[i] for i in sorted(chosen)]


def copied_share(text, source):
    """The share of the shingles of TEXT that SOURCE has."""
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
            corpus.pair(
                part,
                joined,
                0,
                "containment_joined",
                share=round(len(text) / len("".join(parts)), 3),
            )
            corpus.containment.append(dict(corpus.truth[-1], label=1))


def containment_half(corpus, count):
    rng = corpus.rng
    for _ in range(count):
        text = corpus.take(2, shortest=300).text
        how = rng.choice(
            ["first half", "first half", "second half", "first half, through a sentence"]
        )
        at = len(text) // 2 if "through" in how else rewrites.sentence_end(text, 0.5)
        if not 0.4 <= at / len(text) <= 0.55:
            at = len(text) // 2
        half = text[at:] if how == "second half" else text[:at]
        corpus.add_pair(
            text, half, 0, "containment_half", how=how, share=round(len(half) / len(text), 3)
        )
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
            versions.append(
                rewrites.replace_part(
                    versions[-1], start, share, corpus.vocabulary, rng, how, foreign
                )
            )
        ids = [corpus.add(v, "chain") for v in versions]
        pairs = []
        for a in range(len(ids)):
            for b in range(a + 1, len(ids)):
                common = same_share(versions[a], versions[b])
                pairs.append([ids[a], ids[b], round(common, 3)])
                label = 0 if b - a > 1 and common < 0.5 else None
                corpus.pair(
                    ids[a], ids[b], label, "chain", steps=b - a, common=round(common, 3), how=how
                )
        corpus.chains.append({"chain": ids, "language": corpus.language, "common": pairs})


def same_share(left, right):
    """The share of two texts that is equal and in order: difflib's ratio of words or characters."""
    split = (lambda t: list(bare(t))) if HAN.search(left) else str.split
    return difflib.SequenceMatcher(None, split(left), split(right), autojunk=False).ratio()
