/* Functions asked in four ways by every method, and verdicts on how runs ended.
 */
#ifndef FIELDS_H
#define FIELDS_H

#include "base/random.h"

#include <float.h>

#include "plain.h"

typedef enum way { BY_VALUE, BY_BATCH, BY_SLOPES, BY_GRADIENT, WAYS } way;
static const char *const way_names[] = {"value", "batch", "slopes", "gradient"};

/* A function of p numbers with its gradient; what it does is its own. */
typedef struct field field;
typedef double (*formula)(field *F, size_t p, const double *x, double *g);

struct field {
  formula f;
  uint64_t calls;
  double odd;         /* the answer where there is none */
  double level;       /* of noise */
  bool gradient_only; /* f is fine, the gradient is not */
};

static inline double field_gradient(size_t p, const double *x, double *g,
                                    void *user)
{
  field *F = user;
  F->calls++;
  return F->f(F, p, x, g);
}

static inline double field_value(size_t p, const double *x, void *user)
{
  double g[16];
  return field_gradient(p, x, g, user);
}

static inline void field_values(size_t p, size_t m, const double *X, double *f,
                                void *user)
{
  for (size_t i = 0; i < m; i++) f[i] = field_value(p, X + i * p, user);
}

static inline double field_slopes(size_t p, const double *x, size_t k,
                                  const double *U, double *d, void *user)
{
  double g[16], f = field_gradient(p, x, g, user);
  for (size_t j = 0; j < k; j++) {
    d[j] = 0;
    for (size_t i = 0; i < p; i++) d[j] += U[j * p + i] * g[i];
  }
  return f;
}

typedef struct trial {
  field F;
  lrgd_options o;
  lrgd_result result;
  lrgd_status status;
  size_t p;
  double x[16], start_f;
  char who[96];
} trial;

static inline void solve(trial *t, int method, way w)
{
  lrgd_problem problem = lrgd_problem_default(t->p);
  double g[16];
  problem.user = &t->F;
  if (w == BY_VALUE) problem.value = field_value;
  if (w == BY_BATCH) problem.values = field_values;
  if (w == BY_SLOPES) problem.slopes = field_slopes;
  if (w == BY_GRADIENT) problem.gradient = field_gradient;
  (void)snprintf(t->who, sizeof t->who, "method %d, %s", method, way_names[w]);
  t->start_f = t->F.f(&t->F, t->p, t->x, g);
  t->F.calls = 0;
  t->status = plain_run(&problem, &t->o, t->x, &t->result);
  check(t->status == LRGD_OK, "%s: %s", t->who, plain_sentence);
}

/* Every method with every oracle on f from x = start in each coordinate. */
typedef void (*verdict)(trial *t);

static inline void on_all(formula f, size_t p, double start, const field *like,
                          verdict judge)
{
  for (int m = 0; m < PLAIN_METHODS; m++)
    for (int w = 0; w < WAYS; w++) {
      trial t = {.p = p, .o = plain_options(m)};
      if (like) t.F = *like;
      t.F.f = f;
      t.o.max_evals = 200000; /* nothing here should need a tenth of it */
      if (t.o.rank != LRGD_UNSET) t.o.rank = p < 2 ? 1 : 2;
      for (size_t i = 0; i < p; i++) t.x[i] = start;
      solve(&t, m, (way)w);
      if (t.status == LRGD_OK) judge(&t);
    }
}

/* What holds of every end: a finite best point no worse than the start, and
 * success only where it is one. */
static inline void sane(const trial *t)
{
  check(isfinite(t->result.f), "%s: f is %g", t->who, t->result.f);
  check(t->result.f <= t->start_f + 10 * t->F.level, "%s: f is above its start",
        t->who);
  for (size_t i = 0; i < t->p; i++)
    check(isfinite(t->x[i]), "%s: x is finite", t->who);
  check(t->result.message[0] != '\0', "%s: a sentence", t->who);
}

#endif
