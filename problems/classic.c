/* Classic test functions of n variables, embedded in p: f(x) = h(A^T x) with
 * random orthonormal A.  The start A z0 has A^T x = z0, the classic start. */
#include <limits.h>

#include "base/vector.h"
#include "composite.h"

typedef struct groups {
  size_t n;
  const lr_classic *classic;
} groups;

static double groups_h(const void *data, const double *z, double *dz)
{
  const groups *g = data;
  double sum = 0, unused[4];
  for (size_t i = 0; i < g->n; i += g->classic->width)
    sum += g->classic->group(z + i, dz ? dz + i : unused);
  return sum;
}

static double complex groups_h_complex(const void *data,
                                       const double complex *z)
{
  const groups *g = data;
  double complex sum = 0;
  for (size_t i = 0; i < g->n; i += g->classic->width)
    sum += g->classic->group_complex(z + i);
  return sum;
}

size_t lr_classic_size(lr_reader *reader, const lr_classic *classic, size_t p)
{
  size_t n = lr_reader_size(reader, "n", classic->width, INT_MAX);
  if (n % classic->width != 0)
    lr_reader_fail(reader, LRGD_ERR_INVALID, "n %zu is not a multiple of %zu",
                   n, classic->width);
  if (n > p)
    lr_reader_fail(reader, LRGD_ERR_INVALID, "n %zu exceeds dimension %zu", n,
                   p);
  return n;
}

/* x = A z, the n numbers of z being the group again and again. */
static void place(const lr_composite *f, size_t p, const lr_classic *classic,
                  const double *group, double *x)
{
  for (size_t j = 0; j < f->q; j++)
    lr_axpy(p, group[j % classic->width], f->A + j * p, x);
}

lrgd_status lr_classic_build(lr_problem *problem, lr_reader *reader, size_t p,
                             size_t n, const lr_classic *classic)
{
  uint64_t seed = lr_reader_seed(reader);
  lr_composite f = {.q = n, .h = groups_h, .h_complex = groups_h_complex};
  groups *g;
  double *best;
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  best = lr_problem_numbers(problem, reader, p, 1);
  g = lr_problem_bytes(problem, reader, sizeof *g);
  f.A = lr_random_basis(problem, reader, n, seed);
  if (reader->status) return reader->status;
  *g = (groups){n, classic};
  f.data = g;
  place(&f, p, classic, classic->start, problem->start);
  place(&f, p, classic, classic->minimiser, best);
  problem->rank = n;
  problem->minimum = 0;
  problem->minimiser = best;
  return lr_composite_install(problem, reader, &f);
}
