"""A suite of functions and options through two doors: a worker of the
command's, and Python.  Counts, path and result are the same to the bit."""
import json
import math
import os
import subprocess

import numpy as np
from common import HERE, LRGD, PYTHON, Case, main

import lrgd
from functions import FUNCTIONS, P

WORKER = f"{PYTHON} {os.path.join(HERE, 'functions.py')}"
EXIT = {"converged": 0, "target": 0, "budget": 3, "stalled": 3, "stopped": 3,
        "failed": 4, "unbounded": 5}


class Asked:
    """A function of FUNCTIONS as Python gives it, counting its calls."""

    def __init__(self, name):
        self.f, self.calls = FUNCTIONS[name], 0

    def value(self, x):
        self.calls += 1
        return self.f(x.tolist())[0]

    def both(self, x):
        self.calls += 1
        return self.f(x.tolist())

    def gradient(self, x):
        return self.f(x.tolist())[1]

    def slope(self, x, u):
        self.calls += 1
        f, g = self.f(x.tolist())
        return f, sum(a * b for a, b in zip(g, u.tolist()))

    def batch(self, X):
        return [self.value(x) for x in X]


WAYS = {  # how Python may be given a function -> the oracle of the command
    "value": ("value", lambda f: (f.value, {})),
    "batch": ("value", lambda f: (None, dict(batch=f.batch))),
    "both": ("gradient", lambda f: (f.both, dict(jac=True))),
    "gradient": ("gradient", lambda f: (f.value, dict(grad=f.gradient))),
    "slope": ("slope", lambda f: (None, dict(jvp=f.slope))),
}


def same(a, b):
    """Numbers to the bit; JSON has null where a number is none."""
    return a == b or (b is None and not math.isfinite(a))


class Doors(Case):
    def command(self, name, oracle, start, bounds, options):
        flags = [str(word) for key, value in options.items()
                 for word in (f"--{key.replace('_', '-')}", value)]
        if bounds is not None:
            flags += ["--lower", str(bounds[0]), "--upper", str(bounds[1])]
        run = subprocess.run(
            [LRGD, "minimize", "--worker", f"{WORKER} {name} {oracle}",
             "--oracle", oracle, "--dim", str(P), "--start", str(start),
             "--json", "--quiet", *flags], cwd=self.folder, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=600)
        return json.loads(run.stdout), run.returncode

    def same(self, name, way="value", start=0, bounds=None, **options):
        with self.subTest(name, way=way, start=start, bounds=bounds,
                          **options):
            oracle, give = WAYS[way]
            told, code = self.command(name, oracle, start, bounds, options)
            asked = Asked(name)
            fun, how = give(asked)
            found = lrgd.minimize(fun, np.full(P, float(start)),
                                  bounds=bounds, **how, **options)
            self.compare(found, told)
            self.assertEqual(EXIT[found.outcome], code)
            self.assertEqual(asked.calls, found.nfev)

    def compare(self, found, told):
        for name in ("outcome", "evaluations", "oracle_calls", "counts",
                     "rank", "seed", "method", "message"):
            self.assertEqual(found[name], told[name], name)
        self.assertEqual(found.nit, told["iterations"])
        self.assertTrue(same(found.fun, told["f"]), (found.fun, told["f"]))
        self.assertEqual(found.x.tolist(), told["x"])
        self.assertEqual([phase.text for phase in found.phases],
                         [phase["text"] for phase in told["phases"]])
        self.assertEqual([(phase.kind, phase.value) for phase in found.phases],
                         [(phase["kind"], phase.get("value"))
                          for phase in told["phases"]])
        proof = found.certificate
        self.assertEqual(proof and proof._asdict(), told["certificate"])

    # ---- the suite ----

    def test_every_function_from_values(self):
        for name in FUNCTIONS:
            self.same(name, max_evals=3000)

    def test_every_function_from_gradients(self):
        for name in FUNCTIONS:
            self.same(name, "both", max_evals=300)
        self.same("bowl", "gradient")

    def test_every_function_from_slopes(self):
        for name in FUNCTIONS:
            self.same(name, "slope", max_evals=1000)

    def test_batches_give_the_run_of_the_command(self):
        for name in ("bowl", "valley", "noisy", "holes"):
            self.same(name, "batch", max_evals=2000)

    def test_every_method_gives_the_run_of_the_command(self):
        for method in lrgd.options["method"].choices:
            rank = {"rank": 3} if method in ("lrgd", "iterated") else {}
            self.same("bowl", method=method, max_evals=1500, **rank)
            self.same("banana", "slope", method=method, max_evals=1500,
                      **rank)

    def test_every_step_rule_gives_the_run_of_the_command(self):
        for step in lrgd.options["step"].choices:
            self.same("bowl", "both", method="lrgd", rank=3, step=step,
                      alpha=1e-3, max_evals=200)

    def test_bounds_give_the_run_of_the_command(self):
        for name in ("bowl", "slope", "valley", "noisy", "wall"):
            self.same(name, bounds=(-0.3, 0.2), max_evals=3000)
        self.same("bowl", "both", bounds=(-0.3, 0.2))
        self.same("quadratic", "slope", bounds=(-math.inf, 0.1),
                  max_evals=2000)
        self.same("bowl", method="gd", bounds=(0, 1), max_evals=500)

    def test_budgets_and_targets_give_the_run_of_the_command(self):
        for n in (0, 1, 2, P, P + 1, 77):
            self.same("valley", start=-1, max_evals=n)
        self.same("valley", "both", start=-1, max_evals=7)
        self.same("valley", start=-1, max_iterations=3)
        self.same("bowl", target=0.5)
        self.same("bowl", "slope", target=0.5)
        self.same("bowl", target=1e9)

    def test_noise_failures_and_seeds_give_the_run_of_the_command(self):
        self.same("noisy", noise=3e-4, max_evals=3000)
        self.same("rounded", differences="central", max_evals=3000)
        self.same("holes", retries=2, max_evals=2000)
        self.same("holes", max_failures=3)
        self.same("nowhere", max_failures=0)
        for seed in (0, 2, 12345):
            self.same("banana", seed=seed)
        self.same("bowl", rank=2, probes=3, confidence=0.5, tol=1e-2)
        self.same("quadratic", method="adaptive", growth="double",
                  identify="qr", oversample=2, max_evals=1500)

    def test_an_exception_comes_after_exactly_the_evaluations_paid_for(self):
        for way in ("value", "slope", "both"):
            for n in (1, 5, 30):
                asked = Asked("valley")
                fun, how = WAYS[way][1](asked)

                def broken(*given):
                    if asked.calls == n - 1:
                        asked.calls += 1
                        raise ArithmeticError(n)
                    return (fun or how["jvp"])(*given)
                given = (dict(how, jvp=broken) if way == "slope" else how)
                with self.subTest(way, n=n), \
                        self.assertRaises(ArithmeticError) as caught:
                    lrgd.minimize(broken if fun else None, -np.ones(P),
                                  **given)
                self.assertEqual(asked.calls, n)
                self.assertEqual(caught.exception.lrgd_result.nfev, n)


class Diagnoses(Case):
    def test_python_and_the_command_diagnose_the_suite_alike(self):
        for name, oracle in (("bowl", "value"), ("valley", "gradient"),
                             ("wall", "slope"), ("constant", "value"),
                             ("noisy", "value"), ("nowhere", "value")):
            with self.subTest(name, oracle=oracle):
                told = subprocess.run(
                    [LRGD, "diagnose", "--worker",
                     f"{WORKER} {name} {oracle}", "--oracle", oracle, "--dim",
                     str(P), "--start", "0", "--json", "--quiet"],
                    cwd=self.folder, stdout=subprocess.PIPE, text=True,
                    timeout=600).stdout
                fun, how = WAYS["both" if oracle == "gradient" else oracle][1](
                    Asked(name))
                told = json.loads(told)
                found = lrgd.diagnose(fun, np.zeros(P), **how)
                self.assertEqual(bool(found.low_rank), told["low_rank"])
                for field in ("recommended_rank", "evaluations",
                              "verdict", "outcome", "predicted_calls"):
                    self.assertEqual(getattr(found, field), told[field], field)
                self.assertEqual(found.spectrum.tolist(), told["spectrum"])


if __name__ == "__main__":
    main()
