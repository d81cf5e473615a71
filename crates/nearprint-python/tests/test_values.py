"""Values of Python in a list of dicts."""

from __future__ import annotations

import math
from typing import Any

import pytest

import nearprint as nr
from conftest import OTHER, TEXTS

NEWS = TEXTS[0]


@pytest.mark.parametrize("values", [(100, "100"), ("100", 100), (1.5, "x"), ("x", 1.5)])
def test_a_field_of_two_types_is_refused_with_its_remedy(values: tuple[Any, Any]) -> None:
    rows = [{"text": NEWS, "key": values[0]}, {"text": OTHER, "key": values[1]}]
    for setting in ({"id": "key"}, {"same": "key"}):
        with pytest.raises(nr.RejectedError, match="row 2.*give all its values one type"):
            nr.dedup(rows, **setting)
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
