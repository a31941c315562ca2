/* Evaluations of a run with limits on outputs, and their merit. */
#include "constrained/constrained_rules.h"
#include "constrained/constrained_state.h"

#include "base/random.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

void lr_con_place(lr_constrained *s, const double *z)
{
  double *x = lrgd_host_data(s->trial.x);
  if (s->axes) {
    memcpy(x, s->x0, s->p * sizeof *x);
    for (size_t j = 0; j < s->n; j++) x[s->axis[j]] += s->D[s->axis[j]] * z[j];
  } else {
    memset(s->w, 0, s->p * sizeof *s->w);
    lr_gemv(s->p, s->n, s->V, s->p, z, s->w);
    for (size_t i = 0; i < s->p; i++) x[i] = s->x0[i] + s->D[i] * s->w[i];
  }
  if (s->run->oracle.box.lower.block)
    (void)s->run->space->ops->clip(s->run->space, s->trial.x,
                                   s->run->oracle.box);
}

double lr_con_merit_of(const lr_constrained *s, const double *y,
                       double *outside)
{
  const lr_outputs *o = s->outputs;
  double sum = 0;
  for (size_t i = 0; i < s->m; i++) {
    double out = fmax(s->low[i] - y[i], y[i] - s->high[i]);
    if (out > 0) sum += s->weight[i] * out;
  }
  *outside = sum;
  return s->f_weight * s->weight[o->objective] * o->sign * y[o->objective] +
         s->penalty * sum;
}

double lr_con_merit(const lr_constrained *s, size_t i)
{
  double outside;
  return lr_con_merit_of(s, s->M.y + i * s->m, &outside);
}

size_t lr_con_lowest(const lr_constrained *s)
{
  size_t best = 0;
  double least = INFINITY;
  for (size_t i = 0; i < s->M.count; i++) {
    double merit = lr_con_merit(s, i);
    if (!(merit < least)) continue;
    least = merit;
    best = i;
  }
  return best;
}

bool lr_con_satisfies_rows(const lr_constrained *s, const double *x)
{
  const lr_outputs *o = s->outputs;
  for (size_t i = 0; i < o->rows; i++)
    if (!(lr_dot(s->p, o->A + i * s->p, x) <= o->b[i])) return false;
  return true;
}

double lr_con_row_margin(const lr_constrained *s, size_t r, const double *x)
{
  const double *a = s->outputs->A + r * s->p;
  double size = fabs(s->outputs->b[r]);
  for (size_t i = 0; i < s->p; i++) size = fmax(size, fabs(a[i] * x[i]));
  return 1e-9 * size;
}

/* The largest share of the step from the base to z that keeps it within the
 * bounds. */
static double room(const lr_constrained *s, const double *b, const double *z)
{
  double share = 1;
  for (size_t j = 0; s->axes && j < s->n; j++) {
    double d = z[j] - b[j];
    if (z[j] > lr_con_upper(s, j))
      share = fmin(share, fmax(lr_con_upper(s, j) - b[j], 0) / d);
    if (z[j] < lr_con_lower(s, j))
      share = fmin(share, fmin(lr_con_lower(s, j) - b[j], 0) / d);
  }
  return share;
}

/* The largest share of the step from x, the base, to the trial that keeps it
 * within A x <= b. */
static double rows_leave(const lr_constrained *s, const double *x)
{
  const lr_outputs *o = s->outputs;
  const double *to = lrgd_host_data(s->trial.x);
  double share = 1;
  for (size_t i = 0; i < o->rows; i++) {
    double here = lr_dot(s->p, o->A + i * s->p, x);
    double there = lr_dot(s->p, o->A + i * s->p, to);
    if (there <= o->b[i]) continue;
    share = fmin(share, fmax(o->b[i] - here, 0) / (there - here));
  }
  return share;
}

static void shorten(const lr_constrained *s, const double *b, double share,
                    double *z)
{
  for (size_t j = 0; share < 1 && j < s->n; j++)
    z[j] = b[j] + share * (z[j] - b[j]);
}

double lr_con_contain(lr_constrained *s, double *z)
{
  const double *b = s->M.z + s->M.base * s->M.room_n;
  double left = room(s, b, z);
  shorten(s, b, left, z);
  if (s->outputs->rows == 0) return left;
  double *x = lrgd_host_data((lrgd_vec){s->points, LR_CON_BASE});
  lr_con_place(s, b);
  memcpy(x, lrgd_host_data(s->trial.x), s->p * sizeof *x);
  lr_con_place(s, z);
  for (double less = 1; !lr_con_satisfies_rows(s, lrgd_host_data(s->trial.x));
       less -= 1e-9) {
    double share = less * fmin(rows_leave(s, x), 1);
    left *= share;
    shorten(s, b, share, z);
    lr_con_place(s, z);
    if (!(left > 1e-12)) break;
  }
  return left;
}

lr_code lr_con_arrive(lr_constrained *s)
{
  lr_run *run = s->run;
  bool fell = s->best + 1 == s->M.count && s->best_violation <= LRGD_FEASIBLE;
  if (fell) return lr_run_arrived(run);
  run->progress.moves++;
  lr_run_tell(run, LRGD_EVENT_ITERATION);
  return LR_GO;
}

/* Records point i, which is at the trial, if it is the best so far; ends the
 * run if it reaches the target. */
static lr_code keep(lr_constrained *s, size_t i)
{
  lr_run *run = s->run;
  size_t worst;
  const double *y = s->M.y + i * s->m;
  double out = lr_outputs_violation(s->outputs, y, &worst);
  double f = s->outputs->sign * y[s->outputs->objective];
  if (!lr_outputs_better(f, out, s->best_f, s->best_violation)) return LR_GO;
  s->best = i;
  s->best_f = f;
  s->best_violation = out;
  run->space->ops->copy(run->space, (lrgd_vec){run->points, 0}, s->trial.x, 1);
  lr_run_stand_at(run, (lrgd_vec){run->points, 0}, f);
  run->record.best = 0;
  run->record.best_f = f;
  run->limited.violation = out;
  if (out > LRGD_FEASIBLE) return LR_GO;
  if (!s->feasible_told) {
    s->feasible_told = true;
    lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_FEASIBLE,
                                       .count = lrgd_counts_evaluations(
                                           &run->oracle.counts),
                                       .value = s->outputs->sign * f});
  }
  return lr_run_record(run, &run->at);
}

lr_code lr_con_evaluate(lr_constrained *s, const double *z, lrgd_purpose why,
                        size_t *index)
{
  lr_oracle *o = &s->run->oracle;
  lr_con_place(s, z);
  lr_oracle_rename(o, &s->trial);
  LR_TRY(lr_oracle_value(o, &s->trial, why));
  const double *y = lr_oracle_residuals(o);
  *index = s->M.count;
  if (lr_output_model_add(&s->M, z, y) != LRGD_OK)
    return lr_oracle_fault(o, LRGD_ERR_NOMEM, "out of memory for %zu points",
                           s->M.count);
  return keep(s, *index);
}

lr_code lr_con_keep_again(lr_constrained *s)
{
  s->best_f = NAN;
  s->best_violation = INFINITY;
  for (size_t i = 0; i < s->M.count; i++) {
    lr_con_place(s, s->M.z + i * s->M.room_n);
    LR_TRY(keep(s, i));
  }
  return LR_GO;
}

/* Zeroes the components of a direction where the best point is at a bound. */
static void keep_held(const lr_constrained *s, double *v)
{
  lrgd_box box = s->run->oracle.box;
  if (!box.lower.block) return;
  const double *x = lrgd_host_data(s->run->at.x);
  const double *lower = lrgd_host_data(box.lower);
  const double *upper = lrgd_host_data(box.upper);
  for (size_t i = 0; i < s->p; i++)
    if (x[i] <= lower[i] || x[i] >= upper[i]) v[i] = 0;
}

/* Draws a random unit vector outside V as its last column. */
static bool draw(lr_constrained *s)
{
  double *v = s->V + s->n * s->p;
  if (s->n >= s->M.room_n) return false;
  lr_gaussian(s->run->oracle.seed, LR_STREAM_CONSTRAINED + s->draws++, 0, s->p,
              v);
  keep_held(s, v);
  for (int twice = 0; twice < 2; twice++)
    for (size_t j = 0; j < s->n; j++)
      lr_axpy(s->p, -lr_dot(s->p, s->V + j * s->p, v), s->V + j * s->p, v);
  double norm = lr_norm(s->p, v);
  if (!(norm > 1e-10)) return false;
  lr_scale(s->p, 1 / norm, v);
  return true;
}

double lr_con_lagrangian(const lr_constrained *s, const double *y)
{
  const lr_outputs *o = s->outputs;
  double sum = s->weight[o->objective] * o->sign * y[o->objective];
  for (size_t i = 0; i < s->m; i++) sum += s->weight[i] * s->lambda[i] * y[i];
  return sum;
}

double lr_con_slope_outside(const lr_constrained *s)
{
  size_t n = s->grown < 3 ? s->grown : 3;
  return n > 0 ? lr_norm(n, s->slopes) / sqrt((double)n) : INFINITY;
}

lr_code lr_con_grow(lr_constrained *s, bool *grown)
{
  *grown = false;
  if (!draw(s)) return LR_GO;
  s->n++;
  lr_output_model_widen(&s->M);
  size_t index, base = s->M.count > 1 ? lr_con_lowest(s) : 0;
  double *z = s->other.s;
  memcpy(z, s->M.z + base * s->M.room_n, s->n * sizeof *z);
  double t = lr_con_difference(s->policy, s->radius);
  for (int tries = 0; tries < 4; tries++, t *= -0.5) {
    z[s->n - 1] = t;
    if (!(lr_con_contain(s, z) > 0.2)) continue;
    lr_code code = lr_con_evaluate(s, z, LRGD_PURPOSE_IDENTIFY, &index);
    if (code == LR_NOVALUE) continue;
    LR_TRY(code); /* the budget is spent: there is no value at the trial */
    *grown = true;
    const double *y = s->M.y + index * s->m, *y0 = s->M.y + base * s->m;
    if (s->weighed)
      s->slopes[s->grown++ % 3] =
          (lr_con_lagrangian(s, y) - lr_con_lagrangian(s, y0)) / t;
    lr_oracle_count_slope(&s->run->oracle, LRGD_PURPOSE_IDENTIFY);
    return LR_GO;
  }
  return LR_GO; /* no output changes along the new direction */
}
