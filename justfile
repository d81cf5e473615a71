# The commands of CONTRIBUTING.md under short names. `just test` is the gate, the same as in CI.

default:
    @just --list

# Format, lints, tests.
test:
    .ci/run

# Tests that take long: many kills, those marked ignore, minutes of random bytes, those of Spark marked nightly.
nightly:
    .ci/nightly

# Tests of the Python package.
test-python:
    crates/nearprint-python/test.sh

# Tests of the experiments in bench.
test-bench:
    bench/test.sh

# The main job on the sample corpus.
example:
    cargo run --release -p nearprint-cli -- dedup examples/articles.jsonl --output clean --force

# Licenses, sources and advisories of all dependencies (needs cargo-deny).
deny:
    cargo deny check

# The library's documentation.
doc:
    cargo doc --no-deps --open -p nearprint
