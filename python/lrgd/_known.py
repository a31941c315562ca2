"""Residuals that are known before a fit: those of other runs' journals, or in
memory."""
from __future__ import annotations

import ctypes
import hashlib
import os
from typing import Any, NamedTuple, Optional, Tuple

import numpy as np

from . import _abi, _learn
from ._answers import PREDICTION_WEIGHT, Weighed
from ._errors import InvalidArgument, check
from ._types import Array


class Known(NamedTuple):
    """Points in their units, n × p, and what fun returned, n × m; NaN where a
    number is not known."""
    X: Array
    R: Array

    @property
    def text(self) -> str:
        """What a journal records of them, in the form of all known
        evaluations."""
        told = hashlib.sha256(self.X.tobytes() + self.R.tobytes()).hexdigest()
        return f"{_learn.MEMORY}\t{told[:32]}\t{len(self.X)}\n"

    def teach(self, solver: Any, asked: Weighed) -> None:
        """Passes them to a solver, weighted as its residuals are."""
        rows = asked.row_weights()
        R = self.R
        if rows is not None:
            with np.errstate(invalid="ignore"):
                R = np.where(rows == 0, 0, rows * R)
        R = np.ascontiguousarray(R)
        check(_abi.solver_learn_residuals, solver, len(self.X),
              self.X.ctypes.data, R.ctypes.data, 1)


def read(given: Any, p: int, units: Optional[Array]) -> Optional[Known]:
    """learn_from: a path, (X, R), or a list of these."""
    if given is None:
        return None
    found = [_one(part, p, units) for part in _parts(given)]
    if len({part.R.shape[1] for part in found}) > 1:
        raise InvalidArgument("learn_from: evaluations with different numbers "
                              "of residuals")
    return Known(np.ascontiguousarray(np.vstack([part.X for part in found])),
                 np.ascontiguousarray(np.vstack([part.R for part in found])))


def _parts(given: Any) -> "list[Any]":
    if isinstance(given, (str, bytes, os.PathLike)):
        return [given]
    if isinstance(given, tuple) and len(given) == 2 and np.ndim(given[0]) == 2:
        return [given]
    return list(given)


def _one(part: Any, p: int, units: Optional[Array]) -> Known:
    if isinstance(part, (str, bytes, os.PathLike)):
        return _of_journal(part, p)
    X, R = (np.array(numbers, dtype=float) for numbers in part)
    if X.ndim != 2 or R.ndim != 2 or X.shape[1] != p or len(X) != len(R):
        raise ValueError(f"learn_from: arrays of shapes {X.shape} and "
                         f"{R.shape}; for {p} inputs they must be (n, {p}) and "
                         "(n, m)")
    return Known(X if units is None else X / units, R)


def _of_journal(path: Any, p: int) -> Known:
    """A journal of least_squares: it has weighted residuals, by inputs in
    their units."""
    with _learn.opened(path) as journal:
        known = ctypes.c_void_p()
        check(_abi.knowledge_create, ctypes.byref(known), p)
        try:
            check(_abi.knowledge_add, known, journal, 1, 2 ** 64 - 1)
            X, R = _rows(known, p, path)
        finally:
            _abi.knowledge_destroy(ctypes.byref(known))
        factors = _factors(journal, R.shape[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        return Known(X, np.where(factors == 0, np.nan, R / factors))


def _rows(known: Any, p: int, path: Any) -> "Tuple[Array, Array]":
    n = _abi.knowledge_count(known)
    if n == 0:
        raise InvalidArgument(f"learn_from: {os.fsdecode(path)} has no "
                              "evaluations")
    rows = (_abi.Evaluation * n).from_address(
        _abi.knowledge_evaluations(known))
    X, R = np.empty((n, p)), []
    for i in range(n):
        m = ctypes.c_size_t()
        at = _abi.knowledge_residuals(known, i, ctypes.byref(m))
        if not at:
            raise InvalidArgument(f"learn_from: {os.fsdecode(path)} has values "
                                  "of f, and no residuals")
        X[i] = (ctypes.c_double * p).from_address(rows[i].x)
        R.append(np.array((ctypes.c_double * m.value).from_address(at)))
    return X, np.array(R)


def _factors(journal: Any, m: int) -> Array:
    """What the journal's residuals have been multiplied by."""
    factors = np.ones(m)
    for i in range(_abi.journal_setting_count(journal)):
        setting = _abi.journal_setting_at(journal, i).contents
        if setting.key not in (b"weights", b"prediction_numbers"):
            continue
        numbers = np.array(setting.numbers[:setting.count])
        if setting.key == b"weights":
            factors = factors * numbers
        else:
            factors[numbers.astype(int)] = PREDICTION_WEIGHT
    return factors
