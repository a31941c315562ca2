"""A simulator as people have them: reads a file, writes a file.

    rod.py INPUT OUTPUT

A rod of 30 pieces, each with a conductivity of its own, is heated at one end.
INPUT has a line `name = value` for each piece; OUTPUT gets the temperature at
four gauges, ten times."""
import sys

PIECES, STEPS, STEP = 30, 400, 0.25
GAUGES = (6, 13, 20, 27)


def simulate(k):
    """Temperatures at the gauges, every 40 steps."""
    warmth, told = [0.0] * PIECES, []
    across = [2 / (1 / a + 1 / b) for a, b in zip(k, k[1:])]
    for step in range(1, STEPS + 1):
        flow = [k[0] * (1 - warmth[0])] + [
            c * (a - b) for c, a, b in zip(across, warmth, warmth[1:])] + [0.0]
        warmth = [w + STEP * (i - o)
                  for w, i, o in zip(warmth, flow, flow[1:])]
        if step % 40 == 0:
            told += [warmth[g] for g in GAUGES]
    if not all(abs(w) < 10 for w in told):
        raise ValueError("the step is too long for these conductivities")
    return told


def main(read, write):
    with open(read, encoding="utf-8") as file:
        given = dict(line.split(" = ") for line in file)
    told = simulate([float(value) for value in given.values()])
    with open(write, "w", encoding="utf-8") as file:
        file.writelines(f"{value:.10f}\n" for value in told)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except ValueError as error:
        sys.exit(f"rod: {error}")
