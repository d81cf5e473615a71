"""Makes simhash_2_1_2.json with the Python package simhash 2.1.2: python make_golden_values.py."""

import json
import random
import re
from pathlib import Path

from simhash import Simhash

TEXTS = ["", "a", "Ab", "abc", "abcd", "The ferry to the island returns on Monday after eleven weeks of repairs", "葫芦娃", "葫芦娃葫芦娃，一根藤上七朵花", "naïve café 😀 snake_case", "𠀀𠀁𠀂𠀃𠀄"]
WIDTHS = [8, 32, 40, 64, 104, 128]


def letters(text: str) -> str:
    return "".join(re.findall(r"[\w\u4e00-\u9fcc]+", text.lower()))


def value(of: object, f: int) -> str:
    return f"{Simhash(of, f=f).value:0{f // 4}x}"


draw = random.Random(1)
words = ["能力", "学历", "", "a feature of more than sixteen bytes", "sixteen bytes ok"] + [f"feature {number}" for number in range(210)]
lists = [
    [("能力", 2), ("学历", 0.5)],
    [(word, draw.choice([1, 2, 50, 51, 200])) for word in words],
    [(word, draw.random()) for word in words],
    [(word, draw.choice([1, 3, 77, draw.random(), 10 * draw.random()])) for word in words],
    [("a", -3), ("b", 1), ("c", 0)],
    [],
]
golden = {
    "letters": [{"letters": letters(text), "values": {f: value(text, f) for f in WIDTHS}} for text in TEXTS],
    "features": [{"features": features, "values": {f: value(features, f) for f in WIDTHS}} for features in lists],
}
lines = [f'"{name}": [\n' + ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases) + "\n]" for name, cases in golden.items()]
Path(__file__).with_name("simhash_2_1_2.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
