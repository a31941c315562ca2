/* Steepest descent with a line search to the strong Wolfe conditions:
 * bracketing and zoom (Nocedal and Wright, Numerical Optimization, algorithms
 * 3.5 and 3.6).  A trial costs one value and, where that meets Armijo's
 * condition, one slope along the line. */
#include "step/step.h"
#include "step/step_rules.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct trial {
  double t, f, slope;
} trial;

typedef struct wolfe {
  lr_search line;
  double *unit; /* u / |u| */
  double length;
} wolfe;

static lr_code value_at(wolfe *w, double t, trial *at)
{
  *at = (trial){.t = t, .f = INFINITY, .slope = NAN};
  for (size_t i = 0; i < w->line.k; i++) w->line.z[i] = t * w->line.u[i];
  lr_code code = w->line.phi->value(w->line.phi->self, w->line.z, &at->f);
  return code == LR_NOVALUE ? LR_GO : code;
}

/* A trial whose slope cannot be evaluated counts as a failure. */
static lr_code slope_at(wolfe *w, trial *at)
{
  double d;
  lr_code code = w->line.phi->slope(w->line.phi->self, w->unit, &d);
  if (code == LR_NOVALUE) {
    at->f = INFINITY;
    return LR_GO;
  }
  at->slope = d * w->length;
  return code;
}

static bool falls(const wolfe *w, const trial *at)
{
  return lr_search_falls(w->line.policy, w->line.f, at->t, w->line.slope,
                         w->line.phi->noise, at->f);
}

static bool flat(const wolfe *w, const trial *at)
{
  return lr_search_is_flat(w->line.policy, at->slope, w->line.slope);
}

/* The minimum of the parabola with value and slope at low and value at high,
 * kept away from the ends. */
static double between(const lr_policy *P, const trial *low, const trial *high)
{
  double width = high->t - low->t;
  double bend = 2 * (high->f - low->f - width * low->slope);
  double t = low->t - low->slope * width * width / bend;
  if (!(bend > 0)) return low->t + 0.5 * width;
  return lr_search_within(P, low->t, width, t);
}

/* Shrinks the bracket between low, which meets Armijo's condition and has a
 * slope, and high. */
static lr_code zoom(wolfe *w, trial low, trial high, trial *found)
{
  trial at = low;
  for (int i = 0; i < LR_SEARCH_TRIALS; i++) {
    LR_TRY(value_at(w, between(w->line.policy, &low, &high), &at));
    if (!falls(w, &at) || at.f >= low.f) {
      high = at;
      continue;
    }
    LR_TRY(slope_at(w, &at));
    if (!falls(w, &at)) {
      high = at;
      continue;
    }
    if (flat(w, &at)) break;
    if (at.slope * (high.t - low.t) >= 0) high = low;
    low = at;
  }
  *found = falls(w, &at) ? at : low; /* rounding: a decrease will do */
  return found->t > 0 ? LR_GO : LR_NOVALUE;
}

/* Lengthens the step until it brackets a minimum. */
static lr_code bracket(wolfe *w, double t, trial *found)
{
  trial last = {0, w->line.f, w->line.slope}, at = last;
  for (int i = 0; i < LR_SEARCH_LENGTHENINGS; i++) {
    LR_TRY(value_at(w, t, &at));
    if (!falls(w, &at) || (i > 0 && at.f >= last.f))
      return zoom(w, last, at, found);
    LR_TRY(slope_at(w, &at));
    if (!falls(w, &at)) return zoom(w, last, at, found);
    if (flat(w, &at)) break;
    if (at.slope >= 0) return zoom(w, at, last, found);
    last = at;
    t = lr_search_beyond(w->line.policy, t);
  }
  *found = at;
  return LR_GO;
}

static lr_code take(lr_step *s, const lr_restricted *phi, double f,
                    const double *d, double *z, double *fz)
{
  double norm = lr_norm(s->k, d);
  for (size_t i = 0; i < s->k; i++) {
    s->u[i] = -d[i];
    s->y[i] = -d[i] / norm;
  }
  wolfe w = {
      {phi, s->u, s->k, f, -norm * norm, z, s->policy},
      s->y, norm
  };
  trial found;
  LR_TRY(bracket(&w, lr_step_first(s, norm), &found));
  for (size_t i = 0; i < s->k; i++) z[i] = found.t * s->u[i];
  *fz = found.f;
  s->length = found.t;
  return LR_GO;
}

const lr_step_ops lr_step_wolfe = {.take = take};
