"""SciPy's ftol and xtol for fits: a run ends where a step gains little.

Both are about steps that were taken and lowered the cost.  Neither says
anything about the gradient: a run that ends by them has no certificate.
"""
from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np

from . import _result
from ._types import Array, Function

# SciPy's codes
_BY_COST, _BY_STEP, _BY_BOTH = 2, 3, 4

_EPS = float(np.finfo(float).eps)

# stalls that say that no further step was seen to lower the cost
_EXHAUSTED = ("no_decrease", "rounding", "noise")


def read(value: Any, name: str) -> float:
    """The tolerance; 0, or None: no such rule."""
    if value is None:
        return 0.0
    if not (isinstance(value, (int, float, np.number)) and value >= 0):
        raise ValueError(f"{name} is {value!r}; it must be a number that is "
                         "not negative, or None")
    return float(value)


class SmallSteps:
    """Watches the progress of a fit, and ends it where a step from x to x + s
    lowers the cost F by less than ftol F, or has
    |s| < xtol (xtol + |x|)."""

    def __init__(self, ftol: float, xtol: float,
                 callback: Optional[Function]) -> None:
        self.ftol, self.xtol, self.callback = ftol, xtol, callback
        self.x: Optional[Array] = None
        self.cost = np.nan
        self.fell = False  # whether any step lowered the cost
        self.status, self.why = 0, ""

    def hear(self, news: _result.Progress) -> Any:
        """Progress callback: True ends the run."""
        if self.callback is not None and self.callback(news):
            return True
        fall = self.cost - news.fun
        if fall > 0 and self.x is not None:
            self.fell = True
            self._judge(fall, news)
        if not fall <= 0:  # the start too
            self.cost = news.fun
            self.x = news.x  # an array of its own
        return self.status > 0

    def _judge(self, fall: float, news: _result.Progress) -> None:
        small = fall < self.ftol * self.cost
        length = (float(np.linalg.norm(news.x - self.x)) if self.xtol > 0
                  else np.inf)
        short = length < self.xtol * (self.xtol
                                      + float(np.linalg.norm(news.x)))
        if small:
            self.status = _BY_COST
            self.why = (f"a step lowered the cost by {fall:.3g}, less than "
                        f"ftol times the cost, {self.ftol * self.cost:.3g}")
        if short:
            self.status = _BY_BOTH if small else _BY_STEP
            self.why = (f"a step of length {length:.3g} is below xtol, "
                        f"{self.xtol:.3g}, times |x|")

    def tell(self, result: _result.Result) -> None:
        """Says of a run that ended by these rules that it did.  One that can
        lower the cost no further meets ftol as well, where rounding and noise
        would have let a step of that size be seen."""
        if self.status > 0 and result.outcome == "stopped":
            result.update(outcome="stalled", stall_reason="slow",
                          success=True, status=self.status, message=self.why)
        elif self.fell and result.stall_reason in _EXHAUSTED:
            noise = np.nan_to_num(result.noise) + _EPS * result.cost
            if noise < self.ftol * result.cost:
                result.update(success=True, status=_BY_COST)


def watch(ftol: float, xtol: float, callback: Optional[Function]
          ) -> "tuple[Optional[SmallSteps], Optional[Callable[..., Any]]]":
    """The rules, if any is asked for, and the callback of the run."""
    if ftol == 0 and xtol == 0:
        return None, callback
    rules = SmallSteps(ftol, xtol, callback)
    return rules, rules.hear
