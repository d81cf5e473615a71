"""Means over seeds with their 95 % intervals (Student's t)."""

import math
from statistics import fmean, stdev

from scipy.stats import t


def interval(values: list[float]) -> tuple[float, float, float]:
    """The mean and the bounds of its interval, which has no width for one value.

    NaN, the value where nothing was found, is left out.
    """
    values = [value for value in values if not math.isnan(value)]
    if not values:
        return math.nan, math.nan, math.nan
    mean = fmean(values)
    if len(values) == 1:
        return mean, mean, mean
    half = float(t.ppf(0.975, len(values) - 1)) * stdev(values) / math.sqrt(len(values))
    return mean, mean - half, mean + half
