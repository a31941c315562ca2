"""Starts that are tensors of PyTorch: the vectors of a run stay where they
are.  On the host; and on the stand-in for a card, by the functions of
lrgd/cuda.h."""
import ctypes
import os
import unittest
from unittest import mock

import numpy as np
import torch

import lrgd
from common import Case, main
from lrgd import _abi, _library, _tensors

P, RANK = 40, 3
torch.manual_seed(2)
W = torch.randn(RANK, P, dtype=torch.float64)


def bowl(x):
    s = W.to(x.dtype) @ x - 1
    return (s * s).sum() / 2 + s[0] ** 4 / 10


def valley(x):
    s = W.to(x.dtype) @ x / P ** 0.5
    return torch.log1p(((s - 1) ** 2).sum()) + s[0] ** 2


class Runs(Case):
    def start(self, dtype=torch.float64):
        return torch.zeros(P, dtype=dtype)

    def test_slopes_by_forward_mode_are_asked_in_blocks(self):
        calls = []

        def f(x):
            calls.append(x)
            return valley(x)
        result = lrgd.minimize(f, self.start(), jvp=True, tol=1e-6)
        self.assertEqual(result.outcome, "converged")
        # one call answers several slopes, or f alone
        self.assertGreater(result.nfev, 1.5 * len(calls))
        x = result.x.clone().requires_grad_()
        valley(x).backward()
        self.assertLess(float(x.grad.norm()), 1e-5)

    def test_the_path_is_that_of_a_run_from_an_array(self):
        def jvp(x, u):
            f, d = torch.autograd.functional.jvp(
                bowl, torch.from_numpy(x), torch.from_numpy(u))
            return float(f), float(d)
        one = lrgd.minimize(None, np.zeros(P), jvp=jvp, tol=1e-6)
        other = lrgd.minimize(bowl, self.start(), jvp=True, tol=1e-6)
        self.assertEqual(one.nfev, other.nfev)
        self.assertEqual(one.oracle_calls, other.oracle_calls)
        self.assertAlmostEqual(one.fun, other.fun, places=10)
        self.assertEqual(one.rank, other.rank)

    def test_x_and_basis_are_tensors_of_the_precision_of_the_start(self):
        for dtype in (torch.float32, torch.float64):
            tol = 1e-3 if dtype == torch.float32 else 1e-6
            result = lrgd.minimize(bowl, self.start(dtype), jvp=True, tol=tol)
            self.assertEqual(result.outcome, "converged")
            self.assertEqual((result.x.dtype, result.x.shape), (dtype, (P,)))
            basis = result.basis
            self.assertEqual((basis.dtype, basis.shape),
                             (dtype, (P, result.rank)))
            unit = basis.T @ basis - torch.eye(result.rank, dtype=dtype)
            self.assertLess(float(unit.abs().max()), 1e-5)

    def test_values_gradients_slopes_and_batches_are_asked_of_tensors(self):
        def gradient(x):
            x = x.requires_grad_()
            f = bowl(x)
            return f.detach(), torch.autograd.grad(f, x)[0]

        def slope(x, u):
            return torch.autograd.functional.jvp(bowl, x, u)

        def many(X):
            self.assertEqual(X.shape[1], P)
            return torch.stack([bowl(x) for x in X])
        for given in (dict(fun=bowl), dict(fun=gradient, jac=True),
                      dict(fun=bowl, grad=lambda x: gradient(x)[1]),
                      dict(fun=None, jvp=slope),
                      dict(fun=bowl, jvp=lambda x, u: slope(x, u)[1]),
                      dict(fun=None, batch=many)):
            result = lrgd.minimize(x0=self.start(), tol=1e-4, **given)
            self.assertEqual(result.outcome, "converged", given)
            self.assertLess(result.fun, 1e-6)

    def test_bounds_hold_wherever_f_is_asked(self):
        lower = torch.full((P,), -0.002, dtype=torch.float64)

        def f(x):
            self.assertTrue(bool((x >= lower).all() and (x <= 0.003).all()))
            return bowl(x)
        result = lrgd.minimize(f, self.start(), bounds=(lower, 0.003), tol=1e-5)
        self.assertIn(result.outcome, ("converged", "stalled"))
        self.assertTrue(result.active_bounds)

    def test_a_function_may_change_its_argument(self):
        def spoils(x):
            f = bowl(x)
            x.zero_()
            return f
        kept = self.start() + 0.1
        result = lrgd.minimize(spoils, kept, tol=1e-4)
        self.assertLess(result.fun, 1e-6)
        self.assertEqual(float(kept[0]), 0.1)

    def test_an_exception_in_fun_carries_the_best_point_so_far(self):
        calls = []

        def fails(x):
            calls.append(x)
            if len(calls) > 5:
                raise ZeroDivisionError
            return bowl(x)
        with self.assertRaises(ZeroDivisionError) as raised:
            lrgd.minimize(fails, self.start())
        self.assertLessEqual(raised.exception.lrgd_result.fun,
                             float(bowl(self.start())))
        self.assertEqual(len(calls), 6)

    def test_callbacks_hear_of_progress_and_stop_the_run(self):
        heard = []

        def stop(news):
            heard.append(news)
            return len(heard) == 2
        result = lrgd.minimize(bowl, self.start(), jvp=True, callback=stop)
        self.assertEqual(result.outcome, "stopped")
        self.assertIsNone(heard[0].x)
        self.assertGreater(heard[1].nfev, 0)

    def test_memory_that_was_lent_is_given_back(self):
        for _ in range(3):
            lrgd.minimize(bowl, self.start(), jvp=True, tol=1e-4)
        self.assertLess(len(_tensors._lent), 4)


class Refused(Case):
    def test_keywords_that_are_for_arrays_are_refused_by_name(self):
        x = torch.zeros(P)
        for name, value in (("journal", "j.db"), ("scale", 2.0),
                            ("basis", np.eye(P)), ("jobs", 2),
                            ("names", ["a"] * P), ("maximize", True)):
            with self.assertRaisesRegex(TypeError, name):
                lrgd.minimize(bowl, x, **{name: value})

    def test_tensors_that_are_no_real_vectors_are_refused(self):
        with self.assertRaisesRegex(TypeError, "int64"):
            lrgd.minimize(bowl, torch.zeros(P, dtype=torch.int64))
        with self.assertRaisesRegex(ValueError, r"\(2, 2\)"):
            lrgd.minimize(bowl, torch.zeros(2, 2))
        with self.assertRaisesRegex(TypeError, "differentiates fun"):
            lrgd.minimize(None, torch.zeros(P), jvp=True)

    def test_a_gradient_of_another_size_is_refused(self):
        with self.assertRaisesRegex(TypeError, "must be a tensor of 40"):
            lrgd.minimize(bowl, torch.zeros(P), jac=lambda x: x[:3])

    def test_a_card_without_its_library_is_reported(self):
        with mock.patch.dict(os.environ, LRGD_LIBDIR="/nonexistent"):
            with self.assertRaisesRegex(ImportError, "liblrgd_cuda"):
                _library.cuda()


STANDIN = os.environ.get("LRGD_STANDIN")


@unittest.skipUnless(STANDIN, "the stand-in is not built")
class OnStandIn(Runs):
    """The same, through lrgd/cuda.h."""

    def setUp(self):
        super().setUp()

        def on_host(vectors, scalar):
            vectors.on_card(scalar, 0)
            vectors.device.type = _tensors._CPU
        library = ctypes.CDLL(STANDIN)
        for patch in (mock.patch.object(_tensors.Vectors, "on_host", on_host),
                      mock.patch.object(_library, "cuda", lambda: library)):
            patch.start()
            self.addCleanup(patch.stop)

    def test_columns_are_padded(self):
        vectors = _tensors.Vectors(torch.zeros(P))
        self.assertEqual(vectors.stride, 64)
        U = vectors.columns(vectors.make(3), 3)
        self.assertEqual(U.stride(), (64, 1))
        vectors.close()


if __name__ == "__main__":
    main()
