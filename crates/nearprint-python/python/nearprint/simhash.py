"""Replacement for the package ``simhash`` (1e0n): the same names and values, many times as fast.

>>> from nearprint.simhash import Simhash, SimhashIndex
>>> one = "The ferry to the island returns on Monday after eleven weeks of repairs"
>>> other = "The ferry to the island returns on Monday, after nearly eleven weeks of repairs!"
>>> texts = [one, "葫芦娃葫芦娃，一根藤上七朵花", other]
>>> index = SimhashIndex([(number, Simhash(text)) for number, text in enumerate(texts)], k=9)
>>> index.get_near_dups(Simhash(one))
['0', '2']

``docs/python-simhash.md`` lists the differences.
"""

from nearprint._nearprint import Simhash, SimhashIndex

__all__ = ["Simhash", "SimhashIndex"]
