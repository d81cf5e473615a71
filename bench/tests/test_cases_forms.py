"""Tests of the hard cases of forms."""

import ast
import re
import unittest
from random import Random

from nearprint_bench import cases_forms, forms
from nearprint_bench.case_corpus import Corpus
from nearprint_bench.corpora import Original
from nearprint_bench.rewrites import Vocabulary

WORDS = {
    "en": "river stone window garden letter market winter bridge paper silver".split(),
    "zh": "河流 石头 窗户 花园 书信 市场 冬天 桥梁 纸张 银器".split(),
}
MARK = {"en": ". ", "zh": "。"}


def sentence(language, rng):
    words = (" " if language == "en" else "").join(rng.choice(WORDS[language]) for _ in range(9))
    return words.capitalize() + MARK[language].strip()


def corpus_of(language, seed=1):
    rng = Random(seed)
    articles = [
        Original(
            f"a{i}", "", [" ".join(sentence(language, rng) for _ in range(8)) for _ in range(4)]
        )
        for i in range(60)
    ]
    vocabulary = Vocabulary([article.text for article in articles], language)
    return Corpus(
        language, rng, articles, vocabulary, [sentence(language, rng) for _ in range(300)]
    )


def made(name, language, count=6, seed=1):
    """The texts of a class by their ids, and its pairs."""
    corpus = corpus_of(language)
    cases_forms.CLASSES[name](cases_forms.of_class(corpus, name, seed, corpus.pool), count)
    return {row["id"]: row["text"] for row in corpus.documents}, corpus.truth


def every():
    """The name, texts and pairs of each class in each language."""
    for name in cases_forms.CLASSES:
        for language in ("en", "zh"):
            yield name, *made(name, language)


class CasesForms(unittest.TestCase):
    def test_every_class_has_pairs_of_two_texts_with_a_label(self):
        for name, texts, pairs in every():
            self.assertTrue(pairs, name)
            for pair in pairs:
                self.assertIn(pair["label"], (0, 1))
                self.assertEqual(pair["class"], name)
                self.assertNotEqual(texts[pair["left"]], texts[pair["right"]], name)

    def test_all_of_a_text_is_filled_in(self):
        for _, texts, _ in every():
            for text in texts.values():
                self.assertIsNone(re.search(r"[{}|\0]|\[(?!worker|20)", text), text)

    def test_the_same_seed_gives_the_same_and_draws_nothing_from_the_corpus(self):
        for name, texts, _ in every():
            language = next(iter(texts))[:2]
            self.assertEqual(made(name, language)[0], texts)
            self.assertNotEqual(made(name, language, seed=2)[0], texts)
        corpus = corpus_of("en")
        before, pool = corpus.rng.getstate(), list(corpus.pool)
        for name, make in cases_forms.CLASSES.items():
            make(cases_forms.of_class(corpus, name, 1, corpus.pool), 6)
        self.assertEqual((corpus.rng.getstate(), corpus.pool, corpus.fresh_at), (before, pool, 0))

    def test_a_text_sent_again_keeps_what_was_filled_in(self):
        for language in ("en", "zh"):
            corpus = corpus_of(language)
            for form in (form for name in forms.FORMS.values() for form in name[language]):
                for _ in range(40):
                    instance = forms.Instance(form, corpus.filler)
                    text, how = instance.resent(language)
                    self.assertNotEqual(text, instance.text(), how)
                    at = 0
                    for slot in instance.slots:
                        at = text.index(slot, at) + len(slot)

    def test_a_typo_leaves_figures_in_words_alone(self):
        for seed in range(200):
            self.assertIn("seven", forms.typo("a seven b of us", Random(seed)))
            self.assertIn("十二", forms.typo("共十二人到场", Random(seed)))

    def test_lines_at_another_time_differ_in_nothing_else(self):
        texts, pairs = made("log_lines", "en")
        times = re.compile(r"2024-\S+?Z")
        for pair in pairs:
            left, right = (times.sub("", texts[pair[side]]) for side in ("left", "right"))
            self.assertEqual(left == right, pair["detail"]["how"] == "another time")

    def test_an_article_is_as_much_longer_as_its_label_says(self):
        for language in ("en", "zh"):
            texts, pairs = made("contained", language)
            for pair in pairs:
                short, long = sorted((texts[pair["left"]], texts[pair["right"]]), key=len)
                low, high = (0.07, 0.38) if pair["label"] else (0.57, 1.05)
                self.assertTrue(low <= len(long) / len(short) - 1 <= high, pair["detail"])

    def test_a_figure_written_in_two_ways_is_all_that_differs(self):
        texts, pairs = made("figure_written", "zh")
        for pair in pairs:
            one, other = pair["detail"]["how"].split(" / ", 1)
            sides = [texts[pair["left"]], texts[pair["right"]]]
            self.assertIn(sides[1], {sides[0].replace(one, other), sides[0].replace(other, one)})

    def test_code_with_another_name_is_code_and_no_function_comes_twice(self):
        corpus = corpus_of("en")
        source = "def f{0}(value):\n    total{0} = value + value\n    return total{0} - value\n"
        by_module = {"m": [("f", source.format(i)) for i in range(9)], "n": []}
        cases_forms.code_renamed(cases_forms.of_class(corpus, "code_renamed", 1, []), 9, by_module)
        self.assertEqual({pair["label"] for pair in corpus.truth}, {None})
        self.assertEqual(len({row["text"] for row in corpus.documents}), 18)
        for row in corpus.documents:
            ast.parse(row["text"])


if __name__ == "__main__":
    unittest.main()
