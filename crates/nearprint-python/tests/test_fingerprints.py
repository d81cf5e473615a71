"""Fingerprints: one and many, distances, near pairs."""

from __future__ import annotations

import json
import pickle
import random
from pathlib import Path
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest

import nearprint as nr
import nearprint.arrow

from conftest import NEWS, OTHER, TEXTS, command_line


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"bits": 32},
        {"bits": 64},
        {"preset": "simhash"},
        {"features": "words", "weights": "tf", "tf": "raw", "bits": 128},
    ],
)
def test_one_and_many_are_those_of_the_command_line(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS), encoding="utf-8")
    flags = [part for name, value in settings.items() for part in (f"--{name}", value)]
    rows = [json.loads(line) for line in command_line("fingerprint", path, *flags).splitlines()]
    fingerprinter = nr.Fingerprinter(**settings)
    expected = [row["fingerprint"] for row in rows]
    assert [fingerprinter.fingerprint(text).hex() for text in TEXTS] == expected
    assert fingerprinter.fingerprints(TEXTS).to_hex() == expected


def test_a_column_is_binary_for_arrow_and_words_for_numpy() -> None:
    sizes: list[tuple[Any, int]] = [(32, 1), (64, 1), (128, 2), (256, 4)]
    for bits, words in sizes:
        fingerprints = nr.Fingerprinter(bits=bits).fingerprints(
            pyarrow.chunked_array([TEXTS[:2], TEXTS[2:]])
        )
        arrow = pyarrow.array(fingerprints)
        assert arrow.type.storage_type == pyarrow.binary(bits // 8)
        numbers = numpy.asarray(fingerprints)
        assert numbers.shape == (5, words) and numbers.dtype == numpy.uint64
        for place, fingerprint in enumerate(fingerprints.to_hex()):
            assert arrow[place].as_py().hex() == fingerprint == str(fingerprints[place])
            assert "".join(f"{word:016x}" for word in numbers[place])[: bits // 4] == fingerprint
        again = nr.Fingerprints(arrow)
        assert (
            again.to_hex() == fingerprints.to_hex() == nr.Fingerprints(numbers, bits=bits).to_hex()
        )
        assert (
            polars.Series(values=fingerprints, dtype=polars.Binary).to_list() == arrow.to_pylist()
        )


def test_null_texts_have_null_fingerprints() -> None:
    fingerprints = nr.Fingerprinter(bits=64).fingerprints(
        polars.Series(["a text", None, "another"])
    )
    assert fingerprints[1] is None and fingerprints.to_hex()[1] is None
    assert pyarrow.array(fingerprints).null_count == 1
    with pytest.raises(nr.UsageError, match="null"):
        fingerprints.to_numpy()
    distances = nr.hamming(fingerprints, fingerprints)
    assert distances.to_pylist() == [0, None, 0]


def test_a_fingerprint_is_a_value() -> None:
    fingerprinter = nr.Fingerprinter(bits=64)
    one, other = fingerprinter.fingerprint(NEWS), fingerprinter.fingerprint(OTHER)
    assert one != other and one == fingerprinter.fingerprint(NEWS) and len({one, one, other}) == 2
    assert (
        one
        == nr.Fingerprint(one.hex())
        == nr.Fingerprint(bytes(one))
        == nr.Fingerprint(int(one), bits=64)
    )
    assert (
        one.description == fingerprinter.description
        and nr.Fingerprint(one.hex()).description is None
    )
    assert (
        pickle.loads(pickle.dumps(one)) == one
        and pickle.loads(pickle.dumps(one)).description == one.description
    )
    assert repr(one) == f"Fingerprint('{one.hex()}')"
    for wrong in ("xyz", "00", b"123", "0" * 15):
        with pytest.raises(ValueError):
            nr.Fingerprint(wrong)
    with pytest.raises(IndexError):
        fingerprinter.fingerprints([NEWS])[1]
    assert fingerprinter.fingerprints([NEWS])[-1] == one


def test_distances_of_pairs_and_columns() -> None:
    one, other = nr.Fingerprint("000000000000000f"), nr.Fingerprint("00000000000000f0")
    assert nr.hamming(one, other) == one.distance(other) == 8
    column = numpy.array([[0xF], [0xF0], [0]], dtype=numpy.uint64)
    assert nr.hamming(one, column).to_pylist() == [0, 8, 4]
    assert nr.hamming(column, column[::-1]).to_pylist() == [4, 0, 4]
    with pytest.raises(nr.UsageError, match="row by row"):
        nr.hamming(column, column[:2])
    with pytest.raises(nr.UsageError, match="bits"):
        nr.hamming(one, nr.Fingerprint("0" * 32))
    made = nr.Fingerprinter(bits=64).fingerprints([NEWS])
    with pytest.raises(nr.IncompatibleError, match="other settings"):
        nr.hamming(made, nr.Fingerprinter(bits=64, normalize="none").fingerprints([NEWS]))
    assert nr.hamming(made, numpy.asarray(made)).to_pylist() == [0]


@pytest.mark.parametrize(("bits", "max_distance"), [(64, 3), (64, 12), (128, 10), (256, 40)])
def test_near_pairs_are_all_pairs_within_the_distance(bits: int, max_distance: int) -> None:
    draw = random.Random(bits)
    values = [draw.getrandbits(bits) for _ in range(40)]
    for value in list(values):
        for _ in range(3):
            for _ in range(draw.randrange(max_distance + 3)):
                value ^= 1 << draw.randrange(bits)
            values.append(value)
    column = nr.Fingerprints(
        pyarrow.array(
            [value.to_bytes(bits // 8, "big") for value in values], type=pyarrow.binary(bits // 8)
        )
    )
    expected = [
        (left, right, (values[left] ^ values[right]).bit_count())
        for left in range(len(values))
        for right in range(left + 1, len(values))
        if (values[left] ^ values[right]).bit_count() <= max_distance
    ]
    found = pyarrow.table(nr.join(column, max_distance=max_distance)).to_pylist()
    assert [(row["left"], row["right"], row["distance"]) for row in found] == expected
    assert any(distance == max_distance for _, _, distance in expected)
    assert pyarrow.table(
        nr.join(column.to_numpy(), max_distance=max_distance, threads=1)
    ).num_rows == len(expected)


def test_weights_that_need_a_corpus_ask_for_its_statistics() -> None:
    with pytest.raises(nr.UsageError, match="statistics") as caught:
        nr.Fingerprinter(preset="paper")
    assert caught.value.setting == "stats"


def test_a_fingerprinter_can_be_sent_to_another_process() -> None:
    fingerprinter = nr.Fingerprinter(bits=64, features="words", weights="tf", min_token_length=2)
    again = pickle.loads(pickle.dumps(fingerprinter))
    assert again.description == fingerprinter.description and again.config == fingerprinter.config
    column = fingerprinter.fingerprints(polars.Series([NEWS, None]))
    again = pickle.loads(pickle.dumps(column))
    assert again.to_hex() == column.to_hex() and again.description == column.description


@pytest.mark.parametrize("column", [pyarrow.array([1, 2]), ["a", 3], pandas.Series([1.5])])
def test_columns_of_no_text_are_refused(column: Any) -> None:
    with pytest.raises(nr.RejectedError) as caught:
        nr.Fingerprinter().fingerprints(column)
    assert caught.value.problem == "wrong_type"


def test_text_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(nr.RejectedError) as caught:
        nr.Fingerprinter().fingerprints(["a", "\ud800"])
    assert (caught.value.row, caught.value.problem) == (1, "not_utf8")
    with pytest.raises(UnicodeEncodeError):
        nr.Fingerprinter().fingerprint("\ud800")


def test_texts_are_cut_as_words_see_them() -> None:
    assert nr.segment("能力比学历重要") == ["能力", "比", "学历", "重要"]
    assert nr.segment("The FERRY returns", stop_words="en") == ["ferry", "returns"]
    assert nr.segment("") == []


def test_a_column_is_an_extension_type_of_arrow(tmp_path: Path) -> None:
    import arro3.core
    import pyarrow.parquet

    maker = nr.Fingerprinter(bits=128)
    column = maker.fingerprints(["one text", None, "another text"])
    array = pyarrow.array(column)
    assert isinstance(array.type, nearprint.arrow.FingerprintType)
    assert (array.type.bits, array.type.description) == (128, maker.description)
    pyarrow.parquet.write_table(pyarrow.table({"fingerprint": array}), tmp_path / "f.parquet")
    read = pyarrow.parquet.read_table(tmp_path / "f.parquet")["fingerprint"]
    back = nr.Fingerprints(read)
    assert back.description == maker.description and back.to_hex() == column.to_hex()
    other = nr.Fingerprinter(bits=128, features="words", weights="tf").fingerprints(TEXTS[:3])
    with pytest.raises(nr.IncompatibleError):
        nr.hamming(read, other)
    # Polars keeps it, too, and writes it.
    polars.DataFrame({"fingerprint": polars.Series(column)}).write_parquet(tmp_path / "p.parquet")
    for file in ("f.parquet", "p.parquet"):
        kept = polars.read_parquet(tmp_path / file)["fingerprint"]
        assert nr.Fingerprints(kept).description == maker.description
    assert nr.Fingerprints(arro3.core.Array(column)).description == maker.description
    # Without a recipe nothing is said about it.
    unknown = nr.Fingerprints(["00000001"])
    assert nr.Fingerprints(pyarrow.array(unknown)).description is None
