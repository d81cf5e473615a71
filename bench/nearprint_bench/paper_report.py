"""docs/experiments.md. All numbers come from the results, and sentences that depend on them are chosen by them."""

import statistics

from .paper_algorithms import (ALL, FARTHEST, MINHASH, PAPER_BITS, PAPER_BOUND, PLAIN, POSITIONS, PRINTED, READINGS, SIMHASH,
                               SWEEP, TF, TFIDF, VERIFIED, Line, measure_name, of, scaled)
from .paper_corpus import ARTICLES, EDITED, HEAVY_SHARES, RESEMBLANCE
from .paper_plots import PAPER_E_SIMHASH, PAPER_QUALITY, PAPER_SHARES, PAPER_SIMHASH
from .paper_trials import DRAWN, FIXED, HARDEST, NEAR
from .paper_words import (GOAL, compare_all, falls, gains, goal, least_gain, numbers, order, per_cent, percent, reached,
                          shown_or_dash, span)
from .tables import markdown, refill, with_interval

PAPER_AHEAD_FROM = 3


def report(summaries: dict, compared: list[Line], settings: dict, bits: dict[str, int], about: dict, seeds: int) -> str:
    """The whole page."""
    facts = Facts(summaries, settings, bits)
    parts = [introduction(seeds), verdict(facts), corpus(about, seeds), algorithms(compared, settings),
             experiment_1(facts), experiment_2(facts, compared), readings(facts), experiment_3(facts, compared),
             similarity(facts), again()]
    return "\n\n".join(refill(part.strip()) for part in parts) + "\n"


class Facts:
    """The figures that the sentences ask for."""

    def __init__(self, summaries: dict, settings: dict, bits: dict[str, int]):
        self.distance, self.share = summaries["distance"], summaries["share"]
        self.quality, self.similarity = summaries["quality"], summaries["similarity"]
        self.bits = bits
        self.reach = of(settings["max-distance"], bits[PLAIN.key])
        self.measure = measure_name(settings)
        self.best = max(READINGS, key=lambda one: statistics.fmean(self.drawn(one.key, "recall")))

    def drawn(self, name: str, measure: str, shares=tuple(PAPER_SHARES)) -> list[float]:
        return [self.share.mean(name, "drawn", share, measure) for share in shares]

    def within(self, key: str, distance: int, measure: str) -> float:
        """At a distance of 128 bits, or the same share of the bits that the algorithm has."""
        return self.distance.mean(key, self.bits[key], scaled(distance, self.bits[key]), measure)


def introduction(seeds: int) -> str:
    return f"""
# The paper's experiments

Zhang Hang et al., "Application of Simhash Algorithm in Text Deduplication" (2020), report three experiments with E-SimHash
on {ARTICLES} news articles. Here they are measured anew, on news that can be had, beside the other readings of the paper,
nearprint's own default, and other packages. This page, its tables and its plots are written by one command,
`bench/run.sh paper`. Values are means over {seeds} seed{'s' * (seeds > 1)} ± half the width of the 95 % interval (Student's t). A seed draws the
articles and all edits.
"""


def verdict(facts: Facts) -> str:
    """The part on what reproduces and what does not."""
    best = facts.best
    recall, rate = facts.drawn(best.key, "recall"), facts.drawn(best.key, "rate")
    printed, plain = facts.drawn(PRINTED.key, "recall"), facts.drawn(SIMHASH.key, "recall")
    printed_rate, plain_rate = facts.drawn(PRINTED.key, "rate"), facts.drawn(SIMHASH.key, "rate")
    verified, precise = facts.drawn(VERIFIED, "recall"), facts.drawn(VERIFIED, "precision_all")
    tfidf = facts.drawn(TFIDF.key, "recall")
    heavy = {key: facts.share.mean(key, "drawn", HARDEST.share, "heavy") for key in
             (best.key, TFIDF.key, TF.key, SIMHASH.key, "default reach", VERIFIED)}
    hindsight_f1, hindsight = best_distance(facts)
    place = PAPER_SHARES.index(NEAR.share)
    verified_f1 = 2 * verified[place] * precise[place] / (verified[place] + precise[place])
    lead = ahead_from(facts, PRINTED.key)
    best_lead = ahead_from(facts, best.key)
    return f"""
## What reproduces and what does not

- **E-SimHash as printed is {order(printed, plain)} plain SimHash** in recall at T = {per_cent(PAPER_SHARES)}:
  {numbers(printed)} against {numbers(plain)}. In the paper it is ahead at each of them: {numbers(PAPER_E_SIMHASH)} against
  {numbers(PAPER_SIMHASH)}. Rank positions are the cause: a word inserted or deleted shifts the number of every word that
  first occurs after it, and with it the last eight or nine bits of all their hashes.
- **The entropy weight {"earns" if least_gain(recall, plain) > 0 else "does not always earn"} a gain over plain SimHash** once
  positions are left out. The best reading, {best.label}, has a recall of {numbers(recall)}; that is {gains(recall, plain)} more
  than plain SimHash. In the paper the gain is {gains(PAPER_E_SIMHASH, PAPER_SIMHASH)}.
- **The paper's values of experiment 2**, read as recall of the edited copies, are {reached(recall, PAPER_E_SIMHASH)} by that
  reading. Read as the share of all {ARTICLES} articles that are classified rightly, the unedited ones included, they are
  {reached(rate, PAPER_E_SIMHASH)}: {numbers(rate)}. By that measure E-SimHash as printed has {numbers(printed_rate)} and plain
  SimHash {numbers(plain_rate)}. The paper's words, documents classified rightly over all documents, allow both.
- **The paper's curves fall more slowly than ours**: from T = {per_cent(PAPER_SHARES[:1])} to {per_cent(PAPER_SHARES[-1:])} its
  E-SimHash loses {PAPER_E_SIMHASH[0] - PAPER_E_SIMHASH[-1]:.3f}, ours {printed[0] - printed[-1]:.3f} as printed and
  {recall[0] - recall[-1]:.3f} in the best reading; {falls(plain)}. Its edits and its articles are not published.
  A guess: edits of which some leave a fingerprint alone whatever their share, such as moves of whole paragraphs,
  would look like that.
- **Experiment 1**: {lead} In the paper E-SimHash is ahead from {PAPER_AHEAD_FROM} on. {best_lead}
- **Weights that count repeated words more find more, and take more for copies that are none**: tf-idf alone has a recall
  of {numbers(tfidf)} at distance ≤ {PAPER_BOUND}, {compare_all(tfidf, PAPER_E_SIMHASH)} the paper's E-SimHash. But of the versions of an
  article of which {span(HEAVY_SHARES)} was edited, it takes {percent(heavy[TFIDF.key])} for copies, tf alone {percent(heavy[TF.key])};
  {best.label} takes {percent(heavy[best.key])}, plain SimHash {percent(heavy[SIMHASH.key])}.
- **{"Verification does what no distance does" if verified_f1 > hindsight_f1 else "Verification adds little here"}.** Of all these
  fingerprints at all distances up to {FARTHEST} of {PAPER_BITS} bits, or the same share of other widths, chosen in hindsight, {hindsight} parts copies of T = {per_cent([NEAR.share])} from heavy
  versions best, with an F1 of {hindsight_f1:.3f}. nearprint's default looks as far as {facts.reach}, where {percent(heavy["default reach"])} of the
  heavy versions are, and confirms by similarity; then {percent(heavy[VERIFIED])} are left, and F1 is {verified_f1:.3f}. At T =
  {per_cent(PAPER_SHARES)} its recall is {numbers(verified)} and its precision against both kinds of negatives {numbers(precise)}.
  {goal(verified, precise)}
"""


def corpus(about: dict, seeds: int) -> str:
    return f"""
## Corpus and edits

- **Articles.** The paper's corpus is not published. Ours are the texts of at least 800 characters in two collections of
  Chinese news, newspaper articles of 2005 to 2012 and items of a daily television news program of 2022 to 2026:
  {about["long enough"]:,} texts. News repeats itself, and such pairs would count as errors though they are right, so a text
  whose 5-character shingles have a Jaccard similarity of {RESEMBLANCE} or more with those of an earlier one is left out (letters, digits
  and Han characters count). Of the remaining {about["unlike"]:,}, {about["characters"]:.0f} characters and {about["words"]:.0f} words long on
  average, each seed draws {ARTICLES}.
- **Words** are the tokens of jieba, as rjieba cuts, that hold a letter, a digit or a Han character.
- **Edited copies.** {EDITED} of the articles get one, in every experiment (in the paper the number is that of experiment 1).
  Words are deleted, inserted, replaced or moved, in runs of one to five; each kind is as likely as the others. The share of
  an edit is the number of words deleted, inserted, replaced or moved over the words of the article. Runs do not overlap, so
  the share is met to the next whole word. New words are drawn from the drawn articles, with repetitions, so that frequent
  words are inserted often. "At most T" is read as a share drawn evenly from (0, T]; *fixed* means T itself. The edited
  text is cut into words anew by all algorithms.
- **Negatives** are of two kinds: all other articles, and a version of the same {EDITED} articles of which {span(HEAVY_SHARES)} of the
  words were edited (the share drawn evenly).
- **Statistics** for idf and entropies are those of the {ARTICLES} articles and their {EDITED} edited copies, counted once by
  `nearprint stats`. The heavy versions are fingerprinted with them and are not counted. nearprint's default needs none.
- **Verdicts.** Each copy, heavy version and unedited article is asked for the articles within the bound. *Recall*: edited
  copies that have their own article within it, over all edited copies. *Dedup rate*: these and the unedited articles that
  have no other article within it, over {ARTICLES}; it cannot be below {1 - EDITED / ARTICLES:.3f} while unrelated articles
  keep apart. *Precision*: over all pairs within the bound, in pairs; a heavy version and its own article is a wrong one, and
  so is any document with another article.
"""


def algorithms(compared: list[Line], settings: dict) -> str:
    def made_by(one):
        return " ".join(["nearprint fingerprint", *one.flags, *(["--stats STATS"] if one.statistics else [])])
    flags = [[one.label, f"`{made_by(one)}`"] for one in ALL]
    swept = f"`nearprint dedup --pairs --min-similarity {SWEEP[0]}`"
    rest = [
        ["nearprint's default, verified", f"`nearprint dedup --pairs`; for other similarities {swept}"],
        ["MinHash-LSH", "gaoya, 126 hashes in 42 bands of 3, shingles of 3 words; pairs that share a band and whose estimated "
                        "similarity reaches the bound"],
        ["package `simhash`", "1e0ng/simhash, 64 bits; its default features (4-character n-grams), or words, each as often "
                              f"as it occurs; distance ≤ 3, as Manku et al. 2007 for 64 bits, and 5, which is 10 of {PAPER_BITS}"],
    ]
    return f"""
## Algorithms

nearprint's default makes fingerprints of character n-grams (`features {settings["features"]}`), without statistics, has {settings["bits"]} bits, looks as far as
{settings["max-distance"]} of them and confirms by the {measure_name(settings)} at {settings["min-similarity"]}
or more. All other settings are those of the presets ([algorithms](algorithms.md#presets)). Where the width of a fingerprint is
not said, it is {PAPER_BITS} bits, as in the paper; a distance of another width is given with what it is of {PAPER_BITS}. The `paper` preset is E-SimHash
as printed: tf raw, position rank.

{markdown(["algorithm", "made by"], flags + rest)}
"""


def experiment_1(facts: Facts) -> str:
    distances = [3, 5, 8, 10, 13, 16, 19, 24, 28, 32, 40]
    ours = [(one.label, one.key) for one in (SIMHASH, PRINTED, facts.best, PLAIN, TFIDF, TF)]
    def rows(measure):
        return [[label if facts.bits[key] == PAPER_BITS else f"{label}, at {facts.bits[key] / PAPER_BITS:g} times as many of {facts.bits[key]}"]
                + [f"{facts.within(key, distance, measure):.3f}" for distance in distances]
                for label, key in ours]
    header = [f"algorithm, bits of {PAPER_BITS}", *map(str, distances)]
    return f"""
## Experiment 1: distance

{EDITED} copies, T = {per_cent([NEAR.share])}, drawn. The plot shows recall at every distance on the left; on the right, what it
costs: the share of the heavy versions that are within the distance of their article. Distances are those of fingerprints of
{PAPER_BITS} bits; where an algorithm has another width they stand for the same share of its bits, so that 10 is
{of(scaled(10, facts.bits[PLAIN.key]), facts.bits[PLAIN.key]).split(" (")[0]} for nearprint's default and 5 of 64 for the package `simhash`. The paper's curves are printed without values; the marks are its values of
experiment 2 for the same T.

![Recall by distance, and heavy versions within it](experiments/distance.svg)

Recall at distance

{markdown(header, rows("recall"))}

Heavy versions within the distance of their article

{markdown(header, rows("heavy"))}

Numbers: [distance.csv](experiments/distance.csv) by seed, [distance-summary.csv](experiments/distance-summary.csv).
"""


def experiment_2(facts: Facts, compared: list[Line]) -> str:
    shares = [scenario.share for scenario in DRAWN]
    few = [line for line in compared if (line.name, "drawn", shares[-1], "recall") in facts.share.rows]

    def table(names, edits, chosen, measure):
        return markdown(["algorithm", *(f"{round(100 * share)} %" for share in chosen)],
                        [[line.label] + [with_interval(facts.share.get(line.name, edits, share, measure)) for share in chosen]
                         for line in names])

    printed = [["E-SimHash in the paper", *(f"{value:.3f}" for value in PAPER_E_SIMHASH)],
               ["SimHash in the paper", *(f"{value:.3f}" for value in PAPER_SIMHASH)]]
    small = [share for share in shares if share <= HARDEST.share]
    large = [share for share in shares if share > HARDEST.share]
    return f"""
## Experiment 2: share of edits

![Recall and dedup rate by share](experiments/share.svg)

The paper

{markdown(["dedup rate", *(f"{round(100 * share)} %" for share in PAPER_SHARES)], printed)}

Recall of copies, share drawn from (0, T]

{table(compared, "drawn", small, "recall")}

Dedup rate, share drawn from (0, T]

{table(compared, "drawn", small, "rate")}

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
        return statistics.fmean(facts.drawn(f"e-simhash {tf} {position}", "recall"))
    rows = [[f"tf {tf}"] + [f"{mean(tf, position):.3f}" for position in POSITIONS] for tf in ("raw", "relative", "log")]
    losses = [mean(tf, "off") - mean(tf, "rank") for tf in ("raw", "relative", "log")]
    bucket = [mean(tf, "off") - mean(tf, "bucket") for tf in ("raw", "relative", "log")]
    return f"""
## The readings of E-SimHash

Where the paper can be read in several ways, nearprint has an option for each. Term frequency is a count (raw), a share of
the document (relative, the paper's equation 3 to the letter) or 1 + ln of the count (log); a feature's position does not
enter (off), is its rank (the paper's figure 3) or the number of the eighth of the text in which it first occurs.

![Recall and dedup rate of the readings](experiments/readings.svg)

Mean recall over T = {per_cent(PAPER_SHARES)}, distance ≤ {PAPER_BOUND}

{markdown(["", *(f"position {value}" for value in POSITIONS.values())], rows)}

Ranks cost {min(losses):.3f} to {max(losses):.3f} of recall, eighths {min(bucket):.3f} to {max(bucket):.3f}. Relative frequencies are so
small beside the entropies, two orders, that the weight is the entropy alone; raw counts let words that a text repeats
have their say.
"""


def experiment_3(facts: Facts, compared: list[Line]) -> str:
    measures = ["precision_others", "precision_all", "recall", "f1_others", "f1_all"]
    rows = [[line.label] + [with_interval(facts.quality.get(line.name, measure)) for measure in measures]
            for line in compared]
    printed = [[label, f"{values[0]:.3f}", "", f"{values[1]:.3f}", f"{values[2]:.3f}", ""] for label, values in
               (("*E-SimHash in the paper*", PAPER_QUALITY[PRINTED.key]), ("*SimHash in the paper*", PAPER_QUALITY[SIMHASH.key]))]
    recalls = {key: facts.quality.mean(key, "recall") for key in (PRINTED.key, SIMHASH.key, facts.best.key)}
    below = all(recalls[key] < PAPER_QUALITY[key][1] for key in PAPER_QUALITY)
    others = min(facts.quality.mean(key, "precision_others") for key in (PRINTED.key, SIMHASH.key))
    drawn = facts.share.mean(facts.best.key, "drawn", 0.10, "recall")
    precision_note = "" if others <= 0.98 else (
        f"Its precision does not reproduce either, to our advantage: at {PAPER_BOUND} of 128 bits hardly any other article "
        f"is found (precision {others:.3f}). Its corpus may hold texts that resemble each other by nature; ours are drawn so that they do not.")
    return f"""
## Experiment 3: precision, recall, F1

The paper makes 100 trials at a similarity of 90 %. Here exactly a tenth of the words of each of the {EDITED} copies is edited.

![Precision, recall and F1](experiments/quality.svg)

{markdown(["algorithm", "precision, other articles", "precision, both", "recall", "F1, other articles", "F1, both"], printed + rows)}

{"The paper's recalls do not reproduce." if below else "Of the paper's recalls at least one is reached."} With a tenth edited, E-SimHash as printed finds
{recalls[PRINTED.key]:.3f}, plain SimHash {recalls[SIMHASH.key]:.3f}, {facts.best.label} {recalls[facts.best.key]:.3f}. With a share drawn from (0, 10 %] the latter
finds {drawn:.3f}. The paper's own {PAPER_QUALITY[PRINTED.key][1]} is above its dedup rate for T = 10 % in experiment 2, {PAPER_E_SIMHASH[1]}, which suggests that its
similarity of 90 % means lighter edits than a tenth of the words. {precision_note}

Numbers: [quality.csv](experiments/quality.csv) by seed, [quality-summary.csv](experiments/quality-summary.csv).
"""


def similarity(facts: Facts) -> str:
    bounds = sorted(row[1] for row in facts.similarity.rows if row[0] == VERIFIED and row[2] == "recall")
    bounds = [bound for bound in bounds if bound <= 0.9]
    measures = [("recall", "recall"), ("precision, other articles", "precision_others"), ("precision, both", "precision_all")]
    rows = [[f"{name}, {label}"] + [shown_or_dash(facts.similarity, key, bound, measure) for bound in bounds]
            for name, key in (("nearprint", VERIFIED), ("MinHash-LSH", MINHASH)) for label, measure in measures]

    def good(key):
        return [bound for bound in bounds if (key, bound, "recall") in facts.similarity.rows
                and facts.similarity.mean(key, bound, "recall") >= GOAL
                and facts.similarity.mean(key, bound, "precision_all") >= GOAL]

    def where(key):
        if not good(key):
            return "at none of these"
        first, last = bounds.index(good(key)[0]), bounds.index(good(key)[-1])
        if len(good(key)) > 2 and good(key) == bounds[first:last + 1]:
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


def best_distance(facts: Facts) -> tuple[float, str]:
    """The largest F1 of any fingerprints at any distance, and whose it is."""
    labels = {one.key: one.label for one in ALL}
    score, key, distance = max((row["mean"], key, distance) for (key, _, distance, measure), row in facts.distance.rows.items()
                               if measure == "f1_all" and key in labels)
    return score, f"{labels[key]} at distance ≤ {of(distance, facts.bits[key])}"


def ahead_from(facts: Facts, key: str) -> str:
    """Where the recall of an E-SimHash exceeds plain SimHash's, up to the paper's 19."""
    ahead = [distance for distance in range(1, 20)
             if facts.within(key, distance, "recall") > facts.within(SIMHASH.key, distance, "recall")]
    name = "E-SimHash as printed" if key == PRINTED.key else f"The best reading, {facts.best.label},"
    if not ahead:
        return f"{name} is ahead of plain SimHash at no distance from 1 to 19."
    if ahead == list(range(ahead[0], 20)):
        return f"{name} is ahead of plain SimHash from distance {ahead[0]} on."
    if ahead == list(range(ahead[0], ahead[-1] + 1)):
        return f"{name} is ahead of plain SimHash from distance {ahead[0]} to {ahead[-1]}, and not beyond."
    return f"{name} is ahead of plain SimHash at {len(ahead)} of the distances from 1 to 19."
