"""Calls a function, and converts what it returned to the numbers required.

Knows what people return (numpy's numbers, arrays of one, tensors) and says
what is wrong with the rest.  Used by the door and by worker processes, which
load this file by itself: it needs numpy and nothing of the package.
"""
from typing import Any, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

_DOUBLE = np.dtype(float)
_REAL = "biuf"  # kinds of numpy's dtypes
_WRONG = (TypeError, ValueError, RuntimeError, OverflowError)


def number(answer: Any, who: str) -> float:
    """One real number.  who: as in "fun returned"."""
    if isinstance(answer, float):
        return answer
    if answer is None:
        raise TypeError(f"{who} None where one number was asked: is a "
                        "`return` missing?")
    if isinstance(answer, (np.ndarray, np.generic, list, tuple)):
        return float(vector(answer, 1, who)[0])
    if isinstance(answer, (str, bytes, complex)):
        raise TypeError(f"{who} {_shown(answer)} where one real number was "
                        "asked")
    try:
        return float(answer)  # an int, a tensor, a fraction
    except _WRONG as error:
        raise TypeError(f"{who} {_shown(answer)} where one number was asked "
                        f"({error})") from None


def vector(answer: Any, count: int, who: str) -> NDArray[np.float64]:
    """So many real numbers, whatever shape they had."""
    if type(answer) is np.ndarray and answer.shape == (count,) and (
            answer.dtype == _DOUBLE):
        return answer  # nothing to look for
    asked = "one number was" if count == 1 else f"{count} numbers were"
    if answer is None:
        raise TypeError(f"{who} None where {asked} asked")
    try:
        numbers = np.asarray(answer)
        if numbers.dtype.kind == "O":  # fractions; or None among them
            numbers = numbers.astype(float)
    except _WRONG as error:
        raise TypeError(f"{who} {_shown(answer)} where {asked} asked "
                        f"({error})") from None
    if numbers.dtype.kind not in _REAL:
        raise TypeError(f"{who} {_shown(answer)}, which is {numbers.dtype}, "
                        f"where {asked} asked")
    if numbers.size != count:
        raise ValueError(f"{who} an array of shape {numbers.shape} where "
                         f"{asked} asked")
    return numbers.reshape(count).astype(float, copy=False)


def residuals(answer: Any) -> NDArray[np.float64]:
    """The residuals that a function returned; a number is one of them."""
    who = "fun returned"
    if answer is None:
        raise TypeError(f"{who} None where residuals were asked: is a "
                        "`return` missing?")
    try:
        numbers = np.asarray(answer)
        if numbers.dtype.kind == "O":
            numbers = numbers.astype(float)
    except _WRONG as error:
        raise TypeError(f"{who} {_shown(answer)} where residuals were asked "
                        f"({error})") from None
    if numbers.dtype.kind not in _REAL:
        raise TypeError(f"{who} {_shown(answer)}, which is {numbers.dtype}, "
                        "where residuals were asked")
    if numbers.ndim > 1 or numbers.size == 0:
        hint = "; return its .ravel()" if numbers.size else ""
        raise ValueError(f"{who} an array of shape {numbers.shape}; residuals "
                         f"are a vector{hint}")
    return numbers.reshape(numbers.size).astype(float, copy=False)


def value(fun: Any, x: NDArray[Any]) -> float:
    """f; the function gets a copy of x, here and below."""
    return number(fun(x.copy()), "fun returned")


def gradient(fun: Any, jac: Any,
             x: NDArray[Any]) -> Tuple[float, NDArray[np.float64]]:
    """f and its gradient; jac is True where fun returns both."""
    f, g = fun(x.copy()), None
    if jac is True:
        f, g = _pair(f, "fun returned", "(f, gradient)")
    else:
        g = jac(x.copy())
    return number(f, "fun returned"), vector(g, x.size, "the gradient is")


def slope(fun: Any, jvp: Any, x: NDArray[Any],
          u: NDArray[Any]) -> Tuple[Optional[float], float]:
    """f and its slope along u; f is None where jvp gives the slope alone, and
    fun can be asked."""
    answer = jvp(x.copy(), u.copy())
    if isinstance(answer, (tuple, list)):
        f, d = _pair(answer, "jvp returned", "(f, slope)")
        return number(f, "jvp returned"), number(d, "jvp returned")
    d = number(answer, "jvp returned")
    if fun is None:
        raise TypeError("jvp returned a slope alone, and there is no fun to "
                        "ask for f: return (f, slope)")
    return None, d


def bind(function: Any, args: Tuple[Any, ...]) -> Any:
    """The function with more arguments after its own; jac=True is none."""
    if not args or not callable(function):
        return function
    return lambda *given: function(*given, *args)


def _pair(answer: Any, who: str, parts: str) -> Tuple[Any, Any]:
    try:
        first, second = answer
    except _WRONG:
        raise TypeError(f"{who} {_shown(answer)} where {parts} was "
                        "asked") from None
    return first, second


def _shown(answer: Any) -> str:
    text = " ".join(repr(answer).split())
    if len(text) > 60:
        text = f"{text[:40]} ..."
    return f"{text} ({type(answer).__name__})"
