"""Tests of the counts against plain loops."""

import random
import unittest

import numpy

from nearprint_bench.verdicts import by_distance, by_similarity

ARTICLES, EDITED = 12, 8


def documents(groups):
    return {
        f"{letter}{number}": value
        for letter, group in groups.items()
        for number, value in enumerate(group)
    }


def plain(groups, near):
    """The counts of copies and heavy versions near their own article, of pairs with other articles,
    and of unedited articles without any pair."""
    own, other, touched = {"e": 0, "h": 0}, 0, set()
    for query, its in documents(groups).items():
        if query[0] == "a" and int(query[1:]) < EDITED:
            continue
        for number, article in enumerate(groups["a"]):
            if query == f"a{number}" or not near(its, article):
                continue
            if query[0] != "a" and number == int(query[1:]):
                own[query[0]] += 1
            else:
                other += 1
                if query[0] == "a":
                    touched.add(query)
    return own["e"], own["h"], other, ARTICLES - EDITED - len(touched)


class Counts(unittest.TestCase):
    def test_distances_are_counted_at_every_bound(self):
        source = random.Random(1)
        groups = {"a": [source.getrandbits(128) for _ in range(ARTICLES)]}
        for letter, flips in ("e", 12), ("h", 50):
            groups[letter] = []
            for article in groups["a"][:EDITED]:
                for _ in range(flips):
                    article ^= 1 << source.randrange(128)
                groups[letter].append(article)
        arrays = (
            numpy.array(
                [[value >> 64, value & (1 << 64) - 1] for value in groups[letter]], numpy.uint64
            )
            for letter in "aeh"
        )
        found = by_distance(*arrays)
        for bound in (0, 5, 10, 30, 45, 60, 80, 127):
            expected = plain(groups, lambda left, right: (left ^ right).bit_count() <= bound)
            self.assertEqual(
                (found.edited[bound], found.heavy[bound], found.other[bound], found.alone[bound]),
                expected,
            )

    def test_similarities_are_counted_in_whatever_order_the_pairs_come(self):
        source = random.Random(2)
        groups = {
            letter: [source.random() for _ in range(size)]
            for letter, size in (("a", ARTICLES), ("e", EDITED), ("h", EDITED))
        }
        everyone = list(documents(groups).items())
        pairs = [
            (left, right, 1 - abs(a - b))
            for place, (left, a) in enumerate(everyone)
            for right, b in everyone[place + 1 :]
        ]
        pairs = [
            (right, left, similarity) if source.random() < 0.5 else (left, right, similarity)
            for left, right, similarity in pairs
        ]
        bounds = [0.5, 0.8, 0.95, 0.99]
        found = by_similarity(pairs, bounds, ARTICLES, EDITED)
        for place, bound in enumerate(bounds):
            expected = plain(groups, lambda left, right: 1 - abs(left - right) >= bound)
            self.assertEqual(
                (found.edited[place], found.heavy[place], found.other[place], found.alone[place]),
                expected,
            )

    def test_scores(self):
        found = by_similarity(
            [("a0", "e0", 0.9), ("a1", "h1", 0.9), ("a0", "e2", 0.9), ("a3", "e3", 0.4)],
            [0.5],
            12,
            8,
        )
        scores = found.at(0.5, EDITED, ARTICLES)
        self.assertEqual(scores["recall"], 1 / 8)
        self.assertEqual(scores["rate"], 5 / 12)
        self.assertEqual(scores["precision_others"], 1 / 2)
        self.assertEqual(scores["precision_all"], 1 / 3)


if __name__ == "__main__":
    unittest.main()
