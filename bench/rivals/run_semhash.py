"""run_semhash.py CORPUS.jsonl LANGUAGE OUTPUT: runs SemHash with its defaults and another model.

SemHash's own models come from a model hub. This model has the static vectors that the package
wordllama ships (256 numbers a token, English), in the class of SemHash's own static models.
"""

import json
import sys
from pathlib import Path

import wordllama
from model2vec import StaticModel
from semhash import SemHash


def main():
    corpus, output = sys.argv[1], Path(sys.argv[3])
    # WordLlama looks for its shipped files in its cache folder alone.
    vectors = wordllama.WordLlama.load(
        cache_dir=Path(wordllama.__file__).parent, disable_download=True
    )
    model = StaticModel(vectors.embedding, vectors.tokenizer)
    with open(corpus, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    result = SemHash.from_records(records=rows, columns=["text"], model=model).self_deduplicate()
    with open(output / "kept.jsonl", "w", encoding="utf-8") as kept:
        kept.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in result.selected)
    with open(output / "groups.jsonl", "w", encoding="utf-8") as groups:
        groups.writelines(
            json.dumps([removed.record["id"], removed.duplicate_of["id"]]) + "\n"
            for removed in result.filtered
        )


if __name__ == "__main__":
    main()
