"""What the paper's experiments compare."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fingerprint:
    """Fingerprints that `nearprint fingerprint` makes with these flags."""
    key: str
    label: str
    flags: tuple[str, ...]


@dataclass(frozen=True)
class Line:
    """An algorithm with its bound: the verdicts of `key` at a largest distance or a least similarity."""
    name: str
    label: str
    key: str
    bound: float


PAPER_BOUND = 10
SIMHASH = Fingerprint("simhash", "the paper's SimHash", ("--preset", "simhash"))
PRINTED = Fingerprint("e-simhash raw rank", "E-SimHash as printed (tf raw, position rank)", ("--preset", "paper"))
PLAIN = Fingerprint("default", "nearprint's default", ("--preset", "default"))
POSITIONS = {"off": "off", "rank": "rank", "bucket": "bucket:8"}
READINGS = [
    PRINTED if (tf, position) == ("raw", "rank") else
    Fingerprint(f"e-simhash {tf} {position}", f"E-SimHash (tf {tf}, position {value})",
                ("--preset", "paper", "--tf", tf, "--position", value))
    for tf in ("raw", "relative", "log") for position, value in POSITIONS.items()
]
WITHOUT_POSITION = next(reading for reading in READINGS if reading.key == "e-simhash raw off")
TFIDF = Fingerprint("tf-idf", "tf-idf alone", ("--preset", "paper", "--position", "off", "--weights", "tfidf"))
TF = Fingerprint("tf", "tf alone", ("--preset", "paper", "--position", "off", "--weights", "tf"))

FEW = [SIMHASH, PRINTED, WITHOUT_POSITION, PLAIN]
ALL = [SIMHASH, *READINGS, TFIDF, TF, PLAIN]

SWEEP = [round(0.2 + 0.05 * step, 2) for step in range(16)]
PACKAGE_CHARACTERS = "simhash package, characters"
PACKAGE_WORDS = "simhash package, words"
MINHASH = "minhash"
VERIFIED = "verified"


def lines(settings: dict) -> list[Line]:
    """What the tables show, given the settings of a run with nearprint's default."""
    reach, least, measure = settings["max-distance"], settings["min-similarity"], measure_name(settings)
    return [
        *(Line(one.key, f"{one.label}, distance ≤ {PAPER_BOUND}", one.key, PAPER_BOUND) for one in ALL),
        Line("default reach", f"nearprint's default without verification, distance ≤ {reach}", PLAIN.key, reach),
        Line(VERIFIED, f"nearprint's default (distance ≤ {reach}, then {measure} ≥ {least})", VERIFIED, least),
        Line(MINHASH, "MinHash-LSH (gaoya), similarity ≥ 0.5", MINHASH, 0.5),
        Line(PACKAGE_CHARACTERS, "package `simhash`, 4-character n-grams, 64 bits, distance ≤ 3", PACKAGE_CHARACTERS, 3),
        Line(f"{PACKAGE_CHARACTERS} 5", "the same, distance ≤ 5 (10 of 128)", PACKAGE_CHARACTERS, 5),
        Line(PACKAGE_WORDS, "package `simhash`, words, 64 bits, distance ≤ 3", PACKAGE_WORDS, 3),
        Line(f"{PACKAGE_WORDS} 5", "the same, distance ≤ 5 (10 of 128)", PACKAGE_WORDS, 5),
    ]


def measure_name(settings: dict) -> str:
    """What confirms candidates, as it is written in a sentence."""
    measure = settings["verify"].replace("jaccard", "Jaccard")
    return measure if measure == "coverage" else f"{measure} similarity of {settings['shingle']}-word shingles"
