#!/bin/sh
# Runs the tests of the experiments, and of the files of a release, in an environment with their few packages, which is in
# NEARPRINT_CACHE or else in bench/work.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
wanted=$here/requirements-test.txt
environment=${NEARPRINT_CACHE:-$here/work}/bench-tests
if ! cmp -s "$wanted" "$environment/installed.txt"; then
    rm -rf "$environment"
    python3 -m venv "$environment"
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check -r "$wanted"
    cp "$wanted" "$environment/installed.txt"
fi
cd "$here"
exec "$environment/bin/python" -m unittest
