"""Hard cases of forms, and of figures, articles and code that change a little or a lot.

Two fillings of a form are not to be merged. A filling that is sent once more is to be merged. None
of the forms took part in choosing the program's settings.
"""

import ast
import copy
import keyword
import random
import re

from . import forms, rewrites, templates
from .corpora import joiner
from .forms import FORMS, Instance
from .templates import CITIES

TRIES = 200


def of_class(corpus, name, seed, pool):
    """The corpus with random numbers and articles of this class alone, so that no class changes
    another one."""
    own = copy.copy(corpus)
    own.rng = random.Random(f"{seed} {corpus.language} {name}")
    own.filler = copy.copy(corpus.filler)
    own.filler.rng = own.rng
    own.pool, own.fresh = list(pool), list(corpus.fresh)
    own.rng.shuffle(own.pool)
    own.rng.shuffle(own.fresh)
    own.fresh_at = 0
    return own


def filled(corpus, form, members, earlier=()):
    """MEMBERS instances of a form: two of them differ in two thirds of the slots or more.

    Each differs from each of the EARLIER instances in half of the slots or more.
    """
    found = []
    for _ in range(TRIES * members):
        instance = Instance(form, corpus.filler)
        if all(instance.differs(o, 2 / 3) for o in found) and all(
            instance.differs(o, 1 / 2) for o in earlier
        ):
            found.append(instance)
        if len(found) == members:
            return found
    raise SystemExit(f"a form has too few fillings: {form[:60]}")


def family(corpus, name, instances):
    """Adds the pairs of the instances of a form, and a second copy of the first instance."""
    ids = [corpus.add(instance.text(), name) for instance in instances]
    text, how = instances[0].resent(corpus.language)
    again = corpus.add(text, name)
    corpus.pair(ids[0], again, 1, name, how=how, length=len(text))
    for other in ids[1:]:
        corpus.pair(again, other, 0, name, how="filled otherwise, edited")
    for b in range(len(ids)):
        for a in range(b):
            corpus.pair(
                ids[a], ids[b], 0, name, how="filled otherwise", length=len(instances[b].text())
            )


def of_forms(corpus, count, name, members=2):
    """Adds families of the forms of a class by turns; two of a form differ in half of the slots."""
    chosen = [(form, []) for form in FORMS[name][corpus.language]]
    for i in range(count):
        form, earlier = chosen[i % len(chosen)]
        instances = filled(corpus, form, members, earlier)
        earlier += instances
        family(corpus, name, instances)


def daily_bulletin(corpus, count):
    of_forms(corpus, max(3, count // 3), "daily_bulletin", members=6)


def dividend_notice(corpus, count):
    of_forms(corpus, count, "dividend_notice")


def welcome_ceremony(corpus, count):
    of_forms(corpus, count, "welcome_ceremony")


def order_mail(corpus, count):
    of_forms(corpus, count, "order_mail")


def by_laws(corpus, count):
    """Adds by-laws of pairs of cities: the numbers of sections and a few fees differ.

    Each city is in one pair only.
    """
    rng, language = corpus.rng, corpus.language
    form, cities = FORMS["by_laws"][language][0], CITIES[language].split()
    rng.shuffle(cities)
    for _ in range(min(count // 3, len(cities) // 2)):
        shared = {"price1": forms.amount("price", language, rng)}
        pair = []
        for first in rng.sample(range(1, 60), 2):
            sections = {f"section{k}": str(first + k - 1) for k in range(1, 18)}
            pair.append(
                Instance(form, corpus.filler, {**shared, **sections, "city1": cities.pop()})
            )
        family(corpus, "by_laws", pair)


def drug_leaflet(corpus, count):
    of_forms(corpus, count // 2, "drug_leaflet")


def price_list(corpus, count):
    rng, language = corpus.rng, corpus.language
    head = {"zh": "价目表（{company}，{city}）", "en": "Price list of {company}, {city}"}[language]
    for _ in range(count):
        goods = rng.sample(forms.LISTS[language]["goods"], rng.randint(8, 19))
        top, separator = corpus.filler.fill(head)[0], rng.choice([": ", "\t", " .... "])
        prices, others = ([forms.amount("price", language, rng) for _ in goods] for _ in range(2))
        lines, other = (
            [top] + [f"{g}{separator}{p}" for g, p in zip(goods, listed)]
            for listed in (prices, others)
        )
        more = next(g for g in forms.LISTS[language]["goods"] if g not in goods)
        longer = list(lines)
        longer.insert(
            rng.randint(1, len(lines)), f"{more}{separator}{forms.amount('price', language, rng)}"
        )
        ids = [corpus.add("\n".join(text), "price_list") for text in (lines, other, longer)]
        corpus.pair(ids[0], ids[1], 0, "price_list", how="other prices", lines=len(lines))
        corpus.pair(ids[0], ids[2], 1, "price_list", how="a line more", lines=len(lines))
        corpus.pair(
            ids[1], ids[2], 0, "price_list", how="other prices and a line more", lines=len(lines)
        )


def log_lines(corpus, count):
    for i in range(count):
        form = forms.LOG_LINES[i % len(forms.LOG_LINES)]
        one, other = filled(corpus, form, 2)
        time = next(slot for slot in one.slots if slot.endswith("Z"))
        later = one.text().replace(
            time, forms.drawn("stamp", corpus.language, corpus.filler, corpus.rng)
        )
        ids = [corpus.add(line, "log_lines") for line in (one.text(), other.text(), later)]
        corpus.pair(ids[0], ids[1], 0, "log_lines", how="other ids and times")
        corpus.pair(ids[0], ids[2], 0, "log_lines", how="another time")
        corpus.pair(ids[1], ids[2], 0, "log_lines", how="other ids and times")


def figure_written(corpus, count):
    rng, language = corpus.rng, corpus.language
    for i in range(count):
        chosen = forms.TWO_WAYS_FORMS[language]
        form, ways = chosen[i % len(chosen)], rng.sample(rng.choice(forms.TWO_WAYS[language]), 2)
        text = Instance(form.replace("{x}", "\0"), corpus.filler).text()
        around = [corpus.sentence() for _ in range(rng.choice([0, 0, 3, 6]))]
        text = joiner(language).join([text] + around)
        corpus.add_pair(
            *(text.replace("\0", way) for way in ways),
            1,
            "figure_written",
            how=" / ".join(sorted(ways)),
            around=len(around),
        )


def figure_spelled(corpus, count):
    chosen = FORMS["figure_spelled"][corpus.language]
    for i in range(count):
        city = corpus.filler.slot("city")
        while True:
            one, other = (
                Instance(chosen[i % len(chosen)], corpus.filler, {"city1": city}) for _ in range(2)
            )
            if all(a != b or a == city for a, b in zip(one.slots, other.slots)):
                break
        family(corpus, "figure_spelled", [one, other])


def scanned_form(corpus, count):
    chosen, rng = FORMS["scanned_form"][corpus.language], corpus.rng
    for i in range(count):
        one, other = filled(corpus, chosen[i % len(chosen)], 2)
        texts = [
            rewrites.misread(t.text(), 0.03, 0.7, corpus.vocabulary, rng) for t in (one, one, other)
        ]
        how = ["scanned twice", "scan and original"][i // len(chosen) % 2]
        if how == "scan and original":
            texts[0] = one.text()
        ids = [corpus.add(text, "scanned_form") for text in texts]
        corpus.pair(ids[0], ids[1], 1, "scanned_form", how=how, length=len(texts[0]))
        for scan in ids[:2]:
            corpus.pair(
                scan, ids[2], 0, "scanned_form", how="filled otherwise", length=len(texts[2])
            )


def contained(corpus, count):
    """Adds pairs of an article and a copy with new paragraphs in front, behind or between."""
    rng = corpus.rng
    for i in range(2 * count):
        low, high, label = [(0.10, 0.35, 1), (0.60, 1.00, 0)][i % 2]
        item, share = corpus.take(3, shortest=400), rng.uniform(low, high)
        added, length = [], share * len(item.text)
        while sum(map(len, added)) < length:
            added.append(corpus.sentence())
        text = joiner(corpus.language).join(added)
        parts, at = list(item.paragraphs), rng.randint(0, len(item.paragraphs))
        parts.insert(
            at,
            text if len(text) <= 1.05 * length else templates.clip(text, length, corpus.language),
        )
        real = (sum(map(len, parts)) + len(parts) - 1) / len(item.text) - 1
        where = "in front" if at == 0 else "behind" if at == len(item.paragraphs) else "between"
        corpus.add_pair(
            item.text, "\n".join(parts), label, "contained", how=where, share=round(real, 3)
        )


NEW_NAMES = "total item_list handler payload cursor_at entry_key fallback chunk_size owner_ref position".split()


def code_renamed(corpus, count, by_module):
    """Adds pairs of a function and a copy with one name changed everywhere; their label is open."""
    rng, made = corpus.rng, 0
    while made < count:
        # Each function is in one case only.
        functions = by_module[rng.choice(sorted(m for m in by_module if by_module[m]))]
        source = functions.pop(rng.randrange(len(functions)))[1]
        names = own_names(source)
        if names:
            old, new = rng.choice(names), rng.choice([n for n in NEW_NAMES if n not in source])
            corpus.add_pair(
                source, re.sub(rf"\b{old}\b", new, source), None, "code_renamed", old=old, new=new
            )
            made += 1


def own_names(source):
    """The names of arguments and variables that a function uses three times or more."""
    found = {node.arg for node in ast.walk(ast.parse(source)) if isinstance(node, ast.arg)}
    found |= {
        node.id
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    uses = {
        name: len(re.findall(rf"\b{name}\b", source))
        for name in found
        if name not in ("self", "cls") and not keyword.iskeyword(name)
    }
    return sorted(name for name, times in uses.items() if times >= 3)


CLASSES = {
    made.__name__: made
    for made in (
        daily_bulletin, dividend_notice, welcome_ceremony, order_mail, price_list, by_laws, drug_leaflet, log_lines, figure_written,
        figure_spelled, contained, scanned_form,
    )
}  # fmt: skip
NAMES = {*CLASSES, "code_renamed"}
