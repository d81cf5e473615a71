"""Near-duplicate text engine: documents in, groups of near-duplicates and a clean corpus out.

>>> import nearprint as nr
>>> nr.segment("能力比学历重要")
['能力', '比', '学历', '重要']

=============================  ====================================================================
:func:`dedup`                  documents -> the kept ones, and the reason for each removal
:func:`rethreshold`            a result -> the result at another least similarity
:func:`tune`                   documents -> the removals at other least similarities
:func:`passages`               documents -> the passages that many share, and documents without them
:class:`Fingerprinter`         texts -> fingerprints
:func:`hamming`                fingerprints -> their distances
:func:`join`, :func:`nearest`  fingerprints -> near pairs, the nearest ones of each
:func:`compare`                two texts -> their verdict and its measurements
:func:`similarity`             two texts, or two columns -> similarities; :func:`is_duplicate`
:func:`segment`                a text, or a column -> tokens
:class:`Stats`                 texts -> corpus statistics, for the weights of words
:func:`evaluate`               found pairs or clusters -> their agreement with labelled ones
:class:`Index`                 documents on disk -> the duplicates of any text among them
:class:`Config`                settings, to and from the TOML of the command line
:class:`Settings`              the keyword arguments of all functions, with their types
:func:`presets`                the presets, each with its purpose
=============================  ====================================================================

``nearprint.polars`` and ``nearprint.pandas`` extend expressions and columns, ``nearprint.sklearn``
is a transformer, ``nearprint.simhash`` and ``nearprint.datasketch`` replace the packages ``simhash``
and ``datasketch``. ``python -m nearprint`` is the command line.
"""

from nearprint._nearprint import (
    Config,
    Fingerprint,
    Fingerprinter,
    Fingerprints,
    Stats,
    __version__,
    hamming,
    join,
)
from nearprint.comparison import (
    Comparison,
    Difference,
    Piece,
    Side,
    View,
    Weighed,
    compare,
    is_duplicate,
    nearest,
    segment,
    similarity,
)
from nearprint.deduplication import Result, dedup, rethreshold
from nearprint.errors import (
    Error,
    FileError,
    IncompatibleError,
    NearprintWarning,
    RejectedError,
    TakenError,
    UsageError,
)
from nearprint.evaluation import Case, Evaluation, Figure, evaluate
from nearprint.index import Index, Match
from nearprint.passages import PassageResult, passages
from nearprint.presets import presets
from nearprint.settings import Settings
from nearprint.tuning import tune

__all__ = [
    "Case",
    "Comparison",
    "Config",
    "Difference",
    "Error",
    "Evaluation",
    "Figure",
    "FileError",
    "Fingerprint",
    "Fingerprinter",
    "Fingerprints",
    "IncompatibleError",
    "Index",
    "Match",
    "NearprintWarning",
    "PassageResult",
    "Piece",
    "RejectedError",
    "Result",
    "Settings",
    "Side",
    "Stats",
    "TakenError",
    "UsageError",
    "View",
    "Weighed",
    "__version__",
    "compare",
    "dedup",
    "evaluate",
    "hamming",
    "is_duplicate",
    "join",
    "nearest",
    "passages",
    "presets",
    "rethreshold",
    "segment",
    "similarity",
    "tune",
]
