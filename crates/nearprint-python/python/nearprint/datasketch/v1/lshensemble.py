"""``nearprint.datasketch.lshensemble``, under the name of datasketch 1.x."""

from nearprint.datasketch.lshensemble import *  # noqa: F403
