"""What a run knows before it begins.

Three sources, in this order: those that its journal has recorded, those that
are given now (journals, or evaluations in memory), and the earlier paths of
its own journal.  The text that a journal keeps of the first two is the
command's: a line for each with name, run and number of evaluations.
"""
from __future__ import annotations

import ctypes
import hashlib
import os
import warnings
from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np

from . import _abi
from ._errors import Error, InvalidArgument, check
from ._types import Array

MEMORY = "(memory)"  # the name of evaluations given as arrays


class Source(NamedTuple):
    """A line of the recorded text: which evaluations were learned."""
    name: str
    run: str  # the journal's, or a hash of the numbers
    rows: int


class Data(NamedTuple):
    """Evaluations in memory: n x p, n, and n x p or None."""
    X: Array
    f: Array
    gradients: Optional[Array]

    @property
    def source(self) -> Source:
        told = hashlib.sha256()
        for part in self:
            if part is not None:
                told.update(part.astype("<f8").tobytes())
        return Source(MEMORY, told.hexdigest()[:32], len(self.f))


# ---- what was given ----


def _is_path(one: Any) -> bool:
    return isinstance(one, (str, bytes, os.PathLike))


def _data(X: Any, f: Any, gradients: Any, p: int) -> Data:
    X, f = (np.ascontiguousarray(part, dtype=float) for part in (X, f))
    if gradients is not None:
        gradients = np.ascontiguousarray(gradients, dtype=float)
    if X.shape != (f.size, p) or f.ndim != 1 or (
            gradients is not None and gradients.shape != X.shape):
        shapes = [part.shape for part in (X, f, gradients)
                  if part is not None]
        raise ValueError("learn_from: evaluations of shapes "
                         f"{', '.join(map(str, shapes))}; for {p} inputs they "
                         f"must be (n, {p}) and (n,)"
                         + (f" and (n, {p})" if gradients is not None else ""))
    return Data(X, f, gradients)


def _is_table(given: Any) -> bool:
    """Whether it is (X, f) or (X, f, G), rather than a list of pairs."""
    if len(given) not in (2, 3) or any(map(_is_path, given)):
        return False
    try:
        return np.ndim(given[0]) == 2 and np.ndim(given[1]) == 1
    except ValueError:  # not rectangular: x and f of a pair
        return False


def _pairs(pairs: "List[Any]", p: int) -> "List[Data]":
    """One Data for those with a gradient, in a row, and one for those
    without: the order is kept."""
    found: "List[Data]" = []
    start = 0
    for i in range(1, len(pairs) + 1):
        if i < len(pairs) and len(pairs[i]) == len(pairs[start]):
            continue
        if len(pairs[start]) not in (2, 3):
            raise ValueError("learn_from: an evaluation is (x, f) or (x, f, "
                             f"gradient), and not {len(pairs[start])} things")
        columns = [np.array(column, dtype=float)
                   for column in zip(*pairs[start:i])]
        X = columns[0].reshape(i - start, -1)
        gradients = columns[2] if len(columns) > 2 else None
        found.append(_data(X, columns[1], gradients, p))
        start = i
    return found


def read(given: Any, p: int) -> "List[Any]":
    """learn_from as a list of paths and Data."""
    if given is None:
        return []
    if _is_path(given):
        return [os.fspath(given)]
    given = given if isinstance(given, (tuple, list)) else list(given)
    if _is_table(given):
        X, f, *G = given
        return [_data(X, f, G[0] if G else None, p)]
    found: "List[Any]" = []
    pairs: "List[Any]" = []
    for one in [*given, None]:
        if one is not None and not _is_path(one) and not _is_table(one):
            pairs.append(one)
            continue
        found += _pairs(pairs, p) if pairs else []
        pairs = []
        if one is not None:
            found += read(one, p)
    return found


# ---- what a journal recorded ----


def sources_of(text: str) -> "List[Source]":
    """The lines of a recorded text."""
    found = []
    for line in text.splitlines():
        name, run, rows = line.rsplit("\t", 2)
        found.append(Source(name, run, int(rows)))
    return found


def _text(sources: "List[Source]") -> str:
    return "".join(f"{one.name}\t{one.run}\t{one.rows}\n" for one in sources)


# ---- all together ----


class _Part(NamedTuple):
    """Evaluations in the library's form, and the objects that own their
    memory."""
    first: Any
    length: int
    owner: Any


class Learned:
    """The evaluations that a run knows; close() frees them."""

    def __init__(self, p: int) -> None:
        self.p = p
        self.sources: "List[Source]" = []
        self.verify = False
        self._parts: "List[_Part]" = []
        self._own = 0  # evaluations of the run's own journal among them

    @property
    def text(self) -> str:
        """The text for the run's own journal; "": nothing was learned."""
        return _text(self.sources)

    def __len__(self) -> int:
        return sum(part.length for part in self._parts)

    def add_data(self, data: Data) -> None:
        step = data.X.strides[0]
        array = (_abi.Evaluation * len(data.f))()
        for i, slot in enumerate(array):
            slot.x, slot.f = data.X.ctypes.data + i * step, data.f[i]
            if data.gradients is not None:
                slot.gradient = data.gradients.ctypes.data + i * step
        self._parts.append(_Part(ctypes.addressof(array), len(array),
                                 (array, data)))
        self.sources.append(data.source)

    def add_rows(self, journal: Any, first: int, last: int) -> None:
        """Evaluations of an open journal."""
        known = ctypes.c_void_p()
        check(_abi.knowledge_create, ctypes.byref(known), self.p)
        try:
            check(_abi.knowledge_add, known, journal, first, last)
        except BaseException:
            _abi.knowledge_destroy(ctypes.byref(known))
            raise
        count = _abi.knowledge_count(known)
        where = _abi.knowledge_evaluations(known) if count else None
        self._parts.append(_Part(where, count, known))

    def add_journal(self, path: str, recorded: "List[Source]") -> None:
        """Reads a journal named now; if it was named before, no more of it
        than then."""
        name = os.path.realpath(os.fsdecode(path))
        with opened(path) as journal:
            summary = summary_of(journal)
            run, rows = summary.run_id.decode(), int(summary.rows)
            for one in recorded:
                if (one.name, one.run) == (name, run):
                    rows = min(rows, one.rows)
            self.add_rows(journal, 1, rows)
        self.sources.append(Source(name, run, rows))

    def add_recorded(self, one: Source) -> None:
        """Reads the same evaluations as recorded, or none."""
        why = "it is another run's now"
        try:
            with opened(one.name) as journal:
                if summary_of(journal).run_id.decode() == one.run:
                    self.add_rows(journal, 1, one.rows)
                    self.sources.append(one)
                    return
        except Error as error:
            why = str(error)
        warnings.warn(f"what was learned from {one.name} is not known any "
                      f"more: {why}", stacklevel=2)

    def add_own(self, journal: Any, first: int) -> None:
        """The evaluations before number `first` of the run's own journal:
        those of its earlier paths."""
        if first > self._own + 1:
            self.add_rows(journal, self._own + 1, first - 1)
            self._own = first - 1

    def evaluations(self) -> Any:
        """All of them in one array, borrowed from this object."""
        array = (_abi.Evaluation * len(self))()
        size, at = ctypes.sizeof(_abi.Evaluation), ctypes.addressof(array)
        for part in self._parts:
            if part.length:
                ctypes.memmove(at, part.first, part.length * size)
            at += part.length * size
        return array

    def best(self, lower: Optional[Array],
             upper: Optional[Array]) -> Optional[Array]:
        """The lowest point within the bounds, or of all where none is."""
        found: "Tuple[bool, float]" = (True, np.inf)
        at: Optional[Array] = None
        for one in self.evaluations():
            memory: Any = (ctypes.c_double * self.p).from_address(one.x)
            x = np.frombuffer(memory)
            outside = ((lower is not None and bool((x < lower).any()))
                       or (upper is not None and bool((x > upper).any())))
            if not np.isnan(one.f) and (outside, one.f) < found:
                found, at = (outside, one.f), x.copy()
        return at

    def teach(self, learn: Any, solver: Any, variables: Any = None) -> None:
        """Passes the evaluations to a solver or an ask_tell; in other
        variables only values, as derivatives would need the chain rule."""
        if not len(self):
            return
        known = self.evaluations()
        if variables is not None and variables.made:
            points = [np.frombuffer((ctypes.c_double * self.p).from_address(
                one.x)) for one in known]  # type: ignore[call-overload]
            moved = variables.into(np.array(points))
            known = (_abi.Evaluation * len(known))(*(
                _abi.Evaluation(x=z.ctypes.data, f=one.f)
                for z, one in zip(moved, known)))
        check(learn, solver, len(self), known, self.verify)

    def close(self) -> None:
        for part in self._parts:
            if isinstance(part.owner, ctypes.c_void_p):
                _abi.knowledge_destroy(ctypes.byref(part.owner))
        self._parts = []


def begin(given: Any, p: int, recorded: str = "") -> Learned:
    """The known evaluations of a new run with these arguments, whose journal
    may have recorded the same before."""
    learned, before = Learned(p), sources_of(recorded)
    try:
        for one in read(given, p):
            if isinstance(one, Data):
                learned.add_data(one)
            else:
                learned.add_journal(one, before)
    except BaseException:
        learned.close()
        raise
    learned.verify = bool(learned.sources)
    return learned


def resume(given: Any, p: int, recorded: str) -> Learned:
    """The known evaluations of a resumed run, and those given now."""
    learned = Learned(p)
    data = {one.source: one for one in read(given, p) if isinstance(one, Data)}
    names = {os.path.realpath(os.fsdecode(one)): one for one in read(given, p)
             if not isinstance(one, Data)}
    try:
        for source in sources_of(recorded):
            if source.name != MEMORY:
                learned.add_recorded(source)
            elif source in data:
                learned.add_data(data.pop(source))
            else:
                warnings.warn(
                    f"what was learned from {source.rows} evaluations in "
                    "memory is not known any more: give them again, with "
                    "learn_from", stacklevel=2)
        for one in data.values():
            learned.add_data(one)
        for name, path in names.items():
            if name not in [source.name for source in learned.sources]:
                learned.add_journal(path, [])
    except BaseException:
        learned.close()
        raise
    return learned


# ---- journals, to look into ----


class opened:
    """A journal, open for reading while a block lasts."""

    def __init__(self, path: Any) -> None:
        self.path = path

    def __enter__(self) -> Any:
        self.journal = ctypes.c_void_p()
        check(_abi.journal_open_readonly, ctypes.byref(self.journal),
              os.fsencode(self.path))
        return self.journal

    def __exit__(self, *_: object) -> None:
        _abi.journal_close(ctypes.byref(self.journal))


def summary_of(journal: Any) -> _abi.Summary:
    summary = _abi.Summary()
    check(_abi.journal_summarize, journal, ctypes.byref(summary))
    return summary


def refuse_subspace(learned: Learned) -> None:
    """Refuses evaluations elsewhere for a run that moves in a subspace."""
    if learned.sources:
        raise InvalidArgument("learn_from goes together neither with basis "
                              "nor with constraints")
