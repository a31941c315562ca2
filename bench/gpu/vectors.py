"""The operations of a space at p = 10^8 beside a copy: a part of beside.py."""
import ctypes

import torch

from card import Error, Vec, median_us


def part_vectors(lib, p=10 ** 8, r=10):
    """Each operation's rate beside that of a copy, bytes both read and
    written."""
    table = {}
    a = torch.empty(2 * p, device="cuda")
    b = torch.empty_like(a)
    us = median_us(lambda: b.copy_(a), graph=False)
    copy = 16 * p / us
    table["copy, GB/s"] = copy / 1e3
    del a, b
    for name, scalar, size in (("double", 0, 8), ("float", 1, 4)):
        error = Error()
        space = lib.lrgd_cuda_space(p, scalar, ctypes.byref(error))
        if not space:
            raise SystemExit(error.text.decode())
        ops = Operations(space)
        block = ops.make(space, r + 2)
        c = (ctypes.c_double * r)(*range(1, r + 1))
        norm = ctypes.c_double()
        at = [Vec(block, j) for j in range(r + 2)]
        rows = {
            "dot (U'g)": (r + 1, lambda: ops.dot(space, at[0], r, at[r], c)),
            "add (x += U c)": (r + 2,
                               lambda: ops.add(space, at[r], at[0], r, c)),
            "axpy_into": (3, lambda: ops.axpy_into(space, at[r + 1], at[r],
                                                   at[0], 1e-3)),
            "copy": (2, lambda: ops.copy(space, at[r + 1], at[r], 1)),
            "measure": (1, lambda: ops.measure(space, at[r],
                                               ctypes.byref(norm))),
        }
        for j in range(r + 1):
            ops.gaussian(space, at[j], 1, j)
        gaussian = median_us(lambda: ops.gaussian(space, at[r], 1, 7),
                             graph=False)
        for verb, (columns, work) in rows.items():
            us = median_us(work, graph=False)
            table[f"{verb}, {name}, share of a copy"] = \
                columns * size * p / us / copy
        table[f"gaussian, {name}, ms"] = gaussian / 1e3
        lib.lrgd_cuda_failure.restype = ctypes.c_char_p
        if lib.lrgd_cuda_failure(ctypes.c_void_p(space)):
            raise SystemExit(lib.lrgd_cuda_failure(space).decode())
        ops.free(space, block)
        ops.destroy(space)
    return table


class Operations:
    """The table behind a space, in the order of lrgd/space.h."""
    SIGNATURES = [
        ("make", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t]),
        ("free", None, [ctypes.c_void_p, ctypes.c_void_p]),
        ("destroy", None, [ctypes.c_void_p]),
        ("copy", None, [ctypes.c_void_p, Vec, Vec, ctypes.c_size_t]),
        ("scale", None, [ctypes.c_void_p, Vec, ctypes.c_double]),
        ("add", None, [ctypes.c_void_p, Vec, Vec, ctypes.c_size_t,
                       ctypes.c_void_p]),
        ("axpy_into", None, [ctypes.c_void_p, Vec, Vec, Vec,
                             ctypes.c_double]),
        ("dot", None, [ctypes.c_void_p, Vec, ctypes.c_size_t, Vec,
                       ctypes.c_void_p]),
        ("gram", None, [ctypes.c_void_p, Vec, ctypes.c_size_t,
                        ctypes.c_void_p]),
        ("combine", None, [ctypes.c_void_p, Vec, ctypes.c_size_t, Vec,
                           ctypes.c_size_t, ctypes.c_void_p]),
        ("measure", ctypes.c_int, [ctypes.c_void_p, Vec, ctypes.c_void_p]),
        ("gaussian", None, [ctypes.c_void_p, Vec, ctypes.c_uint64,
                            ctypes.c_uint64]),
    ]

    def __init__(self, space):
        table = ctypes.cast(space, ctypes.POINTER(ctypes.c_void_p))[0]
        entries = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))
        for place, (name, result, arguments) in enumerate(self.SIGNATURES):
            make = ctypes.CFUNCTYPE(result, *arguments)
            setattr(self, name, make(entries[2 + place]))
