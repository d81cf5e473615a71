"""Makes hard cases with their expected answers, in Chinese and English, from real articles.

    bench/run.sh hard_cases --data FOLDER --out FOLDER --seed 1

FOLDER then has corpus.jsonl (id, text, class, language), truth.jsonl (left, right, label, class,
language, detail; label 1: to be merged, 0: not to be merged, null: left out of the count),
containment.jsonl (the pairs that are duplicates under --verify containment), chains.jsonl and
README.md. Pairs not listed are no duplicates. Equal seeds, data and versions of Python give equal
bytes; the cases of code are functions of the standard library of the running Python.
"""

import random
import sys
from collections import Counter
from pathlib import Path

from . import (
    case_sources,
    cases_forms,
    cases_other,
    cases_same,
    cases_small,
    corpora,
    rewrites,
    templates,
)
from .case_corpus import Corpus
from .corpora import HAN, arguments, sentences
from .data import write_rows
from .folders import WORK

CLASSES = {
    "paragraph_order": "MERGE. The paragraphs of an article in another order: shuffled, rotated, reversed, halves exchanged, one moved.",
    "boilerplate_sites": "MERGE. One article on two of a few sites; each site puts its own header and footer, 25-35 % of the text (half of the cases: 30 %), around many articles. Listed as 0: two articles on one site.",
    "boilerplate_once": "MERGE. The same, with sites that appear only once in the corpus.",
    "ocr": "MERGE. 3-6 % of the characters wrong (half of the cases: 5 %), by looks or by chance; English: blanks lost and added too.",
    "traditional": "MERGE. Simplified against Traditional Chinese (OpenCC s2t, s2tw, s2hk; some s2twp, which changes words too).",
    "width": "MERGE. Full-width against half-width letters, digits, marks, or all.",
    "rewording": "MERGE. 10-15 % of the words changed, no numbers, sentence by sentence: synonyms or other words, 0-30 % of the changes insert or delete one.",
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
    "daily_bulletin": "NOT. Six bulletins of one form, on weather, markets or traffic, with other figures and places. MERGE: one sent again with a small edit (a typo, other words in a phrase, white space, a line break).",
    "dividend_notice": "NOT. Notices of dividends, 50-100 letters, of other companies and figures. MERGE: sent again with a small edit.",
    "welcome_ceremony": "NOT. The welcome of another guest of another country, 200-300 letters. MERGE: sent again with a small edit.",
    "order_mail": "NOT. Mails about another order: number, goods, name. MERGE: sent again with a small edit.",
    "price_list": "NOT. Other prices for the same goods. MERGE: the same list with a line more.",
    "by_laws": "NOT. By-laws of two cities, 1,500-2,000 letters: city, section numbers and some sums differ. MERGE: sent again with a small edit.",
    "drug_leaflet": "NOT. The leaflet of another drug: active ingredient, dose, figures. MERGE: sent again with a small edit.",
    "log_lines": "NOT. Lines of a log with other ids and times, or with another time only.",
    "code_renamed": "Left out. A function with one of its names changed everywhere.",
    "figure_written": "MERGE. One figure written in two ways: 9.7 mln and 9,700,000.",
    "figure_spelled": "NOT. Short reports with other figures, all of them spelled out. MERGE: sent again with a small edit.",
    "contained": "MERGE. An article sent again with text of its own, 10-35 % of its length, in one place. NOT: with 60-100 %.",
    "scanned_form": "NOT. Two instances of one form, each with 3 % of the characters wrong. MERGE: one instance, scanned twice.",
}  # fmt: skip


def plain(sentence, language):
    """True if a sentence is whole and from running text."""
    if not 12 <= len(sentence) <= 200 or "  " in sentence:
        return False
    if language == "zh":
        return len(HAN.findall(sentence)) >= 0.6 * len(sentence) and sentence[-1] in "。！？"
    return (
        sum(c.isalpha() or c == " " for c in sentence) >= 0.85 * len(sentence)
        and sentence[0].isupper()
        and sentence[-1] in ".!?"
    )


def generate(folder, seed, count, background, languages=("zh", "en")):
    """One Corpus for each language."""
    rng = random.Random(seed)
    technical = case_sources.technical_originals(folder, 3 * count + 10, rng)
    mixed = {t.source for t in technical}
    by_module = templates.functions()
    corpora_made, pools, english = [], [], None
    for language in sorted(languages):  # English first: its words serve as translations
        found, skip = case_sources.event_pairs(folder, language, rng, count)
        need = 14 * count + 2 * count + background + 900
        items = corpora.originals(
            folder,
            language,
            need,
            rng,
            skip=skip | mixed,
            apart=[t for pair in found for t in pair[:2]],
        )
        vocabulary = rewrites.Vocabulary([o.text for o in items], language)
        if not english:
            texts = [o.text for o in corpora.originals(folder, "en", 300, random.Random(seed))]
            english = vocabulary if language == "en" else rewrites.Vocabulary(texts, "en")
        # A sixth of the articles gives single sentences, and these articles are in no text.
        cut = len(items) // 6
        fresh = [s for o in items[:cut] for s in sentences(o.text, language) if plain(s, language)]
        rng.shuffle(fresh)
        corpus = Corpus(language, rng, items[cut:], vocabulary, fresh)
        # The order of the classes decides their articles.
        cases_other.half_copied(corpus, count)
        cases_other.containment_joined(corpus, count)
        cases_same.paragraph_order(corpus, count)
        cases_other.containment_half(corpus, count)
        cases_other.chain(corpus, count)
        cases_same.boilerplate_sites(corpus, count)
        cases_same.boilerplate_once(corpus, count)
        cases_same.ocr(corpus, count)
        cases_same.traditional(corpus, count)
        cases_same.width(corpus, count)
        cases_same.rewording(corpus, count)
        cases_other.template_pair(corpus, count)
        cases_other.template_family(corpus, count)
        cases_other.same_event(corpus, count, found)
        cases_small.tables(corpus, count)
        cases_small.code(corpus, 2 * count, by_module)
        cases_small.one_sentence(corpus, count)
        cases_same.mixed_language(corpus, count, technical, english)
        for item in corpus.pool[:background]:
            corpus.add(item.text, "background")
        corpora_made.append(corpus)
        pools.append(corpus.pool[background:])
    # Each of these classes has its own random numbers and comes last, so it changes no class above.
    for corpus, pool in zip(corpora_made, pools):
        for name in cases_forms.CLASSES:
            cases_forms.CLASSES[name](cases_forms.of_class(corpus, name, seed, pool), count)
        cases_forms.code_renamed(
            cases_forms.of_class(corpus, "code_renamed", seed, pool), count, by_module
        )
    return corpora_made


def write(corpora_made, out, seed):
    rng = random.Random(seed)
    out.mkdir(parents=True, exist_ok=True)
    documents = [dict(d, language=c.language) for c in corpora_made for d in c.documents]
    added = [d for d in documents if d["class"] in cases_forms.NAMES]
    documents = [d for d in documents if d["class"] not in cases_forms.NAMES]
    rng.shuffle(documents)
    rng.shuffle(added)
    documents += added
    write_rows(out / "corpus.jsonl", documents)
    for name in ("truth", "containment", "chains"):
        write_rows(out / f"{name}.jsonl", [row for c in corpora_made for row in getattr(c, name)])
    lines = [
        "# Hard cases",
        "",
        f"Seed {seed}; {len(documents)} documents. Pairs: label 1, label 0, left out.",
        "",
    ]
    lines += [
        "| class | what | " + " | ".join(c.language for c in corpora_made) + " |",
        "|---|---|" + "---|" * len(corpora_made),
    ]
    for name, what in CLASSES.items():
        counts = []
        for c in corpora_made:
            labels = Counter(row["label"] for row in c.truth if row["class"] == name)
            counts.append(", ".join(str(labels[k]) for k in (1, 0, None)) if labels else "-")
        lines.append(f"| `{name}` | {what} | {' | '.join(counts)} |")
    version = ".".join(map(str, sys.version_info[:3]))
    lines += [
        "",
        f"And {sum(d['class'] == 'background' for d in documents)} articles that are duplicates of nothing.",
    ]
    lines += [
        "",
        f"The functions of the classes of code are those of the library of Python {version}, which made this folder; "
        "another version gives others.",
    ]
    (out / "README.md").write_text("\n".join(lines) + "\n", encoding="utf8")


def main():
    parser = arguments(__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=WORK / "hard-cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=60, help="cases of each class and language")
    parser.add_argument(
        "--background", type=int, default=1500, help="ordinary articles of each language"
    )
    parser.add_argument("--languages", default="zh,en")
    options = parser.parse_args()
    made = generate(
        options.data, options.seed, options.cases, options.background, options.languages.split(",")
    )
    write(made, options.out, options.seed)
    print(f"{options.out}: {sum(len(c.documents) for c in made)} documents")


if __name__ == "__main__":
    main()
