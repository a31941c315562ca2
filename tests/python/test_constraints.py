"""lrgd.minimize with constraints: counts, results, workers, journals, ask and
tell, and what is refused."""
import os
import warnings

import numpy as np
from scipy.optimize import LinearConstraint, NonlinearConstraint
import scipy.optimize

import lrgd
from common import Boom, Case, Counter, main, throw

LOADS = np.array([3.0, 1.0, 2.0, 0.5])


def mass(x):
    return float(x.sum())


def stresses(x):
    """Of two bars: their limits are active."""
    return np.array([(LOADS / x).sum(), 1 / x[0] + 1 / x[1]])


def answers(x):
    return {"tip": float(x[0] * x[1]), "mass": mass(x),
            "stress": float((LOADS / x).sum())}


BOX = (0.1, 20.0)
START = np.full(4, 5.0)
LIMITED = dict(bounds=BOX, constraints=NonlinearConstraint(
    stresses, -np.inf, [4, 1.5]))
# least sum of x with sum of LOADS / x at most 4
LEAST = np.sqrt(LOADS).sum() ** 2 / 4


class Results(Case):
    def test_f_and_each_constraint_are_asked_once_at_each_point(self):
        f, c, d = (Counter(fun) for fun in (mass, stresses, lambda x: x[0]))
        result = lrgd.minimize(f, START, bounds=BOX, constraints=[
            NonlinearConstraint(c, -np.inf, [4, 9]),
            {"type": "ineq", "fun": d}])
        self.assertTrue(result.success, result.message)
        self.assertEqual(result.nfev, f.calls)
        self.assertEqual(result.nfev, c.calls)
        self.assertEqual(result.nfev, d.calls)

    def test_the_limits_hold_and_f_is_the_least(self):
        result = lrgd.minimize(mass, START, **LIMITED)
        self.assertTrue(result.success, result.message)
        self.assertLess(abs(result.fun - LEAST), 1e-5)
        self.assertLess(result.constr_violation, 4e-6)
        self.assertLessEqual(result.violation, 1e-6)
        self.assertEqual(result.fun, mass(result.x))
        np.testing.assert_array_equal(result.constr[0], stresses(result.x))
        self.assertEqual(result.outputs["c1[1]"], stresses(result.x)[0])

    def test_v_is_the_multiplier_of_a_limit_with_scipys_sign(self):
        result = lrgd.minimize(mass, START, **LIMITED)
        price = LEAST / 4  # of S^2 / s by s
        self.assertLess(abs(result.multipliers["c1[1]"] - price), 1e-3)
        self.assertLess(abs(result.v[0] - [price, 0]).max(), 1e-3)
        turned = lrgd.minimize(mass, START, bounds=BOX, constraints={
            "type": "ineq", "fun": lambda x: 4 - stresses(x)[0]})
        self.assertLess(abs(turned.v[0] + price).max(), 1e-3)
        theirs = scipy.optimize.minimize(
            mass, START, method="trust-constr", bounds=[BOX] * 4,
            constraints=LIMITED["constraints"])
        self.assertLess(abs(result.v[0] - theirs.v[0]).max(), 2e-2)

    def test_v_of_an_equation_is_the_derivative_by_its_right_hand_side(self):
        result = lrgd.minimize(lambda x: float(x @ x), [3.0, 1.0],
                               constraints=NonlinearConstraint(
                                   lambda x: x[0] * x[1], 4, 4))
        self.assertLess(abs(result.x - 2).max(), 1e-4)
        self.assertLess(abs(result.v[0] + 2).max(), 1e-3)  # f is 2 c

    def test_answers_by_name_are_maximised_under_limits_that_are_texts(self):
        result = lrgd.minimize(
            answers, START, bounds=BOX, answers=["mass", "stress", "tip"],
            objective="tip", maximize=True,
            constraints=["mass <= 20", "0 <= stress <= 9"])
        self.assertTrue(result.success, result.message)
        self.assertEqual(result.outputs, answers(result.x))
        self.assertEqual(result.fun, result.outputs["tip"])
        self.assertLess(abs(result.outputs["mass"] - 20), 1e-4)
        self.assertGreater(result.multipliers["mass"], 1)
        self.assertEqual(set(result.multipliers), {"mass", "stress"})

    def test_logarithms_and_scales_lead_to_the_same_point(self):
        for how in (dict(log=True), dict(scale=[1, 2, 0.5, 4])):
            result = lrgd.minimize(mass, START, **LIMITED, **how)
            self.assertLess(abs(result.fun - LEAST), 1e-4, how)

    def test_a_linear_constraint_is_kept_at_every_point_where_asked(self):
        seen = []
        row = np.array([[1.0, -1, 2, 0]])

        def f(x):
            seen.append(row @ x)
            return float((x - [3, 0, 3, 1]) @ (x - [3, 0, 3, 1]))
        for scale in (None, [1, 4, 2, 1]):
            result = lrgd.minimize(f, np.zeros(4), scale=scale, constraints=[
                LinearConstraint(row, -3, 5, keep_feasible=True),
                {"type": "ineq", "fun": lambda x: 9 - x @ x}])
            self.assertTrue(result.success, result.message)
            self.assertLess(abs(row @ result.x - 5).max(), 1e-4)
            self.assertIsNone(result.v[0])
        self.assertLessEqual(np.max(seen), 5)
        self.assertGreaterEqual(np.min(seen), -3)

    def test_a_problem_without_a_feasible_point_is_reported(self):
        result = lrgd.minimize(mass, [1.0, 1.0], constraints=[
            {"type": "ineq", "fun": lambda x: 1 - x @ x},
            {"type": "ineq", "fun": lambda x: x[0] - 2}])
        self.assertFalse(result.success)
        self.assertEqual(result.stall_reason, "infeasible")
        self.assertGreater(result.constr_violation, 0.1)

    def test_a_message_names_the_constraint_that_cannot_be_met(self):
        def height(x):
            return x[0]

        def both(x):
            return [x[0], x[0] + x[1]]
        disc = NonlinearConstraint(lambda x: x @ x, -1, 1)
        for constraints, name in (
                ([disc, NonlinearConstraint(height, 4, 9)],
                 "constraint 2 (height)"),
                ([disc, NonlinearConstraint(both, [-9, 7], [9, 9])],
                 "c2[2] of constraint 2 (both)"),
                ([{"type": "ineq", "fun": lambda x: x[0] - 4}, disc],
                 "constraint 1")):
            result = lrgd.minimize(mass, [1.0, 1.0],
                                   constraints=constraints)
            self.assertFalse(result.success)
            self.assertIn(f"{name} ", result.message + " ")

    def test_it_serves_as_a_method_of_scipys_minimize(self):
        result = scipy.optimize.minimize(
            mass, START, method=lrgd.scipy_method, bounds=[BOX] * 4,
            constraints=LIMITED["constraints"])
        self.assertLess(abs(result.fun - LEAST), 1e-5)

    def test_equations_alone_are_kept_and_told_too(self):
        result = lrgd.minimize(lambda x: float(x @ x), np.ones(3),
                               constraints=LinearConstraint(np.ones((1, 3)),
                                                            1, 1))
        self.assertLess(result.constr_violation, 1e-12)

    def test_a_curved_equation_is_distinguished_from_a_linear_one_early(self):
        count = Counter(lambda x: x @ x - 1)
        f = Counter(lambda x: float(x.sum()))
        lrgd.minimize(f, np.ones(20), constraints={"type": "eq",
                                                   "fun": count})
        self.assertEqual(count.calls, f.calls + 4)


class Failures(Case):
    def test_an_exception_in_a_constraint_carries_the_best_point_so_far(self):
        count = Counter(stresses, 12, throw)
        with self.assertRaises(Boom) as caught:
            lrgd.minimize(mass, START, bounds=BOX, constraints=[
                NonlinearConstraint(count, -np.inf, [4, 9])])
        self.assertEqual(caught.exception.lrgd_result.outcome, "stopped")

    def test_a_point_where_a_constraint_is_nan_cannot_be_evaluated(self):
        def hidden(x):
            return np.nan if x[0] < 2 else 4 - stresses(x)[0]
        result = lrgd.minimize(mass, START, bounds=BOX, constraints={
            "type": "ineq", "fun": hidden})
        self.assertGreater(result.counts["failures"], 0)
        self.assertGreaterEqual(result.x[0], 2)

    def test_constraints_are_not_asked_where_f_has_no_value(self):
        def f(x):
            return np.nan if x[1] < 1 else mass(x)

        def c(x):
            self.assertGreaterEqual(x[1], 1)
            return stresses(x)
        lrgd.minimize(f, START, bounds=BOX, max_evals=60,
                      constraints=NonlinearConstraint(c, -np.inf, [4, 9]))

    def test_another_number_of_constraints_is_refused_with_both(self):
        count = Counter(lambda x: x[:2] if count.calls < 4 else x[:3])
        with self.assertRaisesRegex(ValueError, r"shape \(3,\) where 2"):
            lrgd.minimize(mass, START, bounds=BOX, constraints={
                "type": "ineq", "fun": count})

    def test_limits_of_the_wrong_number_are_refused(self):
        with self.assertRaisesRegex(ValueError, "2 numbers, and 3 limits"):
            lrgd.minimize(mass, START, constraints=NonlinearConstraint(
                stresses, -np.inf, [1, 2, 3]))

    def test_what_does_not_go_together_is_refused_in_a_sentence(self):
        def slope(x, u):
            return mass(x), float(u.sum())
        for keywords, said in (
                (dict(equal=(np.ones((1, 4)), [1])), "LinearConstraint"),
                (dict(basis=np.eye(4)[:, :2]), "basis does not go"),
                (dict(batch=True), "batch does not go"),
                (dict(jvp=slope), "jvp does not go"),
                (dict(learn_from=[(START, 1.0)]), "learn_from does not go"),
                (dict(method="lrgd", rank=2), "method auto"),
                (dict(maximize=True), "about answers")):
            with self.assertRaisesRegex((TypeError, ValueError), said):
                lrgd.minimize(mass, START, **LIMITED, **keywords)
        for text, said in (("stress < x", "none of 'NAME <= NUMBER'"),
                           ("strain <= 3", "the names are mass, stress"),
                           ("1 <= 2", "none of"),
                           (["mass >= 3", "mass <= 2"], "no value of mass")):
            with self.assertRaisesRegex(ValueError, said):
                lrgd.minimize(answers, START, answers="mass,stress",
                              constraints=text)
        with self.assertRaisesRegex(TypeError, "give answers"):
            lrgd.minimize(mass, START, constraints=["mass <= 2"])
        with self.assertRaisesRegex(ValueError, "returned no weight"):
            lrgd.minimize(answers, START, answers=["mass", "weight"])

    def test_derivatives_are_reported_to_have_no_effect(self):
        with self.assertWarnsRegex(UserWarning, "jac is not used") as caught:
            lrgd.minimize(mass, START, jac=np.ones_like, **LIMITED)
        self.assertEqual(caught.filename, __file__)
        with self.assertWarnsRegex(UserWarning, "jac of a constraint"):
            lrgd.minimize(mass, START, bounds=BOX, constraints={
                "type": "ineq", "fun": lambda x: x[0] - 1,
                "jac": lambda x: np.eye(4)[0]})


class Elsewhere(Case):
    def test_workers_give_the_very_same_run(self):
        here = lrgd.minimize(mass, START, **LIMITED)
        there = lrgd.minimize(mass, START, jobs=2, width=1, **LIMITED)
        np.testing.assert_array_equal(there.x, here.x)
        self.assertEqual(there.nfev, here.nfev)
        self.assertEqual(there.outputs, here.outputs)
        named = lrgd.minimize(answers, START, jobs=2, width=1, bounds=BOX,
                              answers="mass,stress,tip",
                              constraints="stress <= 4")
        self.assertLess(abs(named.fun - LEAST), 1e-5)

    def test_a_journal_keeps_all_outputs_and_pays_nothing_twice(self):
        path = self.path("run.db")
        first = lrgd.minimize(mass, START, journal=path, max_evals=11,
                              **LIMITED)
        self.assertEqual(first.outcome, "budget")
        count = Counter(mass)
        whole = lrgd.minimize(count, START, journal=path, **LIMITED)
        self.assertEqual(count.calls, whole.nfev - 11)
        never = Counter(stresses)
        again = lrgd.minimize(mass, START, journal=path, bounds=BOX,
                              constraints=NonlinearConstraint(
                                  never, -np.inf, [4, 1.5]))
        self.assertEqual(never.calls, 0)
        np.testing.assert_array_equal(again.x, whole.x)
        self.assertEqual(again.outputs, whole.outputs)
        plain = lrgd.minimize(mass, START, **LIMITED)
        self.assertEqual(whole.nfev, plain.nfev)

    def test_a_journal_shows_the_best_point_within_the_limits(self):
        path = self.path("run.db")
        result = lrgd.minimize(mass, START, journal=path, **LIMITED)
        run = lrgd.Run(path)
        self.assertAlmostEqual(run.best_f, result.fun, 4)
        self.assertLessEqual(run.violation, 1e-6)
        self.assertEqual(run.best_f, run.outputs["f"])
        self.assertLess(np.nanmin(run.to_records()["f"]), run.best_f - 0.1)
        np.testing.assert_allclose(run.settings["multipliers found"],
                                   [0, *result.multipliers.values()])

    def test_a_journal_with_other_limits_is_refused(self):
        path = self.path("run.db")
        lrgd.minimize(mass, START, journal=path, max_evals=7, **LIMITED)
        with self.assertRaisesRegex(lrgd.JournalRefused, "output_upper"):
            lrgd.minimize(mass, START, journal=path, bounds=BOX,
                          constraints=NonlinearConstraint(stresses, -np.inf,
                                                          [5, 1.5]))
        with self.assertRaisesRegex(ValueError, "same arguments and journal"):
            lrgd.Run(path).resume(mass)

    def test_ask_and_tell_asks_what_minimize_does(self):
        how = dict(bounds=BOX, answers=["mass", "stress", "tip"],
                   constraints=["stress <= 4"])
        run = lrgd.Asker(START, **how)
        count = 0
        for question in run:
            self.assertEqual(question.kind, "outputs")
            question.tell(answers(question.points[0]))
            count += 1
        ours = lrgd.minimize(answers, START, **how)
        np.testing.assert_array_equal(run.result.x, ours.x)
        self.assertEqual(run.result.outputs, ours.outputs)
        self.assertEqual(count, ours.nfev)

    def test_ask_and_tell_refuses_options_it_cannot_honour(self):
        with self.assertRaisesRegex(ValueError, "give answers"):
            lrgd.Asker(START, constraints={"type": "ineq", "fun": mass})
        with self.assertRaisesRegex(ValueError, "values are told"):
            lrgd.Asker(START, kind="gradient", answers="mass")
        run = lrgd.Asker(START, answers="mass,stress")
        with self.assertRaisesRegex(ValueError, "answer has no stress"):
            run.ask().tell({"mass": 1.0})
        run.close()

    def test_progress_and_callback_report_constraints(self):
        heard = []
        result = lrgd.minimize(mass, START, progress=True,
                               callback=heard.append, **LIMITED)
        self.assertGreater(len(heard), 3)
        self.assertEqual(heard[-1].nfev, result.nfev)


if __name__ == "__main__":
    warnings.simplefilter("ignore", UserWarning)
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    main()
