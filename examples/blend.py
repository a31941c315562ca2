# A simulator as people have them: 200 ingredients are mixed, four properties of
# the mix are measured, and what is asked for is how far they are from those
# wanted.  200 amounts in, one number out.
import math
import sys

WANTED = [1.5, 0.8, 2.0, 1.1]


def share(i, j):
    """What ingredient i brings to property j."""
    return math.cos(0.37 * i * (j + 1) + j) / 100


for line in sys.stdin:
    amounts = [float(word) for word in line.split()]
    miss = 0.0
    for j, wanted in enumerate(WANTED):
        measured = math.exp(sum(share(i, j) * x for i, x in enumerate(amounts)))
        miss += (measured - wanted) ** 2
    print(f"{miss:.12g}", flush=True)
