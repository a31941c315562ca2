"""The functions of the C interface, by ctypes; its structures are in
_structures.py.

A mirror of include/lrgd/*.h and nothing else; a test compares every field of
the structures with what the C compiler says.
"""
from __future__ import annotations

import ctypes
from ctypes import (POINTER, c_char, c_char_p, c_double, c_int, c_size_t,
                    c_uint64, c_void_p)
from typing import Any, Callable

from . import _library
from ._structures import *  # for those who import _abi

# ---- prototypes ----

_P = c_void_p  # an object of the library, or numpy's memory
_E = POINTER(Error)


def _take(library: ctypes.CDLL, name: str, result: Any,
          *arguments: Any) -> Any:
    function = getattr(library, "lrgd_" + name)
    function.restype = result
    function.argtypes = arguments
    return function


def _taking_size(library: ctypes.CDLL, name: str, filled: Any, at: int,
                 *arguments: Any) -> Callable[..., int]:
    """A function that fills a structure and takes its size: the argument
    number `at`."""
    function = _take(library, name + "_sized", c_int, *arguments[:at],
                     c_size_t, *arguments[at:])
    size = ctypes.sizeof(filled)

    def call(*given: Any) -> int:
        status: int = function(*given[:at], size, *given[at:])
        return status
    return call


def _begin(library: ctypes.CDLL, name: str, kind: Any,
           *arguments: Any) -> Callable[..., Any]:
    """A function that initialises a structure, with the library's defaults."""
    function = _take(library, name, None, _P, c_size_t, *arguments)

    def make(*given: Any) -> Any:
        made = kind()
        function(ctypes.byref(made), ctypes.sizeof(made), *given)
        return made
    return make


_core, _run = _library.core, _library.run

version = _take(_core, "version", c_char_p)
status_text = _take(_core, "status_text", c_char_p, c_int)
outcome_text = _take(_core, "outcome_text", c_char_p, c_int)
stall_text = _take(_core, "stall_text", c_char_p, c_int)
decision_kind_text = _take(_core, "decision_kind_text", c_char_p, c_int)
decision_kind_has = _take(_core, "decision_kind_has", c_int, c_int, c_char)
cause_text = _take(_core, "cause_text", c_char_p, c_int)
norm_text = _take(_core, "norm_text", c_char_p, c_int)
decision_text = _take(_core, "decision_text", c_size_t, POINTER(Decision), _P,
                      _P, c_size_t)
end_text = _take(_core, "end_text", c_size_t, POINTER(Decision),
                 POINTER(Decision), _P, _P, c_size_t)
wording_default = _begin(_core, "wording_init", Wording)
kind_text = _take(_core, "kind_text", c_char_p, c_int)
purpose_text = _take(_core, "purpose_text", c_char_p, c_int)
option_count = _take(_core, "option_count", c_size_t)
option_at = _take(_core, "option_at", POINTER(Option), c_size_t)
options_default = _begin(_core, "options_init", Options)
problem_default = _begin(_core, "problem_init", Problem, c_size_t)
options_set = _take(_core, "options_set", c_int, _P, c_char_p, c_char_p, _E)
options_get = _take(_core, "options_get", c_int, _P, c_char_p, _P, c_size_t)

solver_create = _take(_core, "solver_create", c_int, POINTER(_P),
                      POINTER(Problem), _P, _E)
solver_set_basis = _take(_core, "solver_set_basis", c_int, _P, c_size_t, _P,
                         _E)
solver_set_constraints = _take(_core, "solver_set_constraints", c_int, _P,
                               c_size_t, _P, _P, _E)
solver_set_samples = _take(_core, "solver_set_samples", c_int, _P, c_size_t,
                           _P, _E)
solver_learn_residuals = _take(_core, "solver_learn_residuals", c_int, _P,
                               c_size_t, _P, _P, c_int, _E)
solver_learn = _take(_core, "solver_learn", c_int, _P, c_size_t,
                     POINTER(Evaluation), c_int, _E)
solver_solve = _taking_size(_core, "solver_solve", Result, 4, _P, _P, _P,
                            POINTER(Result), _E)
solver_stop = _take(_core, "solver_stop", None, _P)
solver_destroy = _take(_core, "solver_destroy", c_int, POINTER(_P))
solver_phase_count = _take(_core, "solver_phase_count", c_size_t, _P)
solver_phase = _take(_core, "solver_phase", POINTER(Phase), _P, c_size_t)
solver_hidden_bound_count = _take(_core, "solver_hidden_bound_count",
                                  c_size_t, _P)
solver_hidden_bound = _take(_core, "solver_hidden_bound", POINTER(Decision),
                            _P, c_size_t)
solver_active_bound = _take(_core, "solver_active_bound", c_int, _P, c_size_t)
solver_basis_size = _take(_core, "solver_basis_size", c_size_t, _P)
solver_basis = _take(_core, "solver_basis", c_int, _P, _P)
solver_residual_count = _take(_core, "solver_residual_count", c_size_t, _P)
solver_residuals = _take(_core, "solver_residuals", c_int, _P, _P)
solver_violation = _take(_core, "solver_violation", c_double, _P)
solver_multipliers = _take(_core, "solver_multipliers", c_int, _P, _P)
solver_jacobian = _take(_core, "solver_jacobian", c_int, _P, _P)

space_problem_default = _begin(_core, "space_problem_init", SpaceProblem, _P)
host_space = _take(_core, "host_space", _P, c_size_t, c_int, _P)
host_data = _take(_core, "host_data", _P, Vec)
space_destroy = _take(_core, "space_destroy", None, POINTER(_P))
solver_create_in = _take(_core, "solver_create_in", c_int, POINTER(_P),
                         POINTER(SpaceProblem), _P, _E)
solver_solve_in = _taking_size(_core, "solver_solve_in", Result, 3, _P, Vec,
                               POINTER(Result), _E)
solver_basis_in = _take(_core, "solver_basis_in", c_int, _P, Vec)

fit_default = _begin(_core, "fit_init", Fit)
uncertainty_create = _take(_core, "uncertainty_create", c_int, POINTER(_P),
                           POINTER(Fit), _E)
uncertainty_destroy = _take(_core, "uncertainty_destroy", None, POINTER(_P))
_uncertainty_summarize = _take(_core, "uncertainty_summarize_sized", None, _P,
                               POINTER(UncertaintySummary), c_size_t)
uncertainty_singular_values = _take(_core, "uncertainty_singular_values", None,
                                    _P, _P)
uncertainty_identifiability = _take(_core, "uncertainty_identifiability", None,
                                    _P, _P)
uncertainty_deviations = _take(_core, "uncertainty_deviations", None, _P, _P)
uncertainty_covariance = _take(_core, "uncertainty_covariance", None, _P, _P)
uncertainty_predict = _take(_core, "uncertainty_predict", c_int, _P, c_size_t,
                            _P, _P, _P, _P)

variables_widths = _take(_core, "variables_widths", c_double,
                         POINTER(Problem), _P, _P)
variables_create = _take(_core, "variables_create", c_int, POINTER(_P),
                         POINTER(Problem), _P, _P, _E)
variables_destroy = _take(_core, "variables_destroy", None, POINTER(_P))
variables_wrap = _take(_core, "variables_wrap", None, _P, POINTER(Problem))
variables_into = _take(_core, "variables_into", None, _P, _P, _P)
variables_back = _take(_core, "variables_back", None, _P, _P, _P)
variables_decision = _take(_core, "variables_decision", Decision, _P,
                           POINTER(Decision))

diagnosis_options_default = _begin(_core, "diagnosis_options_init", DiagnosisOptions)
diagnosis_open = _take(_core, "diagnosis_open", c_int, POINTER(_P), POINTER(Problem),
                   _P, POINTER(DiagnosisOptions), _P, _E)
diagnosis_learn = _take(_core, "diagnosis_learn", c_int, _P, c_size_t,
                    POINTER(Evaluation), c_int, _E)
diagnosis_recalled = _take(_core, "diagnosis_recalled", c_uint64, _P)
diagnosis_known_gradients = _take(_core, "diagnosis_known_gradients", c_size_t, _P)
diagnosis_run = _take(_core, "diagnosis_run", c_int, _P, _E)
diagnosis_stop = _take(_core, "diagnosis_stop", None, _P)
diagnosis_get = _take(_core, "diagnosis_get", POINTER(DiagnosisResult), _P)
diagnosis_directions = _take(_core, "diagnosis_directions", c_int, _P, c_size_t, _P)
diagnosis_epsilon = _take(_core, "diagnosis_epsilon", c_double, _P, c_size_t,
                      c_double)
diagnosis_theorem = _take(_core, "diagnosis_theorem", TheoremBound, _P, c_int,
                          _P, POINTER(c_double))
diagnosis_logarithms = _taking_size(_core, "diagnosis_logarithms", Logarithms,
                                    2, _P, POINTER(Logarithms))
diagnosis_scaling = _taking_size(_core, "diagnosis_scaling", Scaling, 2, _P,
                                 POINTER(Scaling))
least_epsilon = _take(_core, "least_epsilon", c_double, c_double, c_double,
                      c_double)
diagnosis_point = _take(_core, "diagnosis_point", c_int, _P, c_size_t,
                    POINTER(c_double), POINTER(c_double))
diagnosis_destroy = _take(_core, "diagnosis_destroy", None, POINTER(_P))
propositions_try = _take(_core, "propositions_try_sized", c_int,
                         POINTER(Propositions), c_size_t, POINTER(Problem),
                         _P, _P, _E)
gradient_check_try = _take(_core, "gradient_check_try_sized", c_int,
                           POINTER(GradientCheck), c_size_t,
                           POINTER(Problem), _P, _P, _E)
predicted_text = _take(_core, "predicted_text", c_char_p, c_int)

unanswered = _take(_run, "unanswered", c_double)
pool_options_default = _begin(_run, "pool_options_init", PoolOptions)
pool_create = _take(_run, "pool_create", c_int, POINTER(_P),
                    POINTER(PoolOptions), _E)
pool_find_residuals = _take(_run, "pool_find_residuals", c_int, _P, c_size_t,
                            _P, c_size_t, POINTER(c_size_t), _E)
pool_interrupt = _take(_run, "pool_interrupt", None, _P, c_int)
pool_on_fatal = _take(_run, "pool_on_fatal", None, _P, FATAL, _P)
pool_status = _take(_run, "pool_status", c_int, _P, _E)
pool_last_failure = _take(_run, "pool_last_failure", c_char_p, _P)
pool_last_cause = _take(_run, "pool_last_cause", c_char_p, _P)
_pool_problem = _take(_run, "pool_problem_sized", None, _P, c_size_t,
                      POINTER(Problem), c_size_t)
_pool_count = _take(_run, "pool_count_sized", None, _P, POINTER(PoolCounts),
                    c_size_t)
pool_destroy = _take(_run, "pool_destroy", None, POINTER(_P))
run_sweep = _take(_run, "run_sweep", c_size_t, c_char_p)

journal_options_default = _begin(_run, "journal_options_init",
                                 JournalOptions)
journal_open = _take(_run, "journal_open", c_int, POINTER(_P), c_char_p,
                     POINTER(JournalOptions), _E)
journal_open_readonly = _take(_run, "journal_open_readonly", c_int,
                              POINTER(_P), c_char_p, _E)
journal_wrap = _taking_size(_run, "journal_wrap", Problem, 4, _P,
                            POINTER(Problem), _P, POINTER(Problem), _E)
journal_departure = _take(_run, "journal_departure", Departure, _P)
journal_difference = _take(_run, "journal_difference", c_char_p, _P)
journal_begin_path = _take(_run, "journal_begin_path", c_int, _P,
                           POINTER(Setting), c_size_t, c_char_p, _E)
journal_on_fatal = _take(_run, "journal_on_fatal", None, _P, FATAL, _P)
journal_status = _take(_run, "journal_status", c_int, _P, _E)
journal_note = _take(_run, "journal_note", None, _P, _P)
journal_finish = _take(_run, "journal_finish", c_int, _P, c_char_p, _E)
journal_close = _take(_run, "journal_close", None, POINTER(_P))
journal_summarize = _taking_size(_run, "journal_summarize", Summary, 2, _P,
                                 POINTER(Summary), _E)
journal_run_id = _take(_run, "journal_run_id", c_char_p, _P)
journal_setting_count = _take(_run, "journal_setting_count", c_size_t, _P)
journal_setting_at = _take(_run, "journal_setting_at", POINTER(Setting), _P,
                           c_size_t)
journal_rows = _take(_run, "journal_rows", c_int, _P, c_uint64, ROW, _P, _E)
journal_each = _take(_run, "journal_each", c_int, _P, c_uint64, c_uint64,
                     STORED, _P, _E)
journal_keep_multipliers = _take(_run, "journal_keep_multipliers", None, _P,
                                 c_size_t, _P)
journal_at = _take(_run, "journal_at", None, _P, _P)
journal_keep_noise = _take(_run, "journal_keep_noise", None, _P, c_double)
journal_point = _take(_run, "journal_point", c_int, _P, c_uint64, _P, _E)

knowledge_create = _take(_run, "knowledge_create", c_int, POINTER(_P),
                         c_size_t, _E)
knowledge_destroy = _take(_run, "knowledge_destroy", None, POINTER(_P))
knowledge_add = _take(_run, "knowledge_add", c_int, _P, _P, c_uint64,
                      c_uint64, _E)
knowledge_count = _take(_run, "knowledge_count", c_size_t, _P)
knowledge_evaluations = _take(_run, "knowledge_evaluations", _P, _P)
knowledge_residuals = _take(_run, "knowledge_residuals", _P, _P, c_size_t,
                            _P)

ask_tell_learn = _take(_run, "ask_tell_learn", c_int, _P, c_size_t,
                    POINTER(Evaluation), c_int, _E)
ask_tell_set_samples = _take(_run, "ask_tell_set_samples", c_int, _P, c_size_t,
                             _P, _E)
ask_tell_create = _take(_run, "ask_tell_create", c_int, POINTER(_P),
                     POINTER(Problem), c_int, _P, _P, _E)
ask = _taking_size(_run, "ask", Question, 2, _P, POINTER(Question), _E)
tell = _take(_run, "tell", c_int, _P, _P, _P, _E)
ask_tell_solver = _take(_run, "ask_tell_solver", _P, _P)
ask_tell_result = _taking_size(_run, "ask_tell_result", Result, 3, _P, _P,
                            POINTER(Result), _E)
ask_tell_destroy = _take(_run, "ask_tell_destroy", None, POINTER(_P))


def pool_problem(pool: Any, dimension: int) -> Problem:
    """The callbacks of a pool."""
    made = Problem()
    _pool_problem(pool, dimension, made, ctypes.sizeof(made))
    return made


def uncertainty_summarize(u: Any) -> UncertaintySummary:
    """A summary of the uncertainty of a fit."""
    made = UncertaintySummary()
    _uncertainty_summarize(u, made, ctypes.sizeof(made))
    return made


def pool_count(pool: Any) -> PoolCounts:
    """The counts of a pool."""
    made = PoolCounts()
    _pool_count(pool, made, ctypes.sizeof(made))
    return made
