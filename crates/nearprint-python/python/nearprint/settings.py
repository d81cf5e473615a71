"""Settings as keyword arguments.

The command line writes this file, from its own help:
NEARPRINT_WRITE_PAGES=1 cargo test -p nearprint-cli --test cli pages
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, SupportsIndex, TypedDict, Union

if TYPE_CHECKING:
    from nearprint._nearprint import Stats

__all__ = ["Settings"]

Names = Union[str, Sequence[str]]
Path = Union[str, os.PathLike[str]]
Preset = Literal[
    "default",
    "strict",
    "loose",
    "paper",
    "simhash",
    "google",
    "md5-32",
    "jaccard",
    "exact",
]


class Settings(TypedDict, total=False):
    """The keyword arguments that functions of nearprint share, as ``nr.dedup(documents,
    min_similarity=0.9)``. A setting that is left out, or is None, has the value of the preset."""

    text_field: Names | None
    """Field that holds the text; a list joins several with a line feed. As in all names of
    fields, 'content|body' takes the first that a row has, doc.text is a field of an object, and
    messages[].content that of all objects in a list [default: text]."""

    id_field: str | None
    """Field that holds the id, any single value. A document without it gets the id FILE:ROW;
    off: all documents do [default: id]."""

    ids: Literal["field", "file-row"] | None
    """Source of ids: field (id=), or file-row (every id is FILE:ROW, for shards that repeat ids)
    [default: field]."""

    format: Literal["json-lines", "jsonl", "parquet", "csv", "tsv", "text", "lines"] | None
    """Format of all input files, whatever their names: json-lines (or jsonl), parquet, csv, tsv,
    text, lines. A Parquet file is read as Parquet in any case. A file of against= has it only if
    its name tells no format, or plain text."""

    delimiter: str | None
    """Separator of fields in CSV and TSV files: one character, or tab [default: a comma in CSV,
    a tab in TSV]."""

    quote: str | None
    """Quote of fields in CSV and TSV files: one character, or none if quotes are letters
    [default: ", or none in a file whose first megabyte shows that quotes are letters]."""

    escape: str | None
    """Character that makes a quote after it a letter in quoted fields of CSV and TSV files, such
    as \\; a doubled quote is a letter in any case [default: none]."""

    encoding: str | None
    """Character encoding of all text files: utf-8, gb18030, big5, shift_jis, euc-kr, utf-16le,
    windows-1252 or another name, or auto (detected for each file) [default: utf-8]."""

    exclude: Names | None
    """Pass over the files of folders and globs whose name, or path below the folder, matches
    this pattern, such as meta.json or 'cache/**'; a list names several. The folders of reference
    documents count, too. A file that is named by itself is read."""

    max_document_bytes: SupportsIndex | str | None
    """Largest size of a row, such as 200M; longer rows are rejected [default: 64M]."""

    on_error: Literal["fail", "skip"] | None
    """Action on an unusable file or row. fail: stop; no output is written, but an index keeps
    the documents before it. skip: leave it out and list it, in rejected.jsonl or without an
    output folder on standard error; the exit code is 3 then [default: fail]."""

    max_rejected: SupportsIndex | str | None
    """Maximum number of rows, or share of all rows, that on_error="skip" may leave out of the
    input, and of against=. A file that is left out whole or is damaged is an error, unless this
    is 100% [default: 10%]."""

    min_similarity: float | None
    """Minimum similarity of duplicates, inclusive, above 0 to 1: at 0.75 two texts share three
    quarters of their letters [default: 0.75]."""

    just_missed: float | Literal["auto", "off"] | None
    """Compare every candidate and write all pairs of at least this similarity: duplicates to
    pairs.jsonl, the others to just_missed.jsonl. auto: only pairs of kept documents, down to
    0.15 below min_similarity=, from a sample if there are many candidates. off: none [default:
    auto]."""

    keep: str | None
    """Document to keep in each cluster: longest (most letters and digits), first, newest:FIELD,
    oldest:FIELD (by their dates), highest:FIELD."""

    same: Names | None
    """Merge documents only if this field has the same value in both, such as a language; a list
    names several."""

    differ: Names | None
    """Merge documents only if this field has different values, such as a source; a list names
    several."""

    max_lost: float | None
    """Remove a document only if at most this share of it, 0 to 1, is missing from its keeper
    [default: no limit]."""

    marks: Path | None
    """Marks of a person on pairs of an earlier run, as the report page saves them: pairs marked
    right are merged whatever their similarity, and pairs marked wrong never."""

    cluster: Literal["star", "components"] | None
    """star: each removed document is similar to its keeper; components: other documents may link
    the two [default: star]."""

    verify: Literal["coverage", "jaccard", "containment", "cosine", "minhash", "none"] | None
    """Similarity measure that confirms candidates by their texts: coverage, jaccard,
    containment, cosine, none [default: coverage]."""

    shingle: SupportsIndex | None
    """Terms in an n-gram for jaccard and containment [default: 3]."""

    against_text_field: Names | None
    """Field that holds the text of reference documents; a list joins several [default: that of
    text=]."""

    against_id_field: str | None
    """Field that holds the id of reference documents, or off [default: that of id=]."""

    leak_action: Literal["remove", "mask", "cut", "list"] | None
    """Action on a document that contains a reference document: remove (leave the document out),
    mask (replace the passage by [masked]), cut (delete the passage), list (keep every document,
    also duplicates of reference documents, and list them in leaks.jsonl) [default: remove]."""

    min_leak_length: SupportsIndex | Literal["off"] | None
    """Minimum length of a reference document to look for inside longer documents. A Chinese
    character counts as two letters; off: look for none [default: 60]."""

    recall: float | None
    """Choose the distances from a sample of the input, to find this share, between 0 and 1, of
    the pairs of similarity min_similarity=."""

    recall_sample: SupportsIndex | Literal["off", "narrow"] | None
    """Size of the sample that measures the recall of the search: as many pairs as N documents
    have with all others; off: no measurement; narrow: enlarged until the 95 % interval is at
    most 0.1 wide, at any cost [default: 128]."""

    distance: Literal["hamming", "edit"] | None
    """Distance of two fingerprints: hamming (differing bits) or edit (bits to insert, delete and
    replace; compares all pairs, of at most 20,000 documents) [default: hamming]."""

    max_distance: SupportsIndex | Literal["auto", "any", "off"] | None
    """Maximum number of bits in which the fingerprints of a candidate pair differ; auto: 80 of
    256 bits; off: match equal texts only; any: find all pairs by their word n-grams instead,
    with verify="jaccard" or containment [default: auto]."""

    complete_distance: SupportsIndex | Literal["auto"] | None
    """The search finds every pair within this distance, and a part of the pairs beyond it. auto:
    max-distance for up to 20,000 documents, else at most 32 of 256 bits [default: auto]."""

    normalize: Names | None
    """Normalization steps: none, or a list of addresses, nfkc, simplified, case, digits, space
    [default: addresses,nfkc,simplified,case,space]."""

    ignore_passages: Path | None
    """Passages to leave out of texts before they are compared, such as footers: those with the
    verdict right in a file of the columns text and verdict, like passage_texts.jsonl of
    `nearprint passages`. Outputs keep the whole texts."""

    features: Literal["letters", "words"] | None
    """Features of a fingerprint: letters (n-grams of four letters or two Chinese characters) or
    words [default: letters]."""

    min_features: SupportsIndex | None
    """Minimum number of distinct features for a fingerprint; shorter documents are compared by
    their characters [default: 32 n-grams, 16 words]."""

    bits: Literal[32, 64, 128, 256] | None
    """Bits of a fingerprint: 32, 64, 128, 256; default distances scale with it [default: 256]."""

    segmenter: Literal["auto", "chinese", "words", "characters"] | None
    """Method that cuts text into tokens: auto, chinese, words, characters [default: auto]."""

    tokens_field: str | None
    """Field that holds the tokens of each document, in place of the segmenter: a list of
    strings, or a string of tokens separated by spaces."""

    stop_words: Names | None
    """Tokens to drop: built-in lists (zh, en, …) and files with one word per line, separated by
    commas."""

    min_token_length: SupportsIndex | None
    """Minimum length of a token in characters; shorter ones are dropped [default: 1]."""

    ngram: SupportsIndex | None
    """Terms in a feature [default: 1]."""

    weights: Literal["one", "tf", "tfidf", "entropy"] | None
    """Weights of features: one, tf, tfidf, entropy [default: entropy]."""

    stats: Stats | Path | None
    """Corpus statistics made by `nearprint stats` [default: the input's own]."""

    hmm: bool | None
    """Guess Chinese words that are not in the dictionary [default: true]."""

    han_only: bool | None
    """Keep only tokens that begin with a Chinese character."""

    tf: Literal["raw", "relative", "log"] | None
    """Form of the term frequency: raw, relative, log."""

    idf: Literal["clamped", "signed"] | None
    """A negative idf counts as 0 (clamped) or stays (signed)."""

    least_idf: float | None
    """Minimum weight of a feature: that of one occurrence with this share of the largest idf
    [default: 0.5]."""

    weight_cap: float | Literal["none"] | None
    """Maximum weight, or none [default: 90]."""

    position: str | None
    """Position of a feature as part of its hash: off, rank, bucket:N."""

    feature_hash: Literal["xxh3", "md5"] | None
    """Hash function of features: xxh3, md5."""

    threads: SupportsIndex | None
    """Threads to use; 0: one per processor. The result does not depend on it [default: 0]."""

    memory: SupportsIndex | str | None
    """Maximum memory of the run, such as 4G, at least 128M. Work that needs more is done in
    parts; if that does not help, the run ends with an error [default: three quarters of the
    container's limit, or no limit]."""

    tmp_dir: Path | None
    """Folder for temporary files, which take about the size of the uncompressed texts, more with
    words as features [default: beside the output of dedup, else the system's]."""

    preset: Preset | None
    """Preset to start from: default, strict, loose, paper, simhash, google, md5-32, jaccard,
    exact [default: default]."""
