"""The variables of a solve: scales, logarithms and names of inputs.

The library's lrgd_variables does the arithmetic; here is what the user says,
and where the widths of the bounds decide.  The user's function always gets x.
"""
from __future__ import annotations

import ctypes
import re
import warnings
from typing import Any, Optional

import numpy as np

from . import _abi, _door, _options
from ._errors import InvalidArgument, check
from ._types import Array

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}\Z")
_OWN_STEPS = ("auto", "quasi-newton")


def read_names(names: Any, p: int) -> "Optional[list[str]]":
    """p names, which the command can read too; None where there are none."""
    if names is None:
        return None
    if isinstance(names, str):
        raise TypeError(f"names is {names!r}; give a list of {p} names")
    read = [str(name) for name in names]
    if len(read) != p:
        raise ValueError(f"{len(read)} names; x has {p} numbers")
    for name in read:
        if not _NAME.match(name):
            raise ValueError(f"{name!r} is not a name: letters, digits and _, "
                             "not a digit first, fewer than 64")
        if read.count(name) > 1:
            raise ValueError(f"names: {name!r} is there twice")
    return read


def read_scale(scale: Any, p: int) -> Optional[Array]:
    if scale is None:
        return None
    sizes = np.array(scale, dtype=float)
    if sizes.ndim > 1 or sizes.size not in (1, p):
        raise ValueError(f"scale has shape {sizes.shape}; x has {p} numbers")
    return np.array(np.broadcast_to(sizes, (p,)))


def read_log(log: Any, p: int,
             names: "Optional[list[str]]") -> Optional[Array]:
    """True for each input whose logarithm is taken; None: none is.  log: True
    or "all", a mask of p, or indices from 0 or names."""
    if log is None or log is False:
        return None
    if log is True or isinstance(log, str) and log == "all":
        return np.ones(p, dtype=bool)
    given = [log] if isinstance(log, str) else list(log)
    if len(given) == p and all(isinstance(one, (bool, np.bool_))
                               for one in given):
        return np.array(given, dtype=bool)
    mask = np.zeros(p, dtype=bool)
    for one in given:
        mask[_index(one, p, names)] = True
    return mask


def _index(one: Any, p: int, names: "Optional[list[str]]") -> int:
    if names is not None and one in names:
        return names.index(one)
    if isinstance(one, (int, np.integer)) and 0 <= one < p:
        return int(one)
    raise ValueError(f"log: {one!r} is neither an index from 0 to {p - 1} nor "
                     "one of names")


class Variables:
    """The change of variables between the solver's z and the user's x."""

    def __init__(self, p: int, scale: Any = None, log: Any = None,
                 names: Any = None) -> None:
        self.p = p
        self.names = read_names(names, p)
        self.scale = read_scale(scale, p)
        self.log = read_log(log, p, self.names)
        self.made = ctypes.c_void_p()
        self.wording = self._wording()

    @classmethod
    def recorded(cls, p: int, settings: "dict[str, Any]") -> "Variables":
        """The variables that a journal has recorded, under the command's keys.
        """
        found = cls(p)
        scale, log, names = (settings.get(key)
                             for key in ("scale", "log", "names"))
        if names is not None:
            found.names = str(names.value).split("\n")[:-1]
            found.wording = found._wording()
        if scale is not None:
            found.scale = np.array(scale.value)
        if log is not None:
            found.log = np.zeros(p, dtype=bool)
            found.log[np.array(log.value, dtype=int) - 1] = True
        return found

    def settings(self) -> "dict[str, Any]":
        """The settings for a journal, under the command's keys; without the
        names."""
        found: "dict[str, Any]" = {}
        if self.scale is not None:
            found["scale"] = self.scale
        if self.log is not None and self.log.any():
            found["log"] = np.flatnonzero(self.log) + 1.0
        return found

    def names_text(self) -> str:
        return "".join(name + "\n" for name in self.names or ())

    # ---- the widths of the bounds ----

    def by_widths(self, x: Array, box: "tuple[Any, Any]",
                  options: _abi.Options, subspace: bool) -> None:
        """Takes the widths of the bounds for scales, where these differ so
        much that the inputs cannot be compared, and nothing that is given is
        about x in its own units."""
        given = (_options.number(options, name) is not None
                 for name in ("tol", "mu", "epsilon"))
        if (self.scale is not None or self.log is not None or subspace
                or _options.read(options, "method") not in _OWN_STEPS
                or any(given)):
            return
        problem, scale = _door.new_problem(self.p, *box), np.empty(self.p)
        times = _abi.variables_widths(ctypes.byref(problem), x.ctypes.data,
                                      scale.ctypes.data)
        if times > 1:
            self.scale = scale
            warnings.warn(f"the widths of the bounds differ by {times:.3g} "
                          "times: each input is measured in its own "
                          "(scale=1: as it is)", stacklevel=3)

    # ---- at work ----

    def open(self, problem: _abi.Problem, start: Array) -> None:
        """Makes the library's object, if there is a change of variables."""
        if self.scale is None and (self.log is None or not self.log.any()):
            return
        if self.log is not None and not (start[self.log] > 0).all():
            at = int(np.flatnonzero(self.log & ~(start > 0))[0])
            raise InvalidArgument(f"log: {self.name(at)} starts at "
                                  f"{start[at]:g}; it must be > 0")
        log = (np.zeros(self.p) if self.log is None else self.log).astype("u1")
        check(_abi.variables_create, ctypes.byref(self.made),
              ctypes.byref(problem),
              None if self.scale is None else self.scale.ctypes.data,
              log.ctypes.data)

    def name(self, index: int) -> str:
        return self.names[index] if self.names else f"input {index + 1}"

    def wrap(self, problem: _abi.Problem) -> _abi.Problem:
        """The problem in z; what it borrows is valid until close."""
        if not self.made:
            return problem
        wrapped = _abi.Problem.from_buffer_copy(problem)
        _abi.variables_wrap(self.made, ctypes.byref(wrapped))
        return wrapped

    def into(self, x: Array) -> Array:
        """z of x, or of each row."""
        z = np.array(x, dtype=float, order="C")
        for row in np.atleast_2d(z) if self.made else ():
            _abi.variables_into(self.made, row.ctypes.data, row.ctypes.data)
        return z

    def back(self, z: Array) -> Array:
        x = np.array(z, dtype=float)
        if self.made:
            _abi.variables_back(self.made, x.ctypes.data, x.ctypes.data)
        return x

    def close(self) -> None:
        _abi.variables_destroy(ctypes.byref(self.made))

    # ---- words ----

    def _wording(self) -> Any:
        wording = _abi.wording_default()
        names = [ctypes.create_string_buffer(name.encode())
                 for name in self.names or ()]

        def find(number: int, _user: Any) -> Optional[int]:
            known = 0 < number <= len(names)
            return ctypes.addressof(names[number - 1]) if known else None
        self._find = _abi.NAME(find)  # the library calls it
        if names:
            wording.name = self._find
        return wording

    def decision(self, told: _abi.Decision) -> _abi.Decision:
        """A decision in the user's units."""
        found: _abi.Decision = _abi.variables_decision(self.made,
                                                       ctypes.byref(told))
        return found

    @property
    def plain(self) -> bool:
        """Whether there is no change of variables, and inputs have no names.
        """
        return not self.made and not self.names

    def translate(self, news: _abi.Progress) -> _abi.Progress:
        """The progress, with its decision in the user's units and names."""
        if self.plain or not news.decision:
            return news
        told = self.decision(news.decision.contents)
        mine = _abi.Progress.from_buffer_copy(news)
        mine.phase = self.sentence(told).encode()
        mine.decision = ctypes.pointer(told)
        return mine

    def sentence(self, told: _abi.Decision) -> str:
        """The sentence of a decision, which is in the user's units already."""
        text = ctypes.create_string_buffer(192)
        _abi.decision_text(ctypes.byref(told), ctypes.byref(self.wording),
                           text, len(text))
        return text.value.decode(errors="replace")

    def end(self, told: _abi.Result, failure: bytes = b"") -> str:
        """The reason why a run ended.  failure: why an evaluation failed, where
        that is known."""
        if told.end.kind == 0 or self.plain and not failure:
            return str(told.message.decode(errors="replace"))
        held, text = self.decision(told.held), ctypes.create_string_buffer(256)
        self.wording.failure = failure or None
        _abi.end_text(ctypes.byref(told.end), ctypes.byref(held),
                      ctypes.byref(self.wording), text, len(text))
        return text.value.decode(errors="replace")
