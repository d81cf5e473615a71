"""The results of the paper that reproduce: the figures and the summary of bench/experiments.md.

The figures choose the sentences.
"""

import statistics

from .paper_algorithms import (
    ALL,
    ENTROPY,
    FARTHEST,
    LETTER,
    PAPER_BITS,
    PAPER_BOUND,
    PLAIN,
    PRESET,
    READINGS,
    SIMHASH,
    TF,
    TFIDF,
    VERIFIED,
    WITHOUT_POSITION,
    Fingerprint,
    below,
    measure_name,
    of,
    scaled,
    with_stop_words,
)
from .paper_corpus import ARTICLES, HEAVY_SHARES
from .paper_plots import PAPER_E_SIMHASH, PAPER_SHARES, PAPER_SIMHASH
from .paper_trials import HARDEST, NEAR
from .paper_words import (
    compare_all,
    differences,
    fall,
    gains,
    goal,
    least_gain,
    numbers,
    order,
    per_cent,
    percent,
    reached,
    span,
)

HARDLY = 0.02  # a smaller difference of dedup rates counts as hardly any


class Facts:
    """The figures that the sentences use."""

    def __init__(self, summaries: dict, settings: dict, bits: dict[str, int]):
        self.distance, self.share = summaries["distance"], summaries["share"]
        self.quality, self.similarity = summaries["quality"], summaries["similarity"]
        self.bits = bits
        self.reach = of(settings["max-distance"], bits[PLAIN.key])
        self.measure = measure_name(settings)
        self.best = max(READINGS, key=lambda one: statistics.fmean(self.drawn(below(one), "rate")))

    def drawn(self, name: str, measure: str, shares=tuple(PAPER_SHARES)) -> list[float]:
        return [self.share.mean(name, "drawn", share, measure) for share in shares]

    def within(self, key: str, distance: int, measure: str) -> float:
        """A measure at a distance of 128 bits, scaled to the bits of the algorithm."""
        return self.distance.mean(key, self.bits[key], scaled(distance, self.bits[key]), measure)


def verdict(facts: Facts) -> str:
    """The section on the results that reproduce, and those that do not."""
    best = facts.best
    rate, most = (
        {one.key: facts.drawn(name(one), "rate") for one in (SIMHASH, LETTER, PRESET, best)}
        for name in (below, lambda one: one.key)
    )
    recall = facts.drawn(below(best), "recall")
    plain = rate[SIMHASH.key]
    verified, precise = facts.drawn(VERIFIED, "recall"), facts.drawn(VERIFIED, "precision_all")
    tfidf = facts.drawn(TFIDF.key, "recall")
    heavy = {
        key: facts.share.mean(key, "drawn", HARDEST.share, "heavy")
        for key in (best.key, TFIDF.key, TF.key, SIMHASH.key)
    }
    gain = least_gain(facts.drawn(below(WITHOUT_POSITION), "rate"), plain)
    return f"""
## What reproduces and what does not

All of this at T = {per_cent(PAPER_SHARES)}, in this order. Dedup rates are compared with dedup rates.

- **E-SimHash to the letter is {order(rate[LETTER.key], plain)} plain SimHash**: {numbers(rate[LETTER.key])} against {numbers(plain)}.
  By counts it is {order(rate[PRESET.key], plain)} plain SimHash: {numbers(rate[PRESET.key])}. In the paper it is ahead at
  each T: {numbers(PAPER_E_SIMHASH)} against {numbers(PAPER_SIMHASH)}. Rank positions cost much of what the weights earn: a word
  inserted or deleted shifts the number of every word that first occurs after it, and with it the last eight or nine bits of
  all their hashes.
- **Weights by counts {"earn" if gain > 0 else "do not always earn"} a gain over plain SimHash** once
  positions are left out. The best reading, {best.label}, has {numbers(rate[best.key])}; that is {gains(rate[best.key], plain)}
  more than plain SimHash. In the paper the gain is {gains(PAPER_E_SIMHASH, PAPER_SIMHASH)}. {entropy(facts)}
- **The paper's SimHash may be another one.** {occurrences(facts)}
- **The paper's dedup rates** are {reached(rate[best.key], PAPER_E_SIMHASH)} by the best reading. At distance ≤ {PAPER_BOUND} they are
  {reached(most[best.key], PAPER_E_SIMHASH)}: {numbers(most[best.key])} (E-SimHash to the letter {numbers(most[LETTER.key])}, by counts
  {numbers(most[PRESET.key])}, plain SimHash {numbers(most[SIMHASH.key])}). Read as recall of the edited copies, at distance < {PAPER_BOUND},
  they are {reached(recall, PAPER_E_SIMHASH)}: {numbers(recall)}.
- **Stop words**: {stop_words(facts)}
- **The paper's curves fall more slowly than ours**: from T = {per_cent(PAPER_SHARES[:1])} to {per_cent(PAPER_SHARES[-1:])} its
  E-SimHash loses {fall(PAPER_E_SIMHASH)}, ours {fall(rate[LETTER.key])} to the letter, {fall(rate[PRESET.key])} by counts and
  {fall(rate[best.key])} in the best reading; its SimHash loses {fall(PAPER_SIMHASH)}, ours {fall(plain)}. Its edited texts are not
  published. A guess: edits of which some leave a fingerprint alone whatever their share, such as moves of whole
  paragraphs, would look like that.
- **Experiment 1**: {ahead_from(facts, LETTER, "E-SimHash to the letter")} {ahead_from(facts, PRESET, "E-SimHash by counts")}
  {ahead_from(facts, best, f"The best reading, {best.label},")} The paper says of its figure 4 that E-SimHash has a high dedup
  rate at all distances above 2. Here it has {facts.within(LETTER.key, 3, "rate"):.3f} to the letter,
  {facts.within(PRESET.key, 3, "rate"):.3f} by counts and {facts.within(best.key, 3, "rate"):.3f} in the best reading at distance 3.
- **Weights that count repeated words more find more, and take more for copies that are none**: tf-idf alone has a recall
  of {numbers(tfidf)} at distance ≤ {PAPER_BOUND}, {compare_all(tfidf, facts.drawn(best.key, "recall"))} that of the best reading. But at
  distance ≤ {PAPER_BOUND} and T = {per_cent([HARDEST.share])} it takes {percent(heavy[TFIDF.key])} of the heavy versions, of which {span(HEAVY_SHARES)} was
  edited, for copies, and tf alone {percent(heavy[TF.key])}; {best.label} takes {percent(heavy[best.key])}, plain SimHash
  {percent(heavy[SIMHASH.key])}.
- {verification(facts)} At T = {per_cent(PAPER_SHARES)} the recall of the verified default is {numbers(verified)} and its
  precision against both kinds of negatives {numbers(precise)}. {goal(verified, precise)}
"""


def entropy(facts: Facts) -> str:
    """The part of the entropy in the gain: a reading that weighs by it, and weights without it."""
    plain, alone = (facts.drawn(below(one), "rate") for one in (SIMHASH, ENTROPY))
    hardly = max(abs(a - b) for a, b in zip(alone, plain)) < HARDLY
    best, *without = (facts.drawn(one.key, "rate") for one in (facts.best, TFIDF, TF))
    least, most = (
        min(least_gain(rates, best) for rates in without),
        max(-least_gain(best, rates) for rates in without),
    )
    how = "higher still" if least > 0 else "lower" if most < 0 else "not consistently higher"
    return (
        f"{'The counts earn it, not the entropy: with' if hardly else 'With'} the frequencies of equation 3 "
        f"({ENTROPY.label[len('E-SimHash (') : -1]}) the weight is all but the entropy alone, and the dedup rate "
        f"{'hardly differs' if hardly else 'differs'} from that of plain SimHash, by {differences(alone, plain)}. Without the "
        f"entropy it is {how}: at distance ≤ {PAPER_BOUND} tf-idf alone has {numbers(without[0])} and tf alone "
        f"{numbers(without[1])}, the best reading {numbers(best)}."
    )


def occurrences(facts: Facts) -> str:
    """SimHash weighted by occurrences, beside weight 1 and the readings of E-SimHash."""
    plain, counts = (facts.drawn(one.key, "rate") for one in (SIMHASH, TF))
    behind = sum(order(facts.drawn(one.key, "rate"), counts) == "behind" for one in READINGS)
    whose = f"All {behind}" if behind == len(READINGS) else f"{behind} of the {len(READINGS)}"
    return (
        f"The paper says that the weights of SimHash are usually 1 or the number of occurrences, and not which its "
        f"experiments measure. Plain SimHash on this page weighs each word by 1. By the number of occurrences it is tf alone, which is "
        f"{order(counts, plain)} plain SimHash with weight 1 at distance ≤ {PAPER_BOUND}: {numbers(counts)} against "
        f"{numbers(plain)}. {whose} readings of E-SimHash are behind tf alone at this distance."
    )


def stop_words(facts: Facts) -> str:
    """The change of the dedup rate by dropping stop words."""

    def change(one: Fingerprint) -> str:
        return differences(
            *(facts.drawn(below(its), "rate") for its in (one, with_stop_words(one)))
        )

    return (
        f"the paper drops them where it describes plain SimHash; that E-SimHash and the experiments drop them too is a "
        f"reading. To drop them changes the dedup rate by {change(SIMHASH)} for plain SimHash, {change(LETTER)} for "
        f"E-SimHash to the letter, {change(PRESET)} by counts and {change(WITHOUT_POSITION)} for {WITHOUT_POSITION.label}."
    )


def verification(facts: Facts) -> str:
    """The effect of verification at the default's distance, beside the best distance of all."""

    def at_near(name: str, measure: str) -> float:
        return facts.share.mean(name, "drawn", NEAR.share, measure)

    def f1(name: str) -> float:
        recall, precision = at_near(name, "recall"), at_near(name, "precision_all")
        return 2 * recall * precision / (recall + precision)

    alone, verified = f1("default reach"), f1(VERIFIED)
    hindsight, which = best_distance(facts)
    if verified <= alone:
        heading = "Verification does not raise F1 here"
    elif verified <= hindsight:
        heading = "Verification raises F1, but not above that of the best distance in hindsight"
    else:
        heading = "Verification raises F1 above that of the best distance in hindsight"
    return (
        f"**{heading}.** At T = {per_cent([NEAR.share])}, against both kinds of negatives: nearprint's default looks as far as "
        f"{facts.reach}, where {percent(at_near('default reach', 'heavy'))} of the heavy versions are. Without verification F1 is "
        f"{alone:.3f} there. With verification {percent(at_near(VERIFIED, 'heavy'))} of the heavy versions are left, and F1 is "
        f"{verified:.3f}. Of all these fingerprints, unverified, at all distances up to {FARTHEST} of {PAPER_BITS} bits, or the "
        f"same share of other widths, {which} has the best F1, {hindsight:.3f}; this distance is chosen in hindsight."
    )


def best_distance(facts: Facts) -> tuple[float, str]:
    """The largest F1 of all fingerprints at all distances, and its fingerprints and distance."""
    labels = {one.key: one.label for one in ALL}
    score, key, distance = max(
        (row["mean"], key, distance)
        for (key, _, distance, measure), row in facts.distance.rows.items()
        if measure == "f1_all" and key in labels
    )
    return score, f"{labels[key]} at distance ≤ {of(distance, facts.bits[key])}"


def ahead_from(facts: Facts, one: Fingerprint, name: str) -> str:
    """A sentence on the distances at which an E-SimHash has a higher dedup rate than SimHash."""
    ahead = [
        distance
        for distance in range(1, FARTHEST + 1)
        if facts.within(one.key, distance, "rate") > facts.within(SIMHASH.key, distance, "rate")
    ]
    if not ahead:
        return f"{name} is ahead of plain SimHash at no distance from 1 to {FARTHEST}."
    if ahead == list(range(ahead[0], FARTHEST + 1)):
        return f"{name} is ahead of plain SimHash from distance {ahead[0]} to {FARTHEST}, the largest measured."
    if ahead == list(range(ahead[0], ahead[-1] + 1)):
        return f"{name} is ahead of plain SimHash from distance {ahead[0]} to {ahead[-1]}, and not beyond."
    return (
        f"{name} is ahead of plain SimHash at {len(ahead)} of the distances from 1 to {FARTHEST}."
    )
