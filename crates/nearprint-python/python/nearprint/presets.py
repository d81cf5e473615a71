"""The presets, as ``nearprint presets`` lists them."""

from __future__ import annotations

from nearprint._nearprint import preset_purposes

__all__ = ["presets"]


def presets() -> dict[str, str]:
    """The name of each preset, with its purpose. ``nearprint.Config(preset=name)`` has its
    settings.

    >>> presets()["exact"]
    'equal texts only, after normalization'
    """
    return preset_purposes()
