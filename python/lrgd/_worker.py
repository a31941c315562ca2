"""A worker process: the user's function behind the worker protocol.

Run by path as `python3 _worker.py FOLDER`, never imported; of the package it
needs one file beside it.  FOLDER holds what to compute; what a function
raises is left there for the parent to raise.  What it prints goes to stderr.
"""
import os
import pickle
import sys
import traceback
from typing import Any, Dict, TextIO, Tuple


def take_over() -> Tuple[TextIO, TextIO]:
    """Moves the protocol's pipes to other descriptors, which the function
    cannot disturb."""
    questions = os.fdopen(os.dup(0), "r")
    answers = os.fdopen(os.dup(1), "w")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return questions, answers


def load(folder: str) -> Any:
    """Loads the parent's modules and paths first, then the functions."""
    from multiprocessing import process, spawn
    with open(os.path.join(folder, "work"), "rb") as file:
        prepare = pickle.load(file)
        # a script without `if __name__ == "__main__":` starts over here; this
        # is how multiprocessing tells it so
        this: Any = process.current_process()
        this._inheriting = True
        try:
            spawn.prepare(prepare)
            return pickle.load(file)
        finally:
            del this._inheriting


def leave(folder: str, error: BaseException) -> None:
    """Writes an exception for the parent, atomically."""
    story = traceback.format_exc()
    try:
        left = pickle.dumps((error, story))
        pickle.loads(left)
    except Exception:
        left = pickle.dumps((RuntimeError(f"{type(error).__name__}: {error}"),
                             story))
    name = os.path.join(folder, f"{os.getpid()}")
    with open(name + ".part", "wb") as file:
        file.write(left)
    os.replace(name + ".part", name + ".error")


def evaluator(work: Dict[str, Any]) -> Any:
    """A function that computes an answer's numbers from those of a line, and
    from whether the line ends with a J."""
    ask = beside("_answers")
    kind, p = work.pop("kind"), work.pop("p")
    if kind == "residuals":
        return ask.Derived(ask.Weighed(**work), p).ask
    plain = of_numbers(ask, kind, work)
    return lambda numbers, marked: plain(numbers)


def of_numbers(ask: Any, kind: str, work: Dict[str, Any]) -> Any:
    if kind == "outputs":
        outputs = ask.Outputs(*(work[name] for name in (
            "fun", "args", "functions", "gradient", "names")))
        outputs.know(work["sizes"])
        return outputs.ask
    fun, jac, jvp = (ask.bind(work[name], work["args"])
                     for name in ("fun", "jac", "jvp"))

    def value(numbers: Any) -> Tuple[float, ...]:
        return (ask.value(fun, numbers),)

    def gradient(numbers: Any) -> Tuple[float, ...]:
        f, g = ask.gradient(fun, jac, numbers)
        return (f, *g)

    def slope(numbers: Any) -> Tuple[float, ...]:
        x, u = numbers[:numbers.size // 2], numbers[numbers.size // 2:]
        f, d = ask.slope(fun, jvp, x, u)
        return (ask.value(fun, x) if f is None else f, d)

    return {"value": value, "gradient": gradient, "slope": slope}[kind]


def beside(name: str) -> Any:
    """A file of the package by itself: the parent's paths are set by now, and
    need not lead to the package."""
    from importlib import util
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        name + ".py")
    spec: Any = util.spec_from_file_location("lrgd" + name, path)
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(folder: str) -> None:
    questions, answers = take_over()
    try:
        answer = evaluator(load(folder))
    except BaseException as error:
        leave(folder, error)
        raise
    import numpy as np
    for line in questions:
        try:
            words = line.split()
            marked = words[-1:] == ["J"]
            numbers = np.array(words[:-1] if marked else words, dtype=float)
            text = " ".join(repr(float(n)) for n in answer(numbers, marked))
        except BaseException as error:
            leave(folder, error)
            text = "raised"
        print(text, file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
