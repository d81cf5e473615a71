"""The documents and labelled pairs of one language, to which hard cases are added."""

from . import templates


class Corpus:
    """The documents and labelled pairs of one language."""

    def __init__(self, language, rng, pool, vocabulary, fresh):
        self.language, self.rng, self.pool, self.vocabulary = language, rng, pool, vocabulary
        self.documents, self.truth, self.containment, self.chains = [], [], [], []
        self.filler = templates.Filler(language, vocabulary, rng)
        self.fresh, self.fresh_at = fresh, 0

    def take(self, paragraphs=1, shortest=0, longest=10**9):
        """The next unused original with enough paragraphs and a length within the bounds."""
        for i, item in enumerate(self.pool):
            if len(item.paragraphs) >= paragraphs and shortest <= len(item.text) <= longest:
                return self.pool.pop(i)
        raise SystemExit(
            f"too few originals with {paragraphs} paragraphs and {shortest} characters"
        )

    def sentence(self):
        """The next real sentence that no text has received."""
        self.fresh_at += 1
        return self.fresh[(self.fresh_at - 1) % len(self.fresh)]

    def add(self, text, name):
        self.documents.append(
            {"id": f"{self.language}-{name}-{len(self.documents):05}", "text": text, "class": name}
        )
        return self.documents[-1]["id"]

    def pair(self, left, right, label, name, **detail):
        self.truth.append(
            {
                "left": left,
                "right": right,
                "label": label,
                "class": name,
                "language": self.language,
                "detail": detail,
            }
        )

    def add_pair(self, left, right, label, name, **detail):
        ids = [self.add(left, name), self.add(right, name)]
        if self.rng.random() < 0.5:
            ids.reverse()
        self.pair(*ids, label, name, **detail)


def share_near(rng, usual, low, high):
    """The usual share with probability 1/2, else a share drawn uniformly."""
    return usual if rng.random() < 0.5 else rng.uniform(low, high)
