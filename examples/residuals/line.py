# A worker for --residuals: a + b t through five points, one line of numbers
# in, one line with the five residuals out.
import sys

points = [(0, 1.1), (1, 2.9), (2, 5.2), (3, 7.1), (4, 8.8)]

for line in sys.stdin:
    a, b = (float(word) for word in line.split())
    print(*(a + b * t - y for t, y in points), flush=True)
