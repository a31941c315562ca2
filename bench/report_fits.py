"""Writes the tables of fits and of others' test functions into docs/benchmark.md
from runs that lrgd-bench --csv wrote.

usage: report_fits.py DOC.md COMMIT RUNS.csv ...

Replaces what stands between the marks `fits` in DOC.md.  A peer that computes
the same for every seed (problem and solver without chance) may have been run
with one seed: it stands for all.
"""
import collections
import csv
import math
import sys

from report import count, geometric, median, number, problems

BEGIN, END = "<!-- fits: begin -->", "<!-- fits: end -->"
FITS = {"fit-low-rank": "Low rank, p = 300 to 1,000",
        "fit-calibration": "Calibrations, p = 50 to 400",
        "fit-full-rank": "Full rank, p = 40 to 100",
        "fit-small": "A few parameters, p = 2 to 11",
        "fit-box": "In a box"}
COLLECTIONS = {"collection": "free", "collection-box": "in a box"}
OURS = ("auto", "auto-f", "quasi-newton")
TARGETS = ("to_1e-1", "to_1e-3", "to_1e-6")
GOALS = ("to_1e-1", "to_1e-3", "to_1e-5")
SIZES = (("p up to 24", 0, 24), ("p 25 to 200", 25, 200),
         ("p above 200", 201, math.inf))


def read(paths):
    """Rows by ((class, problem), solver): names are used in several classes."""
    rows = collections.OrderedDict()
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["problem"] and row["problem"] != "problem":
                    key = (row["class"], row["problem"]), row["solver"]
                    rows.setdefault(key, []).append(row)
    return rows


def ran(rows, problem, solver):
    """The runs of a solver that could take part; None: it could not."""
    group = rows.get((problem, solver))
    return group if group and any(row["outcome"] for row in group) else None


def need(rows, problem, solver, target):
    group = ran(rows, problem, solver)
    return median(group, target) if group else math.inf


def peers_of(rows):
    return list(dict.fromkeys(s for (p, s) in rows
                              if s not in OURS and p[0] in FITS))


def best_peer(rows, problem, target):
    return min(((need(rows, problem, s, target), s) for s in peers_of(rows)),
               default=(math.inf, ""))


def three(values):
    return " / ".join(values)


def fit_table(rows, chosen):
    yield f"\n**{FITS[chosen]}**\n"
    yield "| problem | auto | f alone | best peer | times fewer |"
    yield "|---|---|---|---|---|"
    for problem in problems(rows, chosen):
        own = [need(rows, problem, "auto", t) for t in TARGETS]
        alone = [need(rows, problem, "auto-f", t) for t in TARGETS]
        best = [best_peer(rows, problem, t) for t in TARGETS]
        times = [f"{b / o:.2f}" if math.isfinite(b) and math.isfinite(o) else "–"
                 for o, (b, _) in zip(own, best)]
        named = [f"{count(b)} {s}" if math.isfinite(b) else "–" for b, s in best]
        yield (f"| {problem[1]} | {three(map(count, own))} | "
               f"{three(map(count, alone))} | {three(named)} | {three(times)} |")


def against(rows, chosen, theirs, target):
    """Of a class: (geometric mean of theirs over ours where both arrive, how
    many those are, ours alone, theirs alone)."""
    ratios, ours_only, theirs_only = [], 0, 0
    for problem in problems(rows, chosen):
        own, other = need(rows, problem, "auto", target), theirs(problem, target)
        if other is None:
            continue
        if math.isfinite(own) and math.isfinite(other):
            ratios.append(other / own)
        ours_only += math.isfinite(own) and math.isinf(other)
        theirs_only += math.isinf(own) and math.isfinite(other)
    return geometric(ratios), len(ratios), ours_only, theirs_only


def cell(result):
    mean, both, ours_only, theirs_only = result
    text = f"{mean:.2f} ({both}" if both else f"– ({both}"
    if ours_only or theirs_only:
        text += f"; {ours_only}, {theirs_only}"
    return text + ")"


def peer_rows(rows):
    classes = [c for c in FITS if problems(rows, c)]
    yield ("\n**Evaluations of each peer in units of `auto`'s**, to 1e-1 / 1e-3 / "
           "1e-6: geometric means over the problems on which both arrive (how many "
           "those are; on how many `auto` arrives alone, on how many the peer "
           "alone)\n")
    yield "| | " + " | ".join(c.removeprefix("fit-") for c in classes) + " |"
    yield "|---|" + "---|" * len(classes)

    def hindsight(problem, target):
        return best_peer(rows, problem, target)[0]

    def line(name, theirs):
        cells = []
        for chosen in classes:
            found = [against(rows, chosen, theirs, t) for t in TARGETS]
            able = any(sum(f[1:]) for f in found)
            cells.append(three(map(cell, found)) if able else "")
        return f"| {name} | " + " | ".join(cells) + " |"

    yield line("*best peer of each problem*", hindsight)
    for peer in (*peers_of(rows), "auto-f"):
        yield line(peer, lambda problem, target, peer=peer:
                   need(rows, problem, peer, target)
                   if ran(rows, problem, peer) else None)


def runs_of(rows, problem, solver, seeds):
    """{seed: row}, one run standing for all seeds where there is one."""
    group = rows.get((problem, solver), [])
    found = {row["seed"]: row for row in group}
    return {seed: found.get(seed, group[0]) for seed in seeds} if group else {}


def shares(rows, chosen, low, high, solver, solvers, seeds, goal):
    """(per cent within 10 (p + 1), per cent within twice the fastest)."""
    everyone = solved = fast = 0
    for problem in problems(rows, chosen):
        table = {s: runs_of(rows, problem, s, seeds) for s in solvers}
        p = max(int(r["dimension"] or 0) for t in table.values() for r in t.values())
        if not low <= p <= high:
            continue
        for seed in seeds:
            hits = {s: number(t[seed][goal]) for s, t in table.items() if t}
            everyone += 1
            solved += hits.get(solver, math.inf) <= 10 * (p + 1)
            own = hits.get(solver, math.inf)
            fast += math.isfinite(own) and own <= 2 * min(hits.values())
    return everyone, solved, fast


def collection_tables(rows):
    solvers = list(dict.fromkeys(
        s for (p, s), group in rows.items() if group[0]["class"] in COLLECTIONS))
    solvers.sort(key=lambda s: OURS.index(s) if s in OURS else len(OURS))
    seeds = sorted({row["seed"] for (_, s), group in rows.items() for row in group
                    if s == "auto" and row["class"] in COLLECTIONS})
    yield "\n| set | τ | " + " | ".join(solvers) + " |"
    yield "|---|---|" + "---|" * len(solvers)
    for chosen, how in COLLECTIONS.items():
        for name, low, high in SIZES:
            for goal in GOALS:
                found = [shares(rows, chosen, low, high, s, solvers, seeds, goal)
                         for s in solvers]
                if not found[0][0]:
                    continue
                first = f"{found[0][0] // len(seeds)} {how}, {name}"
                cells = " | ".join(f"{100 * a / n:.0f}, {100 * b / n:.0f}"
                                   for n, a, b in found)
                yield (f"| {first if goal == GOALS[0] else ''} | "
                       f"{goal.removeprefix('to_')} | {cells} |")


def report(commit, rows):
    seeds = sorted({int(row["seed"]) for group in rows.values() for row in group})
    yield (f"\nMeasured at {commit}, seeds {seeds[0]}–{seeds[-1]}, the problems "
           "for reporting only.")
    if any(problems(rows, c) for c in FITS):
        yield "\n### Fits"
        yield ("\nMedians of the evaluations to 1e-1 / 1e-3 / 1e-6 of the first gap; "
               "–: half of the runs or more did not arrive.")
        for chosen in FITS:
            if problems(rows, chosen):
                yield from fit_table(rows, chosen)
        yield from peer_rows(rows)
    if any(problems(rows, c) for c in COLLECTIONS):
        yield "\n### Others' test functions"
        yield ("\nPer cent of runs that arrive within 10 (p + 1) evaluations, and "
               "after the comma per cent that need at most twice those of the "
               "fastest of these solvers.")
        yield from collection_tables(rows)


def main():
    path, commit, *files = sys.argv[1:]
    text = open(path, encoding="utf-8").read()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    body = "\n".join(report(commit, read(files)))
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{before}{BEGIN}\n{body}\n\n{END}{after}")


if __name__ == "__main__":
    main()
