"""A worker process: the user's function behind the worker protocol.

Run by path as `python3 _worker.py FOLDER`, never imported; it does not need
the package.  FOLDER holds what to compute; what a function raises is left
there for the parent to raise.  What the function prints goes to stderr.
"""
import os
import pickle
import sys
import traceback


def take_over():
    """The pipes of the protocol, out of the function's way."""
    questions = os.fdopen(os.dup(0), "r")
    answers = os.fdopen(os.dup(1), "w")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return questions, answers


def load(folder):
    """The parent's modules and paths first, then the functions."""
    from multiprocessing import process, spawn
    with open(os.path.join(folder, "work"), "rb") as file:
        prepare = pickle.load(file)
        # a script without `if __name__ == "__main__":` starts over here; this
        # is how multiprocessing tells it so
        process.current_process()._inheriting = True
        try:
            spawn.prepare(prepare)
            return pickle.load(file)
        finally:
            del process.current_process()._inheriting


def leave(folder, error):
    """Leaves an exception for the parent, whole or not at all."""
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


def answerer(work):
    """The function from the numbers of a line to those of the answer."""
    import numpy as np
    kind, fun, jac, jvp, args = (
        work[name] for name in ("kind", "fun", "jac", "jvp", "args"))

    def value(numbers):
        return (fun(numbers, *args),)

    def gradient(numbers):
        if jac is True:
            f, g = fun(numbers, *args)
        else:
            f, g = fun(numbers.copy(), *args), jac(numbers, *args)
        g = np.asarray(g, dtype=float).ravel()
        if g.size != numbers.size:
            raise ValueError(f"the gradient has {g.size} numbers; x has "
                             f"{numbers.size}")
        return (f, *g)

    def slope(numbers):
        x, u = numbers[:numbers.size // 2], numbers[numbers.size // 2:]
        answer = jvp(x.copy(), u.copy(), *args)
        if isinstance(answer, (tuple, list)):
            return answer
        return fun(x.copy(), *args), answer

    return {"value": value, "gradient": gradient, "slope": slope}[kind]


def main(folder):
    questions, answers = take_over()
    try:
        answer = answerer(load(folder))
    except BaseException as error:
        leave(folder, error)
        raise
    import numpy as np
    for line in questions:
        try:
            numbers = np.array(line.split(), dtype=float)
            text = " ".join(repr(float(n)) for n in answer(numbers))
        except BaseException as error:
            leave(folder, error)
            text = "raised"
        print(text, file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
