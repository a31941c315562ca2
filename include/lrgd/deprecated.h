/* Former names of the public interface.  A program that was written with them
 * includes this header before the others, and is built unchanged; new programs
 * have no use for it. */
#ifndef LRGD_DEPRECATED_H
#define LRGD_DEPRECATED_H

#define lrgd_answerer lrgd_evaluator
#define lrgd_answerer_default lrgd_evaluator_default
#define lrgd_answerer_init lrgd_evaluator_init
#define lrgd_asker lrgd_ask_tell
#define lrgd_asker_create lrgd_ask_tell_create
#define lrgd_asker_destroy lrgd_ask_tell_destroy
#define lrgd_asker_learn lrgd_ask_tell_learn
#define lrgd_asker_result lrgd_ask_tell_result
#define lrgd_asker_solver lrgd_ask_tell_solver
#define lrgd_journal_wrap_answerer lrgd_journal_wrap_evaluator
#define lrgd_keeper lrgd_recorder
#define lrgd_local_study lrgd_local_diagnosis
#define lrgd_made lrgd_composite
#define lrgd_made_change lrgd_composite_change
#define lrgd_made_compose lrgd_composite_compose
#define lrgd_made_destroy lrgd_composite_destroy
#define lrgd_made_problem lrgd_composite_problem
#define lrgd_made_product lrgd_composite_product
#define lrgd_made_rank lrgd_composite_rank
#define lrgd_made_reduce lrgd_composite_reduce
#define lrgd_made_scale lrgd_composite_scale
#define lrgd_made_sum lrgd_composite_sum
#define lrgd_premises lrgd_theorem_constants
#define lrgd_promise lrgd_theorem_bound
#define lrgd_study lrgd_diagnosis
#define lrgd_study_cost lrgd_diagnosis_cost
#define lrgd_study_create lrgd_diagnosis_create
#define lrgd_study_destroy lrgd_diagnosis_destroy
#define lrgd_study_directions lrgd_diagnosis_directions
#define lrgd_study_epsilon lrgd_diagnosis_epsilon
#define lrgd_study_get lrgd_diagnosis_get
#define lrgd_study_is_boxed lrgd_diagnosis_is_boxed
#define lrgd_study_known_gradients lrgd_diagnosis_known_gradients
#define lrgd_study_learn lrgd_diagnosis_learn
#define lrgd_study_logarithms lrgd_diagnosis_logarithms
#define lrgd_study_open lrgd_diagnosis_open
#define lrgd_study_options lrgd_diagnosis_options
#define lrgd_study_options_default lrgd_diagnosis_options_default
#define lrgd_study_options_init lrgd_diagnosis_options_init
#define lrgd_study_plan lrgd_diagnosis_plan
#define lrgd_study_point lrgd_diagnosis_point
#define lrgd_study_recalled lrgd_diagnosis_recalled
#define lrgd_study_result lrgd_diagnosis_result
#define lrgd_study_ridge lrgd_diagnosis_ridge
#define lrgd_study_run lrgd_diagnosis_run
#define lrgd_study_scaling lrgd_diagnosis_scaling
#define lrgd_study_stop lrgd_diagnosis_stop
#define lrgd_theorem_promise lrgd_theorem_bound_of
/* members of lrgd_theorem_cell, lrgd_diagnosis_options and lrgd_diagnosis_plan
 */
#define premises constants
#define promise claim
#define rehearse trial_runs
#define rehearsing trial_runs
/* members of lrgd_journal_summary and lrgd_journal_row */
#define sittings sessions
#define sitting session
#define LRGD_METHOD_KRYLOV LRGD_METHOD_QUASI_NEWTON

#include <lrgd/lrgd.h>

#endif
