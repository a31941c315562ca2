"""Programs of many numbers, and observations of these."""
import os

from harness import Case, worker
import sums

OBSERVATIONS = """# name value weight group
total    1
moment   2    3  moments   # the more exact one
product  0.3  1  moments

spread   0    0  unused
"""


class Base(Case):
    def sums(self, what, count="count", *more):
        return worker("sums.py", what, self.path(count), *more)

    def count(self, name="count"):
        try:
            return os.path.getsize(self.path(name))
        except FileNotFoundError:
            return 0

    def minimize(self, *more, **how):
        return self.run_json("minimize", "--residuals", "--worker",
                             self.sums("residuals"), "--dim", 6, *more, **how)

    def fit(self, *more, **how):
        if not os.path.exists(self.path("obs")):
            self.write("obs", OBSERVATIONS)
        return self.run_json("fit", "--worker", self.sums("values"),
                             "--observations", "obs", "--dim", 6, *more, **how)
