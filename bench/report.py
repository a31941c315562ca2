"""Writes the results of docs/benchmark.md from runs that lrgd-bench --csv wrote.

usage: report.py DOC.md COMMIT RUNS.csv ... [--ends RUNS.csv]

Replaces what stands between the two marks in DOC.md.  --ends: runs to their
own end (--to-end), for what certificates claim.
"""
import collections
import csv
import math
import statistics
import sys

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
OURS = ["auto", "quasi-newton", "gd", "lrgd", "iterated", "adaptive+1", "adaptive*2"]
TITLES = {"exact": "Exactly low rank", "embedded": "Embedded classics",
          "approximate": "Approximately low rank", "fullrank": "Full rank",
          "noise": "Noisy values", "bounds": "In a box"}
TARGETS = ("to_1e-3", "to_1e-6")
MARKS = ("4p", "8p", "16p", "30p")
EARLIER = {"4p": "2.5p", "8p": "6.5p", "16p": "14.5p", "30p": "28.5p"}
SOLVED = 1e-9  # of the first value: a perfect fit (see simulators.c)


def read(paths):
    """Rows by (problem, solver), in the order of the files."""
    rows = collections.OrderedDict()
    for path in paths:
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                if row["problem"] and row["problem"] != "problem":
                    rows.setdefault((row["problem"], row["solver"]), []).append(row)
    return rows


def number(text):
    return float(text) if text else math.inf


def median(rows, column):
    return statistics.median(number(row[column]) for row in rows)


def count(value):
    return "–" if math.isinf(value) else f"{value:,.0f}"


def problems(rows, chosen):
    """Labels of the problems of a class, once each."""
    return list(dict.fromkeys(p for (p, _), group in rows.items()
                              if group[0]["class"] == chosen))


def peers(rows, problem):
    return [s for (p, s) in rows if p == problem and s not in OURS]


def best_peer(rows, problem, column):
    """(evaluations, name) of the peer that needs least."""
    return min(((median(rows[problem, s], column), s)
                for s in peers(rows, problem)), default=(math.inf, ""))


def failed(group):
    lost = sum(1 for row in group if not row["to_1e-6"])
    return f" ({lost} of {len(group)} not)" if lost else ""


def both(values):
    return " / ".join(values)


def class_table(rows, chosen):
    yield f"\n**{TITLES[chosen]}**\n"
    yield "| problem | auto | K alone | best peer | times fewer |"
    yield "|---|---|---|---|---|"
    for problem in problems(rows, chosen):
        auto = rows.get((problem, "auto"))
        if not auto:
            continue
        alone = rows.get((problem, "quasi-newton"))
        own = [median(auto, t) for t in TARGETS]
        best = [best_peer(rows, problem, t) for t in TARGETS]
        times = [f"{b / o:.2f}" if math.isfinite(o) and math.isfinite(b) else "–"
                 for o, (b, _) in zip(own, best)]
        yield (f"| {problem} | {both(map(count, own))}{failed(auto)} | "
               f"{both(count(median(alone, t)) for t in TARGETS) if alone else ''} | "
               f"{both(f'{count(b)} {s}' if s else '–' for b, s in best)} | "
               f"{both(times)} |")


def geometric(values):
    return math.exp(statistics.fmean(map(math.log, values))) if values else math.nan


def ratios(rows, chosen, solver, column):
    """Evaluations of a solver over auto's on the problems of a class; of runs
    that did not arrive, what they spent is taken.  And whether all arrived."""
    found, arrived = [], True
    for problem in problems(rows, chosen):
        if (problem, solver) not in rows or (problem, "auto") not in rows:
            continue
        own = median(rows[problem, "auto"], column)
        theirs = median(rows[problem, solver], column)
        if math.isinf(theirs):
            arrived = False
            theirs = median(rows[problem, solver], "evaluations")
        if math.isfinite(own) and theirs > 0:
            found.append(theirs / own)
    return found, arrived


def peer_table(rows):
    classes = [c for c in TITLES if problems(rows, c)]
    solvers = list(dict.fromkeys(s for (_, s) in rows if s != "auto"))
    yield "\n**Each solver, evaluations to 1e-6 in units of `auto`'s** (geometric means; >: it did not always arrive, and what it had spent was taken)\n"
    yield "| | " + " | ".join(classes) + " |"
    yield "|---|" + "---|" * len(classes)
    for solver in solvers:
        cells = []
        for chosen in classes:
            found, arrived = ratios(rows, chosen, solver, "to_1e-6")
            cells.append(("" if arrived else "> ") + f"{geometric(found):.1f}"
                         if found else "")
        if any(cells):
            yield f"| {solver} | " + " | ".join(cells) + " |"


def value_at(row, mark):
    return number(row[f"after_{mark}"])


def simulator_rows(rows, problem, solver):
    cells = []
    for mark in MARKS:
        values = [value_at(row, mark) for row in rows[problem, solver]]
        cells.append(f"{statistics.median(values):.3g} ({max(values):.3g})")
    return f"| {solver} | " + " | ".join(cells) + " |"


def not_behind(own, other, mark, earlier):
    mine = value_at(own, mark)
    theirs = value_at(other, EARLIER[mark] if earlier else mark)
    return mine <= theirs or mine <= SOLVED * number(own["start"])


def ahead_row(rows, problem, solver, earlier):
    own = {row["seed"]: row for row in rows[problem, "auto"]}
    cells = []
    for mark in MARKS:
        pairs = [(own[row["seed"]], row) for row in rows[problem, solver]
                 if row["seed"] in own]
        won = sum(not_behind(a, b, mark, earlier) for a, b in pairs)
        cells.append(f"{won} of {len(pairs)}")
    label = "within 1.5 p of" if earlier else "ahead of"
    return f"| *{label} {solver}* | " + " | ".join(cells) + " |"


def simulator_tables(rows):
    for problem in problems(rows, "simulators"):
        solvers = [s for (p, s) in rows if p == problem]
        if "auto" not in solvers:
            continue
        solvers.sort(key=lambda s: (s not in OURS, s))
        start = number(rows[problem, "auto"][0]["start"])
        yield f"\n**{problem}** (f = {start:.3g} at the start of the first seed)\n"
        yield "| | " + " | ".join(m.replace("p", " p") for m in MARKS) + " |"
        yield "|---|" + "---|" * len(MARKS)
        for solver in solvers:
            yield simulator_rows(rows, problem, solver)
        for solver in solvers[1:]:
            yield ahead_row(rows, problem, solver, solver in OURS)


def claims(paths):
    rows = [row for path in paths for row in csv.DictReader(open(path, newline=""))
            if row["solver"] == "auto" and row["class"] != "simulators"]
    given = [row for row in rows if row["bound"] and not math.isnan(float(row["bound"]))]
    hold = [r for r in given if float(r["gradient"]) <= float(r["bound"])]
    timed = [r for r in given if int(r["small_gradient"]) > 0]
    late = [r for r in timed if int(r["evaluations"]) >
            int(r["small_gradient"]) + 2 * int(r["rank"]) + 30]
    yield (f"\nRun to its own end (tolerance 1e-6 of the first gradient), `auto` gave a certificate in {len(given)} of {len(rows)} runs; "
           f"{len(hold)} of them hold, {len(timed) - len(late)} of {len(timed)} came within 2k + 30 evaluations "
           "of the first point with |∇f| at most half the tolerance.")


def seeds_of(rows, simulators):
    found = sorted({int(row["seed"]) for group in rows.values() for row in group
                    if (row["class"] == "simulators") == simulators})
    return f"{found[0]}–{found[-1]}"


def report(commit, rows, ends):
    counted = any(problems(rows, c) for c in TITLES)
    if counted:
        yield (f"\nMeasured at {commit}, seeds {seeds_of(rows, False)}. "
               "Medians of the evaluations to 1e-3 / 1e-6 of the first gap; –: half of the runs or more did not arrive.")
        for chosen in TITLES:
            if problems(rows, chosen):
                yield from class_table(rows, chosen)
        yield from peer_table(rows)
    if ends:
        yield from claims(ends)
    if problems(rows, "simulators"):
        yield "\n### Simulators"
        yield (f"\nMeasured at {commit}, seeds {seeds_of(rows, True)}: the best value after so many evaluations, median (worst). "
               "Below: at how many seeds `auto` is ahead, or has nothing left to gain (1e-9 of the first value).")
        yield from simulator_tables(rows)


def main():
    words = sys.argv[1:]
    ends = []
    while "--ends" in words:
        at = words.index("--ends")
        ends.append(words[at + 1])
        del words[at:at + 2]
    path, commit, *files = words
    text = open(path, encoding="utf-8").read()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    body = "\n".join(report(commit, read(files), ends))
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{before}{BEGIN}\n{body}\n\n{END}{after}")


if __name__ == "__main__":
    main()
