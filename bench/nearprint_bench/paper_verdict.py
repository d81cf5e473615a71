"""What of the paper's experiments reproduces: the figures that the sentences of docs/experiments.md ask for, and the sentences
that sum them up, chosen by the figures."""

import statistics

from .paper_algorithms import (ALL, FARTHEST, LETTER, PAPER_BITS, PAPER_BOUND, PLAIN, PRESET, READINGS, SIMHASH, TF, TFIDF,
                               VERIFIED, WITHOUT_POSITION, Fingerprint, below, measure_name, of, scaled, with_stop_words)
from .paper_corpus import ARTICLES, HEAVY_SHARES
from .paper_plots import PAPER_E_SIMHASH, PAPER_SHARES, PAPER_SIMHASH
from .paper_trials import HARDEST, NEAR
from .paper_words import (compare_all, fall, gains, goal, least_gain, numbers, order, per_cent, percent, reached, span)


class Facts:
    """The figures that the sentences ask for."""

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
        """At a distance of 128 bits, or the same share of the bits that the algorithm has."""
        return self.distance.mean(key, self.bits[key], scaled(distance, self.bits[key]), measure)


def verdict(facts: Facts) -> str:
    """The part on what reproduces and what does not."""
    best = facts.best
    rate, most = ({one.key: facts.drawn(name(one), "rate") for one in (SIMHASH, LETTER, PRESET, best)}
                  for name in (below, lambda one: one.key))
    recall = facts.drawn(below(best), "recall")
    plain = rate[SIMHASH.key]
    verified, precise = facts.drawn(VERIFIED, "recall"), facts.drawn(VERIFIED, "precision_all")
    tfidf = facts.drawn(TFIDF.key, "recall")
    heavy = {key: facts.share.mean(key, "drawn", HARDEST.share, "heavy") for key in
             (best.key, TFIDF.key, TF.key, SIMHASH.key, "default reach", VERIFIED)}
    hindsight_f1, hindsight = best_distance(facts)
    place = PAPER_SHARES.index(NEAR.share)
    verified_f1 = 2 * verified[place] * precise[place] / (verified[place] + precise[place])
    return f"""
## What reproduces and what does not

All of this at T = {per_cent(PAPER_SHARES)}, in this order. Dedup rates are compared with dedup rates.

- **E-SimHash to the letter is {order(rate[LETTER.key], plain)} plain SimHash**: {numbers(rate[LETTER.key])} against {numbers(plain)}.
  By counts it is {order(rate[PRESET.key], plain)} plain SimHash: {numbers(rate[PRESET.key])}. In the paper it is ahead at
  each T: {numbers(PAPER_E_SIMHASH)} against {numbers(PAPER_SIMHASH)}. Rank positions cost much of what the weights earn: a word
  inserted or deleted shifts the number of every word that first occurs after it, and with it the last eight or nine bits of
  all their hashes.
- **The entropy weight {"earns" if least_gain(rate[best.key], plain) > 0 else "does not always earn"} a gain over plain SimHash** once
  positions are left out. The best reading, {best.label}, has {numbers(rate[best.key])}; that is {gains(rate[best.key], plain)}
  more than plain SimHash. In the paper the gain is {gains(PAPER_E_SIMHASH, PAPER_SIMHASH)}.
- **The paper's dedup rates** are {reached(rate[best.key], PAPER_E_SIMHASH)} by that reading. At distance ≤ {PAPER_BOUND} they are
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
  of {numbers(tfidf)} at distance ≤ {PAPER_BOUND}, {compare_all(tfidf, facts.drawn(best.key, "recall"))} that of the best reading. But of the versions of an
  article of which {span(HEAVY_SHARES)} was edited, it takes {percent(heavy[TFIDF.key])} for copies, tf alone {percent(heavy[TF.key])};
  {best.label} takes {percent(heavy[best.key])}, plain SimHash {percent(heavy[SIMHASH.key])}.
- **{"Verification does what no distance does" if verified_f1 > hindsight_f1 else "Verification adds little here"}.** Of all these
  fingerprints at all distances up to {FARTHEST} of {PAPER_BITS} bits, or the same share of other widths, chosen in hindsight, {hindsight} parts copies of T = {per_cent([NEAR.share])} from heavy
  versions best, with an F1 of {hindsight_f1:.3f}. nearprint's default looks as far as {facts.reach}, where {percent(heavy["default reach"])} of the
  heavy versions are, and confirms by similarity; then {percent(heavy[VERIFIED])} are left, and F1 is {verified_f1:.3f}. At T =
  {per_cent(PAPER_SHARES)} its recall is {numbers(verified)} and its precision against both kinds of negatives {numbers(precise)}.
  {goal(verified, precise)}
"""


def stop_words(facts: Facts) -> str:
    """What dropping stop words changes in the dedup rate."""
    def change(one: Fingerprint) -> str:
        cleaned, kept = (facts.drawn(below(its), "rate") for its in (one, with_stop_words(one)))
        return ", ".join(f"{a - b:+.3f}" for a, b in zip(cleaned, kept))
    return (f"to drop them, as the paper does, changes the dedup rate by {change(SIMHASH)} for plain SimHash, {change(LETTER)} for "
            f"E-SimHash to the letter, {change(PRESET)} by counts and {change(WITHOUT_POSITION)} for {WITHOUT_POSITION.label}.")


def best_distance(facts: Facts) -> tuple[float, str]:
    """The largest F1 of any fingerprints at any distance, and whose it is."""
    labels = {one.key: one.label for one in ALL}
    score, key, distance = max((row["mean"], key, distance) for (key, _, distance, measure), row in facts.distance.rows.items()
                               if measure == "f1_all" and key in labels)
    return score, f"{labels[key]} at distance ≤ {of(distance, facts.bits[key])}"


def ahead_from(facts: Facts, one: Fingerprint, name: str) -> str:
    """Where the dedup rate of an E-SimHash exceeds plain SimHash's, up to the paper's 19."""
    ahead = [distance for distance in range(1, 20)
             if facts.within(one.key, distance, "rate") > facts.within(SIMHASH.key, distance, "rate")]
    if not ahead:
        return f"{name} is ahead of plain SimHash at no distance from 1 to 19."
    if ahead == list(range(ahead[0], 20)):
        return f"{name} is ahead of plain SimHash from distance {ahead[0]} on."
    if ahead == list(range(ahead[0], ahead[-1] + 1)):
        return f"{name} is ahead of plain SimHash from distance {ahead[0]} to {ahead[-1]}, and not beyond."
    return f"{name} is ahead of plain SimHash at {len(ahead)} of the distances from 1 to 19."
