"""The thresholds at which tools are tried, so that their best results are comparable.

If a tool gives similarities, one run is counted at all of GRID. If each threshold needs a run, the
tool has RUNS; for comparison every other tool also has its best among RUNS alone. Distances of 64
bits are whole numbers; all of DISTANCES are tried.
"""

RUNS = [0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]
GRID = sorted({0.1, 0.2, 0.3, 0.4, *RUNS, *(round(0.5 + 0.02 * step, 2) for step in range(24))})
DISTANCES = list(range(15))


def at_each(scored: dict, grid: list) -> dict:
    """The pairs found at each threshold, from pairs with their similarities."""
    return {
        threshold: {pair for pair, similarity in scored.items() if similarity >= threshold}
        for threshold in grid
    }
