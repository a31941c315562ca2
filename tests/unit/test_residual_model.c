/* The model of residuals: its step against the expected f that defines it, what
 * it learns against a known Jacobian. */
#include "least_squares/residual_model.h"

#include "base/memory.h"
#include "chance.h"
#include "check.h"

#include <stdlib.h>

enum { INPUTS = 9, NUMBERS = 12 };

/* F(x) = F + J x + bend |x|^2 / 2, J known. */
typedef struct truth {
  double J[NUMBERS * INPUTS], F[NUMBERS], bend[NUMBERS];
} truth;

static truth make_truth(double bend)
{
  truth t;
  unsigned state = 11;
  for (size_t i = 0; i < NUMBERS * INPUTS; i++) t.J[i] = chance(&state);
  for (size_t i = 0; i < NUMBERS; i++) t.F[i] = chance(&state);
  for (size_t i = 0; i < NUMBERS; i++) t.bend[i] = bend * chance(&state);
  return t;
}

static lr_residual_model model(const truth *t, size_t k, double c, double P)
{
  lr_residual_model M;
  check(lr_residual_model_init(&M, INPUTS, NUMBERS, &lr_malloc) == LRGD_OK,
        "memory");
  lr_residual_model_set_base(&M, t->F);
  M.c = c;
  for (size_t j = 0; j < k; j++) {
    double u[INPUTS] = {0};
    u[j] = 1;
    check(lr_residual_model_append(&M, u, t->J + j * NUMBERS, P) == LRGD_OK,
          "memory");
  }
  return M;
}

static double expected_f(const lr_residual_model *M, const double *z)
{
  double r[NUMBERS];
  return M->f - lr_residual_model_promise(M, z, r);
}

TEST("no other step has a lower expected f")
{
  truth t = make_truth(0);
  unsigned state = 13;
  for (int i = 0; i < 24; i++) {
    lr_residual_model M =
        model(&t, 1 + (size_t)i % INPUTS, 0.01 * (i + 1), 0.1 * (i % 5));
    double z[INPUTS], y[INPUTS];
    require(lr_residual_model_step(&M, z) == LRGD_OK, "a step");
    double least = expected_f(&M, z);
    for (int tries = 0; tries < 50; tries++) {
      for (size_t j = 0; j < M.k; j++) y[j] = z[j] + 0.1 * chance(&state);
      check(expected_f(&M, y) > least - 1e-3 * M.f, "%d: %g beside %g", i,
            expected_f(&M, y), least);
    }
    lr_residual_model_clear(&M);
  }
}

TEST("a difference along an unknown direction gives its column of J")
{
  truth t = make_truth(0);
  lr_residual_model M = model(&t, 4, 1e-3, 0);
  double u[INPUTS] = {0}, none[NUMBERS] = {0}, e[NUMBERS], z[INPUTS] = {0};
  u[4] = 1;
  require(lr_residual_model_append(&M, u, none, 1e6) == LRGD_OK, "memory");
  z[4] = 1e-4;
  for (size_t i = 0; i < NUMBERS; i++) e[i] = z[4] * t.J[4 * NUMBERS + i];
  lr_residual_model_learn(&M, z, e, false);
  for (size_t i = 0; i < NUMBERS; i++)
    check_near(M.J[4 * NUMBERS + i], t.J[4 * NUMBERS + i], 1e-9, "entry %zu",
               i);
  check(M.P[4 * M.room + 4] < 1e-8, "variance %g", M.P[4 * M.room + 4]);
  lr_residual_model_clear(&M);
}

TEST("after a step the Jacobian is that at its end, where F is a parabola")
{
  truth t = make_truth(1);
  lr_residual_model M = model(&t, 1, 1, 0);
  double z[1] = {0.3}, e[NUMBERS];
  for (size_t i = 0; i < NUMBERS; i++) e[i] = 0.5 * t.bend[i] * 0.09;
  lr_residual_model_learn(&M, z, e, true);
  for (size_t i = 0; i < NUMBERS; i++)
    check_near(M.J[i], t.J[i] + t.bend[i] * 0.3, 1e-12, "entry %zu", i);
  lr_residual_model_clear(&M);
}

TEST("P stays positive semidefinite over thousands of updates")
{
  truth t = make_truth(0);
  lr_residual_model M = model(&t, INPUTS, 1e-6, 1e3);
  unsigned state = 17;
  double z[INPUTS], e[NUMBERS] = {0};
  for (int i = 0; i < 4000; i++) {
    double scale = i % 3 == 0 ? 1e-7 : 1;
    for (size_t j = 0; j < INPUTS; j++) z[j] = scale * chance(&state);
    lr_residual_model_learn(&M, z, e, i % 3 == 1);
    for (size_t j = 0; j < INPUTS; j++) {
      double d = M.P[j * M.room + j];
      require(d >= 0 && d < 1e6, "variance %g after %d", d, i);
    }
  }
  lr_residual_model_clear(&M);
}

TEST("a column inside the range of the others is not new, one outside is")
{
  truth t = make_truth(0);
  for (size_t i = 0; i < NUMBERS; i++)
    t.J[5 * NUMBERS + i] = t.J[i] - 2 * t.J[2 * NUMBERS + i];
  lr_residual_model M = model(&t, 6, 1e-6, 1e-6);
  check(lr_residual_model_novelty(&M, 1).most < 1e-3, "%g in the range",
        lr_residual_model_novelty(&M, 1).most);
  lr_residual_model_clear(&M);
  M = model(&t, 5, 1e-6, 1e-6);
  check(lr_residual_model_novelty(&M, 1).most > 1e6, "%g outside of it",
        lr_residual_model_novelty(&M, 1).most);
  check(lr_residual_model_novelty(&M, 1).doubt < 1e-6, "known well: %g",
        lr_residual_model_novelty(&M, 1).doubt);
  check(lr_residual_model_novelty(&M, 5).most == INFINITY, "beside no others");
  lr_residual_model_clear(&M);
}

TEST("the stalest direction is the uncertain one that matters")
{
  truth t = make_truth(0);
  lr_residual_model M = model(&t, 4, 0.1, 0);
  double z[INPUTS], w[INPUTS], cost;
  M.P[2 * M.room + 2] = 1e4;
  require(lr_residual_model_step(&M, z) == LRGD_OK, "a step");
  require(lr_residual_model_stalest(&M, false, w, &cost) == LRGD_OK,
          "directions");
  check(cost > 0 && fabs(w[2]) > 0.3, "w[2] is %g, at a cost of %g", w[2],
        cost);
  lr_residual_model_clear(&M);
}

/* Column 1 is rounding errors, of which the model knows nothing better. */
static lr_residual_model nearly_null(const truth *t)
{
  lr_residual_model M = model(t, 4, 1e-3, 1e-12);
  for (size_t i = 0; i < NUMBERS; i++) M.J[NUMBERS + i] *= 1e-9;
  lr_residual_model_rewritten(&M);
  return M;
}

TEST("a confined step leaves the null space of J alone")
{
  truth t = make_truth(0);
  lr_residual_model M = nearly_null(&t);
  double free[INPUTS], z[INPUTS], left[NUMBERS], other[NUMBERS];
  require(lr_residual_model_step(&M, free) == LRGD_OK, "a step");
  require(lr_residual_model_confined_step(&M, z) == LRGD_OK, "a step");
  check(fabs(free[1]) > 1e-6, "%g along it, where nothing bars that", free[1]);
  check(fabs(z[1]) < 1e-3 * fabs(free[1]), "%g along it", z[1]);
  double most = lr_residual_model_promise(&M, free, other);
  double promised = lr_residual_model_promise(&M, z, left);
  check(promised > 0.99 * most, "%g promised of %g", promised, most);
  lr_residual_model_clear(&M);
}

TEST("what is known of the null space is not measured again there")
{
  truth t = make_truth(0);
  lr_residual_model M = nearly_null(&t);
  double z[INPUTS], w[INPUTS] = {0}, any, told;
  require(lr_residual_model_step(&M, z) == LRGD_OK, "a step");
  require(lr_residual_model_stalest(&M, false, w, &any) == LRGD_OK, "any");
  check(any > 0 && fabs(w[1]) > 0.9, "w[1] is %g, at a cost of %g", w[1], any);
  require(lr_residual_model_stalest(&M, true, w, &told) == LRGD_OK, "told");
  check(told < 0.1 * any && (told == 0 || fabs(w[1]) < 0.1),
        "w[1] is %g, at a cost of %g for %g", w[1], told, any);
  lr_residual_model_clear(&M);
}

TEST("singular directions are orthonormal, also of a J with fewer rows")
{
  truth t = make_truth(0);
  lr_residual_model M;
  double W[INPUTS * INPUTS], s[INPUTS];
  require(lr_residual_model_init(&M, INPUTS, 3, &lr_malloc) == LRGD_OK, "m");
  lr_residual_model_set_base(&M, t.F);
  M.c = 1;
  for (size_t j = 0; j < INPUTS; j++) {
    double u[INPUTS] = {0};
    u[j] = 1;
    require(lr_residual_model_append(&M, u, t.J + 3 * j, 0) == LRGD_OK, "m");
  }
  require(lr_residual_model_directions(&M, W, s) == LRGD_OK, "directions");
  for (size_t j = 0; j < INPUTS; j++)
    for (size_t l = 0; l <= j; l++) {
      double sum = 0;
      for (size_t i = 0; i < INPUTS; i++)
        sum += W[j * INPUTS + i] * W[l * INPUTS + i];
      check(fabs(sum - (j == l)) < 1e-12, "directions %zu and %zu", j, l);
    }
  check(s[2] > 1e-3 && s[3] < 1e-12, "three of them matter");
  lr_residual_model_clear(&M);
}

TEST("known rows have no uncertainty, and what is learnt leaves them alone")
{
  truth t = make_truth(0);
  double z[3] = {0.3, -0.2, 0.5}, e[NUMBERS], r[NUMBERS];
  lr_residual_model M = model(&t, 3, 0.2, 0.4), N = model(&t, 3, 0.2, 0.4);
  lr_residual_model_know(&N, 4);
  double all = lr_residual_model_promise(&M, z, r);
  double some = lr_residual_model_promise(&N, z, r);
  double doubt = 0.5 * 0.2 * 0.2 * lr_residual_model_error2(&M, z);
  check_near(some - all, 4 * doubt, 1e-9, "four rows less are in doubt");
  for (size_t i = 0; i < NUMBERS; i++) e[i] = 1;
  lr_residual_model_learn(&N, z, e, false);
  for (size_t j = 0; j < 3; j++)
    for (size_t i = 0; i < NUMBERS; i++) {
      bool kept = N.J[j * NUMBERS + i] == t.J[j * NUMBERS + i];
      check(kept == (i >= NUMBERS - 4), "row %zu of column %zu", i, j);
    }
  double f = 0;
  for (size_t i = 0; i < NUMBERS - 4; i++) f += 0.5 * t.F[i] * t.F[i];
  check_near(lr_residual_model_uncertain_f(&N), f, 1e-14, "f of the others");
  lr_residual_model_clear(&M);
  lr_residual_model_clear(&N);
}

TEST("a model turned to the axes predicts the same")
{
  truth t = make_truth(0);
  lr_residual_model M;
  double x[INPUTS], z[INPUTS], before[NUMBERS], after[NUMBERS];
  unsigned state = 19;
  require(lr_residual_model_init(&M, INPUTS, NUMBERS, &lr_malloc) == LRGD_OK,
          "memory");
  lr_residual_model_set_base(&M, t.F);
  M.c = 0.1;
  double h[INPUTS], hh = 0; /* V: the reflection I - 2 h h'/h'h */
  for (size_t i = 0; i < INPUTS; i++) h[i] = chance(&state), hh += h[i] * h[i];
  for (size_t j = 0; j < INPUTS; j++) {
    double u[INPUTS];
    for (size_t i = 0; i < INPUTS; i++) u[i] = (i == j) - 2 * h[i] * h[j] / hh;
    require(lr_residual_model_append(&M, u, t.J + j * NUMBERS,
                                     0.1 + (double)j) == LRGD_OK,
            "memory");
  }
  for (size_t i = 0; i < INPUTS; i++) x[i] = chance(&state);
  for (size_t j = 0; j < INPUTS; j++) {
    z[j] = 0;
    for (size_t i = 0; i < INPUTS; i++) z[j] += M.V[j * INPUTS + i] * x[i];
  }
  double promised = lr_residual_model_promise(&M, z, before);
  require(lr_residual_model_turn(&M) == LRGD_OK, "memory");
  check_near(lr_residual_model_promise(&M, x, after), promised, 1e-12,
             "the promise");
  for (size_t i = 0; i < NUMBERS; i++)
    check_near(after[i], before[i], 1e-12, "residual %zu", i);
  lr_residual_model_clear(&M);
}

TEST("a model restricted to two directions predicts the same along them")
{
  truth t = make_truth(0);
  lr_residual_model M = model(&t, 5, 0.1, 0.3);
  double W[10] = {0.6, 0, 0.8, 0, 0, 0, 1, 0, 0, 0}, y[2] = {0.7, -0.4};
  double z[5], before[NUMBERS], after[NUMBERS];
  M.P[2 * M.room] = M.P[2] = 0.1;
  for (size_t j = 0; j < 5; j++) z[j] = W[j] * y[0] + W[5 + j] * y[1];
  double promised = lr_residual_model_promise(&M, z, before);
  require(lr_residual_model_restrict(&M, W, 2) == LRGD_OK, "memory");
  check_int(M.k, 2, "directions");
  check_near(lr_residual_model_promise(&M, y, after), promised, 1e-12,
             "the promise");
  for (size_t i = 0; i < NUMBERS; i++)
    check_near(after[i], before[i], 1e-12, "residual %zu", i);
  lr_residual_model_clear(&M);
}
