"""Constraints of a run: SciPy's objects and dictionaries, and limits on the
answers of a function that gives several numbers, read to what the library
keeps.

One evaluation answers f and all functions of constraints at one point.
Linear equations alone are kept at every point (equal); all else are outputs
with limits, which may be outside them on the way.
"""
from __future__ import annotations

import ctypes
import re
from typing import Any, NamedTuple, Optional

import numpy as np

from . import _abi
from ._answers import Outputs, product
from ._types import Array, Function

_INFINITE = float("inf")


class Part(NamedTuple):
    """One constraint as it was given.  fun: of an answer with limits, to which
    args come behind x; A: of linear ones.  rows: kept at every point."""
    lower: Array
    upper: Array
    fun: Optional[Function] = None
    args: "tuple[Any, ...]" = ()
    A: Optional[Array] = None
    rows: bool = False


# ---- what is given ----


def as_list(constraints: Any) -> "list[Any]":
    if constraints is None:
        return []
    many = isinstance(constraints, (tuple, list))
    return list(constraints) if many else [constraints]


def is_pair(given: Any) -> bool:
    """Returns whether it is (A, b), and not a list of SciPy's constraints."""
    return (isinstance(given, (tuple, list)) and len(given) == 2
            and not any(isinstance(one, (dict, str)) or hasattr(one, "lb")
                        for one in given))


def read(constraints: Any, x0: Array) -> "tuple[Any, list[Part]]":
    """Returns (A, b) of linear equations that are kept at every point, or None,
    and the constraints of a run with limits."""
    if is_pair(constraints):
        return constraints, []
    given = as_list(constraints)
    equations = _equations(given, x0)
    if equations is not None or not given:
        return equations, []
    return None, [_part(one, x0.size) for one in given]


def _part(one: Any, p: int) -> Part:
    if isinstance(one, dict):
        return _from_dictionary(one)
    if hasattr(one, "A") and hasattr(one, "lb"):
        return _from_linear(one, p)
    if hasattr(one, "fun") and hasattr(one, "lb"):
        return _from_nonlinear(one)
    if isinstance(one, str):
        raise TypeError(f"constraints: {one!r} names an answer of fun: give "
                        "answers=[...], the names of what it returns")
    raise TypeError(f"constraints: {type(one).__name__} is no constraint that "
                    "is known; give SciPy's NonlinearConstraint, "
                    "LinearConstraint or dictionaries, or (A, b) for A x = b")


def _from_dictionary(one: "dict[str, Any]") -> Part:
    kind = str(one.get("type", "")).lower()
    if kind not in ("eq", "ineq"):
        raise ValueError(f"a constraint of type {one.get('type')!r}; it must "
                         "be 'eq' (fun is 0) or 'ineq' (fun is at least 0)")
    if not callable(one.get("fun")):
        raise TypeError(f"the fun of a constraint is {one.get('fun')!r}; it "
                        "must be callable")
    args = one.get("args", ())
    return Part(np.zeros(1), np.array([0 if kind == "eq" else _INFINITE]),
                one["fun"], args if isinstance(args, tuple) else (args,))


def _from_nonlinear(one: Any) -> Part:
    if np.any(getattr(one, "keep_feasible", False)):
        raise ValueError("a NonlinearConstraint with keep_feasible is outside "
                         "its limits on the way: leave keep_feasible out, and "
                         "return NaN where fun cannot be evaluated")
    if not callable(one.fun):
        raise TypeError(f"the fun of a constraint is {one.fun!r}; it must be "
                        "callable")
    lower, upper = (np.atleast_1d(np.array(side, dtype=float))
                    for side in (one.lb, one.ub))
    return Part(lower, upper, one.fun)


def linear(one: Any, p: int) -> "tuple[Array, Array, Array]":
    """Returns A, lb and ub of a LinearConstraint."""
    A = one.A.toarray() if hasattr(one.A, "toarray") else one.A
    A = np.atleast_2d(np.asarray(A, dtype=float))
    if A.shape[1] != p:
        raise ValueError(f"LinearConstraint: A has shape {A.shape}; x has {p} "
                         "numbers")
    low, high = (np.array(np.broadcast_to(np.asarray(side, dtype=float),
                                          (len(A),)))
                 for side in (one.lb, one.ub))
    return A, low, high


def _from_linear(one: Any, p: int) -> Part:
    A, low, high = linear(one, p)
    keep = bool(np.any(getattr(one, "keep_feasible", False)))
    if keep and (low == high).any():
        raise ValueError("a LinearConstraint with keep_feasible and lb = ub is "
                         "kept only where all constraints are linear "
                         "equations: leave keep_feasible out, or bound f and "
                         "the others otherwise")
    return Part(low, high, A=A, rows=keep)


def tells_derivatives(constraints: Any) -> bool:
    """Returns whether one of them has a function for its Jacobian."""
    return any(callable(one.get("jac") if isinstance(one, dict)
                        else getattr(one, "jac", None))
               for one in as_list(constraints))


# ---- linear equations alone ----


def _equations(given: "list[Any]", x0: Array) -> Any:
    """Returns (A, b) if all are linear equations, else None."""
    if not given or not all(_may_be_equation(one, x0.size) for one in given):
        return None
    pairs = []
    for one in given:
        pair = _equation(one, x0)
        if pair is None:
            return None
        pairs.append(pair)
    return (np.vstack([A for A, _ in pairs]),
            np.concatenate([b for _, b in pairs]))


def _may_be_equation(one: Any, p: int) -> bool:
    if isinstance(one, dict):
        return (str(one.get("type", "")).lower() == "eq"
                and callable(one.get("fun")))
    if hasattr(one, "A") and hasattr(one, "lb"):
        _, low, high = linear(one, p)
        return np.array_equal(low, high)
    return False


def _equation(one: Any, x0: Array) -> "Optional[tuple[Array, Array]]":
    """Returns (A, b) of an equation, None if it is not linear: two steps and
    their sum show that for 4 calls, before p + 1 more measure A."""
    if not isinstance(one, dict):
        A, low, _ = linear(one, x0.size)
        return A, low
    part = _from_dictionary(one)

    def value(x: Array) -> Array:
        assert part.fun is not None
        found: Array = np.atleast_1d(np.asarray(
            part.fun(x.copy(), *part.args), dtype=float))
        return found
    at = value(x0)
    steps = 0.5 + 0.25 * np.cos(np.arange(x0.size)), np.linspace(
        -1, -2, x0.size)
    moved = [value(x0 + step) for step in steps]
    both = value(x0 + steps[0] + steps[1])
    size = abs(at) + abs(moved[0]) + abs(moved[1]) + abs(both) + 1e-300
    if not (abs(moved[0] + moved[1] - at - both) < 1e-8 * size).all():
        return None
    rows: Array = np.array([value(x0 + unit) - at
                            for unit in np.eye(x0.size)]).T
    b: Array = rows @ x0 - at
    size = np.abs(rows).sum(axis=1) + np.abs(b) + 1e-300
    x = 3 * x0 + 1
    wrong = np.abs(value(x) - (rows @ x - b)) / (size * (1 + abs(x).max()))
    return (rows, b) if (wrong < 1e-8).all() else None


def add_violation(result: "dict[str, Any]", equations: Any) -> None:
    """Adds how far the linear equations are from being met."""
    if equations is not None:
        A, b = (np.asarray(part, dtype=float) for part in equations)
        left = product(np.atleast_2d(A), result["x"])
        left = left - np.atleast_1d(b)
        result["constr_violation"] = float(abs(left).max())


# ---- limits of answers by name ----

_NUMBER = r"([^\s<>=]+)"
_RANGE = re.compile(rf"\s*{_NUMBER}\s*(<=?|>=?)\s*{_NUMBER}\s*(<=?|>=?)\s*"
                    rf"{_NUMBER}\s*\Z")
_SINGLE = re.compile(rf"\s*{_NUMBER}\s*(<=?|>=?|==?)\s*{_NUMBER}\s*\Z")


def read_answers(answers: Any) -> "list[str]":
    if isinstance(answers, str):
        answers = answers.split(",")
    names = [str(name) for name in answers]
    for name in names:
        if not name or re.search(r"[\s<>=]", name):
            raise ValueError(f"answers: {name!r} is no name: names have no "
                             "blanks and none of < > =")
        if names.count(name) > 1:
            raise ValueError(f"answers: {name!r} is there twice")
    if not names:
        raise ValueError("answers is empty; name the numbers that fun returns")
    return names


def read_texts(texts: Any, names: "list[str]") -> "tuple[Array, Array]":
    """Returns lower and upper limits of each answer, read from texts as
    'stress <= 250'."""
    lower = np.full(len(names), -_INFINITE)
    upper = np.full(len(names), _INFINITE)
    for text in as_list(texts):
        if not isinstance(text, str):
            raise TypeError("constraints: with answers they are texts, as "
                            f"'{names[0]} <= 250', and not "
                            f"{type(text).__name__}")
        for name, side, number in _relations(text, names):
            at = names.index(name)
            if side != ">":
                upper[at] = min(upper[at], number)
            if side != "<":
                lower[at] = max(lower[at], number)
    for name, low, high in zip(names, lower, upper):
        if low > high:
            raise ValueError(f"no value of {name} is at least {low:g} and at "
                             f"most {high:g}")
    return lower, upper


def _relations(text: str,
               names: "list[str]") -> "list[tuple[str, str, float]]":
    """Returns (name, relation of the answer to the number, number) of each."""
    found = _RANGE.match(text)
    pairs = []
    if found:
        first, one, middle, other, last = found.groups()
        pairs = [(first, one, middle), (middle, other, last)]
    elif _SINGLE.match(text):
        single: Any = _SINGLE.match(text)
        pairs = [single.groups()]
    relations = []
    for left, sign, right in pairs:
        turned = {"<": ">", ">": "<", "=": "="}[sign[0]]
        if left in names:
            relations.append((left, sign[0], _number(right, text, names)))
        else:
            relations.append((right, turned, _number(left, text, names)))
    if not relations or any(name not in names for name, _, _ in relations):
        raise _no_text(text, names)
    return relations


def _number(word: str, text: str, names: "list[str]") -> float:
    try:
        return float(word)
    except ValueError:
        raise _no_text(text, names) from None


def _no_text(text: str, names: "list[str]") -> ValueError:
    return ValueError(f"constraints: {text!r} is none of 'NAME <= NUMBER', "
                      "'NAME >= NUMBER', 'NAME = NUMBER' and 'NUMBER <= NAME "
                      f"<= NUMBER'; the names are {', '.join(names)}")


# ---- what a run keeps ----


class Limits:
    """The outputs of a run with limits: what is asked, and what they keep.

    parts: constraints in SciPy's order; names: of answers, where fun returns
    them all.  sizes: how many numbers each function of a constraint gives.
    """

    def __init__(self, parts: "list[Part]", p: int,
                 names: "Optional[list[str]]" = None, objective: int = 0,
                 maximize: bool = False) -> None:
        self.parts, self.p = parts, p
        self.names, self.objective = names, objective
        self.maximize = maximize
        self.sizes: "list[int]" = []
        self.lower = self.upper = np.empty(0)
        self.A, self.most = self._rows()
        self.told: Any = None

    @classmethod
    def of_answers(cls, texts: Any, p: int, answers: Any, objective: Any,
                   maximize: bool) -> "Limits":
        names = read_answers(answers)
        at = 0
        if objective is not None:
            if objective not in names:
                raise ValueError(f"objective is {objective!r}; the answers are "
                                 + ", ".join(names))
            at = names.index(objective)
        made = cls([], p, names, at, bool(maximize))
        made.lower, made.upper = read_texts(texts, names)
        return made

    def asked(self, fun: Function, args: "tuple[Any, ...]",
              gradient: bool) -> Outputs:
        """Returns what the door and workers ask.  gradient: fun returns it
        behind f."""
        functions = [(part.fun, part.args, part.A) for part in self.parts
                     if not part.rows]
        return Outputs(fun, args, functions, gradient, self.names)

    def know(self, sizes: "list[int]") -> None:
        """Takes how many numbers each function of a constraint gives."""
        self.sizes = sizes
        if self.names is not None:
            return
        lower, upper = [np.array([-_INFINITE])], [np.array([_INFINITE])]
        for part, size in zip(self._outputs(), sizes):
            for sides, side in ((lower, part.lower), (upper, part.upper)):
                if side.size not in (1, size):
                    raise ValueError(f"a constraint has {size} numbers, and "
                                     f"{side.size} limits")
                sides.append(np.broadcast_to(side, (size,)))
        self.lower, self.upper = np.concatenate(lower), np.concatenate(upper)

    def _outputs(self) -> "list[Part]":
        return [part for part in self.parts if not part.rows]

    def _rows(self) -> "tuple[Array, Array]":
        """Returns A and b of the rows A x <= b that hold at every point."""
        A, most = [np.empty((0, self.p))], [np.empty(0)]
        for part in self.parts:
            if part.rows and part.A is not None:
                for sign, side in ((1, part.upper), (-1, part.lower)):
                    finite = np.isfinite(side)
                    A.append(sign * part.A[finite])
                    most.append(sign * side[finite])
        return np.vstack(A), np.concatenate(most)

    def tell(self, scale: Optional[Array]) -> int:
        """Returns the address of the library's structure, for x / scale; it
        lives as long as this object."""
        if self.told is not None:
            return ctypes.addressof(self.told[0])
        A = self.A if scale is None else self.A * scale
        told = _abi.Limits(
            objective=self.objective, maximize=self.maximize,
            lower=self.lower.ctypes.data, upper=self.upper.ctypes.data,
            linear_count=len(A), linear=A.ctypes.data,
            linear_most=self.most.ctypes.data)
        self.told = told, A
        return ctypes.addressof(told)

    # ---- for a journal ----

    def settings(self) -> "dict[str, Any]":
        """Returns what a journal keeps, under the command's keys."""
        named = ",".join(self.output_names())
        found = {"answers": named,
                 "objective": self.output_names()[self.objective],
                 "maximize": "yes" if self.maximize else "no",
                 "output_lower": self.lower, "output_upper": self.upper}
        if len(self.A):
            found["at_most"] = np.ravel(self.A)
            found["at_most_values"] = self.most
        if self.sizes:
            found["constraint_sizes"] = " ".join(map(str, self.sizes))
        return found

    def output_names(self) -> "list[str]":
        """Returns the names: f, and c1, c2[1], c2[2] for constraints."""
        if self.names is not None:
            return self.names
        found = ["f"]
        numbers = [i for i, part in enumerate(self.parts, 1) if not part.rows]
        for number, size in zip(numbers, self.sizes):
            found += ([f"c{number}"] if size == 1 else
                      [f"c{number}[{j}]" for j in range(1, size + 1)])
        return found

    def _labels(self) -> "list[str]":
        """Returns the outputs as messages name them: answers by their names,
        constraints by their place and the name of their function."""
        if self.names is not None:
            return self.names
        found = ["f"]
        given = [(i, part) for i, part in enumerate(self.parts, 1)
                 if not part.rows]
        for (number, part), size in zip(given, self.sizes):
            name = getattr(part.fun, "__name__", "<lambda>")
            whole = f"constraint {number}" + (
                "" if name == "<lambda>" else f" ({name})")
            found += ([whole] if size == 1 else
                      [f"c{number}[{j}] of {whole}"
                       for j in range(1, size + 1)])
        return found

    # ---- after the run ----

    def worded(self, message: str) -> str:
        """Names the output that the message gives by its number, from 1."""
        labels = self._labels()

        def named(found: "re.Match[str]") -> str:
            at = int(found[1]) - 1
            return labels[at] if at < len(labels) else found[0]
        return re.sub(r"\boutput (\d+)\b", named, message)

    def split(self, outputs: Array, x: Array) -> "list[Array]":
        """Returns the values of each constraint, in the order given."""
        found, at = [], 1
        sizes = iter(self.sizes)
        for part in self.parts:
            if part.rows and part.A is not None:
                found.append(product(part.A, x))
                continue
            size = next(sizes)
            found.append(outputs[at:at + size])
            at += size
        return found

    def violation(self, outputs: Array, x: Array) -> float:
        """Returns the largest amount by which a limit is exceeded."""
        out = [0.0, *(self.lower - outputs), *(outputs - self.upper),
               *(product(self.A, x) - self.most)]
        return float(np.max(out))

    def signed(self, multipliers: Array, outputs: Array) -> Array:
        """Converts multipliers to SciPy's v of L = f + v c: positive at an
        upper limit, negative at a lower one."""
        middle = np.abs(outputs - self.lower) < np.abs(self.upper - outputs)
        lower = middle & (self.lower < self.upper)
        return np.where(lower, -multipliers, multipliers) + 0.0
