"""Values of Python in a list of dicts."""

from __future__ import annotations

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
