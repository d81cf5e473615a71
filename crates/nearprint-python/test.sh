#!/bin/sh
# Builds the Python package and runs its tests in an environment of their own, which is made the first time: in NEARPRINT_CACHE,
# or else in this folder's .venv. What is given is passed on to pytest.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
wanted=$here/requirements-test.txt
environment=${NEARPRINT_CACHE:+$NEARPRINT_CACHE/python-tests}
environment=${environment:-$here/.venv}
if ! cmp -s "$wanted" "$environment/installed.txt"; then
    rm -rf "$environment"
    python3 -m venv "$environment"
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check -r "$wanted"
    cp "$wanted" "$environment/installed.txt"
fi
# With the development profile and features of all other tests: a release takes minutes to build, and what they compiled is
# not compiled again.
wheels=$environment/wheels
rm -rf "$wheels"
"$environment/bin/maturin" build --quiet --profile dev --features as-tested --manifest-path "$here/Cargo.toml" --interpreter "$environment/bin/python" --out "$wheels"
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheels"/*.whl
cd "$here"
exec "$environment/bin/python" -m pytest --quiet -rs "$@"
