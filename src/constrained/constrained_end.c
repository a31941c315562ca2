/* The end of a run with limits on outputs: certificate, multipliers, and what
 * is said where no point is within the limits. */
#include "constrained/constrained_rules.h"
#include "constrained/constrained_state.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/vector.h"
#include "certificate/certificate.h"
#include "subspace/probe.h"

#include <math.h>
#include <string.h>

/* ---- without a certificate ---- */

/* The output that is farthest outside, from 1. */
static size_t worst_output(const lr_constrained *s)
{
  size_t worst;
  (void)lr_outputs_violation(s->outputs, s->M.y + s->best * s->m, &worst);
  return worst + 1;
}

lr_code lr_con_give_up(lr_constrained *s)
{
  lr_oracle *o = &s->run->oracle;
  if (s->best_violation > LRGD_FEASIBLE)
    return lr_oracle_stall(
        o, LRGD_STALL_INFEASIBLE,
        (lrgd_decision){.kind = LRGD_DECISION_KIND_INFEASIBLE,
                        .count = worst_output(s),
                        .value = s->best_violation});
  return lr_oracle_stall(o, LRGD_STALL_NO_DECREASE,
                         (lrgd_decision){.kind = LRGD_DECISION_KIND_KKT_STALLED,
                                         .value = s->kkt,
                                         .limit = s->run->goal.tol});
}

/* ---- the certificate ---- */

static double base_violation(const lr_constrained *s)
{
  size_t worst;
  return lr_outputs_violation(s->outputs, s->M.y + s->M.base * s->m, &worst);
}

/* Whether row r of A x <= b is nearer to x than h times the sizes of the
 * inputs. */
static bool is_near(const lr_constrained *s, const double *x, double h,
                    size_t r)
{
  const double *a = s->outputs->A + r * s->p;
  double reach = 0;
  for (size_t i = 0; i < s->p; i++) reach += fabs(a[i]) * s->D[i];
  return s->outputs->b[r] - lr_dot(s->p, a, x) <= h * reach;
}

/* Multipliers of limits that are reached; others are zero: complementary. Those
 * of the last quadratic program are of its end, not of x. */
static void complement(lr_constrained *s, const double *x)
{
  const double *y = s->M.y + s->M.base * s->m;
  for (size_t r = 0; r < s->outputs->rows; r++)
    if (!is_near(s, x, LRGD_FEASIBLE, r)) s->mu[r] = 0;
  for (size_t i = 0; i < s->m; i++) {
    double room = s->lambda[i] > 0 ? s->outputs->upper[i] - y[i]
                                   : y[i] - s->outputs->lower[i];
    if (!(room <= LRGD_FEASIBLE * s->outputs->scale[i])) s->lambda[i] = 0;
  }
}

/* Whether a bound or a row of A x <= b is so near input i that a probe has no
 * room; inputs at bounds are held by their multipliers. */
static bool is_held(const lr_constrained *s, const double *x, double h,
                    size_t i)
{
  lrgd_box box = s->run->oracle.box;
  if (!box.lower.block) return false;
  const double *lower = lrgd_host_data(box.lower);
  const double *upper = lrgd_host_data(box.upper);
  return x[i] - lower[i] <= 8 * h * s->D[i] ||
         upper[i] - x[i] <= 8 * h * s->D[i];
}

/* 1 where the bound near input i is the lower one, -1 at the upper one, 0 where
 * the input is fixed. */
static double inward(const lr_constrained *s, const double *x, size_t i)
{
  lrgd_box box = s->run->oracle.box;
  const double *lower = lrgd_host_data(box.lower);
  const double *upper = lrgd_host_data(box.upper);
  if (!(lower[i] < upper[i])) return 0;
  return x[i] - lower[i] <= upper[i] - x[i] ? 1 : -1;
}

/* The gradient by the models of f in the inputs: |grad f|, from directions. */
static double size_of_f(const lr_constrained *s)
{
  const double *g = s->M.g + s->outputs->objective * s->M.room_n;
  double sum = 0, size = 0;
  for (size_t j = 0; s->axes && j < s->n; j++) {
    double d = g[j] / s->M.unit / s->D[s->axis[j]];
    sum += d * d;
  }
  if (s->axes) return sqrt(sum);
  for (size_t i = 0; i < s->p; i++) size += 1 / (s->D[i] * s->D[i]);
  return lr_norm(s->n, g) / s->M.unit * sqrt(size / (double)s->n);
}

/* The gradient of the Lagrangian by the models in the inputs: g, zero where a
 * bound holds it; its norm. */
static double gradient(lr_constrained *s, const double *x, double h, double *g)
{
  size_t n = s->n;
  double *G = s->G, *v = s->other.s;
  memset(v, 0, n * sizeof *v);
  lr_output_model_slopes(&s->M, v, G);
  for (size_t i = 0; i < s->m; i++) {
    double weight = s->weight[i] * s->lambda[i];
    if (i == s->outputs->objective) weight += s->outputs->sign * s->weight[i];
    lr_axpy(n, weight / s->M.unit, G + i * n, v);
  }
  memset(g, 0, s->p * sizeof *g);
  for (size_t j = 0; s->axes && j < n; j++) g[s->axis[j]] = v[j];
  if (!s->axes) lr_gemv(s->p, n, s->V, s->p, v, g);
  for (size_t i = 0; i < s->p; i++) g[i] /= s->D[i];
  for (size_t r = 0; r < s->outputs->rows; r++)
    lr_axpy(s->p, s->mu[r], s->outputs->A + r * s->p, g);
  for (size_t i = 0; i < s->p; i++)
    if (is_held(s, x, h, i) && g[i] * inward(s, x, i) >= 0) g[i] = 0;
  return lr_norm(s->p, g);
}

/* All outputs at the trial, for a probe.  Where the models are in all inputs
 * they take the point in: a pair of probes corrects the slope along it, so that
 * a certificate that fails teaches what it was missing. */
static lr_code probe_outputs(lr_constrained *s, const double **y)
{
  lr_oracle *o = &s->run->oracle;
  const double *x = lrgd_host_data(s->trial.x);
  if (s->axes) {
    size_t index;
    double *z = s->other.s;
    for (size_t j = 0; j < s->n; j++)
      z[j] = (x[s->axis[j]] - s->x0[s->axis[j]]) / s->D[s->axis[j]];
    LR_TRY(lr_con_evaluate(s, z, LRGD_PURPOSE_PROBE, &index));
  } else {
    lr_oracle_rename(o, &s->trial);
    LR_TRY(lr_oracle_value(o, &s->trial, LRGD_PURPOSE_PROBE));
  }
  *y = lr_oracle_residuals(o);
  return LR_GO;
}

/* The slope of the Lagrangian along w at the base, by a two-sided difference of
 * x; LR_NOVALUE: it cannot be evaluated. */
static lr_code slope_along(lr_constrained *s, const double *x, const double *w,
                           double t, double *slope)
{
  double L[2];
  const double *y;
  double *to = lrgd_host_data(s->trial.x);
  for (int side = 0; side < 2; side++) {
    for (size_t i = 0; i < s->p; i++)
      to[i] = x[i] + (side == 0 ? t : -t) * w[i];
    if (!lr_con_satisfies_rows(s, to)) return LR_NOVALUE;
    LR_TRY(probe_outputs(s, &y));
    L[side] = lr_con_lagrangian(s, y);
  }
  *slope = (L[0] - L[1]) / (2 * t);
  lr_oracle_count_slope(&s->run->oracle, LRGD_PURPOSE_PROBE);
  return LR_GO;
}

/* v without its part in the span of k orthonormal columns of N. */
static void drop_span(size_t p, size_t k, const double *N, double *v)
{
  for (int twice = 0; twice < 2; twice++)
    for (size_t j = 0; j < k; j++)
      lr_axpy(p, -lr_dot(p, N + j * p, v), N + j * p, v);
}

/* An orthonormal basis N of the rows of A x <= b near x, in the inputs that no
 * bound holds: probes keep along all of these.  Columns of p numbers; *count of
 * them. */
static lr_code rows_near(lr_constrained *s, const double *x, double h,
                         size_t *count)
{
  lr_elastic_qp *q = &s->qp; /* its matrix is scratch */
  size_t p = s->p, k = 0;
  if (lr_elastic_qp_reserve(q, p, s->outputs->rows) != LRGD_OK)
    return lr_oracle_fault(&s->run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for %zu rows", s->outputs->rows);
  for (size_t r = 0; r < s->outputs->rows; r++) {
    double *v = q->A + k * p, all;
    if (!is_near(s, x, h, r)) continue;
    for (size_t i = 0; i < p; i++)
      v[i] = is_held(s, x, h, i) ? 0 : s->outputs->A[r * p + i];
    all = lr_norm(p, v);
    drop_span(p, k, q->A, v);
    double left = lr_norm(p, v);
    if (!(left > 1e-8 * all)) continue;
    lr_scale(p, 1 / left, v);
    k++;
  }
  *count = k;
  return LR_GO;
}

/* Probes: the squares of the errors of the models' slopes along Gaussian
 * vectors, until their sum exceeds `most` and the models have learnt what they
 * can.  *used < the number asked for: some were not, or could not be, made. */
static lr_code probe(lr_constrained *s, const double *x, const double *g,
                     uint64_t stream, double most, double *S, size_t *used)
{
  double h = lr_con_probe(s->policy), *w = s->w;
  size_t q = (size_t)s->run->options.probes, held = 0;
  size_t least = s->axes ? s->n : 3; /* directions; slopes that are kept */
  if (s->outputs->rows > 0) LR_TRY(rows_near(s, x, h, &held));
  for (size_t j = 0; j < q && (j < least || *S <= most); j++) {
    double slope, size = 0, all;
    lr_gaussian(s->run->oracle.seed, stream + j, 0, s->p, w);
    for (size_t i = 0; i < s->p; i++)
      if (is_held(s, x, h, i)) w[i] = 0;
    all = lr_norm(s->p, w);
    drop_span(s->p, held, s->qp.A, w);
    if (!(lr_norm(s->p, w) > 1e-8 * all)) { /* a vertex: nothing to measure */
      (*used)++;
      continue;
    }
    for (size_t i = 0; i < s->p; i++) size = fmax(size, fabs(w[i]) / s->D[i]);
    double expected = lr_dot(s->p, g, w);
    for (size_t r = 0; r < s->outputs->rows; r++) /* outputs do not have it */
      expected -= s->mu[r] * lr_dot(s->p, s->outputs->A + r * s->p, w);
    lr_code code = slope_along(s, x, w, h / size, &slope);
    if (code == LR_NOVALUE) return LR_GO;
    LR_TRY(code);
    if (s->grown > 0) s->slopes[s->grown++ % 3] = slope - expected;
    *S += (slope - expected) * (slope - expected);
    (*used)++;
  }
  return LR_GO;
}

/* The base, copied: probes overwrite the trial. */
static const double *base_point(lr_constrained *s)
{
  double *x = lrgd_host_data((lrgd_vec){s->points, LR_CON_BASE});
  lr_con_place(s, s->M.z + s->M.base * s->M.room_n);
  memcpy(x, lrgd_host_data(s->trial.x), s->p * sizeof *x);
  return x;
}

static bool is_inside(const lr_constrained *s, const double *x)
{
  lrgd_box box = s->run->oracle.box;
  if (!box.lower.block) return lr_con_satisfies_rows(s, x);
  const double *lower = lrgd_host_data(box.lower);
  const double *upper = lrgd_host_data(box.upper);
  for (size_t i = 0; i < s->p; i++)
    if (!(x[i] >= lower[i] && x[i] <= upper[i])) return false;
  return lr_con_satisfies_rows(s, x);
}

/* A displacement d from x, in units of size, that leads away from all bounds
 * and rows near x by at least 1: by cyclic projections on these half-spaces.
 * false: none is near, or none was found. */
static bool find_inward(const lr_constrained *s, const double *x, double h,
                        double *d)
{
  const lr_outputs *o = s->outputs;
  bool any = false, done = false;
  for (size_t i = 0; i < s->p; i++) {
    d[i] = is_held(s, x, h, i) ? inward(s, x, i) : 0;
    any |= d[i] != 0;
  }
  for (int round = 0; round < 100 && !done; round++) {
    done = true;
    for (size_t r = 0; r < o->rows; r++) {
      const double *a = o->A + r * s->p;
      double norm2 = 0, along = 0;
      if (!is_near(s, x, h, r)) continue;
      any = true;
      for (size_t i = 0; i < s->p; i++) {
        norm2 += a[i] * s->D[i] * a[i] * s->D[i];
        along += a[i] * s->D[i] * d[i];
      }
      if (along <= -0.99 * sqrt(norm2)) continue;
      done = false;
      for (size_t i = 0; i < s->p; i++)
        d[i] -= (along + sqrt(norm2)) / norm2 * a[i] * s->D[i];
    }
    for (size_t i = 0; i < s->p; i++) {
      if (!is_held(s, x, h, i)) continue;
      double side = inward(s, x, i); /* 0: it is fixed */
      if (!(d[i] * side >= 1)) d[i] = side;
    }
  }
  return any && done;
}

/* Whether the Lagrangian of the outputs does not fall where all that holds x
 * is left at once: the multipliers of bounds and rows have the right sign. */
static lr_code bounds_hold(lr_constrained *s, const double *x, bool *hold)
{
  double h = lr_con_probe(s->policy), way = 0, *d = s->w;
  const double *y;
  double *to = lrgd_host_data(s->trial.x);
  *hold = true;
  if (!find_inward(s, x, h, d)) return LR_GO;
  for (size_t i = 0; i < s->p; i++) {
    to[i] = x[i] + h * d[i] * s->D[i];
    way += fabs(h * d[i] * s->D[i]);
  }
  if (!is_inside(s, to)) return LR_GO;
  LR_TRY(probe_outputs(s, &y));
  double there = lr_con_lagrangian(s, y);
  double here = lr_con_lagrangian(s, s->M.y + s->M.base * s->m);
  double f = s->weight[s->outputs->objective];
  *hold = there >= here - s->run->goal.tol * f * way;
  return LR_GO;
}

/* The base is what is returned: of all points within the limits, to their
 * tolerance, it has the least merit. */
static void settle(lr_constrained *s, const double *x)
{
  lr_run *run = s->run;
  lrgd_vec at = {run->points, 0};
  memcpy(lrgd_host_data(at), x, s->p * sizeof *x);
  s->best = s->M.base;
  s->best_f = s->outputs->sign * s->M.y[s->best * s->m + s->outputs->objective];
  s->best_violation = base_violation(s);
  run->record.best = 0;
  run->record.best_f = s->best_f;
  lr_run_stand_at(run, at, s->best_f);
}

/* Probes of a certificate that failed are in the models, which use them where
 * the trust region is of their length: the same point may be tried again. */
static lr_code teach(lr_constrained *s)
{
  if (!s->axes) return LR_GO;
  s->certified = SIZE_MAX;
  s->radius = fmax(s->radius, lr_con_probe(s->policy));
  return LR_GO;
}

static lr_code certify(lr_constrained *s, const double *x, const double *g,
                       double inside)
{
  bool hold;
  lr_run *run = s->run;
  double share, S = 0, f = s->weight[s->outputs->objective];
  size_t used = 0;
  s->certified = s->M.base;
  s->looks++;
  uint64_t stream = lr_next_look(run, &share);
  double room = fmax(run->goal.tol * f - inside, 0);
  double unit = lr_probe_bound(1, (size_t)run->options.probes, share);
  double most = room * room / (unit * unit);
  LR_TRY(probe(s, x, g, stream, most, &S, &used));
  if (used < (size_t)run->options.probes) return teach(s);
  lr_code code = bounds_hold(s, x, &hold);
  if (code == LR_NOVALUE || (code == LR_GO && !hold)) return LR_GO;
  LR_TRY(code);
  double bound = (inside + lr_probe_bound(S, used, share)) / f;
  s->kkt = bound;
  run->progress.grad_norm = bound;
  if (!(bound <= run->goal.tol)) return teach(s);
  settle(s, x);
  run->claim.certificate =
      (lrgd_certificate){.valid = 1,
                         .grad_norm_bound = bound,
                         .confidence = run->options.confidence,
                         .probes = (int64_t)used};
  return lr_oracle_end(&run->oracle, LRGD_OUTCOME_CONVERGED,
                       (lrgd_decision){.kind = LRGD_DECISION_KIND_KKT_POINT,
                                       .value = bound,
                                       .level = run->options.confidence,
                                       .limit = run->goal.tol});
}

lr_code lr_con_look(lr_constrained *s)
{
  lr_run *run = s->run;
  double f = s->weight[s->outputs->objective], *g = s->v;
  const double *x = base_point(s);
  complement(s, x);
  double inside = gradient(s, x, lr_con_probe(s->policy), g);
  s->kkt = inside / f;
  run->progress.grad_norm = s->kkt;
  if (!(run->goal.tol > 0))
    run->goal.tol = s->policy->default_tolerance * fmax(s->kkt, size_of_f(s));
  bool fresh = s->certified != s->M.base || s->looks == 0;
  if (base_violation(s) > LRGD_FEASIBLE || !fresh || s->M.k < s->n ||
      !lr_con_may_certify(s->policy, s->kkt, run->goal.tol, s->looks))
    return LR_GO;
  return certify(s, x, g, inside);
}

/* ---- what the run leaves ---- */

/* The outputs at the point that is returned. */
static void leave_outputs(lr_constrained *s)
{
  lr_run_fitted *fitted = &s->run->fitted;
  lr_free(&s->run->allocator, fitted->F);
  *fitted = (lr_run_fitted){.m = s->m, .f = s->best_f};
  fitted->F = lr_alloc(&s->run->allocator, s->m, sizeof *fitted->F);
  if (fitted->F && s->M.count > 0)
    memcpy(fitted->F, s->M.y + s->best * s->m, s->m * sizeof *fitted->F);
}

void lr_con_leave(lr_constrained *s)
{
  lr_run *run = s->run;
  double f = s->weight[s->outputs->objective];
  run->limited.violation = s->best_violation;
  lr_free(&run->allocator, run->limited.multipliers);
  run->limited.multipliers =
      lr_alloc(&run->allocator, s->m, sizeof *run->limited.multipliers);
  leave_outputs(s);
  if (!run->limited.multipliers || !s->weighed) return;
  complement(s, base_point(s));
  for (size_t i = 0; i < s->m; i++) {
    double gain = s->weight[i] * s->lambda[i] / f;
    bool equal = s->outputs->lower[i] == s->outputs->upper[i];
    run->limited.multipliers[i] = equal ? gain : fabs(gain);
  }
}
