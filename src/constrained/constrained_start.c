/* The start of a run with limits on outputs: memory, scales, first points. */
#include "constrained/constrained_rules.h"
#include "constrained/constrained_state.h"

#include "base/memory.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

/* The capacity in directions, and in points that give curvature. */
static size_t most_directions(size_t p)
{
  return p <= 250 ? p : 120;
}

static size_t most_curved(size_t n)
{
  size_t all = n * (n + 1) / 2;
  return all < 200 ? all : 200;
}

static double *numbers(lr_constrained *s, size_t count)
{
  return lr_alloc(&s->run->allocator, count + 1, sizeof(double));
}

/* Lists the inputs that their bounds allow to move; these are the
 * directions. */
static void list_axes(lr_constrained *s)
{
  lrgd_box box = s->run->oracle.box;
  bool bounded = box.lower.block != NULL;
  const double *lower = bounded ? lrgd_host_data(box.lower) : NULL;
  const double *upper = bounded ? lrgd_host_data(box.upper) : NULL;
  s->axis = s->rows + s->m;
  for (size_t i = 0; i < s->p; i++)
    if (!bounded || lower[i] < upper[i]) s->axis[s->n++] = i;
}

lr_code lr_con_open(lr_constrained *s, lr_run *run)
{
  size_t p = run->space->dimension, m = run->oracle.answers.residual_count;
  size_t n = most_directions(p);
  *s = (lr_constrained){
      .run = run,
      .policy = run->policy,
      .outputs = run->oracle.answers.outputs,
      .p = p,
      .m = m,
      .axes = lr_con_in_axes(run->policy, p, run->oracle.box.lower.block),
      .penalty = lr_con_first_penalty(run->policy),
      .f_weight = 1,
      .best_f = NAN,
      .best_violation = INFINITY};
  s->rows = lr_alloc(&run->allocator, m + p + 1, sizeof *s->rows);
  if (s->axes && s->rows) list_axes(s);
  lr_elastic_qp_init(&s->qp, &run->allocator);
  lrgd_status status =
      lr_output_model_init(&s->M, &run->allocator, s->n, n, m, most_curved(n));
  s->points = run->space->ops->make(run->space, LR_CON_POINTS);
  s->x0 = numbers(s, 6 * p);
  s->V = numbers(s, s->axes ? 0 : p * n);
  s->mu = numbers(s, s->outputs->rows);
  s->low = numbers(s, 8 * m + n * m + n * n + 2 * n);
  if (status != LRGD_OK || !s->points || !s->x0 || !s->V || !s->low || !s->mu ||
      !s->rows)
    return lr_oracle_fault(&run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for %zu inputs and %zu outputs", p,
                           m);
  s->D = s->x0 + p, s->v = s->D + p, s->w = s->v + p;
  s->raw = s->w + p, s->away = s->raw + p;
  s->high = s->low + m, s->weight = s->high + m, s->lambda = s->weight + m;
  s->kept = s->lambda + m, s->told = s->kept + m, s->y = s->told + m;
  s->G = s->y + 2 * m, s->H = s->G + n * m;
  s->step.s = s->H + n * n, s->other.s = s->step.s + n;
  s->trial.x = (lrgd_vec){s->points, LR_CON_TRIAL};
  return LR_GO;
}

void lr_con_close(lr_constrained *s)
{
  const lrgd_allocator *a = &s->run->allocator;
  if (s->points) s->run->space->ops->free(s->run->space, s->points);
  lr_output_model_clear(&s->M);
  lr_elastic_qp_clear(&s->qp);
  lr_free(a, s->x0);
  lr_free(a, s->V);
  lr_free(a, s->low);
  lr_free(a, s->mu);
  lr_free(a, s->rows);
}

/* The size of each input: that at the start, and of its bounds half the width
 * or, where these are far apart, the geometric mean of both. */
static void set_sizes(lr_constrained *s)
{
  lrgd_box box = s->run->oracle.box;
  const double *x = lrgd_host_data(s->run->at.x);
  for (size_t i = 0; i < s->p; i++) {
    s->x0[i] = x[i];
    double size = lr_con_size(s->policy, fabs(x[i]));
    if (box.lower.block) {
      const double *lower = lrgd_host_data(box.lower);
      const double *upper = lrgd_host_data(box.upper);
      double half = 0.5 * (upper[i] - lower[i]);
      size = lr_con_size_in_box(s->policy, fabs(x[i]), half);
    }
    s->D[i] = size;
  }
}

/* Moves the limits that the models use a little inwards, so that rounding and
 * the last errors of the models do not lead outside. */
static void set_margins(lr_constrained *s)
{
  const lr_outputs *o = s->outputs;
  for (size_t i = 0; i < s->m; i++) {
    double margin = 1e-10 * o->scale[i];
    double room = 0.5 * (o->upper[i] - o->lower[i]);
    if (margin > room) margin = room;
    s->low[i] = o->lower[i] + margin;
    s->high[i] = o->upper[i] - margin;
  }
}

/* An output whose limits are 0 has its size at the start as the scale of
 * violations.  Where that is negligible beside its changes (a start on the
 * limit: 0, or a rounding error), their size is the scale. */
static lr_code settle_scales(lr_constrained *s)
{
  lr_outputs *o = s->run->oracle.answers.outputs;
  bool changed = false;
  for (size_t i = 0; i < s->m; i++) {
    double size = 0, first = fabs(s->M.y[i]);
    if (!lr_outputs_is_scaled_by_start(o, i)) continue;
    for (size_t j = 0; j < s->M.count; j++)
      size = fmax(size, fabs(s->M.y[j * s->m + i]));
    if (!lr_con_is_negligible(s->policy, first, size)) continue;
    o->scale[i] = size;
    changed = true;
  }
  if (!changed) return LR_GO;
  set_margins(s);
  return lr_con_keep_again(s);
}

/* The slope of output i at the base.  A model through distant points may be far
 * steeper than the output is anywhere, so the slope is bounded by a multiple of
 * the difference quotients to the points that determine the model. */
static double slope_of(const lr_constrained *s, size_t i)
{
  const lr_output_model *M = &s->M;
  double model = lr_norm(s->n, M->g + i * M->room_n) / M->unit, seen = 0;
  for (size_t j = 0; j < M->k + M->e; j++) {
    double change = M->y[M->chosen[j] * s->m + i] - M->y[M->base * s->m + i];
    double length = lr_norm(s->n, M->S + j * M->room_n) * M->unit;
    seen = fmax(seen, fabs(change) / length);
  }
  return lr_con_supported_slope(s->policy, model, seen);
}

void lr_con_weigh(lr_constrained *s)
{
  const lr_outputs *o = s->outputs;
  for (size_t i = 0; i < s->m; i++) {
    double slope = slope_of(s, i);
    double weight = lr_con_weight(s->policy, slope, o->scale[i]);
    if (!s->weighed) s->weight[i] = weight;
    if (i == o->objective || !(weight < s->weight[i])) continue;
    s->lambda[i] *= s->weight[i] / weight;
    s->weight[i] = weight;
  }
  s->weighed = true;
}

/* A difference along direction j: its side, and its length. */
typedef struct difference {
  size_t j;
  double side, length, up, down; /* up, down: the room that bounds leave */
} difference;

static difference difference_along(const lr_constrained *s, size_t j, double h)
{
  double up = lr_con_upper(s, j), down = -lr_con_lower(s, j);
  return (difference){.j = j,
                      .side = up >= h || up >= down ? 1 : -1,
                      .length = fmin(h, fmax(up, down)),
                      .up = up,
                      .down = down};
}

static void turn_round(difference *d)
{
  if (d->length <= (d->side > 0 ? d->down : d->up)) d->side = -d->side;
}

/* z = the point of the difference; false: linear limits leave no room. */
static bool place_difference(lr_constrained *s, const difference *d, double *z)
{
  memset(z, 0, s->n * sizeof *z);
  z[d->j] = d->side * d->length;
  return lr_con_contain(s, z) > 0.2;
}

/* Evaluates a first difference along direction j, on the side with more
 * room. */
static lr_code first_difference(lr_constrained *s, size_t j, double h)
{
  double *z = s->step.s;
  size_t index;
  difference d = difference_along(s, j, h);
  for (int tries = 0; tries < 4; tries++) {
    if (!(d.length > 0)) return LR_GO;
    if (!place_difference(s, &d, z)) {
      turn_round(&d);
      if (tries % 2 == 1) d.length *= 0.25;
      continue;
    }
    lr_code code = lr_con_evaluate(s, z, LRGD_PURPOSE_IDENTIFY, &index);
    if (code != LR_NOVALUE) return code;
    d.length *= 0.25;
    turn_round(&d);
  }
  return LR_GO;
}

/* First differences depend on no values: those along directions `first` to
 * *end are evaluated side by side, where possible. */
static lr_code plan_differences(lr_constrained *s, size_t first, double h,
                                size_t *end)
{
  lr_oracle *o = &s->run->oracle;
  double *z = s->step.s;
  bool more = lr_oracle_begin_plan(o);
  for (*end = first; *end < s->n; ++*end) {
    difference d = difference_along(s, *end, h);
    if (!more || !(d.length > 0) || !place_difference(s, &d, z)) continue;
    lr_con_place(s, z);
    if (!lr_oracle_plan(o, s->trial.x)) break;
  }
  if (*end == first) ++*end;
  return lr_oracle_ask_planned(o, LRGD_PURPOSE_IDENTIFY);
}

static lr_code first_differences(lr_constrained *s, double h)
{
  for (size_t j = 0, end = 0; j < s->n; j++) {
    if (j == end) LR_TRY(plan_differences(s, j, h, &end));
    LR_TRY(first_difference(s, j, h));
  }
  return LR_GO;
}

/* Sets up the quadratic program for the point d nearest to x, in sizes of
 * inputs, that satisfies the bounds and, with a margin, A x <= b, and is at
 * most `reach` away along each input. */
static void pose_nearest(lr_constrained *s, const double *x, double reach)
{
  lr_oracle *o = &s->run->oracle;
  lr_elastic_qp *q = &s->qp;
  size_t p = s->p, rows = s->outputs->rows;
  memset(q->B, 0, p * p * sizeof *q->B);
  for (size_t i = 0; i < p; i++) {
    q->g[i] = 0, q->B[i * p + i] = 1;
    double lower = -reach, upper = reach;
    if (o->box.lower.block) {
      const double *l = lrgd_host_data(o->box.lower);
      const double *u = lrgd_host_data(o->box.upper);
      lower = fmax(lower, (l[i] - x[i]) / s->D[i]);
      upper = fmin(upper, (u[i] - x[i]) / s->D[i]);
    }
    q->lower[i] = lower, q->upper[i] = upper;
  }
  for (size_t r = 0; r < rows; r++) {
    for (size_t i = 0; i < p; i++)
      q->A[r * p + i] = s->outputs->A[r * p + i] * s->D[i];
    q->below[r] = -INFINITY;
    q->above[r] = s->outputs->b[r] - lr_con_row_margin(s, r, x) -
                  lr_dot(p, s->outputs->A + r * p, x);
    q->price[r] = INFINITY;
  }
}

/* Whether x is within all rows by this share of their margin. */
static bool has_margin(const lr_constrained *s, const double *x, double share)
{
  for (size_t r = 0; r < s->outputs->rows; r++) {
    double at = lr_dot(s->p, s->outputs->A + r * s->p, x);
    if (!(at + share * lr_con_row_margin(s, r, x) <= s->outputs->b[r]))
      return false;
  }
  return true;
}

/* Finds two rows, numbered from 1, that leave no room between them; false:
 * there are none. */
static bool find_opposite(const lr_constrained *s, const double *x, size_t *one,
                          size_t *two)
{
  const lr_outputs *o = s->outputs;
  size_t p = s->p;
  for (size_t r = 0; r < o->rows; r++)
    for (size_t t = r + 1; t < o->rows; t++) {
      const double *a = o->A + r * p, *c = o->A + t * p;
      double na = lr_norm(p, a), nc = lr_norm(p, c);
      if (!(na > 0 && nc > 0)) continue;
      if (!(lr_dot(p, a, c) <= (-1 + 1e-12) * na * nc)) continue;
      double room = o->b[r] / na + o->b[t] / nc;
      if (room >
          lr_con_row_margin(s, r, x) / na + lr_con_row_margin(s, t, x) / nc)
        continue;
      *one = r + 1, *two = t + 1;
      return true;
    }
  return false;
}

static lr_code tell_no_room(lr_constrained *s, const double *x)
{
  lr_oracle *o = &s->run->oracle;
  size_t one, two;
  if (find_opposite(s, x, &one, &two))
    return lr_oracle_fault(
        o, LRGD_ERR_INVALID,
        "linear limits %zu and %zu (the first is 1) leave no room between "
        "them: A x <= b holds at every point that is asked for; give an "
        "equation as an output with a limit",
        one, two);
  return lr_oracle_fault(o, LRGD_ERR_INVALID,
                         "no point within the bounds satisfies all %zu linear "
                         "limits A x <= b with room to move",
                         s->outputs->rows);
}

/* Moves a start that violates A x <= b to the nearest point of the box that
 * satisfies it; ends the run with a message where no point satisfies it with a
 * margin. */
static lr_code satisfy_rows(lr_constrained *s)
{
  lr_oracle *o = &s->run->oracle;
  lr_elastic_qp *q = &s->qp;
  size_t p = s->p;
  double *x = lrgd_host_data(s->run->at.x);
  if (has_margin(s, x, 1)) return LR_GO;
  bool moves = !lr_con_satisfies_rows(s, x);
  if (lr_elastic_qp_reserve(q, p, s->outputs->rows) != LRGD_OK)
    return lr_oracle_fault(o, LRGD_ERR_NOMEM, "out of memory for %zu rows",
                           s->outputs->rows);
  memcpy(s->w, x, p * sizeof *x);
  /* solve again from the solution: a wide box is solved with fewer digits */
  for (double reach = 10; reach < 1e8 && !has_margin(s, x, 1); reach *= 10) {
    pose_nearest(s, x, reach);
    lr_elastic_qp_solve(q);
    for (size_t i = 0; i < p; i++) x[i] += s->D[i] * q->d[i];
    lr_oracle_contain(o, s->run->at.x);
  }
  if (!has_margin(s, x, 0.5)) return tell_no_room(s, x);
  if (!moves) memcpy(x, s->w, p * sizeof *x);
  return LR_GO;
}

lr_code lr_con_begin(lr_constrained *s)
{
  lr_run *run = s->run;
  size_t index;
  set_sizes(s);
  LR_TRY(satisfy_rows(s));
  memcpy(s->x0, lrgd_host_data(run->at.x), s->p * sizeof *s->x0);
  memset(s->step.s, 0, s->M.room_n * sizeof *s->step.s);
  lr_code code = lr_con_evaluate(s, s->step.s, LRGD_PURPOSE_DESCEND, &index);
  if (code == LR_NOVALUE)
    return lr_oracle_end(
        &run->oracle, LRGD_OUTCOME_FAILED,
        (lrgd_decision){.kind = LRGD_DECISION_KIND_START_FAILED});
  LR_TRY(code);
  set_margins(s);
  lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_CONSTRAINED,
                                     .count = s->outputs->limited});
  s->first_radius = s->radius = s->floor =
      lr_con_first_radius(s->policy, s->axes ? 1 : (double)s->p);
  if (s->axes) LR_TRY(first_differences(s, s->radius));
  bool grown = true;
  for (size_t j = 0; !s->axes && j < 6; j++) LR_TRY(lr_con_grow(s, &grown));
  return settle_scales(s);
}
