"""run_trafilatura.py CORPUS.jsonl OUTPUT: trafilatura's test for repeated text, on each line.

trafilatura tests the parts of a page while it takes the text out of HTML. Here each line of a text
is such a part, tested by the same function with the defaults: over 100 characters, seen three times
before, among the 4,096 parts seen last.

Writes kept.jsonl, the rows with what is left, and spans.jsonl, the ranges of bytes that were cut: a
line with its line break.
"""

import json
import re
import sys
from pathlib import Path

from lxml.etree import Element
from trafilatura.deduplication import duplicate_test
from trafilatura.settings import Extractor

# Characters that XML has no place for.
NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def main():
    corpus, output = sys.argv[1], Path(sys.argv[2])
    options = Extractor(dedup=True)
    part = Element("p")
    with (
        open(corpus, encoding="utf-8") as file,
        open(output / "kept.jsonl", "w", encoding="utf-8") as kept,
        open(output / "spans.jsonl", "w", encoding="utf-8") as spans,
    ):
        for row in map(json.loads, file):
            left, start = [], 0
            for line in row["text"].split("\n"):
                end = start + len(line.encode())
                part.text = NOT_XML.sub("", line)
                if part.text and duplicate_test(part, options):
                    span = {"id": row["id"], "start_byte": start, "end_byte": end + 1}
                    spans.write(json.dumps(span, ensure_ascii=False) + "\n")
                else:
                    left.append(line)
                start = end + 1
            row["text"] = "\n".join(left)
            kept.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
