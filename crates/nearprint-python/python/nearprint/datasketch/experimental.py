"""Refuses ``datasketch.experimental``."""

from nearprint.datasketch.refused import refuse

refuse("experimental")
