"""The algorithms that bench/experiments.md compares."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fingerprint:
    """The flags of `nearprint fingerprint`, and of `nearprint stats` for the statistics.

    `statistics` is None if the weights need no statistics.
    """

    key: str
    label: str
    flags: tuple[str, ...]
    statistics: tuple[str, ...] | None = ("--preset", "paper")


@dataclass(frozen=True)
class Line:
    """A line of a table: the verdicts of the algorithm `key` at a bound.

    A bound is a largest distance or a least similarity.
    """

    name: str
    label: str
    key: str
    bound: float


PAPER_BITS = 128
PAPER_BOUND = 10
BELOW = (
    PAPER_BOUND - 1
)  # the largest distance that is "below 10", as experiment 2 of the paper counts
FARTHEST = 40
WITH_STOP_WORDS = ("--stop-words", "none")


def with_stop_words(one: Fingerprint) -> Fingerprint:
    """The algorithm on texts that keep their stop words."""
    statistics = one.statistics and (*one.statistics, *WITH_STOP_WORDS)
    return Fingerprint(
        f"{one.key} with stop words",
        f"{one.label}, with stop words",
        (*one.flags, *WITH_STOP_WORDS),
        statistics,
    )


SIMHASH = Fingerprint("simhash", "plain SimHash", ("--preset", "simhash"), None)
POSITIONS = {"off": "off", "rank": "rank", "bucket": "bucket:8"}
READINGS = [
    Fingerprint(
        f"e-simhash {tf} {position}",
        f"E-SimHash (tf {tf}, position {value})",
        ("--preset", "paper")
        if (tf, position) == ("raw", "rank")
        else ("--preset", "paper", "--tf", tf, "--position", value),
    )
    for tf in ("raw", "relative", "log")
    for position, value in POSITIONS.items()
]
PRESET, LETTER, WITHOUT_POSITION, ENTROPY = (
    next(reading for reading in READINGS if reading.key == f"e-simhash {key}")
    for key in ("raw rank", "relative rank", "raw off", "relative off")
)
TFIDF = Fingerprint(
    "tf-idf", "tf-idf alone", ("--preset", "paper", "--position", "off", "--weights", "tfidf")
)
TF = Fingerprint(
    "tf", "tf alone", ("--preset", "paper", "--position", "off", "--weights", "tf"), None
)
PLAIN = Fingerprint("default", "nearprint's default", (), None)

CLEANED = [SIMHASH, LETTER, PRESET, WITHOUT_POSITION]
FEW = [SIMHASH, LETTER, PRESET, WITHOUT_POSITION, PLAIN]
ALL = [SIMHASH, *READINGS, *map(with_stop_words, CLEANED), TFIDF, TF, PLAIN]

SWEEP = [round(0.2 + 0.05 * step, 2) for step in range(16)]
PACKAGE_CHARACTERS = "simhash package, characters"
PACKAGE_WORDS = "simhash package, words"
MINHASH = "minhash"
VERIFIED = "verified"


def lines(settings: dict, bits: dict[str, int]) -> list[Line]:
    """The lines of the tables.

    `settings` are those of a run with nearprint's default, `bits` the widths of all fingerprints.
    """
    least, measure = settings["min-similarity"], measure_name(settings)
    reach = of(settings["max-distance"], bits[PLAIN.key])

    def at(distance, key, label, name=None):
        return Line(name or key, f"{label}, distance ≤ {of(distance, bits[key])}", key, distance)

    def at_the_papers(key, label, name=None):
        return at(scaled(PAPER_BOUND, bits[key]), key, label, name)

    def at_both(one):
        return [
            Line(below(one), f"{one.label}, distance < {PAPER_BOUND}", one.key, BELOW),
            at_the_papers(one.key, one.label),
        ]

    return [
        *(line for one in (SIMHASH, *READINGS) for line in at_both(one)),
        *(line for one in map(with_stop_words, CLEANED) for line in at_both(one)),
        *(at_the_papers(one.key, one.label) for one in (TFIDF, TF, PLAIN)),
        at(
            settings["max-distance"],
            PLAIN.key,
            "nearprint's default without verification",
            "default reach",
        ),
        Line(
            VERIFIED,
            f"nearprint's default, distance ≤ {reach}, then {measure} ≥ {least}",
            VERIFIED,
            least,
        ),
        Line(MINHASH, "MinHash-LSH (gaoya), similarity ≥ 0.5", MINHASH, 0.5),
        at(3, PACKAGE_CHARACTERS, "package `simhash`, 4-character n-grams"),
        at_the_papers(PACKAGE_CHARACTERS, "the same", f"{PACKAGE_CHARACTERS} 5"),
        at(3, PACKAGE_WORDS, "package `simhash`, words"),
        at_the_papers(PACKAGE_WORDS, "the same", f"{PACKAGE_WORDS} 5"),
    ]


def below(one: Fingerprint) -> str:
    """The name of an algorithm's line at distances below the paper's bound."""
    return f"{one.key} below"


def scaled(distance: int, bits: int) -> int:
    """The distance among `bits` bits with the share of a distance among 128, the paper's width."""
    assert distance * bits % PAPER_BITS == 0, "falls between two distances"
    return distance * bits // PAPER_BITS


def of(distance: int, bits: int) -> str:
    """A distance in words, with its width and its share of 128 bits if the width is another one."""
    return (
        str(distance)
        if bits == PAPER_BITS
        else f"{distance} of {bits} ({distance * PAPER_BITS / bits:g} of {PAPER_BITS})"
    )


def measure_name(settings: dict) -> str:
    """The name of the measure that confirms candidates, for a sentence."""
    measure = settings["verify"].replace("jaccard", "Jaccard")
    return (
        measure
        if measure == "coverage"
        else f"{measure} similarity of {settings['shingle']}-word n-grams"
    )
