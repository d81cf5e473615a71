"""``nearprint.datasketch.b_bit_minhash``, under the name of datasketch 1.x."""

from nearprint.datasketch.b_bit_minhash import *  # noqa: F403
