"""Hard cases that are no running text: tables, code and single sentences.

Some are to be merged and some are not.
"""

import difflib

from . import templates


def tables(corpus, count):
    rng = corpus.rng
    labels = sorted(
        {corpus.filler.slot(rng.choice(["city", "company", "person"])) for _ in range(400)}
    )
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
                right = templates.laid_out_table(
                    head, templates.altered_table(rows, share, rng), separator
                )
                detail = {"share": round(share, 3)}
            corpus.add_pair(
                left,
                right,
                int(name == "table_equal"),
                name,
                rows=len(rows),
                columns=len(rows[0]),
                **detail,
            )


def code(corpus, count, by_module):
    rng, language = corpus.rng, corpus.language
    comments = [
        c.rstrip("。.") for c in (corpus.sentence() for _ in range(600)) if 8 <= len(c) <= 80
    ] or ["see above"]
    modules = sorted(by_module)
    for i in range(count):
        name, module = (
            ["code_equal", "code_other"][i % 2],
            rng.choice([m for m in modules if len(by_module[m]) > 1]),
        )
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
            corpus.add_pair(
                source, templates.other_comment(source, comments, rng), 1, name, how="comment"
            )


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
        corpus.add_pair(
            text, text[:at] + new + text[at + 1 :], 1, "sentence_equal", how=how, length=len(text)
        )
    frames = [
        templates.one_line(f, language) for f in templates.SENTENCE_FRAMES[language].split("|")
    ]
    for i in range(max(1, count // 3)):
        filled, tries = [], 0
        while len(filled) < 3 and tries < 50:
            text, tries = corpus.filler.fill(frames[i % len(frames)])[0], tries + 1
            # Two fillings may draw equal names, but a name or three characters must differ.
            if all(
                len(text) + len(o) - 2 * sum(m.size for m in matches(text, o)) >= 4 for o in filled
            ):
                filled.append(text)
        ids = [corpus.add(text, "sentence_frame") for text in filled]
        for a in range(len(ids)):
            for b in range(a):
                corpus.pair(
                    ids[b],
                    ids[a],
                    0,
                    "sentence_frame",
                    frame=frames[i % len(frames)],
                    length=len(filled[a]),
                )


def matches(left, right):
    return difflib.SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
