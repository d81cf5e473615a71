"""Edits of an article: words deleted, inserted, replaced and moved, in runs of one to five.

The share of an edit is the number of edited words (deleted, inserted, replaced or moved, each
counted once) over the number of words of the article. Runs never overlap, so an edit has this share
exactly, to the next whole word.
"""

from dataclasses import dataclass
from random import Random

KINDS = ("delete", "insert", "replace", "move")
LONGEST_RUN = 5


@dataclass
class Run:
    """`length` words edited in one place; `start` is where they stood in the article."""

    kind: str
    length: int
    start: int = 0


def edit(
    words: list[str],
    gaps: list[str],
    share: float,
    random: Random,
    supply: list[str],
    kinds: tuple[str, ...] = KINDS,
) -> tuple[list[str], list[str]]:
    """The words and gaps of the edited article.

    New words are drawn from `supply`, words of a corpus with repetitions. A gap stays in its place
    when the words around it are edited. New and moved words have no gaps.
    """
    runs = draw_runs(round(share * len(words)), random, kinds)
    moves = [run for run in runs if run.kind == "move"]
    kept = len(words) - sum(run.length for run in runs if run.kind != "insert")
    places = lay_out(kept, runs, moves, random)
    note_starts(places)

    out_words, out_gaps, gap, here, place_before = [], [], "", 0, -1
    for place, what in [*sorted(places.items()), (kept + len(places), None)]:
        stretch = place - place_before - 1
        place_before = place
        if stretch:
            out_words += words[here : here + stretch]
            out_gaps.append(gap + gaps[here])
            out_gaps += gaps[here + 1 : here + stretch]
            gap = ""
            here += stretch
        if what is None:
            break
        new, passed = written(what, words, random, supply)
        gap += "".join(gaps[here : here + passed])
        here += passed
        if new:
            out_words += new
            out_gaps += [gap] + [""] * (len(new) - 1)
            gap = ""
    out_gaps.append(gap + gaps[-1])
    return out_words, out_gaps


@dataclass
class Landing:
    """The target of a moved run."""

    run: Run


def written(
    what: "Run | Landing", words: list[str], random: Random, supply: list[str]
) -> tuple[list[str], int]:
    """The new words at a run or a landing, and the number of the article's words they replace."""
    if isinstance(what, Landing):
        return words[what.run.start : what.run.start + what.run.length], 0
    if what.kind == "insert":
        return [random.choice(supply) for _ in range(what.length)], 0
    if what.kind == "replace":
        return [
            another(word, supply, random) for word in words[what.start : what.start + what.length]
        ], what.length
    return [], what.length


def draw_runs(budget: int, random: Random, kinds: tuple[str, ...]) -> list[Run]:
    """Runs whose lengths add up to the budget."""
    runs = []
    while budget > 0:
        run = Run(random.choice(kinds), min(random.randint(1, LONGEST_RUN), budget))
        runs.append(run)
        budget -= run.length
    return runs


def lay_out(
    kept: int, runs: list[Run], moves: list[Run], random: Random
) -> dict[int, Run | Landing]:
    """The places of runs and landings among the kept words.

    All places are drawn again if a run would land beside its source, since it would not have moved.
    An article too short to move anything in keeps the last draw.
    """
    for _ in range(100):
        drawn = random.sample(range(kept + len(runs) + len(moves)), len(runs) + len(moves))
        sources = {id(run): place for run, place in zip(runs, drawn)}
        landings = drawn[len(runs) :]
        if all(abs(sources[id(run)] - landing) > 1 for run, landing in zip(moves, landings)):
            break
    return dict(zip(drawn, runs + [Landing(run) for run in moves]))


def note_starts(places: dict[int, Run | Landing]) -> None:
    """Sets the start of each run, the place of its words in the article."""
    here, place_before = 0, -1
    for place in sorted(places):
        here += place - place_before - 1
        place_before = place
        what = places[place]
        if isinstance(what, Run):
            what.start = here
            if what.kind != "insert":
                here += what.length


def another(word: str, supply: list[str], random: Random) -> str:
    """A word drawn from the supply, drawn again up to nine times while it equals this one."""
    for _ in range(10):
        new = random.choice(supply)
        if new != word:
            break
    return new
