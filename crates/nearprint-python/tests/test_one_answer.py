"""Two texts have one answer in every call: a deduplication of any kind of table, a comparison, and
an index."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pandas
import polars
import pyarrow
import pytest

import nearprint as nr
from conftest import NEWS, OTHER

KINDS: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "list": list,
    "pandas": pandas.DataFrame,
    "pandas objects": lambda rows: pandas.DataFrame(rows).astype(object),
    "polars": polars.DataFrame,
    "pyarrow": pyarrow.Table.from_pylist,
    "datasets": datasets.Dataset.from_list,
}


def independent(words: list[str], end: str, seed: int) -> str:
    """A text of some 100 sentences of one form, with some of these words."""
    draw = random.Random(seed)
    return "".join(end.format(*draw.choices(words, k=6)) for _ in range(100))


ENGLISH = [one + two for one in "ba ke li mo nu ra si to".split() for two in "bcdfghjklmnpqrst"]
CHINESE = [one + two for one in "木金红小老旧亮深" for two in "桌猫桥灯船鱼瓶门花鸟井车纸鞋帽伞"]
LETTER = "石桥镇的老桥拆下了第一块石板，工匠在桥拱里找到一封信"
SENTENCE = "The {} {} counts the {} {} and the {} {} today. "

#: The texts of each case, and for each of them the place of the first one that it copies. Longer
#: texts come first, as they are kept.
CASES: dict[str, tuple[list[str], list[int], dict[str, Any]]] = {
    "loops": (
        ["Fresh eggs today. " * 101, "Fresh eggs today. " * 100]
        + ["今天有鸡蛋，" * 201, "今天有鸡蛋，" * 200]
        + ["달걀이 왔어요. " * 91, "달걀이 왔어요. " * 90]
        + ["hop " * 501, "hop " * 500],
        [0, 0, 2, 2, 4, 4, 6, 6],
        {},
    ),
    "loops of other lengths": (["Fresh eggs today. " * count for count in (300, 100)], [0, 1], {}),
    "counters": (
        [f"Updated {age} ago. {NEWS}" for age in ("1 hour", "3 hours", "12 minutes")]
        + [f"{age}前更新 {LETTER}" for age in ("1小时", "3小时", "12分钟")]
        + [f"{age}前更新 石橋鎮的燈塔今晚再次點亮，孩子都到岸邊來看它" for age in ("1小時", "2天")],
        [0, 0, 0, 3, 3, 3, 6, 6],
        {},
    ),
    "other numbers": (
        [f"The lamp costs {price} crowns. {OTHER}" for price in (15, 95)]
        + [f"这盏灯卖{price}元，店主亲手给它上色，用自家田里的稻草包好" for price in (15, 95)],
        [0, 1, 2, 3],
        {},
    ),
    "characters that show nothing": (
        ["刺猬来了", "刺\u200b猬来了", "\ufeff刺猬来了", "面包店后面有一只小刺猬"]
        + ["面包店\u2060后面有\u200d一只小刺猬", "owl", "owl\u200b", "o\u00adwl", "ёж пришёл"]
        + ["ёж\u200c пришёл"],
        [0, 0, 0, 3, 3, 5, 5, 5, 8, 8],
        {},
    ),
    "few words": (
        [independent(ENGLISH, SENTENCE, seed) for seed in (1, 2)]
        + [independent(CHINESE, "{}边的{}数着{}和{}，今天{}里有{}。", seed) for seed in (3, 4)],
        [0, 1, 2, 3],
        {},
    ),
    "a part": (
        [f"{NEWS}. {OTHER}.", f"{NEWS}.", f"{LETTER}，信里要人请孩子喝汤", LETTER],
        [0, 0, 2, 2],
        {"verify": "containment"},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_every_call_has_one_answer(case: str, tmp_path: Path) -> None:
    texts, firsts, settings = CASES[case]
    rows = [{"id": id, "text": text} for id, text in enumerate(texts)]
    copies = [(id, first) for id, first in enumerate(firsts) if id != first]
    for kind, made in KINDS.items():
        removed = pyarrow.table(nr.dedup(made(rows), **settings)._run.removed()).to_pydict()
        assert list(zip(removed["id"], removed["keeper"])) == copies, kind
    for left, first in enumerate(firsts):
        for right in range(left):
            comparison = nr.compare(texts[left], texts[right], **settings)
            assert (comparison.verdict != "different") == (first == firsts[right]), (left, right)

    index = nr.Index.create(tmp_path / "one by one", **settings)
    added = index.add(rows, if_new=True)
    assert [(row["id"], row["duplicate"]) for row in added if not row["new"]] == copies
    for kind, made in KINDS.items():
        index = nr.Index.create(tmp_path / kind, **settings)
        index.add(made(rows))
        for id, text in enumerate(texts):
            found = {match.id for match in index.query(text)}
            expected = {other for other, first in enumerate(firsts) if first == firsts[id]}
            assert found == expected, (kind, id)


def test_a_part_goes_and_what_a_rule_loses_is_told() -> None:
    whole, part = CASES["a part"][0][:2]
    rows = [part, whole]
    result = nr.dedup(rows, verify="containment")
    assert (result.kept, result.removed[0]["lost"]) == ([whole], 0)
    assert result.summary["counts"]["lost_characters"] == 0
    first = nr.dedup(rows, verify="containment", keep="first")
    against = nr.dedup([whole], against=[part], verify="containment")
    for result in (first, against):
        assert result.removed[0]["lost"] > 0.4
        assert result.summary["counts"]["lost_characters"] > 0.3 * len(whole)
    assert nr.compare(part, whole, verify="containment").lost == [
        0,
        pytest.approx(first.removed[0]["lost"], abs=1e-6),
    ]
