"""A worker that answers the sum, the sum of squares and the product of x."""
import sys

for line in sys.stdin:
    x = [float(word) for word in line.split()]
    product = 1.0
    for number in x:
        product *= number
    print(repr(sum(x)), repr(sum(v * v for v in x)), repr(product), flush=True)
