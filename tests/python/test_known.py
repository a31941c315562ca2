"""lrgd.least_squares that begins with what another run was answered."""
import os
import tempfile

import numpy as np

import lrgd
from common import Case, main
from fitted import Record

RANDOM = np.random.default_rng(7)
A = RANDOM.normal(size=(60, 6)) @ RANDOM.normal(size=(6, 200)) / 14
DATA = A @ RANDOM.normal(size=200)


def simulate(x):
    y = A @ x
    return y + 0.05 * y ** 2


class Known(Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "old.db")
        self.f = Record(lambda x: simulate(x) - DATA)

    def fit(self, **more):
        before = self.f.calls
        fit = lrgd.least_squares(self.f, np.zeros(200), **more)
        self.assertEqual(fit.nfev, self.f.calls - before)
        self.asked = self.f.points[before:]
        return fit

    def reached(self, w, cost):
        """Evaluations of the last fit until its cost was as low."""
        costs = [0.5 * np.sum((w * (simulate(x) - DATA)) ** 2)
                 for x in self.asked]
        return 1 + [one <= cost for one in costs].index(True)

    def test_other_weights_begin_with_a_journal(self):
        w = np.linspace(0.5, 2, 60)
        old = self.fit(weights=w[::-1].copy(), journal=self.path)
        known = {x.tobytes() for x in self.f.points}
        fresh = self.fit(weights=w)
        paid = self.reached(w, 1.001 * fresh.cost)
        new = self.fit(weights=w, learn_from=self.path)
        self.assertEqual(new.phases[0].kind, "warm_start")
        self.assertLess(2 * self.reached(w, 1.001 * fresh.cost), paid)
        self.assertLess(new.cost, fresh.cost + 1e-8)
        again = [x for x in self.asked if x.tobytes() in known]
        self.assertLessEqual(len(again), 1)  # the lowest, to be sure
        self.assertGreater(old.nfev, 10)

    def test_arrays_are_known_and_resumed(self):
        self.fit()
        X = np.array(self.f.points)
        R = np.array([simulate(x) - DATA for x in X])
        prior = (np.eye(200)[:3], np.zeros(3))
        how = dict(prior=prior, learn_from=(X, R))
        whole = self.fit(**how)
        self.fit(**how, journal=self.path, max_nfev=3)
        last = self.fit_resumed(**how, journal=self.path)
        self.assertEqual(last.x.tolist(), whole.x.tolist())
        with self.assertRaisesRegex(lrgd.Error, "learned"):
            self.fit(prior=prior, learn_from=(X[:9], R[:9]),
                     journal=self.path)

    def fit_resumed(self, **more):
        return lrgd.least_squares(self.f, np.zeros(200), **more)

    def test_units_are_those_of_the_points(self):
        units = np.full(200, 4.0)
        old = self.fit(x_scale=units, journal=self.path)
        X = np.array(self.f.points)
        R = np.array([simulate(x) - DATA for x in X])
        for known in (self.path, (X, R), [(X, R), self.path]):
            new = self.fit(x_scale=units, learn_from=known)
            self.assertLess(new.nfev, old.nfev)
            self.assertLess(new.cost, old.cost + 1e-9)

    def test_another_function_is_refused(self):
        self.fit(journal=self.path)
        with self.assertRaisesRegex(lrgd.Error, "another function"):
            lrgd.least_squares(lambda x: simulate(x) - DATA - 1, np.zeros(200),
                               learn_from=self.path)
        with self.assertRaisesRegex(ValueError, "must be"):
            self.fit(learn_from=(np.zeros((2, 3)), np.zeros((2, 60))))
        lrgd.minimize(lambda x: x @ x, np.ones(200), max_evals=3,
                      journal=os.path.join(self.folder.name, "f.db"))
        with self.assertRaisesRegex(lrgd.Error, "no residuals"):
            self.fit(learn_from=os.path.join(self.folder.name, "f.db"))


if __name__ == "__main__":
    main()
