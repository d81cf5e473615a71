"""``nearprint.datasketch.lshforest``, under the name of datasketch 1.x."""

from nearprint.datasketch.lshforest import *  # noqa: F403
