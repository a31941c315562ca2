"""What the parts of beside.py share: structures of lrgd/cuda.h, and how work on
the card is timed."""
import ctypes
import statistics

import torch

TIMES = 50


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 512)]


class Batch(ctypes.Structure):
    _fields_ = [("n", ctypes.c_size_t), ("images", ctypes.c_void_p),
                ("labels", ctypes.c_void_p)]


class Vec(ctypes.Structure):
    _fields_ = [("block", ctypes.c_void_p), ("col", ctypes.c_size_t)]


def check(status, error):
    if status:
        raise SystemExit(f"beside.py: {error.text.decode()}")


def median_us(work, graph=True, before=None):
    """The median time of work() in microseconds, over TIMES turns."""
    for _ in range(5):
        work()
    torch.cuda.synchronize()
    if graph:
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            work()
        stream.synchronize()
        recorded = torch.cuda.CUDAGraph()
        with torch.cuda.graph(recorded):
            work()
        work = recorded.replay
    times = []
    for _ in range(TIMES):
        if before:
            before()
        begin = torch.cuda.Event(enable_timing=True)
        end = torch.cuda.Event(enable_timing=True)
        begin.record()
        work()
        end.record()
        end.synchronize()
        times.append(1e3 * begin.elapsed_time(end))
    return statistics.median(times)
