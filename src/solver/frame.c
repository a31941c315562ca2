/* Coordinates in a box. */
#include "solver/frame.h"

#include "base/finite.h"
#include "base/memory.h"

lr_code lr_frame_open(lr_frame *f, lr_run *run, bool *good)
{
  lrgd_space *space = run->space;
  size_t p = space->dimension;
  *f = (lr_frame){.run = run, .p = p};
  f->lower = lr_alloc(&run->allocator, 4 * p, sizeof *f->lower);
  if (!f->lower)
    return lr_oracle_fault(&run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for a box in dimension %zu", p);
  f->upper = f->lower + p;
  f->x = f->upper + p;
  f->z = f->x + p;
  space->ops->get(space, run->oracle.box.lower, 0, p, f->lower);
  space->ops->get(space, run->oracle.box.upper, 0, p, f->upper);
  *good = true;
  for (size_t i = 0; i < p; i++)
    *good = *good && f->upper[i] > f->lower[i] &&
            lr_finite(f->upper[i] - f->lower[i]);
  return LR_GO;
}

void lr_frame_close(lr_frame *f)
{
  if (f->run) lr_free(&f->run->allocator, f->lower);
  *f = (lr_frame){0};
}

void lr_frame_from(const lr_frame *f, lrgd_vec x, double *z)
{
  f->run->space->ops->get(f->run->space, x, 0, f->p, f->x);
  for (size_t i = 0; i < f->p; i++) {
    double half = 0.5 * (f->upper[i] - f->lower[i]);
    z[i] = fmin(fmax((f->x[i] - f->lower[i]) / half - 1, -1), 1);
  }
}

void lr_frame_to(const lr_frame *f, const double *z, lrgd_vec x)
{
  for (size_t i = 0; i < f->p; i++) {
    double half = 0.5 * (f->upper[i] - f->lower[i]);
    double at = z[i] <= 0 ? f->lower[i] + (1 + z[i]) * half
                          : f->upper[i] - (1 - z[i]) * half;
    f->x[i] = fmin(fmax(at, f->lower[i]), f->upper[i]);
  }
  f->run->space->ops->put(f->run->space, x, 0, f->p, f->x);
}
