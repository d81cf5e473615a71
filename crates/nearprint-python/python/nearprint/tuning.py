"""Documents in, the removals at other least similarities and distances for the search out."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from nearprint import _nearprint
from nearprint._nearprint import Config
from nearprint.deduplication import names_ids, needed_fields, settings_of
from nearprint.errors import UsageError
from nearprint.frames import frame_of
from nearprint.messages import tell
from nearprint.progress import Progress
from nearprint.signatures import with_settings

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from nearprint.settings import Settings

__all__ = ["tune"]


@with_settings
def tune(
    documents: Any,
    *,
    text: str | list[str] | None = None,
    id: str | None = None,
    distances: bool = False,
    sample: int = 2000,
    progress: Progress = False,
    config: Config | str | os.PathLike[str] | None = None,
    **settings: Unpack[Settings],
) -> dict[str, Any]:
    """Tells how many documents would go at other least similarities, with pairs just above and just
    below each, as ``nearprint tune`` does. It runs a deduplication that removes nothing.

    Parameters
    ----------
    documents, text, id, progress, config, **settings
        As in :func:`nearprint.dedup`.
    distances
        True to measure on a sample which duplicates each distance of fingerprints finds, and to
        choose the distances that find the share ``recall`` (0.95 by default) of the pairs of
        similarity ``min_similarity``.
    sample
        The number of sampled documents for the distances.

    Returns
    -------
    dict
        ``bounds``: ``min_similarity``, ``read`` (documents), ``bounds`` with a dict for each least
        similarity: ``min_similarity``, ``removed``, ``interval`` (95 %, if the number is estimated),
        ``above`` and ``below`` (pairs: ``left``, ``right``, ``similarity``, ``differing``). With
        ``distances`` also the figures of ``nearprint tune --json``, and ``config``, a
        :class:`nearprint.Config` with the chosen distances.

    Raises
    ------
    UsageError, RejectedError, IncompatibleError, FileError
        As in :func:`nearprint.dedup`; UsageError also for a ``max_distance`` or
        ``complete_distance`` in bits, which it chooses.

    Examples
    --------
    >>> import nearprint as nr
    >>> text = "The ferry returns on Monday after eleven weeks of repairs to its propeller shaft"
    >>> tuning = nr.tune([text, text + ", they say.", "Half price"])
    >>> [(at["min_similarity"], at["removed"]) for at in tuning["bounds"]["bounds"]][:2]
    [(0.6, 1), (0.65, 1)]
    """
    for name in ("max_distance", "complete_distance"):
        if isinstance(settings.get(name), int):
            raise UsageError(
                f"{name}: tune chooses it; leave it out, or give it to dedup", setting=name
            )
    frame = frame_of(documents)
    own = Config(config, **settings_of(settings, text, id))
    with_ids = names_ids(own, settings, id)
    told, toml, left_out = _nearprint.tune(
        frame.columns(own.columns, needed_fields(frame, own.text_field, own.id_field, with_ids)),
        sample if distances else None,
        progress,
        own,
        with_ids,
        frame.names(),
    )
    tell(left_out)
    tuning: dict[str, Any] = json.loads(told)
    if toml is not None:
        tuning["config"] = Config.from_toml(toml)
    return tuning
