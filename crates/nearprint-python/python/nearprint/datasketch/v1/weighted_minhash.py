"""``nearprint.datasketch.weighted_minhash``, under the name of datasketch 1.x."""

from nearprint.datasketch.weighted_minhash import *  # noqa: F403
