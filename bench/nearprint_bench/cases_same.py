"""Hard cases that are to be merged: order, frames, errors, script, width, wording.

Texts of mixed languages come with their translations, which are not to be merged.
"""

from collections import defaultdict

import opencc

from . import rewrites, templates
from .case_corpus import share_near
from .corpora import HAN
from .words import tokens


def paragraph_order(corpus, count):
    for i in range(count):
        item = corpus.take(3 if i % 3 == 0 else 4)
        parts, how = rewrites.reorder(item.paragraphs, corpus.rng)
        corpus.add_pair(
            item.text, "\n".join(parts), 1, "paragraph_order", how=how, paragraphs=len(parts)
        )


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
        pages = [
            templates.Site(corpus.filler, titles, corpus.sentence).around(text, share)
            for _ in range(2)
        ]
        corpus.add_pair(*pages, 1, "boilerplate_once", share=round(share, 3))


def ocr(corpus, count):
    rng = corpus.rng
    for _ in range(count):
        text, rate, confusion = (
            corpus.take().text,
            share_near(rng, 0.05, 0.03, 0.06),
            rng.choice([0, 0.5, 1, rng.random()]),
        )
        wrong = rewrites.misread(
            text, rate, confusion, corpus.vocabulary, rng, spaces=rng.random() < 0.7
        )
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
        what = rng.choice(
            ["all", "letters", "digits", "marks"] + (["narrow"] if corpus.language == "zh" else [])
        )
        other = rewrites.narrow(text) if what == "narrow" else rewrites.wide(text, what, rng)
        if other == text:
            other = (
                rewrites.narrow(text)
                if corpus.language == "zh"
                else rewrites.wide(text, "all", rng)
            )
        corpus.add_pair(text, other, 1, "width", how=what)


def rewording(corpus, count):
    rng = corpus.rng
    for _ in range(count):
        text, rate = corpus.take().text, rng.uniform(0.10, 0.15)
        synonyms, small = rng.choice([0, 0.5, 1]), rng.choice([0, 0.1, 0.3])
        other = rewrites.reword(text, rate, synonyms, small, corpus.vocabulary, rng)
        corpus.add_pair(
            text, other, 1, "rewording", rate=round(rate, 3), synonyms=synonyms, small=small
        )


def mixed_language(corpus, count, technical, english):
    """Adds texts of mixed languages and their translations.

    TECHNICAL are Chinese originals with many Latin terms. ENGLISH is a vocabulary; its words replace
    Chinese ones.
    """
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
            corpus.add_pair(
                text,
                "\n".join(" ".join(line.split()) for line in "".join(out).split("\n")),
                0,
                "translation",
            )
