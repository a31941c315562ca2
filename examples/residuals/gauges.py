# A worker for lrgd fit: one line of 30 conductivities in, one line with the 40
# temperatures that the gauges of ../simulator/rod.py show out.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "simulator"))
import rod

for line in sys.stdin:
    try:
        told = rod.simulate([float(word) for word in line.split()])
        print(*told, flush=True)
    except (ValueError, ArithmeticError) as error:
        print(error, file=sys.stderr)
        print("nan", flush=True)  # this point cannot be evaluated
