"""The runs that must be the same to the last bit wherever they are made.

take(LRGD, BUILD) makes them with a command, and from Python on the libraries of
a build; it gives each run's JSON, less what a clock says.  Functions are the
built-in problems, and valley.py, which needs no libm.
"""
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"
# a start all over a box from -2 to 3, from where a Gaussian process opens
SCATTERED = os.path.join(HERE, "scattered.txt")

# one line, one run: methods, oracles, boxes, steps, problems, programs, widths,
# residuals, limits; after " then " comes what goes on from the files of a first
COMMANDS = """
minimize quadratic --set p=60
minimize quadratic --set p=60 --method gd --max-evals 4000
minimize quadratic --set p=60 --method lrgd --rank 5
minimize quadratic --set p=60 --oracle slope --method iterated --rank 5
minimize ridge --set p=80 --method adaptive --growth double
minimize ridge --set p=300 --set sigma=cosh --method quasi-newton
minimize ridge --set p=80 --oracle gradient --step wolfe --method adaptive
minimize ridge --set p=80 --lower -0.4 --upper 0.3
minimize logistic --set p=90 --oracle slope
minimize logistic --set p=90 --lower -0.1 --upper 0.2 --method lrgd --rank 5
minimize least-squares --set p=500 --oracle complex --max-evals 900
minimize least-squares --set p=150 --method quasi-newton --oracle gradient
minimize network --oracle complex --max-evals 900
minimize rosenbrock --set p=100 --set n=6 --max-evals 900
minimize chained-rosenbrock --set p=150 --set n=6 --max-evals 900
minimize powell --set n=8 --method iterated --rank 8 --step bfgs --max-evals 900
minimize beale --oracle gradient --method adaptive --step nesterov
minimize log-sum-exp --step adam --method lrgd --rank 5 --max-evals 900
minimize styblinski-tang --restarts 2 --max-evals 1200
minimize hartmann --seed 7 --max-evals 900
minimize branin --differences central --identify qr --method lrgd --rank 2
minimize borehole --scale 3 --max-evals 300
minimize piston --log all --max-evals 300
minimize hiv --max-evals 300
minimize predator --max-evals 900
minimize heat-rod --max-evals 900 --noise 1e-6
minimize exponentials --max-evals 900 --identify gram-schmidt
minimize elliptic --set cells=8 --oracle gradient --max-evals 200
minimize plate --set length=6 --set width=4 --max-evals 400
minimize cascade --set p=20 --max-evals 200
minimize airfoil --set panels=40 --max-evals 400
minimize ladder --max-evals 400
minimize swing --set p=20 --max-evals 400
minimize aquifer --set along=4 --set across=4 --max-evals 400
minimize coating --max-evals 400
minimize pathway --max-evals 300
minimize antenna --max-evals 500
minimize tower --set storeys=3 --max-evals 500
minimize --worker '{valley} value' --dim 40 --start 0.1 --max-evals 700
minimize --worker '{valley} gradient' --oracle gradient --dim 40 --max-evals 99
minimize --worker '{valley} slope' --oracle slope --dim 40 --jobs 2 --max-evals 300
minimize --worker '{valley} value' --dim 30 --method adaptive --jobs 3 --max-evals 500
minimize --worker '{valley} value - 1e-5' --dim 30 --max-evals 600
minimize --worker '{valley} value - 1e-3' --noise 1e-3 --dim 30 --max-evals 600
minimize --worker '{valley} value - 0 0.7' --dim 30 --lower -2 --upper 3 --max-evals 600
minimize --program '{valley} value' --dim 12 --lower -1 --upper 1 --max-evals 40 --jobs 2
diagnose ridge --set p=30 --set rank=3
diagnose wing-weight --try-transforms --max-evals 6000
diagnose --worker '{valley} gradient' --oracle gradient --dim 20 --max-evals 300
minimize beale --set p=5
minimize powell --set p=8 --max-evals 500
minimize branin --lower -4 --upper 9 --max-evals 300
minimize rosenbrock --set p=6 --noise 1e-4 --max-evals 200
minimize ridge --set p=60 --width 4
minimize ridge --set p=60 --width 16 --max-evals 3000
minimize rosenbrock --set p=40 --set n=4 --width 16 --max-evals 3000
minimize hiv --width 16 --max-evals 800
minimize logistic --set p=50 --lower -0.1 --upper 0.2 --width 4 --max-evals 2000
minimize --worker '{valley} value' --dim 30 --width 16 --jobs 2 --max-evals 800
minimize --residuals --worker '{valley} residuals' --dim 30 --max-evals 300
minimize --residuals --worker '{valley} residuals' --dim 30 --lower -0.3 --upper 0.4 --width 4 --jobs 2 --max-evals 300
minimize --residuals --worker '{valley} residuals' --dim 12 --loss huber --max-evals 200
minimize --residuals --worker '{valley} residuals' --dim 8 --method quasi-newton --max-evals 200
fit --worker '{valley} residuals' --dim 20 --observations seen.txt --max-evals 300
minimize --answers f,far,first --worker '{valley} outputs' --constraint 'far <= 2' --dim 10 --start 0.1 --max-evals 400
minimize --answers f,far,first --worker '{valley} outputs' --constraint '0.1 <= first <= 0.4' --constraint 'far <= 4' --dim 20 --start 0.1 --lower -1 --upper 1 --max-evals 400
minimize --answers f,far,first --worker '{valley} outputs' --objective first --maximize --constraint 'far <= 1' --dim 10 --start 0.1 --max-evals 300
minimize --answers f,far,first --worker '{valley} outputs' --at-most rows.txt most.txt --dim 6 --start 0.1 --max-evals 200
minimize --worker '{valley} value' --dim 6 --equal rows.txt most.txt --lower -1 --upper 2 --max-evals 400
minimize --worker '{valley} value' --dim 30 --restarts 1 --method quasi-newton --max-evals 800
minimize ridge --set p=60 --journal a.db --max-evals 200 then minimize ridge --set p=60 --seed 2 --learn-from a.db --max-evals 1500
minimize rosenbrock --set p=50 --set n=4 --method lrgd --rank 4 --journal a.db --max-evals 500 then minimize rosenbrock --set p=50 --set n=4 --learn-from a.db --max-evals 1500
minimize heat-rod --journal a.db --max-evals 300 then diagnose heat-rod --learn-from a.db --max-evals 3000
minimize --worker '{valley} value' --dim 24 --lower -2 --upper 3 --start {scattered} --max-evals 200
minimize hiv --method lrgd --rank 6 --journal a.db --max-evals 900 then minimize hiv --learn-from a.db --max-evals 200
propositions ridge --set p=20
check ridge --set p=20 --oracle gradient
reproduce figure-1
reproduce acceleration
reproduce theorems
"""


def less_the_clock(what):
    if isinstance(what, dict):
        return {key: less_the_clock(value) for key, value in what.items()
                if key != "seconds"}
    if isinstance(what, list):
        return [less_the_clock(value) for value in what]
    return what


# what runs read: observations; A x = b or A x <= b for six inputs
FILES = {
    "seen.txt": "a 0\nb 0.1\nc -0.2 2\nd 0.3\ne 0 0.5\n",
    "rows.txt": "1 1 1 1 1 1\n1 -1 2 0 0 0\n",
    "most.txt": "0.9\n0.4\n",
}


def run_once(words, lrgd, folder, env):
    """The JSON and the exit status of one call."""
    run = subprocess.run([lrgd, *words, "--json", "--quiet"], cwd=folder,
                         env=env, stdin=subprocess.DEVNULL, text=True,
                         capture_output=True, timeout=600)
    if run.returncode not in (0, 3):
        raise SystemExit(f"{lrgd} {shlex.join(words)}\n"
                         f"exit status {run.returncode}\n"
                         f"{run.stdout[:300]}\n{run.stderr[-3000:]}")
    found = less_the_clock(json.loads(run.stdout))
    found["exit status"] = run.returncode
    return found


def make(command, lrgd, env):
    """A line of COMMANDS: (the line, the JSON of its last run)."""
    valley = f"{PYTHON} {os.path.join(HERE, 'valley.py')}"
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        for one in command.format(valley=valley, scattered=SCATTERED).split(" then "):
            found = run_once(shlex.split(one), lrgd, folder, env)
    return command, json.dumps(found, sort_keys=True)


def from_python(build, env):
    """The runs of from_python.py, on the libraries of a build."""
    package = os.path.join(HERE, "..", "..", "python")
    run = subprocess.run(
        [PYTHON, os.path.join(HERE, "from_python.py")], text=True,
        capture_output=True, timeout=600, stdin=subprocess.DEVNULL,
        env={**env, "LRGD_LIBDIR": os.path.abspath(build),
             "PYTHONPATH": package, "PYTHONDONTWRITEBYTECODE": "1"})
    if run.returncode:
        raise SystemExit(f"Python on {build}\n{run.stdout}{run.stderr}")
    return {f"python: {name}": json.dumps(less_the_clock(found),
                                          sort_keys=True)
            for name, found in json.loads(run.stdout).items()}


def take(lrgd, build=None, env=None):
    """All runs: what they are called -> their canonical JSON."""
    env = {**os.environ, **(env or {})}
    commands = COMMANDS.strip().split("\n")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        python = pool.submit(from_python, build, env) if build else None
        found = dict(pool.map(lambda c: make(c, lrgd, env), commands))
        if python:
            found.update(python.result())
    return found


if __name__ == "__main__":
    for name, told in take(*sys.argv[1:]).items():
        print(name, told, sep="\n")
