"""Times numpy's block bootstrap by block sums, and statsmodels' ADF where it is installed; ms, median of `repeats`.

Reads {"a": [...], "b": [...], "repeats": n} from standard input, writes {"bootstrap": ms, "adf": ms or null}.
"""

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import json
import statistics
import sys
import time

import numpy

given = json.load(sys.stdin)
a, b = numpy.array(given["a"]), numpy.array(given["b"])
BLOCK, REPLICATES = 20, 2000


def bootstrap():
    generator = numpy.random.default_rng(1)

    def means(x):
        n = len(x)
        sums = numpy.r_[0, numpy.cumsum(numpy.r_[x, x[:BLOCK]])]
        blocks = sums[BLOCK : BLOCK + n] - sums[:n]
        return blocks[generator.integers(0, n, (REPLICATES, n // BLOCK))].sum(1) / n

    return numpy.percentile(means(a) - means(b), [2.5, 97.5])


def median_ms(work):
    work()
    times = []
    for _ in range(given["repeats"]):
        started = time.perf_counter()
        work()
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


try:
    from statsmodels.tsa.stattools import adfuller

    adf = median_ms(lambda: adfuller(a, regression="c", autolag="AIC"))
except ImportError:
    adf = None

print(json.dumps({"bootstrap": median_ms(bootstrap), "adf": adf}))
