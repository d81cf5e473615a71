"""Refuses ``datasketch.aio``."""

from nearprint.datasketch.refused import refuse

refuse("aio")
