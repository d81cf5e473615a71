"""The plots of bench/experiments.md."""

from pathlib import Path

from .paper_algorithms import (
    BELOW,
    FARTHEST,
    LETTER,
    MINHASH,
    PACKAGE_CHARACTERS,
    PACKAGE_WORDS,
    PAPER_BITS,
    PAPER_BOUND,
    PLAIN,
    POSITIONS,
    PRESET,
    SIMHASH,
    TF,
    TFIDF,
    VERIFIED,
    WITHOUT_POSITION,
    Line,
    below,
    of,
    scaled,
)
from .paper_trials import DRAWN, HARDEST, NEAR
from .plots import COLORS, Curve, Marks, Panel, curves, dots

PAPER_SHARES = [0.05, 0.10, 0.15, 0.20]
PAPER_E_SIMHASH = [0.833, 0.751, 0.687, 0.661]
PAPER_SIMHASH = [0.679, 0.529, 0.476, 0.451]
PAPER_QUALITY = {PRESET.key: (0.963, 0.867, 0.912), SIMHASH.key: (0.818, 0.621, 0.706)}


def draw(
    folder: Path, summaries: dict, compared: list[Line], settings: dict, bits: dict[str, int]
) -> None:
    """Draws all plots."""
    by_distance(folder / "distance.svg", summaries["distance"], bits)
    by_share(folder / "share.svg", summaries["share"], compared, bits)
    readings(folder / "readings.svg", summaries["share"])
    quality(folder / "quality.svg", summaries["quality"], compared)
    similarity(folder / "similarity.svg", summaries["similarity"], settings)


def by_distance(path: Path, summary, bits: dict[str, int]) -> None:
    def label(name, key):
        return name if bits[key] == PAPER_BITS else f"{name}, {bits[key]} bits"

    def panel(title, y_label, measure, marks):
        distances = {key: range(scaled(FARTHEST, its) + 1) for key, its in bits.items()}
        return Panel(
            title,
            f"largest distance, in {PAPER_BITS}ths of the fingerprint",
            y_label,
            [
                Curve(
                    label(name, key),
                    [distance * PAPER_BITS / bits[key] for distance in distances[key]],
                    [summary.get(key, bits[key], distance, measure) for distance in distances[key]],
                    color,
                    style,
                )
                for name, key, color, style in [
                    ("plain SimHash", SIMHASH.key, COLORS[0], "-"),
                    ("E-SimHash to the letter", LETTER.key, COLORS[8], "-"),
                    ("E-SimHash, counts", PRESET.key, COLORS[1], "-"),
                    ("E-SimHash, counts, without position", WITHOUT_POSITION.key, COLORS[2], "-"),
                    ("nearprint's default, unverified", PLAIN.key, COLORS[3], "-"),
                    ("tf-idf alone", TFIDF.key, COLORS[4], "--"),
                    ("tf alone", TF.key, COLORS[5], "--"),
                    ("simhash package, characters", PACKAGE_CHARACTERS, COLORS[6], ":"),
                    ("simhash package, words", PACKAGE_WORDS, COLORS[7], ":"),
                ]
            ],
            marks,
            (PAPER_BOUND, "the paper: below 10"),
        )

    place = PAPER_SHARES.index(NEAR.share)
    marks = [
        Marks("the paper, SimHash", [BELOW], [PAPER_SIMHASH[place]], COLORS[0]),
        Marks("the paper, E-SimHash", [BELOW], [PAPER_E_SIMHASH[place]], COLORS[1]),
    ]
    curves(
        path,
        [
            panel("Copies edited by up to 15 %", "dedup rate", "rate", marks),
            panel("Versions edited by 40 to 60 %", "share of them taken for copies", "heavy", []),
        ],
        4,
    )


def by_share(path: Path, summary, compared: list[Line], bits: dict[str, int]) -> None:
    shares = [scenario.share for scenario in DRAWN]
    labels = {line.name: line.label for line in compared}

    def panel(title, y_label, measure, marks):
        return Panel(
            title,
            "largest share of words edited, %",
            y_label,
            [
                Curve(
                    label,
                    [100 * share for share in shares],
                    [summary.get(name, "drawn", share, measure) for share in shares],
                    color,
                    style,
                )
                for label, name, color, style in [
                    ("plain SimHash, < 10", below(SIMHASH), COLORS[0], "-"),
                    ("E-SimHash to the letter, < 10", below(LETTER), COLORS[8], "-"),
                    ("E-SimHash, counts, < 10", below(PRESET), COLORS[1], "-"),
                    (
                        "E-SimHash, counts, without position, < 10",
                        below(WITHOUT_POSITION),
                        COLORS[2],
                        "-",
                    ),
                    (
                        f"nearprint's default, unverified, ≤ {of(scaled(PAPER_BOUND, bits[PLAIN.key]), bits[PLAIN.key])}",
                        PLAIN.key,
                        COLORS[3],
                        "-",
                    ),
                    (labels[VERIFIED], VERIFIED, "#000000", "-"),
                    (labels[MINHASH], MINHASH, COLORS[4], "--"),
                ]
            ],
            marks,
        )

    marks = [
        Marks(
            "the paper, SimHash", [100 * share for share in PAPER_SHARES], PAPER_SIMHASH, COLORS[0]
        ),
        Marks(
            "the paper, E-SimHash",
            [100 * share for share in PAPER_SHARES],
            PAPER_E_SIMHASH,
            COLORS[1],
        ),
    ]
    curves(
        path,
        [
            panel("Dedup rate: rightly classified of all articles", "dedup rate", "rate", marks),
            panel("Recall of the edited copies", "recall", "recall", []),
        ],
        3,
    )


def readings(path: Path, summary) -> None:
    styles = dict(zip(POSITIONS, ("-", "--", ":")))
    colors = {"raw": COLORS[0], "relative": COLORS[1], "log": COLORS[2]}

    def panel(title, y_label, measure, marks):
        return Panel(
            title,
            "largest share of words edited, %",
            y_label,
            [
                Curve(
                    f"tf {tf}, position {value}",
                    [100 * share for share in PAPER_SHARES],
                    [
                        summary.get(f"e-simhash {tf} {position} below", "drawn", share, measure)
                        for share in PAPER_SHARES
                    ],
                    colors[tf],
                    styles[position],
                )
                for tf in colors
                for position, value in POSITIONS.items()
            ],
            marks,
        )

    marks = [
        Marks(
            "the paper, E-SimHash",
            [100 * share for share in PAPER_SHARES],
            PAPER_E_SIMHASH,
            COLORS[3],
        )
    ]
    curves(
        path,
        [
            panel(f"Dedup rate at distances below {PAPER_BOUND}", "dedup rate", "rate", marks),
            panel(
                f"Recall of the edited copies at distances below {PAPER_BOUND}",
                "recall",
                "recall",
                [],
            ),
        ],
        4,
    )


def quality(path: Path, summary, compared: list[Line]) -> None:
    """Plots precision and F1 against other articles; the paper has no heavily edited versions."""
    names = [line.name for line in compared]
    printed = [(names.index(below(one)), PAPER_QUALITY[one.key]) for one in (PRESET, SIMHASH)]
    dots(
        path,
        [line.label.replace("`", "") for line in compared],
        [
            (title, [summary.get(name, measure) for name in names])
            for title, measure in [
                ("precision, other articles", "precision_others"),
                ("recall", "recall"),
                ("F1, other articles", "f1_others"),
            ]
        ],
        [{place: values[number] for place, values in printed} for number in range(3)],
    )


def similarity(path: Path, summary, settings: dict) -> None:
    def panel(title, key):
        bounds = [row[1] for row in summary.rows if row[0] == key and row[2] == "recall"]
        return Panel(
            title,
            "least similarity",
            "",
            [
                Curve(label, bounds, [summary.get(key, bound, measure) for bound in bounds], color)
                for label, measure, color in [
                    ("recall", "recall", COLORS[0]),
                    ("precision, other articles", "precision_others", COLORS[2]),
                    ("precision, both kinds of negatives", "precision_all", COLORS[1]),
                ]
            ],
            [],
            (settings["min-similarity"] if key == VERIFIED else 0.5, "in the tables"),
        )

    name = f"copies edited by up to {round(100 * HARDEST.share)} %"
    curves(
        path,
        [
            panel(f"nearprint, verified; {name}", VERIFIED),
            panel(f"MinHash-LSH (gaoya); {name}", MINHASH),
        ],
        3,
    )
