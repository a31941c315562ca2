"""lrgd.propositions: the paper's lemma, Proposition 2.2 and algebra, tried."""
from __future__ import annotations

from typing import Any, Optional

from . import _abi, _door, _minimize, _options
from ._attempt import attempt
from ._types import Arguments, Function

_ETAS = (0.0, 0.1, 0.5)


@_options.documented
def propositions(fun: Optional[Function], x0: Any, *, args: Arguments = (),
                 grad: Any = None, jac: Any = None,
                 jvp: Optional[Function] = None, batch: Any = None,
                 **options: Any) -> "dict[str, Any]":
    """Try the lemma on level sets, Proposition 2.2 and the algebra on fun.

    Parameters
    ----------
    fun, args, grad, jac, jvp, batch
        As in minimize.
    x0 : array of p numbers
        Where to look for a minimum, and around which ranks are seen.
    **options
        The library's options:

    {options}

    Returns
    -------
    dict
        With the names of `lrgd propositions --json`: "lemma" (a point at
        `level` above the minimum whose gradient points along a random
        direction), "proposition_2_2" (the share of the gradient outside the
        directions f varies along most, at steps from the minimum, and the
        epsilon that follows), "algebra" (ranks of -3 f, f + g, f g and
        exp f, with g of rank 2, beside what the paper promises), "rank",
        "f_minimum" and "evaluations".

    Examples
    --------
    >>> import numpy as np, lrgd
    >>> found = lrgd.propositions(lambda x: x @ x + x[0] ** 4, np.ones(5))
    >>> found["lemma"]["holds"], found["proposition_2_2"]["holds"]
    (True, True)
    """
    made = _options.make(options)
    x = _minimize.point(x0)
    jac = _minimize.one_gradient(grad, jac)
    door = _door.Door(x.size, fun, args=args, jac=jac, jvp=jvp, batch=batch)
    found = _abi.Propositions()
    attempt(_abi.propositions_try, found, door, (None, None), made, x)
    return _told(found)


def _told(found: _abi.Propositions) -> "dict[str, Any]":
    names = ("level", "reached", "alignment", "grad_norm", "distance", "mu",
             "delta")
    lemma = {"holds": bool(found.lemma_holds),
             **{name: getattr(found, name) for name in names},
             "not_tried_because": found.lemma_why.decode() or None}
    second = {"holds": bool(found.proposition_holds),
              "directions": found.directions,
              "outside": [{"step": found.step[i], "share": found.share[i]}
                          for i in range(found.shares)],
              "epsilon": [{"eta": eta, "least_epsilon": least}
                          for eta, least in zip(_ETAS, found.least_epsilon)
                          if found.shares],
              "not_tried_because": found.proposition_why.decode() or None}
    rows = [{"function": row.made.decode(), "rank_at_most": row.bound,
             "rank": row.rank, "holds": bool(row.holds)}
            for row in found.algebra[:found.rows]]
    return {"rank": found.rank, "f_minimum": found.f_minimum, "lemma": lemma,
            "proposition_2_2": second, "algebra": rows,
            "evaluations": found.evaluations}
