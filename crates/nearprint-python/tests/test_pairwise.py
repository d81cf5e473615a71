"""Two columns row by row; fingerprints as columns, bytes and neighbors."""

from __future__ import annotations

import pickle
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest

import nearprint as nr

from conftest import NEWS, OTHER

LEFT = [NEWS, OTHER, None, "Half price", "能力比学历重要"]
RIGHT = [NEWS.replace("cracked", "broken"), NEWS, NEWS, "half price!", "能力比學歷重要"]


def test_similarities_are_those_of_compare() -> None:
    found = nr.similarity(LEFT, RIGHT)
    are = nr.is_duplicate(LEFT, RIGHT)
    assert found[2] is None and are[2] is None
    for left, right, similarity, is_duplicate in zip(LEFT, RIGHT, found, are):
        if left is not None:
            one = nr.compare(left, right)
            assert similarity == pytest.approx(one.similarity, abs=1e-6)
            assert is_duplicate == (one.verdict != "different")
            assert nr.similarity(left, right) == similarity
            assert nr.is_duplicate(left, right) is is_duplicate
    assert are == [True, False, None, True, True]
    strict = nr.similarity(LEFT, RIGHT, verify="jaccard", min_features=1)
    assert strict[0] < found[0]


def test_columns_come_back_in_their_library() -> None:
    series = pandas.Series(LEFT, index=[5, 4, 3, 2, 1])
    assert list(nr.similarity(series, RIGHT).index) == [5, 4, 3, 2, 1]
    assert nr.similarity(polars.Series(LEFT), polars.Series(RIGHT)).dtype == polars.Float64
    assert nr.similarity(pyarrow.array(LEFT), RIGHT).type == pyarrow.float64()
    assert isinstance(nr.similarity(numpy.array(["a", "b"]), ["a", "c"]), numpy.ndarray)
    assert nr.segment(polars.Series(["能力比学历重要", None])).to_list() == [
        ["能力", "比", "学历", "重要"],
        None,
    ]
    with pytest.raises(nr.UsageError, match="5 and 1 texts"):
        nr.similarity(LEFT, ["one"])
    with pytest.raises(nr.UsageError, match="two texts, or two columns"):
        nr.similarity("one", polars.Series(["one"]))
    with pytest.raises(nr.RejectedError, match="row 1: "):
        nr.similarity(["a", 3], ["a", "b"])


def test_nulls_and_empty_columns_keep_the_type() -> None:
    gap = numpy.array(["a", None, float("nan")], dtype=object)
    found = nr.similarity(gap, numpy.array(["a", "b", "c"], dtype=object))
    assert found.dtype == float and found[0] == 1.0 and numpy.isnan(found[1:]).all()
    assert list(nr.is_duplicate(gap, ["a", "b", "c"])) == [True, None, None]
    assert nr.is_duplicate(gap[:1], ["a"]).dtype == bool
    assert list(nr.segment(gap[:2])) == [["a"], None]
    assert list(nr.segment(numpy.array(["a b", "c d"]))) == [["a", "b"], ["c", "d"]]
    texts: list[list[str | None]] = [["a", "b"], ["a", None], []]
    for own in texts:
        series = pandas.Series(own, dtype=object)
        assert nr.similarity(series, series).dtype == "float64"
        assert nr.is_duplicate(series, series).dtype == "boolean"
    shuffled = pandas.Series(["a", "b"], index=[1, 0])
    assert list(nr.is_duplicate(shuffled, pandas.Series(["a", "b"]))) == [True, True]


def prints(count: int, bits: int = 64) -> nr.Fingerprints:
    words = numpy.random.default_rng(7).integers(
        0, 2**64, size=(count, bits // 64), dtype=numpy.uint64
    )
    return nr.Fingerprints(words)


def test_slices_lists_and_packed_bytes_are_the_same_fingerprints() -> None:
    for bits in (32, 64, 128, 256):
        settings: dict[str, Any] = {"bits": bits}
        column = nr.Fingerprinter(**settings).fingerprints(["one", "two", "three", "four"])
        packed = column.to_packed()
        assert packed.shape == (4, bits // 8) and packed.dtype == numpy.uint8
        assert bytes(packed[2]) == bytes(column[2] or b"")
        assert nr.Fingerprints(packed).to_hex() == column.to_hex()
        assert nr.Fingerprints(column.to_list()).to_hex() == column.to_hex()
        assert nr.Fingerprints([bytes(one or b"") for one in column]).to_hex() == column.to_hex()
        assert (
            nr.Fingerprints([int(one or 0) for one in column], bits=bits).to_hex()
            == column.to_hex()
        )
        assert column[1:3].to_hex() == column.to_hex()[1:3]
        assert column[::-2].to_hex() == column.to_hex()[::-2]
        assert column[1:].description == column.description
        assert nr.Fingerprints.concat([column[:1], column[1:]]).to_hex() == column.to_hex()
        again = pickle.loads(pickle.dumps(column[1:]))
        assert again.to_hex() == column[1:].to_hex()
    holes = nr.Fingerprinter(bits=64).fingerprints(["one", None])
    assert nr.Fingerprints.concat([holes, holes]).to_list()[3] is None
    assert nr.Fingerprints(holes.to_list())[1] is None and holes[1:][0] is None
    with pytest.raises(nr.UsageError, match="null"):
        holes.to_packed()
    with pytest.raises(nr.UsageError, match="there is no column"):
        nr.Fingerprints.concat([])
    with pytest.raises(nr.IncompatibleError, match="other settings"):
        nr.Fingerprints.concat(
            [
                holes,
                nr.Fingerprinter(bits=64, features="words", weights="one").fingerprints(["one"]),
            ]
        )


def test_the_nearest_are_those_of_numpy() -> None:
    column, queries = prints(500, 128), prints(7, 128)
    found = polars.DataFrame(nr.nearest(queries, column, k=5))
    bits = [numpy.unpackbits(own.to_packed(), axis=1) for own in (queries, column)]
    for query in range(7):
        distances = (bits[0][query] != bits[1]).sum(axis=1)
        order = sorted(range(500), key=lambda row: (distances[row], row))[:5]
        own = found.filter(polars.col("query") == query)
        assert own["row"].to_list() == order and own["rank"].to_list() == [1, 2, 3, 4, 5]
        assert own["distance"].to_list() == [distances[row] for row in order]
    assert len(nr.nearest(column[0], column[:3], k=10)) == 3
    with pytest.raises(nr.UsageError, match="k: -1 is below 0"):
        nr.nearest(queries, column, k=-1)


def test_the_nearest_are_verified_on_their_texts() -> None:
    texts = [NEWS, OTHER, NEWS + " again", None, "short"]
    column = nr.Fingerprinter(min_features=1).fingerprints(texts)
    for kind in (list, polars.Series, pandas.Series):
        found = nr.nearest(column[:3], column, k=3, texts=(texts[:3], kind(texts)))
        plain = nr.nearest(column[:3], column, k=3)
        rows = polars.DataFrame(found)
        assert polars.DataFrame(plain).equals(rows.drop("similarity", "is_duplicate"))
        for query, row, similarity, verdict in rows.select(
            "query", "row", "similarity", "is_duplicate"
        ).rows():
            pair = texts[query], texts[row]
            assert similarity == nr.similarity(*pair) and verdict == nr.is_duplicate(*pair)
    one = polars.DataFrame(nr.nearest(column[0], column, texts=(NEWS, texts), min_similarity=0.99))
    assert one["is_duplicate"].to_list()[0] is True and not all(one["is_duplicate"])
    with pytest.raises(nr.UsageError, match="^texts: 1 and 2 texts are fewer than the queries"):
        nr.nearest(column[0], column, texts=(NEWS, texts[:2]))
    with pytest.raises(nr.UsageError, match="^texts: settings are about texts"):
        nr.nearest(column[0], column, min_similarity=0.9)


def test_two_columns_are_joined_across() -> None:
    left, right = prints(40), prints(60)
    pairs = polars.DataFrame(nr.join(left, right, max_distance=22))
    expected = [
        (one, other, distance)
        for one in range(40)
        for other in range(60)
        if (distance := nr.hamming(left.to_hex()[one] or "", right.to_hex()[other] or "")) <= 22
    ]
    assert pairs.rows() == expected and len(expected) > 40
    with pytest.raises(nr.UsageError, match="cannot compare fingerprints of 64 and of 128 bits"):
        nr.join(left, prints(3, 128), max_distance=3)


def test_one_distance_of_bytes_or_digits() -> None:
    one, other = prints(2).to_list()
    assert one is not None and other is not None
    assert nr.hamming(bytes(one), other.hex()) == nr.hamming(one, other)
    assert nr.hamming(bytes(one), bytes(one)) == 0


def test_an_index_is_opened_or_created_and_read(tmp_path: Any) -> None:
    folder = tmp_path / "seen"
    with nr.Index.open_or_create(folder, min_similarity=0.8, store_fields="source") as index:
        assert index.add([{"id": "b", "text": OTHER, "source": "wire"}])[0]["outcome"] == "new"
        assert index.add(NEWS, id="a") == {"id": "a", "outcome": "new"}
        assert index.add(NEWS + "!", id="c", if_new=True)["duplicate"] == "a"
    with nr.Index.open_or_create(folder, min_similarity=0.8) as index:
        assert list(index) == ["b", "a"] and index["b"]["source"] == "wire"
        assert [index[id] for id in index] == list(index.export())
        with pytest.raises(KeyError, match="'c'"):
            index["c"]
        with pytest.raises(nr.UsageError, match="^id: name the id"):
            index.add(NEWS)
    with pytest.raises(nr.UsageError, match="min_similarity: the index in .* has 0.8") as caught:
        nr.Index.open_or_create(folder, min_similarity=0.9)
    assert caught.value.setting == "min_similarity"


def test_presets_have_purposes() -> None:
    assert list(nr.presets())[:2] == ["default", "strict"]
    for name in nr.presets():
        given: dict[str, Any] = {"preset": name}
        nr.Config(**given)
