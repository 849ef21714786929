"""Computes the figures of a report anew, from the table of values alone, by numpy and scipy."""

import itertools
import math

import numpy as np
from scipy import stats


def is_positive(values) -> bool:
    return all(value > 0 for value in values)


def estimate(values: list[float], quantity: str, unit: str) -> dict:
    """Geometric mean with the t interval of the logarithms, or mean with t interval inside what is possible."""
    n = len(values)
    if n == 0:
        return {"mean": None, "lo": None, "hi": None}
    if n > 1 and len(set(values)) == 1:
        return {"mean": values[0], "lo": None, "hi": None}
    on_logs = quantity == "positive" and is_positive(values)
    x = np.log(values) if on_logs else np.asarray(values)
    back = np.exp if on_logs else (lambda value: value)
    centre = back(x.mean())
    if n < 3:
        return {"mean": centre, "lo": None, "hi": None}
    half = stats.t.ppf(0.975, n - 1) * x.std(ddof=1) / math.sqrt(n)
    lo, hi = back(x.mean() - half), back(x.mean() + half)
    if not on_logs:
        least, most = {"signed": (-math.inf, math.inf), "proportion": (0, 100 if unit == "%" else 1)}.get(quantity, (0, math.inf))
        lo, hi = max(lo, least), min(hi, most)
    return {"mean": centre, "lo": lo, "hi": hi}


def contrast(a: dict[int, float], b: dict[int, float], quantity: str) -> dict:
    """Of two treatments of one experiment, values by repetition: paired by the repetitions that both have."""
    common = sorted(set(a) & set(b))
    x, y = [[side[block] for block in common] for side in (a, b)]
    if not common:
        x, y = list(a.values()), list(b.values())
    if not x or not y:
        return {"value": None, "lo": None, "hi": None, "p": None, "hedgesG": None, "cliffsDelta": None}
    is_ratio = quantity == "positive" and is_positive(x + y)
    u, v = (np.log(x), np.log(y)) if is_ratio else (np.asarray(x), np.asarray(y))
    back = math.exp if is_ratio else (lambda value: value)
    found = {"value": back(u.mean() - v.mean()), "lo": None, "hi": None, "p": None, "hedgesG": None}
    if common:
        d = u - v
        n, spread, df = len(d), d.std(ddof=1) / math.sqrt(len(d)) if len(d) > 1 else 0, len(d) - 1
        varies = n > 1 and not np.allclose(d, d[0], rtol=0, atol=5e-10)
    else:
        va, vb = u.var(ddof=1) / len(u), v.var(ddof=1) / len(v)
        n, spread = min(len(u), len(v)), math.sqrt(va + vb)
        df = (va + vb) ** 2 / (va**2 / (len(u) - 1) + vb**2 / (len(v) - 1)) if spread > 0 else 0
        varies = spread > 0
    if varies and n >= 3:
        half = stats.t.ppf(0.975, df) * spread
        centre = u.mean() - v.mean()
        found |= {"lo": back(centre - half), "hi": back(centre + half), "p": 2 * stats.t.sf(abs(centre / spread), df)}
        dof = len(x) + len(y) - 2
        pooled = math.sqrt(((len(x) - 1) * np.var(x, ddof=1) + (len(y) - 1) * np.var(y, ddof=1)) / dof)
        if pooled > 0:
            found["hedgesG"] = (np.mean(x) - np.mean(y)) / pooled * (1 - 3 / (4 * dof - 1))
    signs = [np.sign(one - other) for one, other in itertools.product(x, y)]
    found["cliffsDelta"] = float(np.mean(signs)) if min(len(x), len(y)) > 1 else None
    return found


def holm(ps: list[float | None]) -> list[float | None]:
    tested = sorted((p, index) for index, p in enumerate(ps) if p is not None)
    adjusted, running = list(ps), 0.0
    for rank, (p, index) in enumerate(tested):
        running = max(running, (len(tested) - rank) * p)
        adjusted[index] = min(1.0, running)
    return adjusted
