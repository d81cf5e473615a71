"""A transformer of scikit-learn: texts -> the bits of their fingerprints. ``fit`` counts corpus
statistics.

>>> from nearprint.sklearn import Fingerprinter
>>> bits = Fingerprinter(bits=64).fit_transform(["能力比学历重要", "能力比學歷重要"])
>>> bits.shape, (bits[0] == bits[1]).all().item()
((2, 64), True)
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy
import numpy.typing
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

import nearprint
from nearprint.settings import Settings
from nearprint.signatures import with_settings

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Fingerprinter"]


class Fingerprinter(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Texts -> an array of shape (n, bits) of 0 and 1, for nearest neighbors by Hamming distance,
    clustering or classifiers.

    Parameters
    ----------
    config
        A :class:`nearprint.Config`, or the path of a TOML file, to start from.
    **settings
        Single settings, each of which is a parameter: those of :class:`nearprint.Settings`; None
        for the value of ``config`` or the preset. With ``features="words"`` and the weights
        ``"entropy"`` or ``"tfidf"``, ``fit`` counts occurrences and neighbors (Zhang Hang et al.
        2020, equations 3 to 10).

    Attributes
    ----------
    stats_
        The :class:`nearprint.Stats` that ``fit`` counted; None if the weights need none.
    fingerprinter_
        The :class:`nearprint.Fingerprinter` that ``transform`` uses.
    """

    @with_settings
    def __init__(
        self,
        *,
        config: nearprint.Config | str | os.PathLike[str] | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        self.config = config
        for name in Settings.__annotations__:
            setattr(self, name, settings.get(name))
        if not settings.keys() <= Settings.__annotations__.keys():
            # It says which name is no setting.
            nearprint.Config(**settings)

    def fit(self, X: Iterable[str], y: object = None) -> Fingerprinter:
        """Counts the statistics of these texts, if the weights need them."""
        texts = _texts(X)
        settings: dict[str, Any] = {name: getattr(self, name) for name in Settings.__annotations__}
        config = nearprint.Config(self.config, **settings)
        self.stats_ = (
            nearprint.Stats.build(texts, config=config) if config.needs_statistics else None
        )
        self.fingerprinter_ = nearprint.Fingerprinter(config=config, stats=self.stats_)
        return self

    def fit_transform(
        self, X: Iterable[str], y: object = None, **fit_params: object
    ) -> numpy.typing.NDArray[numpy.uint8]:
        """Fits and transforms; one pass over the texts is enough."""
        texts = _texts(X)
        return self.fit(texts, y).transform(texts)

    def transform(self, X: Iterable[str]) -> numpy.typing.NDArray[numpy.uint8]:
        """The bits of each text's fingerprint: an array of shape (n, bits), bit 0 first."""
        check_is_fitted(self)
        fingerprints = self.fingerprinter_.fingerprints(_texts(X))
        words = fingerprints.to_numpy().astype(">u8").view(numpy.uint8)
        words = words.reshape(len(fingerprints), max(fingerprints.bits, 64) // 8)
        return numpy.unpackbits(words, axis=1)[:, : fingerprints.bits]

    def get_feature_names_out(
        self, input_features: object = None
    ) -> numpy.typing.NDArray[numpy.object_]:
        """``bit0`` and so on."""
        check_is_fitted(self)
        return numpy.array(
            [f"bit{number}" for number in range(self.fingerprinter_.config.bits)], dtype=object
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        tags.target_tags.required = False
        return tags


def _texts(texts: Iterable[str]) -> Any:
    """The texts as a list, or an Arrow column unchanged."""
    if isinstance(texts, str):
        raise ValueError("give several texts, not one string")
    if hasattr(texts, "__arrow_c_stream__") or hasattr(texts, "__arrow_c_array__"):
        return texts
    return list(texts)
