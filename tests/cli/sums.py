"""A worker that answers residuals, or simulated values: two sums of x and
their product.  sums.py [residuals|values [COUNT [SLEEP [FAIL]]]]: COUNT is a
file that gets a byte for each question, SLEEP seconds for each, FAIL the
number of the question that fails."""
import math
import sys
import time

what = sys.argv[1] if len(sys.argv) > 1 else "residuals"
count = sys.argv[2] if len(sys.argv) > 2 else "-"
pause = float(sys.argv[3]) if len(sys.argv) > 3 else 0
fails = int(sys.argv[4]) if len(sys.argv) > 4 else 0
OBSERVED = (1, 2, 0.3, 0)


def values(x):
    a = sum(x)
    b = sum((i + 1) * math.sin(v) for i, v in enumerate(x))
    return a, b, a * b / 9, x[0] - x[1]


def main():
    for number, line in enumerate(sys.stdin, 1):
        if count != "-":
            with open(count, "a") as file:
                file.write("x")
        time.sleep(pause)
        answer = values([float(word) for word in line.split()])
        if what == "residuals":
            answer = [s - o for s, o in zip(answer, OBSERVED)]
        words = [repr(number) for number in answer]
        if number == fails:
            print("oops", file=sys.stderr, flush=True)
            words[2] = "nan"
        print(*words, flush=True)


if __name__ == "__main__":
    main()
