/* Replays the solver of a journal on its answers.  As with resume, all
 * decisions are reproduced exactly, and nothing is evaluated. */
#include "report_data.h"
#include "watched_problem.h"

#include "cli/run/record.h"
#include "cli/run/solve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STANDS = 4096, SCATTER = 1500 };

/* ---- the problem ---- */

/* Never called: a journal that is only read evaluates nothing. */
static double no_value(size_t p, const double *x, void *user)
{
  (void)p, (void)x, (void)user;
  return NAN;
}

static void no_values(size_t p, size_t m, const double *X, double *f,
                      void *user)
{
  (void)p, (void)X, (void)user;
  for (size_t j = 0; j < m; j++) f[j] = NAN;
}

static double no_gradient(size_t p, const double *x, double *g, void *user)
{
  (void)p, (void)x, (void)g, (void)user;
  return NAN;
}

static double no_slopes(size_t p, const double *x, size_t k, const double *U,
                        double *d, void *user)
{
  (void)p, (void)x, (void)k, (void)U, (void)d, (void)user;
  return NAN;
}

static lrgd_complex no_complex(size_t p, const lrgd_complex *z, void *user)
{
  (void)p, (void)z, (void)user;
  return (lrgd_complex){NAN, NAN};
}

static void no_residuals(size_t p, const double *x, size_t m, double *r,
                         void *user)
{
  (void)p, (void)x, (void)user;
  for (size_t i = 0; i < m; i++) r[i] = NAN;
}

static void no_residual_batch(size_t p, size_t n, const double *X, size_t m,
                              double *R, void *user)
{
  (void)p, (void)X, (void)user;
  for (size_t i = 0; i < n * m; i++) R[i] = NAN;
}

static void no_residual_jacobian(size_t p, const double *x, size_t m, double *r,
                                 double *J, void *user)
{
  (void)x, (void)user;
  for (size_t i = 0; i < m; i++) r[i] = NAN;
  for (size_t i = 0; i < m * p; i++) J[i] = NAN;
}

static void no_residual_slopes(size_t p, const double *x, size_t k,
                               const double *U, size_t m, double *r, double *D,
                               void *user)
{
  (void)p, (void)x, (void)U, (void)user;
  for (size_t i = 0; i < m; i++) r[i] = NAN;
  for (size_t i = 0; i < m * k; i++) D[i] = NAN;
}

static int take_count(const lrgd_stored *stored, void *user)
{
  *(size_t *)user = stored->residual_count;
  return stored->residual_count > 0;
}

/* The number of recorded residuals; 1 if there are none, as in the run
 * itself. */
static lrgd_status count_residuals(const report_data *data, size_t *count,
                                   lrgd_error *error)
{
  *count = 0;
  lrgd_status status =
      lrgd_journal_each(data->journal, 1, UINT64_MAX, take_count, count, error);
  if (data->inputs.observations.count > 0)
    *count = data->inputs.observations.count;
  if (*count == 0) *count = 1;
  return status;
}

/* Derivatives of residuals may come with values of their own or without: the
 * kinds of the evaluations show that. */
static void set_residuals(lrgd_problem *problem, const uint64_t *kinds)
{
  bool jacobian = kinds[LRGD_KIND_GRADIENTS] > 0;
  bool slopes = !jacobian && kinds[LRGD_KIND_SLOPES] > 0;
  if (jacobian) problem->residual_jacobian = no_residual_jacobian;
  if (slopes) problem->residual_slopes = no_residual_slopes;
  if ((jacobian || slopes) && kinds[LRGD_KIND_VALUES] == 0) return;
  problem->residuals = no_residuals;
  problem->residual_batch = no_residual_batch;
}

/* A plugin's derivatives are not recorded as a setting: the kinds of its
 * evaluations show them. */
lrgd_problem report_problem(const report_data *data)
{
  const char *oracle = recorded_text(data->journal, "oracle");
  const uint64_t *kinds = data->rows.kinds;
  bool offered = strcmp(oracle, "offered") == 0;
  lrgd_problem problem = lrgd_problem_default(data->p);
  bool residuals = *recorded_text(data->journal, "residuals") != '\0';
  if (residuals) {
    set_residuals(&problem, kinds);
  } else if (strcmp(oracle, "value") == 0 ||
             (offered && kinds[LRGD_KIND_VALUES] > 0)) {
    problem.value = no_value;
    problem.values = no_values;
  }
  if (!residuals && (strcmp(oracle, "gradient") == 0 ||
                     (offered && kinds[LRGD_KIND_GRADIENTS] > 0)))
    problem.gradient = no_gradient;
  if (!residuals && (strcmp(oracle, "slope") == 0 ||
                     (offered && kinds[LRGD_KIND_SLOPES] > 0)))
    problem.slopes = no_slopes;
  if (strcmp(oracle, "complex") == 0) problem.complex_value = no_complex;
  if (report_is_limited(data)) problem.limits = &data->outputs.of->limits;
  problem.lower = data->inputs.lower;
  problem.upper = data->inputs.upper;
  return problem;
}

/* ---- iterations and decisions ---- */

static void halve(report_path *path)
{
  for (size_t i = 0; 2 * i < path->count; i++)
    path->stands[i] = path->stands[2 * i];
  path->count = (path->count + 1) / 2;
  path->stride *= 2;
}

static void set_counts(report_stand *stand, const lrgd_counts *counts)
{
  stand->evaluations = (double)lrgd_counts_evaluations(counts);
  for (int why = 0; why < LRGD_PURPOSE_COUNT; why++) {
    stand->spent[why] = 0;
    for (int kind = 0; kind < LRGD_KIND_COUNT; kind++)
      stand->spent[why] += (double)counts->evaluations[kind][why];
  }
}

static void listen(const lrgd_progress *news, void *user)
{
  report_path *path = user;
  bool last = news->event == LRGD_EVENT_FINAL;
  if (!last && path->told++ % path->stride != 0) return;
  if (path->count == STANDS) halve(path);
  report_stand *stand = &path->stands[path->count++];
  *stand = (report_stand){.rank = (double)news->rank};
  set_counts(stand, news->counts);
}

static lrgd_status keep_phases(report_path *path, const cli_run *run,
                               lrgd_error *error)
{
  size_t count = lrgd_solver_phase_count(run->solver);
  path->phases = malloc((count + 1) * sizeof *path->phases);
  if (path->phases == NULL) return fail_memory(error);
  for (size_t i = 0; i < count; i++) path->phases[i] = run_phase(run, i);
  path->phase_count = count;
  return LRGD_OK;
}

/* Removes the decision that the solver was stopped, if the journal ends before
 * the run: that was the replay. */
static void forget_end(report_path *path)
{
  double asked = (double)lrgd_counts_evaluations(&path->result.counts);
  if (path->phase_count > 0 && path->result.outcome == LRGD_OUTCOME_STOPPED)
    path->phase_count--;
  size_t count = path->count;
  while (count > 0 && path->stands[count - 1].evaluations > asked) count--;
  if (count == 0 || count == path->count) return;
  /* the state at the last complete iteration, with all evaluations after it
   * added */
  report_stand *end = &path->stands[count];
  *end = path->stands[count - 1];
  set_counts(end, &path->result.counts);
  path->count = count + 1;
}

/* ---- directions ---- */

/* The state of a replay. */
typedef struct replay {
  report_data *data;
  lrgd_variables *transform; /* NULL: none */
  lrgd_problem problem;
  double *start; /* the start in the solver's variables */
  watching watched;
  cli_run run;
} replay;

static double reached(const lrgd_result *result)
{
  if (result->certificate.valid) return result->certificate.grad_norm_bound;
  return result->grad_norm;
}

static lrgd_status find_directions(replay *r, lrgd_error *error)
{
  report_data *data = r->data;
  if (data->directions.source == DIRECTIONS_STUDY) return LRGD_OK;
  size_t k = lrgd_solver_basis_size(r->run.solver);
  double *V = malloc((k * data->p + 1) * sizeof *V);
  if (V == NULL) return fail_memory(error);
  if (k > 0 && lrgd_solver_basis(r->run.solver, V) != LRGD_OK) k = 0;
  directions_run run = {.origin = r->start,
                        .V = V,
                        .k = data->bounded ? 0 : k,
                        .width = data->width,
                        .reached = reached(&r->run.result),
                        .tol = data->options.tol > 0 ? data->options.tol : NAN,
                        .converged =
                            r->run.result.outcome == LRGD_OUTCOME_CONVERGED};
  slopes_end(r->watched.slopes, r->run.result.noise);
  lrgd_status status =
      directions_find(&data->directions, r->watched.slopes, &run, error);
  free(V);
  return status;
}

/* z = the coordinates of x in the units of the directions. */
static void place(const replay *r, const double *x, double *z, double at[2])
{
  const report_data *data = r->data;
  size_t p = data->p;
  memcpy(z, x, p * sizeof *z);
  if (r->transform != NULL) lrgd_variables_into(r->transform, x, z);
  at[0] = at[1] = 0;
  for (size_t i = 0; i < p; i++) {
    double t = z[i] - r->start[i];
    if (data->width != NULL) t /= data->width[i];
    at[0] += data->directions.W[i] * t;
    if (data->directions.count > 1) at[1] += data->directions.W[p + i] * t;
  }
}

/* The stride of the evaluations that are drawn, so that decoding stays cheap.
 */
static size_t scatter_stride(const report_data *data)
{
  size_t most = ((size_t)30 << 20) / data->p + 50;
  if (most > SCATTER) most = SCATTER;
  return (data->rows.f.count + most - 1) / most;
}

static lrgd_status scatter(replay *r, lrgd_error *error)
{
  report_data *data = r->data;
  const report_rows *rows = &data->rows;
  lrgd_status status = LRGD_OK;
  if (data->directions.count == 0) return LRGD_OK;
  size_t p = data->p, stride = scatter_stride(data);
  double *x = malloc(2 * p * sizeof *x), at[2];
  if (x == NULL) return fail_memory(error);
  for (size_t i = 0; status == LRGD_OK && i < rows->f.count; i += stride) {
    if (isnan(rows->f.at[i])) continue;
    status = lrgd_journal_point(data->journal, (uint64_t)rows->sequence.at[i],
                                x, error);
    if (status != LRGD_OK) break;
    place(r, x, x + p, at);
    if (!numbers_add(&data->first, at[0]) ||
        !numbers_add(&data->second, at[1]) ||
        !numbers_add(&data->value, rows->f.at[i]))
      status = fail_memory(error);
  }
  free(x);
  return status;
}

/* ---- the whole run ---- */

/* Converts the rows of A x <= b to x / scale. */
static void scale_rows(const report_data *data)
{
  const cli_outputs *o = data->outputs.of;
  const double *scale = data->inputs.scale;
  if (o == NULL || scale == NULL) return;
  for (size_t r = 0; r < o->limits.linear_count; r++)
    for (size_t i = 0; i < data->p; i++) o->A[r * data->p + i] *= scale[i];
}

static lrgd_status prepare(replay *r, lrgd_error *error)
{
  report_data *data = r->data;
  report_path *path = &data->path;
  size_t p = data->p;
  scale_rows(data);
  r->problem = report_problem(data);
  r->start = malloc(p * sizeof *r->start);
  r->watched.slopes = slopes_create(p);
  r->watched.parts = malloc(2 * p * sizeof *r->watched.parts);
  path->stands = malloc(STANDS * sizeof *path->stands);
  path->stride = 1;
  if (r->start == NULL || r->watched.slopes == NULL ||
      r->watched.parts == NULL || path->stands == NULL)
    return fail_memory(error);
  lrgd_status status =
      transform_create(&r->transform, &data->inputs, &r->problem, error);
  if (status == LRGD_OK && r->problem.residuals != NULL)
    status = count_residuals(data, &r->problem.residual_count, error);
  if (status == LRGD_OK)
    status =
        lrgd_journal_wrap(data->journal, &r->problem, NULL, &r->problem, error);
  cli_prior *prior = &data->inputs.prior;
  data->inputs.observations.loss = data->options.loss;
  data->inputs.observations.loss_scale = data->options.loss_scale;
  if (status == LRGD_OK && data->inputs.observations.count > 0)
    status = misfit_create(&data->misfit, &data->inputs.observations,
                           prior->count > 0 ? prior : NULL, error);
  if (status == LRGD_OK)
    status = inputs_tell(&data->inputs, &r->problem, error);
  if (status != LRGD_OK) return status;
  if (data->misfit != NULL) {
    misfit_keep_history(data->misfit);
    misfit_wrap(data->misfit, &r->problem);
  }
  memcpy(r->start, data->inputs.start, p * sizeof *r->start);
  if (r->transform != NULL) {
    lrgd_variables_wrap(r->transform, &r->problem);
    lrgd_variables_into(r->transform, data->inputs.start, r->start);
    for (size_t j = 0; j < data->inputs.sample_count; j++) {
      double *x = data->inputs.samples + j * p;
      lrgd_variables_into(r->transform, x, x);
    }
  }
  watch_problem(&r->watched, &r->problem);
  return LRGD_OK;
}

/* Replays the run without its time limit, which has no effect on a replay. */
static lrgd_status run_again(replay *r, lrgd_error *error)
{
  report_data *data = r->data;
  lrgd_options options = data->options;
  options.max_seconds = LRGD_UNSET_REAL;
  cli_task task = {.problem = &r->problem,
                   .inputs = &data->inputs,
                   .options = &options,
                   .start = r->start,
                   .basis = data->inputs.basis,
                   .basis_count = data->inputs.basis_count,
                   .equal = &data->inputs.equal,
                   .scale = data->inputs.scale,
                   .samples = data->inputs.samples,
                   .sample_count = data->inputs.sample_count,
                   .journal = data->journal,
                   .listen = listen,
                   .listen_user = &data->path};
  lrgd_status status = solve(&r->run, &task, error);
  if (status != LRGD_OK) return status;
  /* the problem was wrapped here, to be observed in the solver's variables */
  r->run.transform = r->transform;
  run_say_end(&r->run);
  return LRGD_OK;
}

/* Copies the solver's x, in the user's units. */
static lrgd_status keep_best(replay *r, lrgd_error *error)
{
  report_data *data = r->data;
  if (isnan(r->run.result.f)) return LRGD_OK;
  data->x = malloc(data->p * sizeof *data->x);
  if (data->x == NULL) return fail_memory(error);
  memcpy(data->x, r->run.x, data->p * sizeof *data->x);
  if (r->transform != NULL) lrgd_variables_back(r->transform, data->x, data->x);
  data->f = r->run.result.f;
  return LRGD_OK;
}

/* Keeps outputs and multipliers at the best point of the replay, which knows
 * them while the run still goes on. */
static lrgd_status keep_outputs(const replay *r, lrgd_error *error)
{
  report_data *data = r->data;
  recorded_outputs *outputs = &data->outputs;
  if (!report_is_limited(data) || data->x == NULL) return LRGD_OK;
  size_t m = outputs->of->count;
  if (outputs->multipliers == NULL)
    outputs->multipliers = malloc(m * sizeof *outputs->multipliers);
  if (outputs->multipliers == NULL) return fail_memory(error);
  if (lrgd_solver_residuals(r->run.solver, outputs->y) == LRGD_OK) {
    outputs->violation = lrgd_solver_violation(r->run.solver);
    data->f = outputs->y[outputs->of->limits.objective];
  }
  if (lrgd_solver_multipliers(r->run.solver, outputs->multipliers) == LRGD_OK)
    return LRGD_OK;
  free(outputs->multipliers);
  outputs->multipliers = NULL;
  return LRGD_OK;
}

/* Computes the uncertainty of a fit, unless there are so many directions that
 * it would take minutes. */
static lrgd_status estimate(replay *r, lrgd_error *error)
{
  enum { MANY = 1000 };
  report_data *data = r->data;
  uncertainty_source from = {
      .solver = r->run.solver,
      .inputs = &data->inputs,
      .lower = data->inputs.lower,
      .upper = data->inputs.upper,
      .x = data->x,
      .simulated = data->misfit != NULL ? misfit_simulated(data->misfit) : NULL,
      .f = data->f,
      .p = data->p};
  if (data->x == NULL || report_is_limited(data) ||
      lrgd_solver_basis_size(r->run.solver) > MANY)
    return LRGD_OK;
  return uncertainty_create(&data->uncertainty, &from, error);
}

static lrgd_status look_back(replay *r, lrgd_error *error)
{
  report_data *data = r->data;
  report_path *path = &data->path;
  lrgd_journal_summary summary;
  lrgd_status status = lrgd_journal_summarize(data->journal, &summary, error);
  if (status != LRGD_OK) return status;
  path->known = true;
  path->whole = summary.unanswered == 0;
  path->result = r->run.result;
  status = keep_phases(path, &r->run, error);
  if (!path->whole) forget_end(path);
  if (status == LRGD_OK) status = keep_best(r, error);
  if (status == LRGD_OK) status = keep_outputs(r, error);
  if (status == LRGD_OK) status = estimate(r, error);
  if (status == LRGD_OK) status = find_directions(r, error);
  if (status == LRGD_OK) status = scatter(r, error);
  return status;
}

lrgd_status report_replay(report_data *data, lrgd_error *error)
{
  replay r = {.data = data};
  report_path *path = &data->path;
  lrgd_error reason = {.text = ""};
  lrgd_status status = prepare(&r, &reason);
  if (status == LRGD_OK) status = run_again(&r, &reason);
  if (status == LRGD_OK) {
    status = look_back(&r, &reason);
    run_free(&r.run);
  }
  if (status != LRGD_OK)
    snprintf(path->why_not, sizeof path->why_not, "%.500s", reason.text);
  lrgd_variables_destroy(&r.transform);
  slopes_free(r.watched.slopes);
  free(r.watched.parts);
  free(r.start);
  if (status != LRGD_ERR_NOMEM) return LRGD_OK;
  return fail_memory(error);
}
