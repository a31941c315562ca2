"""The C interface as ctypes has it: structures, callbacks, prototypes.

A mirror of include/lrgd/*.h and nothing else; a test has the C compiler
compare every field.  Of lrgd_options only the hooks are: its other fields are
reached by name, through the library's own table of options.
"""
from __future__ import annotations

import ctypes
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double,
                    c_int, c_int64, c_size_t, c_uint64, c_void_p)
from typing import Any, Callable

from . import _library
from ._types import Function

KINDS, PURPOSES = 3, 5
KIND_ROOM, PURPOSE_ROOM = 8, 8
PREDICTIONS, WHY_SIZE, PREDICTED_ROOM = 6, 160, 12
ROWS = 27  # options that lie before the hooks

# ---- callbacks: addresses come as plain integers ----

VALUE = CFUNCTYPE(c_double, c_size_t, c_void_p, c_void_p)
VALUES = CFUNCTYPE(None, c_size_t, c_size_t, c_void_p, c_void_p, c_void_p)
GRADIENT = CFUNCTYPE(c_double, c_size_t, c_void_p, c_void_p, c_void_p)
SLOPES = CFUNCTYPE(c_double, c_size_t, c_void_p, c_size_t, c_void_p, c_void_p,
                   c_void_p)
RESIDUALS = CFUNCTYPE(None, c_size_t, c_void_p, c_size_t, c_void_p, c_void_p)
RESIDUAL_BATCH = CFUNCTYPE(None, c_size_t, c_size_t, c_void_p, c_size_t,
                           c_void_p, c_void_p)
CORRELATE = CFUNCTYPE(None, c_size_t, c_void_p, c_void_p, c_void_p)
FATAL = CFUNCTYPE(None, c_int, c_void_p)
UNANSWERED = CFUNCTYPE(c_size_t, c_void_p)
NAME: Any = CFUNCTYPE(c_void_p, c_size_t, c_void_p)


def callback(kind: Any) -> Callable[[Function], Any]:
    """The decorator that makes such a callback of a function."""
    made: Callable[[Function], Any] = kind
    return made


NO_VALUES: Any = ctypes.cast(c_void_p(), VALUES)
NO_BATCH: Any = ctypes.cast(c_void_p(), RESIDUAL_BATCH)


class Error(Structure):
    c_name = "lrgd_error"
    _fields_ = [("status", c_int), ("text", c_char * 512)]


class Problem(Structure):
    c_name = "lrgd_problem"
    _fields_ = [("struct_size", c_size_t), ("dimension", c_size_t),
                ("user", c_void_p), ("value", VALUE), ("values", VALUES),
                ("gradient", GRADIENT), ("slopes", SLOPES),
                ("complex_value", c_void_p), ("lower", c_void_p),
                ("upper", c_void_p), ("unanswered", UNANSWERED),
                ("residual_count", c_size_t), ("residuals", RESIDUALS),
                ("prior", c_void_p), ("correlate", CORRELATE),
                ("coordinate_count", c_size_t), ("coordinates", c_void_p),
                ("correlation_length", c_double),
                ("residual_batch", RESIDUAL_BATCH), ("limits", c_void_p)]


class Limits(Structure):
    c_name = "lrgd_limits"
    _fields_ = [("objective", c_size_t), ("maximize", c_int),
                ("lower", c_void_p), ("upper", c_void_p),
                ("linear_count", c_size_t), ("linear", c_void_p),
                ("linear_most", c_void_p)]


class Prior(Structure):
    c_name = "lrgd_prior"
    _fields_ = [("count", c_size_t), ("begin", c_void_p), ("input", c_void_p),
                ("coefficient", c_void_p), ("target", c_void_p),
                ("weight", c_void_p)]


class Counts(Structure):
    c_name = "lrgd_counts"
    _fields_ = [("evaluations", (c_uint64 * PURPOSE_ROOM) * KIND_ROOM),
                ("oracle_calls", c_uint64 * PURPOSE_ROOM),
                ("failures", c_uint64), ("rounds", c_uint64),
                ("spare", c_uint64 * 6)]


class Certificate(Structure):
    c_name = "lrgd_certificate"
    _fields_ = [("valid", c_int), ("grad_norm_bound", c_double),
                ("confidence", c_double), ("probes", c_int64),
                ("spare", c_double * 4)]


class Decision(Structure):
    c_name = "lrgd_decision"
    _fields_ = [("kind", c_int), ("cause", c_int), ("norm", c_int),
                ("side", c_int), ("input", c_size_t), ("count", c_uint64),
                ("value", c_double), ("level", c_double), ("limit", c_double),
                ("spare", c_double * 3)]


class Wording(Structure):
    c_name = "lrgd_wording"
    _fields_ = [("struct_size", c_size_t), ("name", NAME),
                ("user", c_void_p), ("failure", c_char_p)]


class Result(Structure):
    c_name = "lrgd_result"
    _fields_ = [("struct_size", c_size_t), ("outcome", c_int),
                ("f", c_double), ("grad_norm", c_double),
                ("iterations", c_uint64), ("rank", c_size_t),
                ("sigma_r", c_double), ("noise", c_double), ("counts", Counts),
                ("certificate", Certificate), ("seconds", c_double),
                ("message", c_char * 256), ("stall", c_int),
                ("end", Decision), ("held", Decision)]


class Phase(Structure):
    c_name = "lrgd_phase"
    _fields_ = [("struct_size", c_size_t), ("iteration", c_uint64),
                ("evaluations", c_uint64),
                ("rank", c_size_t), ("f", c_double), ("text", c_char * 192),
                ("decision", Decision)]


class Progress(Structure):
    c_name = "lrgd_progress"
    _fields_ = [("struct_size", c_size_t), ("event", c_int),
                ("outcome", c_int), ("phase", c_char_p),
                ("iteration", c_uint64), ("f", c_double), ("best_f", c_double),
                ("grad_norm", c_double), ("rank", c_size_t),
                ("counts", POINTER(Counts)), ("seconds", c_double),
                ("x", c_void_p), ("decision", POINTER(Decision))]


PROGRESS = CFUNCTYPE(None, c_void_p, c_void_p)  # of a Progress


class Evaluation(Structure):
    c_name = "lrgd_evaluation"
    _fields_ = [("x", c_void_p), ("f", c_double), ("direction", c_void_p),
                ("slope", c_double), ("gradient", c_void_p)]


class Option(Structure):
    c_name = "lrgd_option"
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p),
                ("type", c_int), ("range", c_char_p),
                ("help", c_char_p), ("choices", c_char_p), ("unset", c_char_p),
                ("may_change", c_int)]


# ---- run.h ----


class PoolCounts(Structure):
    c_name = "lrgd_pool_counts"
    _fields_ = [("struct_size", c_size_t), ("asked", c_uint64),
                ("answered", c_uint64),
                ("failed", c_uint64), ("unanswered", c_uint64),
                ("started", c_uint64), ("running", c_size_t),
                ("longest_s", c_double)]


class PoolEvent(Structure):
    c_name = "lrgd_pool_event"
    _fields_ = [("struct_size", c_size_t), ("number", c_uint64),
                ("index", c_size_t), ("f", c_double),
                ("seconds", c_double), ("why", c_char_p)]


POOL_EVENT = CFUNCTYPE(None, POINTER(PoolEvent), c_void_p)
POOL_TICK = CFUNCTYPE(None, POINTER(PoolCounts), c_void_p)


class PoolOptions(Structure):
    c_name = "lrgd_pool_options"
    _fields_ = [("struct_size", c_size_t), ("command", c_char_p),
                ("oracle", c_int64), ("mode", c_int64), ("jobs", c_int64),
                ("timeout_s", c_double), ("grace_s", c_double),
                ("drain_s", c_double), ("max_output", c_int64),
                ("spawn_wait_s", c_double), ("work_root", c_char_p),
                ("run_id", c_char_p), ("event", POOL_EVENT),
                ("event_user", c_void_p), ("tick", POOL_TICK),
                ("tick_user", c_void_p), ("tick_s", c_double),
                ("before", c_int64), ("residuals", c_int64),
                ("cost", c_void_p), ("cost_user", c_void_p),
                ("prepare", c_void_p), ("collect", c_void_p),
                ("release", c_void_p), ("folder_user", c_void_p),
                ("place_count", c_size_t), ("places", c_void_p)]


SETTING_MAY_CHANGE, SETTING_DEFAULT = 1, 4


class Setting(Structure):
    c_name = "lrgd_setting"
    _fields_ = [("key", c_char_p), ("text", c_char_p),
                ("numbers", POINTER(c_double)), ("count", c_size_t),
                ("may_change", c_int)]


class JournalOptions(Structure):
    c_name = "lrgd_journal_options"
    _fields_ = [("struct_size", c_size_t), ("dimension", c_size_t),
                ("settings", POINTER(Setting)), ("setting_count", c_size_t),
                ("tolerance", c_double), ("storage_wait_s", c_double),
                ("must_exist", c_int64), ("jobs", c_int64),
                ("may_differ", c_int64), ("advice", c_char_p),
                ("noise", c_double)]


class Departure(Structure):
    c_name = "lrgd_departure"
    _fields_ = [("sequence", c_uint64), ("how", c_char * 200)]


class Summary(Structure):
    c_name = "lrgd_journal_summary"
    _fields_ = [("struct_size", c_size_t), ("dimension", c_size_t),
                ("rows", c_uint64),
                ("failures", c_uint64), ("replayed", c_uint64),
                ("unanswered", c_uint64), ("in_flight", c_uint64),
                ("repeats", c_uint64), ("sittings", c_uint64), ("seconds", c_double),
                ("best_f", c_double), ("best_sequence", c_uint64),
                ("bytes", c_uint64), ("outcome", c_char * 32),
                ("phase", c_char * 192), ("rank", c_uint64),
                ("iteration", c_uint64), ("started", c_char * 32),
                ("run_id", c_char * 33), ("checks", c_uint64),
                ("paths", c_uint64), ("path_first", c_uint64),
                ("path_rows", c_uint64), ("path_failures", c_uint64),
                ("path_why", c_char * 256), ("decisions", c_uint64),
                ("decision", Decision)]


class Row(Structure):
    c_name = "lrgd_journal_row"
    _fields_ = [("struct_size", c_size_t), ("sequence", c_uint64),
                ("sitting", c_uint64),
                ("kind", c_int), ("f", c_double), ("slope", c_double),
                ("seconds", c_double), ("why", c_char_p),
                ("path", c_uint64)]


ROW = CFUNCTYPE(c_int, POINTER(Row), c_void_p)


class Question(Structure):
    c_name = "lrgd_question"
    _fields_ = [("struct_size", c_size_t), ("kind", c_int),
                ("count", c_size_t), ("p", c_size_t),
                ("x", c_void_p), ("U", c_void_p)]


# ---- analysis.h ----


class DiagnosisOptions(Structure):
    c_name = "lrgd_diagnosis_options"
    _fields_ = [("struct_size", c_size_t), ("gradients", c_size_t),
                ("held_out", c_size_t), ("radius", c_double),
                ("eta", c_double), ("confidence", c_double),
                ("trial_runs", c_int64)]


class Eta(Structure):
    c_name = "lrgd_eta"
    _fields_ = [("r", c_size_t), ("energy", c_double), ("median", c_double),
                ("p95", c_double), ("max", c_double), ("epsilon", c_double)]


class DiagnosisResult(Structure):
    c_name = "lrgd_diagnosis_result"
    _fields_ = [("struct_size", c_size_t), ("low_rank", c_int),
                ("conclusive", c_int),
                ("recommended_rank", c_size_t),
                ("exact_rank", c_size_t), ("tolerance", c_double),
                ("samples", c_size_t), ("held_out", c_size_t),
                ("failed", c_size_t), ("count", c_size_t),
                ("spectrum", POINTER(c_double)),
                ("band_low", POINTER(c_double)),
                ("band_high", POINTER(c_double)), ("eta", POINTER(Eta)),
                ("certified_eta", c_double), ("certified_share", c_double),
                ("confidence", c_double), ("invariance", c_double),
                ("L", c_double), ("mu", c_double), ("Delta0", c_double),
                ("grad_norm", c_double), ("sigma_r", c_double),
                ("least_sample", c_double), ("mu_seen", c_double),
                ("delta", c_double), ("local_rank", c_size_t),
                ("local_sigma", c_double), ("local_M", c_double),
                ("local_lasts", c_double),
                ("predicted_evaluations", c_double * PREDICTED_ROOM),
                ("evaluations_floor", c_double * PREDICTED_ROOM),
                ("predicted_calls", c_double * PREDICTED_ROOM),
                ("calls_floor", c_double * PREDICTED_ROOM),
                ("predicted_why", c_char * WHY_SIZE * PREDICTED_ROOM),
                ("predicted_outcome", c_int * PREDICTED_ROOM),
                ("outcome", c_int),
                ("noise", c_double), ("counts", Counts),
                ("evaluations", c_uint64), ("failures", c_uint64),
                ("region", c_char * 128), ("reason", c_char * 256),
                ("verdict", c_char * 384),
                ("reason_in_verdict", c_int)]


class Condition(Structure):
    c_name = "lrgd_condition"
    _fields_ = [("name", c_char_p), ("left", c_double), ("right", c_double),
                ("holds", c_int)]


class TheoremBound(Structure):
    c_name = "lrgd_theorem_bound"
    _fields_ = [("alpha", c_double), ("bound", c_double),
                ("eta_tilde", c_double), ("additive_tilde", c_double),
                ("conditions", c_size_t), ("condition", Condition * 8),
                ("holds", c_int), ("spare", c_double * 4)]


class Logarithms(Structure):
    c_name = "lrgd_logarithms"
    _fields_ = [("struct_size", c_size_t), ("taken", c_size_t),
                ("exact_rank", c_size_t), ("rank", c_size_t),
                ("p95", c_double)]


class Scaling(Structure):
    c_name = "lrgd_scaling"
    _fields_ = [("struct_size", c_size_t), ("own_units", c_int),
                ("taken", c_size_t), ("rank", c_size_t),
                ("plain_rank", c_size_t), ("p95", c_double)]


class Algebra(Structure):
    c_name = "lrgd_algebra"
    _fields_ = [("made", c_char * 16), ("bound", c_size_t),
                ("rank", c_size_t), ("holds", c_int)]


class GradientCheck(Structure):
    c_name = "lrgd_gradient_check"
    _fields_ = [("struct_size", c_size_t), ("agrees", c_int),
                ("directions", c_size_t), ("told", c_double),
                ("measured", c_double), ("error", c_double),
                ("input", c_size_t), ("input_told", c_double),
                ("input_measured", c_double), ("input_error", c_double),
                ("f", c_double), ("evaluations", c_uint64)]


class Propositions(Structure):
    c_name = "lrgd_propositions"
    _fields_ = [("struct_size", c_size_t), ("f_minimum", c_double),
                ("rank", c_size_t), ("level", c_double),
                ("reached", c_double), ("alignment", c_double),
                ("distance", c_double), ("mu", c_double),
                ("delta", c_double), ("grad_norm", c_double),
                ("lemma_holds", c_int), ("lemma_why", c_char * WHY_SIZE),
                ("directions", c_size_t), ("shares", c_size_t),
                ("step", c_double * 8), ("share", c_double * 8),
                ("least_epsilon", c_double * 3),
                ("proposition_holds", c_int),
                ("proposition_why", c_char * WHY_SIZE),
                ("rows", c_size_t), ("algebra", Algebra * 8),
                ("algebra_holds", c_int), ("evaluations", c_uint64)]


class Fit(Structure):
    c_name = "lrgd_fit"
    _fields_ = [("struct_size", c_size_t), ("dimension", c_size_t),
                ("directions", c_size_t), ("residuals", c_size_t),
                ("basis", c_void_p), ("jacobian", c_void_p),
                ("observations", c_size_t), ("f", c_double),
                ("variance", c_double), ("deviations", c_void_p)]


class UncertaintySummary(Structure):
    c_name = "lrgd_uncertainty_summary"
    _fields_ = [("struct_size", c_size_t), ("rank", c_size_t),
                ("supported", c_size_t), ("condition", c_double),
                ("variance", c_double), ("estimated", c_int),
                ("prior", c_int)]


STRUCTURES = (Error, Problem, Counts, Certificate, Decision, Wording, Result,
              Phase, Condition, TheoremBound, Logarithms, Scaling,
              Progress, Evaluation, Option, PoolCounts, PoolEvent, PoolOptions, Setting,
              JournalOptions, Departure, Summary, Row, Question, DiagnosisOptions,
              Eta, DiagnosisResult, Algebra, Propositions, GradientCheck,
              Fit, UncertaintySummary)


class Options(Structure):
    """lrgd_options with room to spare: a longer one than the library knows,
    whose end stays zero."""
    c_name = "lrgd_options"
    _fields_ = [("struct_size", c_size_t), ("table", c_char * (8 * ROWS)),
                ("progress", c_void_p), ("progress_user", c_void_p),
                ("allocator", c_void_p), ("later", c_char * 2048)]


# ---- prototypes ----

_P = c_void_p  # an object of the library, or memory of numpy's
_E = POINTER(Error)


def _take(library: ctypes.CDLL, name: str, result: Any,
          *arguments: Any) -> Any:
    function = getattr(library, "lrgd_" + name)
    function.restype = result
    function.argtypes = arguments
    return function


def _taking_size(library: ctypes.CDLL, name: str, filled: Any, at: int,
                 *arguments: Any) -> Callable[..., int]:
    """A function that fills a structure, whose size it is told: the argument
    after the first `at`."""
    function = _take(library, name + "_sized", c_int, *arguments[:at],
                     c_size_t, *arguments[at:])
    size = ctypes.sizeof(filled)

    def call(*given: Any) -> int:
        status: int = function(*given[:at], size, *given[at:])
        return status
    return call


def _begin(library: ctypes.CDLL, name: str, kind: Any,
           *arguments: Any) -> Callable[..., Any]:
    """A function that makes a structure by the library's own."""
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
solver_jacobian = _take(_core, "solver_jacobian", c_int, _P, _P)

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
    """What there is to say of it in a few numbers."""
    made = UncertaintySummary()
    _uncertainty_summarize(u, made, ctypes.sizeof(made))
    return made


def pool_count(pool: Any) -> PoolCounts:
    """What a pool has done so far."""
    made = PoolCounts()
    _pool_count(pool, made, ctypes.sizeof(made))
    return made
