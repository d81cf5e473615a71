"""Values of Python in a list of dicts."""

from __future__ import annotations

import datetime
import math
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy
import pytest

import nearprint as nr
from conftest import OTHER, TEXTS

NEWS = TEXTS[0]


@pytest.mark.parametrize("values", [(100, "100"), ("100", 100), (1.5, "x"), ("x", 1.5)])
def test_a_field_of_two_types_is_refused_with_its_remedy(values: tuple[Any, Any]) -> None:
    rows = [{"text": NEWS, "key": values[0]}, {"text": OTHER, "key": values[1]}]
    remedy = "row 1.*give all its values one type"
    with pytest.raises(nr.RejectedError, match=remedy):
        nr.dedup(rows, id="key")
    with pytest.raises(nr.RejectedError, match=remedy):
        nr.dedup(rows, same="key")
    # A text that is an object of another kind is no question of types.
    with pytest.raises(nr.RejectedError, match="not a string; name another field"):
        nr.dedup([{"text": NEWS}, {"text": object()}])


@pytest.mark.parametrize("value", [None, math.nan])
@pytest.mark.parametrize("setting", [{"same": "key"}, {"keep": "highest:key"}])
def test_a_field_without_a_usable_value_is_not_taken_for_a_misspelled_one(
    value: float | None, setting: dict[str, Any]
) -> None:
    rows = [{"text": text, "key": value} for text in (NEWS, OTHER)]
    with pytest.raises(nr.UsageError, match="has a usable value in the field") as caught:
        nr.dedup(rows, **setting)
    assert "did you mean" not in str(caught.value)


DAY = "2026-01-31"
MOMENT = f"{DAY}T12:00:00"
FINE = f"{MOMENT}.123456789"


@pytest.mark.parametrize(
    ("scalars", "values"),
    [
        (
            [numpy.datetime64(DAY), numpy.datetime64("2026-02-01")],
            [datetime.date(2026, 1, 31), datetime.date(2026, 2, 1)],
        ),
        (
            [numpy.datetime64(MOMENT), numpy.datetime64("2026-02-01T00:00:00", "ns")],
            [datetime.datetime(2026, 1, 31, 12), datetime.datetime(2026, 2, 1)],
        ),
        ([DAY, numpy.datetime64(FINE, "ns")], [DAY, FINE]),
        ([numpy.int64(3), 4, numpy.uint8(5)], [3, 4, 5]),
        ([numpy.float32(0.5), 1.5], [0.5, 1.5]),
        ([numpy.bool_(True), False], [True, False]),
        ([False, numpy.bool_(True)], [False, True]),
        ([numpy.str_("a"), "b"], ["a", "b"]),
    ],
)
def test_scalars_of_numpy_are_the_values_of_python(scalars: list[Any], values: list[Any]) -> None:
    def removed(keys: list[Any]) -> Any:
        return nr.dedup([{"id": key, "text": NEWS} for key in keys], keep="first").removed

    assert removed(scalars) == removed(values) and len(removed(values)) == len(values) - 1
    # A guard sees equal values, too.
    rows = [{"text": NEWS, "key": key} for key in (scalars[-1], values[-1])]
    assert len(nr.dedup(rows, same="key").removed) == 1


def test_no_moment_of_numpy_is_no_value() -> None:
    rows = [{"id": numpy.datetime64("NaT"), "text": NEWS}]
    with pytest.raises(nr.RejectedError, match='"id" is null'):
        nr.dedup(rows)


@pytest.mark.parametrize(
    ("id", "read"),
    [
        (True, "true"),
        (1.5, "1.5"),
        (2.0, "2.0"),
        (datetime.date(2026, 1, 31), DAY),
        (datetime.datetime(2026, 1, 31, 12), MOMENT),
        (numpy.datetime64(DAY), DAY),
        (numpy.bool_(False), "false"),
        (UUID(int=7), str(UUID(int=7))),
        (("wire", numpy.int64(7), UUID(int=7)), f'["wire", 7, "{UUID(int=7)}"]'),
        ((datetime.date(2026, 1, 31), ("诗", None)), f'["{DAY}", ["诗", null]]'),
    ],
)
def test_an_index_finds_and_removes_the_ids_that_it_takes(
    id: Any, read: str, tmp_path: Path
) -> None:
    with nr.Index.create(tmp_path / "seen") as index:
        index.add([{"id": id, "text": NEWS}])
        assert id in index and read in index
        assert [match.id for match in index.query(NEWS)] == [read]
        assert index.remove(id) == 1 and id not in index and index.remove([id]) == 0
