"""Stands in for the package ``simhash`` (1e0n): the same names, the same values, and answers many times as fast.

>>> from nearprint.simhash import Simhash, SimhashIndex
>>> texts = ["How are you? I am fine. Thanks.", "How are you? I am fine. Thank you.", "葫芦娃葫芦娃，一根藤上七朵花"]
>>> index = SimhashIndex([(number, Simhash(text)) for number, text in enumerate(texts)], k=12)
>>> index.get_near_dups(Simhash("How are you, I am fine, thanks"))
['0', '1']

What is the same and what differs: ``docs/python-simhash.md``.
"""

from nearprint._nearprint import Simhash, SimhashIndex

__all__ = ["Simhash", "SimhashIndex"]
