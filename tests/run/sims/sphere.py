#!/usr/bin/env python3
"""The sum of squares, as a worker and as a program."""
import sys

for line in sys.stdin:
    print(repr(sum(float(word) ** 2 for word in line.split())), flush=True)
