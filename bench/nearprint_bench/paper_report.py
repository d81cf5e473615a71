"""The page bench/experiments.md. All its numbers come from the results, which also choose its
sentences."""

import statistics

from .pages import markdown, refill
from .paper_algorithms import (
    ALL,
    BELOW,
    CLEANED,
    LETTER,
    MINHASH,
    PAPER_BITS,
    PAPER_BOUND,
    PLAIN,
    POSITIONS,
    PRESET,
    SIMHASH,
    SWEEP,
    TF,
    TFIDF,
    VERIFIED,
    Line,
    below,
    measure_name,
    of,
    scaled,
    with_stop_words,
)
from .paper_corpus import ARTICLES, EDITED, HEAVY_SHARES, RESEMBLANCE
from .paper_plots import PAPER_E_SIMHASH, PAPER_QUALITY, PAPER_SHARES, PAPER_SIMHASH
from .paper_trials import DRAWN, FIXED, HARDEST, NEAR
from .paper_verdict import Facts, verdict
from .paper_words import GOAL, per_cent, shown_or_dash, span
from .tables import with_interval


def report(
    summaries: dict,
    compared: list[Line],
    settings: dict,
    bits: dict[str, int],
    about: dict,
    seeds: int,
) -> str:
    """The text of the page."""
    facts = Facts(summaries, settings, bits)
    parts = [
        introduction(seeds),
        verdict(facts),
        corpus(about, seeds),
        algorithms(compared, settings),
        experiment_1(facts),
        experiment_2(facts, compared),
        readings(facts),
        stop_words(facts),
        experiment_3(facts, compared),
        similarity(facts),
        again(),
    ]
    return "\n\n".join(refill(part.strip()) for part in parts) + "\n"


def introduction(seeds: int) -> str:
    return f"""
# The paper's experiments

Zhang Hang et al., "Application of Simhash Algorithm in Text Deduplication" (online 2019, in print 2020), report three
experiments with E-SimHash on {ARTICLES} news articles. Here they are measured anew, on news that can be had: several readings
of E-SimHash beside plain SimHash, nearprint's own default, and other packages. This page, its tables and its plots are written
by one command, `bench/run.sh paper`. Values are means over {seeds} seed{"s" * (seeds > 1)} ± half the width of the 95 % interval
(Student's t). A seed draws the articles and all edits.

The paper sets its distance to {PAPER_BOUND} and says in experiment 2 that this means *below* {PAPER_BOUND}. Bounds of nearprint are
inclusive, and those of its presets `paper` and `simhash` are {PAPER_BOUND}. So the tables of experiments 2 and 3 have two rows for plain
SimHash and for each E-SimHash, distance < {PAPER_BOUND} and distance ≤ {PAPER_BOUND}. tf-idf alone and tf alone have distance ≤ {PAPER_BOUND} only; the rows
of other algorithms name their bounds. The tables on the readings and on stop words have distance < {PAPER_BOUND} only. Where the distance is not
said, a value compared with the paper's is of distances below {PAPER_BOUND}.
"""


def corpus(about: dict, seeds: int) -> str:
    return f"""
## Corpus and edits

- **Articles.** The paper draws its {ARTICLES} articles from the news of the whole web by Sogou Labs, edition of 2012: classified
  news of nearly 20 columns of several sites, without texts below 800 characters. Which it drew is not published. Ours are
  the texts of at least 800 characters in two other collections of Chinese news, newspaper articles of 2005 to 2012 and items
  of a daily television news program of 2022 to 2026: {about["long enough"]:,} texts. News repeats itself, and such pairs would
  count as errors though they are right, so a text whose 5-character shingles have a Jaccard similarity of {RESEMBLANCE} or more with those of an earlier one is left out (letters, digits
  and Han characters count). Of the remaining {about["unlike"]:,}, {about["characters"]:.0f} characters and {about["words"]:.0f} words long on
  average, each seed draws {ARTICLES}.
- **Words** are the tokens of jieba, as rjieba cuts, that hold a letter, a digit or a Han character.
- **Edited copies.** {EDITED} of the articles get one, in every experiment (in the paper the number is that of experiment 1;
  experiment 2 names none, and experiment 3 edits one article drawn at random in each of 100 trials). The paper's edits are
  random: "modify, delete, shift, replace and so on". Here words are deleted, inserted, replaced or moved, in runs of one to
  five; each kind is as likely as the others. The share of an edit is the number of words deleted, inserted, replaced or moved over the words of the article. Runs do not overlap, so
  the share is met to the next whole word. New words are drawn from the drawn articles, with repetitions, so that frequent
  words are inserted often. The paper keeps every article within T of edits; that
  is read as a share drawn evenly from (0, T]; *fixed* means T itself. The edited
  text is cut into words anew by all algorithms.
- **Negatives** are of two kinds: all other articles, and a version of the same {EDITED} articles of which {span(HEAVY_SHARES)} of the
  words were edited (the share drawn evenly).
- **Statistics** for idf and entropies are those of the {ARTICLES} articles and their {EDITED} edited copies, counted by
  `nearprint stats` under the same settings. (The paper speaks of a training set and does not name it.) The heavy versions are
  fingerprinted with them and are not counted. nearprint's default needs none.
- **Verdicts.** Each copy, heavy version and unedited article is asked for the articles within the bound. *Recall*: edited
  copies that have their own article within it, over all edited copies. *Dedup rate*: these and the unedited articles that
  have no other article within it, over {ARTICLES}. That is the paper's definition, "samples classified rightly over all samples".
  The paper adds that this is, in its experiments, the number of article sets predicted to be of one source over that of all
  articles, which it does not explain further. The dedup rate cannot be below {1 - EDITED / ARTICLES:.3f} while unrelated articles
  keep apart. *Precision*: over all pairs within the bound, in pairs; a heavy version and its own article is a wrong one, and
  so is any document with another article.
"""


def algorithms(compared: list[Line], settings: dict) -> str:
    def made_by(one):
        return " ".join(
            ["nearprint fingerprint", *one.flags, *(["--stats STATS"] if one.statistics else [])]
        )

    flags = [[one.label, f"`{made_by(one)}`"] for one in ALL]
    swept = f"`nearprint dedup --pairs --min-similarity {SWEEP[0]}`"
    rest = [
        [
            "nearprint's default, verified",
            f"`nearprint dedup --pairs`; for other similarities {swept}",
        ],
        [
            "MinHash-LSH",
            "gaoya, 126 hashes in 42 bands of 3, shingles of 3 words; pairs that share a band and "
            "whose estimated similarity reaches the bound",
        ],
        [
            "package `simhash`",
            "1e0ng/simhash, 64 bits; its default features (4-character n-grams), or words, each as "
            "often as it occurs; distance ≤ 3, as Manku et al. 2007 for 64 bits, and 5, which is "
            f"10 of {PAPER_BITS}",
        ],
    ]
    return f"""
## Algorithms

nearprint's default makes fingerprints of character n-grams (`features {settings["features"]}`), without statistics, has
{settings["bits"]} bits, looks as far as {settings["max-distance"]} of them and confirms by the {measure_name(settings)} at {settings["min-similarity"]}
or more. All other settings are those of the presets ([algorithms](../docs/algorithms.md#presets)). Where the width of a fingerprint is
not said, it is {PAPER_BITS} bits, as in experiment 1 of the paper; a distance of another width is given with what it is of {PAPER_BITS}.

E-SimHash *to the letter* is {LETTER.label[len("E-SimHash (") : -1]}: equation 3 divides counts by the number of words. Only
the equations of the weights are taken to the letter; rank, stop words, the hash and the texts that the statistics count are
readings of what the paper leaves open. The preset `paper` takes counts instead, {PRESET.label[len("E-SimHash (") : -1]}; it is called *E-SimHash by
counts* below.

*Plain SimHash* is SimHash as the paper describes it, each word weighing 1. The paper says that the weight is usually 1 or the
number of occurrences, and not which of the two its experiments measure; the other one is *tf alone*.

All of these drop stop words. In the paper step 2 of plain SimHash does (section 2.2). Neither E-SimHash (section 3) nor the
experiments (section 4) mention them, so for these it is a reading; and the fingerprint of plain SimHash that figure 2 prints
holds a stop word, 比. The paper names no list; they are nearprint's own for Chinese and English. STATS are made by `nearprint stats --preset paper`, and with `--stop-words none` where the fingerprints are.

{markdown(["algorithm", "made by"], flags + rest)}
"""


def experiment_1(facts: Facts) -> str:
    distances = [2, 3, 5, 8, 9, 10, 13, 16, 19, 24, 28, 32, 40]
    ours = [(one.label, one.key) for one in (SIMHASH, LETTER, PRESET, facts.best, PLAIN, TFIDF, TF)]

    def rows(measure):
        return [
            [
                label
                if facts.bits[key] == PAPER_BITS
                else f"{label}, at {facts.bits[key] / PAPER_BITS:g} times as many of "
                f"{facts.bits[key]}"
            ]
            + [f"{facts.within(key, distance, measure):.3f}" for distance in distances]
            for label, key in ours
        ]

    header = [f"algorithm, bits of {PAPER_BITS}", *map(str, distances)]
    return f"""
## Experiment 1: distance

{EDITED} copies, T = {per_cent([NEAR.share])}, drawn. The plot shows the dedup rate at every distance on the left, as figure 4 of
the paper does for distances of 1 to 19; on the right, what it costs: the share of the heavy versions that are within the
distance of their article. Distances are those of fingerprints of {PAPER_BITS} bits; where an algorithm has another width they
stand for the same share of its bits, so that 10 is
{of(scaled(10, facts.bits[PLAIN.key]), facts.bits[PLAIN.key]).split(" (")[0]} for nearprint's default and 5 of 64 for the package
`simhash`. All distances in the plot and in the tables are inclusive: {PAPER_BOUND} means ≤ {PAPER_BOUND}, and {BELOW} is the paper's "below {PAPER_BOUND}".
The paper's curves are printed without values; the marks are its values of experiment 2 for the same T, at {BELOW}.

![Dedup rate by distance, and heavy versions within it](experiments/distance.svg)

Dedup rate at distances up to and including that of the column

{markdown(header, rows("rate"))}

Recall at distances up to and including that of the column

{markdown(header, rows("recall"))}

Share of the heavy versions at distances from their article up to and including that of the column

{markdown(header, rows("heavy"))}

Numbers: [distance.csv](experiments/distance.csv) by seed, [distance-summary.csv](experiments/distance-summary.csv).
"""


def experiment_2(facts: Facts, compared: list[Line]) -> str:
    shares = [scenario.share for scenario in DRAWN]
    few = [
        line for line in compared if (line.name, "drawn", shares[-1], "recall") in facts.share.rows
    ]

    def table(names, edits, chosen, measure):
        return markdown(
            ["algorithm", *(f"{round(100 * share)} %" for share in chosen)],
            [
                [line.label]
                + [
                    with_interval(facts.share.get(line.name, edits, share, measure))
                    for share in chosen
                ]
                for line in names
            ],
        )

    printed = [
        ["E-SimHash in the paper", *(f"{value:.3f}" for value in PAPER_E_SIMHASH)],
        ["SimHash in the paper", *(f"{value:.3f}" for value in PAPER_SIMHASH)],
    ]
    small = [share for share in shares if share <= HARDEST.share]
    large = [share for share in shares if share > HARDEST.share]
    return f"""
## Experiment 2: share of edits

![Dedup rate and recall by share](experiments/share.svg)

The paper

{markdown(["dedup rate", *(f"{round(100 * share)} %" for share in PAPER_SHARES)], printed)}

Dedup rate, share drawn from (0, T]

{table(compared, "drawn", small, "rate")}

Recall of copies, share drawn from (0, T]

{table(compared, "drawn", small, "recall")}

Precision against both kinds of negatives, share drawn from (0, T]

{table(compared, "drawn", small, "precision_all")}

Recall for larger T. Above some 40 % a copy is what a heavy version is, and finding it is no merit

{table(few, "drawn", large, "recall")}

Recall where the share is T itself

{table(few, "fixed", [scenario.share for scenario in FIXED], "recall")}

Numbers: [share.csv](experiments/share.csv) by seed, [share-summary.csv](experiments/share-summary.csv).
"""


def readings(facts: Facts) -> str:
    def mean(tf, position):
        return statistics.fmean(facts.drawn(f"e-simhash {tf} {position} below", "rate"))

    rows = [
        [f"tf {tf}"] + [f"{mean(tf, position):.3f}" for position in POSITIONS]
        for tf in ("raw", "relative", "log")
    ]
    losses = [mean(tf, "off") - mean(tf, "rank") for tf in ("raw", "relative", "log")]
    bucket = [mean(tf, "off") - mean(tf, "bucket") for tf in ("raw", "relative", "log")]
    return f"""
## The readings of E-SimHash

Term frequency is a share of the document (relative, equation 3 to the letter), a count (raw) or 1 + ln of the count (log). A
feature's position is its rank by first occurrence, does not enter (off), or is the number of the eighth of the text in which
it first occurs (bucket:8). Rank is a reading as well: the paper orders the words by their distribution in the document,
numbers them from 1 in its figure 3, and does not say what becomes of a word that occurs twice. The plot and the table are of
distances < {PAPER_BOUND}.

![Dedup rate and recall of the readings](experiments/readings.svg)

Mean dedup rate over T = {per_cent(PAPER_SHARES)}, distance < {PAPER_BOUND}

{markdown(["", *(f"position {value}" for value in POSITIONS.values())], rows)}

Ranks cost {min(losses):.3f} to {max(losses):.3f} of the dedup rate, eighths {min(bucket):.3f} to {max(bucket):.3f}. Relative frequencies are so
small beside the entropies, two orders, that the weight is the entropy alone; raw counts let words that a text repeats
have their say.
"""


def stop_words(facts: Facts) -> str:
    rows = []
    for one in CLEANED:
        for its, words in (one, "dropped"), (with_stop_words(one), "kept"):
            rows.append(
                [one.label, words]
                + [f"{value:.3f}" for value in facts.drawn(below(its), "rate")]
                + [f"{facts.share.mean(below(its), 'drawn', HARDEST.share, 'heavy'):.3f}"]
            )
    return f"""
## Stop words

Step 2 of plain SimHash drops stop words; that E-SimHash and the experiments do is a reading. What it changes, at distance
< {PAPER_BOUND}: the dedup rate, and the share of the heavy versions taken for copies (T = {per_cent([HARDEST.share])}).

{markdown(["algorithm", "stop words", *(f"{round(100 * share)} %" for share in PAPER_SHARES), "heavy versions"], rows)}
"""


def experiment_3(facts: Facts, compared: list[Line]) -> str:
    measures = ["precision_others", "precision_all", "recall", "f1_others", "f1_all"]
    rows = [
        [line.label]
        + [with_interval(facts.quality.get(line.name, measure)) for measure in measures]
        for line in compared
    ]
    printed = [
        [label, f"{values[0]:.3f}", "", f"{values[1]:.3f}", f"{values[2]:.3f}", ""]
        for label, values in (
            ("*E-SimHash in the paper*", PAPER_QUALITY[PRESET.key]),
            ("*SimHash in the paper*", PAPER_QUALITY[SIMHASH.key]),
        )
    ]
    recalls = {
        one.key: facts.quality.mean(below(one), "recall")
        for one in (LETTER, PRESET, SIMHASH, facts.best)
    }
    reached = (
        recalls[SIMHASH.key] >= PAPER_QUALITY[SIMHASH.key][1]
        or recalls[facts.best.key] >= PAPER_QUALITY[PRESET.key][1]
    )
    others = min(
        facts.quality.mean(below(one), "precision_others") for one in (LETTER, PRESET, SIMHASH)
    )
    least = "1.000 each" if f"{others:.3f}" == "1.000" else f"{others:.3f} or more"
    drawn = facts.share.mean(below(facts.best), "drawn", 0.10, "recall")
    precision_note = (
        ""
        if others <= 0.98
        else (
            f"Its precision does not reproduce either, to our advantage. Below {PAPER_BOUND} of "
            "128 bits hardly any other article is found: E-SimHash to the letter, by counts and "
            f"plain SimHash have a precision of {least}. Its corpus may hold texts that resemble "
            "each other by nature; ours are drawn so that they do not."
        )
    )
    return f"""
## Experiment 3: precision, recall, F1

The paper edits one article drawn at random, which keeps a similarity of 90 % with the original, and takes the mean of 100
such trials, with a distance of {PAPER_BOUND}. Here exactly a tenth of the words of each of the {EDITED} copies is edited.

The plot shows precision and F1 against other articles, for the paper has no heavy versions. Its values stand beside plain
SimHash and E-SimHash by counts, distance < {PAPER_BOUND}.

![Precision, recall and F1](experiments/quality.svg)

{markdown(["algorithm", "precision, other articles", "precision, both", "recall", "F1, other articles", "F1, both"], printed + rows)}

{"Of the paper's recalls at least one is reached." if reached else "The paper's recalls do not reproduce."} With a tenth edited,
at distance < {PAPER_BOUND}, E-SimHash to the letter finds {recalls[LETTER.key]:.3f}, by counts {recalls[PRESET.key]:.3f}, plain SimHash {recalls[SIMHASH.key]:.3f}, {facts.best.label}
{recalls[facts.best.key]:.3f}. With a share drawn from (0, 10 %] the latter finds {drawn:.3f}. The paper's own recall of {PAPER_QUALITY[PRESET.key][1]} is above its
dedup rate for T = 10 % in experiment 2, {PAPER_E_SIMHASH[1]}. If the two count alike, its similarity of 90 % means lighter edits than
a tenth of the words. {precision_note}

Numbers: [quality.csv](experiments/quality.csv) by seed, [quality-summary.csv](experiments/quality-summary.csv).
"""


def similarity(facts: Facts) -> str:
    bounds = sorted(
        row[1] for row in facts.similarity.rows if row[0] == VERIFIED and row[2] == "recall"
    )
    bounds = [bound for bound in bounds if bound <= 0.9]
    measures = [
        ("recall", "recall"),
        ("precision, other articles", "precision_others"),
        ("precision, both", "precision_all"),
    ]
    rows = [
        [f"{name}, {label}"]
        + [shown_or_dash(facts.similarity, key, bound, measure) for bound in bounds]
        for name, key in (("nearprint", VERIFIED), ("MinHash-LSH", MINHASH))
        for label, measure in measures
    ]

    def good(key):
        return [
            bound
            for bound in bounds
            if (key, bound, "recall") in facts.similarity.rows
            and facts.similarity.mean(key, bound, "recall") >= GOAL
            and facts.similarity.mean(key, bound, "precision_all") >= GOAL
        ]

    def where(key):
        if not good(key):
            return "at none of these"
        first, last = bounds.index(good(key)[0]), bounds.index(good(key)[-1])
        if len(good(key)) > 2 and good(key) == bounds[first : last + 1]:
            return f"from {bounds[first]:g} to {bounds[last]:g}"
        return "at " + " and ".join(f"{bound:g}" for bound in good(key))

    return f"""
## Which similarity

Copies edited by up to {round(100 * HARDEST.share)} % against both kinds of negatives, at every least similarity: the
{facts.measure} for nearprint, of candidates within {facts.reach}, an estimate of the Jaccard
similarity of 3-word shingles for MinHash-LSH.

![Recall and precision by least similarity](experiments/similarity.svg)

{markdown(["", *(f"{bound:g}" for bound in bounds)], rows)}

Recall and precision are both {GOAL} or more for nearprint {where(VERIFIED)}, for MinHash-LSH {where(MINHASH)}.

Numbers: [similarity.csv](experiments/similarity.csv) by seed, [similarity-summary.csv](experiments/similarity-summary.csv).
"""


def again() -> str:
    return """
## Run it again

    bench/run.sh paper --data FOLDER

FOLDER holds `zh_news.jsonl.zst` and `zh_xwlb.jsonl.zst`, one object with a `text` a line; the texts are third-party
material and not part of this repository. Other news in files of these names do as well. The same data, seeds and versions
give the same tables and plots, byte for byte.
"""
