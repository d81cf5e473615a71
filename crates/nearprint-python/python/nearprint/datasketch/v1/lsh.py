"""``nearprint.datasketch.lsh``, under the name of datasketch 1.x."""

from nearprint.datasketch.lsh import *  # noqa: F403
