# %% [markdown]
# # A tour of nearprint in Python
#
# Each cell runs as it stands, in a notebook or with `python docs/tutorial.py` from the root of the
# repository. The corpus are the 80 short articles in `examples/articles.jsonl`, Chinese and
# English, of which 29 pairs are labelled as duplicates.

# %%
import polars as pl

import nearprint as nr

articles = pl.read_ndjson("examples/articles.jsonl")
print(articles.head(3))

# %% [markdown]
# ## Deduplicate
#
# The kept documents come back as what they were: a Polars frame with all its columns. Every other
# one has its reason.

# %%
result = nr.dedup(articles, text="text", id="id")
print(result)
print(result.kept.shape, result.removed.head(3))
assert len(result.kept) + len(result.removed) == len(articles)

# %% [markdown]
# Look before you delete: a removed document beside the one that stays in its place.

# %%
near = result.removed.filter(reason="near").sort("similarity").row(0, named=True)
texts = dict(articles.select("id", "text").iter_rows())
comparison = nr.compare(texts[near["keeper"]], texts[near["id"]], top=3)
print(comparison)
assert (
    comparison.distance == near["distance"] and round(comparison.coverage, 6) == near["similarity"]
)

# %% [markdown] The summary says what was set, what was found, and what share of all duplicate pairs
# that is, measured on a sample.

# %%
print(result.summary["counts"], result.summary["recall"])

# %% [markdown]
# ## How good is it?
#
# Labelled pairs tell. With the documents at hand the worst misses come with their texts.

# %%
evaluation = nr.evaluate(result, "examples/labels.csv", documents=articles)
print(evaluation)
for miss in evaluation.misses:
    print(miss.similarity, miss.left, miss.right)
assert evaluation.precision.value == 1.0

# %% [markdown]
# ## Settings
#
# They have the names of the command line's flags, and travel between both as TOML.

# %%
config = nr.Config(min_similarity=0.9, keep="first")
stricter = nr.dedup(articles, config=config)
print(len(stricter.removed), "instead of", len(result.removed))
assert nr.Config.from_toml(config.to_toml()) == config

# %% [markdown]
# ## Is the test set in the training set?
#
# `against` compares two sets across: what is near something in the test set is left out of the
# training set, and nothing else.

# %%
test, train = articles.head(20), articles.tail(60)
clean = nr.dedup(train, against=test)
print(clean.removed)
assert set(clean.removed["keeper"]) <= set(test["id"])

# %% [markdown]
# ## Fingerprints
#
# For an index of your own: as bytes, as Arrow, or as NumPy's integers.

# %%
fingerprinter = nr.Fingerprinter(bits=128)
print(fingerprinter.fingerprint("能力比学历重要"))
fingerprints = fingerprinter.fingerprints(articles["text"])
print(fingerprints, fingerprints.to_numpy().shape)
pairs = pl.DataFrame(nr.join(fingerprints, max_distance=10))
print(pairs.sort("distance").head(3))
assert pairs["distance"].max() <= 10
left, right, distance = pairs.row(0)
assert nr.hamming(fingerprints[left], fingerprints[right]) == distance

# %% [markdown]
# ## Words and their weights
#
# E-SimHash (Zhang Hang et al. 2020) weighs words by how often they occur and by what stands beside
# them, which a corpus must say: count it once, weigh every later text alike.

# %%
print(nr.segment("能力比学历重要"))
stats = nr.Stats.build(articles["text"], preset="paper")
print(stats, pl.DataFrame(stats.top(3)))
weighed = nr.Fingerprinter(preset="paper", stats=stats)
print(weighed.fingerprint("能力比学历重要"))
assert weighed.config.bits == 128
