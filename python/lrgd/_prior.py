"""Prior information: linear equations that inputs should satisfy.

Rows of a dense or scipy.sparse matrix; the library has them sparse.
"""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _abi
from ._types import Array


class Prior:
    """Rows weight * (A x - b), in the form that the library takes."""

    def __init__(self, begin: Array, column: Array, entry: Array, b: Array,
                 weights: Array) -> None:
        self.begin = np.ascontiguousarray(begin, dtype=np.uintp)
        self.column = np.ascontiguousarray(column, dtype=np.uintp)
        self.entry = np.ascontiguousarray(entry, dtype=float)
        self.b, self.weights = b, weights
        self.rows = np.repeat(np.arange(b.size),
                              np.diff(self.begin.astype(np.intp)))

    @property
    def count(self) -> int:
        return int(self.b.size)

    def told(self) -> _abi.Prior:
        """Borrowed from this object, which must live as long."""
        return _abi.Prior(self.count, self.begin.ctypes.data,
                          self.column.ctypes.data, self.entry.ctypes.data,
                          self.b.ctypes.data, self.weights.ctypes.data)

    def at(self, x: Array) -> Array:
        """The residuals at x."""
        sums = np.zeros(self.count)
        np.add.at(sums, self.rows, self.entry * x[self.column])
        found: Array = self.weights * (sums - self.b)
        return found

    def in_units(self, units: Optional[Array]) -> "Prior":
        """Converts the rows to z, where x = units * z."""
        if units is None:
            return self
        return Prior(self.begin, self.column,
                     self.entry * units[self.column], self.b, self.weights)


def _rows(A: Any, p: int) -> "tuple[Array, Array, Array]":
    """Begins of rows, columns and entries."""
    if hasattr(A, "tocsr"):
        csr = A.tocsr()
        shape, begin = csr.shape, np.asarray(csr.indptr)
        column, entry = np.asarray(csr.indices), np.asarray(csr.data)
    else:
        dense = np.atleast_2d(np.asarray(A, dtype=float))
        shape = dense.shape
        if dense.ndim != 2:
            raise ValueError(f"the matrix of prior has {dense.ndim} dimensions")
        row: Array
        row, column = np.nonzero(dense)
        begin = np.searchsorted(row, np.arange(shape[0] + 1))
        entry = dense[row, column]
    if len(shape) != 2 or shape[1] != p:
        raise ValueError(f"the matrix of prior has shape {shape}; x has {p} "
                         "numbers")
    return begin, column, entry


def read(prior: Any, p: int) -> Optional[Prior]:
    """From (A, b) or (A, b, weights)."""
    if prior is None:
        return None
    if not isinstance(prior, (tuple, list)) or len(prior) not in (2, 3):
        raise ValueError("prior must be (A, b) or (A, b, weights), for rows "
                         "A x = b")
    begin, column, entry = _rows(prior[0], p)
    count = len(begin) - 1
    numbers = []
    for name, given in zip(("b", "weights"), (*prior[1:], 1.0)):
        read_ = np.asarray(given, dtype=float)
        if read_.size not in (1, count) or read_.ndim > 1:
            raise ValueError(f"prior: {name} has shape {read_.shape}; there "
                             f"are {count} rows")
        numbers.append(np.array(np.broadcast_to(read_.reshape(-1), (count,))))
    return Prior(begin, column, entry, numbers[0], numbers[1])
