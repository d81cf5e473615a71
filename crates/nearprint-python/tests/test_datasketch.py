"""nearprint.datasketch: values of datasketch, and a plain twin of each clever path.

Numbers that are called golden are values of datasketch 2.0.0, computed once. The legacy ones are
those of 1.10.0, too.
"""

from __future__ import annotations

import doctest
import hashlib
import importlib
import pickle
import pkgutil
import random
import re
from collections import Counter
from threading import Thread
from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.sparse

import nearprint as nr
import nearprint.datasketch
from conftest import REPOSITORY
from nearprint._nearprint import bands_for_containment, bands_for_jaccard
from nearprint.datasketch import (
    LeanMinHash,
    MinHash,
    MinHashLSH,
    MinHashLSHEnsemble,
    MinHashLSHForest,
    WeightedMinHash,
    WeightedMinHashGenerator,
    bBitMinHash,
    v1,
)
from nearprint.datasketch.lshensemble import _partitions

MODULES = [
    module.name
    for module in pkgutil.iter_modules(nearprint.datasketch.__path__)
    if module.name not in ("aio", "experimental")
]
SCHEMES = ["affine32", "affine64", "legacy"]
ITEMS = [b"the", b"ferry", b"returns", "能力".encode(), b""]
MORE = [b"more of %d" % number for number in range(50)]

GOLDEN: dict[str, tuple[list[int], float]] = {
    "affine32": (
        [1154165251, 174972114, 953721024, 377325235, 43160469],
        6.943804316515471,
    ),
    "affine64": (
        [
            178257499015305351,
            6487737062879853054,
            3014360345069915138,
            1809160220580994505,
            2351247603864041607,
        ],
        5.663918900887834,
    ),
    "legacy": (
        [2103187398, 3536323166, 1113621980, 468750338, 358563606],
        1.8329250142448865,
    ),
}
"""Golden: the hash values and the count of MinHash(5, seed=42) after ITEMS."""


def made(items: list[Any], num_perm: int = 5, seed: int = 42, **options: Any) -> MinHash:
    minhash = MinHash(num_perm, seed=seed, **options)
    minhash.update_batch(items)
    return minhash


def plain(minhash: MinHash, items: list[bytes]) -> list[int]:
    """The hash values by the definition of docs, one item and permutation after the other."""
    scheme, values = minhash.scheme, []
    width = 64 if scheme == "affine64" else 32
    for a, b in zip(*(column.tolist() for column in minhash.permutations)):
        own = [(1 << width) - 1]
        for item in items:
            h = int.from_bytes(hashlib.sha1(item).digest()[: width // 8], "little")
            if scheme == "legacy":
                own.append((a * h + b) % (1 << 64) % ((1 << 61) - 1) % (1 << 32))
                continue
            shifts = (16, 13, 16) if width == 32 else (33, 33, 33)
            factors = (0x85EBCA6B, 0xC2B2AE35, 1)
            if width == 64:
                factors = (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53, 1)
            for shift, factor in zip(shifts, factors):
                h = (h ^ h >> shift) * factor % (1 << width)
            own.append((a * h + b) % (1 << width))
        values.append(min(own))
    return values


@pytest.mark.parametrize("scheme", SCHEMES)
def test_hash_values_are_those_of_datasketch(scheme: str) -> None:
    minhash = made(ITEMS, scheme=scheme)
    values, count = GOLDEN[scheme]
    assert minhash.hashvalues.tolist() == values and minhash.count() == count
    assert minhash.hashvalues.dtype == (np.uint32 if scheme == "affine32" else np.uint64)
    one_by_one = MinHash(5, seed=42, scheme=scheme)
    for item in ITEMS:
        one_by_one.update(item)
    assert one_by_one == minhash
    assert MinHash.bulk([ITEMS, []], num_perm=5, seed=42, scheme=scheme)[0] == minhash
    assert next(MinHash.generator([ITEMS], num_perm=5, seed=42, scheme=scheme)) == minhash


def test_hash_values_of_the_tests_of_datasketch() -> None:
    minhash = v1.MinHash(4, 1)
    minhash.update(b"Hello")
    assert minhash.hashvalues.tolist() == [734825475, 960773806, 359816889, 342714745]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_hash_values_are_those_of_the_definition(scheme: str) -> None:
    draw = random.Random(scheme)
    sets = [
        [draw.randbytes(draw.choice([0, 1, 7, 55, 56, 64, 200])) for _ in range(draw.randrange(40))]
        for _ in range(600)
    ]
    for num_perm, seed in [(1, 0), (33, 3), (128, 2**32 - 1)]:
        bulk = MinHash.bulk(sets, num_perm=num_perm, seed=seed, scheme=scheme)
        assert len(bulk) == len(sets) and all(type(minhash) is MinHash for minhash in bulk)
        for items, minhash in zip(sets[:20], bulk):
            assert minhash.hashvalues.tolist() == plain(minhash, items)
        for items, minhash in zip(sets, bulk):
            assert minhash == made(items, num_perm, seed, scheme=scheme)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_however_items_are_handed_over_their_values_are_the_same(scheme: str) -> None:
    """Lists and tuples of bytes are read at once, others item by item, many in several parts."""
    draw = random.Random(5)
    sets = [
        # The byte 255 in half of them.
        [
            bytes(draw.choices(range(255 + number % 2), k=draw.randrange(80)))
            for _ in range(number % 40)
        ]
        for number in range(1000)
    ]
    sets += [[b""], [], [b"\xff"], [b"a\xffb", b""], [b"", b"", b"a" * 55, b"a" * 56]]
    one_by_one = [made([], 128, 1, scheme=scheme) for _ in sets]
    for minhash, items in zip(one_by_one, sets):
        for item in items:
            minhash.update(item)
    forms: list[Any] = [list, tuple, iter, lambda items: [memoryview(item) for item in items]]
    for form in forms:
        assert MinHash.bulk(map(form, sets), scheme=scheme) == one_by_one


@pytest.mark.parametrize("scheme", SCHEMES)
def test_hash_functions_of_the_callers_own(scheme: str) -> None:
    def identity(item: int) -> int:
        return item

    items: list[Any] = [0, 1, 2**31, 2**32 - 1, np.uint32(7), True]
    minhash = made(items, hashfunc=identity, scheme=scheme)
    again = MinHash(5, seed=42, hashfunc=identity, scheme=scheme)
    for item in items:
        again.update(item)
    assert (
        again
        == minhash
        == MinHash.bulk(iter([iter(items)]), num_perm=5, seed=42, hashfunc=identity, scheme=scheme)[
            0
        ]
    )
    by_hashlib = made(
        ITEMS,
        scheme=scheme,
        hashfunc=lambda item: int.from_bytes(
            hashlib.sha1(item).digest()[: 8 if scheme == "affine64" else 4], "little"
        ),
    )
    assert by_hashlib == made(ITEMS, scheme=scheme)
    too_large = 2**32 if scheme == "affine32" else 2**64
    for item in (-1, too_large):
        with pytest.raises(nr.UsageError) as caught:
            minhash.update(item)
        assert caught.value.setting == "hashfunc"
    for wrong in (1.5, "1", None):
        with pytest.raises(TypeError):
            minhash.update(wrong)
    with pytest.raises(ZeroDivisionError):
        made([1], hashfunc=lambda item: 1 // 0)


def test_items_are_what_hashlib_takes() -> None:
    expected = made([b"ab"])
    assert made([bytearray(b"ab")]) == made([memoryview(b"ab")]) == expected
    assert made([np.frombuffer(b"ab", dtype=np.uint8)]) == expected
    number = np.int64(5)
    assert made([number]) == made([number.tobytes()])
    for wrong in ("ab", 5, None):
        with pytest.raises(TypeError, match="bytes"):
            made([wrong])
    with pytest.raises(TypeError):
        MinHash.bulk([5])  # type: ignore[list-item]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_operations_on_sets(scheme: str) -> None:
    one, other = made(ITEMS, scheme=scheme), made([*ITEMS[1:3], b"x"], scheme=scheme)
    # Golden.
    assert one.jaccard(other) == {"affine32": 0.4, "affine64": 0.6, "legacy": 0.4}[scheme]
    union = MinHash.union(one, other)
    assert union == made([*ITEMS, b"x"], scheme=scheme) and union.num_perm == 5
    merged = one.copy()
    merged.merge(other)
    assert merged == union and one.copy() == one
    assert not one.is_empty() and len(one) == 5
    digest = one.digest()
    digest[0] = 0
    assert one.hashvalues[0] != 0
    merged.clear()
    assert merged.is_empty() and merged == MinHash(5, seed=42, scheme=scheme)
    assert merged.jaccard(MinHash(5, seed=42, scheme=scheme)) == 1.0 and merged.count() == 0.0
    assert one != made(ITEMS, seed=1, scheme=scheme) and one != "one"
    with pytest.raises(TypeError):
        hash(one)
    for wrong in (
        made(ITEMS, seed=1, scheme=scheme),
        made(ITEMS, 6, scheme=scheme),
        made(ITEMS, scheme=SCHEMES[SCHEMES.index(scheme) - 1]),
    ):
        for call in (one.jaccard, one.merge, lambda wrong: MinHash.union(one, wrong)):
            with pytest.raises(nr.UsageError):
                call(wrong)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_state_from_elsewhere(scheme: str) -> None:
    one = made(ITEMS, scheme=scheme)
    again = MinHash(
        seed=42, hashvalues=one.hashvalues, permutations=one.permutations, scheme=scheme
    )
    assert again == one
    for item in MORE:
        again.update(item)
    assert again == made([*ITEMS, *MORE], scheme=scheme) and again != one
    a, b = one.permutations.tolist()
    own = MinHash(2, permutations=([a[3], a[1]], [b[3], b[1]]), scheme=scheme)
    own.update_batch(ITEMS)
    assert own.hashvalues.tolist() == one.hashvalues[[3, 1]].tolist()
    for minhash in (one, own):
        loaded = pickle.loads(pickle.dumps(minhash))
        assert loaded == minhash and (loaded.seed, loaded.num_perm) == (minhash.seed, len(minhash))
        assert np.array_equal(loaded.permutations, minhash.permutations)
        loaded.update(b"x")
        minhash.update(b"x")
        assert loaded == minhash
    assert len(pickle.dumps(MinHash(128))) < 1000
    for seed in (None, [1, 2], np.uint32(3)):
        assert len(MinHash(4, seed=seed, scheme=scheme)) == 4
    with pytest.raises(ValueError):
        one.permutations[0][0] = 1


def test_what_a_minhash_refuses() -> None:
    one = made(ITEMS)
    refused: dict[str, dict[str, Any]] = {
        "num_perm": {"num_perm": 0},
        "scheme": {"scheme": "affine16"},
        "hashfunc": {"hashfunc": 5},
        "gpu_mode": {"gpu_mode": "always"},
        "hashvalues": {"hashvalues": [1, 2**32], "scheme": "affine32"},
        "permutations": {"permutations": ([1], [1]), "scheme": "affine32"},
    }
    for setting, arguments in refused.items():
        with pytest.raises(nr.UsageError) as caught:
            MinHash(**arguments)
        assert caught.value.setting == setting, setting
    given: list[dict[str, Any]] = [
        {"hashvalues": one.hashvalues},
        {"permutations": one.permutations, "num_perm": 5},
    ]
    for values in given:
        with pytest.raises(nr.UsageError, match="scheme"):
            MinHash(**values)
        assert len(v1.MinHash(**values)) == 5
    with pytest.raises(nr.UsageError, match="odd"):
        MinHash(2, permutations=([2, 1], [1, 1]), scheme="affine32")
    with pytest.raises(nr.UsageError):
        MinHash.union(one)
    with pytest.warns(DeprecationWarning):
        MinHash(4, hashobj=hashlib.sha1)
    assert MinHash(4, gpu_mode="detect") == MinHash(4)


LEAN = {
    "affine32": "2a00000000000000fbffffff01032acb44d2dc6d0ac0a0d838b3867d1695939202",
    "affine64": "2a00000000000000fbffffff0287585b3b404c7902fef916357c12095a028cea58c328d529c95d7fa1a26d1b"
    "1987f84dff3c4fa120",
    "legacy": "2a0000000000000005000000c6175c7d5e02c8d2dc8560420290f01b163f5f15",
}
"""Golden: the bytes of LeanMinHash, the lowest byte of a number first."""


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_lean_minhash(scheme: str) -> None:
    minhash = made(ITEMS, scheme=scheme)
    lean = LeanMinHash(minhash)
    assert LeanMinHash(seed=42, hashvalues=minhash.hashvalues, scheme=scheme) == lean
    assert lean.jaccard(minhash) == minhash.jaccard(lean) == 1.0 and lean != minhash
    buffer = bytearray(lean.bytesize("<"))
    lean.serialize(buffer, "<")
    assert buffer.hex() == LEAN[scheme]
    assert lean.bytesize() == {"affine32": 36, "affine64": 56, "legacy": 32}[scheme]
    for byteorder in "@=<>!":
        buffer = bytearray(lean.bytesize(byteorder) + 3)
        lean.serialize(buffer, byteorder)
        assert LeanMinHash.deserialize(buffer, byteorder) == lean
    assert pickle.loads(pickle.dumps(lean)) == lean.copy() == lean
    assert {lean: 1}[lean.copy()] == 1
    other = LeanMinHash(made(MORE, scheme=scheme))
    union = LeanMinHash.union(lean, other)
    assert union == LeanMinHash(made([*ITEMS, *MORE], scheme=scheme)) and union != lean
    lean.merge(other)
    assert lean == union and lean.count() == union.count()
    for call in (lean.update, lean.update_batch):
        with pytest.raises(TypeError):
            call(b"x")
    with pytest.raises(AttributeError):
        lean.permutations
    problems: list[dict[str, Any]] = [
        {},
        {"seed": 1},
        {"seed": 1, "hashvalues": [1]},
        {"seed": 1, "hashvalues": [], "scheme": scheme},
        {"minhash": minhash, "scheme": "other"},
    ]
    for problem in problems:
        with pytest.raises(nr.UsageError):
            LeanMinHash(**problem)
    with pytest.raises(nr.UsageError):
        lean.serialize(bytearray(5))
    with pytest.raises(nr.UsageError):
        LeanMinHash.deserialize(bytes.fromhex("0100000000000000ffffffff0900000000"), "<")


def test_the_defaults_of_the_first_version() -> None:
    one = v1.MinHash(5, seed=42)
    one.update_batch(ITEMS)
    assert one.hashvalues.tolist() == GOLDEN["legacy"][0] and one.scheme == "legacy"
    assert v1.MinHash.bulk([ITEMS], num_perm=5, seed=42) == [one]
    lean = v1.LeanMinHash(seed=42, hashvalues=one.hashvalues)
    assert lean.jaccard(one) == 1.0 and lean.bytesize() == 8 + 4 + 5 * 4
    assert type(v1.LeanMinHash.union(lean, lean)) is v1.LeanMinHash
    assert pickle.loads(pickle.dumps([one, lean])) == [one, lean]
    assert v1.MinHash(4, scheme="affine32").scheme == "affine32"


BITS = {
    ("affine32", 1): "2a00000000000000019a9999999999b93ffbffffff010000000000000098",
    ("affine32", 3): "2a00000000000000039a9999999999b93ffbffffff010000000000500332",
    ("affine64", 3): "2a00000000000000039a9999999999b93ffbffffff020000000000702176",
    ("legacy", 3): "2a00000000000000039a9999999999b93f050000000000000000604266",
    ("legacy", 32): "2a00000000000000209a9999999999b93f050000005e02c8d2c6175c7d0290f01bdc856042"
    "00000000163f5f15",
}
"""Golden: the bytes of bBitMinHash with r=0.1."""


def test_the_lowest_bits_of_hash_values() -> None:
    for (scheme, b), expected in BITS.items():
        bits = bBitMinHash(made(ITEMS, scheme=scheme), b, 0.1)
        assert bytes(bits.__getstate__()).hex() == expected
        assert bits.bytesize() == len(expected) // 2
    # Golden.
    for scheme, estimates in {
        "affine32": (0.24685135806932704, 0.20000000000000004),
        "affine64": (0.4926385346925862, 0.4666666666666666),
        "legacy": (0.7384257113158457, 0.7333333333333334),
    }.items():
        one, other = made(ITEMS, scheme=scheme), made([*ITEMS[1:3], b"x"], scheme=scheme)
        assert bBitMinHash(one, 2, 0.1).jaccard(bBitMinHash(other, 2, 0.2)) == estimates[0]
        assert bBitMinHash(one, 2).jaccard(bBitMinHash(other, 2)) == estimates[1]
        for num_perm in (1, 16, 63, 64, 65, 200):
            for b in (0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 32):
                bits = bBitMinHash(made(ITEMS, num_perm, scheme=scheme), b)
                assert pickle.loads(pickle.dumps(bits)) == bits
    refused: list[dict[str, Any]] = [{"b": 33}, {"b": -1}, {"r": 1.5}]
    for arguments in refused:
        with pytest.raises(nr.UsageError):
            bBitMinHash(one, **arguments)
    for wrong in (bBitMinHash(one, 3), bBitMinHash(made(ITEMS)), bBitMinHash(made([], seed=1))):
        with pytest.raises(nr.UsageError):
            bBitMinHash(one, 1).jaccard(wrong)


def test_bands_are_those_of_datasketch() -> None:
    # Golden.
    for threshold, num_perm, weights, expected in [
        (0.3, 16, (0.5, 0.5), (8, 2)),
        (0.3, 128, (0.2, 0.8), (42, 3)),
        (0.7, 128, (0.5, 0.5), (14, 9)),
        (0.7, 256, (0.2, 0.8), (28, 9)),
        (0.8, 128, (0.5, 0.5), (9, 13)),
        (0.8, 256, (0.5, 0.5), (17, 15)),
        (0.9, 128, (0.5, 0.5), (5, 25)),
        (0.9, 256, (0.2, 0.8), (12, 21)),
    ]:
        lsh = MinHashLSH(threshold, num_perm, weights)
        assert (lsh.b, lsh.r) == expected
    # Golden.
    ensemble = MinHashLSHEnsemble(0.8, 64, 2, 8)
    assert ensemble.params.tolist() == [*[[1, 8]] * 5, [16, 4], *[[21, 3]] * 4]


def quad(function: Any, start: float, end: float) -> float:
    return float(scipy.integrate.quad(function, start, end)[0])


def test_bands_are_those_of_a_grid_with_scipy() -> None:
    draw = random.Random(5)
    for _ in range(6):
        threshold, num_perm = round(draw.random(), 3), draw.randrange(2, 40)
        weights = draw.choice([(0.5, 0.5), (0.1, 0.9), (1.0, 0.0)])
        errors: dict[tuple[int, int], float] = {}
        for b in range(1, num_perm + 1):
            for r in range(1, num_perm // b + 1):
                below = quad(lambda s: 1 - (1 - s**r) ** b, 0, threshold)
                above = quad(lambda s: 1 - (1 - (1 - s**r) ** b), threshold, 1)
                errors[b, r] = below * weights[0] + above * weights[1]
        assert bands_for_jaccard(threshold, num_perm, weights) == min(
            errors, key=errors.__getitem__
        )
        ratio, max_r = draw.choice([0.01, 0.5, 1.0, 1.7, 100.0]), draw.randrange(1, 9)
        for b, r in list(errors):
            if r > max_r:
                del errors[b, r]
                continue

            def meets(t: float) -> float:
                return float(1 - (1 - (t / (1 + ratio - t)) ** r) ** b)

            below = quad(meets, 0, min(threshold, ratio))
            end = min(ratio, 1.0)
            above = quad(lambda t: 1 - meets(t), threshold, end) if end > threshold else 0.0
            errors[b, r] = below * weights[0] + above * weights[1]
        best = min(errors, key=errors.__getitem__)
        assert bands_for_containment(threshold, num_perm, max_r, ratio, weights) == best


def families(draw: random.Random, count: int) -> list[list[bytes]]:
    """Sets, many of them with some items of an earlier one in place of their own."""
    sets: list[list[bytes]] = []
    for _ in range(count):
        items = [draw.randbytes(4) for _ in range(20)]
        if sets and draw.random() < 0.7:
            items[draw.randrange(20) :] = draw.choice(sets)[: draw.randrange(20)]
        sets.append(items)
    return sets


class PlainLSH:
    """Bands as dicts of sets."""

    def __init__(self, b: int, r: int, hashfunc: Any = None) -> None:
        self.r, self.tables = r, [Counter[tuple[bytes, Any]]() for _ in range(b)]
        self.hashfunc = hashfunc or (lambda name: name)

    def names(self, minhash: Any) -> list[Any]:
        return [
            self.hashfunc(minhash.hashvalues[start * self.r :][: self.r].byteswap().tobytes())
            for start in range(len(self.tables))
        ]

    def query(self, minhash: Any) -> set[Any]:
        names = self.names(minhash)
        return {key for name, table in zip(names, self.tables) for own, key in table if own == name}


@pytest.mark.parametrize("hashfunc", [None, lambda name: hashlib.md5(name).digest()[:1]])
@pytest.mark.parametrize("prepickle", [False, True])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_answers_of_an_index_are_those_of_dicts(
    scheme: str, prepickle: bool, hashfunc: Any
) -> None:
    draw = random.Random(f"{scheme}{prepickle}")
    minhashes = MinHash.bulk(families(draw, 60), num_perm=32, scheme=scheme)
    lsh = MinHashLSH(num_perm=32, params=(7, 4), prepickle=prepickle, hashfunc=hashfunc)
    dicts = PlainLSH(7, 4, hashfunc)
    there: dict[Any, MinHash] = {}
    keys: list[Any] = [f"key {number}" if number % 2 else number for number in range(60)]
    for _ in range(400):
        number = draw.randrange(60)
        key, minhash = keys[number], minhashes[number]
        if key in there and draw.random() < 0.6:
            lsh.remove(key)
            del there[key]
        elif key not in there:
            lsh.insert(key, minhash)
            there[key] = minhash
        else:
            with pytest.raises(nr.UsageError) as caught:
                lsh.insert(key, minhashes[0])
            assert caught.value.setting == "key"
        assert (key in lsh) == (key in there)
    dicts.tables = [
        Counter((dicts.names(minhash)[band], key) for key, minhash in there.items())
        for band in range(7)
    ]
    found = 0

    def same(lsh: MinHashLSH) -> None:
        nonlocal found
        expected = [dicts.query(minhash) for minhash in minhashes]
        assert [set(lsh.query(minhash)) for minhash in minhashes] == expected
        answers = lsh.query_all(minhashes)
        assert [set(keys) for keys in answers] == expected
        assert all(len(keys) == len(set(keys)) for keys in answers)
        found += sum(map(len, answers))
        held = (
            {pickle.dumps(key): key for key in there} if prepickle else {key: key for key in there}
        )
        assert {held[key] for key in lsh.keys} == set(there) and len(lsh.keys) == len(there)
        for key, own in held.items():
            assert lsh.keys[key] == lsh.keys.get(key) == dicts.names(there[own])
            assert key in lsh.keys
        for table, plain_table, counts in zip(lsh.hashtables, dicts.tables, lsh.get_counts()):
            names = Counter(name for name, _ in plain_table)
            assert counts == names == table.itemcounts() and len(table) == len(names)
            for name in table:
                assert name in table
                assert {held[key] for key in table[name]} == {
                    key for own, key in plain_table if own == name
                }
            assert b"no name" not in table and table[b"no name"] == set() and "no name" not in table
        some = list(there)[:5]
        for counts, plain_table in zip(lsh.get_subset_counts(*some), dicts.tables):
            assert counts == Counter(name for name, key in plain_table if key in some)

    same(lsh)
    if hashfunc is None:
        same(pickle.loads(pickle.dumps(lsh)))
    other = MinHashLSH(num_perm=32, params=(7, 4), prepickle=prepickle, hashfunc=hashfunc)
    other.insert_all(there, there.values())
    same(other)
    halves = [
        MinHashLSH(num_perm=32, params=(7, 4), prepickle=prepickle, hashfunc=hashfunc) for _ in "12"
    ]
    for number, (key, minhash) in enumerate(there.items()):
        with halves[number % 2].insertion_session() as session:
            session.insert(key, minhash)
    halves[0].merge(halves[1], check_overlap=True)
    same(halves[0])
    with pytest.raises(nr.UsageError):
        halves[0].merge(halves[1], check_overlap=True)
    assert found > 100
    with halves[0].deletion_session() as deletion:
        for key in there:
            deletion.remove(key)
    assert halves[0].is_empty() and halves[0].query_all(minhashes) == [[]] * 60
    assert all(len(table) == 0 for table in halves[0].hashtables)


def test_many_at_once_are_as_one_by_one() -> None:
    draw = random.Random(9)
    minhashes = MinHash.bulk(families(draw, 2000), num_perm=64)
    one_by_one, at_once = (MinHashLSH(num_perm=64, threshold=0.6) for _ in "12")
    for key, minhash in enumerate(minhashes):
        one_by_one.insert(key, minhash)
    at_once.insert_all(range(2000), minhashes)
    answers = at_once.query_all(iter(minhashes))
    assert answers == [one_by_one.query(minhash) for minhash in minhashes]
    assert all(keys == sorted(keys) for keys in answers) and sum(map(len, answers)) > 2400
    for wrong in ([5000, 6000, 5000], [6000, 7, 5000]):
        with pytest.raises(nr.UsageError):
            at_once.insert_all(wrong, minhashes[:3])
        assert len(at_once.keys) == 2000 and 6000 not in at_once
        assert at_once.query_all(minhashes) == answers
    with pytest.raises(nr.UsageError):
        at_once.insert_all([5000], minhashes[:2])
    with pytest.raises(TypeError):
        at_once.insert_all([5000, []], minhashes[:2])
    assert at_once.query_all(minhashes) == answers
    at_once.insert_all([], [])
    assert at_once.query_all([]) == [] and MinHashLSH().query_all(MinHash.bulk([[]])) == [[]]


def test_a_key_that_is_inserted_twice() -> None:
    one, other, third = MinHash.bulk([[b"a"], [b"b"], [b"c"]])
    lsh = MinHashLSH()
    lsh.insert("key", one)
    lsh.insert("key", other, check_duplication=False)
    lsh.insert_all(["key", "key", "own"], [one, third, third], check_duplication=False)
    assert lsh.query(one) == lsh.query(other) == ["key"] and set(lsh.query(third)) == {"key", "own"}
    assert len(lsh.keys["key"]) == 4 * lsh.b and list(lsh.keys) == ["key", "own"]
    assert all(sum(counts.values()) == 4 for counts in lsh.get_counts())
    again = pickle.loads(pickle.dumps(lsh))
    for index in (lsh, again):
        index.remove("key")
        assert index.query(one) == [] and index.query(third) == ["own"] and "key" not in index
        with pytest.raises(nr.UsageError):
            index.remove("key")


def test_buffered_queries_give_what_all_meet() -> None:
    one, other, third = MinHash.bulk([[b"a", b"b"], [b"a", b"b"], [b"c"]])
    lsh = MinHashLSH(threshold=0.5)
    lsh.insert_all([1, 2, 3], [one, other, third])
    assert lsh.collect_query_buffer() == []
    lsh.add_to_query_buffer(one)
    assert sorted(lsh.collect_query_buffer()) == [1, 2] and lsh.collect_query_buffer() == []
    lsh.add_to_query_buffer(one)
    lsh.add_to_query_buffer(third)
    assert lsh.collect_query_buffer() == []


def test_what_an_index_refuses() -> None:
    refused: dict[str, dict[str, Any]] = {
        "threshold": {"threshold": 1.1},
        "num_perm": {"num_perm": 1},
        "weights": {"weights": (0.5, 0.6)},
        "storage_config": {"storage_config": {"type": "redis", "redis": {}}},
    }
    for setting, arguments in refused.items():
        for kind in (MinHashLSH, MinHashLSHEnsemble):
            with pytest.raises(nr.UsageError) as caught:
                kind(**arguments)
            assert caught.value.setting == setting
    with pytest.raises(nr.UsageError):
        MinHashLSH(params=(12, 12))
    with pytest.raises(nr.UsageError, match="nearprint.Index"):
        MinHashLSH(storage_config={"type": "cassandra"})
    assert MinHashLSH(storage_config={"type": "dict"}).is_empty()
    with pytest.raises(nr.UsageError):
        MinHashLSH(params=(1, 128))
    lsh = MinHashLSH(num_perm=16, params=(4, 4))
    lsh.insert("a", made(ITEMS, 16))
    for call in (
        lsh.query,
        lambda wrong: lsh.insert("b", wrong),
        lambda wrong: lsh.query_all([wrong]),
    ):
        for wrong in (made(ITEMS, 32), made(ITEMS, 16, scheme="legacy")):
            with pytest.raises(nr.UsageError):
                call(wrong)
    for other in (
        MinHashLSH(num_perm=16, params=(2, 8)),
        MinHashLSH(num_perm=16, params=(4, 4), hashfunc=bytes),
    ):
        with pytest.raises(nr.UsageError):
            lsh.merge(other)
    legacy = MinHashLSH(num_perm=16, params=(4, 4))
    legacy.insert("b", made(ITEMS, 16, scheme="legacy"))
    with pytest.raises(nr.UsageError, match="scheme"):
        lsh.merge(legacy)
    with pytest.raises(TypeError):
        lsh.insert([], made(ITEMS, 16))
    text: Any = "text"
    for refuse in (lambda: lsh.query(text), lambda: lsh.insert("b", text)):
        with pytest.raises(nr.UsageError, match="minhash: 'text' is no MinHash") as caught:
            refuse()
        assert caught.value.setting == "minhash"
    with pytest.raises(nr.UsageError, match="other: 'text' is no MinHash"):
        made(ITEMS).jaccard(text)
    with pytest.raises(nr.UsageError, match="num_perm: 'text' .* update"):
        MinHash(text)
    for threshold in (1.5, text):
        with pytest.raises(nr.UsageError, match="threshold: .* is not in 0 to 1"):
            MinHashLSH(threshold=threshold)
    assert lsh.query(made(ITEMS, 16)) == ["a"]
    pickled = MinHashLSH(num_perm=16, params=(4, 4), prepickle=True)
    pickled.insert([1], made(ITEMS, 16))
    assert pickled.query(made(ITEMS, 16)) == [[1]] and [1] in pickled


def test_names_of_what_is_refused() -> None:
    for name in (
        "HNSW",
        "HyperLogLog",
        "HyperLogLogPlusPlus",
        "MinHashLSHBloom",
        "AsyncMinHashLSH",
    ):
        for module in (nearprint.datasketch, v1):
            with pytest.raises(nr.UsageError, match=name) as caught:
                getattr(module, name)
            assert caught.value.setting == name
    with pytest.raises(AttributeError):
        nearprint.datasketch.MinHashes
    for name in ("aio", "experimental", "experimental.aio.lsh"):
        for package in ("nearprint.datasketch", "nearprint.datasketch.v1"):
            with pytest.raises(nr.UsageError, match="no (aio|experimental); use MinHashLSH"):
                importlib.import_module(f"{package}.{name}")


def test_modules_of_1_x_have_their_names() -> None:
    for package in (nearprint.datasketch, v1):
        for module, name in (
            ("b_bit_minhash", "bBitMinHash"),
            ("hashfunc", "sha1_hash32"),
            ("lean_minhash", "LeanMinHash"),
            ("lsh", "MinHashLSH"),
            ("lshensemble", "MinHashLSHEnsemble"),
            ("lshforest", "MinHashLSHForest"),
            ("minhash", "MinHash"),
            ("weighted_minhash", "WeightedMinHashGenerator"),
        ):
            own = importlib.import_module(f"{package.__name__}.{module}")
            assert getattr(own, name) is getattr(package, name)


def test_names_of_weighted_ones() -> None:
    assert nearprint.datasketch.WeightedMinHashLSH is MinHashLSH


def test_threads_may_ask_while_others_insert() -> None:
    sets = [[b"%d" % number] for number in range(800)]
    minhashes = MinHash.bulk(sets)
    lsh = MinHashLSH()

    def work(thread: int) -> None:
        for number in range(thread, 800, 4):
            lsh.insert(number, minhashes[number])
            assert lsh.query(minhashes[number]) == [number]
            if number % 3 == 0:
                lsh.remove(number)

    threads = [Thread(target=work, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(lsh.keys) == [number for number in range(800) if number % 3]


class Rude:
    """A key that asks the index while the index asks it."""

    lsh = MinHashLSH()

    def __hash__(self) -> int:
        Rude.lsh.query(made(ITEMS, 128, 1))
        return 1

    def __eq__(self, other: object) -> bool:
        return bool(len(Rude.lsh.keys)) and self is other


def test_code_of_keys_may_use_the_index() -> None:
    one, other = Rude(), Rude()
    for key in (one, other):
        Rude.lsh.insert(key, made(ITEMS, 128, 1))
    assert len(Rude.lsh.query(made(ITEMS, 128, 1))) == 2 and one in Rude.lsh
    Rude.lsh.remove(one)
    assert Rude.lsh.query(made(ITEMS, 128, 1)) == [other]


def test_samples_are_those_of_datasketch() -> None:
    # Golden.
    generator = WeightedMinHashGenerator(5, 4, seed=7)
    expected = [[3, 1], [3, 3], [3, 1], [3, 1]]
    weighted = generator.minhash([1, 0, 2.5, 100, 3])
    assert weighted.hashvalues.tolist() == expected and weighted.hashvalues.dtype == int
    rows = np.array([[1, 0, 2.5, 100, 3], [0, 0, 0, 0, 0], [0, 7, 0, 0, 1.5]])
    for matrix in (rows, scipy.sparse.csr_matrix(rows), scipy.sparse.coo_array(rows)):
        first, none, third = generator.minhash_many(matrix)
        assert first is not None and first.hashvalues.tolist() == expected and none is None
        assert third is not None
        assert third.hashvalues.tolist() == [[1, 2], [4, 0], [1, 2], [1, 1]]


def test_samples_are_those_of_the_definition() -> None:
    draw = np.random.default_rng(3)
    generator = WeightedMinHashGenerator(40, sample_size=64, seed=11)
    rows = draw.uniform(0, 50, (300, 40)) * (draw.uniform(size=(300, 40)) < 0.4)
    rows[7] = 0
    rows[:, 3] = rows[:, 2]
    rows = rows.astype(np.float32)
    many = generator.minhash_many(rows)
    for row, of_many in zip(rows, many):
        if not row.any():
            assert of_many is None
            continue
        one, there = generator.minhash(row), np.flatnonzero(row)
        assert of_many is not None
        logarithms = np.log(row[there])
        for sample in range(64):
            r, beta = generator.rs[sample, there], generator.betas[sample, there]
            t = np.floor(logarithms / r + beta)
            values = generator.ln_cs[sample, there] - (t - beta) * r - r
            k = np.argmin(values)
            assert one.hashvalues[sample].tolist() == [there[k], t[k]]
            k = np.argmin(generator.ln_cs[sample, there] - (t - beta + np.float32(1)) * r)
            assert of_many.hashvalues[sample].tolist() == [there[k], t[k]]
    assert len(generator.rs) == len(generator.ln_cs) == len(generator.betas) == 64


def test_weighted_minhashes() -> None:
    generator = WeightedMinHashGenerator(3, sample_size=16)
    one, other = generator.minhash([1, 2, 3]), generator.minhash(np.array([3, 2, 1]))
    assert one.jaccard(one.copy()) == 1.0 and 0 < one.jaccard(other) < 1 and one != other
    assert pickle.loads(pickle.dumps(one)) == one and len(one) == 16
    again = pickle.loads(pickle.dumps(generator))
    assert again.minhash([1, 2, 3]) == one
    assert (one.digest() == one.hashvalues).all() and one.seed == 1
    weights = np.array([1, 0, 3], dtype=np.float32)
    generator.minhash(weights)
    assert weights.tolist() == [1, 0, 3]
    for wrong in ([0, 0, 0], [1, 2], [-1, 0, 0]):
        with pytest.raises(nr.UsageError), np.errstate(invalid="ignore"):
            generator.minhash(wrong)
    for call in (lambda: generator.minhash(5), lambda: generator.minhash_many([[1, 2, 3]])):
        with pytest.raises(TypeError):
            call()
    for matrix in (np.ones(3), np.ones((2, 4))):
        with pytest.raises(nr.UsageError):
            generator.minhash_many(matrix)
    for others in (WeightedMinHash(2, one.hashvalues), WeightedMinHash(1, one.hashvalues[:3])):
        with pytest.raises(nr.UsageError):
            one.jaccard(others)
    lsh = MinHashLSH(num_perm=16, params=(4, 4))
    lsh.insert_all(["one", "other"], [one, other])
    assert "one" in lsh.query(one) and "other" in lsh.query_all([other])[0]
    names = lsh.keys["one"]
    assert names[1] == one.hashvalues[4:8].byteswap().tobytes() and names[1] in lsh.hashtables[1]


def test_a_forest_finds_the_longest_beginnings() -> None:
    draw = random.Random(4)
    minhashes = MinHash.bulk(families(draw, 200), num_perm=32)
    forest = MinHashLSHForest(num_perm=32, l=4)
    for key, minhash in enumerate(minhashes):
        forest.add(key, minhash)
    assert forest.is_empty() and forest.query(minhashes[0], 5) == []
    forest.index()
    assert (forest.l, forest.k) == (4, 8) and not forest.is_empty() and 7 in forest
    for query in minhashes[::7]:
        depths = {}
        for key, minhash in enumerate(minhashes):
            equal = (minhash.hashvalues == query.hashvalues).reshape(4, 8)
            depths[key] = max(int(np.argmin([*tree, False])) for tree in equal)
        ranked = [key for key in depths if depths[key]]
        for k in (1, 5, 500):
            found = forest.query(query, k)
            assert len(found) == len(set(found)) == min(k, len(ranked))
            assert [depths[key] for key in found] == sorted(
                (depths[key] for key in ranked), reverse=True
            )[:k]
    assert np.array_equal(forest.get_minhash_hashvalues(3), minhashes[3].hashvalues)
    again = pickle.loads(pickle.dumps(forest))
    assert again.query(minhashes[0], 9) == forest.query(minhashes[0], 9)
    legacy = v1.MinHashLSHForest(num_perm=32)
    legacy.add("a", v1.MinHash(32))
    assert legacy.get_minhash_hashvalues("a").dtype == np.uint64
    with pytest.raises(KeyError):
        forest.get_minhash_hashvalues("nobody")
    calls: list[Any] = [
        lambda: forest.add(3, minhashes[3]),
        lambda: forest.add("new", MinHash(16)),
        lambda: forest.add("new", v1.MinHash(32)),
        lambda: forest.query(minhashes[0], 0),
        lambda: forest.query(MinHash(8), 1),
        lambda: MinHashLSHForest(num_perm=4, l=5),
        lambda: MinHashLSHForest(l=0),
    ]
    for call in calls:
        with pytest.raises(nr.UsageError):
            call()


PARTITIONS: dict[int, list[tuple[int, int]]] = {
    1: [(2, 34)],
    2: [(2, 13), (21, 34)],
    3: [(2, 5), (8, 13), (21, 34)],
    4: [(2, 5), (8, 8), (13, 13), (21, 34)],
    6: [(2, 2), (3, 3), (5, 5), (8, 8), (13, 13), (21, 34)],
    7: [(2, 2), (3, 3), (5, 5), (8, 8), (13, 13), (21, 21), (34, 34)],
}
"""Golden: ranges of sizes by their number."""


def test_partitions_are_those_of_datasketch() -> None:
    # Golden.
    sizes, counts = [2, 3, 5, 8, 13, 21, 34], [4, 1, 6, 2, 7, 1, 3]
    for parts, expected in PARTITIONS.items():
        ranges = _partitions(np.array(sizes), np.array(counts), parts)
        assert [(int(lower), int(upper)) for lower, upper in ranges] == expected
    draw = random.Random(6)
    for _ in range(40):
        sizes = sorted(draw.sample(range(1, 60), 9))
        counts = [draw.randrange(1, 9) for _ in sizes]
        for parts in range(1, 12):
            ranges = _partitions(np.array(sizes), np.array(counts), parts)
            assert len(ranges) == min(parts, 9)
            places = [(sizes.index(lower), sizes.index(upper)) for lower, upper in ranges]
            assert [lower for lower, _ in places] == [0, *(upper + 1 for _, upper in places[:-1])]
            assert places[-1][1] == 8 and all(lower <= upper for lower, upper in places)


def test_an_ensemble_finds_sets_that_contain_another() -> None:
    draw = random.Random(8)
    words = [b"%d" % number for number in range(2000)]
    sets = [draw.sample(words, draw.randrange(10, 200)) for _ in range(80)]
    sets += [[*own, *draw.sample(words, 20)] for own in sets[:40]]
    entries = list(zip(range(120), MinHash.bulk(sets), map(len, sets)))
    ensemble = MinHashLSHEnsemble(threshold=0.9, num_part=4)
    assert ensemble.is_empty() and list(ensemble.query(entries[0][1], 5)) == []
    ensemble.index(iter(entries))
    assert not ensemble.is_empty() and 7 in ensemble and 500 not in ensemble
    again = pickle.loads(pickle.dumps(ensemble))
    containing = 0
    for key in range(40):
        found = list(ensemble.query(entries[key][1], len(sets[key])))
        assert key in found and len(found) == len(set(found))
        containing += 80 + key in found
        assert set(again.query(entries[key][1], len(sets[key]))) == set(found)
    assert containing >= 30
    with pytest.raises(nr.UsageError):
        ensemble.index(entries)
    for wrong in ([], [(1, entries[0][1], 0)]):
        with pytest.raises(nr.UsageError):
            MinHashLSHEnsemble().index(wrong)
    refused: list[dict[str, Any]] = [{"num_part": 0}, {"m": 1}, {"m": 500}]
    for arguments in refused:
        with pytest.raises(nr.UsageError):
            MinHashLSHEnsemble(**arguments)


def test_examples_of_the_modules_run() -> None:
    modules = [importlib.import_module(f"nearprint.datasketch.{name}") for name in MODULES]
    results = [doctest.testmod(module, extraglobs={"nr": nr}) for module in modules]
    assert all(result.failed == 0 for result in results)
    assert sum(result.attempted for result in results) > 30


@pytest.mark.parametrize("name", ["python-datasketch.md", "python-migration.md"])
def test_examples_of_the_pages_run(name: str) -> None:
    page = (REPOSITORY / "docs" / name).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) >= 3
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, f"docs/{name}", "exec"), names)
