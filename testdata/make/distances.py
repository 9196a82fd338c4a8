"""Distances between small data sets, as numpy and scipy compute them.

    python distances.py > ../distances.jsonl

Each line has two lists of values, numbers or labels, and what there is between them: the
Jensen-Shannon divergence to the base 2 (scipy.spatial.distance.jensenshannon), the population
stability index by its definition, the Kolmogorov-Smirnov statistic (scipy.stats.ks_2samp) or
the largest difference between two shares, and the mean, and the level that one of a hundred exceeds, of random divisions of
all the values into two samples of these sizes.

Numbers are compared in cells, as many as half of the values of the smaller side, but at least 3 and at most 20: the distinct values in
order, where a cell ends as soon as the share of all values of both sides up to there has reached the next multiple of one cell's share.
NaN, -Infinity and Infinity are cells of
their own. A cell that is empty on one side counts as half a value in the population stability index.
"""

import json
import sys

import numpy as np
import scipy
from scipy.spatial.distance import jensenshannon
from scipy.stats import ks_2samp

CELLS = 20
DIVISIONS = 20000


def cell_of_numbers(values):
    """The cell of each value, given a weight for each side."""
    a, b = values
    finite = np.unique(np.concatenate([a[np.isfinite(a)], b[np.isfinite(b)]]))
    both = np.concatenate([a, b])
    cells = min(CELLS, max(3, min(len(a), len(b)) // 2))
    share = np.searchsorted(np.sort(both[np.isfinite(both)]), finite, side="right") / len(both)
    ends, reached = [], 1
    for value, upto in zip(finite, share * cells):
        if upto >= reached - 1e-9 or value == finite[-1]:
            ends.append(value)
            reached = np.floor(upto + 1e-9) + 1
    cells = []
    for v in (a, b):
        at = np.searchsorted(ends, v, side="left")
        at[np.isneginf(v)] = len(ends)
        at[np.isposinf(v)] = len(ends) + 1
        at[np.isnan(v)] = len(ends) + 2
        cells.append(at)
    return cells


def cell_of_labels(values):
    labels = np.unique(np.concatenate(values))
    return [np.searchsorted(labels, v) for v in values]


def divergence(p, q):
    return float(jensenshannon(p, q, base=2) ** 2)


def stability(counts):
    n, m = counts[0].sum(), counts[1].sum()
    differ = counts[0] / n != counts[1] / m
    p, q = np.maximum(counts[0], 0.5)[differ] / n, np.maximum(counts[1], 0.5)[differ] / m
    return float(np.sum((p - q) * np.log(p / q)))


def counted(cells, size):
    return np.bincount(cells, minlength=size).astype(float)


def row(name, kind, a, b, rng):
    values = [np.array(a), np.array(b)]
    cells = cell_of_numbers(values) if kind == "numbers" else cell_of_labels(values)
    size = int(max(c.max() for c in cells)) + 1
    counts = [counted(c, size) for c in cells]
    out = {
        "name": name,
        "kind": kind,
        "a": [v if v == v and abs(v) != float("inf") else str(v) for v in a] if kind == "numbers" else list(a),
        "b": [v if v == v and abs(v) != float("inf") else str(v) for v in b] if kind == "numbers" else list(b),
        "jensen_shannon": divergence(*[c / c.sum() for c in counts]),
        "population_stability_index": stability(counts),
    }
    if kind == "numbers":
        known = [v[~np.isnan(v)] for v in values]
        out["kolmogorov_smirnov"] = float(ks_2samp(*known, method="asymp").statistic)
    else:
        out["l_infinity"] = float(np.max(np.abs(counts[0] / counts[0].sum() - counts[1] / counts[1].sum())))
    both, n = np.concatenate(cells), len(a)
    js, psi = [], []
    for _ in range(DIVISIONS):
        rng.shuffle(both)
        c = [counted(both[:n], size), counted(both[n:], size)]
        p, q = [x / x.sum() for x in c]
        mid = (p + q) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            js.append((np.nansum(p * np.log2(p / mid)) + np.nansum(q * np.log2(q / mid))) / 2)
        psi.append(stability(c))
    for name, of in ("jensen_shannon", js), ("population_stability_index", psi):
        out[name + "_chance"] = float(np.mean(of))
        out[name + "_noise"] = float(np.quantile(of, 0.99))
    return out


def main():
    rng = np.random.default_rng(1)

    def normal(n, mean=0.0):
        return [float(np.float32(v)) for v in rng.normal(mean, 1, n)]

    inf, nan = float("inf"), float("nan")
    rows = [
        ("two normals", "numbers", normal(200), normal(300)),
        ("a shift", "numbers", normal(250), normal(150, 0.5)),
        ("few values", "numbers", normal(12), normal(9)),
        ("small integers", "numbers", [float(v) for v in rng.integers(0, 5, 100)], [float(v) for v in rng.integers(0, 6, 80)]),
        ("apart", "numbers", [1.0] * 30, [2.0] * 40),
        ("the same", "numbers", [1.0, 2.0, 3.0] * 9, [1.0, 2.0, 3.0] * 9),
        ("NaN and infinities", "numbers", normal(60) + [nan] * 20 + [inf] * 3, normal(70) + [nan] * 5 + [-inf] * 6 + [inf]),
        ("half zeros", "numbers", [0.0] * 100 + normal(100, 3), [0.0] * 60 + normal(140, 3)),
        ("an outlier", "numbers", normal(150) + [1e6], [3 * v for v in normal(150)] + [3e6]),
    ]
    for name, size, n, m in [("labels", 5, 200, 150), ("many labels", 300, 200, 250), ("a small sample", 12, 10, 500), ("labels that are rare", 5000, 300, 300)]:
        share = 1 / np.arange(1, size + 1)
        share /= share.sum()
        pick = lambda k: [f"l{i}" for i in rng.choice(size, k, p=share)]
        rows.append((name, "labels", pick(n), pick(m)))
    rows.append(("labels of each record", "labels", [f"a{i}" for i in range(60)], [f"b{i}" for i in range(60)]))
    rows.append(("another share", "labels", ["x"] * 80 + ["y"] * 20, ["x"] * 50 + ["y"] * 40 + ["z"] * 10))
    def short(n, mean=0.0):  # with few digits
        return [round(v * 256) / 256 for v in normal(n, mean)]

    for n, m in (10, 500), (20, 500), (5, 200), (60, 200):
        rows.append((f"{n} against {m}", "numbers", short(n), short(m)))
    rows.append(("10 against 500, a shift", "numbers", short(10, 1.5), short(500)))
    rows.append(("2 values", "numbers", [0.0] * 400 + [1.0] * 200, [0.0] * 280 + [1.0] * 170))
    for r in rows:
        print(json.dumps(row(*r, rng)))
    print(f"numpy {np.__version__}, scipy {scipy.__version__}", file=sys.stderr)


main()
