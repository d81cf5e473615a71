"""Extensions of other libraries."""

from __future__ import annotations

import warnings

import numpy
import pandas
import polars
import pytest
from sklearn.base import clone
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

import nearprint as nr
import nearprint.pandas
import nearprint.polars
from nearprint.sklearn import Fingerprinter

from conftest import IDS, KEPT, TEXTS


CHECKS = [
    estimator_checks.check_estimator_repr,
    estimator_checks.check_get_params_invariance,
    estimator_checks.check_mixin_order,
    estimator_checks.check_no_attributes_set_in_init,
    estimator_checks.check_parameters_default_constructible,
    estimator_checks.check_set_params,
    estimator_checks.check_valid_tag_types,
]


def test_expressions_of_polars() -> None:
    frame = polars.DataFrame({"text": [*TEXTS, None], "group": [1, 1, 1, 2, 2, 2]})
    expected = [bytes(nr.Fingerprinter(bits=64).fingerprint(text)) for text in TEXTS] + [None]
    expression = polars.col("text").nearprint.fingerprint(bits=64)  # type: ignore[attr-defined]
    assert frame.select(expression)["text"].to_list() == expected
    assert (
        frame.lazy()
        .with_columns(expression.alias("fingerprint"))
        .collect()["fingerprint"]
        .to_list()
        == expected
    )
    assert frame.lazy().select(expression).collect_schema() == {"text": polars.Binary}
    assert frame.select(expression.over("group"))["text"].to_list() == expected
    with pytest.raises(nr.UsageError):
        polars.col("text").nearprint.fingerprint(bits=65)  # type: ignore[attr-defined]


def test_pairs_and_tables_of_polars() -> None:
    frame = polars.DataFrame({"left": ["one text", "a", None], "right": ["One text!", "b", "c"]})
    column = polars.col("left").nearprint  # type: ignore[attr-defined]
    right = polars.col("right")
    for told in (frame, frame.lazy()):
        found = (
            told.select(
                column.similarity(right).alias("similarity"),
                column.is_duplicate(right).alias("duplicate"),
                column.segment().alias("tokens"),
            )
            .lazy()
            .collect()
        )
        assert found["similarity"].to_list() == [1.0, 0.0, None]
        assert found["duplicate"].to_list() == [True, False, None]
        assert found["tokens"].to_list() == [["one", "text"], ["a"], None]
    documents = polars.DataFrame({"text": TEXTS, "id": IDS})
    assert documents.nearprint.dedup().kept["id"].to_list() == KEPT  # type: ignore[attr-defined]
    shared = documents.nearprint.passages(min_length=60)  # type: ignore[attr-defined]
    assert shared.places["id"].to_list() == [10, 12]


def test_pairs_and_tables_of_pandas() -> None:
    frame = pandas.DataFrame(
        {"left": ["one text", "a", None], "right": ["One text!", "b", "c"]}, index=list("xyz")
    )
    similarity = frame["left"].nearprint.similarity(frame["right"])
    assert similarity["x"] == 1.0 and similarity["y"] == 0.0 and pandas.isna(similarity["z"])
    duplicate = frame["left"].nearprint.is_duplicate(frame["right"])
    assert duplicate["x"] and not duplicate["y"] and duplicate["z"] is pandas.NA
    assert frame["left"].nearprint.segment()["x"] == ["one", "text"]
    documents = pandas.DataFrame({"text": TEXTS, "id": IDS})
    assert list(documents.nearprint.passages(min_length=60).places["id"]) == [10, 12]


def test_accessors_of_pandas() -> None:
    frame = pandas.DataFrame({"text": [*TEXTS, None], "id": [*IDS, 15]}, index=list("abcdef"))
    fingerprints = frame["text"].nearprint.fingerprint(bits=64)
    assert (
        fingerprints["a"] == bytes(nr.Fingerprinter(bits=64).fingerprint(TEXTS[0]))
        and fingerprints["f"] is None
    )
    assert list(frame[:5].nearprint.dedup().kept["id"]) == KEPT


def test_the_transformer_passes_scikit_learn_s_checks() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for estimator in (
            Fingerprinter(),
            Fingerprinter(preset="paper"),
            Fingerprinter(features="words", weights="tfidf", bits=64),
        ):
            estimator_checks.check_estimator(estimator)
            # scikit-learn runs only one check for estimators of texts, and for others the checks
            # without arrays of numbers.
            for check in CHECKS:
                check("Fingerprinter", clone(estimator))


def test_the_transformer_gives_bits_and_counts_statistics() -> None:
    plain = Fingerprinter(bits=64)
    bits = plain.fit_transform(TEXTS)
    assert bits.shape == (5, 64) and bits.dtype == numpy.uint8
    assert (
        "".join(map(str, bits[0])) == f"{int(nr.Fingerprinter(bits=64).fingerprint(TEXTS[0])):064b}"
    )
    assert plain.stats_ is None and list(plain.get_feature_names_out()[:2]) == ["bit0", "bit1"]
    paper = clone(Fingerprinter(preset="paper")).fit(polars.Series(TEXTS))
    assert paper.stats_ is not None and paper.stats_.documents == 5
    assert paper.transform(TEXTS).shape == (5, 128)
    neighbors = make_pipeline(Fingerprinter(), NearestNeighbors(n_neighbors=2, metric="hamming"))
    neighbors.fit(TEXTS)
    _, places = neighbors[-1].kneighbors(neighbors[:-1].transform(TEXTS))
    assert places[0].tolist() in ([0, 2], [2, 0]) and places[1].tolist() in ([1, 3], [3, 1])
