"""The Hamming distances of all pairs, block by block."""

import numpy


def all_pairs(left: numpy.ndarray, right: numpy.ndarray, block: int = 256):
    """For each block of rows of `left`, its first row and its distances to all of `right`."""
    for first in range(0, len(left), block):
        rows = left[first : first + block]
        distances = numpy.zeros(
            (len(rows), len(right)), numpy.uint8 if left.shape[1] < 4 else numpy.uint16
        )
        for word in range(left.shape[1]):
            distances += numpy.bitwise_count(rows[:, word, None] ^ right[None, :, word])
        yield first, distances
