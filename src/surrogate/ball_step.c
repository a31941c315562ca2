/* Spectral projected gradients with a nonmonotone line search (E. G. Birgin, J.
 * M. Martinez, M. Raydan, SIAM J. Optim. 10, 2000).  The projection into ball
 * and box shortens the step to the radius first; clipping to the box, which
 * contains the centre, only brings a point nearer to it. */
#include "surrogate/ball_step.h"

#include "base/vector.h"
#include "surrogate/surrogate_rules.h"

#include <math.h>
#include <string.h>

enum { VECTORS = 6, MEMORY = 5 };

typedef struct search {
  const lr_gp *g;
  const lr_ball *ball;
  double kappa;
  size_t p;
  double *x, *slope; /* the iterate */
  double *to, *next; /* a trial, and its gradient */
  double *d, *best;
  double f, best_f, last[MEMORY]; /* of the last iterates */
  double length;                  /* length of the spectral step */
} search;

size_t lr_ball_step_room(size_t p)
{
  return VECTORS * p;
}

static void project(const search *s, double *x)
{
  const double *centre = s->ball->centre;
  lr_axpy(s->p, -1, centre, x);
  double far = lr_norm(s->p, x);
  if (far > s->ball->radius) lr_scale(s->p, s->ball->radius / far, x);
  for (size_t i = 0; i < s->p; i++) x[i] = fmin(fmax(centre[i] + x[i], -1), 1);
}

/* d = P(x - length slope) - x; returns the directional derivative along it. */
static double direction(search *s)
{
  memcpy(s->d, s->x, s->p * sizeof *s->d);
  lr_axpy(s->p, -s->length, s->slope, s->d);
  project(s, s->d);
  lr_axpy(s->p, -1, s->x, s->d);
  return lr_dot(s->p, s->slope, s->d);
}

/* A step along d, halved and more until it is below the highest of the last
 * values by a share of what the slope promises.  Returns the value. */
static double line_search(search *s, double along)
{
  const lr_policy *P = s->g->policy;
  double top = s->last[0], t = 1, f = 0;
  for (int i = 1; i < MEMORY; i++) top = fmax(top, s->last[i]);
  for (int i = 0; lr_surrogate_backtracks(P, i); i++) {
    memcpy(s->to, s->x, s->p * sizeof *s->to);
    lr_axpy(s->p, t, s->d, s->to);
    f = lr_gp_bound(s->g, s->to, s->kappa, s->next);
    if (lr_surrogate_falls(P, f, top, t * along)) break;
    t = lr_surrogate_shorter(P, t);
  }
  return f;
}

/* The next spectral length, s's / s'y. */
static void set_length(search *s)
{
  double ss = 0, sy = 0;
  for (size_t i = 0; i < s->p; i++) {
    double step = s->to[i] - s->x[i];
    ss += step * step;
    sy += step * (s->next[i] - s->slope[i]);
  }
  s->length = lr_surrogate_spectral(s->length, ss, sy);
}

static void keep_best(search *s)
{
  if (!(s->f < s->best_f)) return;
  s->best_f = s->f;
  memcpy(s->best, s->x, s->p * sizeof *s->x);
}

static void accept(search *s, double f, int turn)
{
  set_length(s);
  memcpy(s->x, s->to, s->p * sizeof *s->x);
  memcpy(s->slope, s->next, s->p * sizeof *s->x);
  s->f = f;
  s->last[turn % MEMORY] = f;
  keep_best(s);
}

void lr_ball_step(const lr_gp *g, const lr_ball *ball, double kappa, double *x,
                  double *work)
{
  size_t p = g->p;
  const lr_policy *P = g->policy;
  search s = {.g = g,
              .ball = ball,
              .kappa = kappa,
              .p = p,
              .x = work,
              .slope = work + p,
              .to = work + 2 * p,
              .next = work + 3 * p,
              .d = work + 4 * p,
              .best = work + 5 * p,
              .best_f = INFINITY};
  double steepest = 0;
  memcpy(s.x, x, p * sizeof *x);
  project(&s, s.x);
  s.f = lr_gp_bound(g, s.x, kappa, s.slope);
  keep_best(&s);
  for (int i = 0; i < MEMORY; i++) s.last[i] = i == 0 ? s.f : -INFINITY;
  for (size_t i = 0; i < p; i++) steepest = fmax(steepest, fabs(s.slope[i]));
  s.length = lr_surrogate_first_step(P, steepest);
  for (int turn = 1; lr_surrogate_searches_on(P, turn); turn++) {
    double along = direction(&s);
    if (!lr_surrogate_promises(along, s.f)) break;
    accept(&s, line_search(&s, along), turn);
  }
  memcpy(x, s.best, p * sizeof *x);
}
