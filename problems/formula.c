/* Callbacks of a formula: Im f(x + i h u) / h, with h so small that its square
 * is lost in rounding (Squire and Trapp, 1998). */
#include "formula.h"

#include <math.h>

static const double h = 1e-40;

/* What the callbacks read: x = middle + half y, identity for physical units. */
typedef struct form {
  const lr_formula *formula;
  double middle[LR_FORMULA_MOST], half[LR_FORMULA_MOST];
} form;

static const form *form_of(void *user)
{
  return ((const lr_problem *)user)->data;
}

static double formula_value(size_t p, const double *x, void *user)
{
  const form *m = form_of(user);
  double complex z[LR_FORMULA_MOST];
  for (size_t i = 0; i < p; i++) z[i] = m->middle[i] + m->half[i] * x[i];
  return creal(m->formula->f(z));
}

static double formula_gradient(size_t p, const double *x, double *g, void *user)
{
  const form *m = form_of(user);
  double complex z[LR_FORMULA_MOST], f = 0;
  for (size_t i = 0; i < p; i++) z[i] = m->middle[i] + m->half[i] * x[i];
  for (size_t i = 0; i < p; i++) {
    double real = creal(z[i]);
    z[i] = real + h * m->half[i] * I;
    f = m->formula->f(z);
    g[i] = cimag(f) / h;
    z[i] = real;
  }
  return creal(f);
}

static double formula_slopes(size_t p, const double *x, size_t k,
                             const double *U, double *d, void *user)
{
  const form *m = form_of(user);
  double complex z[LR_FORMULA_MOST], f = 0;
  for (size_t j = 0; j < k; j++) {
    for (size_t i = 0; i < p; i++)
      z[i] = m->middle[i] + m->half[i] * (x[i] + h * U[j * p + i] * I);
    f = m->formula->f(z);
    d[j] = cimag(f) / h;
  }
  return k > 0 ? creal(f) : formula_value(p, x, user);
}

static lrgd_complex formula_complex(size_t p, const lrgd_complex *x, void *user)
{
  const form *m = form_of(user);
  double complex z[LR_FORMULA_MOST], f;
  for (size_t i = 0; i < p; i++)
    z[i] = m->middle[i] + m->half[i] * (x[i].re + x[i].im * I);
  f = m->formula->f(z);
  return (lrgd_complex){creal(f), cimag(f)};
}

static void install(lr_problem *problem, const form *m)
{
  lrgd_problem *c = &problem->callbacks;
  c->value = formula_value;
  c->values = lr_problem_values_one_by_one;
  c->gradient = formula_gradient;
  c->slopes = formula_slopes;
  c->complex_value = formula_complex;
  problem->rank = m->formula->rank;
  problem->data = m;
}

lrgd_status lr_formula_build(lr_problem *problem, lr_reader *reader,
                             const lr_formula *formula)
{
  size_t box = lr_reader_choice(reader, "units", "physical|box");
  double *lower, *upper;
  form *m;
  if (lr_problem_begin(problem, reader, formula->p)) return reader->status;
  m = lr_problem_bytes(problem, reader, sizeof *m);
  lower = lr_problem_copy(problem, reader, formula->p, formula->lower);
  upper = lr_problem_copy(problem, reader, formula->p, formula->upper);
  if (reader->status) return reader->status;
  m->formula = formula;
  for (size_t i = 0; i < formula->p; i++) {
    double middle = 0.5 * (lower[i] + upper[i]);
    m->middle[i] = box ? middle : 0;
    m->half[i] = box ? 0.5 * (upper[i] - lower[i]) : 1;
    problem->start[i] = box ? 0 : middle;
    if (box) {
      lower[i] = -1;
      upper[i] = 1;
    }
  }
  problem->callbacks.lower = lower;
  problem->callbacks.upper = upper;
  install(problem, m);
  return LRGD_OK;
}
