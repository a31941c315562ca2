/* f(x) = formula(A^T x) + prior |x|^2: see embedded.h. */
#include "embedded.h"
#include "base/vector.h"

#include <math.h>

static double complex embedded_complex(const void *data,
                                       const double complex *z)
{
  const lr_core_formula *e = data;
  return e->value(e->n, z, e->data);
}

static double embedded_h(const void *data, const double *z, double *dz)
{
  const double t = 1e-100;
  const lr_core_formula *e = data;
  double complex small[LR_SMALL], f;
  double complex *at = lr_room(small, sizeof small, e->n * sizeof *at);
  if (!at) return NAN;
  for (size_t j = 0; j < e->n; j++) at[j] = z[j];
  f = e->value(e->n, at, e->data);
  for (size_t j = 0; dz && j < e->n; j++) {
    at[j] = z[j] + t * I;
    dz[j] = cimag(e->value(e->n, at, e->data)) / t;
    at[j] = z[j];
  }
  lr_room_free(at, small);
  return creal(f);
}

/* x = A z, z being the `width` numbers again and again. */
static void place(const lr_composite *f, size_t p, size_t width,
                  const double *numbers, double *x)
{
  for (size_t j = 0; j < f->q; j++)
    lr_axpy(p, numbers[j % width], f->A + j * p, x);
}

void lr_embedded_check(lr_reader *reader, size_t n, size_t p)
{
  if (n > p)
    lr_reader_fail(reader, LRGD_ERR_INVALID, "rank %zu exceeds dimension %zu",
                   n, p);
}

lrgd_status lr_embedded_build(lr_problem *problem, lr_reader *reader, size_t p,
                              const lr_core_formula *formula)
{
  uint64_t seed = lr_reader_seed(reader);
  lr_composite f = {.q = formula->n,
                    .tail = formula->prior,
                    .h = embedded_h,
                    .h_complex = embedded_complex};
  lr_core_formula *copy;
  double *best;
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  best = lr_problem_numbers(problem, reader, p, 1);
  copy = lr_problem_bytes(problem, reader, sizeof *copy);
  f.A = lr_random_basis(problem, reader, formula->n, seed);
  if (reader->status) return reader->status;
  *copy = *formula;
  f.data = copy;
  place(&f, p, formula->width, formula->start, problem->start);
  place(&f, p, formula->width, formula->minimiser, best);
  problem->rank = formula->prior > 0 ? p : formula->n;
  if (!(formula->prior > 0)) {
    problem->minimum = formula->minimum;
    problem->minimiser = best;
  }
  return lr_composite_install(problem, reader, &f);
}
