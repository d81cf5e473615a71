#!/bin/sh
# Runs one of the experiments: bench/run.sh NAME [OPTIONS]. Installs its packages into bench/.venv the
# first time, and after a change of requirements.txt.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# The page of results comes from saved figures and needs neither packages nor the program.
if [ "${1:-}" = results_page ]; then
    PYTHONPATH=$here exec python3 -m "nearprint_bench.$@"
fi
if ! cmp -s "$here/requirements.txt" "$here/.venv/installed.txt"; then
    python3 -m venv "$here/.venv"
    "$here/.venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
    cp "$here/requirements.txt" "$here/.venv/installed.txt"
fi
if [ -z "${NEARPRINT:-}" ]; then
    cargo build --quiet --release --manifest-path "$here/../Cargo.toml" -p nearprint-cli
    NEARPRINT="$here/../target/release/nearprint"
fi
PYTHONPATH=$here
export NEARPRINT PYTHONPATH
exec "$here/.venv/bin/python" -m "nearprint_bench.$@"
