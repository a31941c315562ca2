"""Makes a function of a simulator that reads and writes files.

One line of 30 numbers in, one number out: how far the gauges are from what was
measured.  A simulator that fails ends this with its own status."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

x = [float(word) for word in sys.stdin.read().split()]
with open(os.path.join(HERE, "names.txt"), encoding="utf-8") as file:
    names = file.read().split()
with open("rod.in", "w", encoding="utf-8") as file:
    file.writelines(f"{name} = {value}\n" for name, value in zip(names, x))

done = subprocess.run([sys.executable, os.path.join(HERE, "rod.py"), "rod.in",
                       "rod.out"])
if done.returncode:
    sys.exit(done.returncode)

with open("rod.out", encoding="utf-8") as file:
    told = [float(line) for line in file]
with open(os.path.join(HERE, "measured.txt"), encoding="utf-8") as file:
    measured = [float(line) for line in file]
print(sum((a - b) ** 2 for a, b in zip(told, measured)))
