"""Pictures on matplotlib axes.  Knows colours and axes, not mathematics.

matplotlib is imported when something is drawn, and only then.
"""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._types import Array

_BLUE, _ORANGE, _GREY = "#2a6f97", "#e07a1f", "#8a8f98"
_FLOOR = 1e-16  # a logarithmic axis has no zero


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    return _pyplot().subplots(figsize=(5, 3.6), layout="constrained")[1]


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("pictures need matplotlib "
                          "(python3-matplotlib)") from None
    return plt


def _tidy(ax: Any) -> Any:
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(True, alpha=0.25)
    return ax


def _visible(values: Any) -> Array:
    return np.maximum(np.asarray(values, dtype=float), _FLOOR)


def _whole_ticks(ax: Any) -> None:
    from matplotlib.ticker import MaxNLocator
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _mark_rank(ax: Any, found: Any) -> None:
    r = found.recommended_rank
    if found.low_rank and 0 < r <= len(found.spectrum):
        ax.axvline(r, color=_ORANGE, lw=1.2, ls="--",
                   label=f"recommended: {r}")


def spectrum(found: Any, ax: Any = None) -> Any:
    ax = _axes(ax)
    r = np.arange(1, len(found.spectrum) + 1)
    ax.fill_between(r, _visible(found.band_low), _visible(found.band_high),
                    color=_BLUE, alpha=0.2, lw=0,
                    label=f"{100 * found.certificate['confidence']:g} % band")
    ax.semilogy(r, _visible(found.spectrum), "o-", color=_BLUE, ms=4, lw=1.2)
    _mark_rank(ax, found)
    ax.set(xlabel="direction", ylabel="share of squared gradients",
           title="Spectrum")
    _whole_ticks(ax)
    ax.legend(frameon=False)
    return _tidy(ax)


def eta(found: Any, ax: Any = None) -> Any:
    ax = _axes(ax)
    r = [row.r for row in found.eta]
    for name, label, style in (("max", "largest", ":"), ("p95", "95 %", "--"),
                               ("median", "median", "-")):
        ax.semilogy(r, _visible([getattr(row, name) for row in found.eta]),
                    style, color=_BLUE, marker="o", ms=3, lw=1.2, label=label)
    _mark_rank(ax, found)
    ax.set(xlabel="directions r", ylabel="η = ‖g − Πg‖ / ‖g‖",
           title="What they miss, at held-out points")
    _whole_ticks(ax)
    ax.legend(frameon=False)
    return _tidy(ax)


def summary(found: Any, ax: Any = None, coordinate: int = 0) -> Any:
    if coordinate not in (0, 1):
        raise ValueError(f"coordinate is {coordinate}; it must be 0 or 1")
    ax = _axes(ax)
    points = found.points
    ax.plot(points[:, 1 + coordinate], points[:, 0], "o", color=_BLUE, ms=4,
            alpha=0.7, mew=0)
    which = ("first", "second")[coordinate]
    ax.set(xlabel=f"{which} active coordinate", ylabel="f",
           title="f along it")
    return _tidy(ax)


def diagnosis(found: Any, figure: Any = None) -> Any:
    if figure is None:
        figure = _pyplot().figure(figsize=(13, 3.8), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    spectrum(found, left)
    eta(found, middle)
    summary(found, right)
    return figure


def convergence(records: Array, ax: Optional[Any] = None) -> Any:
    ax = _axes(ax)
    f = records["f"]
    best = np.fmin.accumulate(f) if len(f) else f
    ax.plot(records["sequence"], f, ".", color=_GREY, ms=3, alpha=0.6,
            label="evaluations")
    ax.step(records["sequence"], best, where="post", color=_BLUE, lw=1.6,
            label="best so far")
    if len(f) and np.nanmin(f) > 0:
        ax.set_yscale("log")
    ax.set(xlabel="evaluations", ylabel="f")
    ax.legend(frameon=False)
    return _tidy(ax)
