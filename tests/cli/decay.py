"""a exp(-b t) + c at eight times: values or residuals, and derivatives.

decay.py values|residuals ORACLE COUNT [WRONG AT]: a byte of the file COUNT for
each line; line AT, counted over all workers, is answered WRONG: short, long,
nan, nan-derivative, text; or slow, and then all of them are."""
import math
import sys
import time

TIMES = [0.5 * i for i in range(8)]
OBSERVED = [2.3, 1.7, 1.3, 1.0, 0.8, 0.65, 0.55, 0.47]


def values(x):
    return [x[0] * math.exp(-x[1] * t) + x[2] for t in TIMES]


def jacobian(x):
    return [[math.exp(-x[1] * t), -x[0] * t * math.exp(-x[1] * t), 1.0]
            for t in TIMES]


def answer(what, oracle, numbers):
    x, u = numbers[:3], numbers[3:]
    out = values(x)
    if what == "residuals":
        out = [v - o for v, o in zip(out, OBSERVED)]
    if oracle == "gradient":
        out += [d for row in jacobian(x) for d in row]
    elif oracle == "slope":
        assert len(u) == 3
        out += [sum(d * v for d, v in zip(row, u)) for row in jacobian(x)]
    assert oracle == "slope" or not u
    return out


def spoil(out, wrong):
    if wrong == "nan":
        out[0] = math.nan
    if wrong == "nan-derivative":
        out[-1] = math.nan
    if wrong == "text":
        return ["bug"]
    return out[:-1] if wrong == "short" else out + [
        1.0] if wrong == "long" else out


def main(what, oracle, count, wrong="", at="0"):
    for line in sys.stdin:
        with open(count, "a") as file:
            file.write(".")
            number = file.tell()
        if wrong == "slow":
            time.sleep(0.05)
        out = answer(what, oracle, [float(word) for word in line.split()])
        if number == int(at):
            out = spoil(out, wrong)
        print(*out, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
