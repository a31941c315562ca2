"""The structures and callbacks of the C interface, by ctypes.

A mirror of include/lrgd/*.h and nothing else; a test compares every field with
the C compiler's.  Of lrgd_options only the hooks are here: the other fields
are set by name.
"""
from __future__ import annotations

import ctypes
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double,
                    c_int, c_int64, c_size_t, c_uint64, c_void_p)
from typing import Any, Callable

from ._types import Function

KINDS, PURPOSES = 3, 5
KIND_ROOM, PURPOSE_ROOM = 8, 8
PREDICTIONS, WHY_SIZE, PREDICTED_ROOM = 6, 160, 12
ROWS = 27  # number of options before the hooks

# ---- callbacks: addresses come as plain integers ----

VALUE = CFUNCTYPE(c_double, c_size_t, c_void_p, c_void_p)
VALUES = CFUNCTYPE(None, c_size_t, c_size_t, c_void_p, c_void_p, c_void_p)
GRADIENT = CFUNCTYPE(c_double, c_size_t, c_void_p, c_void_p, c_void_p)
SLOPES = CFUNCTYPE(c_double, c_size_t, c_void_p, c_size_t, c_void_p, c_void_p,
                   c_void_p)
RESIDUALS = CFUNCTYPE(None, c_size_t, c_void_p, c_size_t, c_void_p, c_void_p)
RESIDUAL_BATCH = CFUNCTYPE(None, c_size_t, c_size_t, c_void_p, c_size_t,
                           c_void_p, c_void_p)
RESIDUAL_JACOBIAN = CFUNCTYPE(None, c_size_t, c_void_p, c_size_t, c_void_p,
                              c_void_p, c_void_p)
RESIDUAL_SLOPES = CFUNCTYPE(None, c_size_t, c_void_p, c_size_t, c_void_p,
                            c_size_t, c_void_p, c_void_p, c_void_p)
CORRELATE = CFUNCTYPE(None, c_size_t, c_void_p, c_void_p, c_void_p)
FATAL = CFUNCTYPE(None, c_int, c_void_p)
UNANSWERED = CFUNCTYPE(c_size_t, c_void_p)
START = CFUNCTYPE(None, c_size_t, c_void_p, c_uint64, c_void_p)
FINISH = CFUNCTYPE(c_uint64, POINTER(c_double), c_void_p)
NAME: Any = CFUNCTYPE(c_void_p, c_size_t, c_void_p)


def callback(kind: Any) -> Callable[[Function], Any]:
    """The decorator that makes such a callback of a function."""
    made: Callable[[Function], Any] = kind
    return made


COST: Any = CFUNCTYPE(c_double, c_size_t, c_void_p, c_void_p)
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
                ("residual_batch", RESIDUAL_BATCH), ("limits", c_void_p),
                ("residual_jacobian", RESIDUAL_JACOBIAN),
                ("residual_slopes", RESIDUAL_SLOPES),
                ("start", START), ("finish", FINISH)]


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


PROGRESS = CFUNCTYPE(None, c_void_p, c_void_p)  # takes a Progress


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
                ("longest_s", c_double), ("busy_s", c_double),
                ("elapsed_s", c_double)]


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
                ("place_count", c_size_t), ("places", c_void_p),
                ("residuals_beside", c_int64)]


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
                ("repeats", c_uint64), ("sessions", c_uint64),
                ("seconds", c_double),
                ("best_f", c_double), ("best_sequence", c_uint64),
                ("bytes", c_uint64), ("outcome", c_char * 32),
                ("phase", c_char * 192), ("rank", c_uint64),
                ("iteration", c_uint64), ("started", c_char * 32),
                ("run_id", c_char * 33), ("checks", c_uint64),
                ("paths", c_uint64), ("path_first", c_uint64),
                ("path_rows", c_uint64), ("path_failures", c_uint64),
                ("path_why", c_char * 256), ("decisions", c_uint64),
                ("decision", Decision), ("last_seconds", c_double)]


class Row(Structure):
    c_name = "lrgd_journal_row"
    _fields_ = [("struct_size", c_size_t), ("sequence", c_uint64),
                ("session", c_uint64),
                ("kind", c_int), ("f", c_double), ("slope", c_double),
                ("seconds", c_double), ("why", c_char_p),
                ("path", c_uint64)]


ROW = CFUNCTYPE(c_int, POINTER(Row), c_void_p)


class Stored(Structure):
    c_name = "lrgd_stored"
    _fields_ = [("sequence", c_uint64), ("path", c_uint64), ("kind", c_int),
                ("is_complex", c_int), ("p", c_size_t), ("x", c_void_p),
                ("u", c_void_p), ("f", c_double), ("d", c_void_p),
                ("residual_count", c_size_t), ("residuals", c_void_p)]


STORED = CFUNCTYPE(c_int, POINTER(Stored), c_void_p)


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


# ---- vectors in other memory: lrgd/space.h ----


class Vec(Structure):
    c_name = "lrgd_vec"
    _fields_ = [("block", c_void_p), ("col", c_size_t)]


class Box(Structure):
    c_name = "lrgd_box"
    _fields_ = [("lower", Vec), ("upper", Vec)]


VALUE_IN = CFUNCTYPE(c_double, Vec, c_void_p)
VALUES_IN = CFUNCTYPE(None, Vec, c_size_t, c_void_p, c_void_p)
GRADIENT_IN = CFUNCTYPE(c_double, Vec, Vec, c_void_p)
SLOPES_IN = CFUNCTYPE(c_double, Vec, Vec, c_size_t, c_void_p, c_void_p)


class SpaceProblem(Structure):
    c_name = "lrgd_space_problem"
    _fields_ = [("struct_size", c_size_t), ("space", c_void_p),
                ("value", VALUE_IN), ("values", VALUES_IN),
                ("gradient", GRADIENT_IN), ("slopes", SLOPES_IN),
                ("box", Box), ("user", c_void_p)]


MAKE = CFUNCTYPE(c_void_p, c_void_p, c_size_t)
FREE = CFUNCTYPE(None, c_void_p, c_void_p)


class SpaceOps(Structure):
    """The first members of lrgd_space_ops, those that are called from here."""
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("make", MAKE),
                ("free", FREE)]


class Space(Structure):
    c_name = "lrgd_space"
    _fields_ = [("ops", POINTER(SpaceOps)), ("dimension", c_size_t)]


STRUCTURES = (Error, Problem, Limits, Counts, Certificate, Decision, Wording, Result,
              Phase, Condition, TheoremBound, Logarithms, Scaling,
              Progress, Evaluation, Option, PoolCounts, PoolEvent, PoolOptions, Setting,
              JournalOptions, Departure, Summary, Row, Stored, Question, DiagnosisOptions,
              Eta, DiagnosisResult, Algebra, Propositions, GradientCheck,
              Fit, UncertaintySummary, Vec, Box, SpaceProblem, Space)


class Options(Structure):
    """lrgd_options with room to spare: a longer one than the library knows,
    whose end stays zero."""
    c_name = "lrgd_options"
    _fields_ = [("struct_size", c_size_t), ("table", c_char * (8 * ROWS)),
                ("progress", c_void_p), ("progress_user", c_void_p),
                ("allocator", c_void_p), ("later", c_char * 2048)]
