# Slopes by the complex step: f(x + ihu) = f(x) + ih ∂ᵤf(x) + O(h²), so one
# evaluation at a complex point gives the value and a slope that is exact to
# rounding, where a difference loses half of the digits.
#
# The function: five rays cross a block of 20 × 20 cells, and we look for a
# block in which they take as long as was measured.
import numpy as np

import lrgd

SIDE, RAYS = 20, 5
P = SIDE * SIDE


def lengths():
    """How much of each ray lies in each cell: rays × cells."""
    along = np.linspace(0, SIDE, 1000, endpoint=False)
    found = np.zeros((RAYS, P))
    for ray, (enter, leave) in enumerate(((2, 5), (6, 14), (10, 9), (13, 3),
                                          (18, 16))):
        height = enter + (leave - enter) * along / SIDE
        cells = height.astype(int) * SIDE + along.astype(int)
        np.add.at(found[ray], cells, np.hypot(SIDE, leave - enter) / 1000)
    return found


LENGTHS = lengths()
MEASURED = LENGTHS @ (1 + 0.3 * np.sin(np.arange(P) / 37))


def f(x):
    """x is how much slower than usual each cell is.  A ray that is far off
    counts less than its square.  Complex numbers pass through: there is no
    abs and no comparison."""
    late = LENGTHS @ (1 + x) - MEASURED
    return np.log(1 + late * late).sum()


x0, u, h = np.zeros(P), np.cos(np.arange(P)), 1e-8
value, slope = lrgd.complex_step(f)(x0, u)
late = LENGTHS @ (1 + x0) - MEASURED
true = (2 * late / (1 + late ** 2)) @ (LENGTHS @ u)
print(f"error of a slope: {abs(slope - true):.0e} by the complex step, "
      f"{abs((f(x0 + h * u) - f(x0)) / h - true):.0e} by a difference")

exact = lrgd.minimize(None, x0, jvp=lrgd.complex_step(f), tol=1e-6)
plain = lrgd.minimize(f, x0, tol=1e-6)
for name, result in (("complex step", exact), ("differences", plain)):
    print(f"{name:12}  {result.outcome}, f = {result.fun:.1e}, "
          f"{result.nfev} evaluations, |grad f| = {result.grad_norm:.1e}")
