"""Writes clusterings.json: random clusterings and their agreement, for the tests of `evaluate`.

    pip install scikit-learn==1.9.1 numpy==2.4.6
    python make_clusterings.py > clusterings.json

`adjusted_rand_index` is sklearn.metrics.adjusted_rand_score. `precision`, `recall` and `f1` come
from the cells of sklearn.metrics.cluster.pair_confusion_matrix, which counts each pair twice.
scikit-learn lacks the others: `bcubed_*` follow the definition (Amigó et al. 2009, section 5), and
`document_accuracy` is the share of documents whose clusters are equal as sets. A figure that would
be a division by zero is null.
"""

import json

import numpy
import sklearn
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.cluster import pair_confusion_matrix


def ratio(part, whole):
    return float(part) / float(whole) if whole else None


def mean(values):
    return float(sum(values)) / len(values)


def cluster_of(labels):
    return [{other for other, label in enumerate(labels) if label == own} for own in labels]


def case(seed):
    random = numpy.random.default_rng(seed)
    documents = int(random.integers(2, 60))
    truth = random.integers(0, random.integers(1, documents + 1), documents)
    if seed % 2:  # an unrelated clustering
        found = random.integers(0, random.integers(1, documents + 1), documents)
    else:  # some documents in other clusters
        found = numpy.where(random.random(documents) < random.random() / 2, random.integers(0, documents, documents), truth)
    (_, false_alarms), (misses, true_positives) = pair_confusion_matrix(truth, found)
    of_found, of_truth = cluster_of(found), cluster_of(truth)
    shared = [len(a & b) for a, b in zip(of_found, of_truth)]
    bcubed_precision = mean([both / len(own) for both, own in zip(shared, of_found)])
    bcubed_recall = mean([both / len(own) for both, own in zip(shared, of_truth)])
    return {
        "seed": seed,
        "found": found.tolist(),
        "truth": truth.tolist(),
        "measures": {
            "precision": ratio(true_positives, true_positives + false_alarms),
            "recall": ratio(true_positives, true_positives + misses),
            "f1": ratio(2 * true_positives, 2 * true_positives + false_alarms + misses),
            "bcubed_precision": bcubed_precision,
            "bcubed_recall": bcubed_recall,
            "bcubed_f1": 2 * bcubed_precision * bcubed_recall / (bcubed_precision + bcubed_recall),
            "adjusted_rand_index": float(adjusted_rand_score(truth, found)),
            "document_accuracy": mean([a == b for a, b in zip(of_found, of_truth)]),
        },
    }


cases = ",\n".join(json.dumps(case(seed)) for seed in range(60))
versions = json.dumps({"scikit-learn": sklearn.__version__, "numpy": numpy.__version__})
print(f'{{"made_by": "make_clusterings.py", "versions": {versions}, "cases": [\n{cases}\n]}}')
