"""lrgd.minimize from a tensor of PyTorch: vectors stay where the tensor is.

The functions get tensors on that device; what comes to the host are numbers.
"""
from __future__ import annotations

import ctypes
from contextlib import ExitStack, nullcontext
from functools import partial
from typing import Any, Mapping, Optional

import numpy as np

from . import _abi, _door, _manners, _options, _result
from ._answers import number, vector
from ._door import UNANSWERED, array_at
from ._errors import check, exception
from ._inputs import one_gradient, read_bounds
from ._result import Result
from ._signals import Interrupts
from ._tensors import Tensor, Vectors, forward, is_tensor, pytorch
from ._types import Function


class TensorDoor(_door.Door):
    """Evaluates the user's functions, which take and return tensors."""

    def __init__(self, vectors: Vectors, fun: Optional[Function],
                 jvp: Any, **how: Any) -> None:
        self.vectors, self.forward = vectors, None
        wanted = jvp is True
        if wanted and not callable(fun):
            raise TypeError(f"jvp=True differentiates fun, which is {fun!r}")
        super().__init__(vectors.p, fun, jvp=fun if wanted else jvp, **how)
        if wanted:
            self.forward = forward(self.fun)

    def at(self, x: _abi.Vec) -> Tensor:
        """A copy of a vector, for the user to keep or to change."""
        return self.vectors.column(x).clone()

    def problem_in(self, box: Optional[_abi.Box]) -> _abi.SpaceProblem:
        problem: _abi.SpaceProblem = _abi.space_problem_default(
            self.vectors.space)
        problem.user = self.key
        if box is not None:
            problem.box = box
        if self.kind == "gradient":
            problem.gradient = GRADIENT_IN
        elif self.kind == "slope":
            problem.slopes = SLOPES_IN
        elif self.batch is not None:
            problem.values = VALUES_IN
        else:
            problem.value = VALUE_IN
        return problem

    # ---- one question each ----

    def value_in(self, x: _abi.Vec) -> float:
        return number(self.fun(self.at(x)), "fun returned")

    def values_in(self, X: _abi.Vec, m: int) -> Any:
        answer = self.batch(self.vectors.columns(X, m).clone())
        return vector(_on_host(answer), m, "batch returned")

    def gradient_in(self, x: _abi.Vec, g: _abi.Vec) -> float:
        answer = self.fun(self.at(x))
        if self.jac is True:
            f, found = _pair(answer, "fun", "gradient")
        else:
            f, found = answer, self.jac(self.at(x))
        if not is_tensor(found) or found.shape != (self.p,):
            shown = tuple(found.shape) if is_tensor(found) else repr(found)
            raise TypeError(f"the gradient is {shown}; it must be a tensor of "
                            f"{self.p} numbers")
        self.vectors.column(g).copy_(found.detach())
        return number(f, "fun returned")

    def slopes_in(self, x: _abi.Vec, U: _abi.Vec, k: int, out: Any) -> float:
        if self.forward is not None:
            if k == 0:
                return self.value_in(x)
            f, d = self.forward(self.at(x), self.vectors.columns(U, k))
            out[:] = vector(_on_host(d), k, "jvp returned")
            return number(f, "fun returned")
        f = None
        for j in range(k):
            if self.closed:
                return UNANSWERED
            u = self.at(_abi.Vec(U.block, U.col + j))
            f, out[j] = self.slope_in(self.at(x), u)
        if f is None and self.fun is not None:
            return self.value_in(x)
        if f is None:
            zero = self.at(x).zero_()
            f, _ = self.slope_in(self.at(x), zero)
        return float(f) if f is not None else UNANSWERED

    def slope_in(self, x: Tensor, u: Tensor) -> "tuple[Optional[float], float]":
        answer = self.jvp(x, u)
        if isinstance(answer, (tuple, list)):
            f, d = _pair(answer, "jvp", "slope")
            return number(f, "jvp returned"), number(d, "jvp returned")
        if self.fun is None:
            raise TypeError("jvp returned a slope alone, and there is no fun "
                            "to ask for f: return (f, slope)")
        return None, number(answer, "jvp returned")


def _on_host(answer: Any) -> Any:
    if is_tensor(answer):
        return answer.detach().double().cpu().numpy().reshape(-1)
    return answer


def _pair(answer: Any, who: str, second: str) -> "tuple[Any, Any]":
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        raise TypeError(f"{who} returned {type(answer).__name__} where "
                        f"(f, {second}) was asked")
    return answer[0], answer[1]


# ---- the callbacks: no exception may leave them ----


def _door_of(user: int) -> TensorDoor:
    found = _door.find(user)
    assert isinstance(found, TensorDoor)
    return found


@_abi.callback(_abi.VALUE_IN)
def VALUE_IN(x: _abi.Vec, user: int) -> float:
    door = _door_of(user)
    if door.closed:
        return UNANSWERED
    try:
        return door.value_in(x)
    except BaseException as error:
        door.fail(error)
        return UNANSWERED


@_abi.callback(_abi.VALUES_IN)
def VALUES_IN(X: _abi.Vec, m: int, f: int, user: int) -> None:
    door = _door_of(user)
    try:
        out = array_at(f, m)
        out[:] = UNANSWERED
        if not door.closed:
            out[:] = door.values_in(X, m)
    except BaseException as error:
        door.fail(error)


@_abi.callback(_abi.GRADIENT_IN)
def GRADIENT_IN(x: _abi.Vec, g: _abi.Vec, user: int) -> float:
    door = _door_of(user)
    if door.closed:
        return UNANSWERED
    try:
        return door.gradient_in(x, g)
    except BaseException as error:
        door.fail(error)
        return UNANSWERED


@_abi.callback(_abi.SLOPES_IN)
def SLOPES_IN(x: _abi.Vec, U: _abi.Vec, k: int, d: int, user: int) -> float:
    door = _door_of(user)
    if door.closed:
        return UNANSWERED
    try:
        out = array_at(d, k) if k > 0 else np.empty(0)
        out[:] = UNANSWERED
        return door.slopes_in(x, U, k, out)
    except BaseException as error:
        door.fail(error)
        return UNANSWERED


# ---- one solve ----

REFUSED = ("basis", "equal", "answers", "objective", "samples", "scale", "log",
           "names", "timeout", "journal", "learn_from", "constraints")


def refuse(given: Mapping[str, Any]) -> None:
    for name, value in given.items():
        if value is not None and not (name == "constraints"
                                      and isinstance(value, (list, tuple))
                                      and len(value) == 0):
            raise TypeError(f"{name} is not for a start that is a tensor; "
                            "give x0.cpu().numpy()")


def minimize(fun: Optional[Function], x0: Tensor, *, args: Any, jac: Any,
             grad: Any, jvp: Any, batch: Any, bounds: Any, callback: Any,
             progress: bool, disp: bool, options: "dict[str, Any]") -> Result:
    """lrgd.minimize, its words read; options: those of the library."""
    from ._bar import Bar
    jac, jvp = _manners.read_jac(one_gradient(grad, jac), jvp, fun, options)
    made = _options.make(options)
    start = x0.detach()
    box = read_bounds(_sides(bounds), start.numel())
    with ExitStack() as stack:
        vectors = Vectors(start)
        stack.callback(vectors.close)
        stack.enter_context(_default_stream(start))
        door = TensorDoor(vectors, fun, jvp, args=_manners.read_args(args),
                          jac=jac, batch=batch)
        stack.callback(door.close)
        hear = _manners.read_callback(callback)
        if progress:
            bar = Bar(made)
            door.bar = bar
            stack.callback(bar.end)
            hear = _both(bar, hear)
        result = _solve(door, start, box, made, hear, stack)
    if disp:
        print(f"{result.message}\n{result!r}")
    return result


def _both(bar: Any, callback: Any) -> Any:
    def hear(news: Any) -> Any:
        bar.hear(news)
        return callback(news) if callback is not None else None
    return hear


def _sides(bounds: Any) -> Any:
    """Bounds whose sides are tensors, as arrays."""
    if isinstance(bounds, tuple) and len(bounds) == 2:
        return tuple(side.detach().cpu().numpy() if is_tensor(side) else side
                     for side in bounds)
    return bounds


def _default_stream(x: Tensor) -> Any:
    """The solver works on the default stream: so do the functions."""
    if x.device.type != "cuda":
        return nullcontext()
    torch = pytorch()
    torch.cuda.current_stream().synchronize()
    return torch.cuda.stream(torch.cuda.default_stream(x.device))


def _box_of(vectors: Vectors, box: "tuple[Any, Any]") -> Optional[_abi.Box]:
    if box[0] is None and box[1] is None:
        return None
    sides = []
    for side in box:
        y = vectors.make(1)
        vectors.column(y).copy_(pytorch().from_numpy(side))
        sides.append(y)
    return _abi.Box(*sides)


def _held(vectors: Vectors, x: Tensor,
          box: Optional[_abi.Box]) -> "list[tuple[int, str]]":
    """The inputs that lie on a bound, and on which."""
    if box is None:
        return []
    lower, upper = (vectors.column(side) for side in (box.lower, box.upper))
    low = set((x == lower).nonzero().reshape(-1).tolist())
    at = sorted(low | set((x == upper).nonzero().reshape(-1).tolist()))
    return [(i + 1, "lower" if i in low else "upper") for i in at]


def _progress(news: _abi.Progress) -> Any:
    """As _result.progress, without x: it stays where it is."""
    counts = news.counts.contents
    told = _result.decision(news.decision.contents) if news.decision else None
    nowhere: Any = None
    return _result.Progress(
        nowhere, news.f, news.best_f, news.grad_norm, news.iteration,
        _result.total(counts), sum(counts.oracle_calls), news.rank,
        news.phase.decode() if news.phase else "", news.seconds, told)


def _solve(door: TensorDoor, start: Tensor, box: "tuple[Any, Any]",
           options: _abi.Options, hear: Any, stack: ExitStack) -> Result:
    vectors, solver = door.vectors, ctypes.c_void_p()
    sides = _box_of(vectors, box)
    problem = door.problem_in(sides)
    if hear is not None:
        door.progress = lambda news: hear(_progress(news))
    _options.hook(options, _door.PROGRESS, door.key)
    check(_abi.solver_create_in, ctypes.byref(solver), ctypes.byref(problem),
          ctypes.byref(options))
    stack.callback(_abi.solver_destroy, ctypes.byref(solver))
    door.stops.append(partial(_abi.solver_stop, solver))
    x, told, error = vectors.make(1), _abi.Result(), _abi.Error()
    vectors.column(x).copy_(start)
    with Interrupts(door.stop, door.stop):
        status = _abi.solver_solve_in(solver, x, ctypes.byref(told),
                                      ctypes.byref(error))
    best = vectors.column(x).clone()
    result = _result.make(best, told, solver, options, box,
                          basis=vectors.basis(solver),
                          active_bounds=_held(vectors, best, sides))
    raised, door.error = door.error, None
    if raised is not None:
        try:
            raised.lrgd_result = result  # type: ignore[attr-defined]
        except AttributeError:
            pass  # an exception with slots
        raise raised
    if status != 0:
        raise exception(status, error)
    return result
