/* Derivatives of residuals along directions, which the user gives: they take
 * the place of differences. */
#include "least_squares/least_squares_state.h"

#include "base/vector.h"

#include <string.h>

void lr_ls_know(const lr_least_squares *s, const double *u, double *column)
{
  const lr_known_rows *known = s->run->oracle.answers.known;
  if (!known) return;
  lr_known_rows_along(known, s->D, u, column + s->M.n);
  lr_scale(known->count, s->unit, column + s->M.n);
}

lr_code lr_ls_slope(lr_least_squares *s, const double *u, lrgd_purpose why,
                    double *y)
{
  lr_oracle *o = &s->run->oracle;
  lrgd_vec along = {s->points, LR_LS_SLOPE};
  double *v = lrgd_host_data(along), d[2];
  for (size_t i = 0; i < s->M.p; i++) v[i] = s->D[i] * u[i];
  LR_TRY(lr_oracle_ask_slopes(o, &s->at, along, 1, why, d));
  lr_oracle_count_slope(o, why);
  const double *column = o->answers.residual_slopes(o->answers.self);
  for (size_t i = 0; i < s->M.n; i++) y[i] = s->unit * column[i];
  lr_ls_know(s, u, y);
  return LR_GO;
}

/* Whether F alone costs a slope, which then comes with it. */
static bool comes_with_slope(const lr_least_squares *s)
{
  const lr_answers *a = &s->run->oracle.answers;
  return a->residual_slopes && !a->value && !a->values;
}

void lr_ls_want_step(lr_least_squares *s)
{
  lrgd_vec along = {s->points, LR_LS_SLOPE};
  const double *b = lrgd_host_data(s->at.x), *x = lrgd_host_data(s->trial.x);
  double *v = lrgd_host_data(along);
  if (!comes_with_slope(s)) return;
  for (size_t i = 0; i < s->M.p; i++) v[i] = x[i] - b[i];
  double norm = lr_norm(s->M.p, v);
  if (!(norm > 0)) return;
  lr_scale(s->M.p, 1 / norm, v);
  s->length = norm;
  lr_oracle_want(&s->run->oracle, along);
}

void lr_ls_learn_wanted(lr_least_squares *s, const double *z)
{
  lr_residual_model *M = &s->M;
  lr_oracle *o = &s->run->oracle;
  double unused, *e = M->s;
  if (!lr_oracle_had_slope(o, &s->at, LRGD_PURPOSE_DESCEND, &unused)) return;
  const double *column = o->answers.residual_slopes(o->answers.self);
  memset(e, 0, M->m * sizeof *e);
  lr_axpy(M->n, s->unit * s->length, column, e);
  for (size_t j = 0; j < M->k; j++) lr_axpy(M->n, -z[j], M->J + j * M->m, e);
  lr_residual_model_learn_slope(M, z, e);
}
