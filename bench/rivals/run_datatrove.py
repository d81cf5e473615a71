"""run_datatrove.py CORPUS.jsonl LANGUAGE OUTPUT: the four stages of datatrove's MinHash example.

One worker has one task for each stage, and one task for each bucket in the stage of buckets.
"""

import sys
from pathlib import Path

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import (
    MinhashConfig,
    MinhashDedupBuckets,
    MinhashDedupCluster,
    MinhashDedupFilter,
)
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers.jsonl import JsonlWriter
from datatrove.utils.hashing import HashConfig
from datatrove.utils.typeshelper import Languages

# The settings of datatrove's examples/minhash_deduplication.py; n-grams of 5 words are the default.
CONFIG = MinhashConfig(hash_config=HashConfig(precision=64), num_buckets=14, hashes_per_bucket=8)
LANGUAGES = {"en": Languages.english, "zh": Languages.mandarin_chinese}


def main():
    corpus, language, output = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])

    def stage(name, *steps, tasks=1):
        LocalPipelineExecutor(
            pipeline=list(steps), tasks=tasks, workers=1, logging_dir=str(output / "logs" / name)
        ).run()

    def reader():
        return JsonlReader(str(corpus.parent), glob_pattern=corpus.name)

    signatures, buckets, removed = (
        str(output / name) for name in ("signatures", "buckets", "removed")
    )
    stage(
        "signatures",
        reader(),
        MinhashDedupSignature(
            output_folder=signatures, config=CONFIG, language=LANGUAGES[language]
        ),
    )
    stage(
        "buckets",
        MinhashDedupBuckets(input_folder=signatures, output_folder=buckets, config=CONFIG),
        tasks=CONFIG.num_buckets,
    )
    stage(
        "clusters",
        MinhashDedupCluster(
            input_folder=buckets, output_folder=removed, config=CONFIG, save_cluster_id=True
        ),
    )
    stage(
        "filter",
        reader(),
        MinhashDedupFilter(
            input_folder=removed,
            load_cluster_ids=True,
            exclusion_writer=JsonlWriter(str(output / "excluded"), compression=None),
        ),
        JsonlWriter(str(output / "kept"), compression=None),
    )


if __name__ == "__main__":
    main()
