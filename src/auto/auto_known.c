/* What `auto` makes of known evaluations before it begins: a fit, and where it
 * consists of gradients at sample points the second derivatives that these
 * leave open. */
#include "auto/auto_known.h"

#include "auto/auto_rules.h"

#include "base/memory.h"
#include "learn/fit_rules.h"
#include "model/model.h"
#include "solver/warm_start.h"

#include <math.h>
#include <string.h>

size_t lr_auto_most_directions(const lr_run *run)
{
  return lr_auto_directions(run->policy, lr_run_most_directions(run));
}

bool lr_auto_fit_embeds(const lr_run *run, const lr_fit *fit)
{
  return fit->spans && lr_fit_embeds(run->policy, fit->q, fit->p);
}

static void move_to_model(lr_run *run, const lr_fit *fit, lr_point *start)
{
  const lr_known *k = &run->learned.known;
  const double *x = k->x + fit->at * k->p;
  run->space->ops->put(run->space, start->x, 0, k->p, x);
  lr_oracle_know(&run->oracle, start, k->f[fit->at]);
}

/* *c = v'Bv for v = v_i, or v_i + v_j over the root of 2, by one value.  x: p
 * numbers, scratch. */
static lr_code curvature(const lr_fit *fit, lr_model *m, size_t i, size_t j,
                         double *x, double *c)
{
  lrgd_vec u = lr_model_vec(m, LR_MODEL_PROBE);
  double slope = fit->g[i];
  memcpy(x, fit->V + i * fit->p, fit->p * sizeof *x);
  if (i != j) {
    const double *v = fit->V + j * fit->p;
    for (size_t l = 0; l < fit->p; l++) x[l] = sqrt(0.5) * (x[l] + v[l]);
    slope = sqrt(0.5) * (slope + fit->g[j]);
  }
  m->space->ops->put(m->space, u, 0, fit->p, x);
  return lr_model_curvature(m, u, slope, c);
}

/* Measures the second derivatives between the open directions: a value each, as
 * the gradient is known. */
static lr_code measure_open(lr_fit *fit, lr_model *m, double *x)
{
  double c;
  for (size_t i = fit->q - fit->open; i < fit->q; i++) {
    LR_TRY(curvature(fit, m, i, i, x, &fit->B[i * fit->room + i]));
    for (size_t j = fit->q - fit->open; j < i; j++) {
      LR_TRY(curvature(fit, m, i, j, x, &c));
      c -= 0.5 * fit->B[i * fit->room + i] + 0.5 * fit->B[j * fit->room + j];
      fit->B[i * fit->room + j] = fit->B[j * fit->room + i] = c;
    }
  }
  fit->open = 0;
  return LR_GO;
}

static lr_code complete(lr_run *run, lr_fit *fit, const lr_point *start)
{
  lr_model m = {0};
  double *x = lr_alloc(&run->allocator, fit->p, sizeof *x);
  lr_code code =
      x ? lr_model_init(&m, run, start, false, fit->q, LR_STREAM_QUASI_NEWTON)
        : lr_oracle_fault(&run->oracle, LRGD_ERR_NOMEM,
                          "out of memory for %zu numbers", fit->p);
  if (code == LR_GO) code = measure_open(fit, &m, x);
  lr_model_clear(&m);
  lr_free(&run->allocator, x);
  return code;
}

lr_code lr_auto_learn(lr_run *run, lr_point *start, lr_fit *fit)
{
  LR_TRY(lr_run_fit_samples(run, fit));
  if (fit->spans) {
    move_to_model(run, fit, start);
    return complete(run, fit, start);
  }
  bool descended = fit->descended;
  lr_fit_clear(fit);
  LR_TRY(lr_run_fit(run, lr_auto_most_directions(run), fit));
  fit->descended = descended;
  lr_oracle_know_partial(&run->oracle, start, fit->partial);
  return LR_GO;
}
