"""One call of the library that evaluates a function and fills a struct."""
from __future__ import annotations

import ctypes
from contextlib import ExitStack
from typing import Any, Callable

from . import _abi
from ._door import Door
from ._errors import exception
from ._signals import Interrupts
from ._types import Array


def attempt(call: "Callable[..., int]", found: ctypes.Structure, door: Door,
            box: "tuple[Any, Any]", options: _abi.Options, x: Array) -> None:
    """Fills `found`, or raises what the function raised or the library's
    error."""
    error = _abi.Error()
    with ExitStack() as stack:
        stack.callback(door.close)
        problem = door.problem(*box)
        with Interrupts(door.stop, door.stop):
            status = call(
                ctypes.byref(found), ctypes.sizeof(found),
                ctypes.byref(problem), ctypes.byref(options), x.ctypes.data,
                ctypes.byref(error))
        raised, door.error = door.error, None
        if raised is not None:
            raise raised
    if status != 0:
        raise exception(status, error)
