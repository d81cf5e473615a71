"""Numbers -> words for the sentences of bench/experiments.md."""

from .paper_plots import PAPER_SHARES

GOAL = 0.99  # the required recall and precision


def order(ours: list[float], theirs: list[float]) -> str:
    """The comparison of two rows of recalls in words."""
    if all(a > b for a, b in zip(ours, theirs)):
        return "ahead of"
    if all(a < b for a, b in zip(ours, theirs)):
        return "behind"
    return "not consistently ahead of"


def compare_all(ours: list[float], theirs: list[float]) -> str:
    above = sum(a > b for a, b in zip(ours, theirs))
    return "above" if above == len(ours) else f"at {above} of {len(ours)} shares above"


def reached(ours: list[float], theirs: list[float]) -> str:
    """The shares at which our values exceed the paper's, in words."""
    above = [share for share, a, b in zip(PAPER_SHARES, ours, theirs) if a > b]
    if len(above) == len(PAPER_SHARES):
        return f"exceeded at each of T = {per_cent(above)}"
    if not above:
        return "not reached at any T"
    missed = [share for share in PAPER_SHARES if share not in above]
    return f"exceeded at T = {per_cent(above)} and missed at {per_cent(missed)}"


def goal(recall: list[float], precision: list[float]) -> str:
    missed = [share for share, a, b in zip(PAPER_SHARES, recall, precision) if a < GOAL or b < GOAL]
    if not missed:
        return f"Both are {GOAL} or more at each T."
    return f"At T = {per_cent(missed)} one of them is below {GOAL}."


def fall(values: list[float]) -> str:
    """The loss from the smallest share to the largest."""
    return f"{values[0] - values[-1]:.3f}"


def least_gain(ours: list[float], theirs: list[float]) -> float:
    return min(a - b for a, b in zip(ours, theirs))


def gains(ours: list[float], theirs: list[float]) -> str:
    differences = [a - b for a, b in zip(ours, theirs)]
    return f"{min(differences):.3f} to {max(differences):.3f}"


def differences(ours: list[float], theirs: list[float]) -> str:
    """The differences with their signs; one that rounds to zero is +0.000."""
    return ", ".join(f"{round(a - b, 3) + 0.0:+.3f}" for a, b in zip(ours, theirs))


def shown_or_dash(summary, *keys) -> str:
    return f"{summary.mean(*keys):.3f}" if keys in summary.rows else "–"


def numbers(values: list[float]) -> str:
    return ", ".join(f"{value:.3f}" for value in values)


def percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def per_cent(shares: list[float]) -> str:
    return ", ".join(str(round(100 * share)) for share in shares) + " %"


def span(shares: tuple[float, float]) -> str:
    return f"{round(100 * shares[0])} to {round(100 * shares[1])} %"
