import numpy as np
import lrgd

draw = np.random.default_rng(1)
A = draw.normal(size=(2, 1000))


def f(x):  # 1,000 inputs
    s = A @ x  # all that counts
    return (s[0] - 3) ** 2 + s[1] ** 2


end = lrgd.minimize(f, np.zeros(1000))
print(end.message)
print("after", end.nfev, "values")
