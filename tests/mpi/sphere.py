"""A worker that varies along two directions.  SLOW: seconds an answer takes.
BAD_RANK: on that rank every answer is nonsense.  DIE: a file; who makes it, at
the 12th question, dies at once.
"""
import os
import sys
import time

slow = float(os.environ.get("SLOW", 0))
bad = os.environ.get("BAD_RANK") == os.environ.get("OMPI_COMM_WORLD_RANK", "0")
die = os.environ.get("DIE")
asked = 0
for line in sys.stdin:
    asked += 1
    x = [float(word) for word in line.split()]
    if asked == 12 and die:
        try:
            os.close(os.open(die, os.O_CREAT | os.O_EXCL))
            os.kill(os.getpid(), 9)
        except FileExistsError:
            pass
    time.sleep(slow)
    s = sum(x) - 3
    t = sum(x[::2]) + 1
    print("none" if bad else repr(s ** 2 + 3 * t ** 2 + 0.1 * t ** 4),
          flush=True)
