"""The replacement for the package simhash, compared with the package."""

from __future__ import annotations

import hashlib
import importlib
import io
import json
import pickle
import random
import re
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import numpy
import pytest
import zstandard

import nearprint as nr
from nearprint.simhash import Simhash, SimhashIndex

from conftest import REPOSITORY, TEXTS

#: The package has no types.
package: Any = importlib.import_module("simhash")

SHORT = [
    "",
    " ",
    "a",
    "Ab",
    "abc",
    "abcd",
    "abcde",
    "_",
    "!?",
    "葫",
    "葫芦娃",
    "葫芦娃啊",
    "😀",
    "é",
]
MIXED = [
    *TEXTS,
    *SHORT,
    "naïve CAFÉ, Größe, Straße 😀 snake_case №7 ½ ² ١٢٣",
    "ΟΔΥΣΣΕΥΣ ΣΑΣ Σ.",  # A capital sigma at the end of a word has a lower case of its own ...
    "İstanbul ve IĞDIR",  # ... and a dotted capital I becomes two characters.
    "Съешь же ЕЩЁ этих мягких французских булок",
    "𠀀𠀁𠀂𠀃𠀄 \U00010400\U00010401 \U0001e900 \U0003134f\U000e0100 \U0010ffff",
    "한국어와 日本語とﾊﾝｶｸ ﬁn\u0301 क्षेत्र",
    "a\udc80b lone surrogate c",
    "\0NUL\0 and \r\n ends",
    "every word of this text, " * 5,
]


def same(value: Any, f: int = 64, **settings: Any) -> None:
    assert Simhash(value, f=f, **settings).value == package.Simhash(value, f=f, **settings).value, (
        value,
        f,
    )


@pytest.mark.parametrize("f", [8, 32, 40, 64, 128])
def test_values_of_texts_are_those_of_the_package(f: int) -> None:
    for text in MIXED:
        same(text, f)


def test_every_character_is_what_the_package_takes_it_for() -> None:
    draw = random.Random(1)
    everything = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    draw.shuffle(everything)
    # All characters of the first plane, and some of the others; each forms a window of four, so no
    # letter is lost in a vote.
    first, others = (
        [c for c in everything if c < "\U00010000"],
        [c for c in everything if c >= "\U00010000"],
    )
    for c in first[:3000] + others[:3000]:
        same(f"x{c}y", 32)
    for start in range(0, len(first), 60):
        same("".join(first[start : start + 60]))


@pytest.mark.parametrize("name", ["zh_news", "zh_juejin", "en_reuters21578", "en_minhash_articles"])
def test_values_of_real_texts_are_those_of_the_package(name: str, data: Path) -> None:
    path = data / f"{name}.jsonl.zst"
    if not path.exists():
        pytest.skip(f"SKIPPED: no {path}")
    with open(path, "rb") as compressed:
        lines = io.TextIOWrapper(
            zstandard.ZstdDecompressor().stream_reader(compressed), encoding="utf-8"
        )
        texts = [json.loads(line)["text"] for _, line in zip(range(150), lines)]
    assert len(texts) == 150
    for text in texts:
        try:
            same(text)
        except (
            OverflowError
        ):  # The package cannot count one window more than 255 times with NumPy 2.
            assert len(text) > 1000
            Simhash(text)


def test_patterns_of_the_callers_own() -> None:
    for reg in [
        r"[\w\u4e00-\u9fcc]+",
        r"\w",
        r"[a-z]+",
        re.compile(r"\w", re.ASCII),
        re.compile(r"[^ ]+"),
    ]:
        for text in MIXED:
            if "\udc80" not in text:
                same(text, reg=reg)
    with pytest.raises(UnicodeEncodeError):
        Simhash("a\udc80b", reg=r".")
    with pytest.raises(re.error):
        Simhash("a", reg="[")


def test_the_fingerprint_that_is_printed_in_figure_2_of_zhang_et_al_2020() -> None:
    for words in ["能力 比 学历 重要性 高", "学历 比 能力 重要性 高"]:
        assert Simhash(words.split()).value == 14826313989210732151


def test_features_with_and_without_weights() -> None:
    draw = random.Random(2)
    words = [
        draw.choice(["能力", "feature", "", "a feature of more than sixteen bytes"]) + str(number)
        for number in range(500)
    ]
    for f in (8, 64, 128):
        for count in (0, 1, 2, 15, 16, 17, 199, 200, 201, 500):
            some = words[:count]
            same(some, f)
            same(tuple(some), f)
            same({word: draw.randrange(60) for word in some}, f)
            same([(word, draw.randrange(60)) for word in some], f)
            same([(word, draw.random()) for word in some], f)
            same(
                [[word, draw.choice([1, 7, 60, draw.random(), -draw.random()])] for word in some], f
            )
            same([(word, numpy.float64(draw.random())) for word in some], f)
    same([("a", True), ("b", 0), ("c", -2)])
    same(["a", ("b", 3), "c", "d", ("e", 60), "f"])
    assert Simhash(iter(words)) == Simhash(words) == Simhash(dict.fromkeys(words, 1))
    assert Simhash([("a", 300), ("b", 2)]) == Simhash(
        ["a"]
    )  # The package fails above 255 with NumPy 2.


@pytest.mark.parametrize(
    "hashfunc",
    [
        lambda x: hashlib.sha256(x).digest(),
        lambda x: bytearray(hashlib.sha1(x).digest() * 2),
        lambda x: int(hashlib.sha512(x).hexdigest(), 16),
        lambda x: numpy.uint64(len(x) * 0x9E3779B97F4A7C15 % 2**64).item(),
    ],
)
def test_hash_functions_of_the_callers_own(hashfunc: Any) -> None:
    for f in (8, 32, 64, 128, 256):
        for text in MIXED:
            if "\udc80" not in text:
                same(text, f, hashfunc=hashfunc)
        same({"a": 2, "b": 0.5}, f, hashfunc=hashfunc)
        same(["a", "b", "c"], f, hashfunc=hashfunc)


def test_a_simhash_is_a_value() -> None:
    one, other = Simhash(0b0101, f=32), Simhash(numpy.uint64(0b0110))
    assert (one.value, one.f, other.value, other.f) == (5, 32, 6, 64)
    assert one == Simhash(5) == Simhash(5, f=256) and hash(one) == hash(Simhash(5)) and one != other
    assert one != 5 and len({one, Simhash(one), other}) == 2
    assert Simhash(other).distance(Simhash(5)) == 2
    assert repr(one) == "Simhash(5, f=32)" and eval(repr(one)) == one
    for simhash in (one, other, Simhash("wide", f=128), Simhash(2**256 - 1, f=256)):
        again = pickle.loads(pickle.dumps(simhash))
        assert (again.value, again.f) == (simhash.value, simhash.f)
        assert 0 <= simhash.value < 2**simhash.f


@pytest.mark.parametrize("f", [0, -8, 12, 136, 2**40])
def test_widths_that_cannot_be(f: int) -> None:
    with pytest.raises(nr.UsageError) as caught:
        Simhash("a text", f=f)
    assert caught.value.setting == "f"


def test_values_that_cannot_be() -> None:
    for number in (-1, 2**64, Simhash(2**64, f=128)):
        with pytest.raises(nr.UsageError) as caught:
            Simhash(number)
        assert caught.value.setting == "value"
    for value in (None, 1.5, b"ab", [1], [("a", "b")], [("a", 1, 2)], [(1, "a")], [b"ab"]):
        with pytest.raises(TypeError):
            Simhash(value)  # type: ignore[arg-type]
    with pytest.raises(nr.UsageError):
        Simhash([("a", float("nan"))])
    with pytest.raises(OverflowError):
        Simhash([("a", 2**70)])
    with pytest.raises(nr.UsageError) as caught:
        Simhash("text", f=128, hashfunc=lambda x: b"short")
    assert caught.value.setting == "hashfunc"
    with pytest.raises(TypeError):
        Simhash("text", hashfunc=lambda x: "text")  # type: ignore[arg-type, return-value]
    with pytest.raises(ZeroDivisionError):
        Simhash("text", hashfunc=lambda x: 1 // 0)
    with pytest.raises(nr.UsageError):
        Simhash(1).distance(Simhash(1, f=32))


def clustered(draw: random.Random, f: int, count: int) -> list[int]:
    """Values, some of them within 14 bits of others."""
    values = [draw.getrandbits(f) for _ in range(count)]
    for _ in range(count):
        value = draw.choice(values)
        for _ in range(draw.randrange(15)):
            value ^= 1 << draw.randrange(f)
        values.append(value)
    return values


@pytest.mark.parametrize("f", [8, 32, 64, 128])
@pytest.mark.parametrize("k", range(11))
def test_answers_are_those_of_the_package(f: int, k: int) -> None:
    if k >= f:
        with pytest.raises(nr.UsageError) as caught:
            SimhashIndex([], f=f, k=k)
        assert caught.value.setting == "k"
        return
    draw = random.Random(100 * f + k)
    values = clustered(draw, f, 60)
    ids = [f"{number % 90},x" for number in range(len(values))]  # Some ids have two values.
    own = SimhashIndex(
        [(name, Simhash(value, f=f)) for name, value in zip(ids[:80], values)], f=f, k=k
    )
    theirs = package.SimhashIndex(
        [(name, package.Simhash(value, f=f)) for name, value in zip(ids[:80], values)], f=f, k=k
    )
    present = list(zip(ids[:80], values))
    found = 0
    for _ in range(300):
        name, value = draw.choice(list(zip(ids, values)))
        what = draw.randrange(4)
        if what == 0:
            own.add(name, Simhash(value, f=f))
            theirs.add(name, package.Simhash(value, f=f))
            present += [] if (name, value) in present else [(name, value)]
        elif what == 1:
            own.delete(name, Simhash(value, f=f))
            theirs.delete(name, package.Simhash(value, f=f))
            present = [pair for pair in present if pair != (name, value)]
        answer = own.get_near_dups(Simhash(value, f=f))
        assert sorted(answer) == sorted(theirs.get_near_dups(package.Simhash(value, f=f)))
        # Ids in the order in which their near values were added.
        assert answer == list(
            dict.fromkeys(near for near, other in present if (other ^ value).bit_count() <= k)
        )
        found += len(answer)
    assert found > 100 and len(own) == len(present)
    again = pickle.loads(pickle.dumps(own))
    assert all(
        again.get_near_dups(Simhash(value, f=f)) == own.get_near_dups(Simhash(value, f=f))
        for value in values
    )
    fresh = package.SimhashIndex(
        [(name, package.Simhash(value, f=f)) for name, value in present], f=f, k=k
    )
    assert own.bucket_size() == again.bucket_size() == fresh.bucket_size()


def test_the_bound_is_inclusive_and_ids_are_text() -> None:
    index = SimhashIndex(((number, Simhash((1 << number) - 1)) for number in range(6)), k=3)
    assert index.get_near_dups(Simhash(0)) == ["0", "1", "2", "3"]
    index.add(0, Simhash(0))
    index.add("0", Simhash(0))
    assert len(index) == 6 and (index.f, index.k) == (64, 3)
    index.delete(0, Simhash(0))
    index.delete(0, Simhash(0))
    index.delete("nobody", Simhash(7))
    assert index.get_near_dups(Simhash(0)) == ["1", "2", "3"] and len(index) == 5
    index.add("0", Simhash(0))
    assert index.get_near_dups(Simhash(0)) == ["1", "2", "3", "0"]
    assert SimhashIndex([]).get_near_dups(Simhash(0)) == []


def test_what_an_index_refuses() -> None:
    for k in (-1, 64):
        with pytest.raises(nr.UsageError):
            SimhashIndex([], k=k)
    index = SimhashIndex([])
    for call in (
        lambda: index.add("a", Simhash(1, f=32)),
        lambda: index.get_near_dups(Simhash(1, f=32)),
    ):
        with pytest.raises(nr.UsageError):
            call()
    with pytest.raises(nr.UsageError):
        SimhashIndex([("a", Simhash(1, f=32))])
    for objs in ([1], ["ab"], [("a", 1)], 5):
        with pytest.raises(TypeError):
            SimhashIndex(objs)  # type: ignore[arg-type]


def test_threads_may_ask_while_others_add() -> None:
    index = SimhashIndex([], k=1)

    def work(thread: int) -> None:
        for number in range(500):
            index.add(f"{thread}-{number}", Simhash(number << 8 | thread << 4))
            assert index.get_near_dups(Simhash(number << 8 | thread << 4 | 1))

    threads = [Thread(target=work, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(index) == 2000


def test_examples_of_the_page_run() -> None:
    page = (REPOSITORY / "docs" / "python-simhash.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) >= 3
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/python-simhash.md", "exec"), names)
