"""Minimise expensive functions of many variables that vary along few
directions.

    >>> import numpy as np, lrgd
    >>> w = np.linspace(1, 2, 200)
    >>> result = lrgd.minimize(lambda x: (w @ x - 3) ** 2, np.zeros(200))
    >>> result.outcome
    'converged'

minimize finds a minimum; least_squares fits a model whose residuals are told
one by one, and curve_fit a curve to data; diagnose says whether a function is
of low rank; check_gradient whether a gradient is right; compare runs several methods beside
each other; propositions tries the paper's on a function; Run opens a journal; Asker is for those who own the loop; scipy_method is for
scipy.optimize.minimize.
"""
from . import _abi
from ._ask import Asker, Question
from ._check import GradientCheck, check_gradient
from ._compare import Comparison, Contender, compare
from ._complex import complex_step
from ._curve_fit import curve_fit
from ._diagnose import diagnose
from ._diagnosis import Condition, Diagnosis, Eta, Theorem, TradeOff
from ._errors import (Error, InvalidArgument, JournalInUse, JournalRefused,
                      StorageError, WorkerError)
from ._fit import FitResult
from ._least_squares import least_squares
from ._minimize import minimize
from ._options import TABLE as options
from ._options import Option
from ._propositions import propositions
from ._result import Certificate, Decision, Phase, Progress, Result
from ._run import Run
from ._scipy import scipy_method
from ._uncertainty import Prediction, Uncertainty

__version__ = _abi.version().decode()

__all__ = [
    "Asker", "Certificate", "Comparison", "Condition", "Contender", "Decision",
    "Diagnosis", "Error", "Eta", "FitResult", "GradientCheck", "InvalidArgument", "JournalInUse",
    "JournalRefused", "Option", "Phase", "Prediction", "Progress", "Question", "Result",
    "Run", "StorageError", "Theorem", "TradeOff", "Uncertainty", "WorkerError",
    "check_gradient", "compare", "complex_step", "curve_fit", "diagnose",
    "least_squares", "minimize", "options", "propositions", "scipy_method",
]
