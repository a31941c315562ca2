"""Writes the tables of limits on outputs into docs/benchmark.md from runs that
lrgd-bench constrained --csv wrote.

usage: report_limits.py DOC.md COMMIT RUNS.csv ...

Replaces what stands between the marks `limits` in DOC.md.
"""
import math
import sys

from report import count, median
from report_fits import ran, read

BEGIN, END = "<!-- limits: begin -->", "<!-- limits: end -->"
TARGETS = ("to_1e-3", "to_1e-6")
WITHIN = (10, 50)  # times p + 1


def solvers_of(rows):
    return list(dict.fromkeys(solver for _, solver in rows))


def need(rows, problem, solver, target):
    group = ran(rows, problem, solver)
    return median(group, target) if group else math.inf


def dimension(rows, problem):
    return max(int(row["dimension"] or 0) for (p, _), group in rows.items()
               if p == problem for row in group)


def share(rows, chosen, solver, target, most):
    """Of those that the solver can take part in; "" where there is none."""
    able = [p for p in chosen if ran(rows, p, solver)]
    if not able:
        return "–"
    solved = sum(need(rows, p, solver, target)
                 <= most * (dimension(rows, p) + 1) for p in able)
    all_of_them = len(able) == len(chosen)
    return f"{solved / len(able):.2f}" + ("" if all_of_them
                                          else f" of {len(able)}")


def share_table(rows, chosen, solvers):
    halves = (("odd places, used while tuning", chosen[::2]),
              ("even places, reported", chosen[1::2]))
    yield ("\n| Hock and Schittkowski | τ | " + " | ".join(solvers) + " |")
    yield "|---|---|" + "---|" * len(solvers)
    for name, half in halves:
        for target in TARGETS:
            cells = " | ".join(
                " / ".join(share(rows, half, s, target, w) for w in WITHIN)
                for s in solvers)
            first = f"{len(half)}, {name}" if target == TARGETS[0] else ""
            yield f"| {first} | {target.removeprefix('to_')} | {cells} |"


def count_table(rows, chosen, solvers):
    yield "\n| | p | " + " | ".join(solvers) + " |"
    yield "|---|---|" + "---|" * len(solvers)
    for problem in chosen:
        cells = []
        for solver in solvers:
            found = [need(rows, problem, solver, t) for t in TARGETS]
            able = ran(rows, problem, solver)
            cells.append(" / ".join(map(count, found)) if able else "")
        yield (f"| {problem[1]} | {dimension(rows, problem):,} | "
               + " | ".join(cells) + " |")


def report(commit, rows):
    problems = list(dict.fromkeys(problem for problem, _ in rows))
    formulas = [p for p in problems if p[1].startswith("HS ")]
    others = [p for p in problems if p not in formulas]
    solvers = solvers_of(rows)
    yield f"\nMeasured at {commit}."
    if formulas:
        yield ("\nShare of problems solved within 10 (p + 1) / 50 (p + 1) "
               "evaluations; “of n”: of those without equations.")
        yield from share_table(rows, formulas, solvers)
    if others:
        yield ("\nEvaluations to 1e-3 / 1e-6; –: not within the budget or the "
               "time.")
        yield from count_table(rows, others, solvers)


def main():
    path, commit, *files = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    lines = "\n".join(report(commit, read(files)))
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{before}{BEGIN}\n{lines}\n\n{END}{after}")


if __name__ == "__main__":
    main()
