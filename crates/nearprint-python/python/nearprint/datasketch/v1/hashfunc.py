"""``nearprint.datasketch.hashfunc``, under the name of datasketch 1.x."""

from nearprint.datasketch.hashfunc import *  # noqa: F403
