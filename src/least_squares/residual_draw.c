/* The directions by which V grows: axes, or random vectors outside V.
 *
 * Of random vectors there are two kinds, with independent components and smooth
 * ones.  Where inputs are the cells of a field or the times of a signal, in
 * their order, residuals change much more along smooth directions, and a step
 * in their span is shorter; where the order of the inputs means nothing, both
 * kinds are alike.  Columns of J tell which it is. */
#include "least_squares/least_squares_state.h"

#include "least_squares/least_squares_rules.h"

#include "base/elementary.h"
#include "base/random.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

/* Zeroes the components of u at bounds, unless too few inputs remain.  With
 * bounds, every second direction is one of these. */
static void keep_held(const lr_least_squares *s, double *u)
{
  const lr_residual_model *M = &s->M;
  if (!lr_ls_boxed(s) || M->k % 2 == 0) return;
  const double *b = lrgd_host_data(s->at.x);
  const double *lower = lr_ls_lower(s);
  const double *upper = lr_ls_upper(s);
  size_t held = 0;
  for (size_t i = 0; i < M->p; i++)
    held += b[i] <= lower[i] || b[i] >= upper[i];
  if (held + M->k >= M->p) return;
  for (size_t i = 0; i < M->p; i++)
    if (b[i] <= lower[i] || b[i] >= upper[i]) u[i] = 0;
}

/* The axis with the largest part outside V; inside: p numbers of scratch. */
static size_t outermost(const lr_residual_model *M, double *inside)
{
  size_t best = 0;
  memset(inside, 0, M->p * sizeof *inside);
  for (size_t j = 0; j < M->k; j++)
    for (size_t i = 0; i < M->p; i++)
      inside[i] += M->V[j * M->p + i] * M->V[j * M->p + i];
  for (size_t i = 1; i < M->p; i++)
    if (inside[i] < inside[best]) best = i;
  return best;
}

/* u = that axis, or its opposite where the bounds leave more room there:
 * differences along axes can always lead inwards. */
static bool draw_axis(lr_least_squares *s, double *u)
{
  const lr_residual_model *M = &s->M;
  if (M->k >= M->p) return false;
  size_t i = outermost(M, s->u);
  memset(u, 0, M->p * sizeof *u);
  u[i] = 1;
  if (!lr_ls_boxed(s)) return true;
  const double *b = lrgd_host_data(s->at.x);
  double up = lr_ls_upper(s)[i] - b[i], down = b[i] - lr_ls_lower(s)[i];
  if (down > up) u[i] = -1;
  return fmax(up, down) > 0;
}

double lr_ls_leave_V(const lr_residual_model *M, double *u)
{
  for (int twice = 0; twice < 2; twice++)
    for (size_t j = 0; j < M->k; j++) {
      const double *v = M->V + j * M->p;
      lr_axpy(M->p, -lr_dot(M->p, v, u), v, u);
    }
  return lr_norm(M->p, u);
}

/* Turns independent components into a stationary autoregressive sequence, whose
 * correlation falls to 1/e over a share of the inputs. */
static void smooth(const lr_least_squares *s, double *u)
{
  size_t p = s->M.p;
  double rho = lr_exp(-1 / lr_ls_smooth_length(s->policy, (double)p));
  double rest = sqrt(1 - rho * rho);
  for (size_t i = 1; i < p; i++) u[i] = rho * u[i - 1] + rest * u[i];
}

/* The kind of the next random direction; a group that is planned is of one
 * kind, as no column tells anything before all its points are known. */
static lr_ls_kind next_kind(lr_least_squares *s)
{
  lr_ls_kinds *K = &s->kinds;
  if (K->planned > 0)
    K->planned--;
  else
    K->drawn = lr_ls_choose_kind(s->policy, K);
  return K->drawn;
}

/* A random vector, with independent components or with the correlation of the
 * inputs, as far as it is told or found. */
static lr_code random_vector(lr_least_squares *s, bool independent, double *u)
{
  lr_oracle *o = &s->run->oracle;
  size_t p = s->M.p;
  uint64_t stream = LR_STREAM_LEAST_SQUARES + s->draws++;
  bool told = o->answers.field || o->answers.correlate;
  if (!independent && o->answers.field) {
    lr_random_field_draw(o->answers.field, lr_ls_waves(s->policy), o->seed,
                         stream, u);
    return LR_GO;
  }
  if (independent || !told) {
    lr_gaussian(o->seed, stream, 0, p, u);
    if (!independent && next_kind(s) == LR_LS_SMOOTH) smooth(s, u);
    return LR_GO;
  }
  lr_gaussian(o->seed, stream, 0, p, s->u);
  return lr_oracle_correlate(o, s->u, u);
}

static lr_code draw(lr_least_squares *s, bool independent, double *u,
                    bool *drawn)
{
  lr_residual_model *M = &s->M;
  *drawn = false;
  if (M->k >= M->p) return LR_GO;
  LR_TRY(random_vector(s, independent, u));
  double all = lr_norm(M->p, u);
  keep_held(s, u);
  s->length = lr_ls_leave_V(M, u);
  *drawn = s->length > 1e-10 * all; /* the rest is rounding */
  if (*drawn) lr_scale(M->p, 1 / s->length, u);
  return LR_GO;
}

lr_code lr_ls_draw(lr_least_squares *s, double *u, bool *drawn)
{
  LR_TRY(draw(s, false, u, drawn));
  /* a correlated direction may lie in V, as a covariance may be singular */
  return *drawn ? LR_GO : draw(s, true, u, drawn);
}

lr_code lr_ls_next_direction(lr_least_squares *s, bool independent, double *u,
                             bool *drawn)
{
  *drawn = false;
  if (s->by_axes)
    *drawn = draw_axis(s, u);
  else if (independent)
    return draw(s, true, u, drawn);
  else
    return lr_ls_draw(s, u, drawn);
  return LR_GO;
}

void lr_ls_plan_kind(lr_least_squares *s, size_t n)
{
  s->kinds.drawn = lr_ls_choose_kind(s->policy, &s->kinds);
  s->kinds.planned = n;
}

void lr_ls_note_size(lr_least_squares *s, double size)
{
  lr_ls_kinds *K = &s->kinds;
  K->row = K->last == K->drawn ? K->row + 1 : 1;
  K->last = K->drawn;
  double count = ++K->columns[K->drawn], *mean = &K->size2[K->drawn];
  *mean += lr_ls_kind_share(s->policy, count) * (size * size - *mean);
}
