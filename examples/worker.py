# A worker: one line of p numbers in, one line with f out, until input ends.
import sys

for line in sys.stdin:
    x = [float(word) for word in line.split()]
    print((sum(x) - 3) ** 2 + x[0] ** 2, flush=True)
