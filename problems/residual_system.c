/* f = |F(A^T x)|^2 / 2 from one complex formula for F: see residual_system.h.
 */
#include "residual_system.h"
#include "base/vector.h"

#include <limits.h>
#include <math.h>

/* Im F(z + i t e) / t: so small that its square is lost in rounding. */
static const double t_imaginary = 1e-100;

/* Scratch of one call: z and r. */
typedef struct scratch {
  double complex *z, *r;
  double complex small[LR_SMALL];
} scratch;

static int begin(scratch *room, const lr_system *s)
{
  size_t bytes = (s->n + s->m) * sizeof *room->z;
  room->z = lr_room(room->small, sizeof room->small, bytes);
  room->r = room->z ? room->z + s->n : NULL;
  return room->z != NULL;
}

static void end(scratch *room)
{
  lr_room_free(room->z, room->small);
}

/* Column j of the Jacobian stays in the imaginary parts of r, times t. */
static void column(const lr_system *s, scratch *room, size_t j)
{
  double re = creal(room->z[j]);
  room->z[j] = re + t_imaginary * I;
  s->residuals(s, room->z, room->r);
  room->z[j] = re;
}

static double half_squares(size_t m, const double complex *r)
{
  double sum = 0;
  for (size_t i = 0; i < m; i++) sum += creal(r[i]) * creal(r[i]);
  return 0.5 * sum;
}

static double core(const void *data, const double *z, double *dz)
{
  const lr_system *s = data;
  scratch room;
  double f;
  for (size_t j = 0; dz && j < s->n; j++) dz[j] = NAN;
  if (!begin(&room, s)) return NAN;
  for (size_t j = 0; j < s->n; j++) room.z[j] = z[j];
  s->residuals(s, room.z, room.r);
  f = half_squares(s->m, room.r);
  for (size_t j = 0; dz && j < s->n; j++) {
    dz[j] = 0;
    column(s, &room, j);
    for (size_t i = 0; i < s->m; i++)
      dz[j] += creal(room.r[i]) * (cimag(room.r[i]) / t_imaginary);
  }
  end(&room);
  return f;
}

static double complex core_complex(const void *data, const double complex *z)
{
  const lr_system *s = data;
  double complex small[LR_SMALL], sum = 0;
  double complex *r = lr_room(small, sizeof small, s->m * sizeof *r);
  if (!r) return NAN;
  s->residuals(s, z, r);
  for (size_t i = 0; i < s->m; i++) sum += r[i] * r[i];
  lr_room_free(r, small);
  return 0.5 * sum;
}

/* z = A^T x into the scratch; 0: no memory. */
static int project(const lr_composite *f, size_t p, const double *x,
                   scratch *room)
{
  double small[LR_SMALL];
  double *z = lr_room(small, sizeof small, f->q * sizeof *z);
  if (!z) return 0;
  if (!begin(room, f->data)) {
    lr_room_free(z, small);
    return 0;
  }
  lr_composite_project(f, p, x, z);
  for (size_t j = 0; j < f->q; j++) room->z[j] = z[j];
  lr_room_free(z, small);
  return 1;
}

static void residuals(size_t p, const double *x, size_t m, double *r,
                      void *user)
{
  const lr_composite *f = ((const lr_problem *)user)->data;
  const lr_system *s = f->data;
  scratch room;
  int able = project(f, p, x, &room);
  if (able) s->residuals(s, room.z, room.r);
  for (size_t i = 0; i < m; i++) r[i] = able ? creal(room.r[i]) : NAN;
  if (able) end(&room);
}

/* J_x = J_z A^T. */
static void jacobian(const lr_problem *problem, const double *x, double *J)
{
  const lr_composite *f = problem->data;
  const lr_system *s = f->data;
  size_t p = problem->callbacks.dimension, m = s->m;
  scratch room;
  int able = project(f, p, x, &room);
  for (size_t i = 0; i < m * p; i++) J[i] = able ? 0 : NAN;
  for (size_t j = 0; able && j < s->n; j++) {
    column(s, &room, j);
    for (size_t k = 0; k < p; k++) {
      double a = f->A ? f->A[j * p + k] : k == j;
      for (size_t i = 0; a != 0 && i < m; i++)
        J[k * m + i] += a * (cimag(room.r[i]) / t_imaginary);
    }
  }
  if (able) end(&room);
}

/* ---- building ---- */

/* x = A z, or z itself where there is no A. */
static void place(const lr_composite *f, size_t p, const double *z, double *x)
{
  for (size_t j = 0; j < f->q; j++) {
    if (f->A)
      lr_axpy(p, z[j], f->A + j * p, x);
    else
      x[j] = z[j];
  }
}

/* x0 +- box times the longest way of an input to the minimiser; where that is
 * not known, times |x0_i| (1 for 0).  Where the minimiser is cut off, or not
 * known, the minimum is not known. */
static void put_box(lr_problem *problem, lr_reader *reader, double box)
{
  size_t p = problem->callbacks.dimension;
  const double *best = problem->minimiser;
  double *lower = lr_problem_numbers(problem, reader, p, 1);
  double *upper = lr_problem_numbers(problem, reader, p, 1);
  double far = 0;
  if (reader->status) return;
  for (size_t i = 0; best && i < p; i++)
    far = fmax(far, fabs(best[i] - problem->start[i]));
  for (size_t i = 0; i < p; i++) {
    double at = problem->start[i], way = best ? far : fabs(at);
    if (way == 0) way = 1;
    lower[i] = at - box * way;
    upper[i] = at + box * way;
  }
  problem->callbacks.lower = lower;
  problem->callbacks.upper = upper;
  if (best && box >= 1) return;
  problem->minimiser = NULL;
  problem->minimum = NAN;
}

static void state_facts(lr_problem *problem, const lr_composite *f, size_t p,
                        const lr_system_facts *facts, double *best)
{
  place(f, p, facts->start, problem->start);
  problem->minimum = facts->minimum;
  problem->rank = facts->rank;
  if (!facts->minimiser) return;
  place(f, p, facts->minimiser, best);
  problem->minimiser = best;
}

static size_t read_dimension(lr_reader *reader, size_t n)
{
  size_t p = lr_reader_size(reader, "p", 0, INT_MAX);
  if (p > 0 && p < n)
    lr_reader_fail(reader, LRGD_ERR_INVALID, "n %zu exceeds dimension %zu", n,
                   p);
  return p > n ? p : n;
}

lrgd_status lr_system_build(lr_problem *problem, lr_reader *reader,
                            const lr_system *system,
                            const lr_system_facts *facts)
{
  size_t p = read_dimension(reader, system->n);
  double box = lr_reader_real(reader, "box", 0), *best;
  uint64_t seed = lr_reader_seed(reader);
  lr_composite f = {.q = system->n, .h = core, .h_complex = core_complex};
  lr_system *copy;
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  best = lr_problem_numbers(problem, reader, p, 1);
  copy = lr_problem_bytes(problem, reader, sizeof *copy);
  if (p > system->n) f.A = lr_random_basis(problem, reader, system->n, seed);
  if (reader->status) return reader->status;
  *copy = *system;
  f.data = copy;
  state_facts(problem, &f, p, facts, best);
  if (box > 0) put_box(problem, reader, box);
  problem->residual_count = system->m;
  problem->residuals = residuals;
  problem->jacobian = jacobian;
  return lr_composite_install(problem, reader, &f);
}
