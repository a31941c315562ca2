"""A worker that varies along two directions.  What it can be told:

SLOW      seconds an answer takes
SLOW_RANK that rank takes 0.4 s
BAD_RANK  on that rank every answer is nonsense
DIE       a file; who makes it, at the 12th question, dies at once
STUCK     a file; who makes it, at the 12th question, never answers
LOG       a file that gets a byte for every question
PIDS      a file that gets the number of every worker's process
"""
import os
import sys
import time


def is_me(name):
    return os.environ.get(name) == os.environ.get("OMPI_COMM_WORLD_RANK", "0")


def am_first(name):
    """The one who makes the file; of all who are asked a 12th time."""
    try:
        os.close(os.open(os.environ[name], os.O_CREAT | os.O_EXCL))
        return True
    except (KeyError, FileExistsError):
        return False


slow = 0.4 if is_me("SLOW_RANK") else float(os.environ.get("SLOW", 0))
log = os.open(os.environ.get("LOG", os.devnull),
              os.O_CREAT | os.O_APPEND | os.O_WRONLY)
with open(os.environ.get("PIDS", os.devnull), "a") as pids:
    pids.write(f"{os.getpid()}\n")
asked = 0
for line in sys.stdin:
    asked += 1
    os.write(log, b".")
    x = [float(word) for word in line.split()]
    if asked == 12 and am_first("DIE"):
        os.kill(os.getpid(), 9)
    if asked == 12 and am_first("STUCK"):
        time.sleep(1000)
    time.sleep(slow)
    s = sum(x) - 3
    t = sum(x[::2]) + 1
    print("none" if is_me("BAD_RANK")
          else repr(s ** 2 + 3 * t ** 2 + 0.1 * t ** 4), flush=True)
